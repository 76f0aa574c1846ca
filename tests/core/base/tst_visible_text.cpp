#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "tests/support/hostile_texts.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace decodescope;

/// Text that is not ours, made visible.
class VisibleTextTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(test::hostileTexts().size() > 50); }

    void nothingSteersAnyMore() {
        for (const auto& [name, text] : test::hostileTexts()) {
            for (const LineBreaks lines : {LineBreaks::keep, LineBreaks::asSpaces}) {
                const std::string shown = visibleText(text, lines);
                QVERIFY2(isValidUtf8(shown), name.c_str());
                for (std::size_t i = 0; i < shown.size();) {
                    const char32_t c = takeCodePoint(shown, i);
                    const bool layout = lines == LineBreaks::keep && (c == '\n' || c == '\t');
                    QVERIFY2(layout || !(isControlCharacter(c) || isHiddenCharacter(c)), name.c_str());
                }
            }
        }
    }

    void jsonKeepsItsValue() {
        for (const auto& [name, text] : test::hostileTexts()) {
            const nlohmann::json value = {{"text", repairUtf8(text).text}};
            const std::string plain = value.dump();
            const std::string shown = visibleJson(plain);
            QVERIFY2(nlohmann::json::parse(shown) == value, name.c_str());
            QVERIFY2(visibleText(shown, LineBreaks::asSpaces) == shown, name.c_str());
        }
        QCOMPARE(visibleJson("{\"a\":\"\xE2\x80\xAE\xF3\xA0\x80\x81 ü\"}"),
                 std::string("{\"a\":\"\\u202e\\udb40\\udc01 ü\"}"));
    }
};

QTEST_APPLESS_MAIN(VisibleTextTest)

#include "tst_visible_text.moc"
