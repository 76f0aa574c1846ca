#include "core/wire/url_reference.h"

#include <QtTest>

using namespace decodescope;

class TestUrlReference : public QObject {
    Q_OBJECT

private slots:
    void resolve_data();
    void resolve();
};

void TestUrlReference::resolve_data() {
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("reference");
    QTest::addColumn<QString>("expected");
    const QString base = "http://a:1/b/c/d?q";
    // The ordinary and some of the odd examples of RFC 3986, section 5.4.
    QTest::newRow("absolute") << base << "https://x/y"
                              << "https://x/y";
    QTest::newRow("other host") << base << "//g"
                                << "http://g";
    QTest::newRow("rooted") << base << "/g"
                            << "http://a:1/g";
    QTest::newRow("beside") << base << "g"
                            << "http://a:1/b/c/g";
    QTest::newRow("dot") << base << "./g"
                         << "http://a:1/b/c/g";
    QTest::newRow("folder") << base << "g/"
                            << "http://a:1/b/c/g/";
    QTest::newRow("up") << base << "../g"
                        << "http://a:1/b/g";
    QTest::newRow("up and stay") << base << ".."
                                 << "http://a:1/b/";
    QTest::newRow("too far up") << base << "../../../g"
                                << "http://a:1/g";
    QTest::newRow("query") << base << "?y"
                           << "http://a:1/b/c/d?y";
    QTest::newRow("dots in a query stay") << base << "g?y/../x"
                                          << "http://a:1/b/c/g?y/../x";
    QTest::newRow("base without path") << "http://a"
                                       << "g"
                                       << "http://a/g";
    QTest::newRow("empty") << base << ""
                           << "";
    QTest::newRow("no base") << ""
                             << "/g"
                             << "";
    QTest::newRow("no base, absolute") << ""
                                       << "http://x/"
                                       << "http://x/";
    QTest::newRow("a colon is no scheme") << base << "/v1:x"
                                          << "http://a:1/v1:x";
}

void TestUrlReference::resolve() {
    QFETCH(QString, base);
    QFETCH(QString, reference);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(resolveReference(base.toStdString(), reference.toStdString())), expected);
}

QTEST_APPLESS_MAIN(TestUrlReference)
#include "tst_url_reference.moc"
