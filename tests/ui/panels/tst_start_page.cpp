#include "ui/panels/start_page.h"
#include "ui/theme/look.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace decodescope;

class StartPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Look::instance().apply(ThemeChoice::light); }

    void aRecentRecordingHasRoomForItsWords() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a-race.decodescope"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
        file.close();
        const WindowServices services;
        StartPage page(services);
        page.setRecent({path, folder.filePath(QStringLiteral("gone.decodescope"))});
        page.resize(1300, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        int rows = 0;
        for (const QPushButton* row : page.findChildren<QPushButton*>()) {
            if (row->accessibleName() != QLatin1String("a-race") && row->accessibleName() != QLatin1String("gone"))
                continue;
            ++rows;
            const QFontMetrics words(Look::instance().font(Type::body));
            QVERIFY2(row->height() >= 2 * words.height() + 12, qPrintable(QString::number(row->height())));
        }
        QCOMPARE(rows, 2);
    }
};

QTEST_MAIN(StartPageTest)
#include "tst_start_page.moc"
