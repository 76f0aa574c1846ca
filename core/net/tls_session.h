#pragma once

#include "core/net/transport.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

struct ssl_ctx_st;
struct ssl_st;
struct x509_store_ctx_st;

namespace decodescope {

/// Settings of OpenSSL, one for each set of trusted authorities: reading a bundle costs milliseconds, which streams in
/// flight would feel. Thread-safe, so that get() can run beside the network thread.
class TlsContexts {
public:
    /// Null when OpenSSL itself cannot start.
    [[nodiscard]] std::shared_ptr<ssl_ctx_st> get(const TransportTarget& target);
    /// The same where nothing has to be read or waited for; null otherwise.
    [[nodiscard]] std::shared_ptr<ssl_ctx_st> ready(const TransportTarget& target);

private:
    using Key = std::tuple<bool, std::string>;
    [[nodiscard]] static Key keyOf(const TransportTarget& target);
    std::mutex m_mutex;
    std::map<Key, std::shared_ptr<ssl_ctx_st>> m_contexts;
};

/// One TLS 1.2 or 1.3 client connection as a pure object: bytes of the wire in, text out, and the other way. It owns no
/// socket and no clock, so whoever read the bytes knows which read completed which text: all that take() returns
/// belongs to the bytes it was given. Any bytes are safe to take. Not thread-safe.
class TlsSession {
public:
    enum class State {
        handshaking,
        up,
        closed, ///< the peer said goodbye (close_notify); what was returned is whole
        failed  ///< see trouble()
    };

    /// `place` is "host:port" for sentences.
    TlsSession(std::shared_ptr<ssl_ctx_st> context, const TransportTarget& target, std::string place);
    ~TlsSession();
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;

    /// Begins the handshake: output() holds its first flight then.
    void start();
    /// Takes one read. Returns the text that it completed; records that are not whole yet wait for the rest. What must
    /// be answered (handshake, key update, alert) appears in output().
    [[nodiscard]] std::string take(std::string_view wire);
    /// The TCP connection ended. Without a goodbye before, the session is `failed`: what came may have been cut short
    /// by anybody on the way.
    void takeEnd();
    /// Encrypts into output(). Only while up.
    void write(std::string_view text);
    /// Says goodbye, into output().
    void close();

    /// What is to be sent to the peer, in order. The owner clears what it has sent.
    [[nodiscard]] std::string& output() { return m_output; }
    [[nodiscard]] State state() const { return m_state; }
    /// A sentence for a person, once failed.
    [[nodiscard]] const std::string& trouble() const { return m_trouble; }
    [[nodiscard]] ErrorKind troubleKind() const { return m_troubleKind; }
    /// Whether the handshake has succeeded, whatever came after.
    [[nodiscard]] bool shaken() const { return m_shaken; }
    /// "TLSv1.3", once shaken.
    [[nodiscard]] std::string version() const;
    /// SHA-256 of the peer's certificate, "AB:CD:..."; empty before it came.
    [[nodiscard]] const std::string& certificate() const { return m_certificate; }

private:
    static int verify(x509_store_ctx_st* store, void*);
    friend class TlsContexts;
    void handshake();
    void readAll(std::string& text);
    void fail(ErrorKind kind, std::string sentence);
    void failByLibrary();
    void collectOutput();

    struct Free {
        void operator()(ssl_st* session) const;
    };

    std::shared_ptr<ssl_ctx_st> m_context;
    std::unique_ptr<ssl_st, Free> m_ssl; // null: it could not be made
    TransportTarget m_target;
    std::string m_place;
    State m_state = State::handshaking;
    bool m_shaken = false;
    std::string m_output;
    std::string m_trouble;
    ErrorKind m_troubleKind = ErrorKind::tls;
    std::string m_certificate;
    std::string m_distrust; // why the certificate was refused
};

} // namespace decodescope
