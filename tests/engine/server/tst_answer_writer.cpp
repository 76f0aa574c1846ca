#include "engine/server/answer_writer.h"
#include "engine/tokenizer/tokenizer.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

using namespace decodescope::engine;
using nlohmann::json;

namespace {

/// Ids 0 to 3: "he", "llo", half of a code point, and the end token.
class FourTokens final : public Tokenizer {
public:
    std::vector<TokenId> encode(const std::vector<PromptPart>&, bool) const override { return {}; }
    std::string_view kind() const override { return "test"; }
    int size() const override { return 4; }
    std::string_view bytesOf(TokenId id, bool showControl) const override {
        static constexpr std::array<std::string_view, 4> kTexts{"he", "llo", "\xF0\x9F", "<end>"};
        return id == 3 && !showControl ? std::string_view() : kTexts.at(static_cast<std::size_t>(id));
    }
    bool isControl(TokenId id) const override { return id == 3; }
    bool endsGeneration(TokenId id) const override { return id == 3; }
    std::optional<TokenId> bos() const override { return std::nullopt; }
    std::optional<TokenId> eos() const override { return 3; }
    bool stripsLeadingSpace() const override { return false; }
    std::optional<TokenId> spelled(std::string_view) const override { return std::nullopt; }
};

const FourTokens kTokenizer;
const EngineCard kCard{"0.1.0", "tiny", "llama", "F32", "cpu: scalar", "f16", "off", 1, 64, 4, 1000, 128, 20.5};
const PromptFacts kPrompt{5, 2, 1, 10, 20};

struct Setting {
    CompletionApi api = CompletionApi::chat;
    bool usage = false, continuous = false;
    std::optional<std::uint32_t> logprobs = std::nullopt;
};

AnswerWriter writer(const Setting& setting) {
    CompletionRequest request;
    request.api = setting.api;
    request.model = "tiny";
    request.includeUsage = setting.usage;
    request.continuousUsage = setting.continuous;
    request.generation.sampling.logprobs = setting.logprobs;
    return {request, {"id-1", 1700000000, 99}, kTokenizer, kCard};
}

GenerationEvent sampled(std::vector<TokenId> ids, std::string text, std::optional<FinishReason> finish = std::nullopt) {
    GenerationEvent out;
    for (const TokenId id : ids)
        out.tokens.push_back({id, TokenLogprob{id, -0.5F}, {{id, -0.5F}, {0, -1.0F / 0.0F}}});
    out.text = std::move(text);
    out.sampledAtNs = 1000;
    out.position = 5;
    out.kvLength = 6;
    out.drafted = 3;
    out.accepted = 1;
    out.step = {7, 2, 4, 100, 200, 10, 20, 30, 40, 1000, 64};
    out.finish = finish;
    return out;
}

json body(const std::string& sse) {
    if (!sse.starts_with("data: ") || !sse.ends_with("\n\n"))
        return "no event";
    return json::parse(sse.substr(6), nullptr, false);
}

const char* const kTokenEvent =
    R"({"tokens":[0],"sampled_at_ns":1000,"position":5,"kv_len":6,"drafted":3,"accepted":1,)"
    R"("step":{"id":7,"batch":2,"rows":4,"begin_ns":100,"end_ns":200,"attention_ns":10,"feed_forward_ns":20,"head_ns":30,)"
    R"("sampling_ns":40,"weight_bytes":1000,"kv_bytes":64}})";
const char* const kEngine =
    R"({"version":"0.1.0","model":"tiny","architecture":"llama","quantization":"F32",)"
    R"("device":"cpu: scalar","threads":1,"context":64,"parallel":4,"kv_type":"f16","weight_bytes":1000,)"
    R"("kv_bytes_per_token":128,"bandwidth_gb_per_s":20.5,"speculative":"off"})";
const char* const kPromptObject =
    R"({"tokens":5,"cached":2,"chunks":1,"queue_ns":10,"prefill_ns":20,"received_ns":99})";

} // namespace

