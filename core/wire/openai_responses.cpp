#include "core/wire/openai_responses.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <algorithm>
#include <array>
#include <limits>

namespace decodescope {
namespace {

constexpr std::size_t kMaxItems = 1024;

struct TextEvent {
    std::string_view type;
    Channel channel;
};

constexpr std::array kTextEvents{
    TextEvent{"response.output_text.delta", Channel::answer},
    TextEvent{"response.audio.transcript.delta", Channel::answer},
    TextEvent{"response.output_audio_transcript.delta", Channel::answer},
    TextEvent{"response.refusal.delta", Channel::refusal},
    TextEvent{"response.reasoning_text.delta", Channel::reasoning},
    TextEvent{"response.reasoning.delta", Channel::reasoning},
    TextEvent{"response.reasoning_summary_text.delta", Channel::reasoning},
    TextEvent{"response.reasoning_summary.delta", Channel::reasoning},
};

/// Events whose delta is what the model writes for a tool.
constexpr std::array<std::string_view, 4> kArgumentEvents{
    "response.function_call_arguments.delta", "response.custom_tool_call_input.delta",
    "response.mcp_call_arguments.delta", "response.code_interpreter_call_code.delta"};

constexpr std::array<std::string_view, 4> kCallItems{"function_call", "custom_tool_call", "mcp_call",
                                                     "code_interpreter_call"};

template <class List> bool holds(const List& list, std::string_view value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool startsWith(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

/// What the model wrote for the tool, under the name that the kind of call has for it.
JsonView argumentsOf(JsonView item) {
    for (const std::string_view key : {"arguments", "input", "code"}) {
        if (item[key])
            return item[key];
    }
    return {};
}

std::string idOf(JsonView item) {
    const std::string_view call = item["call_id"].text();
    return wtf8ToUtf8(call.empty() ? item["id"].text() : call);
}

} // namespace

void OpenAiResponses::readMessage(JsonView message, MessageContent& out) {
    checkSequence(message["sequence_number"], out);
    out.error = errorIn(message);
    readTimings(message["timings"], out);
    const std::string_view type = message["type"].text();
    const JsonView response = message["response"];
    out.identity.model = wtf8ToUtf8(response["model"].text());
    if (type == "response.output_item.added")
        openItem(message["item"], message["output_index"], out);
    else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed" ||
             type == "response.cancelled")
        readEnd(type, response, out);
    else
        readDelta(type, message, out);
    m_anyText = m_anyText || !out.fragments.empty();
}

// A number that stands still or falls back is a server that does not count; only a leap is a loss.
void OpenAiResponses::checkSequence(JsonView number, MessageContent& out) {
    const auto told = number.count();
    if (!told)
        return;
    const std::uint64_t expected = m_sequence ? *m_sequence + 1 : 1; // some begin with 0, some with 1
    if (*told > expected)
        out.warnings.emplace_back("sequence_gap");
    m_sequence = told;
}

void OpenAiResponses::readDelta(std::string_view type, JsonView message, MessageContent& out) {
    const auto text = std::find_if(kTextEvents.begin(), kTextEvents.end(),
                                   [&](const TextEvent& event) { return event.type == type; });
    if (text != kTextEvents.end()) {
        addText(message["delta"], text->channel, 0, out);
        if (const std::size_t entries = message["logprobs"].size(); entries > 0)
            out.hints.logprobs =
                static_cast<std::uint32_t>(std::min<std::size_t>(entries, std::numeric_limits<std::uint32_t>::max()));
        if (text->channel == Channel::reasoning && !out.fragments.empty())
            (startsWith(type, "response.reasoning_summary") ? m_summary : m_fullThought) = true;
        return;
    }
    if (!holds(kArgumentEvents, type))
        return;
    if (const auto call = callOf(message, out))
        m_calls.addArguments(*call, message["delta"], out);
}

void OpenAiResponses::openItem(JsonView item, JsonView place, MessageContent& out) {
    if (!holds(kCallItems, item["type"].text()) || m_items.size() >= kMaxItems)
        return;
    Item& opened = m_items.emplace_back();
    opened.id = wtf8ToUtf8(item["id"].text());
    opened.place = place.count();
    opened.call = m_calls.open(idOf(item), 0, out);
    if (!opened.call)
        return;
    m_calls.addName(*opened.call, item["name"].text(), out);
    m_calls.addArguments(*opened.call, argumentsOf(item), out);
}

std::optional<std::uint16_t> OpenAiResponses::callOf(JsonView message, MessageContent& out) {
    const std::string id = wtf8ToUtf8(message["item_id"].text());
    const auto place = message["output_index"].count();
    // The name of the item first: some servers put every item at place 0.
    const auto sameId =
        std::find_if(m_items.rbegin(), m_items.rend(), [&](const Item& item) { return !id.empty() && item.id == id; });
    if (sameId != m_items.rend())
        return sameId->call;
    const auto samePlace =
        std::find_if(m_items.rbegin(), m_items.rend(), [&](const Item& item) { return place && item.place == place; });
    if (samePlace != m_items.rend())
        return samePlace->call;
    if (id.empty() && !place && !m_items.empty())
        return m_items.back().call;
    if (m_items.size() >= kMaxItems)
        return std::nullopt;
    const auto call = m_calls.open({}, 0, out);
    m_items.push_back({id, place, call});
    return call;
}

void OpenAiResponses::readEnd(std::string_view type, JsonView response, MessageContent& out) {
    out.ended = true;
    readUsage(response["usage"], out);
    readTimings(response["timings"], out);
    const std::string_view status = response["status"].text();
    const bool failed = type == "response.failed" || type == "response.cancelled" || status == "failed";
    if (!out.error)
        out.error = errorIn(response);
    if (failed && !out.error) {
        out.error.emplace();
        out.error->code = std::string(status);
    }
    // A server that streams nothing but its end has put everything there.
    if (!m_anyText)
        readOutput(response["output"], out);
    if (!failed && !out.error)
        readFinish(response, type.substr(type.find('.') + 1), out);
    if (m_summary && !m_fullThought && out.usage && out.usage->reasoning.value_or(0) > 0)
        out.warnings.emplace_back("hidden_tokens");
}

void OpenAiResponses::readFinish(JsonView response, std::string_view otherwise, MessageContent& out) const {
    std::string_view reason = response["incomplete_details"]["reason"].text();
    if (reason.empty())
        reason = response["status"].text();
    if (reason.empty() || reason == "in_progress" || reason == "queued")
        reason = otherwise;
    if (!reason.empty())
        out.finishes.push_back({0, wtf8ToUtf8(reason)});
}

void OpenAiResponses::readOutput(JsonView output, MessageContent& out) {
    for (const JsonView item : output)
        readItem(item, out);
}

void OpenAiResponses::readItem(JsonView item, MessageContent& out) {
    const std::string_view type = item["type"].text();
    if (type == "message") {
        addText(item["content"], Channel::answer, 0, out);
    } else if (type == "reasoning") {
        const std::size_t before = out.fragments.size();
        addText(item["content"], Channel::reasoning, 0, out);
        if (out.fragments.size() == before)
            addText(item["summary"], Channel::reasoning, 0, out);
    } else if (holds(kCallItems, type)) {
        if (const auto call = m_calls.open(idOf(item), 0, out)) {
            m_calls.addName(*call, item["name"].text(), out);
            m_calls.addArguments(*call, argumentsOf(item), out);
        }
    }
}

bool OpenAiResponses::readWholeAnswer(JsonView answer, MessageContent& out) {
    out.error = errorIn(answer);
    out.identity.model = wtf8ToUtf8(answer["model"].text());
    readUsage(answer["usage"], out);
    readTimings(answer["timings"], out);
    readOutput(answer["output"], out);
    if (!out.error)
        readFinish(answer, {}, out);
    return answer["output"].isArray();
}

} // namespace decodescope
