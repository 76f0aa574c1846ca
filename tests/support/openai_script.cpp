#include "tests/support/openai_script.h"

#include <cstdlib>

namespace decodescope::fault {

namespace {

using std::chrono::milliseconds;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + "\"";
}

std::string chatEvent(const std::string& delta, const std::string& finish) {
    return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"fault",)"
           R"("choices":[{"index":0,"delta":)" +
           delta + R"(,"finish_reason":)" + finish + "}]}\n\n";
}

/// The value of `name` in the target's query, or `otherwise`.
int queryValue(const Request& request, const std::string& name, int otherwise) {
    const std::size_t query = request.target.find('?');
    if (query == std::string::npos)
        return otherwise;
    std::size_t at = query;
    while (at != std::string::npos) {
        if (request.target.compare(at + 1, name.size() + 1, name + "=") == 0)
            return std::atoi(request.target.c_str() + at + name.size() + 2);
        at = request.target.find('&', at + 1);
    }
    return otherwise;
}

PaceOptions paceOf(const Request& request) {
    PaceOptions pace;
    pace.tokens = queryValue(request, "tokens", 50);
    pace.first = milliseconds(queryValue(request, "first_ms", 50));
    pace.interval = milliseconds(queryValue(request, "interval_ms", 20));
    return pace;
}

/// The first `after` tokens of a run, and nothing that would end it.
Script begunRun(const Request& request) {
    PaceOptions pace = paceOf(request);
    const int after = queryValue(request, "after", 5);
    std::vector<std::string> sends;
    for (int i = 0; i < after; ++i)
        sends.push_back(chunk(textEvent(wordFor(i))));
    return Script{send(sseHead() + chunk(roleEvent()))} + paced(sends, pace.first, pace.interval);
}

Script json(int status, std::string_view reason, const std::string& body, HeaderList headers = {}) {
    headers.emplace_back("Content-Type", "application/json");
    return {send(httpResponse(status, reason, headers, body))};
}

Script html(int status, std::string_view reason) {
    return {send(httpResponse(status, reason, {{"Content-Type", "text/html; charset=utf-8"}},
                              "<!DOCTYPE html><html><head><title>Sign in to the network</title></head>"
                              "<body><h1>Welcome</h1></body></html>"))};
}

/// Sends back all that a careless server could: the key in a header, in the error text and by itself.
Script echoKey(const Request& request) {
    const auto found = request.headers.find("authorization");
    const std::string authorization = found == request.headers.end() ? "none" : found->second;
    return json(401, "Unauthorized",
                errorBody("Incorrect API key provided: " + authorization, "auth", "invalid_api_key"),
                {{"X-Request-Authorization", authorization}});
}

Script echoKeyInStream(const Request& request) {
    const auto found = request.headers.find("authorization");
    const std::string authorization = found == request.headers.end() ? "none" : found->second;
    Script script{send(sseHead(false))};
    script = script + trickle(textEvent("your key is " + authorization), std::chrono::microseconds(200));
    script.push_back(send(finishEvent("stop") + doneEvent()));
    return script;
}

/// A stall in the middle of a run that then goes on.
Script slow(const Request& request) {
    PaceOptions pace = paceOf(request);
    const int stallMs = queryValue(request, "stall_ms", 3000);
    const int after = queryValue(request, "after", 5);
    std::vector<std::string> rest;
    for (int i = after; i < pace.tokens; ++i)
        rest.push_back(chunk(textEvent(wordFor(i))));
    const auto resumed = pace.first + pace.interval * after + milliseconds(stallMs);
    Script script = begunRun(request) + paced(rest, resumed, pace.interval);
    script.push_back(send(chunk(finishEvent()) + chunk(usageEvent(10, pace.tokens)) + chunk(doneEvent()) + chunk({})));
    return script;
}

Script models() {
    return json(200, "OK",
                R"({"object":"list","data":[{"id":"fault-model","object":"model"},)"
                R"({"id":"second-model","object":"model"}]})");
}

} // namespace

std::string httpResponse(int status, std::string_view reason, const HeaderList& headers, std::string_view body) {
    std::string out = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason) + "\r\n";
    for (const auto& [name, value] : headers)
        out += name + ": " + value + "\r\n";
    out += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return out + std::string(body);
}

std::string sseHead(bool chunked) {
    return std::string(
               "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n") +
           (chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Connection: close\r\n\r\n");
}

std::string chunk(std::string_view data) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string size;
    for (std::size_t n = data.size(); n > 0; n /= 16)
        size.insert(size.begin(), kDigits[n % 16]);
    return (size.empty() ? "0" : size) + "\r\n" + std::string(data) + "\r\n";
}

std::string textEvent(std::string_view text) {
    return chatEvent(R"({"content":)" + quoted(text) + "}", "null");
}
std::string roleEvent() {
    return chatEvent(R"({"role":"assistant","content":""})", "null");
}
std::string finishEvent(std::string_view reason) {
    return chatEvent("{}", quoted(reason));
}

