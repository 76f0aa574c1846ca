#include "app/metric_table.h"

namespace decodescope {

namespace {

template <class T> std::optional<double> number(const std::optional<T>& value) {
    if (!value)
        return std::nullopt;
    return static_cast<double>(*value);
}

} // namespace

const std::vector<RunMetric>& runMetrics() {
    using S = const RunSummary&;
    static const std::vector<RunMetric> table = {
        {"ttft_s", "ttft", MetricUnit::seconds, [](S s) { return s.ttft; }},
        {"ttfa_s", "ttfa", MetricUnit::seconds, [](S s) { return s.ttfa; }},
        {"ttfb_s", "ttfb", MetricUnit::seconds, [](S s) { return s.ttfb; }},
        {"connect_s", "connect", MetricUnit::seconds, [](S s) { return s.connect; }},
        {"ttft_sent_s", "ttft_sent", MetricUnit::seconds, [](S s) { return s.ttftFromSent; }},
        {"decode_s", "decode", MetricUnit::seconds, [](S s) { return s.decode; }},
        {"decode_tps", "decode", MetricUnit::perSecond, [](S s) { return s.decodeTps; }},
        {"events_per_s", "events", MetricUnit::perSecond, [](S s) { return s.eventsPerS; }},
        {"tpot_s", "tpot", MetricUnit::seconds, [](S s) { return s.tpot; }},
        {"e2e_s", "e2e", MetricUnit::seconds, [](S s) { return s.e2e; }},
        {"e2e_tps", "e2e", MetricUnit::perSecond, [](S s) { return s.e2eTps; }},
        {"output_tokens", "output_tokens", MetricUnit::count, [](S s) { return number(s.tokens.output); }},
        {"visible_tokens", "visible_tokens", MetricUnit::count, [](S s) { return s.tokens.visible; }},
        {"reasoning_tokens", "reasoning_tokens", MetricUnit::count, [](S s) { return number(s.tokens.reasoning); }},
        {"prompt_tokens", "prompt_tokens", MetricUnit::count, [](S s) { return number(s.tokens.prompt); }},
        {"cached_tokens", "cached_tokens", MetricUnit::count, [](S s) { return number(s.tokens.cached); }},
        {"prompt_tps", "prompt", MetricUnit::perSecond, [](S s) { return s.promptTps; }},
        {"token_events", "token_events", MetricUnit::count,
         [](S s) { return std::optional<double>(static_cast<double>(s.tokenEvents)); }},
        {"chars_per_s", "chars", MetricUnit::perSecond, [](S s) { return s.charsPerS; }},
        {"words_per_s", "words", MetricUnit::perSecond, [](S s) { return s.wordsPerS; }},
    };
    return table;
}

} // namespace decodescope
