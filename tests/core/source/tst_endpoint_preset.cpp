#include "core/source/endpoint_preset.h"
#include "core/source/request.h"
#include "core/source/request_form.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace decodescope;
using nlohmann::json;

static std::string relaxed(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

class TestEndpointPreset : public QObject {
    Q_OBJECT

    static json body(const RunSpec& spec) {
        const auto text = requestBody(spec);
        return text ? json::parse(*text) : json(text.error().message);
    }
    static RunSpec of(const std::string& preset, const std::string& protocol = {}) {
        RunSpec spec;
        spec.prompt = "P";
        spec.endpoint.url = "http://h:1";
        spec.endpoint.model = "m";
        if (!protocol.empty())
            spec.endpoint.protocol = protocol;
        if (auto made = withPreset(spec.endpoint, preset, !protocol.empty()))
            spec.endpoint = *made;
        return spec;
    }
    static std::string list(const std::string& preset) { return relaxed("{'schema':1,'presets':[" + preset + "]}"); }
    static constexpr const char* kGood = "{'id':'a','name':'A','url_form':'http://h','protocols':['openai-chat']}";

private slots:
    void theShippedOnesAreGood() {
        const auto& presets = builtInPresets();
        QVERIFY(presets.size() >= 18);
        std::set<std::string> protocols;
        for (const EndpointPreset& preset : presets) {
            for (const std::string& protocol : preset.protocols) {
                protocols.insert(protocol);
                RunSpec spec = of(preset.id, protocol);
                for (const PresetOption& option : preset.options)
                    spec.endpoint.presetOptions.push_back(option.id);
                QVERIFY2(requestBody(spec), preset.id.c_str());
                QVERIFY2(requestHead(spec.endpoint), preset.id.c_str());
                QVERIFY2(completionUrl(spec.endpoint), preset.id.c_str());
            }
        }
        for (const std::string_view protocol : askedProtocols())
            QVERIFY2(protocols.contains(std::string(protocol)), std::string(protocol).c_str());
        QVERIFY(findPreset(kPlainPreset) != nullptr && findPreset(kStrictPreset) != nullptr);
    }

    void faultsInTheDataAreNamed_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("named");
        QTest::newRow("unknown member") << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'extra':{}}"
                                        << "extra";
        QTest::newRow("no id") << "{'name':'A','url_form':'http://h','protocols':['tgi']}"
                               << "id";
        QTest::newRow("odd id") << "{'id':'a b','name':'A','url_form':'http://h','protocols':['tgi']}"
                                << "id";
        QTest::newRow("no protocol") << "{'id':'a','name':'A','url_form':'http://h','protocols':[]}"
                                     << "protocols";
        QTest::newRow("unknown protocol") << "{'id':'a','name':'A','url_form':'http://h','protocols':['x']}"
                                          << "protocols";
        QTest::newRow("address") << "{'id':'a','name':'A','url_form':'h','protocols':['tgi']}"
                                 << "url_form";
        QTest::newRow("auth") << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'auth':'query'}"
                              << "auth";
        QTest::newRow("a key's header")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'headers':{'x-api-key':'k'}}"
            << "headers";
        QTest::newRow("a header of ours")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'headers':{'host':'x'}}"
            << "headers";
        QTest::newRow("two lines")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'headers':{'x':'a\\r\\nb: c'}}"
            << "headers";
        QTest::newRow("extras of another protocol")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'extras':{'triton':{'x':1}}}"
            << "extras";
        QTest::newRow("extras are no object")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'extras':{'tgi':7}}"
            << "extras";
        QTest::newRow("option without extras")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'options':[{'id':'o','name':'O'}]}"
            << "options";
        QTest::newRow("rename to a number")
            << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'rename':{'tgi':{'a':1}}}"
            << "rename";
        QTest::newRow("flag") << "{'id':'a','name':'A','url_form':'http://h','protocols':['tgi'],'think_tags':1}"
                              << "think_tags";
        QTest::newRow("no object") << "7"
                                   << "objects";
    }
    void faultsInTheDataAreNamed() {
        QFETCH(QString, preset);
        QFETCH(QString, named);
        const auto read = parsePresets(list(preset.toStdString()));
        QVERIFY(!read);
        QVERIFY2(QString::fromStdString(read.error().message).contains(named), read.error().message.c_str());
    }

    void listsThatAreNoneAreRefused() {
        QVERIFY(parsePresets(list(kGood)));
        QVERIFY(!parsePresets(""));
        QVERIFY(!parsePresets("[]"));
        QVERIFY(!parsePresets(relaxed("{'presets':[]}")));
        QVERIFY(!parsePresets(relaxed("{'schema':2,'presets':[]}")));
        QVERIFY(!parsePresets(relaxed("{'schema':1}")));
        QVERIFY(!parsePresets(list(std::string(kGood) + "," + kGood)));
        QVERIFY(!parsePresets(std::string(200'000, '[')));
        QVERIFY(!parsePresets("\xff\xfe"));
    }

    void extrasComeWithTheirPresetAlone() {
        RunSpec plain;
        plain.endpoint.url = "http://h";
        plain.prompt = "P";
        const std::string without = *requestBody(plain);
        for (const char* field : {"continuous_usage_stats", "return_token_ids", "timings_per_token", "cache_prompt",
                                  "include_obfuscation", "\"usage\""})
            QVERIFY2(without.find(field) == std::string::npos, field);
        QCOMPARE(body(of("vllm"))["stream_options"],
                 json::parse(relaxed("{'include_usage':true,'continuous_usage_stats':true}")));
        QCOMPARE(body(of("vllm"))["return_token_ids"], json(true));
        QVERIFY(!body(of("sglang")).contains("return_token_ids"));
        QCOMPARE(body(of("llama.cpp", "llamacpp-completion"))["return_tokens"], json(true));
        QCOMPARE(body(of("openai"))["stream_options"]["include_obfuscation"], json(false));
        QCOMPARE(body(of("openrouter"))["usage"], json::parse(relaxed("{'include':true}")));
        QCOMPARE(body(of("triton"))["exclude_input_in_output"], json(true));
    }

    void nothingOfAStreamIsAskedWithoutOne() {
        RunSpec spec = of("vllm");
        spec.sampling.stream = false;
        QVERIFY(!body(spec).contains("stream_options"));
        QVERIFY(body(spec).contains("return_token_ids"));
    }

    void optionsAreOffUntilChosen() {
        RunSpec spec = of("llama.cpp");
        QVERIFY(!body(spec).contains("cache_prompt"));
        spec.endpoint.presetOptions = {"no-cache"};
        QCOMPARE(body(spec)["cache_prompt"], json(false));
        QVERIFY(withPreset(spec.endpoint, "llama.cpp", false));
        const auto refused = withPreset(spec.endpoint, "vllm", false);
        QVERIFY(!refused && refused.error().message.find("no options") != std::string::npos);
    }

    void theUsersWordComesFirst() {
        RunSpec spec = of("ollama");
        spec.endpoint.presetOptions = {"think"};
        spec.sampling.reasoningEffort = "off";
        QCOMPARE(body(spec)["think"], json(false));
        RunSpec strict = of("openai");
        strict.sampling.ignoreEos = true;
        strict.sampling.seed = 3;
        QCOMPARE(body(strict)["ignore_eos"], json(true));
        QCOMPARE(body(strict)["seed"], json(3));
    }

    void fieldsThatAVendorCallsOtherwise() {
        RunSpec spec = of("openai");
        spec.sampling.maxTokens = 5;
        QCOMPARE(body(spec)["max_completion_tokens"], json(5));
        QVERIFY(!body(spec).contains("max_tokens"));
        spec.endpoint.protocol = "openai-completions";
        QCOMPARE(body(spec)["max_tokens"], json(5));
        RunSpec mistral = of("mistral");
        mistral.sampling.seed = 9;
        QCOMPARE(body(mistral)["random_seed"], json(9));
        QVERIFY(!body(mistral).contains("stream_options"));
    }

    void presetsFillWhatWasNotTold() {
        EndpointSpec told;
        told.model = "m";
        const auto made = withPreset(told, "ollama", false);
        QVERIFY(made);
        QCOMPARE(made->url, std::string("http://127.0.0.1:11434"));
        QCOMPARE(made->protocol, std::string("ollama-chat"));
        told.url = "http://h:9";
        told.protocol = "openai-chat";
        const auto mixed = withPreset(told, "ollama", true);
        QVERIFY(mixed);
        QCOMPARE(mixed->url, std::string("http://h:9"));
        QCOMPARE(mixed->protocol, std::string("openai-chat"));
        told.protocol = "anthropic";
        QVERIFY(!withPreset(told, "mistral", true));
        QVERIFY(!withPreset(told, "no such", false));
        QVERIFY(!withPreset(EndpointSpec{}, "azure", false));
        QVERIFY(withPreset(told, "perplexity", false)->thinkTags);
        QVERIFY(!modelQuery(*withPreset(told, "perplexity", false)));
    }

    void refusalsNameTheirLikelyCause() {
        RunSpec spec = of("vllm");
        const std::string all = refusalHint(spec, "Bad request");
        QVERIFY2(all.find("return_token_ids") != std::string::npos && all.find("include_usage") != std::string::npos &&
                     all.find("\"vllm\"") != std::string::npos,
                 all.c_str());
        const std::string one = refusalHint(spec, "Extra inputs are not permitted: return_token_ids");
        QVERIFY2(one.find("return_token_ids") != std::string::npos && one.find("include_usage") == std::string::npos,
                 one.c_str());
        spec.endpoint.preset.clear();
        const std::string plain = refusalHint(spec, "unknown field stream_options");
        QVERIFY2(plain.find("openai-strict") != std::string::npos, plain.c_str());
        QVERIFY(refusalHint(of("openai-strict"), "no").empty());
        QVERIFY(refusalHint(of("anthropic"), "no").empty());
    }
};

QTEST_APPLESS_MAIN(TestEndpointPreset)
#include "tst_endpoint_preset.moc"
