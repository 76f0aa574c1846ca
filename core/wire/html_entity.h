#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// Appends what the character reference at the head of `text` stands for, as UTF-8, and gives its length; 0 if there
/// is none that titles of error pages use.
std::size_t appendEntity(std::string& out, std::string_view text);

} // namespace decodescope
