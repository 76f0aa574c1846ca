#include "tests/engine/scheduler/fake_tokenizer.h"

namespace decodescope::engine {

std::vector<TokenId> FakeTokenizer::encode(const std::vector<PromptPart>& parts, bool addSpecial) const {
    std::vector<TokenId> ids(addSpecial ? 1 : 0, 0);
    for (const PromptPart& part : parts)
        for (const char c : part.text)
            ids.push_back(spelled(std::string_view(&c, 1)).value_or(0));
    return ids;
}

std::string_view FakeTokenizer::bytesOf(TokenId id, bool showControl) const {
    static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuv\xC3\xA9";
    if (id < 0 || id >= kSize)
        return {};
    if (isControl(id))
        return showControl ? (id == kEnd ? "<end>" : "<start>") : "";
    return kLetters.substr(static_cast<std::size_t>(id - 2), 1);
}

std::optional<TokenId> FakeTokenizer::spelled(std::string_view text) const {
    for (TokenId id = 0; id < kSize; ++id)
        if (bytesOf(id, true) == text)
            return id;
    return std::nullopt;
}

} // namespace decodescope::engine
