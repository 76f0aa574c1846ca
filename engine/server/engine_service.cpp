#include "engine/server/engine_service.h"

#include "engine/server/answer_writer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <utility>

namespace decodescope::engine {

namespace {

constexpr int kWorkers = 2;
constexpr const char* kChatPath = "/v1/chat/completions";
constexpr const char* kCompletionsPath = "/v1/completions";

HttpResponse badRequest(std::string_view message) {
    return errorResponse(400, "invalid_request_error", message);
}

HttpResponse contextExceeded(std::size_t promptTokens, std::uint32_t context) {
    const std::string message = "The prompt has " + std::to_string(promptTokens) + " tokens; with at least one to " +
                                "generate it must fit a context of " + std::to_string(context) + ".";
    HttpResponse response = errorResponse(400, "exceed_context_size_error", message);
    nlohmann::ordered_json body = nlohmann::ordered_json::parse(response.body, nullptr, false);
    body["error"]["n_prompt_tokens"] = promptTokens;
    body["error"]["n_ctx"] = context;
    response.body = body.dump();
    return response;
}

HttpResponse notTaken(const Error& error) {
    switch (error.code) {
    case ErrorCode::usage:
        return badRequest(error.message);
    case ErrorCode::memory:
        return errorResponse(429, "rate_limit_error", error.message);
    case ErrorCode::internal:
        return errorResponse(500, "server_error", error.message);
    default:
        return errorResponse(503, "unavailable_error", error.message);
    }
}

} // namespace

Result<std::unique_ptr<EngineService>> EngineService::start(LoadedModel& model, std::uint16_t port,
                                                            const std::string& token, const HttpLimits& limits) {
    std::unique_ptr<EngineService> service(new EngineService(model, token));
    auto server = HttpServer::listen(port, *service, limits);
    if (!server)
        return tl::unexpected(std::move(server.error()));
    service->m_server = std::move(*server);
    service->m_tasks = service->m_server->tasks();
    if (auto started = service->m_server->start(); !started)
        return tl::unexpected(std::move(started.error()));
    return service;
}

EngineService::EngineService(LoadedModel& model, std::string token)
    : m_model(model)
    , m_guard(std::move(token))
    , m_startedAt(std::time(nullptr))
    , m_workers(std::make_unique<WorkerPool>(kWorkers)) {}

EngineService::~EngineService() {
    stop(0);
    m_workers.reset();
}

std::uint16_t EngineService::port() const noexcept {
    return m_server->port();
}

void EngineService::stop(std::int64_t flushNs) {
    if (!m_server)
        return;
    m_tasks->post([this] {
        m_stopping = true;
        for (const auto& stream : std::exchange(m_streams, {}))
            stream->fail(503, "unavailable_error", "The engine is stopping.");
    });
    m_server->stop(flushNs);
}

const std::vector<EngineService::Route>& EngineService::routes() {
    static const std::vector<Route> kRoutes{
        {"GET", "/health", Where::loop, true, &EngineService::health},
        {"GET", "/metrics", Where::worker, false, &EngineService::metrics},
        {"GET", "/engine", Where::loop, false, &EngineService::engine},
        {"GET", "/v1/models", Where::loop, false, &EngineService::models},
        {"GET", "/trace", Where::worker, false, &EngineService::trace},
        {"POST", "/tokenize", Where::worker, false, &EngineService::tokenize},
        {"POST", "/detokenize", Where::worker, false, &EngineService::detokenize},
        {"POST", kChatPath, Where::worker, false, nullptr},
        {"POST", kCompletionsPath, Where::worker, false, nullptr},
    };
    return kRoutes;
}

std::optional<HttpResponse> EngineService::admit(const HttpHead& head) {
    const auto route =
        std::find_if(routes().begin(), routes().end(), [&](const Route& r) { return r.path == head.path; });
    const bool known = route != routes().end();
    // Who may not ask learns nothing about what there is.
    if (auto refusal = m_guard.refusal(head, known && route->withoutToken))
        return refusal;
    if (!known)
        return errorResponse(404, "not_found_error", "There is no " + visible(head.path) + " here.");
    const std::string allowed = route->method == "GET" ? "GET, HEAD" : std::string(route->method);
    if (route->method != head.method && !(route->method == "GET" && head.method == "HEAD")) {
        HttpResponse response =
            errorResponse(405, "invalid_request_error", std::string(route->path) + " answers " + allowed + ".");
        response.fields.emplace_back("Allow", allowed);
        return response;
    }
    return std::nullopt;
}

void EngineService::handle(HttpRequest request, std::shared_ptr<HttpReply> reply) {
    const auto route =
        std::find_if(routes().begin(), routes().end(), [&](const Route& r) { return r.path == request.head.path; });
    if (route == routes().end()) // admit() refused it
        return reply->respond(errorResponse(404, "not_found_error", "There is nothing here."));
    if (route->where == Where::loop)
        return reply->respond((this->*route->answer)(request));
    const auto shared = std::make_shared<HttpRequest>(std::move(request));
    m_workers->post([this, &route = *route, shared, reply = std::move(reply)] {
        if (route.answer != nullptr)
            answerLater(reply, (this->*route.answer)(*shared));
        else
            complete(route.path == kChatPath ? CompletionApi::chat : CompletionApi::completions, *shared, reply);
    });
}

void EngineService::answerLater(std::shared_ptr<HttpReply> reply, HttpResponse response) {
    m_tasks->post([reply = std::move(reply), response = std::move(response)] { reply->respond(response); });
}

Result<std::vector<TokenId>> EngineService::promptOf(const CompletionRequest& request) const {
    if (!request.promptIds.empty())
        return request.promptIds;
    std::vector<PromptPart> parts{{request.promptText, SpecialText::parse}};
    if (request.api == CompletionApi::chat) {
        if (!m_model.chat)
            return fail(ErrorCode::usage, m_model.chatRefusal + " /v1/completions works with this model.");
        auto rendered = m_model.chat->render(request.messages, request.chatOptions);
        if (!rendered)
            return tl::unexpected(std::move(rendered.error()));
        parts = std::move(*rendered);
    }
    std::vector<TokenId> prompt = m_model.tokenizer->encode(parts, /*addSpecial=*/true);
    if (prompt.empty())
        return fail(ErrorCode::usage, "The prompt has no tokens.");
    return prompt;
}

/// On a worker: reading, tokenising and handing over. Everything after that happens on the loop.
void EngineService::complete(CompletionApi api, const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
    const RequestDefaults defaults{m_model.card.model, m_model.plan.vocabulary, m_model.options.speculative};
    Result<CompletionRequest> parsed = parseCompletionRequest(api, request.body, defaults);
    if (!parsed)
        return answerLater(std::move(reply), badRequest(parsed.error().message));
    Result<std::vector<TokenId>> prompt = promptOf(*parsed);
    if (!prompt)
        return answerLater(std::move(reply), badRequest(prompt.error().message));
    const std::uint32_t context = m_model.options.contextLength;
    if (prompt->size() >= context)
        return answerLater(std::move(reply), contextExceeded(prompt->size(), context));
    GenerationRequest generation = std::move(parsed->generation);
    const auto room = static_cast<std::uint32_t>(context - prompt->size());
    generation.maxTokens = generation.maxTokens == 0 ? room : std::min(generation.maxTokens, room);
    generation.prompt = std::move(*prompt);
    generation.receivedNs = request.receivedNs;
    parsed->generation.sampling = generation.sampling;

    const auto random = AccessGuard::freshToken();
    const AnswerIdentity identity{(api == CompletionApi::chat ? "chatcmpl-" : "cmpl-") + random.value_or(""),
                                  std::time(nullptr), request.receivedNs};
    const auto stream = std::make_shared<CompletionStream>(
        parsed->stream ? AnswerForm::stream : AnswerForm::whole, reply, m_tasks,
        std::make_unique<AnswerWriter>(*parsed, identity, *m_model.tokenizer, m_model.card), *m_model.scheduler);
    const Result<GenerationId> id = m_model.scheduler->submit(std::move(generation), stream->sink());
    if (!id)
        return answerLater(std::move(reply), notTaken(id.error()));
    m_tasks->post([this, stream, taken = *id] { take(stream, taken); });
}

void EngineService::take(const std::shared_ptr<CompletionStream>& stream, GenerationId id) {
    std::erase_if(m_streams, [](const auto& one) { return one->ended(); });
    stream->start(id);
    if (m_stopping)
        stream->fail(503, "unavailable_error", "The engine is stopping.");
    else if (!stream->ended())
        m_streams.push_back(stream);
}

} // namespace decodescope::engine
