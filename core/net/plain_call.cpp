#include "core/net/plain_call.h"

#include "core/base/secret_masker.h"
#include "core/net/deadlines.h"
#include "core/net/http_request.h"
#include "core/net/opening_words.h"
#include "core/net/tls_trust.h"
#include "core/wire/http_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {
namespace {

constexpr std::size_t kMostBody = 8U << 20; // a gateway lists thousands of models
constexpr std::size_t kMostHead = 64U << 10;
constexpr std::chrono::seconds kLimit{15};

struct Plan {
    TransportTarget target;
    Url url;
    std::string request; ///< holds the key
    std::shared_ptr<const Secret> key;
};

/// One call; owns itself until it has answered. Lives on the network thread.
class Call final : public TransportListener, public HttpSink, public std::enable_shared_from_this<Call> {
public:
    Call(NetworkThread& network, Plan plan, std::function<void(CallReport)> answer)
        : m_network(network)
        , m_plan(std::move(plan))
        , m_answer(std::move(answer))
        , m_reader(*this, kMostHead)
        , m_deadlines([this](Deadline) { expired(); }) {
        if (m_plan.key)
            m_masker = SecretMasker(*m_plan.key);
    }
    ~Call() override { std::fill(m_plan.request.begin(), m_plan.request.end(), '\0'); }

    void begin(const TransportFactory& transports) {
        m_self = shared_from_this();
        m_openedAt = std::chrono::steady_clock::now();
        m_deadlines.arm(Deadline::total, m_openedAt + kLimit);
        m_transport = transports();
        m_transport->open(m_plan.target, *this);
    }

    void onConnected(Instant at) override {
        m_report.connected = true;
        m_report.connection = m_transport->facts();
        m_report.openingTook = at - std::max(m_openedAt, m_report.connection.begun);
        if (const auto& forwarder = m_report.connection.forwarder)
            addressToProxy(m_plan.request, m_plan.url.scheme + "://" + m_plan.url.authority(),
                           forwarder->authorization());
        m_askedAt = std::chrono::steady_clock::now();
        m_transport->send(m_plan.request);
    }
    void onSent(Instant) override {}
    void onBytes(Instant at, std::string_view bytes) override {
        if (!m_report.firstByteTook)
            m_report.firstByteTook = at - m_askedAt;
        switch (m_reader.feed(m_masker.feed(bytes))) {
        case HttpReader::Status::open:
            if (m_report.body.size() >= kMostBody)
                end(ErrorKind::tooLarge, {}); // enough to tell what it is
            return;
        case HttpReader::Status::done:
            return end(ErrorKind::none, {});
        case HttpReader::Status::tooLarge:
            return end(ErrorKind::tooLarge, fmt::format("The head of the answer of {} is too long.", place()));
        case HttpReader::Status::malformed:
            return end(ErrorKind::malformed, fmt::format("{} does not speak HTTP. Is the port right?", place()));
        }
    }
    void onClosed(Instant) override {
        if (!m_reader.finish())
            return end(ErrorKind::connectionClosed,
                       fmt::format("{} closed the connection before its answer was whole.", place()));
        end(ErrorKind::none, {});
    }
    void onFailed(Instant, ErrorKind kind, std::string message) override { end(kind, std::move(message)); }

    void onHttpHead(const ResponseHead& head, std::string_view) override { m_report.head = head; }
    void onHttpBody(std::string_view bytes) override {
        m_report.body += bytes.substr(0, kMostBody - std::min(kMostBody, m_report.body.size()));
    }
    void onHttpEnd() override {}

private:
    [[nodiscard]] std::string place() const { return placeVia(m_plan.url.authority(), m_transport->facts().proxy); }

    void expired() {
        const std::string limit = fmt::format("{} s", kLimit.count());
        if (m_report.connected)
            end(ErrorKind::timeoutTotal, fmt::format("{} did not answer within {}.", place(), limit));
        else
            end(ErrorKind::timeoutConnect, openingTookTooLong(m_plan.url.authority(), m_transport->facts(), limit));
    }

    void end(ErrorKind kind, std::string message) {
        if (!m_self)
            return;
        m_deadlines.disarmAll();
        if (!m_report.connected)
            m_report.connection.proxy = m_transport->facts().proxy;
        m_transport->close();
        m_report.kind = kind;
        m_report.message = m_masker.maskWhole(message);
        // Not destroyed from within the transport's own call.
        m_network.post([self = std::exchange(m_self, nullptr)] { self->m_answer(std::move(self->m_report)); });
    }

    NetworkThread& m_network;
    Plan m_plan;
    std::function<void(CallReport)> m_answer;
    std::shared_ptr<Call> m_self; // null once it has answered
    std::unique_ptr<Transport> m_transport;
    SecretMasker m_masker;
    HttpReader m_reader;
    Deadlines m_deadlines;
    CallReport m_report;
    Instant m_openedAt{};
    Instant m_askedAt{};
};

} // namespace

Result<void> callModelList(NetworkThread& network, TransportFactory transports, const EndpointSpec& endpoint,
                           std::shared_ptr<const Secret> key, std::function<void(CallReport)> answer) {
    const auto query = modelQuery(endpoint);
    if (!query)
        return tl::unexpected(query.error());
    if (const auto allowed = checkKeyUse(query->url, endpoint, key.get()); !allowed)
        return tl::unexpected(allowed.error());
    auto target = targetFor(query->url, endpoint);
    if (!target)
        return tl::unexpected(target.error());
    auto request =
        query->post ? httpPost(query->url, query->head, "{}", key.get()) : httpGet(query->url, query->head, key.get());
    if (!request)
        return tl::unexpected(request.error());
    target->connection = ConnectionUse::fresh;
    // Shared because a std::function must be copyable; the plan is moved out of it once.
    auto plan = std::make_shared<Plan>(Plan{std::move(*target), query->url, std::move(*request), std::move(key)});
    network.post([&network, plan, transports = std::move(transports), answer = std::move(answer)] {
        std::make_shared<Call>(network, std::move(*plan), answer)->begin(transports);
    });
    return {};
}

} // namespace decodescope
