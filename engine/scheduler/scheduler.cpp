#include "engine/scheduler/scheduler.h"

#include "engine/base/steady_time.h"
#include "engine/scheduler/kv_space.h"
#include "engine/scheduler/sequence.h"
#include "engine/scheduler/step_plan.h"
#include "engine/scheduler/trace_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace decodescope::engine {
namespace {

SchedulerOptions possible(SchedulerOptions options) {
    options.maxRows = std::max(options.maxRows, 1U);
    options.maxLogitsRows = std::max(options.maxLogitsRows, 1U);
    options.parallel =
        std::clamp(options.parallel, 1U, std::min({TraceRing::kMostSequences, options.maxRows, options.maxLogitsRows}));
    options.prefillChunk = std::max(options.prefillChunk, 1U);
    const std::uint64_t positions = std::uint64_t{options.kvBlocks} * kKvBlockTokens;
    options.contextLength = static_cast<std::uint32_t>(std::min<std::uint64_t>(options.contextLength, positions));
    return options;
}

} // namespace

struct Scheduler::Inside {
    Inside(std::unique_ptr<Backend> executor, const Tokenizer& vocabulary, const SchedulerOptions& wanted)
        : options(possible(wanted))
        , tokenizer(vocabulary)
        , backend(std::move(executor))
        , facts(backend->facts())
        , ring(options.traceSteps)
        , space(options.kvBlocks, [this](std::uint32_t from, std::uint32_t to, std::uint32_t tokens) {
            backend->copyBlock(from, to, tokens);
        }) {
        stats.kvBlocksTotal = counted.kvBlocksTotal = options.kvBlocks;
    }

    using Owned = std::unique_ptr<Sequence>;

    void run();
    [[nodiscard]] bool takeOrders();
    void endAll(FinishReason reason, const std::string& message);
    void applyCancels();
    void admit();
    void step();
    void collectWishes();
    void fail(const Error& error);
    void handOut(const StepOutput& output, StepFacts& step);
    void keepBooks();
    void retire(Sequence& sequence, CacheUse use);
    void publish();
    [[nodiscard]] std::unique_lock<std::mutex> closedBooks() const;

    const SchedulerOptions options;
    const Tokenizer& tokenizer;
    const std::unique_ptr<Backend> backend;
    const BackendFacts facts;
    TraceRing ring;
    std::atomic<bool> tracing{true};

    // What callers and the thread share.
    mutable std::mutex mutex;
    std::condition_variable wake;
    std::vector<Owned> incoming;
    std::vector<GenerationId> cancels;
    std::optional<std::string> shutdownMessage; // until the thread has seen it
    std::optional<std::string> refusal;         // from then on
    bool leaving = false;
    GenerationId lastId = 0;
    std::size_t present = 0; // requests taken and not ended
    SchedulerStats stats;

    // Held from a step's end until `stats` and the trace tell of it: who has an answer finds it in the books. Taken
    // before `mutex`.
    mutable std::mutex booksMutex;

    // The thread's own.
    std::unique_lock<std::mutex> booksOpen{booksMutex, std::defer_lock};
    KvSpace space;
    std::deque<Owned> queue;
    std::vector<Owned> running;
    std::vector<GenerationId> cancelling;
    std::optional<std::string> shuttingDown;
    bool recording = true;
    std::size_t ended = 0;  // since the last publish
    SchedulerStats counted; // what `stats` becomes then
    std::vector<StepWish> wishes;
    std::vector<StepShare> shares;     // of the step under way, as the sequences in `running`
    std::vector<SequenceSlice> slices; // of those that take part in it
    std::vector<CompactSpan> spans;

    std::thread thread;
};

void Scheduler::Inside::run() {
    while (takeOrders()) {
        if (shuttingDown)
            endAll(FinishReason::error, *shuttingDown);
        applyCancels();
        admit();
        if (!running.empty())
            step();
        publish();
    }
    endAll(FinishReason::cancelled, {});
    publish();
}

