#pragma once

#include <string>

namespace decodescope {

/// Plain English sentences of about so many tokens, always the same: what stands before a prompt to measure at a depth
/// of the context. Common words alone, as nearly every tokenizer has a token for each; no two paragraphs are alike.
[[nodiscard]] std::string contextFiller(int tokens);

} // namespace decodescope
