#pragma once

#include "tests/support/fault_server.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What OpenAI-compatible servers send, as bytes, for scripts of the fault server.
namespace decodescope::fault {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// A whole response; Content-Length is added.
[[nodiscard]] std::string httpResponse(int status, std::string_view reason, const HeaderList& headers,
                                       std::string_view body);
/// The head of a 200 event stream; the body ends with the connection unless `chunked`.
[[nodiscard]] std::string sseHead(bool chunked = true);
/// One chunk of a chunked body; empty data gives the last chunk.
[[nodiscard]] std::string chunk(std::string_view data);

/// "data: {...}\n\n" with one piece of answer text.
[[nodiscard]] std::string textEvent(std::string_view text);
[[nodiscard]] std::string roleEvent();
[[nodiscard]] std::string finishEvent(std::string_view reason = "length");
[[nodiscard]] std::string usageEvent(int prompt, int completion);
[[nodiscard]] std::string errorEvent(std::string_view message, int code = 500);
/// The JSON body of an error answer, in OpenAI's shape.
[[nodiscard]] std::string errorBody(std::string_view message, std::string_view type, std::string_view code);
[[nodiscard]] std::string doneEvent();
/// The text of the i-th token: "w0 ", "w1 ", ...
[[nodiscard]] std::string wordFor(int i);

struct PaceOptions {
    int tokens = 20;
    std::chrono::nanoseconds first = std::chrono::milliseconds(20); ///< request to first token
    std::chrono::nanoseconds interval = std::chrono::milliseconds(20);
    bool usage = true;
    bool chunked = true;
    std::string finish = "length";
};

/// A whole well-behaved run: reads the request, sends the head at once, then one token a send at an even pace,
/// the last one together with the finish reason, usage and [DONE] after it.
[[nodiscard]] Script pacedRun(const PaceOptions& options);
/// The same without the request being read first: for keep-alive and for choose().
[[nodiscard]] Script pacedResponse(const PaceOptions& options);

/// The named scenarios of the `fault_server` program, in the order its help lists them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> scenarioNames();
/// What follows once the request was read. Numbers are taken from the query of the request
/// (tokens, interval_ms, first_ms, after, stall_ms). An unknown name answers 404.
[[nodiscard]] Script scenario(const std::string& name, const Request& request);

} // namespace decodescope::fault
