#include "core/net/exchange.h"

#include "core/base/redaction.h"
#include "core/net/http_request.h"
#include "core/net/opening_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {

namespace {

/// After a finish reason, usage and [DONE] are waited for so long (wire.md, row 20).
constexpr std::chrono::seconds kGrace{3};
/// From the first byte of a response to the end of its head.
constexpr std::chrono::seconds kHeadLimit{60};

Instant stampNow() {
    return std::chrono::steady_clock::now();
}

std::string inSeconds(const std::optional<Duration>& limit) {
    return limit ? fmt::format("{:g} s", toSeconds(*limit)) : std::string("the limit");
}

bool isFragment(const StreamEvent& event) {
    const auto* delta = std::get_if<TokenDelta>(&event.what);
    return delta != nullptr && std::any_of(delta->fragments.begin(), delta->fragments.end(),
                                           [](const Fragment& fragment) { return !fragment.text.empty(); });
}

} // namespace

Exchange::Exchange(ExchangePlan plan, TransportFactory transports, LagProbe& lag, std::shared_ptr<Outlet> outlet)
    : m_plan(std::move(plan))
    , m_transports(std::move(transports))
    , m_lag(lag)
    , m_outlet(std::move(outlet))
    , m_deadlines([this](Deadline which) { expired(which); }) {
    if (m_plan.key) {
        m_masker = SecretMasker(liveKeys(*m_plan.key));
        m_plain.emplace(m_plan.decoder.limits);
    }
}

Exchange::~Exchange() {
    if (m_transport)
        m_transport->close();
    wipeRequest();
}

void Exchange::prepare() {
    auto decoder = StreamDecoder::create(m_plan.decoder);
    if (!decoder) {
        m_ended = true;
        m_outlet->endUnseen(stampNow(), ErrorKind::unreachable, decoder.error().message);
        return;
    }
    m_decoder = std::move(*decoder);
    if (m_plan.timeouts.connect)
        m_deadlines.arm(Deadline::connect, stampNow() + *m_plan.timeouts.connect);
    open();
}

void Exchange::open() {
    m_openedAt = stampNow();
    m_transport = m_transports();
    m_transport->open(m_plan.target, *this);
}

void Exchange::onConnected(Instant at) {
    tellRelease();
    m_connected = true;
    m_connectedAt = at;
    const ConnectionFacts facts = m_transport->facts();
    m_warm = facts.warm;
    adaptRequest(facts);
    m_deadlines.disarm(Deadline::connect);
    if (m_t0) {
        if (wentStale())
            return openAnew();
        tellConnected();
        sendRequest();
        if (m_ended)
            return;
        m_outlet->post(m_events);
    }
    m_outlet->setReady();
}

void Exchange::release(Instant t0) {
    if (m_ended || m_t0)
        return;
    m_t0 = t0;
    if (!m_connected)
        return;
    if (wentStale())
        openAnew();
    else
        ask(); // wiped by tellRelease()
}

/// How well the connection's opening was stamped is no part of the run: with many lanes, each handshake waits for
/// others.
void Exchange::ask() {
    m_transport->beginAnew();
    m_transport->send(m_plan.requestBytes);
}

void Exchange::tellRelease() {
    if (!m_t0 || std::exchange(m_told, true))
        return;
    m_plan.sleep.begin();
    m_runLag = m_lag.watch();
    milestone(*m_t0, {Milestone::Kind::started, false, {}});
    if (m_plan.timeouts.firstToken)
        m_deadlines.arm(Deadline::firstToken, *m_t0 + *m_plan.timeouts.firstToken);
    if (m_plan.timeouts.total)
        m_deadlines.arm(Deadline::total, *m_t0 + *m_plan.timeouts.total);
    if (m_connected) {
        wipeRequest();
        tellConnected();
        tellSent();
    }
    m_outlet->post(m_events);
}

/// A connection that was up before the release cost the run nothing: tc is t0, and what opening took is told.
void Exchange::tellConnected() {
    const ConnectionFacts facts = m_transport->facts();
    milestone(std::max(m_connectedAt, *m_t0),
              {Milestone::Kind::connected, facts.warm,
               facts.warm ? Duration{} : m_connectedAt - std::max(m_openedAt, facts.begun), facts.tlsTook,
               facts.tlsVersion, facts.unverified, facts.proxy});
}

void Exchange::sendRequest() {
    ask();
    wipeRequest();
}

void Exchange::adaptRequest(const ConnectionFacts& facts) {
    if (!facts.forwarder || std::exchange(m_adapted, true))
        return;
    addressToProxy(m_plan.requestBytes, m_plan.origin, facts.forwarder->authorization());
    if (facts.forwarder->login)
        m_proxyMasker = SecretMasker(*facts.forwarder->login);
}

