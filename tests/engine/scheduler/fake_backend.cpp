#include "tests/engine/scheduler/fake_backend.h"

#include "engine/base/steady_time.h"
#include "tests/engine/scheduler/fake_tokenizer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace decodescope::engine {
namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

} // namespace

std::uint64_t FakeModel::grow(std::uint64_t prefix, TokenId token) {
    return mixed(prefix + 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(token));
}

std::vector<float> FakeModel::logits(std::uint64_t prefix, std::span<const TokenId> lastTokens) const {
    std::uint64_t state = seed;
    if (memory == 0)
        state ^= prefix;
    for (const TokenId token : lastTokens)
        state = grow(state, token);
    std::vector<float> row(static_cast<std::size_t>(vocabulary));
    for (float& x : row)
        x = static_cast<float>((state = mixed(state + 0x9E3779B97F4A7C15ULL)) >> 40) * 0x1.0p-22F; // 0 to 4
    row[FakeTokenizer::kEnd] += endBonus;
    return row;
}

std::vector<float> FakeModel::logits(std::span<const TokenId> tokens) const {
    std::uint64_t prefix = 0;
    for (const TokenId token : tokens)
        prefix = grow(prefix, token);
    return logits(prefix, tokens.last(std::min(tokens.size(), static_cast<std::size_t>(memory))));
}

std::vector<TokenId> FakeModel::answer(const GenerationRequest& request, std::uint32_t maxTokens) const {
    Sampler sampler(request.sampling, request.prompt);
    std::vector<TokenId> all = request.prompt;
    while (all.size() < request.prompt.size() + maxTokens) {
        const TokenId id = sampler.sample(logits(all))->id;
        sampler.accept(id);
        all.push_back(id);
        if (id == FakeTokenizer::kEnd && !request.ignoreEos)
            break;
    }
    return {all.begin() + static_cast<std::ptrdiff_t>(request.prompt.size()), all.end()};
}

void FakeWatch::fault(const std::string& what) {
    const std::lock_guard lock(m_mutex);
    if (m_faults.size() < 1000)
        m_faults += what + "\n";
}

std::string FakeWatch::faults() const {
    const std::lock_guard lock(m_mutex);
    return m_faults;
}

FakeBackend::FakeBackend(const FakeModel& model, const BackendOptions& options, std::shared_ptr<FakeWatch> watch)
    : m_model(model)
    , m_options(options)
    , m_watch(std::move(watch))
    , m_places(std::size_t{options.kvBlocks} * kKvBlockTokens) {}

FakeBackend::Place& FakeBackend::at(const SequenceSlice& slice, std::uint32_t position) {
    return m_places[std::size_t{slice.blocks[position / kKvBlockTokens]} * kKvBlockTokens + position % kKvBlockTokens];
}

void FakeBackend::checkShape(std::span<const SequenceSlice> slices) {
    if (slices.empty())
        m_watch->fault("a step of nothing");
    std::map<std::uint32_t, int> readers;
    std::set<std::uint32_t> written;
    std::size_t rows = 0;
    std::size_t logitsRows = 0;
    for (const SequenceSlice& slice : slices) {
        const std::size_t end = slice.firstPosition + slice.tokens.size();
        if (slice.tokens.empty() || slice.logitsFrom > slice.tokens.size())
            m_watch->fault("a slice of no rows");
        if (slice.blocks.size() != (end + kKvBlockTokens - 1) / kKvBlockTokens)
            m_watch->fault("a block table of another length than its positions need");
        for (const std::uint32_t block : std::set<std::uint32_t>(slice.blocks.begin(), slice.blocks.end()))
            ++readers[block];
        for (std::size_t i = slice.firstPosition / kKvBlockTokens; i < slice.blocks.size(); ++i)
            if (!written.insert(slice.blocks[i]).second)
                m_watch->fault("two slices write one block");
        rows += slice.tokens.size();
        logitsRows += slice.tokens.size() - slice.logitsFrom;
    }
    for (const std::uint32_t block : written)
        if (readers[block] != 1)
            m_watch->fault("a block is written that another sequence has");
    if (rows > m_options.maxRows || logitsRows > m_options.maxLogitsRows)
        m_watch->fault("more rows than the backend takes");
    m_watch->mostRows = std::max(m_watch->mostRows, static_cast<std::uint32_t>(rows));
}

void FakeBackend::run(const SequenceSlice& slice) {
    std::uint64_t prefix = 0;
    std::vector<TokenId> before;
    for (std::uint32_t position = 0; position < slice.firstPosition; ++position) {
        const Place& place = at(slice, position);
        prefix = FakeModel::grow(prefix, place.token);
        before.push_back(place.token);
        if (place.position != position || place.prefix != prefix)
            m_watch->fault("position " + std::to_string(position) + " does not hold what was computed for it");
    }
    for (std::uint32_t row = 0; row < slice.tokens.size(); ++row) {
        const std::uint32_t position = slice.firstPosition + row;
        prefix = FakeModel::grow(prefix, slice.tokens[row]);
        before.push_back(slice.tokens[row]);
        at(slice, position) = {slice.tokens[row], position, prefix};
        if (row < slice.logitsFrom)
            continue;
        const auto last = std::span(before).last(std::min(before.size(), static_cast<std::size_t>(m_model.memory)));
        std::vector<float> logits = m_model.logits(prefix, last);
        if (m_watch->spoilRow && m_watch->spoilRow(position))
            logits[3] = std::numeric_limits<float>::quiet_NaN();
        m_logits.insert(m_logits.end(), logits.begin(), logits.end());
    }
}

Result<StepOutput> FakeBackend::step(std::span<const SequenceSlice> slices) {
    StepOutput output;
    output.timings.beginNs = steadyNs();
    const std::uint64_t step = m_watch->steps++;
    if (m_watch->onStep)
        m_watch->onStep(step, slices);
    checkShape(slices);
    m_logits.clear();
    if (!m_watch->faults().empty() || (m_watch->failStep && m_watch->failStep(step)))
        return fail(ErrorCode::internal, "The fake backend was told to fail.");
    for (const SequenceSlice& slice : slices)
        run(slice);
    output.logits = m_logits;
    output.timings.endNs = steadyNs();
    output.timings.headNs = 1;
    if (m_watch->recording)
        output.timings.spans = {{PhaseSpan::Phase::embed, 0, output.timings.beginNs, output.timings.beginNs},
                                {PhaseSpan::Phase::attention, 7, output.timings.beginNs, output.timings.endNs}};
    return output;
}

void FakeBackend::copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) {
    ++m_watch->copies;
    if (from == to || tokens == 0 || tokens >= kKvBlockTokens)
        m_watch->fault("a copy of no sense");
    for (std::uint32_t i = 0; i < kKvBlockTokens; ++i)
        m_places[std::size_t{to} * kKvBlockTokens + i] =
            i < tokens ? m_places[std::size_t{from} * kKvBlockTokens + i] : Place{};
}

BackendFacts FakeBackend::facts() const {
    BackendFacts facts;
    facts.device = "fake";
    return facts;
}

} // namespace decodescope::engine
