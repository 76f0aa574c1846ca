#pragma once

#include "core/wire/cumulative_text.h"
#include "core/wire/dialect.h"
#include "core/wire/json_reader.h"
#include "core/wire/prefix_test.h"
#include "core/wire/stream_event.h"
#include "core/wire/think_splitter.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace decodescope {

/// From messages to events: reads each through the dialect, mends its text, and keeps the book of what a verdict needs.
/// All that is told carries the stamp of the read given last by at().
class MessageReader {
public:
    struct Options {
        bool thinkTags = false;
        bool cumulative = false;
        int jsonDepth = JsonDocument::kMaxDepth;
    };
    MessageReader(std::unique_ptr<Dialect> dialect, Options options);

    /// The read whose bytes are being looked at, and where its events go.
    void at(Instant at, std::uint32_t read, std::vector<StreamEvent>& out);

    /// An SSE event, an NDJSON line, an array element. `name` is the event's `event:` field; `unterminated` if what
    /// ends it was missing.
    void message(std::string_view name, std::string_view data, bool unterminated);
    /// A comment line without its colon.
    void comment(std::string_view text);
    /// The data of the non-standard `error:` field.
    void errorField(std::string_view data);
    /// A JSON object between the events: an error, or nothing that anybody knows.
    void bareJson(std::string_view text);
    /// The body of an answer that came whole. False if it is none.
    bool wholeAnswer(std::string_view body);

    /// Nothing more comes: hands out text that was held back.
    void flush();
    void warn(std::string_view name);
    void emit(decltype(StreamEvent::what) what);

    [[nodiscard]] std::uint32_t messages() const noexcept { return m_messages; }
    /// Whether the protocol's own end came: its [DONE], message_stop, `done: true` and so on.
    [[nodiscard]] bool doneSeen() const noexcept { return m_done; }
    /// Whether the stream is over by its own word, the [DONE] of a proxy included: nothing is read any more.
    [[nodiscard]] bool over() const noexcept { return m_over; }
    [[nodiscard]] const Dialect& dialect() const noexcept { return *m_dialect; }
    [[nodiscard]] const std::optional<ServerError>& error() const noexcept { return m_error; }
    /// Whether every choice that was heard of has a finish reason.
    [[nodiscard]] bool finished() const noexcept;
    [[nodiscard]] bool anyFragment() const noexcept { return m_anyFragment; }
    /// Whether the server's own count, as told last, is of no output at all.
    [[nodiscard]] bool saysNothingGenerated() const noexcept { return m_outputTold == 0U; }

private:
    struct Stamp {
        Instant at{};
        std::uint32_t read = 0;
        std::uint32_t message = 0;
    };
    /// Text streams whose pieces belong together: a channel of a choice, or the name or arguments of a call.
    using TextKey = std::tuple<std::uint16_t, Channel, std::uint16_t, bool>;
    struct HeldHalf {
        RawFragment fragment; // text: unused
        std::string bytes;
        Stamp stamp;
    };
    struct TextState {
        CumulativeText guard{CumulativeText::Mode::guard};
        std::optional<PrefixTest> cumulative; // used instead, where the whole text so far is or may be sent
    };
    struct ChoiceState {
        std::string finish;
        TextState answer, reasoning;
        ThinkSplitter thinking;

        [[nodiscard]] bool holding() const noexcept;
    };

    void tell();
    void takeFragment(const RawFragment& raw);
    void takeNews(const RawFragment& raw);
    void takeMended(const RawFragment& raw, std::string_view text, const Stamp& stamp);
    void takeWithHalves(const RawFragment& raw, std::string_view text, const Stamp& stamp);
    void takeText(const RawFragment& raw, std::string text, const Stamp& stamp);
    void put(Fragment fragment, const Stamp& stamp);
    void putPieces(std::uint16_t choice);
    void keepStamp(const Stamp& stamp);
    void forgetStamps();
    [[nodiscard]] bool holding() const noexcept;
    /// Hands out the counts of messages before `message` whose text turned out to be none.
    void releaseHints(std::uint32_t message);
    void end(bool own);
    void raiseError(ServerError error);
    [[nodiscard]] Stamp stampOf(std::uint32_t message) const;

    std::unique_ptr<Dialect> m_dialect;
    Options m_options;
    std::vector<StreamEvent>* m_out = nullptr;
    Stamp m_now;
    std::uint32_t m_messages = 0;
    bool m_done = false;
    bool m_over = false;
    bool m_doneMark = false; // a [DONE] was counted
    bool m_anyFragment = false;
    std::optional<std::uint64_t> m_outputTold; // tokens, as the last usage that tells has them
    std::optional<ServerError> m_error;
    std::set<std::string, std::less<>> m_warned;
    std::map<std::uint16_t, ChoiceState> m_choices;
    ServerIdentity m_identity;

    JsonDocument m_document;
    MessageContent m_content;
    TokenDelta m_delta;
    bool m_flushing = false;
    bool m_repaired = false; // the message held bytes that are no UTF-8
    std::map<TextKey, HeldHalf> m_halves;
    std::map<std::uint32_t, Stamp> m_heldStamps;     // of messages whose text a splitter or a prefix test holds
    std::map<std::uint32_t, TokenHints> m_heldHints; // and what these said of their tokens
    std::vector<ThinkSplitter::Piece> m_pieces;
    std::vector<PrefixTest::Piece> m_news;
    std::optional<Stamp> m_lastText; // of the last message that has text
};

} // namespace decodescope
