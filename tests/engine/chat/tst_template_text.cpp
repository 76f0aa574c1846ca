#include "engine/chat/template_text.h"

#include <QtTest>

using namespace decodescope::engine;
using Kind = TemplateTerm::Kind;

class TemplateTextTest : public QObject {
    Q_OBJECT

private slots:
    void readsOutputs();
    void readsLiteralsWhereTheyStand();
    void readsAssignments();
    void trimming();
    void brokenTemplates();
    void stripping();
};

void TemplateTextTest::readsOutputs() {
    const TemplateText text =
        readTemplate("a{{- bos_token + '[X] ' + m['content'] | trim + \"\\n\" ~ eos_token -}}b{{ f(1 + '+') }}");
    QCOMPARE(text.outputs.size(), std::size_t{2});
    const TemplateTerms& terms = text.outputs[0];
    QCOMPARE(terms.size(), std::size_t{5});
    QVERIFY(terms[0].kind == Kind::bos);
    QVERIFY(terms[1].kind == Kind::literal);
    QCOMPARE(terms[1].text, std::string("[X] "));
    QVERIFY(terms[2].kind == Kind::content);
    QVERIFY(terms[2].trimmed);
    QCOMPARE(terms[3].text, std::string("\n"));
    QVERIFY(terms[4].kind == Kind::eos);
    QCOMPARE(text.outputs[1].size(), std::size_t{1}); // nothing is split within brackets
    QVERIFY(text.outputs[1][0].kind == Kind::other);
    QVERIFY(text.writes(Kind::bos));
    QVERIFY(!text.writes(Kind::system));
}

void TemplateTextTest::readsLiteralsWhereTheyStand() {
    const TemplateText text =
        readTemplate("{# 'comment' #}out {% if tools %}{{ 'for tools' }}{% else %}{{ 'it\\'s %} here' }}"
                     "{% endif %}{% for tool in tools %}{{ 't' }}{% endfor %}"
                     "{{ raise_exception('no') }}");
    QCOMPARE(text.literals.size(), std::size_t{5});
    QCOMPARE(text.literals[0].text, std::string("out"));
    QCOMPARE(text.literals[1].text, std::string("for tools"));
    QVERIFY(text.literals[1].forTools);
    QCOMPARE(text.literals[2].text, std::string("it's %} here"));
    QVERIFY(!text.literals[2].forTools);
    QVERIFY(text.literals[3].forTools);
    QVERIFY(text.literals[4].raised);
    QVERIFY(!text.literals[4].forTools);
}

void TemplateTextTest::readsAssignments() {
    const TemplateText text = readTemplate("{%- set a = 'x' + today + \"y\" %}{% set a = 'later' %}");
    const TemplateTerms* value = text.assigned("a");
    QVERIFY(value != nullptr);
    QCOMPARE(value->size(), std::size_t{3});
    QCOMPARE((*value)[0].text, std::string("x"));
    QCOMPARE((*value)[1].text, std::string("today"));
    QVERIFY((*value)[1].kind == Kind::other);
    QVERIFY(text.assigned("b") == nullptr);
}

void TemplateTextTest::trimming() {
    using Trimming = TemplateText::Trimming;
    QVERIFY(readTemplate("{{ m.content }}").trimming() == Trimming::never);
    QVERIFY(readTemplate("{{ m.content|trim }}").trimming() == Trimming::always);
    QVERIFY(readTemplate("{{ m.content.strip() }}").trimming() == Trimming::always);
    QVERIFY(readTemplate("{{ m.content }}{{ m.content | trim }}").trimming() == Trimming::sometimes);
}

/// Whatever a template is, reading it ends.
void TemplateTextTest::brokenTemplates() {
    for (const std::string source :
         {"{", "{{", "{%", "{#", "{{ 'a", "{{ \"a\\", "{{}}", "{%-%}", "{{-}}", "{% set %}", "{% set a", "}}",
          "{% endif %}{% else %}{% endfor %}", "{{ '\\", "{{ ' }}", "{{ + }}", "{% if ", "{-"}) {
        const TemplateText text = readTemplate(source);
        QCOMPARE(text.source, std::string_view(source));
    }
    QVERIFY(readTemplate("").literals.empty());
}

void TemplateTextTest::stripping() {
    QCOMPARE(stripped(" \t\n a b \u00A0\u3000\u2003"), std::string_view("a b"));
    QCOMPARE(stripped(" \n "), std::string_view());
    QCOMPARE(stripped("\u200Ba\u00E9"), std::string_view("\u200Ba\u00E9")); // no blank, and no cut character
    QCOMPARE(stripped("\xFF \x80"), std::string_view("\xFF \x80"));
    QCOMPARE(strippedLeft("\n\na\n", '\n'), std::string_view("a\n"));
    QCOMPARE(strippedRight("\n\na\n", '\n'), std::string_view("\n\na"));
    QCOMPARE(strippedRight("\n\n", '\n'), std::string_view());
}

QTEST_APPLESS_MAIN(TemplateTextTest)
#include "tst_template_text.moc"
