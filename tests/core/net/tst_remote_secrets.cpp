// A key goes to the endpoint it was given for, encrypted or to this machine, and is never kept when echoed.
#include "tests/core/net/source_probe.h"
#include "tests/support/compressed.h"
#include "tests/support/openai_script.h"

#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <fstream>
#include <string>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

static const std::string kKey = "sk-CANARY-0123456789abcdef";

class TestRemoteSecrets : public QObject {
    Q_OBJECT

    NetworkThread m_network;
    SourceFactory m_factory = makeRemoteSourceFactory(m_network);
    QTemporaryDir m_folder;

    static RunSpec keyed(const std::string& url) {
        RunSpec spec = SourceProbe::specFor(url);
        spec.key = std::make_shared<Secret>(kKey);
        return spec;
    }
    /// Everything that a run hands on, as text.
    static std::string everything(SourceProbe& probe) {
        std::string all = probe.sink().bytes() + probe.text() + probe.message();
        for (const auto& [kind, message] : probe.sink().ends())
            all += message;
        for (const StreamEvent& event : probe.events()) {
            if (const auto* head = std::get_if<ResponseHead>(&event.what)) {
                for (const auto& [name, value] : head->headers)
                    all += name + value;
            } else if (const auto* end = std::get_if<StreamEnd>(&event.what)) {
                all += end->body + end->code + end->redirectTo;
            } else if (const auto* note = std::get_if<Keepalive>(&event.what)) {
                all += note->note;
            }
        }
        return all;
    }

private slots:
    void anEchoedKeyIsMasked_data() {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<bool>("byteByByte");
        const QString key = QString::fromStdString(kKey);
        const auto both = [](const char* name, const std::string& answer) {
            QTest::addRow("%s", name) << QString::fromStdString(answer) << false;
            QTest::addRow("%s, byte by byte", name) << QString::fromStdString(answer) << true;
        };
        both("in a header", "HTTP/1.1 200 OK\r\nX-Authorization: Bearer " + kKey +
                                "\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
                                fault::textEvent("hi") + fault::finishEvent("stop") + fault::doneEvent());
        both("in the text", fault::sseHead(false) + fault::textEvent("it is " + kKey + ", no?") +
                                fault::finishEvent("stop") + fault::doneEvent());
        both("in a comment", fault::sseHead(false) + ": " + kKey + "\n\n" + fault::textEvent("hi") +
                                 fault::finishEvent("stop") + fault::doneEvent());
        both("in an error", fault::httpResponse(401, "Unauthorized", {{"Content-Type", "application/json"}},
                                                fault::errorBody("bad key " + kKey, "auth", kKey)));
        both("in a redirect", fault::httpResponse(302, "Found", {{"Location", "http://other/?key=" + kKey}}, ""));
    }
    void anEchoedKeyIsMasked() {
        QFETCH(QString, answer);
        QFETCH(bool, byteByByte);
        const std::string bytes = answer.toStdString();
        FaultServer server(Script{fault::readRequest()} +
                           (byteByByte ? fault::trickle(bytes, 20us) : Script{fault::send(bytes)}));
        SourceProbe probe(m_factory, keyed(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(server.requests().front().headers.at("authorization"), "Bearer " + kKey);
        const std::string all = everything(probe);
        QVERIFY2(all.find("CANARY") == std::string::npos, all.c_str());
        QVERIFY(all.find("***") != std::string::npos); // it did come, and was masked
        QCOMPARE(probe.sink().bytes().size(), bytes.size());
    }

    void aKeyWithinACompressedAnswerIsMasked_data() {
        QTest::addColumn<bool>("chunked");
        QTest::addColumn<bool>("cut");
        QTest::newRow("ended by the connection") << false << false;
        QTest::newRow("chunked") << true << false;
        QTest::newRow("chunked and cut") << true << true;
    }
    void aKeyWithinACompressedAnswerIsMasked() {
        QFETCH(bool, chunked);
        QFETCH(bool, cut);
        const std::string coded = test::compressed(fault::textEvent("it is " + kKey + ", no?") + fault::finishEvent("stop") +
                                          (cut ? "" : fault::doneEvent()));
        std::string bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n";
        if (chunked)
            bytes += "Transfer-Encoding: chunked\r\n\r\n" + fault::chunk(coded.substr(0, 30)) +
                     fault::chunk(coded.substr(30)) + (cut ? "" : fault::chunk(""));
        else
            bytes += "\r\n" + coded;
        FaultServer server(Script{fault::readRequest(), fault::send(bytes)});
        SourceProbe probe(m_factory, keyed(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QCOMPARE(probe.text(), "it is " + std::string(kKey.size(), '*') + ", no?");
        // What is kept is plain, so that nothing can hide in it.
        QVERIFY(probe.sink().bytes().find("it is ***") != std::string::npos);
        QVERIFY(probe.sink().bytes().find("gzip") == std::string::npos);
        QVERIFY(probe.sink().bytes().find("CANARY") == std::string::npos);
    }

    void f17_redirectsAreNeverFollowed_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("location"); // %1: the port of the sink
        for (const int status : {301, 302, 303, 307, 308}) {
            QTest::addRow("%d to another port", status) << status << "http://127.0.0.1:%1/v1/chat/completions";
            QTest::addRow("%d to another host", status) << status << "http://localhost:%1/v1/chat/completions";
            QTest::addRow("%d to another scheme", status) << status << "https://127.0.0.1:%1/";
            QTest::addRow("%d with user information", status) << status << "http://127.0.0.1@127.0.0.1:%1/";
            QTest::addRow("%d, relative", status) << status << "//127.0.0.1:%1/x";
        }
    }
    void f17_redirectsAreNeverFollowed() {
        QFETCH(int, status);
        QFETCH(QString, location);
        FaultServer sink(Script{fault::readRequest(), fault::send(fault::httpResponse(200, "OK", {}, "gotcha"))});
        const std::string target = location.arg(sink.port()).toStdString();
        FaultServer server(Script{fault::readRequest(),
                                  fault::send(fault::httpResponse(status, "Moved", {{"Location", target}}, ""))});
        SourceProbe probe(m_factory, keyed(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/redirect"));
        QVERIFY(probe.end()->redirectTo.find(std::to_string(sink.port())) != std::string::npos);
        QTest::qWait(20);
        QCOMPARE(sink.connections(), 0);
        QCOMPARE(server.requests().size(), std::size_t(1));
    }

    void aKeyDoesNotTravelInTheClear() {
        RunSpec spec = keyed("http://no-such-host.invalid:8080");
        SourceProbe refused(m_factory, spec);
        refused.prepare();
        QVERIFY(refused.waitEnd());
        QVERIFY2(refused.message().find("unencrypted") != std::string::npos, refused.message().c_str());
        QVERIFY(refused.message().find("CANARY") == std::string::npos);
        // Confirmed, it goes as far as the host allows; without a key nothing is asked.
        spec.endpoint.allowPlainHttpWithKey = true;
        SourceProbe confirmed(m_factory, spec);
        confirmed.prepare();
        QVERIFY(confirmed.waitEnd());
        QVERIFY2(confirmed.message().find("could not be found") != std::string::npos, confirmed.message().c_str());
        spec.endpoint.allowPlainHttpWithKey = false;
        spec.key = nullptr;
        SourceProbe keyless(m_factory, spec);
        keyless.prepare();
        QVERIFY(keyless.waitEnd());
        QVERIFY2(keyless.message().find("could not be found") != std::string::npos, keyless.message().c_str());
    }

    void aKeyCannotSmuggleHeaders() {
        FaultServer server(fault::pacedRun({.tokens = 1}));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.key = std::make_shared<Secret>(std::string("CANARY\r\nX-Evil: yes"));
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QVERIFY(probe.message().find("CANARY") == std::string::npos);
        QCOMPARE(server.connections(), 0);
    }

    void anUntrustedCertificateGetsNoRequest() {
        fault::Options options;
        options.tls = fault::TlsOptions{};
        FaultServer server(fault::pacedRun({.tokens = 1}), options);
        SourceProbe probe(m_factory, keyed(server.url()));
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/tls"));
        QVERIFY2(probe.message().find("fingerprint") != std::string::npos, probe.message().c_str());
        QVERIFY(server.requests().empty());
    }

    void anExtraAuthorityIsTrusted_data() {
        QTest::addColumn<QString>("by");
        QTest::newRow("the endpoint's file") << "file";
        QTest::newRow("SSL_CERT_FILE") << "SSL_CERT_FILE";
        QTest::newRow("SSL_CERT_DIR") << "SSL_CERT_DIR";
    }
    void anExtraAuthorityIsTrusted() {
        QFETCH(QString, by);
        fault::Options options;
        options.tls = fault::TlsOptions{};
        FaultServer server(fault::pacedRun({.tokens = 2}), options);
        const QString path = m_folder.filePath(by + ".pem");
        std::ofstream(path.toStdString()) << server.certificatePem();
        RunSpec spec = keyed(server.url());
        if (by == "file")
            spec.endpoint.extraCaFile = path.toStdString();
        else
            qputenv(by.toLatin1(), by == "SSL_CERT_DIR" ? m_folder.path().toLocal8Bit() : path.toLocal8Bit());
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        qunsetenv(by.toLatin1());
        QVERIFY(probe.waitReady());
        probe.release();
        QVERIFY(probe.waitEnd());
        QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
        QCOMPARE(probe.text(), std::string("w0 w1 "));
    }

    void aMissingAuthorityFileIsNamed() {
        RunSpec spec = SourceProbe::specFor("https://127.0.0.1:1");
        spec.endpoint.extraCaFile = "/no/such/file.pem";
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QVERIFY2(probe.message().find("/no/such/file.pem") != std::string::npos, probe.message().c_str());
    }
};

QTEST_GUILESS_MAIN(TestRemoteSecrets)
#include "tst_remote_secrets.moc"
