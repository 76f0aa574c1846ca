#pragma once

#include "engine/server/access_guard.h"
#include "engine/server/completion_request.h"
#include "engine/server/completion_stream.h"
#include "engine/server/http_server.h"
#include "engine/server/loaded_model.h"
#include "engine/server/worker_pool.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// The routes of docs/engine_api.md over one loaded model, served on loopback.
class EngineService final : public HttpSite {
public:
    /// Binds and answers from here on. `model` outlives it. ErrorCode::usage when the port is taken.
    [[nodiscard]] static Result<std::unique_ptr<EngineService>>
    start(LoadedModel& model, std::uint16_t port, const std::string& token, const HttpLimits& limits = {});
    ~EngineService() override; ///< stop(0)
    EngineService(const EngineService&) = delete;
    EngineService& operator=(const EngineService&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    /// Streams in flight end with an error event, requests without an answer with 503; returns when they have gone out
    /// or after `flushNs`.
    void stop(std::int64_t flushNs);

    [[nodiscard]] std::optional<HttpResponse> admit(const HttpHead& head) override;
    void handle(HttpRequest request, std::shared_ptr<HttpReply> reply) override;

private:
    /// Who answers a route: the loop's thread at once, or a worker.
    enum class Where : std::uint8_t { loop, worker };
    struct Route {
        std::string_view method, path;
        Where where;
        bool withoutToken;
        HttpResponse (EngineService::*answer)(const HttpRequest& request);
    };
    static const std::vector<Route>& routes();

    EngineService(LoadedModel& model, std::string token);

    HttpResponse health(const HttpRequest& request);
    HttpResponse models(const HttpRequest& request);
    HttpResponse metrics(const HttpRequest& request);
    HttpResponse engine(const HttpRequest& request);
    HttpResponse trace(const HttpRequest& request);
    HttpResponse tokenize(const HttpRequest& request);
    HttpResponse detokenize(const HttpRequest& request);

    void complete(CompletionApi api, const HttpRequest& request, std::shared_ptr<HttpReply> reply);
    [[nodiscard]] Result<std::vector<TokenId>> promptOf(const CompletionRequest& request) const;
    void take(const std::shared_ptr<CompletionStream>& stream, GenerationId id);
    void answerLater(std::shared_ptr<HttpReply> reply, HttpResponse response);

    LoadedModel& m_model;
    AccessGuard m_guard;
    std::int64_t m_startedAt; ///< seconds since 1970
    std::unique_ptr<HttpServer> m_server;
    std::shared_ptr<LoopTasks> m_tasks;
    std::unique_ptr<WorkerPool> m_workers;
    std::vector<std::shared_ptr<CompletionStream>> m_streams; // loop's thread
    bool m_stopping = false;                                  // loop's thread
};

} // namespace decodescope::engine
