#include "tests/engine/support/tiny_vocabulary.h"

#include "tests/engine/support/gguf_writer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace decodescope::engine::test {

namespace {

/// Words that grow letter by letter: every beginning of them is a piece. A leading space stands for the word mark.
constexpr std::array<std::string_view, 14> kWords{" the", " and", " of",    "ing",    " to", " in", " that",
                                                  " is",  "er",   " hello", " world", "  ",  "def", " 12"};

void appendUtf8(std::string& out, unsigned point) { // of two bytes at most: GPT-2's alphabet ends at U+0143
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else {
        out += static_cast<char>(0xC0U | point >> 6);
        out += static_cast<char>(0x80U | (point & 0x3FU));
    }
}

bool printable(unsigned byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

/// The character that stands for a byte: printable ones for themselves, the others from U+0100 on in order.
std::string byteCharacter(unsigned byte) {
    std::string out;
    if (printable(byte)) {
        appendUtf8(out, byte);
        return out;
    }
    unsigned before = 0;
    for (unsigned b = 0; b < byte; ++b)
        before += printable(b) ? 0 : 1;
    appendUtf8(out, 0x100 + before);
    return out;
}

std::string spmCharacter(char c) {
    return c == ' ' ? "\xE2\x96\x81" : std::string(1, c);
}

} // namespace

TinyVocabulary TinyVocabulary::spm(const std::vector<std::string>& controls) {
    TinyVocabulary out;
    const auto add = [&out](const std::string& token, float score, TokenKind kind) {
        if (std::find(out.tokens.begin(), out.tokens.end(), token) != out.tokens.end())
            return;
        out.tokens.push_back(token);
        out.scores.push_back(score);
        out.kinds.push_back(kind);
    };
    add("<unk>", 0, TokenKind::unknown);
    for (const std::string& control : controls)
        add(control, 0, TokenKind::control);
    for (unsigned byte = 0; byte < 256; ++byte) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        add(std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15U] + ">", 0, TokenKind::byte);
    }
    float score = 0;
    for (const std::string_view word : kWords) {
        std::string piece;
        for (const char c : word) {
            piece += spmCharacter(c);
            if (piece.size() > spmCharacter(c).size())
                add(piece, score -= 1, TokenKind::normal);
        }
    }
    for (const char c :
         std::string(" etaoinshrdlucmfwygpbvkxqjzETAOINSHRDLUCMFWYGPBVKXQJZ0123456789.,:;!?'()-_=+*/<>[]{}"))
        add(spmCharacter(c), score -= 1, TokenKind::normal);
    for (const char* const wide : {"\xC3\xA9", "\xC3\xBC", "\xD0\xB6", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"})
        add(wide, score -= 1, TokenKind::normal);
    out.unknown = 0;
    out.bos = 1;
    out.eos = 2;
    out.addBos = true;
    return out;
}

TinyVocabulary TinyVocabulary::bpe(const std::string& pre, const std::vector<std::string>& controls) {
    TinyVocabulary out;
    out.family = TokenizerFamily::bpe;
    out.pre = pre;
    const auto add = [&out](const std::string& token, TokenKind kind) {
        const bool fresh = std::find(out.tokens.begin(), out.tokens.end(), token) == out.tokens.end();
        if (fresh) {
            out.tokens.push_back(token);
            out.kinds.push_back(kind);
        }
        return fresh;
    };
    for (unsigned byte = 0; byte < 256; ++byte)
        add(byteCharacter(byte), TokenKind::normal);
    for (const std::string_view word : kWords) {
        std::string piece = byteCharacter(static_cast<unsigned char>(word[0]));
        for (const char c : word.substr(1)) {
            const std::string next = byteCharacter(static_cast<unsigned char>(c));
            if (add(piece + next, TokenKind::normal))
                out.merges.push_back(piece + " " + next);
            piece += next;
        }
    }
    out.bos = static_cast<std::int32_t>(out.tokens.size());
    out.eos = out.bos + 1;
    for (const std::string& control : controls)
        add(control, TokenKind::control);
    return out;
}

void TinyVocabulary::write(GgufWriter& writer) const {
    const std::string prefix = "tokenizer.ggml.";
    writer.text(prefix + "model", family == TokenizerFamily::spm ? "llama" : "gpt2");
    writer.text(prefix + "pre", family == TokenizerFamily::spm ? "default" : pre);
    writer.texts(prefix + "tokens", tokens);
    if (family == TokenizerFamily::spm)
        writer.f32s(prefix + "scores", scores);
    std::vector<std::int32_t> types;
    for (const TokenKind kind : kinds)
        types.push_back(static_cast<std::int32_t>(kind));
    writer.i32s(prefix + "token_type", types);
    if (family == TokenizerFamily::bpe)
        writer.texts(prefix + "merges", merges);
    writer.u32(prefix + "bos_token_id", static_cast<std::uint32_t>(bos));
    writer.u32(prefix + "eos_token_id", static_cast<std::uint32_t>(eos));
    if (unknown >= 0)
        writer.u32(prefix + "unknown_token_id", static_cast<std::uint32_t>(unknown));
    writer.flag(prefix + "add_bos_token", addBos);
    if (family == TokenizerFamily::spm)
        writer.flag(prefix + "add_space_prefix", addSpacePrefix);
}

} // namespace decodescope::engine::test
