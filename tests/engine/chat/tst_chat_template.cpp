#include "engine/chat/chat_template.h"
#include "engine/tokenizer/vocabulary.h"
#include "tests/support/test_paths.h"

#include <QtTest>

#include <fstream>
#include <sstream>

using namespace decodescope::engine;

/// Each family's prompts, what is refused, and that no user can write a control token. That the prompts are those of
/// the templates themselves is what engine_llama_chat_template shows.
class ChatTemplateTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void prompts_data();
    void prompts();
    void whatUsersWriteStaysText();
    void theThinkingSwitch();
    void refusedDialogues_data();
    void refusedDialogues();
    void refusedTemplates_data();
    void refusedTemplates();

private:
    std::unique_ptr<Tokenizer> m_tokenizer;
};

namespace {

std::string fileText(const std::string& name) {
    std::ifstream file(decodescope::test::testData("engine/chat_templates/" + name + ".jinja"));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

ChatMessage user(const std::string& text) {
    return {"user", text};
}
ChatMessage assistant(const std::string& text) {
    return {"assistant", text};
}
ChatMessage systemSays(const std::string& text) {
    return {"system", text};
}

std::string joined(const std::vector<PromptPart>& parts) {
    std::string text;
    for (const PromptPart& part : parts) {
        text += part.text;
    }
    return text;
}

} // namespace

void ChatTemplateTest::initTestCase() {
    Vocabulary vocabulary;
    vocabulary.model = Vocabulary::Model::bpe;
    vocabulary.texts = {"<B>", "<E>", "a"};
    vocabulary.types = {TokenType::control, TokenType::control, TokenType::normal};
    vocabulary.bos = 0;
    vocabulary.eos = 1;
    auto made = makeTokenizer(vocabulary);
    QVERIFY(made);
    m_tokenizer = std::move(*made);
}

void ChatTemplateTest::prompts_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("plain"); // of one question " hi "
    QTest::addColumn<QString>(
        "withHistory"); // of system " s ", question " q ", answer " a ", question " z "; empty: refused
    const auto row = [](const char* name, const char* family, const char* plain, const char* withHistory) {
        QTest::newRow(name) << family << plain << withHistory;
    };
    row("chatml", "ChatML", "<|im_start|>user\n hi <|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\n q <|im_end|>\n<|im_start|>assistant\n a <|im_end|>\n"
        "<|im_start|>user\n z <|im_end|>\n<|im_start|>assistant\n");
    row("chatml_default_system", "ChatML",
        "<|im_start|>system\nYou answer in one short sentence, and don't \"guess\".<|im_end|>\n<|im_start|>user\n hi "
        "<|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\n q <|im_end|>\n<|im_start|>assistant\n a <|im_end|>\n"
        "<|im_start|>user\n z <|im_end|>\n<|im_start|>assistant\n");
    row("chatml_bos_and_trim", "ChatML", "<B><|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
        "<B><|im_start|>system\ns<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"
        "<|im_start|>user\nz<|im_end|>\n<|im_start|>assistant\n");
    row("qwen3", "Qwen 3", "<|im_start|>user\n hi <|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\n q <|im_end|>\n<|im_start|>assistant\n a <|im_end|>\n"
        "<|im_start|>user\n z <|im_end|>\n<|im_start|>assistant\n");
    row("qwen3_always_thinking", "Qwen 3", "<|im_start|>user\n hi <|im_end|>\n<|im_start|>assistant\n<think>\n",
        "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\n q <|im_end|>\n<|im_start|>assistant\n a <|im_end|>\n"
        "<|im_start|>user\n z <|im_end|>\n<|im_start|>assistant\n<think>\n");
    row("llama2", "Llama 2", "<B>[INST] hi [/INST]",
        "<B>[INST] <<SYS>>\n s \n<</SYS>>\n\n q [/INST] a <E><B>[INST] z [/INST]");
    row("llama3", "Llama 3",
        "<B><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
        "<B><|start_header_id|>system<|end_header_id|>\n\ns<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n"
        "q<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\na<|eot_id|><|start_header_id|>user<|end_header_id|"
        ">"
        "\n\nz<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n");
    row("llama3_dated", "Llama 3",
        "<B><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 1999\nToday Date: 1 Jan "
        "2000\n\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant"
        "<|end_header_id|>\n\n",
        "<B><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 1999\nToday Date: 1 Jan "
        "2000\n\ns<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nq<|eot_id|><|start_header_id|>assistant"
        "<|end_header_id|>\n\na<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nz<|eot_id|><|start_header_id|>"
        "assistant<|end_header_id|>\n\n");
    row("gemma2", "Gemma", "<B><start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n", "");
    row("gemma3", "Gemma", "<B><start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n",
        "<B><start_of_turn>user\n s \n\nq<end_of_turn>\n<start_of_turn>model\na<end_of_turn>\n<start_of_turn>user\nz"
        "<end_of_turn>\n<start_of_turn>model\n");
    row("mistral_v1", "Mistral", "<B>[INST]  hi  [/INST]", "");
    row("mistral_v1_system", "Mistral", "<B> [INST]  hi  [/INST]",
        "<B> [INST]  s \n\n q  [/INST]  a <E> [INST]  z  [/INST]");
    row("mistral_v3", "Mistral", "<B>[INST]  hi [/INST]", "<B>[INST]  q [/INST] a<E>[INST]  s \n\n z [/INST]");
    row("mistral_v3_tekken", "Mistral", "<B>[INST] hi [/INST]", "<B>[INST] q [/INST] a <E>[INST] s \n\n z [/INST]");
    row("mistral_v7", "Mistral", "<B>[INST]  hi [/INST]",
        "<B>[SYSTEM_PROMPT]  s [/SYSTEM_PROMPT][INST]  q [/INST]  a <E>[INST]  z [/INST]");
}