/// Sleeps until there is something to do. False: it is time to go.
bool Scheduler::Inside::takeOrders() {
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] {
        return leaving || !incoming.empty() || !cancels.empty() || shutdownMessage || !queue.empty() ||
               !running.empty();
    });
    for (Owned& sequence : incoming)
        queue.push_back(std::move(sequence));
    incoming.clear();
    cancelling.swap(cancels);
    cancels.clear();
    shuttingDown.swap(shutdownMessage);
    shutdownMessage.reset();
    return !leaving;
}

void Scheduler::Inside::endAll(FinishReason reason, const std::string& message) {
    for (const Owned& sequence : queue)
        sequence->end(reason, message);
    for (const Owned& sequence : running) {
        sequence->end(reason, message);
        retire(*sequence, CacheUse::prefixes);
    }
    const std::size_t all = queue.size() + running.size();
    (reason == FinishReason::error ? counted.requestsFailed : counted.requestsCancelled) += all;
    ended += all;
    queue.clear();
    running.clear();
}

void Scheduler::Inside::applyCancels() {
    for (const GenerationId id : cancelling) {
        const auto isIt = [id](const Owned& sequence) { return sequence->id() == id; };
        if (const auto found = std::find_if(queue.begin(), queue.end(), isIt); found != queue.end()) {
            (*found)->end(FinishReason::cancelled, {});
            queue.erase(found);
            ++counted.requestsCancelled;
            ++ended;
        }
        if (const auto found = std::find_if(running.begin(), running.end(), isIt); found != running.end()) {
            (*found)->end(FinishReason::cancelled, {});
            retire(**found, CacheUse::prefixes);
            running.erase(found);
            ++counted.requestsCancelled;
            ++ended;
        }
    }
    cancelling.clear();
}

/// In order of arrival: the first that does not fit yet keeps the others waiting, so that none waits for ever.
void Scheduler::Inside::admit() {
    while (!queue.empty() && running.size() < options.parallel) {
        Sequence& next = *queue.front();
        std::optional<KvLease> lease = space.admit(next.prompt(), next.positionsNeeded(), next.cacheUse());
        if (!lease)
            return;
        next.lease = std::move(*lease);
        next.admitted();
        counted.cachedTokens += next.lease.cached;
        running.push_back(std::move(queue.front()));
        queue.pop_front();
    }
}

void Scheduler::Inside::step() {
    if (const bool record = tracing.load(std::memory_order_relaxed); record != recording) {
        recording = record;
        backend->recordSpans(record);
    }
    collectWishes();
    shares = planStep(wishes, {options.maxRows, options.maxLogitsRows, options.prefillChunk});

    StepFacts step;
    step.id = ++counted.steps;
    step.beginNs = steadyNs();
    slices.clear();
    spans.clear();
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (shares[i].rows == 0)
            continue;
        Sequence& sequence = *running[i];
        if (recording && sequence.promptFacts().chunks == 0)
            spans.push_back({SpanKind::queue, -1, 0, sequence.id(), sequence.receivedNs(), step.beginNs});
        space.cover(sequence.lease, sequence.positionsAfter(shares[i]));
        slices.push_back(sequence.slice(shares[i], step.beginNs));
        step.rows += shares[i].rows + shares[i].drafts;
        ++step.batch;
    }
    const Result<StepOutput> output = backend->step(slices);
    booksOpen.lock();
    if (!output) {
        fail(output.error());
        return;
    }
    handOut(*output, step);
    keepBooks();
    if (recording)
        ring.addStep(step.id, spans, output->timings.spans);
}

/// Of prompts that begin alike, the first is computed and the others wait to share its blocks. The first of all never
/// waits, so there is always something to do.
void Scheduler::Inside::collectWishes() {
    wishes.clear();
    for (std::size_t i = 0; i < running.size(); ++i) {
        Sequence& sequence = *running[i];
        if (!sequence.decoding()) {
            const auto known = static_cast<std::uint32_t>(sequence.computed().size());
            if (const std::uint32_t positions = space.catchUp(sequence.lease, sequence.prompt()); positions > known) {
                sequence.caughtUp(positions);
                counted.cachedTokens += positions - known;
            }
        }
        const bool waits = std::any_of(running.begin(), running.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const Owned& earlier) { return sequence.follows(*earlier); });
        wishes.push_back(waits ? StepWish{0, false, 0} : sequence.wish());
    }
}

