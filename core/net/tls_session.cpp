#include "core/net/tls_session.h"

#include "core/net/own_certificate.h"
#include "core/net/tls_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

namespace decodescope {

namespace {

/// Room for one record at a time.
constexpr std::size_t kRecordBytes = 16U << 10;
/// OpenSSL counts in int.
constexpr std::size_t kMostAtOnce = 1U << 30;

void addAuthorities(SSL_CTX* context, const std::string& pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
        BIO_new_mem_buf(pem.data(), static_cast<int>(std::min(pem.size(), kMostAtOnce))), &BIO_free);
    if (!bio)
        return;
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
        X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
    }
    ERR_clear_error(); // the end of the text is one
}

std::string reasonOf(int error) {
    switch (error) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        return "The certificate is self-signed, and untrusted.";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return "It is signed by an authority that is not trusted here.";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return "No authority that is trusted here has signed it.";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "It was made for another host.";
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return "The certificate has expired.";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return "The certificate is not yet valid, or this machine's clock is wrong.";
    default:
        return X509_verify_cert_error_string(error);
    }
}

bool isAddress(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

} // namespace

TlsContexts::Key TlsContexts::keyOf(const TransportTarget& target) {
    return {target.systemAuthorities, target.authoritiesPem ? *target.authoritiesPem : std::string()};
}

std::shared_ptr<ssl_ctx_st> TlsContexts::ready(const TransportTarget& target) {
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    if (!lock)
        return nullptr;
    const auto found = m_contexts.find(keyOf(target));
    return found != m_contexts.end() ? found->second : nullptr;
}

