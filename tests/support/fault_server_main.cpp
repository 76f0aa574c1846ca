// The scripted fault server as a program, for scripts and for looking at a window by hand. One server plays all
// scenarios: the first part of the path chooses ("http://127.0.0.1:PORT/stall/v1"), --scenario what is played at
// the root. Prints {"url":"..."} as its only line on stdout once it listens.
#include "tests/support/buffering_proxy.h"
#include "tests/support/openai_script.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace decodescope;

namespace {

struct Arguments {
    std::string scenario = "pace";
    std::string stampsFile;
    std::string requestsFile;
    std::string certificateFile;
    std::optional<fault::Holding> holding;
    int seconds = 600;
    fault::Options server;
};

void printHelp() {
    std::puts(
        "fault_server [--scenario NAME] [--port P] [--seconds S] [--tls] [--ipv6]\n"
        "             [--hold WHAT] [--stamps FILE] [--requests FILE] [--certificate FILE]\n"
        "Serves scenarios on 127.0.0.1 until SIGTERM, or for S seconds (600). URL/NAME/v1 plays NAME, URL/v1\n"
        "the one of --scenario. Query values set numbers: URL/pace/v1?tokens=200&interval_ms=20\n"
        "  --hold WHAT         behind a proxy that holds answers back: all (to the end), bytes=N (until a buffer is\n"
        "                      full), ms=N (until so much time has passed), nagle, nothing\n"
        "  --stamps FILE       at the end, one line a send: connection, index, CLOCK_MONOTONIC ns, bytes\n"
        "  --requests FILE     at the end, the heads and bodies of all requests, keys masked\n"
        "  --certificate FILE  with --tls: the certificate to trust\n"
        "Scenarios:");
    for (const auto& [name, text] : fault::scenarioNames())
        std::printf("  %-18s %s\n", name.c_str(), text.c_str());
}

/// False after help or a usage fault, with the exit status in `status`.
bool readArguments(int argc, char** argv, Arguments& arguments, int& status) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--help") {
            printHelp();
            return false;
        }
        if (name == "--tls") {
            arguments.server.tls = fault::TlsOptions{};
            continue;
        }
        if (name == "--ipv6") {
            arguments.server.ipv6 = true;
            continue;
        }
        const char* value = i + 1 < argc ? argv[++i] : nullptr;
        if (value != nullptr && name == "--scenario") {
            arguments.scenario = value;
        } else if (value != nullptr && name == "--port") {
            arguments.server.port = static_cast<std::uint16_t>(std::atoi(value));
        } else if (value != nullptr && name == "--seconds") {
            arguments.seconds = std::atoi(value);
        } else if (value != nullptr && name == "--hold" && fault::Holding::fromWord(value)) {
            arguments.holding = fault::Holding::fromWord(value);
        } else if (value != nullptr && name == "--stamps") {
            arguments.stampsFile = value;
        } else if (value != nullptr && name == "--requests") {
            arguments.requestsFile = value;
        } else if (value != nullptr && name == "--certificate") {
            arguments.certificateFile = value;
        } else {
            std::fprintf(stderr, "fault_server: cannot use \"%s\"; see --help\n", argv[i]);
            status = 2;
            return false;
        }
    }
    return true;
}

/// "/stall/v1/chat/completions" plays "stall" when there is such a scenario.
std::string scenarioOf(const fault::Request& request, const std::string& otherwise) {
    const std::size_t end = request.target.find_first_of("/?", 1);
    const std::string first = request.target.substr(std::min<std::size_t>(1, request.target.size()),
                                                    end == std::string::npos ? end : end - 1);
    for (const auto& [name, text] : fault::scenarioNames()) {
        if (name == first)
            return name;
    }
    return otherwise;
}

void writeStamps(const fault::FaultServer& server, const std::string& path) {
    std::ofstream file(path);
    for (const fault::SendStamp& stamp : server.sendStamps())
        file << stamp.connection << ' ' << stamp.index << ' ' << stamp.at.time_since_epoch().count() << ' '
             << stamp.bytes << '\n';
}

void writeRequests(const fault::FaultServer& server, const std::string& path) {
    std::ofstream file(path);
    for (const fault::Request& request : server.requests()) {
        std::string head = request.head;
        if (const auto key = request.headers.find("authorization");
            key != request.headers.end() && !key->second.empty()) {
            for (std::size_t at = head.find(key->second); at != std::string::npos; at = head.find(key->second, at))
                head.replace(at, key->second.size(), std::string(key->second.size(), '*'));
        }
        file << head << "\n\n" << request.body << "\n----\n";
    }
}

} // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    int status = 0;
    if (!readArguments(argc, argv, arguments, status))
        return status;
    // Blocked before any thread starts, so that sigtimedwait below gets them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        const std::string byDefault = arguments.scenario;
        fault::Script script{fault::readRequest(), fault::choose([byDefault](const fault::Request& request) {
                                 return fault::scenario(scenarioOf(request, byDefault), request);
                             })};
        fault::FaultServer server(std::move(script), arguments.server);
        if (!arguments.certificateFile.empty())
            std::ofstream(arguments.certificateFile) << server.certificatePem();
        std::optional<fault::BufferingProxy> proxy;
        if (arguments.holding)
            proxy.emplace(server.port(), *arguments.holding);
        std::cout << "{\"url\":\"" << (proxy ? proxy->url() : server.url()) << "\"}" << std::endl;
        const timespec limit{arguments.seconds, 0};
        sigtimedwait(&signals, nullptr, &limit);
        if (!arguments.stampsFile.empty())
            writeStamps(server, arguments.stampsFile);
        if (!arguments.requestsFile.empty())
            writeRequests(server, arguments.requestsFile);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "fault_server: %s\n", problem.what());
        return 1;
    }
    return 0;
}