void Exchange::tellRoute(Instant at) {
    if (m_connected || !m_transport)
        return;
    if (std::string proxy = m_transport->facts().proxy; !proxy.empty())
        milestone(at, {Milestone::Kind::routed, false, {}, {}, {}, false, std::move(proxy)});
}

void Exchange::tellSent() {
    if (m_sentAt)
        milestone(*m_sentAt, {Milestone::Kind::sent, false, {}});
    m_sentAt.reset();
}

void Exchange::onSent(Instant at) {
    m_sentAt = at;
    if (m_told)
        tellSent();
}

void Exchange::onBytes(Instant at, std::string_view bytes) {
    if (!m_t0) { // an answer without a question, such as a 408 for idling
        if (!reopen())
            end(at, ErrorKind::malformed, fmt::format("{} sent an answer before anything was asked.", place()));
        return;
    }
    tellRelease();
    // Before the bytes are looked at: an answer that turns out to be complete would hide that it slept on its way.
    if (endedBySleep(at))
        return;
    if (m_reads == 0) {
        milestone(at, {Milestone::Kind::firstByte, false, {}});
        m_deadlines.arm(Deadline::head, at + kHeadLimit);
    }
    m_lastRead = at;
    if (m_plan.timeouts.idle)
        m_deadlines.arm(Deadline::idle, at + *m_plan.timeouts.idle);
    take(at, m_proxyMasker.feed(bytes));
    if (m_ended)
        return;
    if (m_decoder->complete()) {
        end(at, ErrorKind::none, {});
        return;
    }
    if (m_decoder->onlyTailExpected() && !m_deadlines.armed(Deadline::grace))
        m_deadlines.arm(Deadline::grace, at + kGrace);
    m_outlet->post(m_events);
}

void Exchange::take(Instant at, std::string_view bytes) {
    if (!m_plain) {
        deliver(at, m_masker.feed(bytes));
        return;
    }
    std::string plain;
    const PlainResponse::Status status = m_plain->feed(bytes, plain);
    deliver(at, m_masker.feed(plain));
    if (status == PlainResponse::Status::tooLarge)
        end(at, ErrorKind::tooLarge, "The compressed answer grows beyond all measure when it is unpacked.");
    else if (status == PlainResponse::Status::corrupt)
        end(at, ErrorKind::malformed, "The compressed body of the answer is damaged.");
}

void Exchange::deliver(Instant at, std::string_view masked) {
    const ByteChunk chunk{at, m_reads++, std::string(masked)};
    if (masked.empty()) // all of it is held back, for what may be the key
        return;
    m_outlet->chunk(chunk.at, chunk.read, chunk.bytes);
    const std::size_t before = m_events.size();
    m_decoder->feed(chunk, m_events);
    look(before);
}

/// Sees what the decoder found as far as time limits and the error bound depend on it.
void Exchange::look(std::size_t firstNew) {
    std::size_t fragments = 0;
    for (std::size_t i = firstNew; i < m_events.size(); ++i) {
        if (std::holds_alternative<ResponseHead>(m_events[i].what))
            m_deadlines.disarm(Deadline::head);
        else
            fragments += isFragment(m_events[i]);
    }
    if (fragments > 0 && m_deadlines.armed(Deadline::firstToken))
        m_deadlines.disarm(Deadline::firstToken);
    m_joined = m_joined || fragments > 1;
}

void Exchange::onClosed(Instant at) {
    if (!m_t0 && reopen())
        return;
    if (m_reads > 0)
        end(at, ErrorKind::none, {});
    else if (m_t0)
        end(at, ErrorKind::connectionClosed,
            fmt::format("{} closed the connection without an answer.{}", place(), notSentAgain()));
    else
        end(at, ErrorKind::connectionClosed,
            fmt::format("{} closed the connection before the request was sent.", place()));
}

void Exchange::onFailed(Instant at, ErrorKind kind, std::string message) {
    if (m_connected && !m_t0 && reopen())
        return;
    message += notSentAgain();
    end(at, kind, std::move(message));
}

bool Exchange::wentStale() const {
    return m_warm && !m_transport->idle();
}

std::string Exchange::place() const {
    return placeVia(m_plan.place, m_transport ? m_transport->facts().proxy : std::string());
}

/// Whether a server that ended the connection had begun to answer, and to charge, nobody can know: a request goes out
/// once.
std::string_view Exchange::notSentAgain() const {
    if (!m_warm || !m_t0 || m_reads > 0)
        return {};
    return " The connection was one that an earlier run had used. The request was not sent again: run it again, or "
           "with a new connection for each run.";
}

bool Exchange::reopen() {
    if (m_reopened)
        return false;
    m_reopened = true;
    openAnew();
    return true;
}

void Exchange::openAnew() {
    m_connected = false;
    m_warm = false;
    if (m_plan.timeouts.connect)
        m_deadlines.arm(Deadline::connect, stampNow() + *m_plan.timeouts.connect);
    open();
}

