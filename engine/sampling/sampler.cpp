#include "engine/sampling/sampler.h"

#include "engine/sampling/logit_math.h"
#include "engine/sampling/nucleus.h"
#include "engine/sampling/philox.h"

#include <algorithm>
#include <cmath>

namespace decodescope::engine {
namespace {

float within(float x, float low, float high, float otherwise) {
    return std::isnan(x) ? otherwise : std::clamp(x, low, high);
}

/// The same wishes in numbers that every formula below can bear.
SamplingSpec bearable(SamplingSpec spec) {
    spec.temperature = spec.temperature > 0.0F ? std::clamp(spec.temperature, 1e-4F, 1e4F) : 0.0F;
    spec.topK = std::max(spec.topK, 0);
    spec.topP = within(spec.topP, 0.0F, 1.0F, 1.0F);
    spec.minP = within(spec.minP, 0.0F, 1.0F, 0.0F);
    spec.repetitionPenalty = spec.repetitionPenalty > 0.0F ? within(spec.repetitionPenalty, 1e-3F, 1e3F, 1.0F) : 1.0F;
    spec.presencePenalty = within(spec.presencePenalty, -1e6F, 1e6F, 0.0F);
    spec.frequencyPenalty = within(spec.frequencyPenalty, -1e6F, 1e6F, 0.0F);
    std::erase_if(spec.bias, [](const auto& entry) { return std::isnan(entry.second) || entry.first < 0; });
    for (auto& entry : spec.bias)
        entry.second = std::min(entry.second, 1e9F); // minus infinity stays: it forbids
    return spec;
}

} // namespace

Sampler::Sampler(const SamplingSpec& spec, std::span<const TokenId> prompt)
    : m_spec(bearable(spec))
    , m_rawPeaks(std::make_unique<RowPeaks>())
    , m_peaks(std::make_unique<RowPeaks>()) {
    if (m_spec.repetitionPenalty != 1.0F) {
        const std::size_t kept = std::min<std::size_t>(prompt.size(), m_spec.penaltyWindow);
        m_window.assign(prompt.end() - static_cast<std::ptrdiff_t>(kept), prompt.end());
    }
}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

std::optional<SampledToken> Sampler::sample(std::span<const float> logits) {
    m_rawPeaks->measure(logits);
    if (!m_rawPeaks->finite)
        return std::nullopt;
    const std::span<const float> adjusted = adjust(logits);
    const LogitPeak peak = peakOf(adjusted, *m_peaks);
    if (std::isinf(peak.value))
        return std::nullopt; // everything was forbidden

    SampledToken token;
    token.id = greedy() ? peak.id : draw(adjusted, peak);
    if (m_spec.logprobs) {
        const RowPeaks& peaks = adjusts() ? *m_rawPeaks : *m_peaks;
        const double whole = logSumExp(logits, peaks);
        keepBest(logits, peaks, *m_spec.logprobs, token.candidates);
        for (TokenLogprob& candidate : token.candidates)
            candidate.logprob = static_cast<float>(static_cast<double>(candidate.logprob) - whole);
        const double chosen = static_cast<double>(logits[static_cast<std::size_t>(token.id)]);
        token.chosen = TokenLogprob{token.id, static_cast<float>(chosen - whole)};
    }
    return token;
}

void Sampler::accept(TokenId id) {
    ++m_accepted;
    if (m_spec.presencePenalty != 0.0F || m_spec.frequencyPenalty != 0.0F)
        ++m_generated[id];
    if (m_spec.repetitionPenalty == 1.0F || m_spec.penaltyWindow == 0)
        return;
    m_window.push_back(id);
    if (m_window.size() > 2 * std::size_t{m_spec.penaltyWindow}) // seldom, so that dropping costs little a token
        m_window.erase(m_window.begin(), m_window.end() - static_cast<std::ptrdiff_t>(m_spec.penaltyWindow));
}

bool Sampler::adjusts() const noexcept {
    return !m_window.empty() || !m_generated.empty() || !m_spec.bias.empty();
}

/// The row after penalties and bias, and m_peaks to go with it.
std::span<const float> Sampler::adjust(std::span<const float> logits) {
    if (!adjusts()) {
        std::swap(m_peaks, m_rawPeaks);
        return logits;
    }
    const auto known = [&](TokenId id) { return id >= 0 && static_cast<std::size_t>(id) < logits.size(); };
    m_adjusted.assign(logits.begin(), logits.end());
    m_changed.clear();
    const auto change = [&](TokenId id, float value) {
        m_adjusted[static_cast<std::size_t>(id)] = value;
        m_changed.push_back(static_cast<std::size_t>(id) / kLogitRun);
    };
    const auto at = [](std::span<const float> row, TokenId id) { return row[static_cast<std::size_t>(id)]; };
    const std::size_t looked = std::min<std::size_t>(m_window.size(), m_spec.penaltyWindow);
    for (const TokenId id : std::span(m_window).last(looked)) {
        if (!known(id))
            continue;
        const float raw = at(logits, id); // not the adjusted one: a token is penalised once
        change(id, raw > 0 ? raw / m_spec.repetitionPenalty : raw * m_spec.repetitionPenalty);
    }
    for (const auto& [id, count] : m_generated)
        if (known(id))
            change(id,
                   at(m_adjusted, id) - m_spec.presencePenalty - static_cast<float>(count) * m_spec.frequencyPenalty);
    for (const auto& [id, bias] : m_spec.bias)
        if (known(id))
            change(id, at(m_adjusted, id) + bias);

    *m_peaks = *m_rawPeaks;
    std::sort(m_changed.begin(), m_changed.end());
    m_changed.erase(std::unique(m_changed.begin(), m_changed.end()), m_changed.end());
    for (const std::size_t run : m_changed)
        m_peaks->measureRun(m_adjusted, run);
    return m_adjusted;
}

/// What may be chosen at all, in order of ids: the top-k, or what top-p and min-p cannot leave out unseen.
void Sampler::gatherCandidates(std::span<const float> logits, const LogitPeak& peak) {
    const auto vocabulary = logits.size();
    if (m_spec.topK > 0 && static_cast<std::size_t>(m_spec.topK) < vocabulary) {
        keepBest(logits, *m_peaks, static_cast<std::size_t>(m_spec.topK), m_candidates);
        std::sort(m_candidates.begin(), m_candidates.end(),
                  [](const TokenLogprob& a, const TokenLogprob& b) { return a.id < b.id; });
        return;
    }
    // All tokens whose weight is below (1 - p) / n of the best one's have together less than 1 - p of the mass: the
    // nucleus is whole without them. Half of it leaves room for rounding.
    double leastWeight = static_cast<double>(m_spec.minP);
    if (m_spec.topP < 1.0F)
        leastWeight =
            std::max(leastWeight, 0.5 * (1.0 - static_cast<double>(m_spec.topP)) / static_cast<double>(vocabulary));
    const float least = peak.value + static_cast<float>(std::log(leastWeight)) * m_spec.temperature; // log(0): no bound
    gatherFrom(logits, *m_peaks, least, m_candidates);
}

TokenId Sampler::draw(std::span<const float> logits, const LogitPeak& peak) {
    const double uniform = uniformOf(m_spec.seed, m_accepted);
    const bool topK = m_spec.topK > 0 && static_cast<std::size_t>(m_spec.topK) < logits.size();
    if (!topK && m_spec.topP >= 1.0F && m_spec.minP <= 0.0F)
        return drawOfAll(logits, peak, uniform);

    const float scale = 1.0F / m_spec.temperature;
    gatherCandidates(logits, peak);
    m_weighed.clear();
    double mass = 0;
    for (const TokenLogprob& candidate : m_candidates) {
        m_weighed.push_back({candidate, static_cast<double>(expOfNegative((candidate.logprob - peak.value) * scale))});
        mass += m_weighed.back().weight;
    }
    if (m_spec.topP < 1.0F) {
        if (!topK) {
            sumExpByRuns(logits, *m_peaks, peak.value, scale, m_sums);
            mass = 0;
            for (const double sum : m_sums)
                mass += sum;
        }
        const TokenLogprob edge = nucleusEdge(m_weighed, static_cast<double>(m_spec.topP) * mass);
        std::erase_if(m_candidates, [&](const TokenLogprob& candidate) { return better(edge, candidate); });
    }
    if (m_spec.minP > 0.0F) {
        const float least = peak.value + std::log(m_spec.minP) * m_spec.temperature;
        std::erase_if(m_candidates, [&](const TokenLogprob& candidate) { return candidate.logprob < least; });
    }
    m_sums.clear();
    mass = 0;
    for (const TokenLogprob& candidate : m_candidates)
        m_sums.push_back(mass += static_cast<double>(expOfNegative((candidate.logprob - peak.value) * scale)));
    const auto hit = std::upper_bound(m_sums.begin(), m_sums.end(), uniform * mass);
    const auto index = std::min<std::ptrdiff_t>(hit - m_sums.begin(), static_cast<std::ptrdiff_t>(m_sums.size()) - 1);
    return m_candidates[static_cast<std::size_t>(index)].id;
}

/// Without filters: the run that the number falls into, then the token within the run.
TokenId Sampler::drawOfAll(std::span<const float> logits, const LogitPeak& peak, double uniform) {
    const float scale = 1.0F / m_spec.temperature;
    sumExpByRuns(logits, *m_peaks, peak.value, scale, m_sums);
    double mass = 0;
    for (const double sum : m_sums)
        mass += sum;
    double left = uniform * mass;
    std::size_t run = 0;
    while (run + 1 < m_sums.size() && left >= m_sums[run])
        left -= m_sums[run++];
    const std::size_t begin = run * kLogitRun;
    const std::size_t end = std::min(begin + kLogitRun, logits.size());
    TokenId last = peak.id; // the last of any weight, where rounding leads past the run's end
    for (std::size_t i = begin; i < end; ++i) {
        const auto weight = static_cast<double>(expOfNegative((logits[i] - peak.value) * scale));
        if (weight <= 0)
            continue;
        last = static_cast<TokenId>(i);
        left -= weight;
        if (left < 0)
            break;
    }
    return last;
}

} // namespace decodescope::engine
