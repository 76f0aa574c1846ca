#include "core/source/address_guess.h"
#include "core/source/environment_endpoints.h"

#include <QtTest>

#include <map>

using namespace decodescope;

class TestEnvironmentEndpoints : public QObject {
    Q_OBJECT

    using Variables = std::map<std::string, std::string>;
    static Environment with(Variables variables) {
        return [variables = std::move(variables)](const char* name) {
            const auto found = variables.find(name);
            return found != variables.end() ? found->second : std::string();
        };
    }
    /// "preset url urlFrom keyFrom" of each.
    static QStringList shown(const Variables& variables) {
        QStringList all;
        for (const FoundEndpoint& found : endpointsIn(with(variables)))
            all << QString::fromStdString(found.endpoint.preset + " " + found.endpoint.url + " " + found.urlFrom + " " +
                                          found.keyFrom)
                       .trimmed();
        return all;
    }

private slots:
    void anAddressSpeaksForItself_data() {
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<QByteArray>("preset");
        QTest::addColumn<QByteArray>("protocol");
        const auto row = [](const char* url, const char* preset, const char* protocol) {
            QTest::newRow(url) << QByteArray(url) << QByteArray(preset) << QByteArray(protocol);
        };
        row("https://api.anthropic.com", "anthropic", "anthropic");
        row("https://api.anthropic.com/v1", "anthropic", "anthropic");
        row("https://api.openai.com/v1", "openai", "openai-chat");
        row("https://api.openai.com/v1/responses", "openai", "openai-responses");
        row("https://mine.openai.azure.com", "azure", "azure-chat");
        row("https://openai.azure.com", "", "openai-chat");
        row("https://generativelanguage.googleapis.com/v1beta", "gemini", "gemini-sse");
        row("http://127.0.0.1:11434", "ollama", "ollama-chat");
        row("http://localhost:11434/v1", "ollama", "openai-chat");
        row("http://localhost:11434/api/generate", "ollama", "ollama-generate");
        row("http://127.0.0.1:1234/v1", "lm-studio", "openai-chat");
        row("http://127.0.0.1:8080", "", "openai-chat"); // several servers use it
        row("http://127.0.0.1:8000/v1", "", "openai-chat");
        row("http://gate.example:11434", "", "openai-chat"); // not on this machine
        row("https://gate.example/v1/messages", "", "anthropic");
        row("https://gate.example/v1/chat/completions", "", "openai-chat");
        row("http://api.openai.com/v1", "", "openai-chat"); // another origin
        row("nonsense", "", "openai-chat");
        row("", "", "openai-chat");
    }
    void anAddressSpeaksForItself() {
        QFETCH(QByteArray, url);
        QFETCH(QByteArray, preset);
        QFETCH(QByteArray, protocol);
        EndpointSpec told;
        told.url = url.toStdString();
        told.model = "m";
        const EndpointSpec understood = understoodAddress(told);
        QCOMPARE(QByteArray::fromStdString(understood.preset), preset);
        QCOMPARE(QByteArray::fromStdString(understood.protocol), protocol);
        QCOMPARE(QByteArray::fromStdString(understood.url), url);
        QCOMPARE(understood.model, std::string("m"));
    }

    void theEnvironmentsAddressCountsBeforeThePresets() {
        const Environment set = with({{"ANTHROPIC_BASE_URL", "https://gate.example"},
                                      {"OPENAI_BASE_URL", "https://gate.example/v1"},
                                      {"OLLAMA_HOST", "0.0.0.0:11500"}});
        for (const auto& [id, address] :
             std::map<std::string, std::string>{{"anthropic", "https://gate.example"},
                                                {"openai", "https://gate.example/v1"},
                                                {"openai-compatible", "https://gate.example/v1"},
                                                {"ollama", "http://127.0.0.1:11500"}}) {
            const auto found = addressIn(set, *findPreset(id));
            QVERIFY(found && *found);
            QCOMPARE(**found, address);
            QVERIFY(addressIn(with({}), *findPreset(id)) && !*addressIn(with({}), *findPreset(id)));
        }
        QVERIFY(!*addressIn(set, *findPreset("openrouter")));
    }

