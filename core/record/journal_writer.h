#pragma once

#include "core/record/append_file.h"
#include "core/record/header_privacy.h"
#include "core/record/journal.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace decodescope {

/// What a sink hands over: a copy of what happened. Lines are made of it on the writer's thread.
struct JournalEntry {
    enum class Kind : std::uint8_t { line, mark, bytes, end };
    Kind kind = Kind::line;
    ErrorKind endKind = ErrorKind::none;
    std::uint32_t run = 0;
    std::uint32_t read = 0;
    Instant at{};
    Milestone milestone;
    std::string text; ///< a sealed line, raw bytes, or the sentence of an end
};

/// The thread behind a Journal, and the box that feeds it. Posting costs a copy and a short lock: the writer
/// sleeps 50 ms between batches, so that a busy stream never pays for waking it.
class JournalWriter {
public:
    JournalWriter(AppendFile file, const std::string& path);
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    void post(JournalEntry entry);
    /// Asks the thread to write what was posted, to sync and to end. Later posts are dropped.
    void finish();
    /// The same, and waits for the thread.
    void close();
    [[nodiscard]] JournalState state() const;

private:
    void run();
    std::size_t takeBatch();
    void encode(JournalEntry& entry);
    void writeBatch();
    void syncIfDue(bool now);
    void stopBecause(const std::string& reason);
    [[nodiscard]] bool failed() const;

    // Shared; guarded by m_mutex.
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<JournalEntry> m_posted;
    std::size_t m_postedBytes = 0;
    bool m_sleeping = false; // the writer waits without a time limit
    bool m_closing = false;
    bool m_refusing = false; // closed or failed: nothing is taken any more
    JournalState m_state;

    // The writer's thread alone.
    AppendFile m_file;
    std::vector<JournalEntry> m_batch;
    std::string m_lines;
    std::unordered_map<std::uint32_t, HeadMasker> m_heads; // of the runs whose head is not over yet
    bool m_syncNow = false;                                // the batch holds a first byte or an end
    bool m_dirty = false;
    Instant m_lastSync{};

    std::mutex m_closeMutex;
    std::thread m_thread;
};

} // namespace decodescope
