#pragma once

#include "core/base/clock.h"
#include "core/source/token_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Streams that nobody sent: for tests, benchmarks and trying the window out without an endpoint. They are real
/// response bytes (HTTP/1.1, chunked, server-sent events of openai-chat) and are decoded like anybody's.
namespace decodescope {

struct SyntheticStall {
    enum class Kind : std::uint8_t {
        generation, ///< the model paused: later tokens come as late as the stall was long
        delivery    ///< tokens were made in time and held back: they come all at once at its end
    };
    Kind kind = Kind::generation;
    std::uint32_t afterToken = 0; ///< it begins once this many tokens have come (1 or more)
    double lengthMs = 500;
};

/// Equal specs give equal streams, byte for byte and nanosecond for nanosecond.
struct SyntheticSpec {
    std::uint64_t seed = 1;
    std::string model = "synthetic";
    double connectMs = 2; ///< what opening the connection takes
    double ttfbMs = 20;   ///< from t0 to the response head
    double ttftMs = 150;  ///< from t0 to the first token
    double tokensPerS = 50;
    double jitter = 0.1;               ///< standard deviation of a token's time, as a part of its mean
    std::uint32_t outputTokens = 200;  ///< tokens with text
    std::uint32_t reasoningTokens = 0; ///< how many of them, from the first, are reasoning
    std::uint32_t tokensPerEvent = 1;
    std::uint32_t eventsPerRead = 1; ///< bursts: so many events are held until the last of them is there
    std::vector<SyntheticStall> stalls;
    std::uint32_t promptTokens = 24;
    /// "stop": the end token is counted in usage and has no text, as real servers have it. "length": none.
    std::string finish = "length";
    bool usage = true;            ///< a usage message at the end
    bool continuousUsage = false; ///< usage with every event
};

/// One read of a synthetic response.
struct SyntheticRead {
    Duration at{}; ///< from t0
    std::string bytes;
};

/// Makes the reads of a response one after the other. Not thread-safe.
class SyntheticStream {
public:
    explicit SyntheticStream(SyntheticSpec spec);
    ~SyntheticStream();
    SyntheticStream(SyntheticStream&&) noexcept;
    SyntheticStream& operator=(SyntheticStream&&) noexcept;

    /// The next read; nullopt after the last one.
    [[nodiscard]] std::optional<SyntheticRead> next();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// A synthetic stream as a source: delivers at pump() what is due by `clock`, stamped with the instant at which it
/// was due.
class SyntheticSource final : public TokenSource {
public:
    SyntheticSource(SyntheticSpec spec, const Clock& clock, SourceOutput output);
    ~SyntheticSource() override;

    void prepare() override;
    [[nodiscard]] bool ready() const override;
    void release(std::optional<Instant> scheduled) override;
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::synthetic; }
    [[nodiscard]] bool stampedNow() const override { return false; }
    void pump() override;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
