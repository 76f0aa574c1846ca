#include "core/record/journal_writer.h"

#include "core/record/recording_format.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <signal.h>
#include <utility>

namespace decodescope {
namespace {

constexpr auto kBatchPause = std::chrono::milliseconds(50);
constexpr auto kSyncEvery = std::chrono::seconds(1);
constexpr std::size_t kMostWaiting = std::size_t{512} << 20;
constexpr std::size_t kWriteAt = std::size_t{1} << 20;

/// Signals belong to the program's main thread; none may end a write of ours halfway.
void blockSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
        sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::string sizeText(std::uint64_t bytes) {
    if (bytes < 1000)
        return fmt::format("{} bytes", bytes);
    if (bytes < 1'000'000)
        return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

} // namespace

JournalWriter::JournalWriter(AppendFile file, const std::string& path)
    : m_file(std::move(file)) {
    m_lastSync = SteadyClock().now();
    m_state.path = path;
    m_state.bytes = m_file.bytes();
    m_state.lastSync = m_lastSync;
    m_thread = std::thread([this] { run(); });
}

JournalWriter::~JournalWriter() {
    close();
}

void JournalWriter::post(JournalEntry entry) {
    bool wake = false;
    {
        const std::lock_guard lock(m_mutex);
        if (m_refusing)
            return;
        m_postedBytes += entry.text.size() + sizeof(JournalEntry);
        m_posted.push_back(std::move(entry));
        m_refusing = m_postedBytes > kMostWaiting; // a disk that hangs must not eat the memory
        wake = std::exchange(m_sleeping, false);
    }
    if (wake)
        m_wake.notify_one();
}

void JournalWriter::finish() {
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
        m_refusing = true;
    }
    m_wake.notify_one();
}

void JournalWriter::close() {
    const std::lock_guard once(m_closeMutex);
    if (!m_thread.joinable())
        return;
    finish();
    m_thread.join();
}

JournalState JournalWriter::state() const {
    const std::lock_guard lock(m_mutex);
    return m_state;
}

bool JournalWriter::failed() const {
    const std::lock_guard lock(m_mutex);
    return !m_state.failure.empty();
}

void JournalWriter::run() {
    blockSignals();
    bool closing = false;
    while (!closing) {
        {
            std::unique_lock lock(m_mutex);
            // With unsynced bytes about, the next sync has a time; without, there is nothing to do until a post.
            if (m_posted.empty() && !m_closing) {
                m_sleeping = true;
                const auto woken = [this] { return m_closing || !m_posted.empty(); };
                if (m_dirty)
                    m_wake.wait_for(lock, kSyncEvery, woken);
                else
                    m_wake.wait(lock, woken);
                m_sleeping = false;
            }
            if (!m_closing)
                m_wake.wait_for(lock, kBatchPause, [this] { return m_closing; });
            closing = m_closing;
        }
        try {
            const bool tooMuch = takeBatch() > kMostWaiting;
            writeBatch();
            if (tooMuch)
                stopBecause("the disk is too slow");
            syncIfDue(closing);
        } catch (const std::exception&) {
            stopBecause("memory ran out");
        }
    }
    const std::lock_guard lock(m_mutex);
    m_state.closed = true;
}

std::size_t JournalWriter::takeBatch() {
    m_batch.clear();
    const std::lock_guard lock(m_mutex);
    m_batch.swap(m_posted);
    return std::exchange(m_postedBytes, 0);
}

void JournalWriter::writeBatch() {
    const auto flush = [this] {
        if (m_lines.empty())
            return;
        if (!failed()) {
            if (const int error = m_file.append(m_lines); error != 0)
                stopBecause(diskReason(error));
            m_dirty = true;
            const std::lock_guard lock(m_mutex);
            m_state.bytes = m_file.bytes();
        }
        m_lines.clear();
    };
    for (JournalEntry& entry : m_batch) {
        encode(entry);
        if (m_lines.size() >= kWriteAt)
            flush();
    }
    flush();
}

void JournalWriter::encode(JournalEntry& entry) {
    switch (entry.kind) {
    case JournalEntry::Kind::line:
        m_lines += entry.text;
        break;
    case JournalEntry::Kind::mark:
        if (entry.milestone.kind == Milestone::Kind::started)
            m_heads[entry.run]; // from now on its head is watched for secrets
        m_syncNow |= entry.milestone.kind == Milestone::Kind::firstByte;
        appendMarkLine(m_lines, entry.run, entry.at, entry.milestone);
        break;
    case JournalEntry::Kind::bytes:
        if (entry.read == 0) {
            m_heads[entry.run];
            m_syncNow = true;
        }
        if (const auto head = m_heads.find(entry.run); head != m_heads.end()) {
            head->second.mask(entry.text);
            if (head->second.done())
                m_heads.erase(head);
        }
        appendBytesLine(m_lines, entry.run, entry.at, entry.read, entry.text);
        break;
    case JournalEntry::Kind::end:
        m_heads.erase(entry.run);
        m_syncNow = true;
        appendEndLine(m_lines, entry.run, entry.at, entry.endKind, entry.text);
        break;
    }
}

void JournalWriter::syncIfDue(bool now) {
    if (!m_dirty || failed())
        return;
    const Instant started = SteadyClock().now();
    if (!now && !std::exchange(m_syncNow, false) && started - m_lastSync < kSyncEvery)
        return;
    if (const int error = m_file.sync(); error != 0) {
        stopBecause(diskReason(error));
        return;
    }
    m_dirty = false;
    m_lastSync = SteadyClock().now();
    if (!m_file.hasName()) {
        stopBecause("the file was deleted while it was being written");
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_state.lastSync = m_lastSync;
}

void JournalWriter::stopBecause(const std::string& reason) {
    const std::lock_guard lock(m_mutex);
    m_refusing = true;
    m_dirty = false;
    if (!m_state.failure.empty())
        return;
    std::string sentence = reason;
    if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
        sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    m_state.failure = fmt::format("{}: the recording {} stopped at {}. The run goes on in memory; what was written "
                                  "before can be opened.",
                                  sentence, m_state.path, sizeText(m_file.bytes()));
}

} // namespace decodescope
