#include "tests/core/wire/decode_helper.h"

#include "core/base/utf8.h"
#include "tests/support/test_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace decodescope::test {
namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

template <class T> std::string shown(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
}

std::string describe(const StreamEvent& event) {
    const std::string what = std::visit(
        Overloaded{
            [](const Milestone&) { return std::string("milestone"); },
            [](const ResponseHead& h) {
                return fmt::format("head {} {} {}", h.status, h.httpVersion, h.headers.size());
            },
            [](const MessageArrived&) { return std::string("message"); },
            [](const TokenDelta& d) {
                std::string text =
                    fmt::format("delta u{} t{} i{} l{}", shown(d.hints.runningUsage), shown(d.hints.runningTimings),
                                shown(d.hints.ids), shown(d.hints.logprobs));
                for (const Fragment& f : d.fragments)
                    text += fmt::format(" [{} {} {} {} {}]", static_cast<int>(f.channel), f.choice, f.toolCall,
                                        f.isToolName, f.text);
                return text;
            },
            [](const ToolCallOpened& t) { return fmt::format("tool {} {} {}", t.toolCall, t.choice, shown(t.id)); },
            [](const UsageReport& u) {
                return fmt::format("usage {} {} {} {}", shown(u.prompt), shown(u.completion), shown(u.reasoning),
                                   shown(u.cached));
            },
            [](const ServerTimings& t) {
                return fmt::format("timings {} {} {} {} {}", shown(t.queueMs), shown(t.loadMs), shown(t.promptMs),
                                   shown(t.decodeMs), t.raw);
            },
            [](const ServerIdentity& i) {
                return fmt::format("identity {} {} {}", i.provider, i.systemFingerprint, i.model);
            },
            [](const EngineIntroduced& e) {
                return fmt::format("engine {} {} {}", e.facts->model, e.facts->device, e.facts->weightBytes);
            },
            [](const EnginePrompt& p) { return fmt::format("prompt {} {}", p.tokens, p.prefillNs); },
            [](const EngineStep& s) {
                return fmt::format("step {} {} {} {}", s.tokens, s.position, s.stepId, s.sampledAtNs);
            },
            [](const FinishReported& f) { return fmt::format("finish {} {}", f.choice, f.reason); },
            [](const Keepalive& k) { return fmt::format("alive {}", k.note); },
            [](const WarningRaised& w) { return fmt::format("warning {}", w.name); },
            [](const Hiccup&) { return std::string("hiccup"); },
            [](const StampReport&) { return std::string("stamps"); },
            [](const StreamEnd& e) {
                return fmt::format("end {} {} {} {} {} {} {} {} {} {}", static_cast<int>(e.verdict), toString(e.kind),
                                   e.message, e.code, e.codeIsNumber, shown(e.httpStatus), shown(e.retryAfterMs),
                                   e.redirectTo, e.notStreamed, e.body);
            },
        },
        event.what);
    return fmt::format("{} {}", event.message, what);
}

} // namespace

std::vector<StreamEvent> decode(std::string_view bytes, const DecoderOptions& options,
                                const std::vector<std::size_t>& cuts, TransportEnd end) {
    auto decoder = StreamDecoder::create(options);
    std::vector<StreamEvent> events;
    if (!decoder)
        return events;
    std::size_t begin = 0;
    std::uint32_t read = 0;
    const auto feed = [&](std::size_t to) {
        const Instant at = instantFromNs((read + 1) * 1'000'000LL);
        (*decoder)->feed({at, read++, std::string(bytes.substr(begin, to - begin))}, events);
        begin = to;
        end.at = at + std::chrono::seconds(1);
    };
    for (const std::size_t cut : cuts) {
        if (cut > begin && cut < bytes.size())
            feed(cut);
    }
    if (begin < bytes.size())
        feed(bytes.size());
    (*decoder)->finish(end, events);
    return events;
}

DecoderOptions bareBody() {
    DecoderOptions options;
    options.framing = Framing::bodyOnly;
    return options;
}

std::string described(const std::vector<StreamEvent>& events) {
    std::string out;
    for (const StreamEvent& event : events)
        out += describe(event) + "\n";
    return out;
}

std::string brokenPromise(const std::vector<StreamEvent>& events) {
    if (all<StreamEnd>(events).size() != 1 || !std::holds_alternative<StreamEnd>(events.back().what))
        return "not exactly one end, at the end";
    if (!isValidUtf8(described(events)))
        return "text that is no UTF-8";
    std::size_t messages = 0;
    Instant last{};
    for (const StreamEvent& event : events) {
        if (std::holds_alternative<MessageArrived>(event.what) && event.message != messages++)
            return "messages out of order";
        const auto* delta = std::get_if<TokenDelta>(&event.what);
        if (!delta)
            continue;
        if (delta->fragments.empty())
            continue;
        if (event.at < last)
            return "text out of order";
        last = event.at;
        for (const Fragment& fragment : delta->fragments) {
            if (fragment.text.empty())
                return "an empty fragment";
            if (!isValidUtf8(fragment.text))
                return "a fragment that is no UTF-8";
        }
    }
    return {};
}

const StreamEnd& endOf(const std::vector<StreamEvent>& events) {
    return std::get<StreamEnd>(events.back().what);
}

std::string textOf(const std::vector<StreamEvent>& events, Channel channel) {
    std::string text;
    for (const TokenDelta& delta : all<TokenDelta>(events)) {
        for (const Fragment& fragment : delta.fragments) {
            if (fragment.channel == channel)
                text += fragment.text;
        }
    }
    return text;
}

bool warned(const std::vector<StreamEvent>& events, std::string_view name) {
    const auto warnings = all<WarningRaised>(events);
    return std::any_of(warnings.begin(), warnings.end(), [&](const WarningRaised& w) { return w.name == name; });
}

std::vector<std::pair<std::string, std::string>> rawResponses() {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& entry : std::filesystem::directory_iterator(testData("wirecases"))) {
        if (entry.path().extension() == ".json")
            continue;
        std::ifstream file(entry.path(), std::ios::binary);
        found.emplace_back(entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(file), {}));
    }
    std::sort(found.begin(), found.end());
    return found;
}

DecoderOptions optionsFor(std::string_view bytes) {
    return bytes.starts_with("HTTP/") ? DecoderOptions{} : bareBody();
}

} // namespace decodescope::test
