#include "core/net/remote_source.h"

#include "core/net/exchange.h"
#include "core/net/http_request.h"
#include "core/net/outlet.h"
#include "core/net/tls_trust.h"
#include "core/source/request.h"

#include <utility>

namespace decodescope {

namespace {

/// Everything about a run that can be worked out before a socket exists.
Result<ExchangePlan> planFor(const RunSpec& spec) {
    const AnswerForm form = answerForm(spec.sampling);
    const auto url = completionUrl(spec.endpoint, form);
    if (!url)
        return tl::unexpected(url.error());
    const auto head = requestHead(spec.endpoint, form);
    if (!head)
        return tl::unexpected(head.error());
    if (const auto allowed = checkKeyUse(*url, spec.endpoint, spec.key.get()); !allowed)
        return tl::unexpected(allowed.error());
    const auto body = requestBody(spec);
    if (!body)
        return tl::unexpected(body.error());
    auto bytes = httpPost(*url, *head, *body, spec.key.get());
    if (!bytes)
        return tl::unexpected(bytes.error());
    auto target = targetFor(*url, spec.endpoint);
    if (!target)
        return tl::unexpected(target.error());

    ExchangePlan plan;
    plan.target = std::move(*target);
    plan.place = url->authority();
    plan.origin = url->scheme + "://" + url->authority();
    plan.requestBytes = std::move(*bytes);
    plan.key = spec.key;
    plan.decoder.protocol = spec.endpoint.protocol;
    plan.decoder.streamRequested = spec.sampling.stream;
    plan.decoder.thinkTags = spec.endpoint.thinkTags;
    plan.decoder.cumulative = spec.endpoint.cumulative;
    plan.decoder.requestUrl = url->text(false);
    plan.decoder.limits = responseLimits(spec);
    plan.timeouts = spec.timeouts;
    return plan;
}

} // namespace

/// Where the exchange lives: made, used and destroyed on the network thread, as timers and sockets want it.
struct RemoteSource::Slot {
    std::optional<Exchange> exchange;
};

RemoteSource::RemoteSource(NetworkThread& network, TransportFactory transports, ClockSource clockSource, RunSpec spec,
                           SourceOutput output)
    : m_network(network)
    , m_transports(std::move(transports))
    , m_clockSource(clockSource)
    , m_spec(std::move(spec))
    , m_outlet(std::make_shared<Outlet>(std::move(output))) {}

RemoteSource::~RemoteSource() {
    m_outlet->shut();
    if (m_slot)
        m_network.post([slot = m_slot] { slot->exchange.reset(); });
}

void RemoteSource::prepare() {
    if (m_slot || m_ended)
        return;
    auto plan = planFor(m_spec);
    if (!plan) {
        endHere(ErrorKind::unreachable, plan.error().message);
        return;
    }
    m_slot = std::make_shared<Slot>();
    // Shared because a std::function must be copyable; the plan is moved out of it once.
    auto moved = std::make_shared<ExchangePlan>(std::move(*plan));
    m_network.post([slot = m_slot, moved, transports = m_transports, outlet = m_outlet, &network = m_network] {
        slot->exchange.emplace(std::move(*moved), transports, network.lag(), outlet);
        slot->exchange->prepare();
    });
}

bool RemoteSource::ready() const {
    return m_outlet->ready();
}

void RemoteSource::release(std::optional<Instant> scheduled) {
    if (!m_slot)
        return;
    const Instant t0 = scheduled.value_or(now());
    m_network.post([slot = m_slot, t0, &network = m_network] {
        slot->exchange->release(t0);
        network.post([slot] { // behind the sends of the other lanes
            if (slot->exchange)
                slot->exchange->tellRelease();
        });
    });
}

void RemoteSource::cancel(ErrorKind kind) {
    if (m_slot)
        m_network.post([slot = m_slot, kind] { slot->exchange->cancel(kind); });
    else
        endHere(kind, "The run was stopped before it began.");
}

Instant RemoteSource::now() const {
    return std::chrono::steady_clock::now();
}

void RemoteSource::endHere(ErrorKind kind, const std::string& message) {
    if (std::exchange(m_ended, true))
        return;
    m_outlet->endUnseen(now(), kind, message);
}

SourceFactory makeRemoteSourceFactory(NetworkThread& network, TransportKind kind) {
    return makeRemoteSourceFactory(network, transportFactory(network, kind), clockSourceOf(kind));
}

SourceFactory makeRemoteSourceFactory(NetworkThread& network, TransportFactory transports, ClockSource clockSource) {
    return [&network, transports = std::move(transports), clockSource](const RunSpec& request, SourceOutput output) {
        return std::make_unique<RemoteSource>(network, transports, clockSource, request, std::move(output));
    };
}

} // namespace decodescope