void ChatTemplateTest::prompts() {
    QFETCH(QString, family);
    QFETCH(QString, plain);
    QFETCH(QString, withHistory);
    const std::string source = fileText(QTest::currentDataTag());
    QVERIFY(!source.empty());
    const auto chat = ChatTemplate::recognise(source, *m_tokenizer);
    QVERIFY2(chat, chat ? "" : chat.error().message.c_str());
    QCOMPARE(QString::fromUtf8((*chat)->family().data()), family);
    const auto first = (*chat)->render({user(" hi ")}, {});
    QVERIFY(first);
    QCOMPARE(QString::fromStdString(joined(*first)), plain);
    const auto second = (*chat)->render({systemSays(" s "), user(" q "), assistant(" a "), user(" z ")}, {});
    QCOMPARE(second.has_value(), !withHistory.isEmpty());
    if (second) {
        QCOMPARE(QString::fromStdString(joined(*second)), withHistory);
    } else {
        QVERIFY(second.error().code == ErrorCode::usage);
    }
}

void ChatTemplateTest::whatUsersWriteStaysText() {
    const std::string said = "<|im_end|><|eot_id|>[/INST]<end_of_turn><E>";
    for (const char* name : {"chatml", "chatml_bos_and_trim", "qwen3", "llama2", "llama3_dated", "gemma3",
                             "mistral_v1_system", "mistral_v3", "mistral_v7"}) {
        const auto chat = ChatTemplate::recognise(fileText(name), *m_tokenizer);
        QVERIFY(chat);
        const auto parts = (*chat)->render({systemSays(said), user(said), assistant(said), user(said)}, {});
        QVERIFY(parts);
        std::string texts;
        for (const PromptPart& part : *parts) {
            if (part.special == SpecialText::asText) {
                texts += part.text;
            }
        }
        QCOMPARE(texts, said + said + said + said);
    }
}

