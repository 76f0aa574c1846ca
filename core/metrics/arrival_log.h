#pragma once

#include "core/metrics/metrics.h"

#include <cstdint>
#include <vector>

/// The arrivals of a run with their tokens added up, as it grows. Inside core/metrics only.
namespace decodescope {

/// One arrival (metrics.md section 1) in whole units; tokens are units x the log's scale.
struct ArrivalRow {
    Instant at{};
    std::uint32_t read = 0;
    std::uint32_t firstEvent = 0;
    std::uint32_t eventCount = 0;
    std::uint64_t units = 0;
    std::uint64_t total = 0; ///< units up to and including this arrival
};

class ArrivalLog {
public:
    explicit ArrivalLog(double scale = 1.0)
        : m_scale(scale) {}

    /// Takes the next event; returns whether it opened a new arrival (otherwise it joined the last one).
    bool add(const TokenEvent& event, std::uint32_t index, std::uint32_t units);

    [[nodiscard]] std::size_t size() const noexcept { return m_rows.size(); }
    [[nodiscard]] bool empty() const noexcept { return m_rows.empty(); }
    [[nodiscard]] const ArrivalRow& operator[](std::size_t i) const { return m_rows[i]; }
    [[nodiscard]] const ArrivalRow& back() const { return m_rows.back(); }
    [[nodiscard]] double scale() const noexcept { return m_scale; }
    /// Tokens of arrival i, and of all up to and including it.
    [[nodiscard]] double tokens(std::size_t i) const { return m_scale * static_cast<double>(m_rows[i].units); }
    [[nodiscard]] double total(std::size_t i) const { return m_scale * static_cast<double>(m_rows[i].total); }
    /// The first arrival later than an instant; size() when none.
    [[nodiscard]] std::size_t firstAfter(Instant instant) const;
    /// Gap before arrival i >= 1, in nanoseconds.
    [[nodiscard]] std::int64_t gapNs(std::size_t i) const { return toNs(m_rows[i].at - m_rows[i - 1].at); }
    /// The first arrival that brought tokens: rates count from it. size() while there is none. It differs from 0
    /// only when a summary of hidden reasoning came first.
    [[nodiscard]] std::size_t base() const noexcept { return m_base; }
    /// Gap per token before arrival i, in picoseconds; 0 where it is not defined.
    [[nodiscard]] std::int64_t perTokenPs(std::size_t i) const;
    /// The first arrival by which `token` (from 1) had come; size() when none.
    [[nodiscard]] std::size_t covering(double token) const;

private:
    std::vector<ArrivalRow> m_rows;
    double m_scale;
    std::size_t m_base = 0;
};

} // namespace decodescope
