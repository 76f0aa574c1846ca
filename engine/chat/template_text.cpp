#include "engine/chat/template_text.h"

#include "engine/tokenizer/utf8.h"

#include <algorithm>

namespace decodescope::engine {

namespace {

bool isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view withoutBlanks(std::string_view text) {
    while (!text.empty() && isBlank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isBlank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// The end of the literal that starts with a quote at `at`: past its closing quote, or the end of the text.
std::size_t literalEnd(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at) {
        if (text[at] == '\\') {
            ++at;
        }
    }
    return std::min(at + 1, text.size());
}

/// The text of a literal with its quotes.
std::string literalText(std::string_view quoted) {
    std::string text;
    for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
        if (quoted[at] != '\\' || at + 2 >= quoted.size()) {
            text.push_back(quoted[at]);
            continue;
        }
        const char escaped = quoted[++at];
        text.push_back(escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped);
    }
    return text;
}

bool isQuote(char c) {
    return c == '\'' || c == '"';
}

TemplateTerm readTerm(std::string_view source) {
    source = withoutBlanks(source);
    TemplateTerm term;
    if (!source.empty() && isQuote(source.front()) && literalEnd(source, 0) == source.size()) {
        term.kind = TemplateTerm::Kind::literal;
        term.text = literalText(source);
        return term;
    }
    const auto mentions = [&](std::string_view word) { return source.find(word) != std::string_view::npos; };
    term.trimmed = mentions("|trim") || mentions("| trim") || mentions(".strip()");
    if (source == "bos_token") {
        term.kind = TemplateTerm::Kind::bos;
    } else if (source == "eos_token") {
        term.kind = TemplateTerm::Kind::eos;
    } else if (mentions("system") || source.starts_with("messages[0]")) {
        term.kind = TemplateTerm::Kind::system;
    } else if (mentions("content")) {
        term.kind = TemplateTerm::Kind::content;
    }
    term.text = source;
    return term;
}

/// Splits at + and ~ outside of literals and brackets.
TemplateTerms readTerms(std::string_view source) {
    TemplateTerms terms;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < source.size();) {
        const char c = source[at];
        if (isQuote(c)) {
            at = literalEnd(source, at);
            continue;
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (depth == 0 && (c == '+' || c == '~')) {
            terms.push_back(readTerm(source.substr(begin, at - begin)));
            begin = at + 1;
        }
        ++at;
    }
    terms.push_back(readTerm(source.substr(begin)));
    return terms;
}

/// Which of the open `if` and `for` blocks are entered only when there are tools.
class ToolBlocks {
public:
    void read(std::string_view statement) {
        if (statement.starts_with("if ") || statement.starts_with("for ")) {
            m_open.push_back(speaksOfTools(statement));
        } else if (m_open.empty()) {
            return;
        } else if (statement.starts_with("elif ")) {
            m_open.back() = speaksOfTools(statement);
        } else if (statement == "else") {
            m_open.back() = false;
        } else if (statement == "endif" || statement == "endfor") {
            m_open.pop_back();
        }
    }
    [[nodiscard]] bool within() const { return std::ranges::find(m_open, true) != m_open.end(); }

private:
    static bool speaksOfTools(std::string_view statement) {
        return statement.find("tool") != std::string_view::npos && statement.find("if not ") == std::string_view::npos;
    }
    std::vector<bool> m_open;
};

void readLiterals(std::string_view tag, bool forTools, TemplateText& result) {
    for (std::size_t at = 0; at < tag.size();) {
        if (!isQuote(tag[at])) {
            ++at;
            continue;
        }
        const std::size_t end = literalEnd(tag, at);
        const bool raised = withoutBlanks(tag.substr(0, at)).ends_with("raise_exception(");
        result.literals.push_back({literalText(tag.substr(at, end - at)), raised, forTools});
        at = end;
    }
}

void readAssignment(std::string_view statement, TemplateText& result) {
    const std::size_t equals = statement.find('=');
    if (statement.starts_with("set ") && equals != std::string_view::npos) {
        result.assignments.push_back(
            {std::string(withoutBlanks(statement.substr(4, equals - 4))), readTerms(statement.substr(equals + 1))});
    }
}

/// The end of the tag whose inside starts at `at`, that is where `close` begins outside of literals.
std::size_t tagEnd(std::string_view source, std::size_t at, std::string_view close) {
    while (at < source.size() && !source.substr(at).starts_with(close)) {
        at = isQuote(source[at]) ? literalEnd(source, at) : at + 1;
    }
    return std::min(at, source.size());
}

bool isPythonBlank(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

} // namespace

TemplateText readTemplate(std::string_view source) {
    TemplateText result;
    result.source = source;
    ToolBlocks tools;
    for (std::size_t at = 0; at < source.size();) {
        std::size_t open = source.find('{', at);
        while (open != std::string_view::npos && open + 1 < source.size() && source[open + 1] != '{' &&
               source[open + 1] != '%' && source[open + 1] != '#') {
            open = source.find('{', open + 1);
        }
        if (open == std::string_view::npos || open + 1 >= source.size()) {
            open = source.size();
        }
        if (const auto text = withoutBlanks(source.substr(at, open - at)); !text.empty()) {
            result.literals.push_back({std::string(text), false, tools.within()});
        }
        if (open == source.size()) {
            break;
        }
        const char kind = source[open + 1];
        std::size_t end = 0;
        if (kind == '#') {
            end = std::min(source.find("#}", open + 2), source.size());
        } else {
            end = tagEnd(source, open + 2, kind == '{' ? "}}" : "%}");
            std::string_view inside = source.substr(std::min(open + 2, end), end - std::min(open + 2, end));
            inside.remove_prefix(inside.starts_with('-') ? 1 : 0);
            inside.remove_suffix(inside.ends_with('-') ? 1 : 0);
            inside = withoutBlanks(inside);
            readLiterals(inside, tools.within(), result);
            if (kind == '{') {
                result.outputs.push_back(readTerms(inside));
            } else {
                readAssignment(inside, result);
                tools.read(inside);
            }
        }
        at = std::min(end + 2, source.size());
    }
    return result;
}

TemplateText::Trimming TemplateText::trimming() const {
    int trimmed = 0;
    int whole = 0;
    for (const TemplateTerms& output : outputs) {
        for (const TemplateTerm& term : output) {
            trimmed += term.kind == TemplateTerm::Kind::content && term.trimmed ? 1 : 0;
            whole += term.kind == TemplateTerm::Kind::content && !term.trimmed ? 1 : 0;
        }
    }
    return trimmed == 0 ? Trimming::never : whole == 0 ? Trimming::always : Trimming::sometimes;
}

bool TemplateText::writes(TemplateTerm::Kind kind) const {
    return std::ranges::any_of(outputs, [&](const TemplateTerms& output) {
        return std::ranges::find(output, kind, &TemplateTerm::kind) != output.end();
    });
}

const TemplateTerms* TemplateText::assigned(std::string_view name) const {
    const auto found = std::ranges::find(assignments, name, &TemplateAssignment::name);
    return found == assignments.end() ? nullptr : &found->value;
}

std::string_view stripped(std::string_view text) {
    while (!text.empty()) {
        const Utf8Step step = utf8Step(text);
        if (step.kind != Utf8Step::Kind::whole || !isPythonBlank(step.codePoint)) {
            break;
        }
        text.remove_prefix(step.bytes);
    }
    while (!text.empty()) {
        std::size_t start = text.size() - 1;
        while (start > 0 && text.size() - start < 4 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
            --start;
        }
        const Utf8Step step = utf8Step(text.substr(start));
        if (step.kind != Utf8Step::Kind::whole || start + step.bytes != text.size() || !isPythonBlank(step.codePoint)) {
            break;
        }
        text.remove_suffix(step.bytes);
    }
    return text;
}

std::string_view strippedLeft(std::string_view text, char character) {
    text.remove_prefix(std::min(text.find_first_not_of(character), text.size()));
    return text;
}

std::string_view strippedRight(std::string_view text, char character) {
    const std::size_t last = text.find_last_not_of(character);
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

} // namespace decodescope::engine