void Exchange::cancel(ErrorKind kind) {
    std::string message = "The run was stopped.";
    if (kind != ErrorKind::cancelled)
        message = fmt::format("The run was stopped ({}).", toString(kind));
    end(stampNow(), kind, std::move(message));
}

bool Exchange::endedBySleep(Instant at) {
    if (!m_t0 || m_ended)
        return m_ended;
    const Duration slept = m_plan.sleep.slept();
    if (slept == Duration{})
        return false;
    end(at, ErrorKind::suspended,
        fmt::format("This machine slept for {:.1f} s during the run, so that its times mean nothing. Run it again.",
                    toSeconds(slept)));
    return true;
}

void Exchange::expired(Deadline which) {
    const Instant now = stampNow();
    if (endedBySleep(now))
        return;
    switch (which) {
    case Deadline::connect:
        end(now, ErrorKind::timeoutConnect,
            openingTookTooLong(m_plan.place, m_transport->facts(), inSeconds(m_plan.timeouts.connect)));
        break;
    case Deadline::firstToken:
        end(now, ErrorKind::timeoutFirstToken,
            fmt::format("{} sent no token within {} of the request.", place(), inSeconds(m_plan.timeouts.firstToken)));
        break;
    case Deadline::idle:
        end(now, ErrorKind::timeoutIdle,
            fmt::format("Nothing arrived from {} for {}, so the stream was given up.", place(),
                        inSeconds(m_plan.timeouts.idle)));
        break;
    case Deadline::head:
        end(now, ErrorKind::timeoutFirstToken,
            fmt::format("{} did not finish the head of its answer within {}.", place(), inSeconds(kHeadLimit)));
        break;
    case Deadline::grace:
        // Nothing but the tail was missing: the run ended with its last read.
        end(m_lastRead, ErrorKind::none, {});
        break;
    case Deadline::total:
        end(now, ErrorKind::timeoutTotal,
            fmt::format("The run was ended at its time limit of {}.", inSeconds(m_plan.timeouts.total)));
        break;
    }
}

void Exchange::milestone(Instant at, const Milestone& milestone) {
    m_outlet->milestone(at, milestone);
    m_events.push_back({at, m_reads, 0, milestone});
}

/// What the transport says of its stamps, with what this thread knows of its own lateness. Absent where nothing was
/// asked.
std::optional<StampReport> Exchange::stampReport() const {
    if (!m_transport || !m_runLag)
        return std::nullopt;
    StampReport report = m_transport->stampReport();
    report.largestLag = std::max(report.largestLag, m_runLag->largest());
    if (report.source == ClockSource::user && m_runLag->measured())
        report.errorBound = report.largestLag;
    // Packets that come while nobody reads are joined, under the stamp of the last: the others came earlier, at most by
    // as much as this thread was late.
    if (report.source == ClockSource::kernel && m_joined && report.errorBound && m_runLag->measured())
        report.errorBound = std::max(*report.errorBound, m_runLag->largest());
    return report;
}

void Exchange::end(Instant at, ErrorKind kind, std::string message) {
    if (m_ended)
        return;
    tellRelease();
    m_ended = true;
    m_deadlines.disarmAll();
    const std::optional<StampReport> stamps = stampReport();
    m_runLag.reset();
    wipeRequest();
    std::string last = m_proxyMasker.flush();
    if (m_plain) {
        std::string plain;
        (void)m_plain->feed(last, plain);
        m_plain->finish(kind == ErrorKind::none ? PlainResponse::Ending::orderly : PlainResponse::Ending::cut, plain);
        last = std::move(plain);
    }
    last = m_masker.feed(last);
    last += m_masker.flush();
    if (!last.empty())
        deliver(m_lastRead, last);
    tellRoute(at);
    if (stamps) {
        m_outlet->stamps(at, *stamps);
        m_events.push_back({at, m_reads, 0, *stamps});
    }
    m_decoder->finish({at, kind, message}, m_events);
    m_outlet->end(at, kind, message, m_events);
    if (m_transport)
        leaveConnection(kind);
}

/// What is left of an answer that is over, the last chunk mostly, is read by whoever keeps the connection.
void Exchange::leaveConnection(ErrorKind kind) {
    if (kind != ErrorKind::none || m_reads == 0)
        return m_transport->close();
    m_transport->release([decoder = std::shared_ptr<StreamDecoder>(std::move(m_decoder))](std::string_view bytes) {
        decoder->drain(bytes);
        return decoder->reusable() ? TailState::whole : decoder->spent() ? TailState::never : TailState::more;
    });
}

void Exchange::wipeRequest() {
    std::fill(m_plan.requestBytes.begin(), m_plan.requestBytes.end(), '\0');
    m_plan.requestBytes.clear();
}

} // namespace decodescope
