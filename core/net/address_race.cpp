#include "core/net/address_race.h"

#include "core/net/stamped_read.h"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace decodescope {

namespace {

/// A refusal tells more than silence, and that more than a family that this machine does not have.
int weight(int error) {
    switch (error) {
    case ECONNREFUSED:
        return 3;
    case ETIMEDOUT:
        return 2;
    case ENETUNREACH:
    case EAFNOSUPPORT:
    case EADDRNOTAVAIL:
        return 0;
    default:
        return 1;
    }
}

} // namespace

/// One address being tried.
class AddressRace::Attempt final : public SocketPoller::Client {
public:
    Attempt(AddressRace& race, const SocketAddress& address)
        : m_race(race)
        , m_address(address) {}
    ~Attempt() { leave(); }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    /// 0, or why there is nothing to wait for.
    int begin() {
        m_descriptor =
            SocketDescriptor(::socket(m_address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
        if (!m_descriptor.open())
            return errno;
        const int on = 1;
        ::setsockopt(m_descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        askForStamps(m_descriptor.get());
        m_begun = m_race.m_net.clock.now();
        if (::connect(m_descriptor.get(), m_address.raw(), m_address.length) != 0 && errno != EINPROGRESS)
            return errno;
        m_ticket = m_race.m_net.poller.add(m_descriptor.get(), SocketPoller::Wait::toWrite, *this);
        return m_ticket != 0 ? 0 : EMFILE;
    }
    void onReady() override {
        int error = 0;
        socklen_t size = sizeof error;
        if (::getsockopt(m_descriptor.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
            error = errno;
        m_race.attemptEnded(*this, error);
    }
    [[nodiscard]] RaceResult win() {
        leave();
        return {std::move(m_descriptor), m_address, m_begun, 0};
    }

private:
    void leave() {
        if (m_ticket != 0)
            m_race.m_net.poller.remove(m_ticket);
        m_ticket = 0;
    }

    AddressRace& m_race;
    SocketAddress m_address;
    SocketDescriptor m_descriptor;
    SocketPoller::Ticket m_ticket = 0;
    Instant m_begun{};
};

AddressRace::AddressRace(KernelNet& net, const std::vector<SocketAddress>& addresses,
                         std::function<void(RaceResult)> done)
    : m_net(net)
    , m_addresses(interleaved(addresses))
    , m_done(std::move(done)) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.callOnTimeout([this] { next(); });
    m_timer.start(0);
}

AddressRace::~AddressRace() = default;

void AddressRace::next() {
    while (m_tried < m_addresses.size()) {
        auto attempt = std::make_unique<Attempt>(*this, m_addresses[m_tried++]);
        if (const int error = attempt->begin(); error != 0) {
            note(error);
            continue;
        }
        m_attempts.push_back(std::move(attempt));
        if (m_tried < m_addresses.size())
            m_timer.start(std::chrono::ceil<std::chrono::milliseconds>(m_net.options.headStart));
        return;
    }
    if (m_attempts.empty())
        finish({SocketDescriptor(), {}, {}, m_error});
}

void AddressRace::attemptEnded(Attempt& attempt, int error) {
    if (error == 0) {
        finish(attempt.win());
        return;
    }
    note(error);
    std::erase_if(m_attempts, [&](const auto& one) { return one.get() == &attempt; });
    next();
}

void AddressRace::note(int error) {
    if (m_error == 0 || weight(error) > weight(m_error))
        m_error = error;
}

void AddressRace::finish(RaceResult result) {
    m_timer.stop();
    m_attempts.clear();
    const auto done = std::exchange(m_done, nullptr);
    done(std::move(result)); // may destroy us
}

} // namespace decodescope