    void anAddressThatMakesNoSenseIsTold() {
        const Environment bad =
            with({{"OPENAI_BASE_URL", "ftp://user:hunter2@gate.example/v1?key=hunter2"}, {"OLLAMA_HOST", "a b"}});
        QVERIFY(endpointsIn(bad).empty());
        const auto sentences = unusableAddressesIn(bad); // once each, however many presets read the variable
        QCOMPARE(sentences.size(), std::size_t{2});
        QVERIFY(sentences[0].find("OPENAI_BASE_URL") != std::string::npos);
        QVERIFY(sentences[0].find("only http and https") != std::string::npos);
        QVERIFY(sentences[0].find("hunter2") == std::string::npos);
        QVERIFY(sentences[1].find("OLLAMA_HOST") != std::string::npos);
        const auto refused = addressIn(bad, *findPreset("ollama"));
        QVERIFY(!refused && refused.error().code == ErrorCode::usage);
        QVERIFY(unusableAddressesIn(with({{"OPENAI_BASE_URL", "https://gate.example"}})).empty());
    }

    void whatIsNamedIsFound_data() {
        QTest::addColumn<QStringList>("variables");
        QTest::addColumn<QStringList>("found");
        QTest::newRow("nothing") << QStringList{} << QStringList{};
        QTest::newRow("a key alone") << QStringList{"OPENAI_API_KEY=DSCANARY"}
                                     << QStringList{"openai https://api.openai.com/v1  OPENAI_API_KEY"};
        QTest::newRow("another base")
            << QStringList{"OPENAI_API_KEY=DSCANARY", "OPENAI_BASE_URL=https://gate.example/v1"}
            << QStringList{"openai-compatible https://gate.example/v1 OPENAI_BASE_URL OPENAI_API_KEY"};
        QTest::newRow("its own base") << QStringList{"OPENAI_BASE_URL=https://api.openai.com/v1"}
                                      << QStringList{"openai https://api.openai.com/v1 OPENAI_BASE_URL"};
        QTest::newRow("Google's second name")
            << QStringList{"GOOGLE_API_KEY=DSCANARY"}
            << QStringList{"gemini https://generativelanguage.googleapis.com/v1beta  GOOGLE_API_KEY"};
        QTest::newRow("Google's first name wins")
            << QStringList{"GOOGLE_API_KEY=DSCANARY", "GEMINI_API_KEY=DSCANARY"}
            << QStringList{"gemini https://generativelanguage.googleapis.com/v1beta  GEMINI_API_KEY"};
        QTest::newRow("Anthropic behind a gate")
            << QStringList{"ANTHROPIC_BASE_URL=https://gate.example", "ANTHROPIC_API_KEY=DSCANARY"}
            << QStringList{"anthropic https://gate.example ANTHROPIC_BASE_URL ANTHROPIC_API_KEY"};
        QTest::newRow("Azure needs its address") << QStringList{"AZURE_OPENAI_API_KEY=DSCANARY"} << QStringList{};
        QTest::newRow("Azure") << QStringList{"AZURE_OPENAI_API_KEY=DSCANARY",
                                              "AZURE_OPENAI_ENDPOINT=https://r.openai.azure.com/"}
                               << QStringList{
                                      "azure https://r.openai.azure.com/ AZURE_OPENAI_ENDPOINT AZURE_OPENAI_API_KEY"};
        QTest::newRow("Hugging Face") << QStringList{"HF_TOKEN=DSCANARY"}
                                      << QStringList{"huggingface https://router.huggingface.co/v1  HF_TOKEN"};
        QTest::newRow("llama.cpp") << QStringList{"LLAMA_API_KEY=DSCANARY"}
                                   << QStringList{"llama.cpp http://127.0.0.1:8080  LLAMA_API_KEY"};
        QTest::newRow("two vendors") << QStringList{"OPENROUTER_API_KEY=DSCANARY", "ANTHROPIC_API_KEY=DSCANARY"}
                                     << QStringList{"anthropic https://api.anthropic.com  ANTHROPIC_API_KEY",
                                                    "openrouter https://openrouter.ai/api/v1  OPENROUTER_API_KEY"};
        QTest::newRow("no address") << QStringList{"OPENAI_BASE_URL=https://user:DSCANARY@h/v1"} << QStringList{};
        QTest::newRow("server's address")
            << QStringList{"OLLAMA_HOST=0.0.0.0"} << QStringList{"ollama http://127.0.0.1:11434 OLLAMA_HOST"};
    }
    void whatIsNamedIsFound() {
        QFETCH(QStringList, variables);
        QFETCH(QStringList, found);
        Variables set;
        for (const QString& variable : variables)
            set[variable.section('=', 0, 0).toStdString()] = variable.section('=', 1).toStdString();
        const QStringList got = shown(set);
        QCOMPARE(got, found);
        QVERIFY(!got.join(' ').contains("DSCANARY"));
    }

