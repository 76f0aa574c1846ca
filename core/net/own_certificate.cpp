#include "core/net/own_certificate.h"

#include <fmt/format.h>

#include <array>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace decodescope {

std::string certificateDigest(const x509_st* certificate) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1)
        return {};
    std::string text;
    for (unsigned int i = 0; i < size; ++i)
        text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
    return text;
}

Result<OwnCertificate> makeOwnCertificate() {
    constexpr long kDay = 24L * 3600;
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
    OwnCertificate own;
    own.context.reset(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
    bool good = key && certificate && own.context;
    if (good) {
        X509_NAME* name = X509_get_subject_name(certificate.get());
        const auto* words = reinterpret_cast<const unsigned char*>("decodescope on loopback");
        good = X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, words, -1, -1, 0) == 1 &&
               X509_set_issuer_name(certificate.get(), name) == 1 &&
               X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay) != nullptr &&
               X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kDay) != nullptr &&
               X509_set_pubkey(certificate.get(), key.get()) == 1 &&
               X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
               SSL_CTX_use_certificate(own.context.get(), certificate.get()) == 1 &&
               SSL_CTX_use_PrivateKey(own.context.get(), key.get()) == 1;
    }
    ERR_clear_error();
    if (!good)
        return fail(ErrorCode::internal, "This machine's TLS library could not make a certificate.");
    own.sha256 = certificateDigest(certificate.get());
    return own;
}

} // namespace decodescope
