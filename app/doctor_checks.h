#pragma once

#include "app/user_folders.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// One thing that commonly goes wrong for users.
struct DoctorCheck {
    enum class Status : std::uint8_t {
        good,
        warning, ///< something will not work, the rest does
        note     ///< worth knowing, nothing is wrong
    };
    std::string name; ///< "display": stable, for scripts
    Status status = Status::good;
    std::string found;  ///< one sentence
    std::string advice; ///< what to try; empty when all is well
};
[[nodiscard]] std::string_view toString(DoctorCheck::Status status) noexcept;

/// All of them: display, fonts, keychain, folders, engine, sample model, proxies, certificates. Changes nothing; never
/// names a secret (of proxies the variable alone).
[[nodiscard]] std::vector<DoctorCheck> doctorChecks(const Environment& environment = environmentVariable);

} // namespace decodescope
