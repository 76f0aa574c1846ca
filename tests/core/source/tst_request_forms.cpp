#include "core/source/endpoint_preset.h"
#include "core/source/request.h"
#include "core/source/request_form.h"
#include "core/wire/stream_decoder.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace decodescope;
using nlohmann::json;

/// JSON in single quotes, which moc reads without trouble.
static json relaxed(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return json::parse(text);
}

class TestRequestForms : public QObject {
    Q_OBJECT

    static RunSpec spec(const QString& protocol, const QString& url = "http://h:1") {
        RunSpec made;
        made.endpoint.url = url.toStdString();
        made.endpoint.protocol = protocol.toStdString();
        made.endpoint.model = "m";
        made.prompt = "P";
        return made;
    }
    static RunSpec everything(const QString& protocol) {
        RunSpec made = spec(protocol);
        made.system = "S";
        made.sampling.maxTokens = 7;
        made.sampling.temperature = 0.5;
        made.sampling.seed = 42;
        made.sampling.ignoreEos = true;
        made.sampling.reasoningEffort = "low";
        return made;
    }
    static json body(const RunSpec& asked) {
        const auto text = requestBody(asked);
        return text ? json::parse(*text) : json(text.error().message);
    }

private slots:
    void routes_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("route");
        QTest::addColumn<QString>("models");
        const auto row = [](const char* protocol, const char* url, const char* route, const char* models) {
            QTest::addRow("%s %s", protocol, url) << protocol << url << route << models;
        };
        row("openai-responses", "http://h:1", "/v1/responses", "/v1/models");
        row("openai-responses", "http://h:1/v1", "/v1/responses", "/v1/models");
        row("openai-responses", "http://h:1/x/v1/responses", "/x/v1/responses", "/x/v1/models");
        const char* azure = "/openai/deployments/m/chat/completions?api-version=2024-10-21";
        const char* deployed = "/openai/deployments?api-version=2023-03-15-preview";
        row("azure-chat", "http://h:1", azure, deployed);
        row("azure-chat", "http://h:1/v1", azure, deployed);
        row("azure-chat", "http://h:1/openai", azure, deployed);
        row("azure-chat", "http://h:1/openai/deployments/d",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21", deployed);
        row("azure-chat", "http://h:1/openai/deployments/d/chat/completions?api-version=2025-01-01",
            "/openai/deployments/d/chat/completions?api-version=2025-01-01", deployed);
        row("azure-chat", "http://h:1?api-version=2025-01-01",
            "/openai/deployments/m/chat/completions?api-version=2025-01-01", deployed);
        row("azure-chat", "http://h:1/openai/v1", "/openai/v1/chat/completions", "/openai/v1/models");
        row("anthropic", "http://h:1", "/v1/messages", "/v1/models?limit=1000");
        row("anthropic", "http://h:1/v1", "/v1/messages", "/v1/models?limit=1000");
        row("anthropic", "http://h:1/v1/messages", "/v1/messages", "/v1/models?limit=1000");
        const char* gemini = "/v1beta/models/m:streamGenerateContent?alt=sse";
        const char* geminis = "/v1beta/models?pageSize=1000";
        row("gemini-sse", "http://h:1", gemini, geminis);
        row("gemini-sse", "http://h:1/v1beta", gemini, geminis);
        row("gemini-sse", "http://h:1/v1", "/v1/models/m:streamGenerateContent?alt=sse", "/v1/models?pageSize=1000");
        row("gemini-sse", "http://h:1/v1beta/models/other", "/v1beta/models/other:streamGenerateContent?alt=sse",
            geminis);
        row("gemini-sse", "http://h:1/v1beta/models/other:generateContent",
            "/v1beta/models/other:streamGenerateContent?alt=sse", geminis);
        row("gemini-array", "http://h:1/v1beta/models/m:streamGenerateContent?alt=sse",
            "/v1beta/models/m:streamGenerateContent", geminis);
        row("gemini-array", "http://h:1", "/v1beta/models/m:streamGenerateContent", geminis);
        for (const char* base : {"http://h:1", "http://h:1/", "http://h:1/api", "http://h:1/v1", "http://h:1/api/chat"})
            row("ollama-chat", base, "/api/chat", "/api/tags");
        for (const char* base : {"http://h:1", "http://h:1/api", "http://h:1/v1", "http://h:1/api/generate"})
            row("ollama-generate", base, "/api/generate", "/api/tags");
        for (const char* base : {"http://h:1", "http://h:1/v1", "http://h:1/completion"})
            row("llamacpp-completion", base, "/completion", "/v1/models");
        for (const char* base : {"http://h:1", "http://h:1/v1", "http://h:1/generate"})
            row("sglang-generate", base, "/generate", "/v1/models");
        for (const char* base : {"http://h:1", "http://h:1/v1", "http://h:1/generate", "http://h:1/generate_stream"})
            row("tgi", base, "/generate_stream", "/info");
        for (const char* base : {"http://h:1", "http://h:1/v1", "http://h:1/v2", "http://h:1/v2/models/m",
                                 "http://h:1/v2/models/m/generate"})
            row("triton", base, "/v2/models/m/generate_stream", "/v2/repository/index");
        for (const char* base : {"http://h:1", "http://h:1/v1", "http://h:1/v2", "http://h:1/v2/chat"})
            row("cohere-v2", base, "/v2/chat", "/v1/models?endpoint=chat&page_size=1000");
    }
    void routes() {
        QFETCH(QString, protocol);
        QFETCH(QString, url);
        const EndpointSpec endpoint = spec(protocol, url).endpoint;
        const auto route = completionUrl(endpoint);
        QVERIFY2(route, route ? "" : route.error().message.c_str());
        QTEST(QString::fromStdString(route->target), "route");
        QCOMPARE(route->authority(), std::string("h:1"));
        const auto models = modelQuery(endpoint);
        QVERIFY2(models, models ? "" : models.error().message.c_str());
        QTEST(QString::fromStdString(models->url.target), "models");
        QCOMPARE(models->post, protocol == "triton");
    }

