// TLS as a pure object, against a server of OpenSSL in the same thread: bytes are carried by hand.
#include "core/net/tls_session.h"
#include "core/net/tls_words.h"
#include "tests/support/fault_tls.h"

#include <QtTest>

#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace decodescope;

using fault::TlsOptions;
using State = TlsSession::State;

namespace {

/// The other side, by memory BIOs as well.
class Server {
public:
    explicit Server(const TlsOptions& options = {})
        : m_made(fault::makeTlsServerContext(options))
        , m_ssl(SSL_new(m_made.context.get()), &SSL_free) {
        SSL_set_bio(m_ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_accept_state(m_ssl.get());
    }

    void take(const std::string& wire) {
        BIO_write(SSL_get_rbio(m_ssl.get()), wire.data(), static_cast<int>(wire.size()));
        if (SSL_is_init_finished(m_ssl.get()) == 0)
            SSL_do_handshake(m_ssl.get());
        std::string buffer(65536, '\0');
        for (int n = 0; SSL_is_init_finished(m_ssl.get()) != 0 &&
                        (n = SSL_read(m_ssl.get(), buffer.data(), static_cast<int>(buffer.size()))) > 0;)
            m_text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    std::string wire() {
        char* data = nullptr;
        const long size = BIO_get_mem_data(SSL_get_wbio(m_ssl.get()), &data);
        std::string out(data, static_cast<std::size_t>(size));
        BIO_reset(SSL_get_wbio(m_ssl.get()));
        return out;
    }
    std::string says(const std::string& text) {
        SSL_write(m_ssl.get(), text.data(), static_cast<int>(text.size()));
        return wire();
    }
    std::string goodbye() {
        SSL_shutdown(m_ssl.get());
        return wire();
    }
    std::string newKeys() {
        SSL_key_update(m_ssl.get(), SSL_KEY_UPDATE_REQUESTED);
        SSL_do_handshake(m_ssl.get());
        return wire();
    }
    std::string wantsToRenegotiate() {
        SSL_renegotiate(m_ssl.get());
        SSL_do_handshake(m_ssl.get());
        return wire();
    }

    [[nodiscard]] const fault::TlsServerContext& made() const { return m_made; }
    [[nodiscard]] SSL* ssl() { return m_ssl.get(); }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    fault::TlsServerContext m_made;
    std::unique_ptr<SSL, decltype(&SSL_free)> m_ssl;
    std::string m_text;
};

/// In braces, whose parts are made one after the other; around a plus they are not.
std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts)
        all += part;
    return all;
}

TransportTarget targetTrusting(const Server& server, const std::string& host = "127.0.0.1") {
    TransportTarget target;
    target.host = host;
    target.port = 443;
    target.tls = true;
    target.systemAuthorities = false;
    target.authoritiesPem = std::make_shared<const std::string>(server.made().certificatePem);
    return target;
}

/// Carries the handshake's bytes until both sides are silent; `piece` at a time to the client.
void shake(TlsSession& client, Server& server, std::size_t piece = 1U << 20) {
    client.start();
    for (int round = 0; round < 10; ++round) {
        server.take(std::exchange(client.output(), {}));
        const std::string wire = server.wire();
        for (std::size_t i = 0; i < wire.size(); i += piece)
            QVERIFY(client.take(std::string_view(wire).substr(i, piece)).empty());
        if (wire.empty() && client.output().empty())
            return;
    }
}

} // namespace

class TestTlsSession : public QObject {
    Q_OBJECT

