#include "core/net/model_inspector.h"

#include "core/net/engine_call.h"
#include "core/net/told_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace decodescope {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kLimit{30};
constexpr int kMalformedFile = 5;

const json* memberOf(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// The type of most tensors, as people name a file by.
std::string mostOf(const json& types) {
    std::string name;
    std::uint64_t most = 0;
    if (!types.is_object())
        return name;
    for (const auto& [type, count] : types.items()) {
        // Norms and biases are kept in F32 in every file: they say nothing of it.
        if (count.is_number_unsigned() && count.get<std::uint64_t>() > most && (type != "F32" || types.size() == 1)) {
            most = count.get<std::uint64_t>();
            name = type;
        }
    }
    return name;
}

Result<ModelDetails> judge(const Result<EngineCall::Ended>& ended, const std::string& path) {
    if (!ended)
        return tl::unexpected(ended.error());
    if (ended->exitCode == 0)
        return modelDetailsFromJson({ended->output.constData(), static_cast<std::size_t>(ended->output.size())});
    const ErrorCode code = ended->exitCode == kMalformedFile ? ErrorCode::malformed : ErrorCode::io;
    const std::string& why = ended->lastWord;
    return fail(code, why.empty() ? fmt::format("The file {} cannot be read as a model.", path) : why);
}

} // namespace

Result<ModelDetails> modelDetailsFromJson(std::string_view text) {
    const json told = json::parse(text, nullptr, false);
    if (!told.is_object())
        return fail(ErrorCode::malformed, "The engine described the file in a way that this version does not "
                                          "understand.");
    ModelDetails details;
    const json* supported = memberOf(told, "supported");
    details.supported = supported != nullptr && supported->is_boolean() && supported->get<bool>();
    details.reason = textIn(told, "reason");
    details.architecture = textIn(told, "architecture");
    details.name = textIn(told, "name");
    details.tokenizer = textIn(told, "tokenizer");
    details.license = textIn(told, "license");
    details.chatTemplate = !textIn(told, "chat_template").empty();
    if (const json* types = memberOf(told, "types"))
        details.quantization = mostOf(*types);
    details.parametersTotal = countIn(told, "parameters_total");
    details.parametersActive = countIn(told, "parameters_active");
    details.context = countIn(told, "context");
    details.vocabulary = countIn(told, "vocabulary");
    details.bytesPerToken = countIn(told, "bytes_per_token");
    return details;
}

ModelInspector::~ModelInspector() = default;

void ModelInspector::inspect(const std::string& path, Answer answer) {
    auto* call = new EngineCall({QStringLiteral("inspect"), QString::fromStdString(path), QStringLiteral("--json")},
                                EngineTask::decode, this); // its parent owns it until it was told
    call->limit = kLimit;
    call->start([call, path, answer = std::move(answer)](const Result<EngineCall::Ended>& ended) {
        call->deleteLater();
        answer(judge(ended, path));
    });
}

} // namespace decodescope