/// The step's sequences end; what they computed is not to be trusted.
void Scheduler::Inside::fail(const Error& error) {
    for (std::size_t i = 0; i < running.size(); ++i)
        if (shares[i].rows > 0)
            running[i]->end(FinishReason::error, error.message);
    keepBooks();
}

/// Gives each sequence its logits. What it sends leaves at once; everything that can wait, waits for keepBooks.
void Scheduler::Inside::handOut(const StepOutput& output, StepFacts& step) {
    const StepTimings& timings = output.timings;
    step.endNs = timings.endNs;
    step.attentionNs = timings.attentionNs;
    step.feedForwardNs = timings.feedForwardNs;
    step.headNs = timings.headNs;
    step.weightBytes = timings.weightBytes;
    step.kvBytes = timings.kvBytes;
    std::size_t logitsRows = 0;
    for (const SequenceSlice& slice : slices)
        logitsRows += slice.tokens.size() - slice.logitsFrom;
    const std::size_t vocabulary = logitsRows > 0 ? output.logits.size() / logitsRows : 0;

    std::span<const float> logits = output.logits;
    auto slice = slices.cbegin();
    std::uint32_t decodeRows = 0;
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (shares[i].rows == 0)
            continue;
        Sequence& sequence = *running[i];
        const std::size_t size = (slice->tokens.size() - slice->logitsFrom) * vocabulary;
        ++slice;
        const bool prompt = !sequence.decoding();
        const std::uint32_t before = sequence.generated();
        const Sequence::Outcome outcome = sequence.advance(logits.first(size), vocabulary, step);
        logits = logits.subspan(size);
        const std::uint32_t sampled = sequence.generated() - before;
        counted.generatedTokens += sampled;
        counted.drafted += outcome.drafted;
        counted.accepted += outcome.accepted;
        if (prompt)
            counted.promptTokens += shares[i].rows;
        else
            decodeRows += shares[i].rows + shares[i].drafts;
        if (!recording)
            continue;
        if (prompt)
            spans.push_back({SpanKind::prefillChunk, -1, shares[i].rows, sequence.id(), step.beginNs, timings.endNs});
        if (outcome.sampledAtNs > 0) {
            spans.push_back(
                {SpanKind::sampling, -1, sampled, sequence.id(), outcome.samplingBeginNs, outcome.sampledAtNs});
            spans.push_back(
                {SpanKind::detokenise, -1, sampled, sequence.id(), outcome.sampledAtNs, outcome.detokenisedNs});
        }
    }
    if (recording && decodeRows > 0)
        spans.push_back({SpanKind::decodeStep, -1, decodeRows, 0, step.beginNs, step.endNs});
    const double seconds = static_cast<double>(step.endNs - step.beginNs) * 1e-9;
    const double decodePart = static_cast<double>(decodeRows) / step.rows;
    counted.decodeSeconds += seconds * decodePart;
    counted.promptSeconds += seconds * (1 - decodePart);
}

/// What no listener waits for: the prefix cache learns new blocks, sequences that ended go.
void Scheduler::Inside::keepBooks() {
    for (const Owned& sequence : running) {
        if (!sequence->finish()) {
            space.keep(sequence->lease, sequence->computed());
            continue;
        }
        const bool failed = sequence->finish() == FinishReason::error;
        retire(*sequence, failed ? CacheUse::none : CacheUse::prefixes);
        counted.requestsFailed += failed;
        ++ended;
    }
    std::erase_if(running, [](const Owned& sequence) { return sequence->finish().has_value(); });
}

void Scheduler::Inside::retire(Sequence& sequence, CacheUse use) {
    space.release(sequence.lease, use == CacheUse::prefixes ? sequence.computed() : std::span<const TokenId>());
}

void Scheduler::Inside::publish() {
    counted.running = static_cast<std::uint32_t>(running.size());
    counted.kvBlocksUsed = space.used();
    counted.kvBlocksCached = space.cached();
    {
        const std::lock_guard lock(mutex);
        present -= ended;
        ended = 0;
        const std::uint64_t requestsTotal = stats.requestsTotal;
        stats = counted;
        stats.requestsTotal = requestsTotal;
        stats.waiting = static_cast<std::uint32_t>(present - running.size());
    }
    if (booksOpen)
        booksOpen.unlock();
}

