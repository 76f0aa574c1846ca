#include "core/wire/cohere.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <algorithm>
#include <limits>

namespace decodescope {
namespace {

constexpr std::size_t kMaxBlocks = 4096;

/// What is billed is another matter: it leaves out the template around the prompt.
void readTokens(JsonView usage, MessageContent& out) {
    UsageReport told;
    told.prompt = usage["tokens"]["input_tokens"].count();
    told.completion = usage["tokens"]["output_tokens"].count();
    told.cached = usage["cached_tokens"].count();
    if (told.prompt || told.completion || told.cached)
        out.usage = told;
}

bool isFailure(std::string_view reason) {
    return reason.substr(0, 5) == "ERROR" || reason == "TIMEOUT";
}

/// The end of an answer: `end` is its last event's delta, or the whole answer.
void readEnd(JsonView end, MessageContent& out) {
    readTokens(end["usage"], out);
    const std::string_view reason = end["finish_reason"].text();
    if (reason.empty())
        return;
    out.finishes.push_back({0, wtf8ToUtf8(reason)});
    if (!isFailure(reason))
        return;
    if (!out.error)
        out.error = errorIn(end);
    if (!out.error)
        out.error.emplace();
    if (out.error->code.empty())
        out.error->code = wtf8ToUtf8(reason);
}

std::optional<std::uint32_t> logprobsOf(JsonView logprobs) {
    const std::size_t entries = std::max(logprobs["token_ids"].size(), logprobs["logprobs"].size());
    if (entries == 0)
        return std::nullopt;
    return static_cast<std::uint32_t>(std::min<std::size_t>(entries, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

void Cohere::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    const std::string_view type = message["type"].text();
    const JsonView delta = message["delta"];
    const JsonView told = delta["message"];
    const std::uint64_t index = message["index"].count().value_or(0);
    if (type == "content-delta") {
        const auto known = m_contentAt.find(index);
        readContent(told["content"], known == m_contentAt.end() ? Channel::answer : known->second, out);
        out.hints.logprobs = logprobsOf(message["logprobs"]);
    } else if (type == "content-start") {
        const Channel channel = told["content"]["type"].text() == "thinking" ? Channel::reasoning : Channel::answer;
        if (m_contentAt.size() < kMaxBlocks)
            m_contentAt.insert_or_assign(index, channel);
        readContent(told["content"], channel, out);
    } else if (type == "tool-plan-delta") {
        out.add(Channel::reasoning, 0, told["tool_plan"].text());
    } else if (type == "tool-call-start") {
        openCall(index, told["tool_calls"], out);
    } else if (type == "tool-call-delta") {
        readArguments(index, told["tool_calls"], out);
    } else if (type == "message-end") {
        readEnd(delta, out);
        out.ended = true;
    } else if (type.empty() && !out.error && message["message"].isString()) {
        out.error = errorFrom(message);
    }
}

void Cohere::readContent(JsonView content, Channel otherwise, MessageContent& out) {
    out.add(Channel::reasoning, 0, content["thinking"].text());
    out.add(otherwise, 0, content["text"].text());
}

void Cohere::openCall(std::uint64_t index, JsonView call, MessageContent& out) {
    const auto number = m_calls.open(wtf8ToUtf8(call["id"].text()), 0, out);
    if (!number)
        return;
    m_callAt.insert_or_assign(index, *number);
    m_calls.addName(*number, call["function"]["name"].text(), out);
    m_calls.addArguments(*number, call["function"]["arguments"], out);
}

void Cohere::readArguments(std::uint64_t index, JsonView call, MessageContent& out) {
    if (const auto known = m_callAt.find(index); known != m_callAt.end())
        m_calls.addArguments(known->second, call["function"]["arguments"], out);
    else
        openCall(index, call, out);
}

bool Cohere::readWholeAnswer(JsonView answer, MessageContent& out) {
    out.error = errorIn(answer);
    const JsonView message = answer["message"];
    if (!message.isObject())
        return false;
    out.add(Channel::reasoning, 0, message["tool_plan"].text());
    addText(message["content"], Channel::answer, 0, out);
    std::uint64_t index = 0;
    for (const JsonView call : message["tool_calls"])
        openCall(index++, call, out);
    readEnd(answer, out);
    return true;
}

} // namespace decodescope
