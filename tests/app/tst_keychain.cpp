// Keys in a real secret service: a session bus of its own, a keyring daemon on it, unlocked by its standard input.
#include "app/keychain.h"
#include "core/base/redaction.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibrary>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <optional>

using namespace decodescope;

namespace {

constexpr int kSkipped = 77;
constexpr int kPatienceMs = 30'000;
const std::string kOrigin = "https://api.example:443";

/// What a program's output lacks to be run here, as a sentence; empty: nothing.
QString missing() {
    for (const char* program : {"dbus-daemon", "dbus-send", "gnome-keyring-daemon"}) {
        if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty())
            return QStringLiteral("%1 is not installed").arg(QLatin1String(program));
    }
    QLibrary secret(QStringLiteral("secret-1"), 0);
    return secret.load() ? QString() : QStringLiteral("libsecret-1 is not installed");
}

} // namespace

class KeychainTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"})
            qputenv(name, m_folder.path().toLocal8Bit());
        for (const char* name :
             {"DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "KDE_FULL_SESSION"})
            qunsetenv(name);
        // Without activation: nothing but what is started here may answer on this bus.
        QFile config(m_folder.filePath("bus.conf"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write(QStringLiteral("<busconfig><type>session</type><listen>unix:path=%1/bus</listen>"
                                    "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
                                    "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>")
                         .arg(m_folder.path())
                         .toUtf8());
        config.close();
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + m_folder.filePath("bus").toLocal8Bit());
        m_bus.start("dbus-daemon", {"--nofork", "--print-address", "--config-file=" + config.fileName()});
        QVERIFY(m_bus.waitForReadyRead(kPatienceMs));
    }

    void cleanupTestCase() {
        for (QProcess* process : {&m_keyring, &m_bus}) {
            process->terminate();
            if (process->state() != QProcess::NotRunning && !process->waitForFinished(kPatienceMs)) {
                process->kill();
                process->waitForFinished();
            }
        }
    }

    void withoutAServiceAKeyIsForTheSessionOnly() {
        const auto stored = store(kOrigin, "DSCANARY-none");
        QVERIFY(!stored && stored.error().code == ErrorCode::io);
        QVERIFY(stored.error().message.find("for this session only") != std::string::npos);
        const auto fetched = fetch(kOrigin);
        QVERIFY(!fetched && fetched.error().code == ErrorCode::io);
        QVERIFY(fetched.error().message.find("for this session only") != std::string::npos);
        const auto removed = remove(kOrigin);
        QVERIFY(!removed && removed.error().code == ErrorCode::io);
    }

    void aKeyIsKeptForItsOriginAlone() {
        startKeyring();
        const std::string key = "DSCANARY-one \xC3\xBC+/=";
        QVERIFY(store(kOrigin, key).has_value());
        const auto fetched = fetch(kOrigin);
        QVERIFY2(fetched.has_value(), fetched ? "" : fetched.error().message.c_str());
        QVERIFY((*fetched)->equals(Secret(key)));
        for (const char* other : {"https://api.example:444", "http://api.example:443", "https://api.example"}) {
            const auto none = fetch(other);
            QVERIFY(!none && none.error().code == ErrorCode::usage);
            QVERIFY(none.error().message.find("DSCANARY") == std::string::npos);
        }
        QVERIFY(store(kOrigin, "DSCANARY-two").has_value());
        QVERIFY((*fetch(kOrigin))->equals(Secret("DSCANARY-two")));
        const std::string longest(8000, 'k');
        QVERIFY(store("https://long:1", longest).has_value());
        QVERIFY((*fetch("https://long:1"))->equals(Secret(longest)));
        QVERIFY(remove("https://long:1").has_value());
        QVERIFY(!fetch("https://long:1"));
        QVERIFY(remove("https://long:1").has_value()); // nothing is left to let go of
        QVERIFY((*fetch(kOrigin))->equals(Secret("DSCANARY-two")));
        // The keyring keeps it encrypted, and nothing of ours keeps it at all.
        for (const QByteArray& bytes : filesBelow(m_folder.path()))
            QVERIFY(!bytes.contains("DSCANARY"));
    }

    void aLockedKeyringThatNobodyOpensIsSaid() {
        QProcess lock;
        lock.start("dbus-send",
                   {"--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
                    "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login"});
        QVERIFY(lock.waitForFinished(kPatienceMs));
        QCOMPARE(lock.exitCode(), 0);
        const auto fetched = fetch(kOrigin); // there is no display on which it could ask
        QVERIFY(!fetched);
        QVERIFY2(fetched.error().message.find("nlock it") != std::string::npos, fetched.error().message.c_str());
        QVERIFY(fetched.error().message.find("for this session") != std::string::npos);
        QVERIFY(fetched.error().message.find("DSCANARY") == std::string::npos);
    }

    void aServiceThatDiesIsSaid() {
        m_keyring.kill();
        QVERIFY(m_keyring.waitForFinished(kPatienceMs));
        const auto fetched = fetch(kOrigin);
        QVERIFY(!fetched && fetched.error().code == ErrorCode::io);
        QVERIFY(fetched.error().message.find("for this session only") != std::string::npos);
    }

private:
    void startKeyring() {
        m_keyring.start("gnome-keyring-daemon", {"--foreground", "--unlock", "--components=secrets",
                                                 "--control-directory=" + m_folder.filePath("control")});
        QVERIFY(m_keyring.waitForStarted(kPatienceMs));
        m_keyring.write("password");
        m_keyring.closeWriteChannel();
        const auto answers = [] {
            QProcess ask;
            ask.start("dbus-send", {"--session", "--print-reply", "--dest=org.freedesktop.secrets",
                                    "/org/freedesktop/secrets/collection/login", "org.freedesktop.DBus.Properties.Get",
                                    "string:org.freedesktop.Secret.Collection", "string:Locked"});
            return ask.waitForFinished(kPatienceMs) && ask.readAll().contains("boolean false");
        };
        QTRY_VERIFY_WITH_TIMEOUT(answers(), kPatienceMs);
    }

    static QByteArrayList filesBelow(const QString& folder) {
        QByteArrayList all;
        for (const QFileInfo& info :
             QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)) {
            if (info.isDir())
                all += filesBelow(info.filePath());
            QFile file(info.filePath());
            if (info.isFile() && file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return all;
    }

    template <class T, class Start> static Result<T> answerOf(const Start& start) {
        auto answer = std::make_shared<std::optional<Result<T>>>();
        start([answer](Result<T> told) { *answer = std::move(told); });
        if (!QTest::qWaitFor([&] { return answer->has_value(); }, kPatienceMs))
            return fail(ErrorCode::internal, "no answer came");
        return **answer;
    }
    static Result<void> store(const std::string& origin, const std::string& key) {
        return answerOf<void>([&](auto then) { keychain::store(origin, Secret(key), then); });
    }
    static Result<void> remove(const std::string& origin) {
        return answerOf<void>([&](auto then) { keychain::remove(origin, then); });
    }
    static Result<std::shared_ptr<const Secret>> fetch(const std::string& origin) {
        return answerOf<std::shared_ptr<const Secret>>([&](auto then) { keychain::fetch(origin, then); });
    }

    QTemporaryDir m_folder;
    QProcess m_bus, m_keyring;
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    if (const QString reason = missing(); !reason.isEmpty()) {
        std::printf("skipped: %s\n", qPrintable(reason));
        return kSkipped;
    }
    KeychainTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_keychain.moc"