/// Waits until the books tell of all that was sent. A sink that asks is within a step, and reads what was before it.
std::unique_lock<std::mutex> Scheduler::Inside::closedBooks() const {
    return std::this_thread::get_id() == thread.get_id() ? std::unique_lock<std::mutex>()
                                                         : std::unique_lock(booksMutex);
}

Scheduler::Scheduler(std::unique_ptr<Backend> backend, const Tokenizer& tokenizer, const SchedulerOptions& options)
    : m_inside(std::make_unique<Inside>(std::move(backend), tokenizer, options)) {
    m_inside->thread = std::thread([inside = m_inside.get()] { inside->run(); });
}

Scheduler::~Scheduler() {
    {
        const std::lock_guard lock(m_inside->mutex);
        m_inside->leaving = true;
    }
    m_inside->wake.notify_one();
    m_inside->thread.join();
}

Result<GenerationId> Scheduler::submit(GenerationRequest request, GenerationSink sink) {
    Inside& in = *m_inside;
    const std::uint32_t context = in.options.contextLength;
    if (request.prompt.empty())
        return fail(ErrorCode::usage, "The prompt is empty. Send at least one token.");
    if (request.prompt.size() >= context)
        return fail(ErrorCode::usage,
                    fmt::format("The prompt has {} tokens, but the context holds {}, the answer included. Shorten the "
                                "prompt, or start the engine with a larger context.",
                                request.prompt.size(), context));
    for (const TokenId id : request.prompt)
        if (id < 0 || id >= in.tokenizer.size())
            return fail(ErrorCode::usage, fmt::format("The prompt holds the token {}; this model's tokens are 0 to {}.",
                                                      id, in.tokenizer.size() - 1));
    const std::uint32_t room = context - static_cast<std::uint32_t>(request.prompt.size());
    request.maxTokens = request.maxTokens == 0 ? room : std::min(request.maxTokens, room);

    auto sequence =
        std::make_unique<Sequence>(std::move(request), std::move(sink), in.tokenizer, in.options.draftTokens);
    GenerationId id = 0;
    {
        const std::lock_guard lock(in.mutex);
        if (in.refusal)
            return fail(ErrorCode::cancelled, *in.refusal);
        if (in.present >= std::size_t{in.options.parallel} + in.options.maxQueue)
            return fail(
                ErrorCode::memory,
                fmt::format("{} requests are waiting already, as many as may. Try again later.", in.options.maxQueue));
        id = ++in.lastId;
        sequence->setId(id);
        in.incoming.push_back(std::move(sequence));
        ++in.present;
        ++in.stats.requestsTotal;
        ++in.stats.waiting;
    }
    in.wake.notify_one();
    return id;
}

void Scheduler::cancel(GenerationId id) {
    {
        const std::lock_guard lock(m_inside->mutex);
        m_inside->cancels.push_back(id);
    }
    m_inside->wake.notify_one();
}

void Scheduler::shutdown(const std::string& message) {
    {
        const std::lock_guard lock(m_inside->mutex);
        m_inside->refusal = message;
        m_inside->shutdownMessage = message;
    }
    m_inside->wake.notify_one();
}

SchedulerStats Scheduler::stats() const {
    const std::unique_lock<std::mutex> books = m_inside->closedBooks();
    const std::lock_guard lock(m_inside->mutex);
    return m_inside->stats;
}

std::vector<TraceSpan> Scheduler::trace() const {
    const std::unique_lock<std::mutex> books = m_inside->closedBooks();
    return m_inside->ring.spans();
}

void Scheduler::addSpan(TraceSpan span) {
    m_inside->ring.add(std::move(span));
}

BackendFacts Scheduler::backendFacts() const {
    return m_inside->facts;
}

const SchedulerOptions& Scheduler::options() const {
    return m_inside->options;
}

void Scheduler::setTracing(bool on) {
    m_inside->tracing.store(on, std::memory_order_relaxed);
}

} // namespace decodescope::engine
