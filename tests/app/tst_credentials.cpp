#include "app/credentials.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace decodescope;

static const std::string kKey = "sk-CANARY-0123456789";

class TestCredentials : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char* name, const std::string& content, mode_t mode) {
        const std::string path = m_folder.filePath(QString::fromLatin1(name)).toStdString();
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (::write(file, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
            qFatal("cannot write %s", path.c_str());
        ::close(file);
        ::chmod(path.c_str(), mode);
        return path;
    }
    /// Loads with `text` on standard input.
    static Result<std::shared_ptr<const Secret>> loadFromStdin(const std::string& text) {
        int ends[2];
        if (::pipe(ends) != 0)
            qFatal("no pipe");
        if (::write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            qFatal("no write");
        ::close(ends[1]);
        const int before = ::dup(STDIN_FILENO);
        ::dup2(ends[0], STDIN_FILENO);
        auto key = loadKey({KeyReference::Kind::standardInput, {}});
        ::dup2(before, STDIN_FILENO);
        ::close(before);
        ::close(ends[0]);
        return key;
    }

private slots:
    void nothingGivesNoKey() {
        const auto key = loadKey({});
        QVERIFY(key.has_value());
        QVERIFY(*key == nullptr);
    }

    void readsTheEnvironment() {
        qputenv("DECODESCOPE_TEST_KEY", QByteArray::fromStdString(kKey + "\r\n"));
        const auto key = loadKey({KeyReference::Kind::environment, "DECODESCOPE_TEST_KEY"});
        qunsetenv("DECODESCOPE_TEST_KEY");
        QVERIFY(key.has_value());
        QVERIFY((*key)->equals(Secret(kKey)));
        const auto missing = loadKey({KeyReference::Kind::environment, "DECODESCOPE_TEST_KEY"});
        QVERIFY(!missing);
        QVERIFY(missing.error().message.find("DECODESCOPE_TEST_KEY") != std::string::npos);
    }

    void readsAPrivateFile() {
        const auto key = loadKey({KeyReference::Kind::file, write("key", kKey + "\n", 0600)});
        QVERIFY(key.has_value());
        QVERIFY((*key)->equals(Secret(kKey)));
        QVERIFY(loadKey({KeyReference::Kind::file, write("read-only", kKey, 0400)}).has_value());
    }

    void refusesAFileThatOthersMayRead_data() {
        QTest::addColumn<int>("mode");
        for (const int mode : {0640, 0604, 0620, 0602, 0644, 0666})
            QTest::newRow(QByteArray::number(mode, 8)) << mode;
    }
    void refusesAFileThatOthersMayRead() {
        QFETCH(int, mode);
        const auto key = loadKey({KeyReference::Kind::file, write("open", kKey, static_cast<mode_t>(mode))});
        QVERIFY(!key);
        QVERIFY2(key.error().message.find("chmod 600") != std::string::npos, key.error().message.c_str());
        QVERIFY(key.error().message.find("CANARY") == std::string::npos);
    }

    void refusesWhatIsNoKeyFile() {
        QVERIFY(!loadKey({KeyReference::Kind::file, m_folder.filePath("missing").toStdString()}));
        QVERIFY(!loadKey({KeyReference::Kind::file, m_folder.path().toStdString()}));
        QVERIFY(!loadKey({KeyReference::Kind::file, write("empty", "\n\n", 0600)}));
        QVERIFY(!loadKey({KeyReference::Kind::file, write("long", std::string(20'000, 'k'), 0600)}));
        const auto twoLines = loadKey({KeyReference::Kind::file, write("two", kKey + "\n" + kKey + "\n", 0600)});
        QVERIFY(!twoLines);
        QVERIFY(twoLines.error().message.find("CANARY") == std::string::npos);
        QVERIFY(!loadKey({KeyReference::Kind::file, write("space", "Bearer " + kKey, 0600)}));
    }

    void readsTheFirstLineOfStandardInput() {
        const auto key = loadFromStdin(kKey + "\nmore\n");
        QVERIFY(key.has_value());
        QVERIFY((*key)->equals(Secret(kKey)));
        QVERIFY(loadFromStdin(kKey).has_value());
        QVERIFY(!loadFromStdin(""));
        QVERIFY(!loadFromStdin(std::string(20'000, 'k')));
    }

    void aForgottenSessionKeyIsSaidToBeSo() {
        const auto key = loadKey({KeyReference::Kind::session, {}});
        QVERIFY(!key);
        QVERIFY(!key.error().message.empty());
    }

    void saysWhereAKeyComesFrom() {
        QCOMPARE(describe({}), std::string("without a key"));
        QCOMPARE(describe({KeyReference::Kind::environment, "V"}), std::string("from the environment variable V"));
        QCOMPARE(describe({KeyReference::Kind::file, "/p"}), std::string("from the file /p"));
        QCOMPARE(describe({KeyReference::Kind::standardInput, {}}), std::string("from standard input"));
        QCOMPARE(describe({KeyReference::Kind::session, {}}), std::string("typed for this session"));
    }
};

QTEST_APPLESS_MAIN(TestCredentials)
#include "tst_credentials.moc"
