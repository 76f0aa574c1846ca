#include "engine/cli/checked_writer.h"

#include "engine/base/mapped_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <openssl/evp.h>
#include <system_error>
#include <unistd.h>

namespace decodescope::engine {

namespace {

struct FreeDigest {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

class Sha256 {
public:
    Sha256()
        : m_context(EVP_MD_CTX_new()) {
        m_works = m_context != nullptr && EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) == 1;
    }
    void add(std::span<const std::byte> bytes) {
        m_works = m_works && EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()) == 1;
    }
    Result<std::string> hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned length = 0;
        if (!m_works || EVP_DigestFinal_ex(m_context.get(), digest.data(), &length) != 1)
            return fail(ErrorCode::internal, "OpenSSL does not compute SHA-256 here.");
        std::string out;
        for (unsigned i = 0; i < length; ++i)
            out += fmt::format("{:02x}", digest[i]);
        return out;
    }

private:
    std::unique_ptr<EVP_MD_CTX, FreeDigest> m_context;
    bool m_works = false;
};

tl::unexpected<Error> cannot(const char* what, const std::string& path, int number) {
    return fail(ErrorCode::disk,
                fmt::format("Cannot {} {}: {}.", what, visible(path, 4'096), std::generic_category().message(number)));
}

} // namespace

struct CheckedWriter::Parts {
    std::string path;
    int descriptor = -1;
    Sha256 hash;
    ~Parts() {
        if (descriptor >= 0)
            ::close(descriptor);
    }
};

CheckedWriter::CheckedWriter(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts)) {}
CheckedWriter::CheckedWriter(CheckedWriter&&) noexcept = default;
CheckedWriter& CheckedWriter::operator=(CheckedWriter&&) noexcept = default;
CheckedWriter::~CheckedWriter() = default;

Result<CheckedWriter> CheckedWriter::create(const std::string& path) {
    auto parts = std::make_unique<Parts>();
    parts->path = path;
    parts->descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (parts->descriptor < 0)
        return cannot("create", path, errno);
    return CheckedWriter(std::move(parts));
}

Result<void> CheckedWriter::write(std::span<const std::byte> bytes) {
    m_parts->hash.add(bytes);
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_parts->descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return cannot("write", m_parts->path, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::string> CheckedWriter::finish() {
    if (::fsync(m_parts->descriptor) != 0)
        return cannot("write", m_parts->path, errno);
    const int descriptor = std::exchange(m_parts->descriptor, -1);
    if (::close(descriptor) != 0)
        return cannot("write", m_parts->path, errno);
    return m_parts->hash.hex();
}

Result<std::string> sha256OfFile(const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    Sha256 hash;
    hash.add(file->bytes());
    return hash.hex();
}

Result<void> renameDurably(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return cannot("put into place", to, errno);
    const std::size_t slash = to.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : to.substr(0, slash + 1);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return cannot("open", folder, errno);
    const bool kept = ::fsync(descriptor) == 0;
    const int number = errno;
    ::close(descriptor);
    if (!kept)
        return cannot("write", folder, number);
    return {};
}

} // namespace decodescope::engine
