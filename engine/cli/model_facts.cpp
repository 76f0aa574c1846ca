#include "engine/cli/model_facts.h"

#include "engine/base/checked.h"
#include "engine/chat/chat_template.h"
#include "engine/model/model_plan.h"
#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace decodescope::engine {

namespace {

std::uint64_t sumOrMost(std::uint64_t a, std::uint64_t b) {
    return checkedAdd(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}

std::string typeName(std::uint32_t id) {
    const TensorTypeInfo* const info = tensorTypeInfo(id);
    return info != nullptr ? std::string(info->name) : fmt::format("type {}", id);
}

std::string fileName(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return visible(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

/// The part of a tensor's weights that one token uses: of a stack of experts the share of those chosen.
struct ExpertShare {
    std::uint64_t used = 1;
    std::uint64_t all = 1;

    std::uint64_t of(const TensorView& tensor, std::uint64_t amount) const {
        const bool experts = tensor.name.find("_exps.") != std::string_view::npos;
        return experts ? amount / all * used : amount;
    }
};

ExpertShare expertShare(const GgufFile& file, const std::string& prefix) {
    const std::uint64_t all = file.unsignedInteger(prefix + "expert_count").value_or(0);
    const std::uint64_t used = file.unsignedInteger(prefix + "expert_used_count").value_or(0);
    return all > 0 && used > 0 && used <= all ? ExpertShare{used, all} : ExpertShare{};
}

void countWeights(const GgufFile& file, const ExpertShare& experts, ModelFacts& facts) {
    std::map<std::uint32_t, ModelFacts::TypeShare> byType;
    const bool tied = file.tensor("output.weight") == nullptr;
    for (const TensorView& tensor : file.tensors()) {
        ModelFacts::TypeShare& share = byType[tensor.typeId];
        ++share.tensors;
        share.elements = sumOrMost(share.elements, tensor.elements());
        share.bytes += tensor.bytes; // no overflow: tensors lie side by side in files
        facts.parametersTotal = sumOrMost(facts.parametersTotal, tensor.elements());
        facts.parametersActive = sumOrMost(facts.parametersActive, experts.of(tensor, tensor.elements()));
        if (tied || tensor.name != "token_embd.weight")
            facts.bytesPerToken += experts.of(tensor, tensor.bytes);
    }
    for (auto& [id, share] : byType) {
        share.type = typeName(id);
        facts.types.push_back(std::move(share));
    }
    std::stable_sort(facts.types.begin(), facts.types.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

/// The tokenizer and how the model chats. A model that does not chat still completes, so that is no refusal.
void tellText(const GgufFile& file, const Tokenizer& tokenizer, ModelFacts& facts) {
    facts.tokenizer = visible(tokenizer.kind());
    const auto chat = ChatTemplate::recognise(file.text("tokenizer.chat_template").value_or(""), tokenizer);
    if (chat)
        facts.chat = visible((*chat)->family());
    else
        facts.chatRefusal = chat.error().message;
}

} // namespace

ModelFacts collectFacts(const GgufFile& file) {
    ModelFacts facts;
    facts.path = visible(file.path(), 4'096);
    facts.fileBytes = file.fileBytes();
    facts.version = file.version();
    facts.architecture = visible(file.text("general.architecture").value_or(""));
    facts.license = visible(file.text("general.license").value_or(""));
    const std::string_view name = file.text("general.name").value_or("");
    facts.name = name.empty() ? fileName(file.path()) : visible(name);

    const std::string prefix = std::string(file.text("general.architecture").value_or("")) + ".";
    facts.context = file.unsignedInteger(prefix + "context_length");
    facts.layers = file.unsignedInteger(prefix + "block_count");
    facts.embedding = file.unsignedInteger(prefix + "embedding_length");
    facts.heads = file.unsignedInteger(prefix + "attention.head_count");
    facts.kvHeads = file.unsignedInteger(prefix + "attention.head_count_kv");
    facts.vocabulary = file.arraySize("tokenizer.ggml.tokens");
    if (!facts.vocabulary)
        facts.vocabulary = file.unsignedInteger(prefix + "vocab_size");
    countWeights(file, expertShare(file, prefix), facts);

    if (const Result<ModelPlan> plan = buildPlan(file); !plan)
        facts.refusal = plan.error();
    else
        facts.kvBytesPerToken = plan->kvBytesPerToken();
    const Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::fromGguf(file);
    if (tokenizer)
        tellText(file, **tokenizer, facts);
    else if (!facts.refusal)
        facts.refusal = tokenizer.error();
    return facts;
}

} // namespace decodescope::engine
