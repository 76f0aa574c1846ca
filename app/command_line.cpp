#include "app/command_line.h"

#include "app/composition.h"
#include "app/doctor.h"
#include "app/engine_command.h"
#include "app/exit_status.h"
#include "app/explain.h"
#include "app/message_log.h"
#include "app/presets_command.h"
#include "app/probe_command.h"
#include "app/replay_commands.h"
#include "app/run_command.h"
#include "app/terminal.h"
#include "app/version.h"
#ifdef DECODESCOPE_WINDOW
#include "app/window_main.h"
#endif

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace decodescope {

namespace {

constexpr const char* kExitStatusHelp =
    "Exit status: 0 ok; 1 internal fault; 2 wrong usage; 3 no usable response; 4 refused (401, 403);\n"
    "5 a stream ended abnormally; 6 lanes ended differently; 7 a --fail-if threshold was missed; 8 a file could\n"
    "not be read or written; 130 interrupted.";

constexpr std::string_view kEmptyValue = "holds nothing";

/// For paths, names and addresses: an empty one is a shell variable that is not set, and not the wish for none.
CLI::Validator notEmpty() {
    return CLI::Validator([](std::string& value) { return std::string(value.empty() ? kEmptyValue : ""); }, "");
}

/// CLI11 takes a number that is too large as the largest there is.
template <class T> CLI::Validator fits() {
    return CLI::Validator(
        [](std::string& value) {
            errno = 0;
            if constexpr (std::is_signed_v<T>)
                (void)std::strtoll(value.c_str(), nullptr, 0);
            else
                (void)std::strtoull(value.c_str(), nullptr, 0);
            return std::string(errno == ERANGE ? "is out of range" : "");
        },
        "");
}

/// std::optional options of CLI11 need a callback, so that "not given" stays visible.
template <class T>
CLI::Option* addOptional(CLI::App& app, const std::string& name, std::optional<T>& value, const std::string& text) {
    return app.add_option_function<T>(
        name, [&value](const T& given) { value = given; }, text);
}

/// The names that this system's transports have.
std::vector<std::string> transportNames() {
    std::vector<std::string> names{"kernel", "qt"};
    std::erase_if(names, [](const std::string& name) { return !transportKindFromString(name); });
    return names;
}

TransportKind transportOf(const RunFlags& flags) {
    const auto named = flags.transport ? transportKindFromString(*flags.transport) : std::nullopt;
    return named ? *named : bestTransportKind();
}

void addLaneFlags(CLI::App& run, RunFlags& flags) {
    run.add_option(
           "--lane", flags.lanes,
           "A lane (again for each further lane; a comma inside a value is written \\,). A server: "
           "\"name=A,endpoint=URL,model=M,protocol=P,key-env=VAR\" or \"preset=ID,option=ID,model=M\", and where "
           "wanted "
           "ca-file=FILE, pin=FINGERPRINT (a certificate trusted by its SHA-256), connection=reuse, think-tags=on and "
           "cumulative=on. A model on this machine: "
           "\"local=FILE,threads=1,ctx=2048,parallel=4,kv=q8,speculative=lookup,prefix-cache=off,device=cpu\"; "
           "local=sample is a small model that is fetched once, mates=N decodes further requests beside, depth=N puts "
           "that many tokens before the prompt. A recording beside the others: "
           "\"recording=FILE,lane=0\"")
        ->type_name("SPEC")
        ->allow_extra_args(false);
    run.add_option("--endpoint", flags.endpoint, "Address of a single lane: server root, .../v1 or the full route")
        ->type_name("URL")
        ->check(notEmpty());
    run.add_option("--model", flags.model, "Model of the single lane")->type_name("NAME");
    run.add_option("--protocol", flags.protocol, "Protocol of the single lane (openai-chat)")
        ->type_name("NAME")
        ->check(notEmpty());
    run.add_option("--preset", flags.preset, "What the single lane's server is: see decodescope presets")
        ->type_name("ID")
        ->check(notEmpty());
    run.add_option("--preset-option", flags.presetOptions, "An option of the preset (again for each further one)")
        ->type_name("ID")
        ->allow_extra_args(false);
    run.add_flag("--think-tags", flags.thinkTags, "Split inline <think> text into reasoning");
    run.add_flag("--cumulative", flags.cumulative, "Events carry the whole text so far");
    run.add_option("--pin", flags.pinnedCertificate, "Trust this certificate, too (its SHA-256 fingerprint)")
        ->type_name("AB:CD:...")
        ->check(notEmpty());
    run.add_option("--key-env", flags.keyEnv, "Environment variable that holds the key")
        ->type_name("VAR")
        ->check(notEmpty());
    run.add_option("--key-file", flags.keyFile, "File that holds the key; only you may read it (mode 0600)")
        ->type_name("FILE")
        ->check(notEmpty());
    run.add_flag("--key-stdin", flags.keyStdin, "Read the key from standard input");
    run.add_option("--ca-file", flags.caFile, "Certificates (PEM) to trust beside the system's")
        ->type_name("FILE")
        ->check(notEmpty());
    run.add_flag("--reuse", flags.reuse,
                 "Let later runs use a connection that an earlier one left open (told as warm); a lane may say so for "
                 "itself by connection=reuse");
    run.add_flag(
        "--allow-invalid-tls", flags.allowInvalidTls,
        "Do not verify certificates of lanes that do not say verify=on or verify=off for themselves; the result "
        "says so of each run");
    run.add_flag("--allow-key-over-http", flags.allowPlainHttpWithKey,
                 "Send a key unencrypted to a host that is not this machine");
    addOptional(run, "--transport", flags.transport,
                "Sockets to measure with: kernel has each read stamped by the kernel (Linux), qt stamps it when our "
                "thread sees it (the best one of this system)")
        ->type_name("NAME")
        ->check(CLI::IsMember(transportNames()));
}

void addRequestFlags(CLI::App& run, RunFlags& flags) {
    addOptional(run, "--prompt", flags.prompt, "The prompt")->type_name("TEXT");
    addOptional(run, "--prompt-file", flags.promptFile, "File with the prompt; - for standard input")
        ->type_name("FILE")
        ->check(notEmpty());
    run.add_option("--system", flags.system, "System message")->type_name("TEXT");
    addOptional(run, "--max-tokens", flags.sampling.maxTokens, "Most tokens to generate")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    addOptional(run, "--temperature", flags.sampling.temperature, "Sampling temperature")->type_name("X");
    addOptional(run, "--seed", flags.sampling.seed, "Sampling seed")->type_name("N")->check(fits<std::int64_t>());
    run.add_flag("--ignore-eos", flags.sampling.ignoreEos, "Go on past the model's end token, to --max-tokens");
    addOptional(run, "--reasoning-effort", flags.sampling.reasoningEffort, "How hard the model is to think")
        ->type_name("WORD");
    run.add_flag("--unique-prefix", flags.uniquePrefix, "Put a short random line before the prompt: no cache hits");
    run.add_flag("--no-stream", flags.noStream, "Ask for the answer as a whole");
}

void addPlanFlags(CLI::App& run, RunFlags& flags) {
    run.add_option("--repeat", flags.plan.repeats, "Runs of each lane (1)")
        ->type_name("R")
        ->check(CLI::Range(1, 100000));
    run.add_option("--warmup", flags.plan.warmups, "Runs before them that are not counted (0)")
        ->type_name("W")
        ->check(CLI::Range(0, 100000));
    run.add_flag("--sequential", flags.plan.sequential, "One lane after another, not together");
    addOptional(run, "--connect-timeout", flags.connectTimeoutS, "Seconds to connect; 0 for ever (30)")->type_name("S");
    addOptional(run, "--first-token-timeout", flags.firstTokenTimeoutS, "Seconds to the first token; 0 for ever (600)")
        ->type_name("S");
    addOptional(run, "--idle-timeout", flags.idleTimeoutS, "Seconds of silence within a response; 0 for ever (120)")
        ->type_name("S");
    addOptional(run, "--total-timeout", flags.totalTimeoutS, "Seconds for a whole run; 0 for ever (0)")->type_name("S");
    addOptional(run, "--max-bytes", flags.caps.bytes, "Bytes of an answer before it is cut off (256 MiB)")
        ->type_name("N")
        ->check(fits<std::size_t>());
    addOptional(run, "--max-events", flags.caps.messages, "Events of a stream before it is cut off (2000000)")
        ->type_name("N")
        ->check(fits<std::size_t>());
}

void addRunFlags(CLI::App& run, RunFlags& flags) {
    addLaneFlags(run, flags);
    addRequestFlags(run, flags);
    addPlanFlags(run, flags);
    CLI::Option* record = run.add_option("--record", flags.record, "Record everything into this new file")
                              ->type_name("FILE")
                              ->check(notEmpty());
    run.add_option("--note", flags.note, "A sentence for the recording: how it was made")->needs(record);
    run.add_option("--fail-if", flags.failIf, "Exit with 7 when this holds, as in ttft_p95>800ms or decode_p50<20tps")
        ->type_name("EXPR")
        ->allow_extra_args(false);
    run.add_flag("--json", flags.json, "Print one JSON object at the end");
    run.add_flag("--jsonl", flags.jsonLines, "Print events live, one JSON object a line, the result last");
    run.add_flag("--text", flags.text, "Print the generated text too");
    run.footer("Without --json or --jsonl a table is printed. Keys are never taken from the command line.\n" +
               std::string(kExitStatusHelp));
}

void addProbeFlags(CLI::App& probe, ProbeFlags& flags) {
    probe
        .add_option("URL", flags.url,
                    "Server root, .../v1 or the full route; where left out, the environment's or the preset's own")
        ->check(notEmpty());
    probe.add_option("--preset", flags.preset, "What the server is: see decodescope presets")
        ->type_name("ID")
        ->check(notEmpty());
    probe.add_option("--protocol", flags.protocol, "Look for this protocol alone")
        ->type_name("NAME")
        ->check(notEmpty());
    probe.add_option("--model", flags.model, "Model to ask (the first one that is listed)")->type_name("NAME");
    probe.add_option("--key-env", flags.keyEnv, "Environment variable that holds the key")
        ->type_name("VAR")
        ->check(notEmpty());
    probe.add_option("--key-file", flags.keyFile, "File that holds the key; only you may read it (mode 0600)")
        ->type_name("FILE")
        ->check(notEmpty());
    probe.add_flag("--key-stdin", flags.keyStdin, "Read the key from standard input");
    probe.add_option("--ca-file", flags.caFile, "Certificates (PEM) to trust beside the system's")
        ->type_name("FILE")
        ->check(notEmpty());
    probe.add_option("--pin", flags.pinnedCertificate, "Trust this certificate, too (its SHA-256 fingerprint)")
        ->type_name("AB:CD:...")
        ->check(notEmpty());
    probe.add_flag("--allow-invalid-tls", flags.allowInvalidTls, "Do not verify certificates");
    probe.add_flag("--allow-key-over-http", flags.allowPlainHttpWithKey,
                   "Send a key unencrypted to a host that is not this machine");
    probe.add_flag("--json", flags.json, "Print one JSON object");
    probe.footer(
        "Asks for lists of models, then each protocol for at most 8 tokens, then one of them for 64. The key goes\n"
        "to the origin of URL alone; redirects are not followed.\n" +
        std::string(kExitStatusHelp));
}

void addRecordingFlags(CLI::App& command, RecordingFlags& flags) {
    command.add_option("FILE", flags.file, "A recording (*.decodescope)")->required();
    command.add_flag("--json", flags.json, "Print the JSON object of `run --json`, recomputed");
    command.add_flag("--text", flags.text, "Print the generated text too");
}

struct ExplainFlags {
    ExplainOptions options;
    std::string splits;
    bool json = false;
};

void addExplainFlags(CLI::App& explain, ExplainFlags& flags) {
    explain.add_option("FILE", flags.options.file, "A response body, or a whole HTTP/1.1 response")->required();
    explain.add_option("--protocol", flags.options.protocol, "What the response speaks")->type_name("NAME")->required();
    explain.add_option("--split-bytes", flags.options.splitBytes, "Each read holds N bytes")
        ->type_name("N")
        ->check(fits<std::size_t>())
        ->check(CLI::PositiveNumber);
    explain.add_option("--splits", flags.splits, "Reads end at these byte offsets")->type_name("a,b,c");
    explain.add_flag("--think-tags", flags.options.thinkTags, "Split inline <think> text");
    explain.add_flag("--cumulative", flags.options.cumulative, "Events carry the whole text so far");
    explain.add_flag("--json", flags.json, "Print JSON (there is no other form)");
}

/// "a,b,c" as offsets.
Result<std::vector<std::uint64_t>> parseSplits(const std::string& text) {
    std::vector<std::uint64_t> splits;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::uint64_t value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        const bool separated = next == end || (*next == ',' && next + 1 != end);
        if (error != std::errc() || !separated)
            return fail(ErrorCode::usage, "--splits takes byte offsets with commas between them, as in 10,200,201.");
        splits.push_back(value);
        at = next == end ? end : next + 1;
    }
    return splits;
}

ExitStatus explainCommand(ExplainFlags& flags) {
    Result<std::vector<std::uint64_t>> splits = parseSplits(flags.splits);
    if (splits) {
        flags.options.splits = *std::move(splits);
        if (const Result<std::string> json = explainFile(flags.options); json)
            return writeOut(*json + '\n') ? ExitStatus::ok : ExitStatus::disk;
        else
            splits = tl::unexpected(json.error());
    }
    tell(fmt::format("decodescope: {}", splits.error().message));
    return exitStatusOf(splits.error());
}

/// The first "--name" in a message.
std::string optionIn(const std::string& message) {
    const std::size_t begin = message.find("--");
    if (begin == std::string::npos)
        return "An argument";
    return message.substr(begin, message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin) - begin);
}

