#include "core/wire/tool_calls.h"

#include <utility>

namespace decodescope {
namespace {

constexpr std::size_t kMaxToolCalls = 1024;

} // namespace

std::optional<std::uint16_t> ToolCalls::open(std::string id, std::uint16_t choice, MessageContent& out) {
    if (m_calls.size() >= kMaxToolCalls)
        return std::nullopt;
    const auto number = static_cast<std::uint16_t>(m_calls.size());
    Call& call = m_calls.emplace_back();
    call.choice = choice;
    call.id = std::move(id);
    ToolCallOpened& opened = out.opened.emplace_back();
    opened.toolCall = number;
    opened.choice = choice;
    if (!call.id.empty())
        opened.id = call.id;
    return number;
}

void ToolCalls::addId(std::uint16_t number, std::string id, MessageContent& out) {
    Call& call = m_calls[number];
    if (id.empty() || !call.id.empty())
        return;
    call.id = std::move(id);
    ToolCallOpened& known = out.opened.emplace_back();
    known.toolCall = number;
    known.choice = call.choice;
    known.id = call.id;
}

void ToolCalls::addName(std::uint16_t number, std::string_view name, MessageContent& out) {
    Call& call = m_calls[number];
    // Some servers repeat the whole name with every piece of the arguments.
    if (name == call.name)
        return;
    add(number, name, true, out);
    call.name += name;
}

void ToolCalls::addArguments(std::uint16_t call, JsonView arguments, MessageContent& out) {
    if (arguments.isString())
        add(call, arguments.text(), false, out);
    else if (arguments.isObject() || arguments.isArray())
        add(call, arguments.source(), false, out);
}

void ToolCalls::add(std::uint16_t call, std::string_view text, bool isName, MessageContent& out) const {
    if (text.empty())
        return;
    RawFragment& fragment = out.fragments.emplace_back();
    fragment.channel = Channel::tool;
    fragment.choice = m_calls[call].choice;
    fragment.text = text;
    fragment.toolCall = call;
    fragment.isToolName = isName;
}

} // namespace decodescope
