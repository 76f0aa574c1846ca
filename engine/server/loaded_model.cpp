#include "engine/server/loaded_model.h"

#include "engine/server/backend_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kMaxParallel = 16;
constexpr std::uint32_t kDefaultContext = 4096;
constexpr std::uint32_t kMinContext = 16;

/// Reads the vocabulary while the weights are repacked: both take long, and neither needs the other.
class TokenizerInBackground {
public:
    explicit TokenizerInBackground(const GgufFile& file) {
        try { // the one way to learn that the system has no thread left
            m_thread = std::thread([this, &file] { m_tokenizer = Tokenizer::fromGguf(file); });
        } catch (const std::system_error&) {
            m_tokenizer = Tokenizer::fromGguf(file);
        }
    }
    ~TokenizerInBackground() { join(); }
    TokenizerInBackground(const TokenizerInBackground&) = delete;
    TokenizerInBackground& operator=(const TokenizerInBackground&) = delete;

    [[nodiscard]] Result<std::unique_ptr<Tokenizer>> take() {
        join();
        return std::move(m_tokenizer);
    }

private:
    void join() {
        if (m_thread.joinable())
            m_thread.join();
    }
    std::thread m_thread;
    Result<std::unique_ptr<Tokenizer>> m_tokenizer{std::unique_ptr<Tokenizer>()};
};

Result<void> takeContext(LoadedModel& model) {
    std::uint32_t& context = model.options.contextLength;
    const std::uint32_t trained = model.plan.contextLength;
    if (context == 0)
        context = std::min(kDefaultContext, trained);
    if (context > trained) {
        model.notes.push_back(fmt::format("The model was trained for a context of {} tokens, so that is what it gets "
                                          "in place of {}.",
                                          trained, context));
        context = trained;
    }
    if (context < kMinContext)
        return fail(ErrorCode::usage,
                    fmt::format("A context of {} tokens is too small: {} at least.", context, kMinContext));
    return {};
}

std::uint32_t blocksOf(const ModelOptions& options) {
    // One more for each: a prefix that two share ends inside a block, which is then copied.
    const std::uint64_t perSequence = (std::uint64_t{options.contextLength} + kKvBlockTokens - 1) / kKvBlockTokens + 1;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(perSequence * options.parallel, std::numeric_limits<std::uint32_t>::max()));
}

EngineCard cardOf(const LoadedModel& model, const BackendFacts& facts) {
    EngineCard card;
    card.version = DECODESCOPE_VERSION;
    card.model = visible(model.plan.name);
    card.architecture = visible(model.plan.architecture);
    card.quantization = model.plan.quantization;
    card.device = facts.device;
    card.kvType = model.options.kvType == KvType::q8 ? "q8" : "f16";
    card.speculative = model.options.speculative ? "lookup" : "off";
    card.threads = facts.threads;
    card.context = model.options.contextLength;
    card.parallel = model.options.parallel;
    card.weightBytes = facts.weightBytes;
    card.kvBytesPerToken = facts.kvBytesPerToken;
    if (facts.readBandwidthGBps > 0)
        card.bandwidthGBps = facts.readBandwidthGBps;
    return card;
}

} // namespace

Result<std::unique_ptr<LoadedModel>> loadModel(const ModelOptions& options, const LoadProgress& progress) {
    if (options.parallel < 1 || options.parallel > kMaxParallel)
        return fail(ErrorCode::usage, fmt::format("--parallel must be from 1 to {}.", kMaxParallel));
    const Result<DeviceName> device = parseDeviceName(options.device);
    if (!device)
        return tl::unexpected(device.error());
    auto model = std::make_unique<LoadedModel>();
    model->options = options;
    auto file = GgufFile::open(options.path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    model->file = std::move(*file);
    auto plan = buildPlan(*model->file);
    if (!plan)
        return tl::unexpected(std::move(plan.error()));
    model->plan = std::move(*plan);
    if (auto context = takeContext(*model); !context)
        return tl::unexpected(std::move(context.error()));
    const Result<BackendMaker> maker = backendFor(options.device);
    if (!maker)
        return tl::unexpected(maker.error());

    SchedulerOptions scheduling;
    scheduling.parallel = options.parallel;
    scheduling.contextLength = model->options.contextLength;
    scheduling.kvBlocks = blocksOf(model->options);
    BackendOptions backing;
    backing.threads = options.threads;
    backing.kvBlocks = scheduling.kvBlocks;
    backing.maxLogitsRows = options.parallel * (1 + scheduling.draftTokens);
    backing.maxRows = std::max(backing.maxRows, scheduling.prefillChunk + backing.maxLogitsRows);
    scheduling.maxRows = backing.maxRows;
    scheduling.maxLogitsRows = backing.maxLogitsRows;
    backing.kvType = options.kvType;
    backing.device = device->index;

    model->file->willNeed();
    TokenizerInBackground vocabulary(*model->file);
    auto backend = (*maker)(model->plan, backing, progress);
    auto tokenizer = vocabulary.take();
    if (!tokenizer)
        return tl::unexpected(std::move(tokenizer.error()));
    if (!backend)
        return tl::unexpected(std::move(backend.error()));
    model->tokenizer = std::move(*tokenizer);
    if (model->tokenizer->size() > static_cast<std::int64_t>(model->plan.vocabulary))
        return fail(ErrorCode::malformed, fmt::format("The vocabulary has {} tokens, the model only {}.",
                                                      model->tokenizer->size(), model->plan.vocabulary));
    auto chat = ChatTemplate::recognise(model->file->text("tokenizer.chat_template").value_or(""), *model->tokenizer);
    if (chat)
        model->chat = std::move(*chat);
    else
        model->chatRefusal = std::move(chat.error().message);
    model->card = cardOf(*model, (*backend)->facts());
    model->scheduler = std::make_unique<Scheduler>(std::move(*backend), *model->tokenizer, scheduling);
    model->scheduler->setTracing(options.tracing);
    return model;
}

} // namespace decodescope::engine
