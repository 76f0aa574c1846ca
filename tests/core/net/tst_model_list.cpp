#include "core/net/model_list.h"
#include "core/net/transport_choice.h"
#include "core/base/fingerprint.h"
#include "tests/support/fault_server.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

static const std::string kKey = "sk-CANARY-0123456789abcdef";
using Models = std::vector<std::string>;

class TestModelList : public QObject {
    Q_OBJECT

    static EndpointSpec at(const std::string& url) {
        EndpointSpec endpoint;
        endpoint.url = url;
        return endpoint;
    }
    static Script answering(const std::string& bytes) { return {fault::readRequest(), fault::send(bytes)}; }
    static std::string json(int status, const std::string& body) {
        return fault::httpResponse(status, "Status", {{"Content-Type", "application/json"}}, body);
    }
    /// Asks and waits; what came back before anything was sent is a failure as well.
    static std::optional<Result<Models>> ask(const EndpointSpec& endpoint, bool withKey = false) {
        const auto heard = askFully(endpoint, withKey);
        return heard ? std::optional(heard->models) : std::nullopt;
    }
    static std::optional<EndpointAnswer> askFully(const EndpointSpec& endpoint, bool withKey = false) {
        NetworkThread network;
        const auto promise = std::make_shared<std::promise<CallReport>>(); // set twice, it would throw
        std::future<CallReport> report = promise->get_future();
        const auto asked = callModelList(
            network, transportFactory(network, bestTransportKind()), endpoint,
            withKey ? std::make_shared<const Secret>(kKey) : nullptr,
            [promise](CallReport came) { promise->set_value(std::move(came)); });
        if (!asked) {
            EndpointAnswer refused;
            refused.models = tl::unexpected(asked.error());
            return refused;
        }
        if (report.wait_for(20s) != std::future_status::ready)
            return std::nullopt;
        return readModelList(endpoint, report.get(), withKey);
    }
    static std::string failure(const std::optional<Result<Models>>& heard) {
        return heard && !*heard ? heard->error().message : "no failure";
    }

private slots:
    void listsModels_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QStringList>("models");
        QTest::newRow("OpenAI") << QByteArray("{\"data\":[{\"id\":\"a\"},{\"id\":\"b/c\"}]}")
                                << QStringList{"a", "b/c"};
        QTest::newRow("bare array") << QByteArray("[{\"id\":\"a\"},\"b\"]") << QStringList{"a", "b"};
        QTest::newRow("names") << QByteArray("{\"models\":[{\"name\":\"a\"}]}") << QStringList{"a"};
        QTest::newRow("nulls and nonsense")
            << QByteArray("{\"data\":[null,1,{},{\"id\":null},{\"id\":\"x\"}]}") << QStringList{"x"};
        QTest::newRow("data is null") << QByteArray("{\"data\":null}") << QStringList{};
        QTest::newRow("a number") << QByteArray("7") << QStringList{};
    }
    void listsModels() {
        QFETCH(QByteArray, body);
        QFETCH(QStringList, models);
        FaultServer server(answering(json(200, body.toStdString())));
        const auto heard = ask(at(server.url()), true);
        QVERIFY2(heard && *heard, failure(heard).c_str());
        QStringList got;
        for (const std::string& model : **heard)
            got.append(QString::fromStdString(model));
        QCOMPARE(got, models);
        const fault::Request request = server.requests().front();
        QCOMPARE(request.method, std::string("GET"));
        QCOMPARE(request.target, std::string("/v1/models"));
        auto headers = request.headers;
        QCOMPARE(headers["authorization"], "Bearer " + kKey);
        QVERIFY(headers["user-agent"].rfind("Decodescope/", 0) == 0);
        QCOMPARE(headers["accept-encoding"], std::string("identity"));
        QCOMPARE(headers.count("cookie"), std::size_t(0));
    }

    void aWrongKeyIsToldAndNotRepeated() {
        FaultServer server(answering(json(401, fault::errorBody("Wrong key: " + kKey, "auth", "x"))));
        const auto heard = ask(at(server.url()), true);
        QVERIFY(heard && !*heard);
        QVERIFY(heard->error().code == ErrorCode::refused);
        const std::string message = heard->error().message;
        QVERIFY2(message.find("Wrong key") != std::string::npos, message.c_str());
        QVERIFY2(message.find("CANARY") == std::string::npos, message.c_str());
    }

    void answersWithoutAListAreAnswers() {
        FaultServer server(answering(fault::httpResponse(404, "Not Found", {}, "")));
        const auto heard = ask(at(server.url()));
        QVERIFY(heard && *heard);
        QVERIFY((*heard)->empty());
    }

    void redirectsAreShownAndNotFollowed() {
        FaultServer sink(answering(json(200, "[]")));
        FaultServer server(
            answering(fault::httpResponse(307, "Moved", {{"Location", sink.url() + "/v1/models?k=v"}}, "")));
        const auto heard = ask(at(server.url()), true);
        const std::string message = failure(heard);
        QVERIFY2(message.find("redirects to " + sink.url() + "/v1/models.") != std::string::npos, message.c_str());
        QCOMPARE(sink.connections(), 0);
    }

    void faultsAreSentences_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QString>("words");
        QTest::newRow("HTML") << QByteArray::fromStdString(
                                     fault::httpResponse(200, "OK", {{"Content-Type", "text/html"}}, "<html></html>"))
                              << "not with a list of models";
        QTest::newRow("500") << QByteArray::fromStdString(json(500, "{\"error\":\"out of cheese\"}"))
                             << "out of cheese";
        QTest::newRow("deep") << QByteArray::fromStdString(json(200, std::string(100'000, '['))) << "not with a list";
        QTest::newRow("closed at once") << QByteArray() << "closed the connection";
        QTest::newRow("huge") << QByteArray::fromStdString(json(200, std::string(9 << 20, ' '))) << "more than a list";
    }
    void faultsAreSentences() {
        QFETCH(QByteArray, answer);
        QFETCH(QString, words);
        FaultServer server(answering(answer.toStdString()));
        const auto heard = ask(at(server.url()));
        QVERIFY2(QString::fromStdString(failure(heard)).contains(words), failure(heard).c_str());
    }

    void namesADeadPortAndABadAddress() {
        const auto dead = ask(at("http://127.0.0.1:" + std::to_string(fault::closedPort())));
        QVERIFY2(failure(dead).rfind("Nothing is listening", 0) == 0, failure(dead).c_str());
        const auto bad = ask(at("nonsense"));
        QVERIFY(bad && !*bad);
        QVERIFY(bad->error().code == ErrorCode::usage);
        const auto clear = ask(at("http://no-such-host.invalid"), true);
        QVERIFY2(failure(clear).find("unencrypted") != std::string::npos, failure(clear).c_str());
    }

    void anUntrustedCertificateIsShownAndTrustedByItsPin() {
        fault::Options options;
        options.tls = fault::TlsOptions{};
        FaultServer server(answering(json(200, "[\"m\"]")), options);
        const std::string distrust = failure(ask(at(server.url())));
        const std::string fingerprint = fingerprintIn(distrust);
        QVERIFY2(!fingerprint.empty(), distrust.c_str());
        QVERIFY(server.requests().empty());
        EndpointSpec pinned = at(server.url());
        pinned.pinnedCertificate = fingerprint;
        const auto trusted = askFully(pinned);
        QVERIFY2(trusted && trusted->models, trusted ? trusted->models.error().message.c_str() : "no answer");
        QCOMPARE(*trusted->models, Models{"m"});
        QVERIFY(trusted->connected && trusted->tlsVersion.rfind("TLSv1", 0) == 0);
        QVERIFY(trusted->tlsTook.count() > 0 && trusted->openingTook >= trusted->tlsTook);
        QVERIFY(trusted->firstByteTook.has_value());
        EndpointSpec allowed = at(server.url());
        allowed.allowInvalidTls = true;
        const auto any = ask(allowed);
        QVERIFY2(any && *any, failure(any).c_str());
    }

    void howItWasReachedIsToldAlsoOfARefusal() {
        FaultServer server(answering(json(401, fault::errorBody("No.", "auth", "x"))));
        const auto heard = askFully(at(server.url()));
        QVERIFY(heard && !heard->models && heard->connected && !heard->peer.empty());
        QVERIFY(heard->tlsVersion.empty());
        const auto dead = askFully(at("http://127.0.0.1:" + std::to_string(fault::closedPort())));
        QVERIFY(dead && !dead->models && !dead->connected);
    }
};

QTEST_GUILESS_MAIN(TestModelList)
#include "tst_model_list.moc"
