#pragma once

#include "core/net/remote_source.h"
#include "tests/support/fault_server.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decodescope {

/// For comparisons in tests, which print it.
[[nodiscard]] inline std::string nameOf(ErrorKind kind) {
    return kind == ErrorKind::none ? "none" : std::string(toString(kind));
}

/// A journal that keeps everything in memory.
class KeepingSink final : public RawSink {
public:
    struct Chunk {
        Instant at{};
        std::uint32_t read = 0;
        std::string bytes;
    };
    void onChunk(Instant at, std::uint32_t read, std::string_view bytes) override {
        const std::lock_guard lock(m_mutex);
        m_chunks.push_back({at, read, std::string(bytes)});
    }
    void onMilestone(Instant, const Milestone& milestone) override {
        const std::lock_guard lock(m_mutex);
        m_milestones.push_back(milestone.kind);
    }
    void onEnd(Instant, ErrorKind kind, std::string_view message) override {
        const std::lock_guard lock(m_mutex);
        m_ends.emplace_back(kind, message);
    }
    void onStamps(Instant, const StampReport& stamps) override {
        const std::lock_guard lock(m_mutex);
        m_stamps.push_back(stamps);
    }
    [[nodiscard]] std::vector<StampReport> stamps() const {
        const std::lock_guard lock(m_mutex);
        return m_stamps;
    }
    [[nodiscard]] std::vector<Chunk> chunks() const {
        const std::lock_guard lock(m_mutex);
        return m_chunks;
    }
    [[nodiscard]] std::string bytes() const {
        std::string all;
        for (const Chunk& chunk : chunks())
            all += chunk.bytes;
        return all;
    }
    [[nodiscard]] std::vector<Milestone::Kind> milestones() const {
        const std::lock_guard lock(m_mutex);
        return m_milestones;
    }
    [[nodiscard]] std::vector<std::pair<ErrorKind, std::string>> ends() const {
        const std::lock_guard lock(m_mutex);
        return m_ends;
    }

private:
    mutable std::mutex m_mutex;
    std::vector<Chunk> m_chunks;
    std::vector<Milestone::Kind> m_milestones;
    std::vector<std::pair<ErrorKind, std::string>> m_ends;
    std::vector<StampReport> m_stamps;
};

/// One run as a session drives it, with everything it delivered.
class SourceProbe {
public:
    SourceProbe(const SourceFactory& factory, const RunSpec& spec)
        : m_source(factory(spec, {m_mailbox, m_sink})) {}

    [[nodiscard]] static RunSpec specFor(const std::string& url) {
        RunSpec spec;
        spec.endpoint.url = url;
        spec.endpoint.model = "m";
        spec.prompt = "Say something";
        spec.timeouts.connect = std::chrono::seconds(20);
        spec.timeouts.firstToken = std::chrono::seconds(30);
        spec.timeouts.idle = std::chrono::seconds(30);
        return spec;
    }

    void prepare() { m_source->prepare(); }
    bool waitReady() {
        return fault::FaultServer::waitFor([this] { return m_source->ready(); });
    }
    void release() { m_source->release({}); }
    void cancel(ErrorKind kind = ErrorKind::cancelled) { m_source->cancel(kind); }
    void destroy() { m_source.reset(); }
    [[nodiscard]] TokenSource& source() { return *m_source; }
    [[nodiscard]] const KeepingSink& sink() const { return *m_sink; }

    /// prepare, wait, release, wait for the end.
    bool run() {
        prepare();
        if (!waitReady())
            return false;
        release();
        return waitEnd();
    }
    bool waitEnd(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
        return fault::FaultServer::waitFor([this] { return end() != nullptr; }, limit);
    }
    bool waitText(std::size_t bytes) {
        return fault::FaultServer::waitFor([this, bytes] { return text().size() >= bytes; });
    }

    /// Everything delivered so far.
    const std::vector<StreamEvent>& events() {
        std::vector<StreamEvent> batch;
        m_mailbox->drain(batch);
        m_events.insert(m_events.end(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
        return m_events;
    }
    /// The end, when it is the last event; null before.
    const StreamEnd* end() {
        const auto& all = events();
        return all.empty() ? nullptr : std::get_if<StreamEnd>(&all.back().what);
    }
    Instant endedAt() { return events().back().at; }
    [[nodiscard]] int ends() {
        const auto& all = events();
        return static_cast<int>(std::count_if(all.begin(), all.end(), [](const StreamEvent& event) {
            return std::holds_alternative<StreamEnd>(event.what);
        }));
    }
    std::string text() {
        std::string all;
        for (const StreamEvent& event : events()) {
            if (const auto* delta = std::get_if<TokenDelta>(&event.what)) {
                for (const Fragment& fragment : delta->fragments)
                    all += fragment.text;
            }
        }
        return all;
    }
    std::optional<Instant> at(Milestone::Kind kind) {
        const auto* found = milestone(kind);
        return found == nullptr ? std::nullopt : std::optional(found->first);
    }
    const std::pair<Instant, Milestone>* milestone(Milestone::Kind kind) {
        m_found.reset();
        for (const StreamEvent& event : events()) {
            if (const auto* one = std::get_if<Milestone>(&event.what); one != nullptr && one->kind == kind)
                m_found = std::pair(event.at, *one);
        }
        return m_found ? &*m_found : nullptr;
    }
    /// "error/auth: sentence", for comparisons and failure messages.
    std::string outcome() {
        const StreamEnd* last = end();
        if (last == nullptr)
            return "no end";
        static constexpr std::string_view kVerdicts[] = {"complete", "incomplete", "error"};
        return std::string(kVerdicts[static_cast<std::size_t>(last->verdict)]) + "/" + nameOf(last->kind);
    }
    std::string message() { return end() == nullptr ? std::string() : end()->message; }

private:
    std::shared_ptr<EventMailbox> m_mailbox = std::make_shared<EventMailbox>();
    std::shared_ptr<KeepingSink> m_sink = std::make_shared<KeepingSink>();
    std::unique_ptr<TokenSource> m_source;
    std::vector<StreamEvent> m_events;
    std::optional<std::pair<Instant, Milestone>> m_found;
};

} // namespace decodescope