std::shared_ptr<ssl_ctx_st> TlsContexts::get(const TransportTarget& target) {
    const std::lock_guard lock(m_mutex);
    auto& kept = m_contexts[keyOf(target)];
    if (kept)
        return kept;
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    if (!context)
        return nullptr;
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // Every connection pays for a whole handshake: a resumed one would be measured as if it were the server's habit.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Bytes are given to OpenSSL as they come and go; it may drop its buffers between them.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(context.get(), &TlsSession::verify, nullptr);
    if (target.systemAuthorities)
        SSL_CTX_set_default_verify_paths(context.get());
    if (target.authoritiesPem)
        addAuthorities(context.get(), *target.authoritiesPem);
    // A certificate that somebody named is trusted as it stands, whether or not it is the root of its chain.
    X509_STORE_set_flags(SSL_CTX_get_cert_store(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
    ERR_clear_error();
    kept = std::move(context);
    return kept;
}

void TlsSession::Free::operator()(ssl_st* session) const {
    SSL_free(session);
}

TlsSession::TlsSession(std::shared_ptr<ssl_ctx_st> context, const TransportTarget& target, std::string place)
    : m_context(std::move(context))
    , m_target(target)
    , m_place(std::move(place)) {
    m_ssl.reset(m_context ? SSL_new(m_context.get()) : nullptr);
    BIO* in = m_ssl ? BIO_new(BIO_s_mem()) : nullptr;
    BIO* out = in != nullptr ? BIO_new(BIO_s_mem()) : nullptr;
    if (out == nullptr) {
        BIO_free(in);
        m_ssl.reset();
        return;
    }
    SSL_set_bio(m_ssl.get(), in, out); // owns both
    SSL_set_connect_state(m_ssl.get());
    SSL_set_app_data(m_ssl.get(), this);
    constexpr std::array<unsigned char, 9> kProtocols{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    SSL_set_alpn_protos(m_ssl.get(), kProtocols.data(), kProtocols.size());
    std::string host = m_target.host;
    if (host.ends_with('.')) // a name is written with the dot of the root, and certified without
        host.pop_back();
    if (isAddress(host)) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(m_ssl.get()), host.c_str());
    } else {
        SSL_set_hostflags(m_ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        SSL_set1_host(m_ssl.get(), host.c_str());
        SSL_set_tlsext_host_name(m_ssl.get(), host.c_str());
    }
}

TlsSession::~TlsSession() = default;

/// Called by OpenSSL when the peer's certificates are there. 1: go on.
int TlsSession::verify(x509_store_ctx_st* store, void*) {
    const auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* self = ssl != nullptr ? static_cast<TlsSession*>(SSL_get_app_data(ssl)) : nullptr;
    if (self == nullptr)
        return 0;
    self->m_certificate = certificateDigest(X509_STORE_CTX_get0_cert(store));
    const bool pinned = !self->m_certificate.empty() && self->m_certificate == self->m_target.pinnedCertificate;
    if (pinned || self->m_target.allowInvalidTls || X509_verify_cert(store) == 1) {
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    }
    self->m_distrust = reasonOf(X509_STORE_CTX_get_error(store));
    return 0;
}

void TlsSession::start() {
    if (!m_ssl)
        return fail(ErrorKind::tls, noTls(m_place, "this machine's TLS library did not start"));
    handshake();
    collectOutput();
}

void TlsSession::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(m_ssl.get());
    if (result == 1) {
        m_state = State::up;
        m_shaken = true;
    } else if (SSL_get_error(m_ssl.get(), result) != SSL_ERROR_WANT_READ) {
        failByLibrary();
    }
}

std::string TlsSession::take(std::string_view wire) {
    std::string text;
    while (!wire.empty() && m_ssl && (m_state == State::handshaking || m_state == State::up)) {
        const std::string_view part = wire.substr(0, kMostAtOnce);
        wire.remove_prefix(part.size());
        if (BIO_write(SSL_get_rbio(m_ssl.get()), part.data(), static_cast<int>(part.size())) !=
            static_cast<int>(part.size())) {
            fail(ErrorKind::tls, noTls(m_place, "out of memory"));
            break;
        }
        if (m_state == State::handshaking)
            handshake();
        if (m_state == State::up)
            readAll(text);
        collectOutput();
    }
    return text;
}

void TlsSession::readAll(std::string& text) {
    std::array<char, kRecordBytes> record; // NOLINT: filled by the read
    for (;;) {
        std::size_t got = 0;
        ERR_clear_error();
        const int result = SSL_read_ex(m_ssl.get(), record.data(), record.size(), &got);
        text.append(record.data(), got);
        if (result == 1)
            continue;
        switch (SSL_get_error(m_ssl.get(), result)) {
        case SSL_ERROR_WANT_READ:
            break;
        case SSL_ERROR_ZERO_RETURN:
            m_state = State::closed;
            break;
        default:
            failByLibrary();
        }
        return;
    }
}

void TlsSession::takeEnd() {
    if (m_state == State::handshaking)
        fail(ErrorKind::tls, closedInHandshake(m_place));
    else if (m_state == State::up)
        fail(ErrorKind::connectionClosed,
             fmt::format("{} closed the connection without the goodbye that TLS asks for, so the answer may have been "
                         "cut short.",
                         m_place));
}

void TlsSession::write(std::string_view text) {
    while (!text.empty() && m_state == State::up) {
        std::size_t written = 0;
        ERR_clear_error();
        const int result = SSL_write_ex(m_ssl.get(), text.data(), text.size(), &written);
        if (result != 1)
            failByLibrary();
        text.remove_prefix(std::min(written, text.size()));
    }
    collectOutput();
}

void TlsSession::close() {
    if (m_state != State::up && m_state != State::closed)
        return;
    ERR_clear_error();
    SSL_shutdown(m_ssl.get());
    ERR_clear_error();
    collectOutput();
}

void TlsSession::collectOutput() {
    if (!m_ssl)
        return;
    char* data = nullptr;
    BIO* out = SSL_get_wbio(m_ssl.get());
    const long size = BIO_get_mem_data(out, &data);
    if (size <= 0)
        return;
    m_output.append(data, static_cast<std::size_t>(size));
    BIO_reset(out);
}

std::string TlsSession::version() const {
    return m_shaken ? SSL_get_version(m_ssl.get()) : std::string();
}

void TlsSession::fail(ErrorKind kind, std::string sentence) {
    m_state = State::failed;
    m_troubleKind = kind;
    m_trouble = std::move(sentence);
}

void TlsSession::failByLibrary() {
    const unsigned long code = ERR_peek_error();
    const int reason = ERR_GET_REASON(code);
    const char* text = ERR_reason_error_string(code);
    std::string why = text != nullptr ? text : "unknown reason";
    if (!m_distrust.empty())
        return fail(ErrorKind::tls, untrustedCertificate(m_place, m_distrust, m_certificate, m_target.pinnedCertificate,
                                                         m_target.trustTrouble));
    if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION)
        why = "it offers versions of TLS older than 1.2 alone, which are not safe";
    // A refusal of a handshake long after ours: the answer to our refusal of another one.
    if (m_state == State::up && (reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE || reason == SSL_R_NO_RENEGOTIATION))
        why =
            "the server wanted to shake hands once more within the connection (renegotiation of TLS 1.2), which is not "
            "done here; switch that off there, or let it speak TLS 1.3";
    ERR_clear_error();
    if (m_state == State::up)
        return fail(ErrorKind::connectionClosed,
                    fmt::format("The encrypted connection to {} broke: {}.", m_place, why));
    fail(ErrorKind::tls, noTls(m_place, why));
}

} // namespace decodescope
