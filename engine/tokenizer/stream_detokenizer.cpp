#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace decodescope::engine {

StreamDetokenizer::StreamDetokenizer(const Tokenizer& tokenizer, bool startOfText)
    : m_tokenizer(tokenizer)
    , m_atStart(startOfText && tokenizer.stripsLeadingSpace()) {}

std::string StreamDetokenizer::push(TokenId id) {
    std::string_view bytes = m_tokenizer.bytesOf(id);
    if (m_atStart && !bytes.empty()) {
        m_atStart = false;
        if (bytes.front() == ' ') {
            bytes.remove_prefix(1);
        }
    }
    m_held += bytes;
    std::string whole;
    std::string_view rest = m_held;
    while (!rest.empty()) {
        const std::size_t good = wellFormedPrefix(rest);
        whole += rest.substr(0, good);
        rest.remove_prefix(good);
        if (rest.empty()) {
            break;
        }
        const Utf8Step step = utf8Step(rest);
        if (step.kind == Utf8Step::Kind::incomplete) {
            break;
        }
        whole += kReplacement;
        rest.remove_prefix(step.bytes);
    }
    m_held = std::string(rest);
    return whole;
}

std::string StreamDetokenizer::finish() {
    const std::string end(m_held.empty() ? std::string_view{} : kReplacement);
    m_held.clear();
    return end;
}

} // namespace decodescope::engine
