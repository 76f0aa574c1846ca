#include "core/wire/message_reader.h"

#include "core/base/utf8.h"
#include "core/wire/body_sniffer.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace decodescope {
namespace {

constexpr std::size_t kMaxNoteBytes = 512;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kDoneMark = "[DONE]";

std::string_view trimmed(std::string_view s) noexcept {
    const std::size_t first = s.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}

bool contains(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

/// Whether WTF-8 text holds halves of pairs: ED followed by A0 or more stands in no valid UTF-8.
bool holdsHalves(std::string_view text) noexcept {
    for (std::size_t i = text.find('\xED'); i != std::string_view::npos; i = text.find('\xED', i + 1)) {
        if (i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0)
            return true;
    }
    return false;
}

bool beginsWithLowHalf(std::string_view wtf8) noexcept {
    return wtf8.size() >= 3 && wtf8[0] == '\xED' && static_cast<unsigned char>(wtf8[1]) >= 0xB0;
}

/// Eight bytes at a time: most messages are ASCII, and then there is nothing to repair.
bool isAscii(std::string_view text) noexcept {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + sizeof bits <= text.size(); i += sizeof bits) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, sizeof word);
        bits |= word;
    }
    for (; i < text.size(); ++i)
        bits |= static_cast<unsigned char>(text[i]);
    return (bits & 0x8080808080808080U) == 0;
}

bool tellsTokens(const TokenHints& hints) noexcept {
    return hints.runningUsage || hints.runningTimings || hints.ids || hints.logprobs || hints.engine;
}

/// Keeps what is news and remembers it.
void keepNews(std::string& told, std::string& known) {
    if (told == known)
        told.clear();
    else if (!told.empty())
        known = told;
}

} // namespace

MessageReader::MessageReader(std::unique_ptr<Dialect> dialect, Options options)
    : m_dialect(std::move(dialect))
    , m_options(options) {}

void MessageReader::at(Instant at, std::uint32_t read, std::vector<StreamEvent>& out) {
    m_now.at = at;
    m_now.read = read;
    m_out = &out;
}

void MessageReader::emit(decltype(StreamEvent::what) what) {
    m_out->push_back({m_now.at, m_now.read, m_now.message, std::move(what)});
}

void MessageReader::warn(std::string_view name) {
    if (!m_warned.contains(name)) {
        m_warned.emplace(name);
        emit(WarningRaised{std::string(name)});
    }
}

void MessageReader::raiseError(ServerError error) {
    if (!m_error)
        m_error = std::move(error);
}

bool MessageReader::finished() const noexcept {
    return !m_choices.empty() && std::all_of(m_choices.begin(), m_choices.end(),
                                             [](const auto& choice) { return !choice.second.finish.empty(); });
}

void MessageReader::comment(std::string_view text) {
    if (m_over)
        return;
    emit(Keepalive{repairUtf8(trimmed(text.substr(0, kMaxNoteBytes))).text});
}

void MessageReader::errorField(std::string_view data) {
    if (m_over) {
        warn("data_after_done");
        return;
    }
    const Utf8Repair repaired = repairUtf8(data);
    if (repaired.changed)
        warn("invalid_utf8");
    raiseError(errorFromBody(repaired.text));
}

void MessageReader::bareJson(std::string_view text) {
    const Utf8Repair repaired = repairUtf8(text);
    if (m_over || !m_document.parse(repaired.text, m_options.jsonDepth))
        return;
    if (std::optional<ServerError> error = errorIn(m_document.root()))
        raiseError(std::move(*error));
}

void MessageReader::message(std::string_view name, std::string_view data, bool unterminated) {
    const std::string_view content = trimmed(data);
    const bool terminator = content == kDoneMark;
    if (m_over) {
        // Proxies put their [DONE] behind the ends of protocols that have another.
        if (terminator && !m_doneMark) {
            m_now.message = m_messages++;
            emit(MessageArrived{});
            m_doneMark = true;
        } else {
            warn("data_after_done");
        }
        return;
    }
    if (!content.empty() && content.front() == ':') {
        // A proxy wrapped a comment into a data line.
        emit(Keepalive{repairUtf8(trimmed(content.substr(1, kMaxNoteBytes))).text});
        warn("wrapped_comment");
        return;
    }
    Utf8Repair repaired;
    std::string_view text = content;
    m_repaired = false;
    if (!terminator && !isAscii(content) && !isValidUtf8(content)) {
        repaired = repairUtf8(content);
        text = repaired.text;
        // What the server itself replaced is another matter, and can no longer be told from ours.
        m_repaired = !contains(content, kReplacement);
    }
    const bool good = !terminator && m_document.parse(text, m_options.jsonDepth);
    // What was cut off in the middle of its JSON is no message.
    if (unterminated && !good && !terminator && name != "error") {
        warn("unterminated_tail");
        return;
    }
    m_now.message = m_messages++;
    emit(MessageArrived{});
    if (unterminated && !(good && m_messages == 1))
        warn("unterminated_tail");
    if (terminator) {
        m_doneMark = true;
        if (name == "error")
            raiseError({});
        end(m_dialect->endsWithDone());
        return;
    }
    if (repaired.changed)
        warn("invalid_utf8");
    if (!good) {
        if (name == "error")
            raiseError(errorFromBody(text));
        else
            warn("bad_json");
        return;
    }
    m_content.clear();
    m_dialect->readMessage(m_document.root(), m_content);
    if (name == "error" && !m_content.error)
        m_content.error = errorFromBody(text);
    // One line that says everything needs none after it.
    if (unterminated && !m_content.ended)
        warn("unterminated_tail");
    tell();
    if (m_content.ended)
        end(true);
}