std::string usageEvent(int prompt, int completion) {
    return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"fault","choices":[],)"
           R"("usage":{"prompt_tokens":)" +
           std::to_string(prompt) + R"(,"completion_tokens":)" + std::to_string(completion) + R"(,"total_tokens":)" +
           std::to_string(prompt + completion) + "}}\n\n";
}

std::string errorEvent(std::string_view message, int code) {
    return R"(data: {"error":{"message":)" + quoted(message) + R"(,"type":"server_error","code":)" +
           std::to_string(code) + "}}\n\n";
}

std::string errorBody(std::string_view message, std::string_view type, std::string_view code) {
    return R"({"error":{"message":)" + quoted(message) + R"(,"type":)" + quoted(type) + R"(,"code":)" + quoted(code) +
           "}}";
}

std::string doneEvent() {
    return "data: [DONE]\n\n";
}
std::string wordFor(int i) {
    return "w" + std::to_string(i) + " ";
}

Script pacedResponse(const PaceOptions& options) {
    const auto framed = [&](const std::string& data) { return options.chunked ? chunk(data) : data; };
    std::vector<std::string> sends;
    for (int i = 0; i < options.tokens; ++i)
        sends.push_back(framed(textEvent(wordFor(i))));
    std::string tail = framed(finishEvent(options.finish));
    if (options.usage)
        tail += framed(usageEvent(10, options.tokens));
    tail += framed(doneEvent());
    if (options.chunked)
        tail += chunk({});
    return Script{send(sseHead(options.chunked) + framed(roleEvent()))} +
           paced(sends, options.first, options.interval) + Script{send(tail)};
}

Script pacedRun(const PaceOptions& options) {
    return Script{readRequest()} + pacedResponse(options);
}

std::vector<std::pair<std::string, std::string>> scenarioNames() {
    return {{"pace", "N tokens at M ms with usage and [DONE] (tokens, interval_ms, first_ms)"},
            {"wrong-key", "401 with a JSON error"},
            {"html", "200 with an HTML page, as a captive portal sends it"},
            {"bad-gateway", "502 with an HTML page"},
            {"429", "429 with Retry-After: 7"},
            {"loading", "503 while a model loads"},
            {"empty-404", "404 without a body"},
            {"stall", "some tokens, then silence for ever (after)"},
            {"silent", "the request is read and never answered"},
            {"slow", "a stall in the middle, then the rest (after, stall_ms)"},
            {"truncated", "some tokens, then an orderly end without finish reason (after)"},
            {"cut", "some tokens, then the connection closes inside the chunked body (after)"},
            {"reset", "some tokens, then a TCP reset (after)"},
            {"error-in-stream", "some tokens, then an error object and [DONE] (after)"},
            {"redirect", "307 to another host"},
            {"not-streamed", "a whole JSON answer"},
            {"echo-key", "401 that repeats the Authorization header in a header and in its text"},
            {"echo-key-stream", "200 stream that repeats the Authorization header byte by byte"}};
}

Script scenario(const std::string& name, const Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path.size() >= 7 && path.compare(path.size() - 7, 7, "/models") == 0 && name != "wrong-key" &&
        name != "echo-key")
        return models();
    if (name == "pace")
        return pacedResponse(paceOf(request));
    if (name == "wrong-key")
        return json(401, "Unauthorized",
                    errorBody("Incorrect API key provided", "invalid_request_error", "invalid_api_key"));
    if (name == "html")
        return html(200, "OK");
    if (name == "bad-gateway")
        return html(502, "Bad Gateway");
    if (name == "429")
        return json(429, "Too Many Requests", errorBody("Rate limit reached", "rate_limit", "rate_limit_exceeded"),
                    {{"Retry-After", "7"}});
    if (name == "loading")
        return json(503, "Service Unavailable",
                    R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})");
    if (name == "empty-404")
        return {send(httpResponse(404, "Not Found", {}, {}))};
    if (name == "stall")
        return begunRun(request) + Script{stall()};
    if (name == "silent")
        return {stall()};
    if (name == "slow")
        return slow(request);
    if (name == "truncated")
        return begunRun(request) + Script{send(chunk({}))};
    if (name == "cut")
        return begunRun(request);
    if (name == "reset")
        return begunRun(request) + Script{pause(milliseconds(50)), reset()};
    if (name == "error-in-stream")
        return begunRun(request) +
               Script{send(chunk(errorEvent("CUDA out of memory", 500)) + chunk(doneEvent()) + chunk({}))};
    if (name == "redirect")
        return {send(
            httpResponse(307, "Temporary Redirect", {{"Location", "http://localhost:9/v1/chat/completions"}}, {}))};
    if (name == "not-streamed")
        return json(200, "OK",
                    R"({"id":"x","object":"chat.completion","model":"fault","choices":[{"index":0,)"
                    R"("message":{"role":"assistant","content":"Hello there."},"finish_reason":"stop"}],)"
                    R"("usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}})");
    if (name == "echo-key")
        return echoKey(request);
    if (name == "echo-key-stream")
        return echoKeyInStream(request);
    return json(404, "Not Found", errorBody("No such scenario: " + name, "not_found", "scenario"));
}

} // namespace decodescope::fault