/// What CLI11 says of bad arguments repeats them, and one of them may be a key: it is said without the values.
int refuseArguments(const CLI::ParseError& error, const std::string& command) {
    std::string what = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        what = "There is an argument that this command does not know.";
    else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
        what = optionIn(what) + (what.find("At Most") != std::string::npos ? " is given more than once: give it once."
                                                                           : " takes a value, and none is given.");
    else if (what.ends_with(kEmptyValue))
        what = optionIn(what) + " has an empty value: is it a shell variable that is not set?";
    else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr ||
             dynamic_cast<const CLI::ValidationError*>(&error) != nullptr)
        what = optionIn(what) + " has a value that it cannot take.";
    tell(fmt::format("decodescope: {}\nSee: decodescope {}--help", what, command));
    return static_cast<int>(ExitStatus::usage);
}

#ifdef DECODESCOPE_WINDOW
ExitStatus drawReport(int argc, char** argv, const RecordingFlags& flags) {
    const Result<Recording> recording = readRecording(flags.file);
    if (!recording) {
        tell(fmt::format("decodescope: {}", recording.error().message));
        return exitStatusOf(recording.error());
    }
    if (const Result<void> drawn = renderReport(argc, argv, *recording, flags.png); !drawn) {
        tell(fmt::format("decodescope: {}", drawn.error().message));
        return exitStatusOf(drawn.error());
    }
    return flags.json ? reportCommand(flags) : ExitStatus::ok;
}