void MessageReader::end(bool own) {
    flush();
    m_over = true;
    m_done = own;
}

bool MessageReader::wholeAnswer(std::string_view body) {
    const Utf8Repair repaired = repairUtf8(trimmed(withoutByteOrderMark(body)));
    m_repaired = repaired.changed;
    if (!m_document.parse(repaired.text, m_options.jsonDepth))
        return false;
    JsonView root = m_document.root();
    if (root.isArray() && root.size() == 1)
        root = *root.begin();
    m_content.clear();
    bool known = m_dialect->readWholeAnswer(root, m_content);
    if (!known && !m_content.error && (root["message"].isString() || root["detail"]))
        m_content.error = errorFrom(root);
    known = known || m_content.error.has_value();
    if (!known)
        return false;
    m_now.message = m_messages++;
    emit(MessageArrived{});
    if (repaired.changed)
        warn("invalid_utf8");
    tell();
    flush();
    return true;
}

void MessageReader::tell() {
    for (const std::uint16_t choice : m_content.choices)
        m_choices.try_emplace(choice);
    for (ToolCallOpened& opened : m_content.opened)
        emit(std::move(opened));

    if (m_content.engine)
        emit(EngineIntroduced{std::move(m_content.engine)});
    if (m_content.enginePrompt)
        emit(*m_content.enginePrompt);
    if (m_content.engineStep)
        emit(*m_content.engineStep);

    m_delta.fragments.clear();
    for (const RawFragment& raw : m_content.fragments)
        takeFragment(raw);
    forgetStamps();
    if (!m_delta.fragments.empty()) {
        releaseHints(m_now.message);
        m_delta.hints = m_content.hints;
        emit(std::move(m_delta));
    } else if (tellsTokens(m_content.hints)) {
        // The tokens of text that is held back belong to the message that brought it.
        if (holding()) {
            keepStamp(m_now);
            m_heldHints.emplace(m_now.message, m_content.hints);
        } else {
            emit(TokenDelta{{}, m_content.hints});
        }
    }
    m_delta = {};

    if (m_content.usage) {
        if (m_content.usage->completion)
            m_outputTold = m_content.usage->completion;
        emit(*m_content.usage);
    }
    if (m_content.timings)
        emit(std::move(*m_content.timings));
    keepNews(m_content.identity.provider, m_identity.provider);
    keepNews(m_content.identity.systemFingerprint, m_identity.systemFingerprint);
    keepNews(m_content.identity.model, m_identity.model);
    if (!m_content.identity.provider.empty() || !m_content.identity.systemFingerprint.empty() ||
        !m_content.identity.model.empty())
        emit(std::move(m_content.identity));
    if (!m_content.keepalive.empty())
        emit(Keepalive{m_content.keepalive});
    for (FinishReported& finish : m_content.finishes) {
        std::string& known = m_choices[finish.choice].finish;
        if (known != finish.reason) {
            known = finish.reason;
            emit(std::move(finish));
        }
    }
    for (const std::string_view name : m_content.warnings)
        warn(name);
    if (m_content.error)
        raiseError(std::move(*m_content.error));
}

bool MessageReader::ChoiceState::holding() const noexcept {
    return thinking.holding() || (answer.cumulative && answer.cumulative->holding()) ||
           (reasoning.cumulative && reasoning.cumulative->holding());
}

void MessageReader::takeFragment(const RawFragment& raw) {
    std::string_view text = raw.text;
    if (raw.channel == Channel::answer || raw.channel == Channel::reasoning) {
        ChoiceState& choice = m_choices[raw.choice];
        TextState& state = raw.channel == Channel::reasoning ? choice.reasoning : choice.answer;
        if (m_options.cumulative || m_dialect->textForm() == TextForm::perhapsCumulative) {
            if (!state.cumulative)
                state.cumulative.emplace(m_options.cumulative ? PrefixTest::Knowledge::cumulative
                                                              : PrefixTest::Knowledge::none);
            m_news.clear();
            keepStamp(m_now);
            if (endsWithHighHalf(text))
                warn("lone_surrogate");
            state.cumulative->take(text, m_now.message, m_news);
            takeNews(raw);
            return;
        }
        const CumulativeText::News news = state.guard.take(text);
        if (news.repeated)
            warn("cumulative_chunk");
        text = news.text;
        if (text.empty())
            return;
    }
    takeMended(raw, text, m_now);
}

/// Puts what the prefix test told to be new.
void MessageReader::takeNews(const RawFragment& raw) {
    for (const PrefixTest::Piece& piece : m_news)
        takeMended(raw, piece.text, stampOf(piece.message));
}