    TlsContexts m_contexts;
    std::unique_ptr<TlsSession> session(const TransportTarget& target) {
        return std::make_unique<TlsSession>(m_contexts.get(target), target, target.host + ":443");
    }

private slots:
    void shakesHandsAndCarriesText_data() {
        QTest::addColumn<int>("version");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("piece");
        QTest::addColumn<bool>("authority");
        for (const int version : {12, 13}) {
            for (const int piece : {1, 1 << 20}) {
                const QByteArray name =
                    QByteArray("TLS 1.") + (version == 12 ? "2" : "3") + ", pieces of " + QByteArray::number(piece);
                QTest::newRow(name + ", by address") << version << "127.0.0.1" << piece << false;
                QTest::newRow(name + ", by IPv6 address") << version << "::1" << piece << false;
                QTest::newRow(name + ", by name") << version << "localhost" << piece << true;
                QTest::newRow(name + ", by name with the root's dot") << version << "localhost." << piece << true;
            }
        }
    }
    void shakesHandsAndCarriesText() {
        QFETCH(int, version);
        QFETCH(QString, host);
        QFETCH(int, piece);
        QFETCH(bool, authority);
        TlsOptions options;
        options.maximumVersion = version;
        options.ownAuthority = authority;
        Server server(options);
        const auto client = session(targetTrusting(server, host.toStdString()));
        shake(*client, server, static_cast<std::size_t>(piece));
        QVERIFY2(client->state() == State::up, client->trouble().c_str());
        QCOMPARE(client->version(), std::string(version == 12 ? "TLSv1.2" : "TLSv1.3"));
        QCOMPARE(client->certificate(), server.made().fingerprint);
        if (host == "localhost")
            QCOMPARE(std::string(SSL_get_servername(server.ssl(), TLSEXT_NAMETYPE_host_name)), host.toStdString());
        else if (host != "localhost.")
            QVERIFY(SSL_get_servername(server.ssl(), TLSEXT_NAMETYPE_host_name) == nullptr);

        const std::string body(300'000, 'q');
        client->write(body);
        server.take(std::exchange(client->output(), {}));
        QCOMPARE(server.text(), body);
        QCOMPARE(client->take(joined({server.says("one"), server.says("two")})), std::string("onetwo"));
    }

    void textBelongsToTheReadThatCompletedItsRecord() {
        Server server;
        const auto client = session(targetTrusting(server));
        shake(*client, server);
        const std::string first = server.says("first");
        const std::string second = server.says("second");
        QCOMPARE(client->take(first.substr(0, first.size() - 1)), std::string());
        QCOMPARE(client->take(first.substr(first.size() - 1) + second.substr(0, 3)), std::string("first"));
        QCOMPARE(client->take(second.substr(3)), std::string("second"));
    }

    void tellsAGoodbyeFromATruncation() {
        Server server;
        const auto polite = session(targetTrusting(server));
        shake(*polite, server);
        QCOMPARE(polite->take(joined({server.says("all"), server.goodbye()})), std::string("all"));
        QVERIFY(polite->state() == State::closed);
        polite->takeEnd();
        QVERIFY(polite->state() == State::closed);
        QVERIFY(polite->take("bytes behind the goodbye").empty());

        Server rude;
        const auto cut = session(targetTrusting(rude));
        shake(*cut, rude);
        QCOMPARE(cut->take(rude.says("some")), std::string("some"));
        cut->takeEnd();
        QVERIFY(cut->state() == State::failed);
        QVERIFY(cut->troubleKind() == ErrorKind::connectionClosed);
        QVERIFY2(cut->trouble().find("cut short") != std::string::npos, cut->trouble().c_str());
    }

    void answersAKeyUpdateAndGoesOn() {
        Server server;
        const auto client = session(targetTrusting(server));
        shake(*client, server);
        QCOMPARE(client->take(joined({server.newKeys(), server.says("under new keys")})),
                 std::string("under new keys"));
        client->write("still here"); // behind our own new keys

        server.take(std::exchange(client->output(), {}));
        QCOMPARE(server.text(), std::string("still here"));
    }

    void refusesToRenegotiate() {
        TlsOptions options;
        options.maximumVersion = 12;
        Server server(options);
        const auto client = session(targetTrusting(server));
        shake(*client, server);
        QVERIFY(client->take(server.wantsToRenegotiate()).empty());
        // The peer is told no, and what it says under the keys that hold is still read or the session ends in words.
        const std::string text = client->take(server.says("go on"));
        QVERIFY(text == "go on" || client->state() == State::failed);
        QVERIFY(text == "go on" || !client->trouble().empty());
    }

    void aPeerThatInsistsOnRenegotiatingIsToldOf() {
        TlsOptions options;
        options.maximumVersion = 12;
        Server server(options);
        const auto client = session(targetTrusting(server));
        shake(*client, server);
        QVERIFY(client->take(server.wantsToRenegotiate()).empty());
        server.take(std::exchange(client->output(), {})); // our no, which it takes for a failure
        QVERIFY(client->take(server.wire()).empty());
        QVERIFY(client->state() == State::failed);
        QVERIFY(client->troubleKind() == ErrorKind::connectionClosed);
        QVERIFY2(client->trouble().find("renegotiation") != std::string::npos, client->trouble().c_str());
    }

    void refusesWhatNobodyVouchesFor_data() {
        QTest::addColumn<int>("flaw");
        QTest::addColumn<bool>("trusted");
        QTest::addColumn<QString>("says");
        QTest::newRow("self-signed") << int(TlsOptions::Flaw::none) << false << "self-signed";
        QTest::newRow("wrong host") << int(TlsOptions::Flaw::wrongHost) << true << "another host";
        QTest::newRow("expired") << int(TlsOptions::Flaw::expired) << true << "expired";
    }
    void refusesWhatNobodyVouchesFor() {
        QFETCH(int, flaw);
        QFETCH(bool, trusted);
        QFETCH(QString, says);
        TlsOptions options;
        options.flaw = static_cast<TlsOptions::Flaw>(flaw);
        Server server(options);
        TransportTarget target = targetTrusting(server);
        if (!trusted)
            target.authoritiesPem = nullptr;
        const auto client = session(target);
        shake(*client, server);
        QVERIFY(client->state() == State::failed);
        QVERIFY(client->troubleKind() == ErrorKind::tls);
        QVERIFY2(client->trouble().find(says.toStdString()) != std::string::npos, client->trouble().c_str());
        QCOMPARE(fingerprintIn(client->trouble()), server.made().fingerprint);

        target.pinnedCertificate = server.made().fingerprint;
        Server again(options); // its certificate is another one
        const auto other = session(target);
        shake(*other, again);
        QVERIFY(other->state() == State::failed);
        QVERIFY2(other->trouble().find("pinned") != std::string::npos, other->trouble().c_str());
        QCOMPARE(fingerprintIn(other->trouble()), again.made().fingerprint);

        target.pinnedCertificate = again.made().fingerprint;
        target.allowInvalidTls = true;
        Server once(options);
        const auto allowed = session(target);
        shake(*allowed, once);
        QVERIFY2(allowed->state() == State::up, allowed->trouble().c_str());
        QCOMPARE(allowed->certificate(), once.made().fingerprint);
    }

    void aPinnedCertificateIsTrustedThoughSelfSigned() {
        TlsOptions options;
        options.flaw = TlsOptions::Flaw::wrongHost;
        Server server(options);
        TransportTarget target = targetTrusting(server);
        target.authoritiesPem = nullptr;
        target.pinnedCertificate = server.made().fingerprint;
        const auto client = session(target);
        shake(*client, server);
        QVERIFY2(client->state() == State::up, client->trouble().c_str());
    }

    void anAuthorityThatWasNotNamedIsNotAsked() {
        TlsOptions options;
        options.ownAuthority = true;
        Server server(options);
        Server another(options);
        // What the process holds for the system's authorities knows the server's ...
        const QString bundle = m_folder.filePath("authorities.pem");
        QFile file(bundle);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(server.made().certificatePem));
        file.close();
        qputenv("SSL_CERT_FILE", bundle.toUtf8());
        const auto restore = qScopeGuard([] { qunsetenv("SSL_CERT_FILE"); });
        TransportTarget system = targetTrusting(another);
        system.systemAuthorities = true;
        const auto welcome = session(system);
        shake(*welcome, server);
        QVERIFY2(welcome->state() == State::up, welcome->trouble().c_str());
        // ... and still a lane with authorities of its own alone refuses it.
        Server same(options);
        const auto closed = session(targetTrusting(another));
        shake(*closed, same);
        QVERIFY(closed->state() == State::failed);
        QCOMPARE(fingerprintIn(closed->trouble()), same.made().fingerprint);
    }

