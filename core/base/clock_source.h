#pragma once

#include <cstdint>
#include <string_view>

namespace decodescope {

/// Which clock stamped a run's arrivals. `replay` only for imports that do not tell.
enum class ClockSource : std::uint8_t { kernel, user, engine, synthetic, replay };
[[nodiscard]] std::string_view toString(ClockSource source) noexcept;
/// The reverse of toString; an unknown name is `replay`.
[[nodiscard]] ClockSource clockSourceFromString(std::string_view name) noexcept;

} // namespace decodescope
