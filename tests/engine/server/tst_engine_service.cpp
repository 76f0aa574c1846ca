#include "engine/server/engine_service.h"
#include "tests/engine/server/raw_client.h"
#include "tests/engine/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace decodescope::engine;
using namespace decodescope::engine::test;
using nlohmann::json;

namespace {

constexpr const char* kToken = "00112233445566778899aabbccddeeff";

/// Bodies are written with single quotes, which JSON does not have.
std::string quoted(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

std::string request(const std::string& method, const std::string& path, const std::string& body = {},
                    const std::string& fields = std::string("Authorization: Bearer ") + kToken + "\r\n") {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A model of 64 channels behind real sockets.
struct Served {
    explicit Served(const std::string& file, std::uint32_t parallel = 4, std::uint32_t context = 20'000) {
        ModelOptions options;
        options.path = file;
        options.device = "reference";
        options.parallel = parallel;
        options.contextLength = context;
        auto loaded = loadModel(options);
        if (!loaded)
            qFatal("%s", loaded.error().message.c_str());
        model = std::move(*loaded);
        auto started = EngineService::start(*model, 0, kToken);
        if (!started)
            qFatal("%s", started.error().message.c_str());
        service = std::move(*started);
    }
    ~Served() {
        service.reset();
        model.reset();
    }
    [[nodiscard]] RawClient client() const { return RawClient(service->port()); }
    [[nodiscard]] std::string ask(const std::string& bytes) const {
        RawClient one = client();
        one.send(bytes);
        return one.readAnswer();
    }
    [[nodiscard]] std::string get(const std::string& path) const {
        const std::string answer = ask(request("GET", path));
        return answer.substr(answer.find("\r\n\r\n") + 4);
    }
    [[nodiscard]] json post(const std::string& path, const std::string& body) const {
        const std::string answer = ask(request("POST", path, quoted(body)));
        return json::parse(answer.substr(answer.find("\r\n\r\n") + 4), nullptr, false);
    }
    [[nodiscard]] double metric(const std::string& name) const {
        const QString text = QString::fromStdString(get("/metrics"));
        for (const QString& line : text.split('\n'))
            if (line.startsWith(QString::fromStdString("decodescope_" + name + " ")))
                return line.section(' ', 1).toDouble();
        return -1;
    }

    std::unique_ptr<LoadedModel> model;
    std::unique_ptr<EngineService> service;
};

int statusOf(const std::string& answer) {
    return QString::fromStdString(answer).section(QChar(32), 1, 1).toInt();
}

/// What a whole stream said.
struct Said {
    std::string text, finish, error;
    std::vector<int> ids;
    json usage;
    std::size_t logprobs = 0;
    bool done = false;
    bool engineSeen = false;
};

Said read(RawClient& client) {
    Said said;
    while (true) {
        const std::string line = client.readUntil("\n\n");
        const std::size_t at = line.find("data: ");
        if (at == std::string::npos)
            return said;
        const std::string data = line.substr(at + 6, line.size() - at - 8);
        if (data == "[DONE]") {
            said.done = true;
            client.readUntil("0\r\n\r\n");
            return said;
        }
        const json event = json::parse(data, nullptr, false);
        if (event.contains("error")) {
            said.error = event["error"]["message"].get<std::string>();
            continue;
        }
        if (event.contains("usage") && event["usage"].is_object())
            said.usage = event["usage"];
        if (event.contains("decodescope")) {
            const json& own = event["decodescope"];
            said.engineSeen |= own.contains("engine") && own.contains("prompt");
            if (own.contains("tokens"))
                for (const json& id : own["tokens"])
                    said.ids.push_back(id.get<int>());
        }
        for (const json& choice : event["choices"]) {
            if (choice.contains("delta") && choice["delta"].contains("content"))
                said.text += choice["delta"]["content"].get<std::string>();
            if (choice.contains("text"))
                said.text += choice["text"].get<std::string>();
            if (choice["finish_reason"].is_string())
                said.finish = choice["finish_reason"].get<std::string>();
            if (choice["logprobs"].is_object())
                said.logprobs += choice["logprobs"].value("content", choice["logprobs"].value("tokens", json())).size();
        }
    }
}

const char* const kChat = "'messages':[{'role':'user','content':'the other people'}],'temperature':0,'ignore_eos':true";

} // namespace

class TestEngineService : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_chatModel = m_folder.filePath("chat.gguf").toStdString();
        m_baseModel = m_folder.filePath("base.gguf").toStdString();
        TinyModel chat = TinyModel::of("qwen2");
        chat.contextLength = 20'000;
        QVERIFY(chat.write(m_chatModel));
        QVERIFY(TinyModel::of("llama").write(m_baseModel));
    }
    void routesAnswerWhoMayAsk() {
        const Served served(m_chatModel);
        QCOMPARE(statusOf(served.ask(request("GET", "/health", {}, {}))), 200);
        for (const char* path : {"/v1/models", "/engine", "/metrics", "/trace"}) {
            QCOMPARE(statusOf(served.ask(request("GET", path))), 200);
            QCOMPARE(statusOf(served.ask(request("GET", path, {}, {}))), 401);
            const std::string wrongMethod = served.ask(request("POST", path, "{}"));
            QCOMPARE(statusOf(wrongMethod), 405);
            QVERIFY(wrongMethod.find("\r\nAllow: GET, HEAD\r\n") != std::string::npos);
            RawClient head = served.client();
            head.send(request("HEAD", path));
            QCOMPARE(statusOf(head.readUntil("\r\n\r\n")), 200);
        }
        for (const char* path : {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"}) {
            QCOMPARE(statusOf(served.ask(request("POST", path, "{}"))), 400);
            QCOMPARE(statusOf(served.ask(request("POST", path, "{}", {}))), 401);
            const std::string wrongMethod = served.ask(request("GET", path));
            QCOMPARE(statusOf(wrongMethod), 405);
            QVERIFY(wrongMethod.find("\r\nAllow: POST\r\n") != std::string::npos);
        }
        QCOMPARE(statusOf(served.ask(request("GET", "/"))), 404);
        QCOMPARE(statusOf(served.ask(request("GET", "/v1/models/../../etc/passwd"))), 404);
        QCOMPARE(statusOf(served.ask(request("GET", "/nothing", {}, {}))), 401);
        QCOMPARE(statusOf(served.ask("GET /health HTTP/1.1\r\nHost: rebound.example\r\n\r\n")), 403);
        QCOMPARE(statusOf(served.ask("GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n")),
                 403);
        QCOMPARE(statusOf(served.ask(request("POST", "/tokenize", std::string(8 * 1024 * 1024 + 1, ' ')))), 413);
        QVERIFY(json::parse(served.get("/v1/models"))["data"][0]["id"] == served.model->card.model);
        QVERIFY(json::parse(served.get("/engine"))["context"] == 20'000);
    }
    void aStreamSaysWhatTheWholeAnswerSays_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("body");
        QTest::newRow("chat") << "/v1/chat/completions" << kChat;
        QTest::newRow("completions") << "/v1/completions"
                                     << "'prompt':'the other people','temperature':0,'ignore_eos':true";
        QTest::newRow("ids") << "/v1/completions"
                             << "'prompt':[5,6,7],'temperature':0";
        QTest::newRow("sampled") << "/v1/completions"
                                 << "'prompt':'th','temperature':1.5,'seed':3,'top_k':20";
        QTest::newRow("lookup") << "/v1/completions"
                                << "'prompt':'the the the','temperature':0,'speculative':'lookup','ignore_eos':true";
        QTest::newRow("stop") << "/v1/completions"
                              << "'prompt':'th','temperature':2,'seed':9,'stop':['e','a'],'ignore_eos':true";
        QTest::newRow("logprobs") << "/v1/chat/completions" << QString(kChat) + ",'logprobs':true,'top_logprobs':3";
    }
    void aStreamSaysWhatTheWholeAnswerSays() {
        QFETCH(QString, path);
        QFETCH(QString, body);
        const Served served(m_chatModel);
        const std::string members = body.toStdString() + ",'max_tokens':40";
        const json whole = served.post(path.toStdString(), "{" + members + "}");
        QVERIFY2(whole.contains("choices"), whole.dump().c_str());
        RawClient client = served.client();
        client.send(request("POST", path.toStdString(),
                            quoted("{" + members + ",'stream':true,'stream_options':{'include_usage':true}}")));
        const Said said = read(client);
        QVERIFY(said.done && said.engineSeen && said.error.empty());
        const json& choice = whole["choices"][0];
        const json text = choice.contains("text") ? choice["text"] : choice["message"]["content"];
        QCOMPARE(said.text, text.get<std::string>());
        QVERIFY(choice["finish_reason"] == said.finish);
        QVERIFY(whole["decodescope"]["tokens"] == json(said.ids));
        QVERIFY(said.usage["completion_tokens"] == said.ids.size());
        QVERIFY(whole["usage"]["completion_tokens"] == said.ids.size());
        QVERIFY(whole["usage"]["prompt_tokens"] == said.usage["prompt_tokens"]);
        if (members.find("logprobs") != std::string::npos)
            QCOMPARE(said.logprobs, said.ids.size());
        if (members.find("'stop'") != std::string::npos)
            QVERIFY(said.text.find('e') == std::string::npos && said.text.find('a') == std::string::npos);
        // The connection goes on to the next request.
        client.send(request("GET", "/health"));
        QCOMPARE(statusOf(client.readAnswer()), 200);
    }
    void sixteenStreamsAtOnce() {
        const Served served(m_chatModel);
        const auto body = [](int i) {
            return quoted("{'prompt':'the " + std::string(static_cast<std::size_t>(i), 'o') +
                          "','temperature':0,'max_tokens':30,'ignore_eos':true,'stream':true}");
        };
        std::vector<Said> alone(16);
        for (int i = 0; i < 16; ++i) {
            RawClient client = served.client();
            client.send(request("POST", "/v1/completions", body(i)));
            alone[static_cast<std::size_t>(i)] = read(client);
        }
        std::vector<RawClient> clients;
        for (int i = 0; i < 16; ++i) {
            clients.push_back(served.client());
            clients.back().send(request("POST", "/v1/completions", body(i)));
        }
        QCOMPARE(statusOf(served.ask(request("GET", "/health"))), 200);
        for (std::size_t i = 0; i < 16; ++i) {
            const Said said = read(clients[i]);
            QVERIFY(said.done);
            QCOMPARE(said.ids.size(), std::size_t{30});
            QVERIFY(said.ids == alone[i].ids);
        }
        QCOMPARE(served.metric("requests_total"), 32.0);
        QCOMPARE(served.metric("generated_tokens_total"), 960.0);
        QTRY_COMPARE(served.metric("requests_running"), 0.0);
    }
    void whoLeavesIsCancelled() {
        const Served served(m_chatModel);
        RawClient client = served.client();
        client.send(request("POST", "/v1/chat/completions", quoted("{" + std::string(kChat) + ",'stream':true}")));
        QVERIFY(client.readUntil("\r\n\r\n").find("text/event-stream") != std::string::npos);
        client.readUntil("\n\n");
        client.close();
        QTRY_COMPARE(served.metric("requests_cancelled_total"), 1.0);
        QTRY_COMPARE(served.metric("kv_blocks_used"), 0.0);
        RawClient whole = served.client();
        whole.send(request("POST", "/v1/chat/completions", quoted("{" + std::string(kChat) + "}")));
        QTRY_COMPARE(served.metric("requests_running"), 1.0);
        whole.close();
        QTRY_COMPARE(served.metric("requests_cancelled_total"), 2.0);
    }
    void atTheEndStreamsAreTold() {
        const Served served(m_chatModel, 1);
        RawClient running = served.client();
        running.send(request("POST", "/v1/chat/completions", quoted("{" + std::string(kChat) + ",'stream':true}")));
        running.readUntil("\n\n");
        RawClient waiting = served.client();
        waiting.send(request("POST", "/v1/chat/completions", quoted("{" + std::string(kChat) + ",'stream':true}")));
        QTRY_COMPARE(served.metric("requests_waiting"), 1.0);
        RawClient whole = served.client();
        whole.send(request("POST", "/v1/chat/completions", quoted("{" + std::string(kChat) + "}")));
        QTRY_COMPARE(served.metric("requests_waiting"), 2.0);
        served.service->stop(1'000'000'000);
        for (RawClient* client : {&running, &waiting}) {
            const Said said = read(*client);
            QVERIFY(!said.done);
            QCOMPARE(said.error, std::string("The engine is stopping."));
            QVERIFY(client->waitClosed());
        }
        QCOMPARE(statusOf(whole.readAnswer()), 503);
        QVERIFY(!served.client().connected());
    }
    void tokensThereAndBack() {
        const Served served(m_chatModel);
        const json tokens = served.post("/tokenize", "{'content':'the other h\xC3\xA9'}")["tokens"];
        QVERIFY(tokens.size() > 1);
        QVERIFY(served.post("/detokenize", "{'tokens':" + tokens.dump() + "}") ==
                json({{"content", "the other h\xC3\xA9"}}));
        std::string joined;
        const json pieces = served.post("/tokenize", "{'content':'h\xC3\xA9','with_pieces':true}")["tokens"];
        for (const json& piece : pieces) {
            if (piece["piece"].is_string())
                joined += piece["piece"].get<std::string>();
            else
                for (const json& byte : piece["piece"])
                    joined += static_cast<char>(byte.get<int>());
        }
        QCOMPARE(joined, std::string("h\xC3\xA9"));
        QCOMPARE(served.post("/tokenize", "{'content':'<|im_end|>'}")["tokens"].size(), std::size_t{1});
        QVERIFY(served.post("/tokenize", "{'content':'<|im_end|>','parse_special':false}")["tokens"].size() > 1);
        QVERIFY(served.post("/detokenize", "{'tokens':[1000000]}").contains("error"));
        QVERIFY(served.post("/detokenize", "{'tokens':'x'}").contains("error"));
        // A list of texts and ids, as llama.cpp's server takes it too.
        const json he = served.post("/tokenize", "{'content':'he'}")["tokens"];
        json list = he;
        list.push_back(7);
        list.insert(list.end(), he.begin(), he.end());
        QVERIFY(served.post("/tokenize", "{'content':['he',7,'he']}")["tokens"] == list);
        QVERIFY(served.post("/tokenize", "{'content':[]}")["tokens"] == json::array());
        QVERIFY(served.post("/tokenize", "{'content':['he',1000000]}").contains("error"));
        QVERIFY(served.post("/tokenize", "{'content':['he',[7]]}").contains("error"));
        QVERIFY(served.post("/tokenize", "{'content':3}").contains("error"));
        QVERIFY(served.post("/tokenize", "{}").contains("error"));
    }
    void whatDoesNotFitIsRefused() {
        const Served served(m_chatModel, 1, 32);
        const json answer = served.post("/v1/completions", "{'prompt':'" + std::string(100, 'z') + "','stream':true}");
        QVERIFY(answer["error"]["type"] == "exceed_context_size_error");
        QVERIFY(answer["error"]["n_ctx"] == 32);
        QVERIFY(answer["error"]["n_prompt_tokens"].get<int>() > 32);
        const json cut = served.post("/v1/completions", "{'prompt':[5],'max_tokens':1000,'ignore_eos':true}");
        QVERIFY(cut["usage"]["total_tokens"] == 32);
        QVERIFY(cut["choices"][0]["finish_reason"] == "length");
        QVERIFY(served.post("/v1/completions", "{'prompt':''}").contains("error"));
    }
    void aBaseModelCompletesButDoesNotChat() {
        const Served served(m_baseModel, 1, 128);
        const json chat = served.post("/v1/chat/completions", "{" + std::string(kChat) + "}");
        QVERIFY(chat["error"]["code"] == 400);
        QVERIFY(chat["error"]["message"].get<std::string>().find("/v1/completions") != std::string::npos);
        QVERIFY(served.post("/v1/completions",
                            "{'prompt':'a','max_tokens':3,'ignore_eos':true}")["usage"]["completion_tokens"] == 3);
    }
    void thePrefixCacheIsReported() {
        const Served served(m_chatModel);
        const std::string body = "{'prompt':'" + std::string(200, 'q') + "','max_tokens':1}";
        const json first = served.post("/v1/completions", body);
        const json second = served.post("/v1/completions", body);
        QVERIFY(first["usage"]["prompt_tokens_details"]["cached_tokens"] == 0);
        const json cached = second["usage"]["prompt_tokens_details"]["cached_tokens"];
        QVERIFY(cached.get<int>() > 0);
        QVERIFY(second["decodescope"]["prompt"]["cached"] == cached);
    }
    void theTraceTellsTheWay() {
        const Served served(m_chatModel);
        RawClient client = served.client();
        client.send(request("POST", "/v1/chat/completions",
                            quoted("{" + std::string(kChat) + ",'stream':true,'max_tokens':3}")));
        QVERIFY(read(client).done);
        QSet<QString> names;
        const json trace = json::parse(served.get("/trace"));
        for (const json& span : trace["spans"]) {
            names.insert(QString::fromStdString(span["name"].get<std::string>()));
            QVERIFY(span["begin_ns"].get<std::int64_t>() <= span["end_ns"].get<std::int64_t>());
        }
        for (const char* name : {"queue", "prefill chunk", "attention", "feed forward", "head", "sampling", "send"})
            QVERIFY2(names.contains(name), name);
    }

private:
    QTemporaryDir m_folder;
    std::string m_chatModel, m_baseModel;
};

QTEST_GUILESS_MAIN(TestEngineService)
#include "tst_engine_service.moc"
