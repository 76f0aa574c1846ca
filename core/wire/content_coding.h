#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace decodescope {

/// What a Content-Encoding header asks for.
enum class ContentCoding {
    identity,
    gzip,
    deflate,
    unknown ///< br, zstd, several in a row: refused by name
};
[[nodiscard]] ContentCoding contentCodingFromHeader(std::string_view value);

/// Gathers from a head what must be undone before the body can be read: the codings of the content and those of its
/// transfer, chunks excepted.
class BodyCodings {
public:
    /// A header, its name in any case.
    void take(std::string_view name, std::string_view value);
    [[nodiscard]] ContentCoding coding() const { return contentCodingFromHeader(m_names); }
    /// As the server wrote them, with commas between; empty: none.
    [[nodiscard]] const std::string& names() const noexcept { return m_names; }

private:
    std::string m_names;
};

/// Inflates a gzip or deflate body as it comes, so that an event flushed by the server is had at once. We ask for no
/// coding (`Accept-Encoding: identity`); some servers compress all the same.
class Inflater {
public:
    enum class Status {
        open,
        tooLarge, ///< more than `maxBytes` came out, or absurdly more than went in
        corrupt
    };
    using Take = std::function<void(std::string_view)>;

    Inflater(ContentCoding coding, std::size_t maxBytes);
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Hands what comes out to `take`, piece by piece, at most `maxBytes` in all.
    Status feed(std::string_view bytes, const Take& take);
    /// Whether the compressed stream came to its own end.
    [[nodiscard]] bool ended() const noexcept;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
