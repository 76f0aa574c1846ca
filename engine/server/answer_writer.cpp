#include "engine/server/answer_writer.h"

#include "engine/server/answer_json.h"
#include "engine/server/http_message.h"
#include "engine/tokenizer/tokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace decodescope::engine {

namespace {

using Json = nlohmann::ordered_json;

const char* finishName(FinishReason reason) noexcept {
    return reason == FinishReason::length ? "length" : "stop";
}

std::size_t codePoints(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

struct AnswerWriter::Inside {
    Inside(const CompletionRequest& asked, AnswerIdentity who, const Tokenizer& vocabulary, const EngineCard& facts)
        : identity(std::move(who))
        , tokenizer(vocabulary)
        , card(facts)
        , model(asked.model)
        , chat(asked.api == CompletionApi::chat)
        , includeUsage(asked.includeUsage)
        , continuousUsage(asked.continuousUsage)
        , logprobs(asked.generation.sampling.logprobs.has_value())
        , candidates(asked.generation.sampling.logprobs.value_or(0) > 0) {}

    [[nodiscard]] Json frame(const char* chatObject) const;
    [[nodiscard]] Json chunk(Json choice) const;
    [[nodiscard]] Json choice(const std::string& text, Json probabilities, Json finish) const;
    [[nodiscard]] Json probabilitiesOf(const std::vector<SampledToken>& tokens);
    void takePrompt(const PromptFacts* facts);

    AnswerIdentity identity;
    const Tokenizer& tokenizer;
    const EngineCard& card;
    std::string model;
    bool chat, includeUsage, continuousUsage, logprobs, candidates;

    PromptFacts prompt;
    bool cardDue = false; // engine and prompt go out with the next event
    std::uint64_t completionTokens = 0;
    std::size_t textOffset = 0; // completions with logprobs: code points before the next token

    // For whole().
    std::string text;
    std::vector<SampledToken> tokens;
    std::int64_t firstSampledNs = 0, lastSampledNs = 0;
    FinishReason finish = FinishReason::stop;
    Json keptLogprobs;
};

AnswerWriter::AnswerWriter(const CompletionRequest& request, AnswerIdentity identity, const Tokenizer& tokenizer,
                           const EngineCard& card)
    : m_inside(std::make_unique<Inside>(request, std::move(identity), tokenizer, card)) {}

AnswerWriter::~AnswerWriter() = default;

std::uint64_t AnswerWriter::completionTokens() const noexcept {
    return m_inside->completionTokens;
}

Json AnswerWriter::Inside::frame(const char* chatObject) const {
    Json json;
    json["id"] = identity.id;
    json["object"] = chat ? chatObject : "text_completion";
    json["created"] = identity.created;
    json["model"] = model;
    json["system_fingerprint"] = "decodescope-" + card.version;
    return json;
}

Json AnswerWriter::Inside::chunk(Json choice) const {
    Json json = frame("chat.completion.chunk");
    json["choices"] = Json::array();
    json["choices"].push_back(std::move(choice));
    if (continuousUsage)
        json["usage"] = usageJson(prompt, completionTokens);
    else if (includeUsage)
        json["usage"] = nullptr;
    return json;
}

/// `text` of a streamed choice; the role delta and the finish chunk have none and make their own.
Json AnswerWriter::Inside::choice(const std::string& piece, Json probabilities, Json finishReason) const {
    Json json;
    json["index"] = 0;
    if (chat)
        json["delta"]["content"] = piece;
    else
        json["text"] = piece;
    json["logprobs"] = std::move(probabilities);
    json["finish_reason"] = std::move(finishReason);
    return json;
}

Json AnswerWriter::Inside::probabilitiesOf(const std::vector<SampledToken>& sampled) {
    if (!logprobs || sampled.empty())
        return nullptr;
    Json json;
    if (chat) {
        json["content"] = Json::array();
        for (const SampledToken& token : sampled)
            json["content"].push_back(chatLogprobJson(tokenizer, token));
        return json;
    }
    for (const char* key : {"tokens", "token_logprobs", "top_logprobs", "text_offset"})
        json[key] = Json::array();
    for (const SampledToken& token : sampled) {
        const std::string shown = tokenText(tokenizer, token.id);
        json["tokens"].push_back(shown);
        json["token_logprobs"].push_back(token.chosen ? Json(printableLogprob(token.chosen->logprob)) : Json(nullptr));
        Json best = Json::object();
        for (const TokenLogprob& candidate : token.candidates)
            best[tokenText(tokenizer, candidate.id)] = printableLogprob(candidate.logprob);
        json["top_logprobs"].push_back(candidates ? std::move(best) : Json(nullptr));
        json["text_offset"].push_back(textOffset);
        textOffset += codePoints(tokenizer.bytesOf(token.id));
    }
    return json;
}

void AnswerWriter::Inside::takePrompt(const PromptFacts* facts) {
    if (facts == nullptr)
        return;
    prompt = *facts;
    cardDue = true;
}

std::vector<std::string> AnswerWriter::stream(const GenerationEvent& event, const PromptFacts* prompt) {
    Inside& in = *m_inside;
    std::vector<std::string> out;
    in.takePrompt(prompt);
    const bool failed = event.finish == FinishReason::error || event.finish == FinishReason::cancelled;
    if (in.cardDue && in.chat && !failed) {
        Json role;
        role["index"] = 0;
        role["delta"]["role"] = "assistant";
        role["delta"]["content"] = "";
        role["logprobs"] = nullptr;
        role["finish_reason"] = nullptr;
        Json opening = in.chunk(std::move(role));
        opening["decodescope"]["engine"] = engineJson(in.card);
        opening["decodescope"]["prompt"] = promptJson(in.prompt, in.identity.receivedNs);
        out.push_back(sseEvent(opening));
        in.cardDue = false;
    }
    if (!event.tokens.empty() || !event.text.empty()) {
        in.completionTokens += event.tokens.size();
        Json json = in.chunk(in.choice(event.text, in.probabilitiesOf(event.tokens), nullptr));
        json["decodescope"] = eventJson(event);
        if (in.cardDue) {
            json["decodescope"]["engine"] = engineJson(in.card);
            json["decodescope"]["prompt"] = promptJson(in.prompt, in.identity.receivedNs);
            in.cardDue = false;
        }
        out.push_back(sseEvent(json));
    }
    if (failed) {
        out.push_back(
            streamError(500, "server_error", event.message.empty() ? "The request was cancelled." : event.message));
    } else if (event.finish) {
        Json closing = in.choice("", nullptr, finishName(*event.finish));
        if (in.chat)
            closing["delta"] = Json::object();
        out.push_back(sseEvent(in.chunk(std::move(closing))));
        if (in.includeUsage) {
            Json json = in.frame("chat.completion.chunk");
            json["choices"] = Json::array();
            json["usage"] = usageJson(in.prompt, in.completionTokens);
            out.push_back(sseEvent(json));
        }
        out.emplace_back("data: [DONE]\n\n");
    }
    return out;
}

void AnswerWriter::keep(const GenerationEvent& event, const PromptFacts* prompt) {
    Inside& in = *m_inside;
    in.takePrompt(prompt);
    in.text += event.text;
    in.completionTokens += event.tokens.size();
    in.tokens.insert(in.tokens.end(), event.tokens.begin(), event.tokens.end());
    if (!event.tokens.empty()) {
        if (in.firstSampledNs == 0)
            in.firstSampledNs = event.sampledAtNs;
        in.lastSampledNs = event.sampledAtNs;
    }
    if (event.finish) {
        in.finish = *event.finish;
        in.keptLogprobs = in.probabilitiesOf(in.tokens);
    }
}

std::string AnswerWriter::whole() const {
    const Inside& in = *m_inside;
    Json choice;
    choice["index"] = 0;
    if (in.chat) {
        choice["message"]["role"] = "assistant";
        choice["message"]["content"] = in.text;
    } else {
        choice["text"] = in.text;
    }
    choice["logprobs"] = in.keptLogprobs;
    choice["finish_reason"] = finishName(in.finish);
    Json json = in.frame("chat.completion");
    json["choices"] = Json::array();
    json["choices"].push_back(std::move(choice));
    json["usage"] = usageJson(in.prompt, in.completionTokens);
    Json& own = json["decodescope"];
    own["tokens"] = Json::array();
    for (const SampledToken& token : in.tokens)
        own["tokens"].push_back(token.id);
    own["first_sampled_at_ns"] = in.firstSampledNs;
    own["last_sampled_at_ns"] = in.lastSampledNs;
    own["engine"] = engineJson(in.card);
    own["prompt"] = promptJson(in.prompt, in.identity.receivedNs);
    return dumped(json);
}

std::string streamError(int status, std::string_view type, std::string_view message) {
    return "data: " + errorJson(status, type, message) + "\n\n";
}

} // namespace decodescope::engine
