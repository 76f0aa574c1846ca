#include "engine/server/answer_json.h"
#include "engine/server/engine_service.h"
#include "engine/server/json_fields.h"
#include "engine/server/json_input.h"
#include "engine/server/metrics_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

/// The answers of EngineService that are no completions.
namespace decodescope::engine {

namespace {

constexpr std::size_t kMaxTokenizeBytes = 1024 * 1024;

HttpResponse jsonResponse(std::string body) {
    HttpResponse response;
    response.body = std::move(body);
    return response;
}

HttpResponse badRequest(std::string_view message) {
    return errorResponse(400, "invalid_request_error", message);
}

bool isUtf8(const nlohmann::ordered_json& text) {
    // Dropping what is no UTF-8 and replacing it only give the same when there is none.
    return text.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::ignore) == dumped(text);
}

/// A piece as llama.cpp's server writes it: text, or an array of bytes where it is part of a code point.
nlohmann::ordered_json pieceJson(std::string_view bytes) {
    nlohmann::ordered_json text = std::string(bytes);
    if (isUtf8(text))
        return text;
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const char byte : bytes)
        array.push_back(static_cast<unsigned char>(byte));
    return array;
}

/// The tokens of "content": a text, or as llama.cpp's server takes it too a list of texts and ids, of which only a text
/// that comes first gets the model's BOS.
std::vector<TokenId> tokensOf(JsonFields& fields, const Tokenizer& tokenizer, SpecialText special, bool addSpecial) {
    const nlohmann::json* content = fields.find("content");
    std::vector<TokenId> ids;
    if (content == nullptr) {
        fields.fault("\"content\" is missing.");
        return ids;
    }
    const auto wrong = [&](std::string sentence) {
        fields.fault(std::move(sentence));
        return std::vector<TokenId>{};
    };
    const std::string wanted = fmt::format(
        "\"content\" must be a string, or an array of strings and token ids (0 to {}).", tokenizer.size() - 1);
    if (!content->is_string() && !content->is_array())
        return wrong(wanted);
    const nlohmann::json list = content->is_array() ? *content : nlohmann::json::array({*content});
    std::size_t bytes = 0;
    for (const nlohmann::json& part : list) {
        if (part.is_string()) {
            const auto& text = part.get_ref<const std::string&>();
            bytes += text.size();
            if (bytes > kMaxTokenizeBytes)
                return wrong(fmt::format("\"content\" must not be longer than {} bytes.", kMaxTokenizeBytes));
            const auto more = tokenizer.encode(text, special, addSpecial && &part == &list.front());
            ids.insert(ids.end(), more.begin(), more.end());
        } else if (const auto id = integerOf(part, 0, tokenizer.size() - 1)) {
            ids.push_back(static_cast<TokenId>(*id));
        } else {
            return wrong(wanted);
        }
    }
    return ids;
}

} // namespace

HttpResponse EngineService::health(const HttpRequest&) {
    return jsonResponse(R"({"status":"ok"})");
}

HttpResponse EngineService::models(const HttpRequest&) {
    nlohmann::ordered_json model;
    model["id"] = m_model.card.model;
    model["object"] = "model";
    model["created"] = m_startedAt;
    model["owned_by"] = "decodescope";
    nlohmann::ordered_json& meta = model["meta"];
    meta["n_vocab"] = m_model.plan.vocabulary;
    meta["n_ctx"] = m_model.options.contextLength;
    meta["n_ctx_train"] = m_model.plan.contextLength;
    meta["n_embd"] = m_model.plan.embedding;
    meta["n_params"] = m_model.plan.parametersTotal;
    meta["size"] = m_model.file->fileBytes();
    nlohmann::ordered_json list;
    list["object"] = "list";
    list["data"] = nlohmann::ordered_json::array();
    list["data"].push_back(std::move(model));
    return jsonResponse(dumped(list));
}

HttpResponse EngineService::metrics(const HttpRequest&) {
    HttpResponse response;
    response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metricsText(m_model.scheduler->stats(), m_model.scheduler->backendFacts());
    return response;
}

HttpResponse EngineService::engine(const HttpRequest&) {
    return jsonResponse(dumped(engineJson(m_model.card)));
}

HttpResponse EngineService::trace(const HttpRequest&) {
    std::string body = "{\"spans\":[";
    for (const TraceSpan& span : m_model.scheduler->trace()) {
        if (body.back() != '[')
            body += ',';
        fmt::format_to(std::back_inserter(body),
                       "{{\"name\":\"{}\",\"step\":{},\"request\":{},\"layer\":{},\"begin_ns\":{},\"end_ns\":{},"
                       "\"tokens\":{}}}",
                       span.name, span.step, span.request, span.layer, span.beginNs, span.endNs, span.tokens);
    }
    return jsonResponse(body + "]}");
}

HttpResponse EngineService::tokenize(const HttpRequest& request) {
    const Result<nlohmann::json> json = parseJsonObject(request.body);
    if (!json)
        return badRequest(json.error().message);
    JsonFields fields(*json);
    const bool addSpecial = fields.flag("add_special").value_or(false);
    const bool parseSpecial = fields.flag("parse_special").value_or(true);
    const bool withPieces = fields.flag("with_pieces").value_or(false);
    const std::vector<TokenId> ids =
        tokensOf(fields, *m_model.tokenizer, parseSpecial ? SpecialText::parse : SpecialText::asText, addSpecial);
    if (!fields.good())
        return badRequest(fields.sentence());
    std::string body = "{\"tokens\":[";
    for (const TokenId id : ids) {
        if (body.back() != '[')
            body += ',';
        if (withPieces)
            body += fmt::format("{{\"id\":{},\"piece\":{}}}", id,
                                dumped(pieceJson(m_model.tokenizer->bytesOf(id, /*showControl=*/true))));
        else
            body += std::to_string(id);
    }
    return jsonResponse(body + "]}");
}

HttpResponse EngineService::detokenize(const HttpRequest& request) {
    const Result<nlohmann::json> json = parseJsonObject(request.body);
    if (!json)
        return badRequest(json.error().message);
    JsonFields fields(*json);
    const nlohmann::json* tokens = fields.find("tokens");
    if (tokens == nullptr || !tokens->is_array())
        return badRequest("\"tokens\" must be an array of token ids.");
    std::vector<TokenId> ids;
    for (const nlohmann::json& token : *tokens) {
        const auto id = integerOf(token, 0, std::int64_t{m_model.plan.vocabulary} - 1);
        if (!id)
            return badRequest(fmt::format("\"tokens\" holds something that is no token id (0 to {}).",
                                          std::int64_t{m_model.plan.vocabulary} - 1));
        ids.push_back(static_cast<TokenId>(*id));
    }
    nlohmann::ordered_json answer;
    answer["content"] = m_model.tokenizer->decode(ids, /*showControl=*/true);
    return jsonResponse(dumped(answer));
}

} // namespace decodescope::engine
