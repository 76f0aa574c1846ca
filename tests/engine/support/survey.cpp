#include "tests/engine/support/survey.h"

#include "engine/chat/chat_template.h"
#include "engine/gguf/gguf_file.h"
#include "engine/model/model_plan.h"
#include "engine/tokenizer/tokenizer.h"

namespace decodescope::engine::test {

namespace {

constexpr const char* kText = "Hello the world, that is 12345 !?\n\n  def f():\t\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80 "
                              "<|im_start|><s><0x41> \xFF\xC3(\xED\xA0\x80";

/// Uses all that a tokenizer promises; gives the number of tokens of the text.
int used(const Tokenizer& tokenizer) {
    const std::vector<TokenId> ids = tokenizer.encode(kText, SpecialText::parse, true);
    StreamDetokenizer stream(tokenizer, true);
    std::size_t bytes = tokenizer.decode(ids).size() + tokenizer.encode(kText, SpecialText::asText, false).size();
    for (const TokenId id : ids)
        bytes += stream.push(id).size();
    for (TokenId id = -2; id < tokenizer.size() + 2; ++id)
        bytes += tokenizer.bytesOf(id, true).size() + (tokenizer.isControl(id) || tokenizer.endsGeneration(id) ? 1 : 0);
    bytes += stream.finish().size() + tokenizer.kind().size();
    return bytes > 0 ? static_cast<int>(ids.size()) : 0;
}

/// Why the model does not chat, or does not take a plain conversation.
std::optional<Error> chatRefusal(const GgufFile& file, const Tokenizer& tokenizer) {
    const auto chat = ChatTemplate::recognise(file.text("tokenizer.chat_template").value_or(""), tokenizer);
    if (!chat)
        return chat.error();
    const auto prompt = (*chat)->render({{"user", kText}}, {});
    if (!prompt)
        return prompt.error();
    return tokenizer.encode(*prompt, true).empty() ? std::optional(Error{ErrorCode::internal, "No tokens."})
                                                   : std::nullopt;
}

} // namespace

Survey surveyed(const std::string& path) {
    Survey out;
    const Result<std::unique_ptr<GgufFile>> file = GgufFile::open(path);
    if (!file) {
        out.opening = file.error();
        return out;
    }
    if (const Result<ModelPlan> plan = buildPlan(**file); !plan)
        out.plan = plan.error();
    const Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::fromGguf(**file);
    if (!tokenizer) {
        out.tokenizer = tokenizer.error();
    } else {
        out.tokens = used(**tokenizer);
        out.chat = chatRefusal(**file, **tokenizer);
    }
    return out;
}

} // namespace decodescope::engine::test