    void ollamasAddressIsAClients_data() {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("address");
        const auto row = [](const char* value, const char* address) { QTest::newRow(value) << value << address; };
        row("0.0.0.0", "http://127.0.0.1:11434");
        row("0.0.0.0:1234", "http://127.0.0.1:1234");
        row("http://0.0.0.0:1234/", "http://127.0.0.1:1234/");
        row(":8000", "http://127.0.0.1:8000");
        row("::", "http://[::1]:11434");
        row("[::]:99", "http://[::1]:99");
        row("::1", "http://[::1]:11434");
        row("box", "http://box:11434");
        row("box.lan:80", "http://box.lan:80");
        row("box/ollama", "http://box:11434/ollama");
        row("https://box", "https://box");
        row(" \"127.0.0.1\" ", "http://127.0.0.1:11434");
        row("bad host", "");
        row("http://", "");
    }
    void ollamasAddressIsAClients() {
        QFETCH(QString, value);
        const EndpointPreset* ollama = findPreset("ollama");
        QVERIFY(ollama != nullptr);
        const auto made = clientAddress(value.toStdString(), *ollama);
        QFETCH(QString, address);
        // A slash at the end says nothing.
        const auto plain = [](std::string text) {
            return QString::fromStdString(text.ends_with('/') ? text.substr(0, text.size() - 1) : text);
        };
        QCOMPARE(plain(made), plain(address.toStdString()));
    }

    void otherAddressesWithoutASchemeAreAskedOverTls() {
        const EndpointPreset& any = *findPreset(kPlainPreset);
        QCOMPARE(clientAddress("gate.example/v1", any), std::string("https://gate.example/v1"));
        QCOMPARE(clientAddress("localhost:8000/v1", any), std::string("http://localhost:8000/v1"));
        QCOMPARE(clientAddress("127.0.0.1:8000", any), std::string("http://127.0.0.1:8000"));
    }

    void aKeyBelongsToOneOrigin() {
        const EndpointPreset& openai = *findPreset("openai");
        const Environment plain = with({{"OPENAI_API_KEY", "k"}});
        QCOMPARE(keyVariableFor(openai, "https://api.openai.com/v1", plain).value_or(""),
                 std::string("OPENAI_API_KEY"));
        QVERIFY(!keyVariableFor(openai, "https://api.openai.com:8443/v1", plain));
        QVERIFY(!keyVariableFor(openai, "http://api.openai.com/v1", plain));
        QVERIFY(!keyVariableFor(openai, "https://evil.example/v1", plain));
        const Environment gate = with({{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "https://gate.example"}});
        QVERIFY(!keyVariableFor(openai, "https://api.openai.com/v1", gate));
        QVERIFY(keyVariableFor(openai, "https://gate.example/v1", gate));
        QVERIFY(
            !keyVariableFor(*findPreset("azure"), "https://r.openai.azure.com", with({{"AZURE_OPENAI_API_KEY", "k"}})));
        QVERIFY(!keyVariableFor(openai, "https://api.openai.com/v1", with({})));
    }
};

QTEST_APPLESS_MAIN(TestEnvironmentEndpoints)
#include "tst_environment_endpoints.moc"
