#include "tests/support/fault_tls.h"

#include <array>
#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace decodescope::fault {

namespace {

template <class T> T* checked(T* pointer, const char* what) {
    if (pointer == nullptr)
        throw std::runtime_error(what);
    return pointer;
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Key makeKey() {
    return {checked(EVP_EC_gen("P-256"), "key generation"), &EVP_PKEY_free};
}

void addExtension(X509* certificate, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = checked(X509V3_EXT_conf_nid(nullptr, &context, nid, value), "certificate extension");
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

/// Not signed yet, and its own issuer.
Certificate makeCertificate(const char* commonName, EVP_PKEY* key, bool expired) {
    constexpr long kDay = 24L * 3600;
    Certificate certificate(checked(X509_new(), "certificate"), &X509_free);
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), expired ? -10 * kDay : -kDay);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kDay : 10 * kDay);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(commonName), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    return certificate;
}

std::string fingerprintOf(const X509* certificate) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    X509_digest(certificate, EVP_sha256(), digest.data(), &size);
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        if (i > 0)
            text += ':';
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
    }
    return text;
}

std::string toPem(X509* certificate) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_X509(bio.get(), certificate);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

} // namespace

TlsServerContext makeTlsServerContext(const TlsOptions& options) {
    const Key key = makeKey();
    const Certificate certificate =
        makeCertificate("fault server", key.get(), options.flaw == TlsOptions::Flaw::expired);
    addExtension(certificate.get(), NID_subject_alt_name,
                 options.flaw == TlsOptions::Flaw::wrongHost ? "DNS:some.other.host"
                                                             : "DNS:localhost,IP:127.0.0.1,IP:::1");
    TlsServerContext result;
    if (options.ownAuthority) {
        const Key authorityKey = makeKey();
        const Certificate authority = makeCertificate("fault authority", authorityKey.get(), false);
        addExtension(authority.get(), NID_basic_constraints, "critical,CA:TRUE");
        X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority.get()));
        if (X509_sign(authority.get(), authorityKey.get(), EVP_sha256()) == 0 ||
            X509_sign(certificate.get(), authorityKey.get(), EVP_sha256()) == 0)
            throw std::runtime_error("certificate signature");
        result.certificatePem = toPem(authority.get());
    } else {
        addExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
        if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0)
            throw std::runtime_error("certificate signature");
        result.certificatePem = toPem(certificate.get());
    }
    result.fingerprint = fingerprintOf(certificate.get());

    result.context.reset(checked(SSL_CTX_new(TLS_server_method()), "TLS context"));
    if (options.flaw == TlsOptions::Flaw::oldVersion) {
        SSL_CTX_set_security_level(result.context.get(), 0);
        SSL_CTX_set_min_proto_version(result.context.get(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(result.context.get(), TLS1_1_VERSION);
    } else if (options.maximumVersion == 12) {
        SSL_CTX_set_max_proto_version(result.context.get(), TLS1_2_VERSION);
    }
    if (SSL_CTX_use_certificate(result.context.get(), certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(result.context.get(), key.get()) != 1)
        throw std::runtime_error("TLS context refuses its certificate");
    return result;
}

} // namespace decodescope::fault
