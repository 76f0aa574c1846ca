#pragma once

#include "core/record/run_record.h"
#include "core/record/spec_json.h"

#include <sstream>
#include <string>

namespace decodescope::test {

/// Every member of a record as text: two records are equal when their texts are.
inline std::string recordText(const RunRecord& r) {
    std::ostringstream out;
    const auto instant = [](const std::optional<Instant>& t) { return t ? std::to_string(toNs(*t)) : "-"; };
    const auto word = [](const auto& value) { return value ? std::string(*value) : "-"; };
    const auto number = [](const auto& value) { return value ? std::to_string(*value) : "-"; };
    const auto tokens = [](const EventTokens& t) {
        return std::to_string(t.usage) + ',' + std::to_string(t.timings) + ',' + std::to_string(t.ids) + ',' +
               std::to_string(t.logprobs) + ',' + std::to_string(t.engine);
    };
    out << runSpecToJson(r.spec) << '\n' << r.route << '\n' << r.requestBody << '\n' << r.startedUtc << '\n';
    out << r.lane << ' ' << r.repeat << ' ' << r.warmup << ' ' << toString(r.clock) << '\n';
    out << word(r.card.model) << ' ' << word(r.card.quantization) << ' ' << word(r.card.hardware) << ' '
        << word(r.card.scheduler) << ' ' << word(r.card.kvType) << ' ' << word(r.card.speculativeDecoding) << ' '
        << word(r.card.serverVersion) << ' ' << number(r.card.batch) << ' ' << number(r.card.concurrency) << ' '
        << number(r.card.contextLength) << ' ' << r.card.clientVersion << '\n';
    out << instant(r.started) << ' ' << instant(r.connected) << ' ' << instant(r.sent) << ' ' << instant(r.firstByte)
        << ' ' << instant(r.finished) << ' ' << r.warmConnection << ' '
        << (r.openingTook ? std::to_string(toNs(*r.openingTook)) : "-") << ' '
        << (r.tlsTook ? std::to_string(toNs(*r.tlsTook)) : "-") << ' ' << r.tlsVersion << ' ' << r.tlsUnverified << ' '
        << r.proxy << '\n';
    if (r.head) {
        out << r.head->status << ' ' << r.head->httpVersion << '\n';
        for (const auto& [name, value] : r.head->headers)
            out << name << ": " << value << '\n';
    }
    if (r.stamps)
        out << toString(r.stamps->source) << ' '
            << (r.stamps->errorBound ? std::to_string(toNs(*r.stamps->errorBound)) : "-") << ' '
            << r.stamps->kernelStamps << ' ' << r.stamps->rejected << ' ' << toNs(r.stamps->largestLag) << '\n';
    for (const Hiccup& hiccup : r.hiccups)
        out << toNs(hiccup.due) << '-' << toNs(hiccup.woke) << '\n';
    for (const TokenEvent& e : r.events)
        out << toNs(e.at) << ' ' << e.read << ' ' << e.message << ' ' << e.textBegin << ' ' << e.textEnd << ' '
            << int{e.channels} << ' ' << tokens(e.tokens) << '\n';
    out << r.transcript << '\n';
    for (const ChannelSpan& span : r.spans)
        out << span.begin << ':' << static_cast<int>(span.channel) << ' ';
    for (const ToolCall& call : r.toolCalls)
        out << word(call.id) << ' ' << call.name << ' ' << call.arguments << ' ' << call.choice << '\n';
    for (const auto& [index, choice] : r.choices)
        out << index << ' ' << choice.text << ' ' << word(choice.finish) << '\n';
    out << word(r.finish) << '\n';
    if (r.usage)
        out << number(r.usage->prompt) << ' ' << number(r.usage->completion) << ' ' << number(r.usage->reasoning) << ' '
            << number(r.usage->cached) << '\n';
    out << tokens(r.trailing) << ' ' << r.usageContinuous << '\n';
    if (r.timings)
        out << number(r.timings->queueMs) << ' ' << number(r.timings->loadMs) << ' ' << number(r.timings->promptMs)
            << ' ' << number(r.timings->decodeMs) << ' ' << r.timings->raw << '\n';
    out << r.identity.provider << ' ' << r.identity.systemFingerprint << ' ' << r.identity.model << '\n';
    out << r.messages << ' ' << r.reads << ' ' << r.keepalives << '\n';
    for (const std::string& warning : r.warnings)
        out << warning << ' ';
    out << toString(r.outcome) << '\n';
    if (r.end)
        out << static_cast<int>(r.end->verdict) << ' ' << toString(r.end->kind) << ' ' << r.end->message << ' '
            << r.end->code << ' ' << r.end->codeIsNumber << ' ' << number(r.end->httpStatus) << ' '
            << number(r.end->retryAfterMs) << ' ' << r.end->redirectTo << ' ' << r.end->notStreamed << ' '
            << r.end->body << '\n';
    return out.str();
}

} // namespace decodescope::test