void MessageReader::takeMended(const RawFragment& raw, std::string_view text, const Stamp& stamp) {
    if (!m_repaired && contains(text, kReplacement))
        warn("replacement_char");
    if (m_halves.empty() && !holdsHalves(text))
        takeText(raw, std::string(text), stamp);
    else
        takeWithHalves(raw, text, stamp);
}

void MessageReader::takeWithHalves(const RawFragment& raw, std::string_view text, const Stamp& stamp) {
    const TextKey key{raw.choice, raw.channel, raw.toolCall, raw.isToolName};
    std::string whole(text);
    if (const auto held = m_halves.find(key); held != m_halves.end()) {
        if (beginsWithLowHalf(text))
            whole.insert(0, held->second.bytes);
        else
            takeText(raw, wtf8ToUtf8(held->second.bytes), held->second.stamp);
        m_halves.erase(held);
    }
    if (!holdsHalves(whole)) {
        takeText(raw, std::move(whole), stamp);
        return;
    }
    warn("lone_surrogate");
    if (endsWithHighHalf(whole)) {
        constexpr std::size_t kHalfBytes = 3;
        m_halves[key] = {raw, whole.substr(whole.size() - kHalfBytes), stamp};
        whole.resize(whole.size() - kHalfBytes);
    }
    takeText(raw, wtf8ToUtf8(whole), stamp);
}

void MessageReader::takeText(const RawFragment& raw, std::string text, const Stamp& stamp) {
    if (text.empty())
        return;
    if (!m_options.thinkTags || raw.channel != Channel::answer) {
        put({raw.channel, raw.choice, std::move(text), raw.toolCall, raw.isToolName}, stamp);
        return;
    }
    keepStamp(stamp);
    m_pieces.clear();
    m_choices[raw.choice].thinking.feed(text, stamp.message, m_pieces);
    putPieces(raw.choice);
}

/// Puts what the splitter of think tags told apart.
void MessageReader::putPieces(std::uint16_t choice) {
    for (ThinkSplitter::Piece& piece : m_pieces)
        put({piece.channel, choice, std::move(piece.text), 0, false}, stampOf(piece.message));
}

void MessageReader::keepStamp(const Stamp& stamp) {
    m_heldStamps.insert_or_assign(stamp.message, stamp);
}

/// Stamps are kept for as long as anything is held back.
void MessageReader::forgetStamps() {
    if (m_heldStamps.empty() || holding())
        return;
    releaseHints(m_now.message);
    m_heldStamps.clear();
}

bool MessageReader::holding() const noexcept {
    return std::any_of(m_choices.begin(), m_choices.end(), [](const auto& choice) { return choice.second.holding(); });
}

void MessageReader::releaseHints(std::uint32_t message) {
    while (!m_heldHints.empty() && m_heldHints.begin()->first < message) {
        const auto held = m_heldHints.extract(m_heldHints.begin());
        const Stamp stamp = stampOf(held.key());
        m_out->push_back({stamp.at, stamp.read, stamp.message, TokenDelta{{}, held.mapped()}});
    }
}

MessageReader::Stamp MessageReader::stampOf(std::uint32_t message) const {
    const auto known = m_heldStamps.find(message);
    return known == m_heldStamps.end() ? m_now : known->second;
}

void MessageReader::put(Fragment fragment, const Stamp& stamp) {
    m_anyFragment = true;
    if (!m_flushing && stamp.message == m_now.message) {
        m_lastText = m_now;
        m_delta.fragments.push_back(std::move(fragment));
        return;
    }
    // Text that was held back belongs to the message that brought it. Where text of a later one is out already, it
    // goes to that one, as the rows have an order; never to a message that merely showed that no more would come.
    if (!m_lastText || m_lastText->message <= stamp.message)
        m_lastText = stamp;
    TokenDelta delta;
    delta.fragments.push_back(std::move(fragment));
    releaseHints(stamp.message);
    if (const auto held = m_heldHints.extract(stamp.message); !held.empty())
        delta.hints = held.mapped();
    m_out->push_back({m_lastText->at, m_lastText->read, m_lastText->message, std::move(delta)});
}

void MessageReader::flush() {
    m_flushing = true; // whatever was held goes to the message that brought it, the latest as well
    for (auto& [index, choice] : m_choices) {
        RawFragment raw;
        raw.choice = index;
        for (const Channel channel : {Channel::reasoning, Channel::answer}) {
            raw.channel = channel;
            TextState& state = channel == Channel::reasoning ? choice.reasoning : choice.answer;
            m_news.clear();
            if (state.cumulative)
                state.cumulative->finish(m_news);
            takeNews(raw);
        }
    }
    for (auto& [key, held] : std::exchange(m_halves, {}))
        takeText(held.fragment, wtf8ToUtf8(held.bytes), held.stamp);
    for (auto& [index, choice] : m_choices) {
        m_pieces.clear();
        choice.thinking.finish(m_pieces);
        putPieces(index);
    }
    releaseHints(m_messages);
    m_heldStamps.clear();
    m_flushing = false;
}

} // namespace decodescope
