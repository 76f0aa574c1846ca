#include "core/wire/gemini.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <string_view>

namespace decodescope {
namespace {

/// What stands for "no reason" where a server writes out its defaults.
constexpr std::string_view kNoFinish = "FINISH_REASON_UNSPECIFIED";
constexpr std::string_view kNoBlock = "BLOCK_REASON_UNSPECIFIED";

void replaceIfTold(std::optional<std::uint64_t>& value, std::optional<std::uint64_t> told) {
    if (told)
        value = told;
}

/// A prompt that a filter refused: there are no candidates then, and nothing else says so.
std::optional<ServerError> blockIn(JsonView feedback) {
    const std::string_view reason = feedback["blockReason"].text();
    if (reason.empty() || reason == kNoBlock)
        return std::nullopt;
    ServerError error;
    error.kind = ErrorKind::blocked;
    error.message = wtf8ToUtf8(reason);
    if (const std::string_view words = feedback["blockReasonMessage"].text(); !words.empty()) {
        error.code = error.message;
        error.message = wtf8ToUtf8(words);
    }
    return error;
}

/// Some front ends wrap each message.
JsonView unwrapped(JsonView message) {
    const JsonView inner = message["response"];
    return inner.isObject() && !message["candidates"] ? inner : message;
}

} // namespace

void Gemini::readMessage(JsonView wrapped, MessageContent& out) {
    if (wrapped.isArray() && wrapped.size() == 1) // how some front ends send an error
        wrapped = *wrapped.begin();
    const JsonView message = unwrapped(wrapped);
    out.error = errorIn(wrapped);
    if (!out.error)
        out.error = blockIn(message["promptFeedback"]);
    out.identity.model = wtf8ToUtf8(message["modelVersion"].text());
    std::size_t place = 0;
    for (const JsonView candidate : message["candidates"]) {
        const auto index = choiceIndex(candidate, place++);
        if (index && candidate.isObject())
            readCandidate(candidate, *index, out);
    }
    readUsage(message["usageMetadata"], out);
}

void Gemini::readCandidate(JsonView candidate, std::uint16_t index, MessageContent& out) {
    out.choices.push_back(index);
    for (const JsonView part : candidate["content"]["parts"])
        readPart(part, index, out);
    const std::string_view reason = candidate["finishReason"].text();
    if (!reason.empty() && reason != kNoFinish)
        out.finishes.push_back({index, wtf8ToUtf8(reason)});
}

void Gemini::readPart(JsonView part, std::uint16_t candidate, MessageContent& out) {
    out.add(part["thought"].truthy() ? Channel::reasoning : Channel::answer, candidate, part["text"].text());
    if (part["functionCall"].isObject())
        readFunctionCall(part["functionCall"], candidate, out);
    // Code that the model wrote for the server to run is a call whose name the protocol leaves out.
    if (const JsonView code = part["executableCode"]; !code["code"].text().empty()) {
        if (const auto call = m_calls.open(wtf8ToUtf8(code["id"].text()), candidate, out))
            m_calls.addArguments(*call, code["code"], out);
    }
}

void Gemini::readFunctionCall(JsonView call, std::uint16_t candidate, MessageContent& out) {
    const std::string_view name = call["name"].text();
    std::optional<std::uint16_t> number = m_unfinishedCall;
    if (!number || !name.empty() || m_calls.choice(*number) != candidate)
        number = m_calls.open(wtf8ToUtf8(call["id"].text()), candidate, out);
    m_unfinishedCall = call["willContinue"].truthy() ? number : std::nullopt;
    if (!number)
        return;
    m_calls.addName(*number, name, out);
    m_calls.addArguments(*number, call["args"], out);
    for (const JsonView piece : call["partialArgs"])
        m_calls.addArguments(*number, piece, out);
}

void Gemini::readUsage(JsonView usage, MessageContent& out) {
    if (!usage.isObject())
        return;
    // Counts that are zero are left out, and thoughts are counted beside the candidates.
    replaceIfTold(m_candidateTokens, usage["candidatesTokenCount"].count());
    replaceIfTold(m_thoughtTokens, usage["thoughtsTokenCount"].count());
    UsageReport told;
    told.prompt = usage["promptTokenCount"].count();
    told.cached = usage["cachedContentTokenCount"].count();
    told.reasoning = m_thoughtTokens;
    if (m_candidateTokens || m_thoughtTokens)
        told.completion = m_candidateTokens.value_or(0) + m_thoughtTokens.value_or(0);
    if (told.prompt || told.completion || told.cached)
        out.usage = told;
}

// A streamed piece and a whole answer have the same shape.
bool Gemini::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return !out.choices.empty() || out.error.has_value();
}

} // namespace decodescope