    void refusesVersionsThatAreNotSafe() {
        TlsOptions options;
        options.flaw = TlsOptions::Flaw::oldVersion;
        Server server(options);
        TransportTarget target = targetTrusting(server);
        target.allowInvalidTls = true; // not even then
        const auto client = session(target);
        shake(*client, server);
        QVERIFY(client->state() == State::failed);
        QVERIFY2(client->trouble().find("older than 1.2") != std::string::npos, client->trouble().c_str());
    }

    void namesAPeerThatSpeaksNoTls() {
        TransportTarget target;
        target.host = "h";
        const auto client = session(target);
        client->start();
        QVERIFY(client->take("HTTP/1.1 400 Bad Request\r\n\r\n").empty());
        QVERIFY(client->state() == State::failed);
        QVERIFY2(client->trouble().find("speak https") != std::string::npos, client->trouble().c_str());
        const auto hungUp = session(target);
        hungUp->start();
        hungUp->takeEnd();
        QVERIFY(hungUp->state() == State::failed && hungUp->troubleKind() == ErrorKind::tls);
    }

    void survivesAnyBytes() {
        std::mt19937 random(7); // NOLINT: the same every time
        for (int round = 0; round < 150; ++round) {
            Server server;
            const auto client = session(targetTrusting(server));
            const bool shaken = round % 2 == 0;
            if (shaken)
                shake(*client, server);
            else
                client->start();
            std::string wire = shaken ? server.says("some text to be spoiled") : std::string(200, '\x16');
            const std::size_t spoiled = 1 + random() % 8;
            for (std::size_t i = 0; i < spoiled; ++i)
                wire[random() % wire.size()] = static_cast<char>(random());
            for (std::size_t at = 0; at < wire.size();) {
                const std::size_t piece = 1 + random() % 64;
                (void)client->take(std::string_view(wire).substr(at, piece));
                at += piece;
            }
            client->takeEnd();
            QVERIFY(client->state() == State::failed || client->state() == State::closed);
            client->write("into the void");
            client->close();
        }
    }

    void fingerprintsAreReadInEveryForm() {
        const std::string digits(64, 'a');
        std::string normal = "AA";
        for (int i = 1; i < 32; ++i)
            normal += ":AA";
        QCOMPARE(normalFingerprint(digits), normal);
        QCOMPARE(normalFingerprint("sha256:" + digits), normal);
        QCOMPARE(normalFingerprint(normal), normal);
        QCOMPARE(normalFingerprint("aa aa" + std::string(60, 'A')), normal);
        QCOMPARE(normalFingerprint(digits.substr(1)), std::string());
        QCOMPARE(normalFingerprint(std::string(64, 'g')), std::string());
        QCOMPARE(normalFingerprint(""), std::string());
        QCOMPARE(fingerprintIn("nothing of the kind"), std::string());
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestTlsSession)
#include "tst_tls_session.moc"
