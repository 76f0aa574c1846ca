#pragma once

#include "core/base/error.h"
#include "core/source/run_spec.h"

#include <string>
#include <string_view>

/// A RunSpec as JSON text, for recordings and for saved lanes. The key is never in it: only where it came from.
namespace decodescope {

[[nodiscard]] std::string runSpecToJson(const RunSpec& spec);
/// Takes what it understands and leaves the rest at its default; fails only when the text is no JSON object.
/// `allowInvalidTls` and `allowPlainHttpWithKey` are never read back: each is confirmed anew.
[[nodiscard]] Result<RunSpec> runSpecFromJson(std::string_view json);

} // namespace decodescope
