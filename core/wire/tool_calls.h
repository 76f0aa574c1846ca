#pragma once

#include "core/wire/dialect.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// The tool calls of one response, numbered in the order in which they were opened: what every dialect with tools needs
/// to hand on their names and arguments.
class ToolCalls {
public:
    /// Opens a call. An empty id is one that was not told. Nothing when there are more calls than any model makes.
    [[nodiscard]] std::optional<std::uint16_t> open(std::string id, std::uint16_t choice, MessageContent& out);

    /// An id that came later than the call was opened. A call that has one keeps it: some servers invent one a piece.
    void addId(std::uint16_t call, std::string id, MessageContent& out);
    /// A name, or a further piece of one; the whole name once more is no piece.
    void addName(std::uint16_t call, std::string_view name, MessageContent& out);
    /// A piece of the arguments as text, or all of them as an object or a list.
    void addArguments(std::uint16_t call, JsonView arguments, MessageContent& out);

    [[nodiscard]] std::size_t size() const noexcept { return m_calls.size(); }
    [[nodiscard]] const std::string& id(std::size_t call) const { return m_calls[call].id; }
    [[nodiscard]] const std::string& name(std::size_t call) const { return m_calls[call].name; }
    [[nodiscard]] std::uint16_t choice(std::size_t call) const { return m_calls[call].choice; }

private:
    struct Call {
        std::uint16_t choice = 0;
        std::string id;
        std::string name;
    };
    void add(std::uint16_t call, std::string_view text, bool isName, MessageContent& out) const;

    std::vector<Call> m_calls;
};

} // namespace decodescope
