#include "engine/server/completion_request.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <string>

using namespace decodescope::engine;

namespace {

const RequestDefaults kDefaults{"tiny", 100, false};

/// The bodies of this file are written with single quotes, which JSON does not have: moc cannot read raw strings.
std::string quoted(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

Result<CompletionRequest> parse(CompletionApi api, const std::string& body, const RequestDefaults& defaults) {
    return parseCompletionRequest(api, quoted(body), defaults);
}

CompletionRequest chat(const std::string& members) {
    const auto request =
        parse(CompletionApi::chat, "{'messages':[{'role':'user','content':'hi'}]" + members + "}", kDefaults);
    if (!request)
        qFatal("%s", request.error().message.c_str());
    return *request;
}

CompletionRequest completion(const std::string& members) {
    const auto request = parse(CompletionApi::completions, "{" + members + "}", kDefaults);
    if (!request)
        qFatal("%s", request.error().message.c_str());
    return *request;
}

const QString kHello = "'messages':[{'role':'user','content':'hi'}]";

} // namespace

class TestCompletionRequest : public QObject {
    Q_OBJECT

private slots:
    void whatIsNotSaidIsTheDefault() {
        const CompletionRequest request = chat("");
        QCOMPARE(request.model, std::string("tiny"));
        QVERIFY(!request.stream && !request.includeUsage && !request.continuousUsage);
        QCOMPARE(request.messages.size(), std::size_t{1});
        QCOMPARE(request.messages[0].role, std::string("user"));
        QCOMPARE(request.messages[0].content, std::string("hi"));
        QVERIFY(!request.chatOptions.thinking);
        const GenerationRequest& generation = request.generation;
        QCOMPARE(generation.maxTokens, 0U);
        QVERIFY(generation.usePrefixCache && !generation.ignoreEos && !generation.speculate && generation.stop.empty());
        const SamplingSpec& sampling = generation.sampling;
        QCOMPARE(sampling.temperature, 1.0F);
        QCOMPARE(sampling.topP, 1.0F);
        QCOMPARE(sampling.minP, 0.0F);
        QCOMPARE(sampling.topK, 0);
        QVERIFY(!sampling.logprobs && sampling.bias.empty());
        QVERIFY(chat("").generation.sampling.seed != sampling.seed);
    }
    void everythingIsTaken() {
        const CompletionRequest request =
            chat(",'model':'m','stream':true,'stream_options':{'include_usage':true,'continuous_usage_stats':true},"
                 "'max_tokens':7,'temperature':0,'top_p':0.5,'top_k':40,'min_p':0.05,'repeat_penalty':1.1,"
                 "'presence_penalty':0.5,'frequency_penalty':-0.5,'seed':-7,'logprobs':true,'top_logprobs':3,"
                 "'logit_bias':{'5':-100,'99':1.5},'stop':['a','b'],'ignore_eos':true,'cache_prompt':false,"
                 "'speculative':'lookup','chat_template_kwargs':{'enable_thinking':false},'user':'u','n':1");
        QCOMPARE(request.model, std::string("m"));
        QVERIFY(request.stream && request.includeUsage && request.continuousUsage);
        QVERIFY(request.chatOptions.thinking == std::optional(false));
        const GenerationRequest& generation = request.generation;
        QCOMPARE(generation.maxTokens, 7U);
        QVERIFY(generation.ignoreEos && !generation.usePrefixCache && generation.speculate);
        QVERIFY(generation.stop == std::vector<std::string>({"a", "b"}));
        const SamplingSpec& sampling = generation.sampling;
        QCOMPARE(sampling.temperature, 0.0F);
        QCOMPARE(sampling.topP, 0.5F);
        QCOMPARE(sampling.topK, 40);
        QCOMPARE(sampling.minP, 0.05F);
        QCOMPARE(sampling.repetitionPenalty, 1.1F);
        QCOMPARE(sampling.presencePenalty, 0.5F);
        QCOMPARE(sampling.frequencyPenalty, -0.5F);
        QCOMPARE(sampling.seed, static_cast<std::uint64_t>(-7));
        QVERIFY(sampling.logprobs == std::optional<std::uint32_t>(3));
        QVERIFY((sampling.bias == std::vector<std::pair<TokenId, float>>{{5, -100.0F}, {99, 1.5F}}));
    }
    void otherSpellingsMeanTheSame() {
        QCOMPARE(chat(",'max_completion_tokens':3,'max_tokens':9").generation.maxTokens, 3U);
        QCOMPARE(chat(",'max_tokens':-1").generation.maxTokens, 0U);
        QCOMPARE(chat(",'max_tokens':null").generation.maxTokens, 0U);
        QCOMPARE(chat(",'max_tokens':16.0").generation.maxTokens, 16U);
        QCOMPARE(chat(",'seed':18446744073709551615").generation.sampling.seed, ~std::uint64_t{0});
        QCOMPARE(chat(",'seed':-9223372036854775808").generation.sampling.seed, std::uint64_t{1} << 63U);
        QCOMPARE(chat(",'seed':42.0").generation.sampling.seed, std::uint64_t{42});
        QVERIFY(chat(",'seed':-1").generation.sampling.seed != ~std::uint64_t{0}); // a random one
        QCOMPARE(chat(",'top_k':-1").generation.sampling.topK, 0);
        QCOMPARE(chat(",'repetition_penalty':1.3").generation.sampling.repetitionPenalty, 1.3F);
        QVERIFY(chat(",'stop':'x'").generation.stop == std::vector<std::string>{"x"});
        QVERIFY((chat(",'logit_bias':[[7,2]]").generation.sampling.bias ==
                 std::vector<std::pair<TokenId, float>>{{7, 2.0F}}));
        QVERIFY(chat(",'logprobs':true").generation.sampling.logprobs == std::optional<std::uint32_t>(0));
        QVERIFY(!chat(",'logprobs':false,'top_logprobs':0").generation.sampling.logprobs);
        QVERIFY(!chat(",'tools':[],'suffix':'','response_format':{'type':'text'}").stream);
    }
    void contentMayComeInParts() {
        const auto request = parse(
            CompletionApi::chat,
            "{'messages':[{'role':'developer','content':'s'},{'role':'user','content':[{'type':'text','text':'a'},"
            "{'type':'text','text':'b'}]},{'role':'assistant','content':null}]}",
            kDefaults);
        QVERIFY(request);
        QCOMPARE(request->messages[0].role, std::string("system"));
        QCOMPARE(request->messages[1].content, std::string("ab"));
        QCOMPARE(request->messages[2].content, std::string());
    }
    void promptsAreTextOrIds() {
        QCOMPARE(completion("'prompt':'abc'").promptText, std::string("abc"));
        QCOMPARE(completion("'prompt':['abc']").promptText, std::string("abc"));
        QVERIFY(completion("'prompt':[1,2,99]").promptIds == std::vector<TokenId>({1, 2, 99}));
        QVERIFY(completion("'prompt':[[1,2]]").promptIds == std::vector<TokenId>({1, 2}));
        QVERIFY(completion("'prompt':'','logprobs':2").generation.sampling.logprobs == std::optional<std::uint32_t>(2));
        QVERIFY(parse(CompletionApi::completions, "{'prompt':'x'}", {"m", 9, true})->generation.speculate);
    }
    void badRequestsAreRefusedByName_data() {
        QTest::addColumn<bool>("chatApi");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* what, const QString& members, const QString& named) {
            QTest::newRow(what) << true << "{" + kHello + "," + members + "}" << named;
        };
        QTest::newRow("empty") << true << ""
                               << "not valid JSON";
        QTest::newRow("garbage") << true << "{'messages':"
                                 << "not valid JSON";
        QTest::newRow("array") << true << "[]"
                               << "not an object";
        QTest::newRow("number") << true << "3"
                                << "not an object";
        QTest::newRow("lone surrogate") << true << "{'model':'\\ud83d'}"
                                        << "not valid JSON";
        QTest::newRow("no messages") << true << "{}"
                                     << "'messages'";
        QTest::newRow("messages empty") << true << "{'messages':[]}"
                                        << "'messages'";
        QTest::newRow("messages text") << true << "{'messages':'hi'}"
                                       << "'messages'";
        QTest::newRow("message no object") << true << "{'messages':[1]}"
                                           << "messages[0]";
        QTest::newRow("no role") << true << "{'messages':[{'content':'x'}]}"
                                 << "'role'";
        QTest::newRow("role number") << true << "{'messages':[{'role':1,'content':'x'}]}"
                                     << "'role'";
        QTest::newRow("content number") << true << "{'messages':[{'role':'user','content':1}]}"
                                        << "content";
        QTest::newRow("picture") << true << "{'messages':[{'role':'user','content':[{'type':'image_url'}]}]}"
                                 << "content";
        QTest::newRow("part without text") << true << "{'messages':[{'role':'user','content':[{'type':'text'}]}]}"
                                           << "content";
        row("model number", "'model':1", "'model'");
        row("model long", "'model':'" + QString(257, 'm') + "'", "'model'");
        row("n", "'n':2", "'n'");
        row("best_of", "'best_of':2", "'best_of'");
        row("tools", "'tools':[{}]", "'tools'");
        row("schema", "'response_format':{'type':'json_object'}", "'response_format'");
        row("stream text", "'stream':'yes'", "'stream'");
        row("stream options", "'stream_options':true", "'stream_options'");
        row("include usage", "'stream_options':{'include_usage':1}", "include_usage");
        row("hot", "'temperature':101", "'temperature'");
        row("cold", "'temperature':-0.1", "'temperature'");
        row("temperature text", "'temperature':'1'", "'temperature'");
        row("infinite", "'temperature':1e999", "not valid JSON");
        row("NaN", "'temperature':NaN", "not valid JSON");
        row("top_p", "'top_p':1.01", "'top_p'");
        row("top_k", "'top_k':1.5", "'top_k'");
        row("min_p", "'min_p':-1", "'min_p'");
        row("repeat", "'repeat_penalty':0", "'repeat_penalty'");
        row("presence", "'presence_penalty':2.1", "'presence_penalty'");
        row("frequency", "'frequency_penalty':-2.1", "'frequency_penalty'");
        row("seed", "'seed':1e30", "'seed'");
        row("seed wide", "'seed':18446744073709551616", "'seed'");
        row("seed deep", "'seed':-9223372036854775809", "'seed'");
        row("seed half", "'seed':1.5", "'seed'");
        row("no tokens", "'max_tokens':0", "'max_tokens'");
        row("minus tokens", "'max_tokens':-2", "'max_tokens'");
        row("many tokens", "'max_tokens':4294967296", "'max_tokens'");
        row("logprobs number", "'logprobs':2", "'logprobs'");
        row("top without", "'top_logprobs':2", "'top_logprobs'");
        row("top many", "'logprobs':true,'top_logprobs':21", "'top_logprobs'");
        row("bias id", "'logit_bias':{'100':1}", "'logit_bias'");
        row("bias word", "'logit_bias':{'x':1}", "'logit_bias'");
        row("bias id text", "'logit_bias':{'1x':1}", "'logit_bias'");
        row("bias great", "'logit_bias':{'1':101}", "'logit_bias'");
        row("bias pair", "'logit_bias':[[1]]", "'logit_bias'");
        row("bias text", "'logit_bias':'1'", "'logit_bias'");
        row("stop empty", "'stop':''", "stop");
        row("stop number", "'stop':[1]", "stop");
        row("stop object", "'stop':{}", "stop");
        row("stop long", "'stop':'" + QString(1025, 's') + "'", "stop");
        row("stops many", "'stop':[" + QString("'a',").repeated(16) + "'a']", "stop");
        row("ignore_eos", "'ignore_eos':1", "'ignore_eos'");
        row("cache_prompt", "'cache_prompt':'no'", "'cache_prompt'");
        row("speculative", "'speculative':'draft'", "'speculative'");
        row("thinking", "'chat_template_kwargs':{'enable_thinking':'no'}", "enable_thinking");
        row("kwargs", "'chat_template_kwargs':[]", "chat_template_kwargs");
        QTest::newRow("no prompt") << false << "{}"
                                   << "'prompt'";
        QTest::newRow("prompt number") << false << "{'prompt':1}"
                                       << "'prompt'";
        QTest::newRow("prompt empty") << false << "{'prompt':[]}"
                                      << "'prompt'";
        QTest::newRow("prompts") << false << "{'prompt':['a','b']}"
                                 << "'prompt'";
        QTest::newRow("prompt id") << false << "{'prompt':[100]}"
                                   << "0 to 99";
        QTest::newRow("prompt id below") << false << "{'prompt':[-1]}"
                                         << "0 to 99";
        QTest::newRow("echo") << false << "{'prompt':'a','echo':true}"
                              << "'echo'";
        QTest::newRow("logprobs flag") << false << "{'prompt':'a','logprobs':true}"
                                       << "'logprobs'";
    }
    void badRequestsAreRefusedByName() {
        QFETCH(bool, chatApi);
        QFETCH(QString, body);
        QFETCH(QString, named);
        const auto request =
            parse(chatApi ? CompletionApi::chat : CompletionApi::completions, body.toStdString(), kDefaults);
        QVERIFY(!request);
        QVERIFY(request.error().code == ErrorCode::usage);
        QVERIFY2(request.error().message.find(quoted(named.toStdString())) != std::string::npos,
                 request.error().message.c_str());
    }
    void depthAndSizeAreBounded() {
        const auto nested = [](std::size_t depth) {
            return parse(CompletionApi::chat,
                         "{'messages':[{'role':'user','content':'hi'}],'x':" + std::string(depth, '[') +
                             std::string(depth, ']') + "}",
                         kDefaults);
        };
        QVERIFY(nested(63));
        QVERIFY(!nested(64));
        QVERIFY(!nested(4'000'000));
        std::string many = "{'messages':[{'role':'user','content':'[[[{{{,,,'}],'x':[1";
        for (int i = 0; i < 1'000'000; ++i)
            many += ",1";
        QVERIFY(!parse(CompletionApi::chat, many + "]}", kDefaults));
    }
    void damagedBodiesNeverHarm() {
        const std::string valid =
            "{'messages':[{'role':'user','content':[{'type':'text','text':'hé'}]}],'stop':['a'],"
            "'stream_options':{'include_usage':true},'logit_bias':{'3':1e1},'seed':12345678901234567890,'top_k':40}";
        std::mt19937 random(11);
        const std::string kBytes = std::string("'{}[]:,0-9eE.\\u x") + "\x80\xff";
        int good = 0;
        for (int i = 0; i < 20000; ++i) {
            std::string body = valid;
            for (unsigned edits = 1 + random() % 3; edits > 0; --edits)
                body[random() % body.size()] = kBytes[random() % kBytes.size()];
            good += parse(CompletionApi::chat, body, kDefaults) ? 1 : 0;
        }
        QVERIFY(good < 20000);
    }
};

QTEST_GUILESS_MAIN(TestCompletionRequest)
#include "tst_completion_request.moc"
