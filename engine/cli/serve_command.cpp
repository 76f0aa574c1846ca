#include "engine/cli/commands.h"
#include "engine/cli/process_guard.h"
#include "engine/cli/say.h"
#include "engine/server/engine_service.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>

namespace decodescope::engine {

namespace {

constexpr std::int64_t kFlushNs = 400'000'000; // of what clients are told at the end; the whole end takes under 1 s

struct ServeArguments {
    ModelOptions model;
    std::string kv = "f16";
    std::string speculative = "off";
    int port = 0;
    bool noToken = false;
    bool dieWithParent = false;
    bool noTrace = false;
};

/// Tells on stderr how far the loading is, in steps of 10 %: a watcher sees that it goes on.
LoadProgress toldOnStderr() {
    return [told = std::uint64_t{0}](std::uint64_t done, std::uint64_t total) mutable {
        const std::uint64_t tenths = total == 0 ? 10 : done * 10 / total;
        if (tenths > told) {
            told = tenths;
            fmt::print(stderr, "loading: {} %\n", tenths * 10);
        }
        return true;
    };
}

/// The part of serving that a signal may end at once.
Result<std::unique_ptr<LoadedModel>> load(const ModelOptions& options, EndSignals& signals) {
    const EndAtOnce interruptible(signals);
    return loadModel(options, toldOnStderr());
}

std::string readyLine(const LoadedModel& model, std::uint16_t port, const std::string& token) {
    nlohmann::ordered_json json;
    json["url"] = fmt::format("http://127.0.0.1:{}", port);
    json["token"] = token.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(token);
    json["pid"] = getpid();
    json["model"] = model.card.model;
    json["architecture"] = model.card.architecture;
    json["quantization"] = model.card.quantization;
    json["device"] = model.card.device;
    json["threads"] = model.card.threads;
    json["ctx"] = model.card.context;
    json["parallel"] = model.card.parallel;
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int serve(ServeArguments& arguments) {
    confineToServing();
    auto signals = EndSignals::watch();
    if (!signals)
        return failed(signals.error());
    if (arguments.dieWithParent && !dieWithParent())
        return failed({ErrorCode::cancelled, "The program that started the engine has ended."});
    arguments.model.kvType = arguments.kv == "q8" ? KvType::q8 : KvType::f16;
    arguments.model.speculative = arguments.speculative == "lookup";
    arguments.model.tracing = !arguments.noTrace;
    std::string token;
    if (!arguments.noToken) {
        auto fresh = AccessGuard::freshToken();
        if (!fresh)
            return failed(fresh.error());
        token = std::move(*fresh);
    }
    const auto model = load(arguments.model, *signals);
    if (!model)
        return failed(model.error());
    for (const std::string& note : (*model)->notes)
        fmt::print(stderr, "{}\n", note);
    if (!(*model)->chat)
        fmt::print(stderr, "No chat: {} /v1/completions is served.\n", (*model)->chatRefusal);
    const auto service = EngineService::start(**model, static_cast<std::uint16_t>(arguments.port), token);
    if (!service)
        return failed(service.error());
    if (const int status = printed(readyLine(**model, (*service)->port(), token)); status != 0)
        return status;
    fmt::print(stderr, "serving {} on 127.0.0.1:{}\n", (*model)->card.model, (*service)->port());
    while (!signals->arrived(-1)) {
    }
    fmt::print(stderr, "stopping\n");
    (*service)->stop(kFlushNs);
    // Clients have been told. A step in the middle of its work would hold up a tidy end; the kernel tidies faster.
    std::fflush(nullptr);
    _exit(0);
}

} // namespace

Command serveCommand(CLI::App& program) {
    CLI::App* const command =
        program.add_subcommand("serve", "Serve a model file on this machine: the OpenAI-compatible API on 127.0.0.1");
    const auto arguments = std::make_shared<ServeArguments>();
    ModelOptions& model = arguments->model;
    command->add_option("FILE", model.path, "A model (*.gguf); of a model in parts the first")->required();
    command->add_option("--port", arguments->port, "0: any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command->add_option("--threads", model.threads, "0: tuned at load")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    command
        ->add_option("--ctx", model.contextLength,
                     "Most tokens of one request; 0: 4096 or what the model was trained for")
        ->check(CLI::Range(0, 1 << 24))
        ->capture_default_str();
    command->add_option("--parallel", model.parallel, "Requests that decode together")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    command->add_option("--kv", arguments->kv, "What keys and values are stored as")
        ->check(CLI::IsMember({"f16", "q8"}))
        ->capture_default_str();
    command->add_option("--speculative", arguments->speculative, "Prompt lookup for requests that do not say")
        ->check(CLI::IsMember({"off", "lookup"}))
        ->capture_default_str();
    command->add_option("--device", model.device, "auto, cpu or cuda:N")->capture_default_str();
    command->add_flag("--no-token", arguments->noToken, "Let every program of this machine ask");
    command->add_flag("--no-trace", arguments->noTrace, "Keep no spans of steps");
    command->add_flag("--die-with-parent", arguments->dieWithParent, "End when the program that started this one ends");
    return {command, [arguments] { return serve(*arguments); }};
}

} // namespace decodescope::engine