    void awkwardModelNamesStayOnePieceOfThePath() {
        RunSpec asked = spec("gemini-sse");
        asked.endpoint.model = "models/a b?c";
        QCOMPARE(completionUrl(asked.endpoint)->target,
                 std::string("/v1beta/models/a%20b%3Fc:streamGenerateContent?alt=sse"));
        asked.endpoint.protocol = "triton";
        asked.endpoint.model = "../x";
        QCOMPARE(completionUrl(asked.endpoint)->target, std::string("/v2/models/..%2Fx/generate_stream"));
    }

    void routesOfWholeAnswers() {
        RunSpec asked = spec("gemini-sse");
        QCOMPARE(completionUrl(asked.endpoint, AnswerForm::whole)->target,
                 std::string("/v1beta/models/m:generateContent"));
        for (const char* protocol : {"tgi", "triton"}) {
            asked.endpoint.protocol = protocol;
            const std::string target = completionUrl(asked.endpoint, AnswerForm::whole)->target;
            QVERIFY2(target.ends_with("/generate"), target.c_str());
        }
    }

    void routesOfOthersAreRefused_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("path");
        QTest::newRow("1") << "openai-chat"
                           << "/v1/messages";
        QTest::newRow("2") << "anthropic"
                           << "/v1/chat/completions";
        QTest::newRow("3") << "ollama-chat"
                           << "/api/generate";
        QTest::newRow("4") << "ollama-generate"
                           << "/generate";
        QTest::newRow("5") << "openai-completions"
                           << "/v1/chat/completions";
        QTest::newRow("6") << "openai-completions"
                           << "/completion";
        QTest::newRow("7") << "gemini-sse"
                           << "/v1/responses";
        QTest::newRow("8") << "sglang-generate"
                           << "/generate_stream";
        QTest::newRow("9") << "tgi"
                           << "/api/generate";
    }
    void routesOfOthersAreRefused() {
        QFETCH(QString, protocol);
        QFETCH(QString, path);
        const auto route = completionUrl(spec(protocol, "http://h" + path).endpoint);
        QVERIFY(!route);
        QCOMPARE(route.error().code, ErrorCode::usage);
        QVERIFY(route.error().message.find("Change one of the two") != std::string::npos);
    }

    void aModelInThePathMustBeNamed() {
        for (const char* protocol : {"azure-chat", "gemini-sse", "gemini-array", "triton"}) {
            RunSpec asked = spec(protocol);
            asked.endpoint.model.clear();
            QVERIFY2(!completionUrl(asked.endpoint), protocol);
        }
    }

    void aKeyInGeminisAddressIsRefusedUnseen() {
        const auto route = completionUrl(spec("gemini-sse", "http://h/v1beta?key=CANARY").endpoint);
        QVERIFY(!route);
        QVERIFY(route.error().message.find("CANARY") == std::string::npos);
    }

    void bodiesHoldOnlyWhatIsNeeded_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("body");
        const auto row = [](const char* protocol, const char* text) { QTest::newRow(protocol) << protocol << text; };
        row("openai-chat", "{'model':'m','messages':[{'role':'user','content':'P'}],'stream':true,"
                           "'stream_options':{'include_usage':true}}");
        row("openai-completions", "{'model':'m','prompt':'P','stream':true,'stream_options':{'include_usage':true}}");
        row("openai-responses", "{'model':'m','input':'P','stream':true}");
        row("azure-chat", "{'model':'m','messages':[{'role':'user','content':'P'}],'stream':true,"
                          "'stream_options':{'include_usage':true}}");
        row("anthropic", "{'model':'m','max_tokens':4096,'messages':[{'role':'user','content':'P'}],'stream':true}");
        row("gemini-sse", "{'contents':[{'role':'user','parts':[{'text':'P'}]}]}");
        row("gemini-array", "{'contents':[{'role':'user','parts':[{'text':'P'}]}]}");
        row("ollama-chat", "{'model':'m','messages':[{'role':'user','content':'P'}],'stream':true}");
        row("ollama-generate", "{'model':'m','prompt':'P','stream':true}");
        row("llamacpp-completion", "{'model':'m','prompt':'P','stream':true}");
        row("sglang-generate", "{'text':'P','stream':true}");
        row("tgi", "{'inputs':'P','parameters':{'details':true}}");
        row("triton", "{'text_input':'P','stream':true}");
        row("cohere-v2", "{'model':'m','messages':[{'role':'user','content':'P'}],'stream':true}");
    }
    void bodiesHoldOnlyWhatIsNeeded() {
        QFETCH(QString, protocol);
        QFETCH(QString, body);
        QCOMPARE(this->body(spec(protocol)), relaxed(body.toStdString()));
    }

    void everyFieldHasTheApisOwnName_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("body");
        const auto row = [](const char* protocol, const char* text) { QTest::newRow(protocol) << protocol << text; };
        const char* chat = "{'model':'m','messages':[{'role':'system','content':'S'},{'role':'user','content':'P'}],"
                           "'stream':true,'stream_options':{'include_usage':true},'max_tokens':7,'temperature':0.5,"
                           "'seed':42,'ignore_eos':true,'reasoning_effort':'low'}";
        row("openai-chat", chat);
        row("azure-chat", chat);
        row("openai-completions", "{'model':'m','prompt':'S\\n\\nP','stream':true,'stream_options':{'include_usage':"
                                  "true},'max_tokens':7,'temperature':0.5,'seed':42,'ignore_eos':true,"
                                  "'reasoning_effort':'low'}");
        row("openai-responses", "{'model':'m','instructions':'S','input':'P','stream':true,'max_output_tokens':7,"
                                "'temperature':0.5,'seed':42,'ignore_eos':true,'reasoning':{'effort':'low'}}");
        row("anthropic", "{'model':'m','max_tokens':7,'system':'S','messages':[{'role':'user','content':'P'}],"
                         "'stream':true,'temperature':0.5,'seed':42,'ignore_eos':true,'thinking':{'type':'enabled',"
                         "'budget_tokens':1024}}");
        const char* gemini =
            "{'systemInstruction':{'parts':[{'text':'S'}]},'contents':[{'role':'user','parts':[{'text':"
            "'P'}]}],'generationConfig':{'maxOutputTokens':7,'temperature':0.5,'seed':42,"
            "'thinkingConfig':{'thinkingLevel':'low'}},'ignore_eos':true}";
        row("gemini-sse", gemini);
        row("gemini-array", gemini);
        row("ollama-chat", "{'model':'m','messages':[{'role':'system','content':'S'},{'role':'user','content':'P'}],"
                           "'stream':true,'options':{'num_predict':7,'temperature':0.5,'seed':42},'ignore_eos':true,"
                           "'think':'low'}");
        row("ollama-generate", "{'model':'m','prompt':'P','system':'S','stream':true,'options':{'num_predict':7,"
                               "'temperature':0.5,'seed':42},'ignore_eos':true,'think':'low'}");
        row("llamacpp-completion", "{'model':'m','prompt':'S\\n\\nP','stream':true,'n_predict':7,'temperature':0.5,"
                                   "'seed':42,'ignore_eos':true,'reasoning_effort':'low'}");
        row("sglang-generate", "{'text':'S\\n\\nP','sampling_params':{'max_new_tokens':7,'temperature':0.5,"
                               "'sampling_seed':42,'ignore_eos':true},'stream':true,'reasoning_effort':'low'}");
        row("tgi", "{'inputs':'S\\n\\nP','parameters':{'details':true,'max_new_tokens':7,'temperature':0.5,'seed':42,"
                   "'ignore_eos':true,'reasoning_effort':'low'}}");
        row("triton", "{'text_input':'S\\n\\nP','max_tokens':7,'temperature':0.5,'random_seed':42,'ignore_eos':true,"
                      "'reasoning_effort':'low','stream':true}");
        row("cohere-v2",
            "{'model':'m','messages':[{'role':'system','content':'S'},{'role':'user','content':'P'}],"
            "'stream':true,'max_tokens':7,'temperature':0.5,'seed':42,'ignore_eos':true,'thinking':{'type':"
            "'enabled','token_budget':1024}}");
    }
    void everyFieldHasTheApisOwnName() {
        QFETCH(QString, protocol);
        QFETCH(QString, body);
        QCOMPARE(this->body(everything(protocol)), relaxed(body.toStdString()));
    }

    void wholeAnswersAskForNoStream() {
        for (const std::string_view protocol : askedProtocols()) {
            RunSpec asked = spec(QString::fromUtf8(protocol.data(), static_cast<qsizetype>(protocol.size())));
            asked.sampling.stream = false;
            const json made = body(asked);
            QVERIFY2(!made.value("stream", false), std::string(protocol).c_str());
            QVERIFY2(!made.contains("stream_options"), std::string(protocol).c_str());
        }
    }

    void thinkingIsSwitchedOffByAWord() {
        RunSpec asked = spec("anthropic");
        asked.sampling.reasoningEffort = "none";
        QCOMPARE(body(asked)["thinking"], relaxed("{'type':'disabled'}"));
        asked.sampling.reasoningEffort = "2000";
        QCOMPARE(body(asked)["thinking"]["budget_tokens"], json(2000));
        QCOMPARE(body(asked)["max_tokens"], json(6096));
        asked.sampling.reasoningEffort = "max";
        QCOMPARE(body(asked)["output_config"], relaxed("{'effort':'max'}"));
        asked.endpoint.protocol = "ollama-chat";
        asked.sampling.reasoningEffort = "off";
        QCOMPARE(body(asked)["think"], json(false));
        asked.endpoint.protocol = "gemini-sse";
        QCOMPARE(body(asked)["generationConfig"]["thinkingConfig"], relaxed("{'thinkingBudget':0}"));
    }

    void noTemperatureOfTgiIsZero() {
        RunSpec asked = spec("tgi");
        asked.sampling.temperature = 0;
        QCOMPARE(body(asked)["parameters"], relaxed("{'details':true,'do_sample':false}"));
    }

    void headers_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("name");
        QTest::newRow("chat") << "openai-chat"
                              << "Authorization";
        QTest::newRow("azure") << "azure-chat"
                               << "api-key";
        QTest::newRow("anthropic") << "anthropic"
                                   << "x-api-key";
        QTest::newRow("gemini") << "gemini-array"
                                << "x-goog-api-key";
        QTest::newRow("ollama") << "ollama-chat"
                                << "Authorization";
    }
    void headers() {
        QFETCH(QString, protocol);
        const auto head = requestHead(spec(protocol).endpoint);
        QVERIFY(head);
        const std::string_view name = headerName(head->auth);
        QTEST(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), "name");
        const bool versioned = head->fixed == Headers{{"anthropic-version", "2023-06-01"}};
        QCOMPARE(versioned, protocol == "anthropic");
    }

    void modelListsAreRead_data() {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QStringList>("models");
        QTest::newRow("ollama") << "ollama-chat"
                                << "{'models':[{'name':'a:1b','size':3}]}" << QStringList{"a:1b"};
        QTest::newRow("gemini") << "gemini-sse"
                                << "{'models':[{'name':'models/g-1','supportedGenerationMethods':['generateContent']},"
                                   "{'name':'models/e','supportedGenerationMethods':['embedContent']},"
                                   "{'name':'models/g-2'}]}"
                                << QStringList{"g-1", "g-2"};
        QTest::newRow("anthropic") << "anthropic"
                                   << "{'data':[{'type':'model','id':'c'}],'has_more':false}" << QStringList{"c"};
        QTest::newRow("azure") << "azure-chat"
                               << "{'data':[{'id':'d','model':'gpt'}]}" << QStringList{"d"};
        QTest::newRow("tgi") << "tgi"
                             << "{'model_id':'org/m','version':'3'}" << QStringList{"org/m"};
        QTest::newRow("triton") << "triton"
                                << "[{'name':'ensemble','state':'READY'}]" << QStringList{"ensemble"};
        QTest::newRow("cohere") << "cohere-v2"
                                << "{'models':[{'name':'command'}]}" << QStringList{"command"};
        QTest::newRow("no list") << "tgi"
                                 << "{'error':'x'}" << QStringList{};
    }
    void modelListsAreRead() {
        QFETCH(QString, protocol);
        QFETCH(QString, answer);
        const auto models = modelsIn(spec(protocol).endpoint, relaxed(answer.toStdString()).dump());
        QVERIFY(models);
        QStringList got;
        for (const std::string& model : *models)
            got << QString::fromStdString(model);
        QTEST(got, "models");
        QVERIFY(!modelsIn(spec(protocol).endpoint, "<html>"));
        QVERIFY(!modelsIn(spec(protocol).endpoint, std::string(100'000, '[')));
    }

    void everyProtocolThatIsDecodedCanBeAsked() {
        for (const std::string_view protocol : knownProtocols())
            QVERIFY2(requestForm(protocol) != nullptr, std::string(protocol).c_str());
    }
};

QTEST_APPLESS_MAIN(TestRequestForms)
#include "tst_request_forms.moc"