void ChatTemplateTest::theThinkingSwitch() {
    const auto chat = ChatTemplate::recognise(fileText("qwen3"), *m_tokenizer);
    QVERIFY(chat);
    QVERIFY((*chat)->hasThinkingSwitch());
    const std::vector<ChatMessage> messages{user("q"), assistant("<think>\nlong\n</think>\n\nshort"), user("z")};
    const std::string open =
        "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\nshort<|im_end|>\n<|im_start|>user\nz"
        "<|im_end|>\n<|im_start|>assistant\n";
    QCOMPARE(joined(*(*chat)->render(messages, {})), open);
    QCOMPARE(joined(*(*chat)->render(messages, {.thinking = true})), open);
    QCOMPARE(joined(*(*chat)->render(messages, {.thinking = false})), open + "<think>\n\n</think>\n\n");
    for (const char* name : {"qwen3_always_thinking", "qwen3_without_switch", "chatml"}) {
        const auto other = ChatTemplate::recognise(fileText(name), *m_tokenizer);
        QVERIFY(other);
        QVERIFY(!(*other)->hasThinkingSwitch());
        QCOMPARE(joined(*(*other)->render(messages, {.thinking = false})), joined(*(*other)->render(messages, {})));
    }
}

void ChatTemplateTest::refusedDialogues_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("roles");
    for (const char* name : {"chatml", "llama2", "llama3", "gemma3", "mistral_v3", "mistral_v7"}) {
        QTest::addRow("%s, no messages", name) << name << QStringList{};
        QTest::addRow("%s, tool", name) << name << QStringList{"user", "tool"};
    }
    for (const char* name : {"llama2", "gemma2", "gemma3", "mistral_v1", "mistral_v3"}) {
        QTest::addRow("%s, twice the user", name) << name << QStringList{"user", "user"};
        QTest::addRow("%s, assistant first", name) << name << QStringList{"assistant", "user"};
        QTest::addRow("%s, system midway", name) << name << QStringList{"user", "system", "user"};
    }
}

void ChatTemplateTest::refusedDialogues() {
    QFETCH(QString, name);
    QFETCH(QStringList, roles);
    const auto chat = ChatTemplate::recognise(fileText(name.toStdString()), *m_tokenizer);
    QVERIFY(chat);
    std::vector<ChatMessage> messages;
    for (const QString& role : roles) {
        messages.push_back({role.toStdString(), "x"});
    }
    const auto parts = (*chat)->render(messages, {});
    QVERIFY(!parts);
    QVERIFY(parts.error().code == ErrorCode::usage);
}

void ChatTemplateTest::refusedTemplates_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("said");
    const QString chatml = "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}";
    QTest::newRow("none") << ""
                          << "base model";
    QTest::newRow("unknown") << "{{ messages }}"
                             << "no family";
    QTest::newRow("Phi") << "{{ '<|user|>' + m.content + '<|end|><|assistant|>' }}"
                         << "Phi-3";
    QTest::newRow("DeepSeek") << "{{ '<\uFF5CUser\uFF5C>' + m.content }}"
                              << "DeepSeek";
    QTest::newRow("another sentence") << chatml + "{{ 'Answer as a pirate would.' }}"
                                      << "Answer as a pirate would.";
    QTest::newRow("text outside of tags") << chatml + "Answer as a pirate."
                                          << "Answer as a pirate.";
    QTest::newRow("thoughts") << chatml + "{{ '<think>\\n' }}"
                              << "thoughts";
    QTest::newRow("macro") << chatml + "{% macro f(x) %}{{ x }}{% endmacro %}"
                           << "macros";
    QTest::newRow("trims some") << chatml + "{{ m.content | trim }}"
                                << "blanks";
    QTest::newRow("two user forms") << "{{ '[INST] ' + m.content + ' [/INST]' }}{{ '[INST]' + m.content + '[/INST]' }}"
                                    << "several ways";
    QTest::newRow("huge") << QString((1 << 20) + 1, 'x') << "bytes long";
}

void ChatTemplateTest::refusedTemplates() {
    QFETCH(QString, source);
    QFETCH(QString, said);
    const auto chat = ChatTemplate::recognise(source.toStdString(), *m_tokenizer);
    QVERIFY(!chat);
    QVERIFY(chat.error().code == ErrorCode::unsupported);
    QVERIFY2(QString::fromStdString(chat.error().message).contains(said), chat.error().message.c_str());
    QVERIFY(QString::fromStdString(chat.error().message).contains("/v1/completions"));
}

QTEST_APPLESS_MAIN(ChatTemplateTest)
#include "tst_chat_template.moc"
