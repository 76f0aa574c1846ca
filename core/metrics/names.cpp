#include "core/metrics/run_summary.h"

namespace decodescope {

std::string_view toString(TokenSourceKind kind) noexcept {
    switch (kind) {
    case TokenSourceKind::usage:
        return "usage";
    case TokenSourceKind::tokenIds:
        return "token_ids";
    case TokenSourceKind::logprobs:
        return "logprobs";
    case TokenSourceKind::timings:
        return "timings";
    case TokenSourceKind::evalCount:
        return "eval_count";
    case TokenSourceKind::engine:
        return "engine";
    case TokenSourceKind::tokenizer:
        return "tokenizer";
    case TokenSourceKind::none:
        break;
    }
    return "none";
}

std::string_view toString(TokenBasis basis) noexcept {
    switch (basis) {
    case TokenBasis::perEvent:
        return "per-event";
    case TokenBasis::total:
        return "total";
    case TokenBasis::tokenizer:
        return "tokenizer";
    case TokenBasis::none:
        break;
    }
    return "none";
}

std::string_view toString(BufferingKind kind) noexcept {
    switch (kind) {
    case BufferingKind::notReallyStreamed:
        return "not_really_streamed";
    case BufferingKind::proxyBuffer:
        return "proxy_buffer";
    case BufferingKind::bursts:
        return "bursts";
    case BufferingKind::nagle:
        return "nagle";
    case BufferingKind::compressed:
        return "compressed";
    case BufferingKind::cacheHit:
        return "cache_hit";
    case BufferingKind::merged:
        break;
    }
    return "merged";
}

std::string_view toString(Channel channel) noexcept {
    switch (channel) {
    case Channel::tool:
        return "tool";
    case Channel::refusal:
        return "refusal";
    case Channel::answer:
        return "answer";
    case Channel::reasoning:
        break;
    }
    return "reasoning";
}

std::string_view channelName(Channel channel) noexcept {
    return channel == Channel::tool ? "tool call" : toString(channel);
}

std::string_view toString(StallSide side) noexcept {
    switch (side) {
    case StallSide::client:
        return "client";
    case StallSide::server:
        return "server";
    case StallSide::either:
        return "either";
    case StallSide::none:
        break;
    }
    return "none";
}

std::string_view toString(StallKind kind) noexcept {
    switch (kind) {
    case StallKind::delivery:
        return "delivery";
    case StallKind::generation:
        return "generation";
    case StallKind::phase:
        return "phase";
    case StallKind::client:
        return "client";
    case StallKind::open:
        return "open";
    case StallKind::unknown:
        break;
    }
    return "unknown";
}

} // namespace decodescope
