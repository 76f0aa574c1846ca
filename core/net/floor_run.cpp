#include "core/net/floor_run.h"

#include "core/base/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace decodescope {

namespace {

/// The instant that a token's text tells.
std::optional<Instant> sentAt(const TokenDelta& delta) {
    if (delta.fragments.empty())
        return std::nullopt;
    const std::string& text = delta.fragments.front().text;
    std::int64_t ns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ns);
    return error == std::errc() ? std::optional(instantFromNs(ns)) : std::nullopt;
}

/// One stream on its way.
struct Going {
    std::unique_ptr<TokenSource> source;
    std::shared_ptr<EventMailbox> mailbox = std::make_shared<EventMailbox>();
    std::optional<std::uint32_t> lastRead; // that brought a token
    bool over = false;
};

} // namespace

struct FloorRun::State {
    std::vector<Going> going;
    std::vector<FloorStream> streams;
    std::string failure;
    std::size_t tokensWanted = 0;
    bool released = false;

    void take(Going& one, FloorStream& stream, const StreamEvent& event) {
        if (const auto* milestone = std::get_if<Milestone>(&event.what)) {
            if (milestone->kind == Milestone::Kind::sent)
                stream.requestSent = event.at;
            else if (milestone->kind == Milestone::Kind::firstByte)
                stream.firstByte = event.at;
        } else if (const auto* delta = std::get_if<TokenDelta>(&event.what)) {
            takeToken(one, stream, event, *delta);
        } else if (const auto* stamps = std::get_if<StampReport>(&event.what)) {
            stream.stamps = *stamps;
        } else if (const auto* end = std::get_if<StreamEnd>(&event.what)) {
            one.over = true;
            if (end->verdict != StreamEnd::Verdict::complete)
                failure = end->message.empty() ? "A stream to the loopback server was cut." : end->message;
            else if (stream.tokens.size() != tokensWanted)
                failure =
                    fmt::format("A stream brought {} of {}.", counted(stream.tokens.size(), "token"), tokensWanted);
        }
    }

    static void takeToken(Going& one, FloorStream& stream, const StreamEvent& event, const TokenDelta& delta) {
        const auto sent = sentAt(delta);
        if (!sent)
            return;
        FloorToken token{*sent, event.at};
        token.merged = one.lastRead == event.read;
        token.unflagged = !token.merged && !stream.tokens.empty() && stream.tokens.back().stamped == event.at;
        one.lastRead = event.read;
        stream.tokens.push_back(token);
    }
};

FloorRun::FloorRun(const SourceFactory& sources, const FloorServer& server, const FloorLoad& load)
    : m_state(std::make_unique<State>()) {
    m_state->tokensWanted = static_cast<std::size_t>(load.pace.tokens);
    m_state->streams.resize(static_cast<std::size_t>(load.streams));
    for (int i = 0; i < load.streams; ++i) {
        FloorPace pace = load.pace;
        if (!load.aligned)
            pace.offsetUs += pace.intervalUs * i / load.streams;
        RunSpec spec;
        spec.endpoint.url = server.url(static_cast<std::size_t>(i));
        spec.endpoint.pinnedCertificate = server.certificate();
        spec.endpoint.model = pace.modelName();
        spec.prompt = "Tell the time.";
        Going& one = m_state->going.emplace_back();
        one.source = sources(spec, {one.mailbox, nullptr});
        one.source->prepare();
    }
}

FloorRun::~FloorRun() = default;

void FloorRun::pump() {
    State& s = *m_state;
    std::vector<StreamEvent> events;
    for (std::size_t i = 0; i < s.going.size(); ++i) {
        s.going[i].source->pump();
        if (!s.going[i].mailbox->drain(events))
            continue;
        for (const StreamEvent& event : events)
            s.take(s.going[i], s.streams[i], event);
    }
    if (s.released ||
        !std::all_of(s.going.begin(), s.going.end(), [](const Going& one) { return one.source->ready(); }))
        return;
    s.released = true;
    const Instant together = std::chrono::steady_clock::now();
    for (const Going& one : s.going)
        one.source->release(together);
}

bool FloorRun::over() const {
    return !m_state->failure.empty() ||
           std::all_of(m_state->going.begin(), m_state->going.end(), [](const Going& one) { return one.over; });
}

const std::string& FloorRun::failure() const {
    return m_state->failure;
}

const std::vector<FloorStream>& FloorRun::streams() const {
    return m_state->streams;
}

std::vector<double> stampErrorsUs(const std::vector<FloorStream>& streams) {
    std::vector<double> errors;
    for (const FloorStream& stream : streams) {
        for (const FloorToken& token : stream.tokens)
            errors.push_back(std::abs(toMilliseconds(token.stamped - token.sent)) * 1000);
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

std::vector<double> gapErrorsUs(const std::vector<FloorStream>& streams) {
    std::vector<double> errors;
    for (const FloorStream& stream : streams) {
        for (std::size_t i = 1; i < stream.tokens.size(); ++i) {
            const FloorToken& last = stream.tokens[i - 1];
            const FloorToken& token = stream.tokens[i];
            const bool nextMerged = i + 1 < stream.tokens.size() && stream.tokens[i + 1].merged;
            if (last.merged || token.merged || nextMerged)
                continue;
            errors.push_back(std::abs(toMilliseconds((token.stamped - last.stamped) - (token.sent - last.sent))) *
                             1000);
        }
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

} // namespace decodescope