int openWindow(int argc, char** argv, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) {
            tell("decodescope: an argument is neither a command nor a file that is there. See: decodescope --help");
            return static_cast<int>(ExitStatus::usage);
        }
    }
    const auto set = [](const char* variable) { return !qEnvironmentVariableIsEmpty(variable); };
    if (!set("DISPLAY") && !set("WAYLAND_DISPLAY") && !set("QT_QPA_PLATFORM")) {
        tell("decodescope: there is no display for the window; decodescope --help names the commands that need none.");
        return static_cast<int>(ExitStatus::usage);
    }
    return runWindow(argc, argv, files);
}
#endif

int runWith(const std::function<ExitStatus()>& command) {
    try {
        return static_cast<int>(command());
    } catch (const std::exception& fault) {
        tell(fmt::format("decodescope: internal fault: {}", fault.what()));
        return static_cast<int>(ExitStatus::internal);
    }
}

} // namespace

int runCommandLine(int argc, char** argv) {
    redactMessages();
    CLI::App app("An oscilloscope for language-model decoding. Without a command it opens the window.", "decodescope");
    app.set_version_flag("--version", versionText(), "Print the version");
    app.footer(kExitStatusHelp);
    app.require_subcommand(0, 1);
    std::vector<std::string> windowFiles;
    app.add_option("FILE", windowFiles, "Recordings to open in the window");

    RunFlags runFlags;
    CLI::App* run = app.add_subcommand("run", "Measure endpoints and print the result");
    addRunFlags(*run, runFlags);
    RecordingFlags replayFlags;
    CLI::App* replay = app.add_subcommand("replay", "Play a recording at its true pace");
    addRecordingFlags(*replay, replayFlags);
    replay->add_flag("--jsonl", replayFlags.jsonLines, "Print events at their pace, the result last");
    replay->add_option("--speed", replayFlags.speed, "Times the true pace (1)")
        ->type_name("X")
        ->check(CLI::Range(0.1, 8.0));
    RecordingFlags reportFlags;
    CLI::App* report = app.add_subcommand("report", "Recompute the result of a recording");
    addRecordingFlags(*report, reportFlags);
#ifdef DECODESCOPE_WINDOW
    report->add_option("--png", reportFlags.png, "Draw the Race view into this PNG file")
        ->type_name("OUT")
        ->check(notEmpty());
#endif

    ExplainFlags explainFlags;
    CLI::App* explain = app.add_subcommand("explain", "Say what would be measured of a captured response");
    addExplainFlags(*explain, explainFlags);

    DoctorFlags doctorFlags;
    CLI::App* doctor =
        app.add_subcommand("doctor", "Measure what this machine can measure, and look for what commonly goes wrong");
    doctor->add_flag("--json", doctorFlags.json, "Print one JSON object");
    doctor->add_option("--seconds", doctorFlags.seconds, "How long to measure (12)")
        ->type_name("S")
        ->check(CLI::Range(1.0, 600.0));

    bool presetsJson = false;
    CLI::App* presets = app.add_subcommand("presets", "List the endpoint presets, and what the environment names");
    presets->add_flag("--json", presetsJson, "Print JSON");

    ProbeFlags probeFlags;
    CLI::App* probe = app.add_subcommand("probe", "Say what answers at an address, and whether it really streams");
    addProbeFlags(*probe, probeFlags);

    app.add_subcommand("engine", "Call the local decode engine: serve, inspect, bench, fetch-sample");
    if (argc > 1 && std::string_view(argv[1]) == "engine") { // its arguments are its own
        const QCoreApplication application(argc, argv);
        return runWith([&] { return becomeEngine(argc, argv); });
    }

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        const std::vector<CLI::App*> chosen = app.get_subcommands();
        return refuseArguments(error, chosen.empty() ? "" : chosen.front()->get_name() + " ");
    }

    if (run->parsed()) {
        const QCoreApplication application(argc, argv);
        return runWith([&] { return runCommand(runFlags, compose(transportOf(runFlags)).run); });
    }
    if (replay->parsed()) {
        const QCoreApplication application(argc, argv);
        return runWith([&] { return replayCommand(replayFlags); });
    }
#ifdef DECODESCOPE_WINDOW
    if (report->parsed() && !reportFlags.png.empty())
        return runWith([&] { return drawReport(argc, argv, reportFlags); });
#endif
    if (report->parsed())
        return runWith([&] { return reportCommand(reportFlags); });
    if (doctor->parsed()) {
        const QCoreApplication application(argc, argv);
        return runWith([&] { return doctorCommand(doctorFlags); });
    }
    if (presets->parsed())
        return runWith([&] { return presetsCommand(presetsJson); });
    if (probe->parsed()) {
        const QCoreApplication application(argc, argv);
        return runWith([&] { return probeCommand(probeFlags, composeProbe()); });
    }
    if (explain->parsed())
        return runWith([&] { return explainCommand(explainFlags); });
#ifdef DECODESCOPE_WINDOW
    return openWindow(argc, argv, windowFiles);
#else
    tell("decodescope: this build has no window; see decodescope --help for the commands that work without one.");
    return static_cast<int>(ExitStatus::usage);
#endif
}

} // namespace decodescope
