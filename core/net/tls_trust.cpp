#include "core/net/tls_trust.h"

#include "core/net/tls_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace decodescope {

namespace {

constexpr std::uintmax_t kMaximumPemBytes = 16 << 20;

/// The file's text, or nothing when it cannot be read or is absurdly large.
std::optional<std::string> readPem(const std::filesystem::path& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size > kMaximumPemBytes)
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

bool holdsCertificate(const std::optional<std::string>& pem) {
    return pem && pem->find("-----BEGIN CERTIFICATE-----") != std::string::npos;
}

/// All certificates of a folder, in the order of their names.
std::string readFolder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
    std::string all;
    for (const auto& file : files) {
        const auto text = readPem(file);
        if (holdsCertificate(text) && all.size() + text->size() < kMaximumPemBytes)
            all += *text + '\n';
    }
    return all;
}

/// Of several folders with colons between.
std::string readFolders(std::string_view list) {
    std::string all;
    for (;;) {
        const std::string_view folder = list.substr(0, list.find(':'));
        if (!folder.empty())
            all += readFolder(folder);
        if (folder.size() == list.size())
            return all;
        list.remove_prefix(folder.size() + 1);
    }
}

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

Result<std::string> extraAuthorities(const EndpointSpec& endpoint) {
    auto extra = readPem(endpoint.extraCaFile);
    if (!holdsCertificate(extra))
        return fail(ErrorCode::io,
                    fmt::format("The file \"{}\" of extra certificate authorities cannot be read as PEM. "
                                "Check its path and its content.",
                                endpoint.extraCaFile));
    return *std::move(extra);
}

} // namespace

Result<void> checkAuthorities(const EndpointSpec& endpoint) {
    if (endpoint.extraCaFile.empty())
        return {};
    if (const auto extra = extraAuthorities(endpoint); !extra)
        return tl::unexpected(extra.error());
    return {};
}

Result<TransportTarget> targetFor(const Url& url, const EndpointSpec& endpoint) {
    TransportTarget target;
    target.host = url.host;
    target.port = url.port;
    target.tls = url.tls();
    target.loopback = url.loopback();
    target.allowInvalidTls = endpoint.allowInvalidTls;
    target.connection = endpoint.connection;
    if (!target.tls)
        return target;

    if (!endpoint.pinnedCertificate.empty()) {
        target.pinnedCertificate = normalFingerprint(endpoint.pinnedCertificate);
        if (target.pinnedCertificate.empty())
            return fail(ErrorCode::usage, "The pinned certificate is no SHA-256 fingerprint: it takes 64 hexadecimal "
                                          "digits, as in AB:CD:....");
    }

    std::string pem;
    if (const char* file = variable("SSL_CERT_FILE")) {
        target.systemAuthorities = false;
        const auto found = readPem(file);
        if (holdsCertificate(found))
            pem += *found + '\n';
        else
            target.trustTrouble =
                fmt::format("SSL_CERT_FILE names \"{}\", which holds no certificate that can be read, "
                            "and it takes the place of this machine's own.",
                            file);
    }
    if (const char* folder = variable("SSL_CERT_DIR")) {
        target.systemAuthorities = false;
        const std::string found = readFolders(folder);
        if (found.empty())
            target.trustTrouble +=
                fmt::format("{}SSL_CERT_DIR names \"{}\", which holds no certificate that can be read, "
                            "and it takes the place of this machine's own.",
                            target.trustTrouble.empty() ? "" : " ", folder);
        pem += found;
    }
    if (!endpoint.extraCaFile.empty()) {
        const auto extra = extraAuthorities(endpoint);
        if (!extra)
            return tl::unexpected(extra.error());
        pem += *extra;
    }
    if (!pem.empty())
        target.authoritiesPem = std::make_shared<const std::string>(std::move(pem));
    return target;
}

} // namespace decodescope
