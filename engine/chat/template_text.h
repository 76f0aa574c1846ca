#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What can be read off a Jinja template without running it: the texts it writes and how it joins them.
namespace decodescope::engine {

/// One operand of a concatenation.
struct TemplateTerm {
    enum class Kind : std::uint8_t {
        literal,
        bos,
        eos,
        content, ///< a message's text
        system,  ///< the system message's text
        other
    };
    Kind kind = Kind::other;
    std::string text;     ///< of a literal, escapes resolved; else the operand as it stands
    bool trimmed = false; ///< of a content: blanks at both ends removed
};

/// A `{{ ... }}`, or what a `{% set ... %}` assigns: its operands in order.
using TemplateTerms = std::vector<TemplateTerm>;

/// A string literal anywhere in the template, or text outside of all tags.
struct TemplateLiteral {
    std::string text;
    bool raised = false;   ///< the message of a raise_exception
    bool forTools = false; ///< within an if, elif or for whose condition speaks of tools
};

/// A `{% set name = ... %}`.
struct TemplateAssignment {
    std::string name;
    TemplateTerms value;
};

struct TemplateText {
    std::string_view source;
    std::vector<TemplateTerms> outputs;
    std::vector<TemplateAssignment> assignments;
    std::vector<TemplateLiteral> literals; ///< texts outside of tags too, those of blanks left out

    [[nodiscard]] bool mentions(std::string_view text) const { return source.find(text) != std::string_view::npos; }
    enum class Trimming : std::uint8_t { never, sometimes, always };
    /// Whether messages' texts are written without the blanks at their ends.
    [[nodiscard]] Trimming trimming() const;
    [[nodiscard]] bool writes(TemplateTerm::Kind kind) const;
    /// What the first assignment to a name assigns; null when there is none.
    [[nodiscard]] const TemplateTerms* assigned(std::string_view name) const;
};

/// Linear in the text; never fails: of what it does not understand it yields other terms.
[[nodiscard]] TemplateText readTemplate(std::string_view source);

/// Python's str.strip(): blanks of Unicode at both ends.
[[nodiscard]] std::string_view stripped(std::string_view text);

/// Only one character, as str.strip("\n") does.
[[nodiscard]] std::string_view strippedLeft(std::string_view text, char character);
[[nodiscard]] std::string_view strippedRight(std::string_view text, char character);

} // namespace decodescope::engine
