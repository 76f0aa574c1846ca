#include "app/explain.h"

#include "app/captured_response.h"
#include "app/json_values.h"
#include "core/metrics/metrics.h"
#include "core/record/run_recorder.h"
#include "core/wire/stream_decoder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

namespace decodescope {

namespace {

constexpr int kSchema = 1;
/// A capture has no clock: its reads are taken to be a millisecond apart.
constexpr Duration kBetweenReads = std::chrono::milliseconds(1);

/// Where the reads end, in the bytes of the capture.
std::vector<std::size_t> readEnds(std::size_t fileSize, const CapturedResponse& capture,
                                  const ExplainOptions& options) {
    std::vector<std::size_t> ends;
    if (options.splitBytes > 0) {
        for (std::size_t end = options.splitBytes; end < fileSize; end += options.splitBytes)
            ends.push_back(capture.offset(end));
    } else {
        for (const std::uint64_t split : options.splits) {
            if (split > 0 && split < fileSize)
                ends.push_back(capture.offset(static_cast<std::size_t>(split)));
        }
        std::sort(ends.begin(), ends.end());
    }
    if (fileSize > 0)
        ends.push_back(capture.bytes.size());
    // A head that was rewritten may be shorter than in the file.
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    if (!ends.empty() && ends.front() == 0)
        ends.erase(ends.begin());
    return ends;
}

/// Sends the bytes down the road that live responses take.
std::size_t play(std::size_t fileSize, const CapturedResponse& capture, const ExplainOptions& options,
                 StreamDecoder& decoder, RunRecorder& recorder) {
    std::vector<StreamEvent> events;
    const auto apply = [&] {
        for (const StreamEvent& event : events)
            recorder.apply(event);
        events.clear();
    };
    Instant now = instantFromNs(0);
    std::uint32_t reads = 0;
    std::size_t begin = 0;
    for (const std::size_t end : readEnds(fileSize, capture, options)) {
        now += kBetweenReads;
        decoder.feed({now, reads++, capture.bytes.substr(begin, end - begin)}, events);
        apply();
        begin = end;
    }
    decoder.finish({now, ErrorKind::none, {}}, events);
    apply();
    return reads;
}

std::string_view statusName(StreamEnd::Verdict verdict) {
    switch (verdict) {
    case StreamEnd::Verdict::complete:
        return "complete";
    case StreamEnd::Verdict::incomplete:
        return "incomplete";
    case StreamEnd::Verdict::error:
        break;
    }
    return "error";
}

void addEnd(Json& out, const StreamEnd& end) {
    out["status"] = statusName(end.verdict);
    out["error_kind"] = jsonTextOrNull(toString(end.kind));
    out["error_message"] = jsonTextOrNull(end.message);
    const Json number = end.codeIsNumber ? jsonForeign(end.code) : Json(nullptr);
    out["error_code"] = number.is_number() ? number : jsonTextOrNull(end.code);
    out["http_status"] = end.httpStatus ? Json(*end.httpStatus) : Json(nullptr);
    out["redirect_to"] = jsonTextOrNull(end.redirectTo);
    out["retry_after_ms"] = end.retryAfterMs ? Json(*end.retryAfterMs) : Json(nullptr);
}

void addEvents(Json& out, const RunRecord& record) {
    // A whole answer arrived at one instant: it has text, and no events that could be timed.
    const bool streamed = !record.end || !record.end->notStreamed;
    const auto answer = std::find_if(record.events.begin(), record.events.end(),
                                     [](const TokenEvent& event) { return event.answers(); });
    out["events"] = record.messages;
    out["token_events"] = streamed ? record.events.size() : 0;
    out["first_token_event"] = streamed && !record.events.empty() ? Json(record.events.front().message) : Json(nullptr);
    out["first_answer_event"] = streamed && answer != record.events.end() ? Json(answer->message) : Json(nullptr);
}

void addText(Json& out, const RunRecord& record) {
    out["text"] = jsonText(record.text(Channel::answer));
    out["reasoning"] = jsonText(record.text(Channel::reasoning));
    out["refusal"] = jsonText(record.text(Channel::refusal));
    out["tool_calls"] = Json::array();
    for (const ToolCall& call : record.toolCalls) {
        if (call.choice == 0)
            out["tool_calls"].push_back({{"id", jsonOptionalText(call.id)},
                                         {"name", jsonText(call.name)},
                                         {"arguments", jsonText(call.arguments)}});
    }
    if (record.choices.size() > 1) {
        for (const auto& [index, choice] : record.choices)
            out["choices"][std::to_string(index)] = {{"text", jsonText(choice.text)},
                                                     {"finish", jsonOptionalText(choice.finish)}};
    }
    out["finish"] = jsonOptionalText(record.finish);
}

void addCounts(Json& out, const RunRecord& record, const TokenCount& tokens) {
    out["usage"] = nullptr;
    if (const auto& usage = record.usage)
        out["usage"] = {{"prompt", jsonCount(usage->prompt)},
                        {"completion", jsonCount(usage->completion)},
                        {"reasoning", jsonCount(usage->reasoning)},
                        {"cached", jsonCount(usage->cached)}};
    out["tokens"] = jsonCount(tokens.output);
    out["token_source"] = toString(tokens.source);
    const bool streamed = !record.end || !record.end->notStreamed;
    out["tokens_per_event"] = streamed && !tokens.told.empty() ? Json(tokens.told) : Json(nullptr);
    out["timings"] = nullptr;
    if (const auto& timings = record.timings)
        out["timings"] = {{"queue_ms", jsonNumber(timings->queueMs)},
                          {"load_ms", jsonNumber(timings->loadMs)},
                          {"prompt_ms", jsonNumber(timings->promptMs)},
                          {"decode_ms", jsonNumber(timings->decodeMs)}};
    out["provider"] = jsonTextOrNull(record.identity.provider);
}

void addWarnings(Json& out, const RunRecord& record, const TokenCount& tokens) {
    std::vector<std::string> warnings = record.warnings;
    const bool streamed = !record.end || !record.end->notStreamed;
    if (!streamed)
        std::erase(warnings, "burst");
    const auto add = [&](const char* name, bool holds) {
        if (holds && std::find(warnings.begin(), warnings.end(), name) == warnings.end())
            warnings.emplace_back(name);
    };
    add("hidden_tokens", tokens.hidden);
    add("usage_mismatch", tokens.usageMismatch);
    out["warnings"] = warnings;
}

} // namespace

Result<std::string> explainBytes(std::string_view bytes, const ExplainOptions& options) {
    const CapturedResponse capture = readCapture(bytes);
    DecoderOptions decoding;
    decoding.protocol = options.protocol;
    decoding.framing = capture.http ? Framing::http : Framing::bodyOnly;
    decoding.thinkTags = options.thinkTags;
    decoding.cumulative = options.cumulative;
    auto decoder = StreamDecoder::create(decoding);
    if (!decoder)
        return tl::unexpected(decoder.error());

    const auto record = std::make_shared<RunRecord>();
    record->spec.endpoint.protocol = options.protocol;
    RunRecorder recorder(record);
    const std::size_t reads = play(bytes.size(), capture, options, **decoder, recorder);

    const TokenCount tokens = countTokens(*record);
    Json out;
    out["schema"] = kSchema;
    out["protocol"] = options.protocol;
    addEnd(out, record->end.value_or(StreamEnd{}));
    addEvents(out, *record);
    addText(out, *record);
    addCounts(out, *record, tokens);
    addWarnings(out, *record, tokens);
    out["reads"] = reads;
    return jsonDump(out, 2);
}

Result<std::string> explainFile(const ExplainOptions& options) {
    // A protocol that nobody decodes is the first thing to say, also of a file that is not there.
    DecoderOptions asked;
    asked.protocol = options.protocol;
    if (const auto usable = StreamDecoder::create(asked); !usable)
        return tl::unexpected(usable.error());
    std::ifstream file(options.file, std::ios::binary);
    std::ostringstream content;
    // An empty file is a response too; inserting nothing sets failbit, so the file's own state is asked first.
    if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(content << file.rdbuf())) || file.bad())
        return fail(ErrorCode::io, fmt::format("The file {} cannot be read.", options.file));
    return explainBytes(content.view(), options);
}

} // namespace decodescope
