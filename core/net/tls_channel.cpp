#include "core/net/tls_channel.h"

#include <utility>

namespace decodescope {

TlsChannel::TlsChannel(std::unique_ptr<ByteChannel> below, std::shared_ptr<ssl_ctx_st> context,
                       const TransportTarget& target, std::string place)
    : ChannelFilter(std::move(below))
    , m_session(std::move(context), target, place)
    , m_place(std::move(place)) {}

TlsChannel::~TlsChannel() {
    *m_alive = false;
}

void TlsChannel::onConnected(Instant at) {
    m_began = at;
    m_session.start();
    if (m_session.state() == TlsSession::State::failed)
        return end(at);
    flush();
}

/// Hands to the layer below what the session wants to have sent.
void TlsChannel::flush() {
    if (m_session.output().empty())
        return;
    const std::string wire = std::exchange(m_session.output(), {});
    below().send(wire);
}

void TlsChannel::send(std::string_view bytes) {
    m_sending = true;
    m_session.write(bytes);
    flush();
}

void TlsChannel::onSent(Instant at) {
    // What the session sends of itself is none of the layer above's business.
    if (m_told && std::exchange(m_sending, false))
        listener().onSent(at);
}

void TlsChannel::onBytes(Instant at, std::string_view bytes) {
    if (m_ended)
        return;
    const std::shared_ptr<bool> alive = m_alive;
    const std::string text = m_session.take(bytes);
    if (!m_told && m_session.shaken()) {
        m_told = true;
        m_took = at - *m_began;
        flush(); // the handshake's last flight goes before the request
        if (!*alive)
            return;
        listener().onConnected(at);
    } else {
        flush();
    }
    if (*alive && !m_ended && !text.empty())
        listener().onBytes(at, text);
    if (*alive && (m_session.state() == TlsSession::State::closed || m_session.state() == TlsSession::State::failed))
        end(at);
}

void TlsChannel::onClosed(Instant at) {
    if (m_ended)
        return;
    m_session.takeEnd();
    end(at);
}

void TlsChannel::onFailed(Instant at, ErrorKind kind, std::string message) {
    if (std::exchange(m_ended, true))
        return;
    listener().onFailed(at, kind, std::move(message));
}

/// Tells how the session ended, once; the layer below is closed, as nothing more may come of it.
void TlsChannel::end(Instant at) {
    if (std::exchange(m_ended, true))
        return;
    below().close();
    if (m_session.state() == TlsSession::State::closed)
        listener().onClosed(at);
    else
        listener().onFailed(at, m_session.troubleKind(), m_session.trouble());
}

void TlsChannel::close() {
    if (!m_ended && m_told) {
        m_ended = true;
        m_session.close();
        flush();
    }
    m_ended = true;
    below().close();
}

bool TlsChannel::idle() const {
    return !m_ended && m_session.state() == TlsSession::State::up && ChannelFilter::idle();
}

void TlsChannel::describe(ConnectionFacts& facts) const {
    ChannelFilter::describe(facts);
    facts.tlsTook = m_took;
    facts.tlsVersion = m_session.version();
    facts.certificate = m_session.certificate();
}

} // namespace decodescope
