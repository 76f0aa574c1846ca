#include "engine/scheduler/sequence.h"

#include "engine/base/steady_time.h"

#include <algorithm>
#include <utility>

namespace decodescope::engine {

Sequence::Sequence(GenerationRequest request, GenerationSink sink, const Tokenizer& tokenizer,
                   std::uint32_t draftTokens)
    : m_sink(std::move(sink))
    , m_tokenizer(tokenizer)
    , m_promptTokens(static_cast<std::uint32_t>(request.prompt.size()))
    , m_maxTokens(request.maxTokens)
    , m_ignoreEos(request.ignoreEos)
    , m_cacheUse(request.usePrefixCache ? CacheUse::prefixes : CacheUse::none)
    , m_receivedNs(request.receivedNs > 0 ? request.receivedNs : steadyNs())
    , m_tokens(std::move(request.prompt))
    , m_sampler(request.sampling, m_tokens)
    , m_detokenizer(tokenizer)
    , m_stops(std::move(request.stop)) {
    m_facts.tokens = m_promptTokens;
    if (request.speculate && m_sampler.greedy() && draftTokens > 0)
        m_lookup.emplace(draftTokens);
}

void Sequence::admitted() {
    m_kvLength = lease.cached;
    m_facts.cached = lease.cached;
    if (m_sink.onProgress)
        m_sink.onProgress(m_kvLength, m_promptTokens);
}

void Sequence::caughtUp(std::uint32_t positions) {
    m_facts.cached += positions - m_kvLength;
    m_kvLength = positions;
}

bool Sequence::follows(const Sequence& leader) const {
    const auto& nodes = lease.nodes;
    const auto& ahead = leader.lease.nodes;
    const bool alike = !decoding() && !leader.decoding() && cacheUse() == CacheUse::prefixes &&
                       leader.cacheUse() == CacheUse::prefixes && ahead.size() == nodes.size() &&
                       (nodes.empty() || ahead.back() == nodes.back()); // the same node: the same tokens up to there
    const std::size_t begin = nodes.size() * kKvBlockTokens;
    const std::size_t end = begin + kKvBlockTokens;
    return alike && end < m_promptTokens && end <= leader.m_promptTokens &&
           std::equal(m_tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                      m_tokens.begin() + static_cast<std::ptrdiff_t>(end),
                      leader.m_tokens.begin() + static_cast<std::ptrdiff_t>(begin));
}

StepWish Sequence::wish() {
    StepWish wish{static_cast<std::uint32_t>(m_tokens.size()) - m_kvLength, decoding(), 0};
    m_draft = {};
    // A draft's last token brings one more; so the last that may be generated is never drafted.
    if (m_lookup && decoding() && generated() + 1 < m_maxTokens)
        m_draft = m_lookup->draft(m_tokens, m_maxTokens - generated() - 1);
    wish.drafts = static_cast<std::uint32_t>(m_draft.size());
    return wish;
}

SequenceSlice Sequence::slice(StepShare share, std::int64_t stepBeginNs) {
    m_share = share;
    if (m_facts.chunks == 0) {
        m_firstStepNs = stepBeginNs;
        m_facts.queueNs = stepBeginNs - m_receivedNs;
    }
    if (!decoding())
        ++m_facts.chunks;
    m_draft = m_draft.first(share.drafts);
    SequenceSlice slice;
    slice.tokens = std::span(m_tokens).subspan(m_kvLength, share.rows);
    if (!m_draft.empty()) {
        m_checked.assign(1, m_tokens.back());
        m_checked.insert(m_checked.end(), m_draft.begin(), m_draft.end());
        slice.tokens = m_checked;
    }
    slice.firstPosition = m_kvLength;
    slice.blocks = std::span(lease.blocks).first(KvSpace::blocksFor(positionsAfter(share)));
    const bool samples = m_kvLength + share.rows == m_tokens.size();
    slice.logitsFrom = samples ? share.rows - 1 : share.rows;
    return slice;
}

Sequence::Outcome Sequence::advance(std::span<const float> logits, std::size_t vocabulary, StepFacts& step) {
    m_kvLength += m_share.rows;
    if (!decoding() && m_sink.onProgress)
        m_sink.onProgress(m_kvLength, m_promptTokens);
    if (logits.empty())
        return {};

    Outcome outcome;
    GenerationEvent event;
    event.position = static_cast<std::uint32_t>(m_tokens.size());
    event.drafted = m_share.drafts;
    outcome.samplingBeginNs = steadyNs();
    sampleRows(logits, vocabulary, event);
    outcome.sampledAtNs = event.sampledAtNs = steadyNs();
    step.samplingNs += outcome.sampledAtNs - outcome.samplingBeginNs;
    step.endNs = outcome.sampledAtNs;
    if (!m_sentFirst)
        m_facts.prefillNs = outcome.sampledAtNs - m_firstStepNs;
    detokenise(event);
    m_kvLength = static_cast<std::uint32_t>(m_tokens.size()) - 1; // positions of refused drafts are written over
    event.kvLength = m_kvLength;
    event.step = step;
    outcome.detokenisedNs = steadyNs();
    outcome.drafted = event.drafted;
    outcome.accepted = event.accepted;
    send(std::move(event));
    if (m_lookup)
        m_lookup->learn(outcome.drafted, outcome.accepted);
    return outcome;
}

/// One token a row, for as long as the rows' inputs are what the sequence holds: a draft that was not sampled makes the
/// rows after it worthless.
void Sequence::sampleRows(std::span<const float> logits, std::size_t vocabulary, GenerationEvent& event) {
    for (std::size_t row = 0; row <= m_draft.size(); ++row) {
        std::optional<SampledToken> token = m_sampler.sample(logits.subspan(row * vocabulary, vocabulary));
        if (!token) {
            event.finish = FinishReason::error;
            event.message = "The model's output at position " + std::to_string(m_tokens.size()) +
                            " holds no usable numbers. The file may be damaged; try another quantisation of the model.";
            return;
        }
        const TokenId id = token->id;
        m_sampler.accept(id);
        m_tokens.push_back(id);
        event.tokens.push_back(std::move(*token));
        const bool drafted = row < m_draft.size() && m_draft[row] == id;
        event.accepted += drafted;
        if (!m_ignoreEos && m_tokenizer.endsGeneration(id))
            event.finish = FinishReason::stop;
        else if (generated() >= m_maxTokens)
            event.finish = FinishReason::length;
        if (event.finish || !drafted)
            return;
    }
}

void Sequence::detokenise(GenerationEvent& event) {
    const bool endToken = event.finish == FinishReason::stop;
    for (std::size_t i = 0; i < event.tokens.size(); ++i) {
        if (endToken && i + 1 == event.tokens.size())
            break; // it has no text
        StopStrings::Outcome shown = m_stops.push(m_detokenizer.push(event.tokens[i].id));
        event.text += shown.text;
        if (!shown.stopped)
            continue;
        m_tokens.resize(m_tokens.size() - (event.tokens.size() - i - 1));
        event.tokens.resize(i + 1);
        event.accepted = std::min(event.accepted, static_cast<std::uint32_t>(i + 1));
        event.finish = FinishReason::stop;
        event.message.clear();
        return;
    }
    if (!event.finish)
        return;
    const StopStrings::Outcome last = m_stops.push(m_detokenizer.finish());
    event.text += last.text + m_stops.finish();
    if (last.stopped && event.finish == FinishReason::length)
        event.finish = FinishReason::stop;
}

void Sequence::end(FinishReason reason, std::string message) {
    GenerationEvent event;
    event.position = static_cast<std::uint32_t>(m_tokens.size());
    event.kvLength = m_kvLength;
    event.text = m_stops.push(m_detokenizer.finish()).text + m_stops.finish();
    event.finish = reason;
    event.message = std::move(message);
    send(std::move(event));
}

void Sequence::send(GenerationEvent event) {
    m_finish = event.finish;
    const PromptFacts* facts = m_sentFirst ? nullptr : &m_facts;
    m_sentFirst = true;
    if (m_sink.onEvent)
        m_sink.onEvent(std::move(event), facts);
}

} // namespace decodescope::engine
