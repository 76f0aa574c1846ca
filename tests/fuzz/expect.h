#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace decodescope::engine::test {

/// Ends the fuzzer with the words when something that always holds does not.
inline void expect(bool holds, const char* what, std::string_view detail = {}) {
    if (holds)
        return;
    std::fprintf(stderr, "expected: %s\n%.*s\n", what, static_cast<int>(detail.size()), detail.data());
    std::abort();
}

/// What people read: a sentence without characters that steer a terminal.
inline void expectSentence(std::string_view text) {
    bool clean = !text.empty() && (text.back() == '.' || text.back() == '?');
    for (const char c : text)
        clean = clean && static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
    expect(clean, "a clean sentence", text);
}

} // namespace decodescope::engine::test