class TestAnswerWriter : public QObject {
    Q_OBJECT

private slots:
    void chatChunksHaveTheirExactForm() {
        AnswerWriter chat = writer({});
        const auto first = chat.stream(sampled({0}, "he"), &kPrompt);
        QCOMPARE(first.size(), std::size_t{2});
        json role = body(first[0]);
        QVERIFY(role["decodescope"] ==
                json({{"engine", json::parse(kEngine)}, {"prompt", json::parse(kPromptObject)}}));
        role.erase("decodescope");
        QVERIFY(
            role ==
            json::parse(
                R"({"id":"id-1","object":"chat.completion.chunk","created":1700000000,"model":"tiny",)"
                R"("system_fingerprint":"decodescope-0.1.0","choices":[{"index":0,"delta":{"role":"assistant","content":""},)"
                R"("logprobs":null,"finish_reason":null}]})"));
        QVERIFY(first[1].starts_with(R"(data: {"id":"id-1","object":"chat.completion.chunk","created":1700000000,)"
                                     R"("model":"tiny","system_fingerprint":"decodescope-0.1.0","choices":[{"index":0,)"
                                     R"("delta":{"content":"he"},"logprobs":null,"finish_reason":null}],)"
                                     R"("decodescope":{"tokens":[0],)"));
        QVERIFY(body(first[1])["decodescope"] == json::parse(kTokenEvent));

        const auto last = chat.stream(sampled({1, 3}, "llo", FinishReason::stop), nullptr);
        QCOMPARE(last.size(), std::size_t{3});
        QVERIFY(body(last[0])["decodescope"]["tokens"] == json({1, 3}));
        json finish = body(last[1]);
        QVERIFY(finish["choices"] == json::parse(R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}])"));
        QVERIFY(!finish.contains("decodescope") && !finish.contains("usage"));
        QCOMPARE(last[2], std::string("data: [DONE]\n\n"));
        QCOMPARE(chat.completionTokens(), std::uint64_t{3});
    }
    void tokensWithoutTextHaveTheirEvent() {
        AnswerWriter chat = writer({});
        (void)chat.stream(sampled({0}, "he"), &kPrompt);
        const auto silent = chat.stream(sampled({2}, ""), nullptr);
        QCOMPARE(silent.size(), std::size_t{1});
        QVERIFY(body(silent[0])["choices"][0]["delta"] == json({{"content", ""}}));
        QVERIFY(body(silent[0])["decodescope"]["tokens"] == json({2}));
    }
    void completionChunksHaveTheirExactForm() {
        AnswerWriter completion = writer({CompletionApi::completions});
        const auto first = completion.stream(sampled({0}, "he"), &kPrompt);
        QCOMPARE(first.size(), std::size_t{1});
        json chunk = body(first[0]);
        json own = json::parse(kTokenEvent);
        own["engine"] = json::parse(kEngine);
        own["prompt"] = json::parse(kPromptObject);
        QVERIFY(chunk["decodescope"] == own);
        chunk.erase("decodescope");
        QVERIFY(
            chunk ==
            json::parse(R"({"id":"id-1","object":"text_completion","created":1700000000,"model":"tiny",)"
                        R"("system_fingerprint":"decodescope-0.1.0","choices":[{"index":0,"text":"he","logprobs":null,)"
                        R"("finish_reason":null}]})"));
        const auto last = completion.stream(sampled({1}, "llo", FinishReason::length), nullptr);
        QCOMPARE(last.size(), std::size_t{3});
        QVERIFY(body(last[1])["choices"] ==
                json::parse(R"([{"index":0,"text":"","logprobs":null,"finish_reason":"length"}])"));
    }
    void usageComesAsAskedFor() {
        AnswerWriter chat = writer({CompletionApi::chat, true});
        QVERIFY(body(chat.stream(sampled({0}, "he"), &kPrompt)[1])["usage"].is_null());
        const auto last = chat.stream(sampled({3}, "", FinishReason::stop), nullptr);
        QCOMPARE(last.size(), std::size_t{4});
        const json usage = json::parse(R"({"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,)"
                                       R"("prompt_tokens_details":{"cached_tokens":2}})");
        QVERIFY(body(last[2])["choices"] == json::array());
        QVERIFY(body(last[2])["usage"] == usage);

        AnswerWriter running = writer({CompletionApi::completions, true, true});
        QVERIFY(body(running.stream(sampled({0}, "he"), &kPrompt)[0])["usage"]["completion_tokens"] == 1);
        QVERIFY(body(running.stream(sampled({1, 1}, "llollo"), nullptr)[0])["usage"]["completion_tokens"] == 3);
        const auto end = running.stream(sampled({3}, "", FinishReason::stop), nullptr);
        QVERIFY(body(end[0])["usage"]["completion_tokens"] == 4);
        QVERIFY(body(end[1])["usage"]["completion_tokens"] == 4);
        QVERIFY(body(end[2])["usage"]["completion_tokens"] == 4);
    }
    void logprobsOfChat() {
        AnswerWriter chat = writer({CompletionApi::chat, false, false, 2});
        const json entry = body(chat.stream(sampled({2}, ""), &kPrompt)[1])["choices"][0]["logprobs"]["content"];
        QVERIFY(entry == json::parse(R"([{"id":2,"token":"\ufffd","bytes":[240,159],"logprob":-0.5,"top_logprobs":[)"
                                     R"({"id":2,"token":"\ufffd","bytes":[240,159],"logprob":-0.5},)"
                                     R"({"id":0,"token":"he","bytes":[104,101],"logprob":-9999.0}]}])"));
    }
    void logprobsOfCompletions() {
        AnswerWriter completion = writer({CompletionApi::completions, false, false, 2});
        QVERIFY(body(completion.stream(sampled({0}, "he"), &kPrompt)[0])["choices"][0]["logprobs"] ==
                json::parse(
                    R"({"tokens":["he"],"token_logprobs":[-0.5],"top_logprobs":[{"he":-9999.0}],"text_offset":[0]})"));
        QVERIFY(body(completion.stream(sampled({1, 3}, "llo"), nullptr)[0])["choices"][0]["logprobs"] ==
                json::parse(
                    R"({"tokens":["llo","<end>"],"token_logprobs":[-0.5,-0.5],)"
                    R"("top_logprobs":[{"llo":-0.5,"he":-9999.0},{"<end>":-0.5,"he":-9999.0}],"text_offset":[2,5]})"));
        AnswerWriter chosenAlone = writer({CompletionApi::completions, false, false, 0});
        QVERIFY(body(chosenAlone.stream(sampled({0}, "he"), &kPrompt)[0])["choices"][0]["logprobs"]["top_logprobs"] ==
                json::parse("[null]"));
    }
    void failuresEndWithoutDone() {
        AnswerWriter chat = writer({});
        (void)chat.stream(sampled({0}, "he"), &kPrompt);
        GenerationEvent failure;
        failure.finish = FinishReason::error;
        failure.message = "The logits are not finite.";
        const auto last = chat.stream(failure, nullptr);
        QCOMPARE(last.size(), std::size_t{1});
        QVERIFY(body(last[0]) == json::parse(R"({"error":{"code":500,"message":"The logits are not finite.",)"
                                             R"("type":"server_error"}})"));
    }
    void theWholeAnswerJoinsTheEvents() {
        AnswerWriter chat = writer({CompletionApi::chat, false, false, 0});
        chat.keep(sampled({0}, "he"), &kPrompt);
        chat.keep(sampled({1, 3}, "llo", FinishReason::stop), nullptr);
        const json answer = json::parse(chat.whole());
        QVERIFY(answer["object"] == "chat.completion");
        QVERIFY(answer["choices"][0]["message"] == json::parse(R"({"role":"assistant","content":"hello"})"));
        QVERIFY(answer["choices"][0]["finish_reason"] == "stop");
        QCOMPARE(answer["choices"][0]["logprobs"]["content"].size(), std::size_t{3});
        QVERIFY(answer["usage"]["completion_tokens"] == 3);
        QVERIFY(answer["decodescope"]["tokens"] == json({0, 1, 3}));
        QVERIFY(answer["decodescope"]["engine"] == json::parse(kEngine));
        QVERIFY(answer["decodescope"]["prompt"] == json::parse(kPromptObject));
        AnswerWriter completion = writer({CompletionApi::completions});
        completion.keep(sampled({0}, "he", FinishReason::length), &kPrompt);
        const json text = json::parse(completion.whole());
        QVERIFY(text["object"] == "text_completion");
        QVERIFY(text["choices"][0] ==
                json::parse(R"({"index":0,"text":"he","logprobs":null,"finish_reason":"length"})"));
    }
};

QTEST_GUILESS_MAIN(TestAnswerWriter)
#include "tst_answer_writer.moc"
