#include "engine/cpu/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace decodescope::engine {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

std::optional<std::uint64_t> leadingNumber(std::string_view text) {
    const std::size_t first = text.find_first_of("0123456789");
    if (first == std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data() + first, text.data() + text.size(), value);
    return fault == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> numberInFile(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line))
        return std::nullopt;
    return leadingNumber(line); // "max" has no digits: no limit
}

std::optional<std::uint64_t> machineAvailable() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("MemAvailable:", 0) == 0) {
            const std::optional<std::uint64_t> kibibytes = leadingNumber(line);
            return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> groupAvailable() {
    std::string group = "/"; // of this process, in the unified hierarchy
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("0::", 0) == 0)
            group = line.substr(3);
    }
    std::optional<std::uint64_t> least;
    for (;;) { // a parent's limit holds for the child too
        const std::string folder = "/sys/fs/cgroup" + (group == "/" ? std::string() : group);
        const std::optional<std::uint64_t> limit = numberInFile(folder + "/memory.max");
        const std::optional<std::uint64_t> used = numberInFile(folder + "/memory.current");
        if (limit && used) {
            const std::uint64_t left = *limit > *used ? *limit - *used : 0;
            least = std::min(least.value_or(left), left);
        }
        if (group.size() <= 1)
            return least;
        const std::size_t slash = group.rfind('/');
        group = slash == 0 || slash == std::string::npos ? "/" : group.substr(0, slash);
    }
}

} // namespace

std::uint64_t availableMemory() {
    constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
    return std::min(machineAvailable().value_or(kUnknown), groupAvailable().value_or(kUnknown));
}

Result<void> checkMemory(std::uint64_t bytes, std::string_view what, std::string_view remedy) {
    const std::uint64_t available = availableMemory();
    if (bytes <= available)
        return {};
    return fail(ErrorCode::memory,
                fmt::format("{} needs {} bytes ({:.1f} GB), and {:.1f} GB of memory are free: {}.", what, bytes,
                            static_cast<double>(bytes) / 1e9, static_cast<double>(available) / 1e9, remedy));
}

Arena::~Arena() {
    if (m_data)
        munmap(m_data, m_bytes);
}

Arena::Arena(Arena&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_bytes(std::exchange(other.m_bytes, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

Result<Arena> Arena::reserve(std::size_t bytes, std::string_view what, std::string_view remedy) {
    Arena arena;
    if (bytes == 0)
        return arena;
    if (auto enough = checkMemory(bytes, what, remedy); !enough)
        return tl::unexpected(enough.error());
    const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage; // 0 when that overflows
    void* const mapped =
        rounded ? mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (mapped == MAP_FAILED)
        return fail(ErrorCode::memory,
                    fmt::format("{} needs {} bytes, and the system refused them: {}.", what, bytes, remedy));
    madvise(mapped, rounded, MADV_HUGEPAGE); // a wish: without it everything works, only slower
    arena.m_data = static_cast<std::byte*>(mapped);
    arena.m_bytes = rounded;
    return arena;
}

} // namespace decodescope::engine
