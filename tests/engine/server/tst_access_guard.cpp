#include "engine/server/access_guard.h"

#include <QtTest>

#include <set>

using namespace decodescope::engine;

namespace {

HttpHead headWith(HttpFields fields) {
    HttpHead head;
    head.method = "GET";
    head.path = "/v1/models";
    head.fields = std::move(fields);
    return head;
}

int statusOf(const AccessGuard& guard, HttpFields fields, bool withoutToken = false) {
    const auto refusal = guard.refusal(headWith(std::move(fields)), withoutToken);
    return refusal ? refusal->status : 200;
}

} // namespace

class TestAccessGuard : public QObject {
    Q_OBJECT

private slots:
    void onlyLoopbackNamesAreHosts_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<bool>("good");
        for (const char* host : {"127.0.0.1", "127.0.0.1:80", "localhost", "LocalHost:65535", "[::1]", "[::1]:1"})
            QTest::newRow(host) << host << true;
        for (const char* host : {"", "example.org", "127.0.0.1.example.org", "localhost.example.org",
                                 "localhost:", "localhost:8x", "127.0.0.2", "[::1", "[::1]x", "0.0.0.0",
                                 "localhost:123456", "evil@localhost", " localhost", "localhost:80:80"})
            QTest::newRow(*host ? host : "empty") << host << false;
    }
    void onlyLoopbackNamesAreHosts() {
        QFETCH(QString, host);
        QFETCH(bool, good);
        QCOMPARE(isLoopbackHost(host.toStdString()), good);
    }
    void theTokenIsNeeded() {
        const AccessGuard guard("0123456789abcdef0123456789abcdef");
        const auto with = [&](const char* authorization) {
            return statusOf(guard, {{"host", "localhost"}, {"authorization", authorization}});
        };
        QCOMPARE(with("Bearer 0123456789abcdef0123456789abcdef"), 200);
        QCOMPARE(with("bearer 0123456789abcdef0123456789abcdef"), 200);
        QCOMPARE(with("Bearer 0123456789abcdef0123456789abcdeF"), 401);
        QCOMPARE(with("Bearer 0123456789abcdef"), 401);
        QCOMPARE(with("0123456789abcdef0123456789abcdef"), 401);
        QCOMPARE(with("Basic 0123456789abcdef0123456789abcdef"), 401);
        QCOMPARE(with("Bearer "), 401);
        QCOMPARE(with(""), 401);
        QCOMPARE(statusOf(guard, {{"host", "localhost"}}), 401);
        QCOMPARE(statusOf(guard, {{"host", "localhost"},
                                  {"authorization", "Bearer 0123456789abcdef0123456789abcdef"},
                                  {"authorization", "Bearer x"}}),
                 401);
        QCOMPARE(statusOf(guard, {{"host", "localhost"}}, true), 200);
        QCOMPARE(statusOf(AccessGuard(""), {{"host", "localhost"}}), 200);
    }
    void aWebPageIsRefusedWhateverItKnows() {
        const AccessGuard guard("t");
        const std::pair<std::string, std::string> token{"authorization", "Bearer t"};
        QCOMPARE(statusOf(guard, {{"host", "localhost"}, token, {"origin", "http://localhost"}}), 403);
        QCOMPARE(statusOf(guard, {{"host", "localhost"}, token, {"origin", ""}}), 403);
        QCOMPARE(statusOf(guard, {{"host", "rebound.example"}, token}), 403);
        QCOMPARE(statusOf(guard, {{"host", "rebound.example"}}, true), 403);
    }
    void thereIsOneHostAndNoProxyForm() {
        const AccessGuard guard("");
        QCOMPARE(statusOf(guard, {}), 400);
        QCOMPARE(statusOf(guard, {{"host", "localhost"}, {"host", "localhost"}}), 400);
        HttpHead head = headWith({{"host", "localhost"}});
        head.absoluteTarget = true;
        QCOMPARE(guard.refusal(head, true)->status, 400);
    }
    void refusalsAreTheApisErrors() {
        const auto refusal = AccessGuard("t").refusal(headWith({{"host", "localhost"}}), false);
        QVERIFY(refusal);
        QVERIFY(refusal->body.starts_with(R"({"error":{"code":401,"message":")"));
        QVERIFY(refusal->body.ends_with(R"(","type":"authentication_error"}})"));
        QVERIFY(refusal->fields == HttpFields({{"WWW-Authenticate", "Bearer"}}));
    }
    void tokensAreFresh() {
        std::set<std::string> seen;
        for (int i = 0; i < 100; ++i) {
            const auto token = AccessGuard::freshToken();
            QVERIFY(token);
            QCOMPARE(token->size(), std::size_t{32});
            QVERIFY(token->find_first_not_of("0123456789abcdef") == std::string::npos);
            seen.insert(*token);
        }
        QCOMPARE(seen.size(), std::size_t{100});
    }
};

QTEST_GUILESS_MAIN(TestAccessGuard)
#include "tst_access_guard.moc"
