#pragma once

#include "engine/tokenizer/tokenizer.h"

namespace decodescope::engine {

/// 26 tokens: 0 a control token, 1 the end, 2 ... 23 letters from "a" on, 24 and 25 the two bytes of one letter (e with
/// an acute accent).
class FakeTokenizer final : public Tokenizer {
public:
    static constexpr int kSize = 26;
    static constexpr TokenId kEnd = 1;

    using Tokenizer::encode;
    [[nodiscard]] std::vector<TokenId> encode(const std::vector<PromptPart>& parts, bool addSpecial) const override;
    [[nodiscard]] std::string_view kind() const override { return "fake"; }
    [[nodiscard]] int size() const override { return kSize; }
    [[nodiscard]] std::string_view bytesOf(TokenId id, bool showControl = false) const override;
    [[nodiscard]] bool isControl(TokenId id) const override { return id == 0 || id == kEnd; }
    [[nodiscard]] bool endsGeneration(TokenId id) const override { return id == kEnd; }
    [[nodiscard]] std::optional<TokenId> bos() const override { return std::nullopt; }
    [[nodiscard]] std::optional<TokenId> eos() const override { return kEnd; }
    [[nodiscard]] bool stripsLeadingSpace() const override { return false; }
    [[nodiscard]] std::optional<TokenId> spelled(std::string_view text) const override;
};

} // namespace decodescope::engine
