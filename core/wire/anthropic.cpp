#include "core/wire/anthropic.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <limits>

namespace decodescope {
namespace {

constexpr std::size_t kMaxBlocks = 4096;
constexpr std::uint64_t kMostTokens = 1ULL << 53; // of one count

void replaceIfTold(std::optional<std::uint64_t>& value, std::optional<std::uint64_t> told) {
    if (told)
        value = told;
}

bool isToolUse(std::string_view type) {
    return type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use";
}

void addFinish(JsonView reason, MessageContent& out) {
    if (!reason.text().empty())
        out.finishes.push_back({0, wtf8ToUtf8(reason.text())});
}

/// Arguments that an opening event holds already: usually it says `{}` and they follow in pieces.
bool tellsArguments(JsonView input) {
    return input.isObject() ? input.source().find('"') != std::string_view::npos : !input.text().empty();
}

} // namespace

TextForm Anthropic::textForm() const {
    return m_textCompletion ? TextForm::perhapsCumulative : TextForm::deltas;
}

void Anthropic::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    readTimings(message["timings"], out); // llama.cpp's
    const std::string_view type = message["type"].text();
    const std::uint64_t index = message["index"].count().value_or(0);
    if (type == "content_block_delta") {
        readDelta(index, message["delta"], out);
    } else if (type == "message_start") {
        out.identity.model = wtf8ToUtf8(message["message"]["model"].text());
        readUsage(message["message"]["usage"], OutputCount::preliminary, out);
    } else if (type == "content_block_start") {
        openBlock(index, message["content_block"], out);
    } else if (type == "content_block_stop") {
        closeBlock(index, out);
    } else if (type == "message_delta") {
        readUsage(message["usage"], OutputCount::total, out);
        addFinish(message["delta"]["stop_reason"], out);
    } else if (type == "message_stop") {
        readInvocation(message["amazon-bedrock-invocationMetrics"], out);
        out.ended = true;
    } else if (type == "ping") {
        out.keepalive = "ping";
    } else if (type == "completion" || (type.empty() && message["completion"].isString())) {
        readCompletion(message, out);
    }
}

Anthropic::Block* Anthropic::block(std::uint64_t index) {
    const auto known = m_blocks.find(index);
    if (known != m_blocks.end())
        return &known->second;
    return m_blocks.size() < kMaxBlocks ? &m_blocks[index] : nullptr;
}

void Anthropic::openBlock(std::uint64_t index, JsonView content, MessageContent& out) {
    Block* opened = block(index);
    if (!opened)
        return;
    *opened = {};
    const std::string_view type = content["type"].text();
    if (isToolUse(type)) {
        opened->channel = Channel::tool;
        opened->call = m_calls.open(wtf8ToUtf8(content["id"].text()), 0, out);
        if (!opened->call)
            return;
        m_calls.addName(*opened->call, content["name"].text(), out);
        opened->whole = tellsArguments(content["input"]);
        if (opened->whole)
            m_calls.addArguments(*opened->call, content["input"], out);
    } else if (type == "thinking") {
        opened->channel = Channel::reasoning;
        opened->silent = content["thinking"].text().empty();
        out.add(Channel::reasoning, 0, content["thinking"].text());
    } else if (type == "redacted_thinking") {
        out.warnings.emplace_back("hidden_tokens");
    } else if (type == "text") {
        out.add(Channel::answer, 0, content["text"].text());
    }
}

void Anthropic::readDelta(std::uint64_t index, JsonView delta, MessageContent& out) {
    Block* into = block(index);
    if (!into)
        return;
    const std::string_view type = delta["type"].text();
    if (type == "text_delta") {
        out.add(Channel::answer, 0, delta["text"].text());
    } else if (type == "thinking_delta") {
        into->silent = into->silent && delta["thinking"].text().empty();
        out.add(Channel::reasoning, 0, delta["thinking"].text());
    } else if (type == "input_json_delta" && !into->whole) {
        if (!into->call)
            into->call = m_calls.open({}, 0, out);
        if (into->call)
            m_calls.addArguments(*into->call, delta["partial_json"], out);
    }
    // Signatures and citations are nothing that the model said.
}

// Thinking that was signed and not shown: it was generated, and is billed.
void Anthropic::closeBlock(std::uint64_t index, MessageContent& out) {
    const auto closed = m_blocks.find(index);
    if (closed == m_blocks.end())
        return;
    if (closed->second.silent)
        out.warnings.emplace_back("hidden_tokens");
    closed->second.silent = false;
}

void Anthropic::readUsage(JsonView usage, OutputCount output, MessageContent& out) {
    if (!usage.isObject())
        return;
    replaceIfTold(m_input, usage["input_tokens"].count());
    replaceIfTold(m_cacheReads, usage["cache_read_input_tokens"].count());
    replaceIfTold(m_cacheWrites, usage["cache_creation_input_tokens"].count());
    UsageReport told;
    // Every count is below 2^53, so that their sum cannot wrap.
    static_assert(kMostTokens < std::numeric_limits<std::uint64_t>::max() / 3);
    if (m_input)
        told.prompt = *m_input + m_cacheReads.value_or(0) + m_cacheWrites.value_or(0);
    told.cached = m_cacheReads;
    if (output == OutputCount::total) {
        told.completion = usage["output_tokens"].count();
        told.reasoning = usage["output_tokens_details"]["thinking_tokens"].count();
        m_outputTold = m_outputTold || told.completion.has_value();
    }
    if (told.prompt || told.cached || told.completion)
        out.usage = told;
}

/// Bedrock's own counts, for want of others.
void Anthropic::readInvocation(JsonView metrics, MessageContent& out) const {
    if (!metrics.isObject() || m_outputTold)
        return;
    UsageReport& told = out.usage.emplace();
    told.completion = metrics["outputTokenCount"].count();
    if (!m_input)
        told.prompt = metrics["inputTokenCount"].count();
}

void Anthropic::readCompletion(JsonView message, MessageContent& out) {
    m_textCompletion = true;
    out.identity.model = wtf8ToUtf8(message["model"].text());
    out.add(Channel::answer, 0, message["completion"].text());
    addFinish(message["stop_reason"], out);
}

bool Anthropic::readWholeAnswer(JsonView answer, MessageContent& out) {
    out.error = errorIn(answer);
    if (answer["completion"].isString()) {
        readCompletion(answer, out);
        return true;
    }
    out.identity.model = wtf8ToUtf8(answer["model"].text());
    readTimings(answer["timings"], out);
    readUsage(answer["usage"], OutputCount::total, out);
    std::uint64_t index = 0;
    for (const JsonView content : answer["content"]) {
        openBlock(index, content, out);
        closeBlock(index++, out);
    }
    addFinish(answer["stop_reason"], out);
    return answer["content"].isArray();
}

} // namespace decodescope
