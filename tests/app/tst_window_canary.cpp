// A key that every server echoes is shown, told, copied, drawn and kept nowhere: the window as it is, over real
// sockets.
#include "app/composition.h"
#include "app/window_main.h"
#include "core/base/base64.h"
#include "tests/support/openai_script.h"
#include "tests/support/shown_texts.h"
#include "tests/support/test_paths.h"
#include "ui/lane/lane_card.h"
#include "ui/panels/lane_editor.h"
#include "ui/panels/lanes_row.h"
#include "ui/text/token_text_view.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_file.h"
#include "ui/window/window_actions.h"

#include <QAction>
#include <QDirIterator>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace decodescope;

namespace {

const std::string kKey = "DSCANARY-7c1e9d2b4a6f8035+/==";

std::string percentEncoded(const std::string& text) {
    return QUrl::toPercentEncoding(QString::fromStdString(text)).toStdString();
}

std::string base64Of(const std::string& text) {
    std::string out;
    appendBase64(out, text);
    return out;
}

/// The key in every writing that is masked.
std::map<std::string, std::string> spellings() {
    return {{"plain", kKey},
            {"percent", percentEncoded(kKey)},
            {"base64-0", base64Of(kKey + ".")},
            {"base64-1", base64Of("a" + kKey + ".")},
            {"base64-2", base64Of("ab" + kKey + ".")}};
}

/// What must not be found: any twelve characters in a row past the first eight, which may be an accident.
QByteArrayList forbidden() {
    QByteArrayList all{QByteArray::fromStdString(kKey), QByteArray::fromStdString(kKey).toHex()};
    for (const auto& [name, written] : spellings()) {
        for (std::size_t i = 8; i + 16 < written.size(); ++i)
            all << QByteArray::fromStdString(written.substr(i, 12));
    }
    return all;
}

/// Where the key stands, with what is around it; empty: nowhere.
QByteArray found(const QByteArray& content) {
    static const QByteArrayList kForbidden = forbidden();
    for (const QByteArray& form : kForbidden) {
        if (const qsizetype at = content.indexOf(form); at >= 0)
            return content.mid(std::max<qsizetype>(0, at - 60), 120);
    }
    return {};
}

std::string streamOf(const std::vector<std::string>& texts) {
    std::string body = fault::roleEvent();
    for (const std::string& text : texts)
        body += fault::textEvent(text);
    return body + fault::finishEvent("stop") + fault::doneEvent();
}

/// What the server answers when the first part of the path says so, the key as it came.
fault::Script answer(const fault::Request& request) {
    const auto sent = request.headers.find("authorization");
    const std::string key = sent == request.headers.end() ? std::string() : sent->second.substr(sizeof("Bearer"));
    const std::string way = request.target.substr(1, request.target.find('/', 1) - 1);
    const auto sse = [](const std::string& body) { return fault::Script{fault::send(fault::sseHead(false) + body)}; };
    if (key.empty())
        return sse(streamOf({"no key came"}));
    if (request.method == "GET") {
        return {fault::send(fault::httpResponse(200, "OK", {{"Content-Type", "application/json"}},
                                                R"({"data":[{"id":")" + key + R"("},{"id":"org/)" + key + R"("}]})"))};
    }
    if (way == "error")
        return {fault::send(fault::httpResponse(401, "No", {{"Content-Type", "application/json"}, {"X-Echo", key}},
                                                fault::errorBody("Incorrect API key: " + key, "auth", key)))};
    if (way == "page")
        return {fault::send(
            fault::httpResponse(502, key, {{"Content-Type", "text/html"}}, "<title>" + key + "</title><p>" + key))};
    if (way == "redirect")
        return {
            fault::send(fault::httpResponse(307, "Go", {{"Location", "http://h.test/" + key + "?key=" + key}}, ""))};
    if (way == "headers")
        return {fault::send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Request-Id: " + key +
                            "\r\nSet-Cookie: " + key + "\r\nConnection: close\r\n\r\n" + streamOf({"hi"}))};
    if (way == "instream")
        return sse(fault::textEvent("x") + fault::errorEvent("bad key " + key));
    if (way == "named")
        return sse(
            "data: {\"model\":\"" + key + "\",\"system_fingerprint\":\"" + key + "\",\"provider\":\"" + key +
            "\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\",\"tool_calls\":[{\"index\":0,\"function\":"
            "{\"name\":\"" +
            key + "\",\"arguments\":\"" + key + "\"}}]},\"finish_reason\":\"" + key + "\"}]}\n\ndata: [DONE]\n\n");
    const std::size_t dash = way.find('_');
    const std::string written = spellings().at(way.substr(dash + 1));
    if (way.starts_with("pieces")) {
        std::vector<std::string> letters;
        for (const char c : written)
            letters.emplace_back(1, c);
        return sse(streamOf(letters));
    }
    fault::Script script{fault::send(fault::sseHead(true))};
    const std::string whole = streamOf({written, "end"});
    for (std::size_t at = 0; at < whole.size(); at += 5)
        script.push_back(fault::send(fault::chunk(std::string_view(whole).substr(at, 5))));
    script.push_back(fault::send(fault::chunk("")));
    return script;
}

} // namespace

class WindowCanaryTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        const QByteArray home = m_folder.path().toLocal8Bit();
        for (const char* name :
             {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"})
            qputenv(name, home);
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        qputenv("DECODESCOPE_ENGINE", QByteArray::fromStdString(test::supportFile("fake_engine")));
        qputenv("DECODESCOPE_FAKE_GIVEN", m_folder.filePath("given").toLocal8Bit());
        for (const char* name : {"CANARY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"})
            qputenv(name, QByteArray::fromStdString(kKey));
        qputenv("OPENAI_BASE_URL", QByteArray::fromStdString(m_server.url() + "/instream/v1?key=" + kKey));
        qputenv("OLLAMA_HOST", QByteArray::fromStdString("http://me:" + kKey + "@127.0.0.1:1"));
    }

    void theSearchFindsWhatItLooksFor() {
        for (const auto& [name, written] : spellings())
            QVERIFY2(!found(QByteArray::fromStdString("x" + written + "y")).isEmpty(), name.c_str());
        QLineEdit line;
        line.setAccessibleDescription(QString::fromStdString(kKey));
        QVERIFY(!found(test::shownTexts()).isEmpty());
    }

    void anEchoedKeyIsNowhere() {
        const Composition composition = compose();
        const WindowServices services = liveServices(composition);
        auto window = std::make_unique<MainWindow>(services);
        window->resize(1600, 1000);
        window->show();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        clean("the start page");

        std::vector<std::string> ways{"error", "page", "redirect", "headers", "instream", "named"};
        for (const auto& [name, written] : spellings()) {
            ways.push_back("pieces_" + name);
            ways.push_back("chunks_" + name);
        }
        RaceSettings race = window->runs().race();
        race.plan.warmups = 0;
        window->runs().setRace(race);
        // A window holds sixteen lanes at most: two races.
        for (std::size_t begin = 0; begin < ways.size(); begin += 8) {
            const std::size_t end = std::min(begin + 8, ways.size());
            std::vector<RunSpec> specs;
            for (std::size_t i = begin; i < end; ++i) {
                RunSpec spec;
                spec.laneName = ways[i];
                spec.endpoint.url = m_server.url() + "/" + ways[i] + "/v1";
                spec.endpoint.model = "m";
                if (i % 2 == 0) {
                    spec.endpoint.key = {KeyReference::Kind::environment, "CANARY"};
                } else {
                    spec.endpoint.key.kind = KeyReference::Kind::session;
                    spec.key = std::make_shared<const Secret>(kKey);
                }
                specs.push_back(std::move(spec));
            }
            RunSpec local;
            local.laneName = "local";
            local.local = LocalModelSpec{};
            local.local->path = "/m/fake.gguf";
            specs.push_back(std::move(local));
            window->runs().lanes().replaceAll(specs, "lanes");
            window->showRace();
            window->runs().run();
            QVERIFY(window->runs().running());
            clean("the window while it runs");
            QTRY_VERIFY_WITH_TIMEOUT(!window->runs().running(), 60'000);
            QTest::qWait(400); // the slowest figures are taken a few times a second
            clean("the window after the run");
            copies(*window);
            editors(*window, services);
            const std::string picture = m_folder.filePath("picture.png").toStdString();
            QVERIFY(savePicture(window->picture(), picture).has_value());
            const QImage drawn(QString::fromStdString(picture));
            QVERIFY(!drawn.isNull());
            for (const QString& name : drawn.textKeys())
                QVERIFY(found((name + drawn.text(name)).toUtf8()).isEmpty());
            window->runs().saveRecording(m_folder.filePath(QString::number(begin) + ".decodescope"));
        }
        std::size_t echoes = 0;
        for (const fault::Request& request : m_server.requests())
            echoes += request.headers.contains("authorization") ? 1 : 0;
        QVERIFY(echoes >= ways.size());
        window->close();
        window.reset();
        files();
    }

private:
    void clean(const char* where) {
        const QByteArray at = found(test::shownTexts());
        QVERIFY2(at.isEmpty(), QByteArray(where) + ": " + at);
    }

    /// Every way of copying, each lane's text among them.
    void copies(MainWindow& window) {
        int copied = 0;
        const auto look = [&copied](const QByteArray& what) {
            const QByteArray at = found(test::clipboardTexts());
            QVERIFY2(at.isEmpty(), what + " copied: " + at);
            ++copied;
        };
        for (LaneCard* card : window.lanesRow().cards()) {
            card->text().setFocus();
            QTest::keyClick(&card->text(), Qt::Key_A, Qt::ControlModifier);
            QTest::keyClick(&card->text(), Qt::Key_C, Qt::ControlModifier);
            look("a lane's text");
            emit card->bytesRequested(card->laneId());
            clean("the bytes");
        }
        for (QAction* action : window.findChildren<QAction*>()) {
            if (!action->text().remove(QLatin1Char('&')).startsWith("Copy"))
                continue;
            action->trigger();
            look(action->text().toUtf8());
        }
        QVERIFY(copied > 4);
    }

    /// The editor of a lane that has a key, and the list of models of its server.
    void editors(MainWindow& window, const WindowServices& services) {
        RunSpec spec = window.runs().lanes().lanes().at(1).spec;
        auto* editor = new LaneEditor(services, spec, "Edit lane", &window);
        editor->show();
        const int asked = m_server.connections();
        for (auto* button : editor->findChildren<QPushButton*>()) {
            if (button->text() == "Test" || button->text().contains("models", Qt::CaseInsensitive))
                button->click();
        }
        QTRY_VERIFY_WITH_TIMEOUT(m_server.connections() > asked, 10'000);
        QTest::qWait(200);
        clean("the lane's editor");
        editor->close();
        delete editor;
    }

    void files() {
        int seen = 0, recordings = 0;
        QDirIterator all(m_folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (all.hasNext()) {
            QFile file(all.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray content = file.readAll();
            const QByteArray at = found(content);
            QVERIFY2(at.isEmpty(), file.fileName().toUtf8() + ": " + at);
            QVERIFY2(found(file.fileName().toUtf8()).isEmpty(), "a file's name");
            const auto shared = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
            QVERIFY2(!(file.permissions() & shared), file.fileName().toUtf8() + " can be read by others");
            ++seen;
            if (!file.fileName().endsWith(".decodescope"))
                continue;
            const auto recording = readRecording(file.fileName().toStdString());
            QVERIFY(recording.has_value());
            for (const auto& run : recording->runs) {
                QByteArray bytes;
                for (const ByteChunk& chunk : run->chunks)
                    bytes.append(chunk.bytes.data(), static_cast<qsizetype>(chunk.bytes.size()));
                QVERIFY2(found(bytes).isEmpty(), found(bytes));
                ++recordings;
            }
        }
        QVERIFY(seen > 3 && recordings > 8);
    }

    QTemporaryDir m_folder;
    fault::FaultServer m_server{fault::Script{fault::readRequest(), fault::choose(answer)}};
};

QTEST_MAIN(WindowCanaryTest)

#include "tst_window_canary.moc"
