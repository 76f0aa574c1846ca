#include "tests/support/fault_tls.h"

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

void addExtension(X509* certificate, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = checked(X509V3_EXT_conf_nid(nullptr, &context, nid, value), "certificate extension");
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
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
    constexpr long kDay = 24L * 3600;
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(checked(EVP_EC_gen("P-256"), "key generation"),
                                                                  &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(checked(X509_new(), "certificate"), &X509_free);
    const bool expired = options.flaw == TlsOptions::Flaw::expired;
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), expired ? -10 * kDay : -kDay);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kDay : 10 * kDay);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("fault server"), -1, -1,
                               0);
    X509_set_issuer_name(certificate.get(), name);
    addExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    addExtension(certificate.get(), NID_subject_alt_name,
                 options.flaw == TlsOptions::Flaw::wrongHost ? "DNS:some.other.host"
                                                             : "DNS:localhost,IP:127.0.0.1,IP:::1");
    if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0)
        throw std::runtime_error("certificate signature");

    TlsServerContext result;
    result.context.reset(checked(SSL_CTX_new(TLS_server_method()), "TLS context"));
    if (SSL_CTX_use_certificate(result.context.get(), certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(result.context.get(), key.get()) != 1)
        throw std::runtime_error("TLS context refuses its certificate");
    result.certificatePem = toPem(certificate.get());
    return result;
}

} // namespace decodescope::fault
