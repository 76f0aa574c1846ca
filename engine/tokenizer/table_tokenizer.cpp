#include "engine/tokenizer/table_tokenizer.h"

#include <utility>

namespace decodescope::engine {

namespace {

/// A prompt as one text, and which ranges of it are parsed for control tokens.
struct JoinedPrompt {
    std::string_view text;
    std::vector<ByteRange> parsed;
};

JoinedPrompt join(const std::vector<PromptPart>& parts, std::string& storage) {
    JoinedPrompt joined;
    std::size_t at = 0;
    for (const PromptPart& part : parts) {
        const std::size_t end = at + part.text.size();
        if (part.special == SpecialText::parse && end > at) {
            if (!joined.parsed.empty() && joined.parsed.back().end == at) {
                joined.parsed.back().end = end;
            } else {
                joined.parsed.push_back({at, end});
            }
        }
        at = end;
    }
    if (parts.size() == 1) {
        joined.text = parts.front().text;
        return joined;
    }
    storage.reserve(at);
    for (const PromptPart& part : parts) {
        storage += part.text;
    }
    joined.text = storage;
    return joined;
}

} // namespace

TableTokenizer::TableTokenizer(TokenTables tables, const Vocabulary& vocabulary, std::string kind)
    : m_tables(std::move(tables))
    , m_kind(std::move(kind))
    , m_bos(vocabulary.bos)
    , m_eos(vocabulary.eos)
    , m_addBos(vocabulary.addBos && vocabulary.bos)
    , m_addEos(vocabulary.addEos && vocabulary.eos) {}

std::vector<TokenId> TableTokenizer::encode(const std::vector<PromptPart>& parts, bool addSpecial) const {
    std::string storage;
    const JoinedPrompt prompt = join(parts, storage);
    std::vector<TokenId> ids;
    ids.reserve(prompt.text.size() / 4 + 4);
    if (addSpecial && m_addBos) {
        ids.push_back(*m_bos);
    }
    const std::size_t before = ids.size();
    std::size_t at = 0;
    for (const SpecialTokens::Found& found : m_tables.special().find(prompt.text, prompt.parsed)) {
        encodeStretch(prompt.text.substr(at, found.begin - at), ids);
        const bool doubledBos = before == 1 && ids.size() == 1 && found.begin == 0 && found.token == *m_bos;
        if (!doubledBos) {
            ids.push_back(found.token);
        }
        at = found.end;
    }
    encodeStretch(prompt.text.substr(at), ids);
    if (addSpecial && m_addEos) {
        ids.push_back(*m_eos);
    }
    return ids;
}

void TableTokenizer::encodeStretch(std::string_view text, std::vector<TokenId>& ids) const {
    TextStart start = TextStart::afterSpecial;
    while (!text.empty()) {
        encodeText(text.substr(0, kMaxStretch), start, ids);
        text.remove_prefix(std::min(text.size(), kMaxStretch));
        start = TextStart::afterText;
    }
}

std::string_view TableTokenizer::bytesOf(TokenId id, bool showControl) const {
    return m_tables.bytes(id, showControl);
}

bool TableTokenizer::isControl(TokenId id) const {
    return m_tables.has(id) && m_tables.type(id) == TokenType::control;
}

bool TableTokenizer::endsGeneration(TokenId id) const {
    return m_tables.has(id) && m_tables.endsGeneration(id);
}

std::optional<TokenId> TableTokenizer::spelled(std::string_view text) const {
    return m_tables.spelled(text);
}

} // namespace decodescope::engine
