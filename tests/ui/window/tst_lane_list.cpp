#include "ui/window/key_binding.h"
#include "ui/window/lane_list.h"

#include <QSignalSpy>
#include <QTest>

using namespace decodescope;

namespace {

RunSpec named(const std::string& name) {
    RunSpec spec;
    spec.laneName = name;
    spec.endpoint.url = "http://127.0.0.1:8080";
    return spec;
}

std::string names(const LaneList& list) {
    std::string all;
    for (const LaneConfig& lane : list.lanes())
        all += lane.spec.laneName + char('A' + lane.look) + ' ';
    return all;
}

} // namespace

class LaneListTest : public QObject {
    Q_OBJECT

private slots:
    void editsCanBeUndoneAndKeepTheLook() {
        LaneList list;
        const LaneId a = list.add(named("a"));
        const LaneId b = list.add(named("b"));
        const LaneId c = list.add(named("c"));
        QCOMPARE(names(list), std::string("aA bB cC "));
        list.move(c, 0);
        QCOMPARE(names(list), std::string("cC aA bB "));
        list.edit(b, named("b2"));
        list.remove(a);
        QCOMPARE(names(list), std::string("cC b2B "));
        const LaneId d = list.add(named("d")); // takes the letter that became free
        QCOMPARE(list.find(d)->look, 0);
        for (int i = 0; i < 4; ++i)
            list.undoStack().undo();
        QCOMPARE(names(list), std::string("aA bB cC "));
        QCOMPARE(list.lanes()[1].id, b);
        for (int i = 0; i < 4; ++i)
            list.undoStack().redo();
        QCOMPARE(names(list), std::string("cC b2B dA "));
    }

    void namesStayApartAndTheListIsBounded() {
        LaneList list;
        const LaneId first = list.add(named("m"));
        list.add(named("m"));
        list.duplicate(first);
        QCOMPARE(names(list), std::string("mA m (3)C m (2)B "));
        while (!list.full())
            list.add(named("m"));
        QCOMPARE(list.lanes().size(), LaneList::kMaxLanes);
        QCOMPARE(list.add(named("one too many")), LaneId(0));
        QCOMPARE(list.duplicate(first), LaneId(0));
    }

    void nothingHappensToLanesThatAreNotThere() {
        LaneList list;
        QSignalSpy changed(&list, &LaneList::changed);
        list.remove(7);
        list.edit(7, named("x"));
        list.move(7, 0);
        QCOMPARE(changed.count(), 0);
        QVERIFY(!list.undoStack().canUndo());
    }

    void aTypedKeyBelongsToOneOrigin() {
        RunSpec spec = named("a");
        spec.endpoint.key.kind = KeyReference::Kind::session;
        spec.key = std::make_shared<const Secret>("k");
        const QString typedFor = originOf(spec.endpoint.url);
        spec.endpoint.url = "http://127.0.0.1:8080/v1/chat/completions";
        QVERIFY(!dropForeignKey(spec, typedFor));
        QVERIFY(spec.key);
        spec.endpoint.url = "http://127.0.0.1:8081";
        QVERIFY(dropForeignKey(spec, typedFor));
        QVERIFY(!spec.key);
        QVERIFY(spec.endpoint.key.kind == KeyReference::Kind::none);
    }

    void originsAndPlainHttp_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("origin");
        QTest::addColumn<bool>("abroad");
        QTest::newRow("https") << "https://Host.Example/v1"
                               << "https://host.example:443" << false;
        QTest::newRow("http abroad") << "http://host.example"
                                     << "http://host.example:80" << true;
        QTest::newRow("loopback") << "http://127.0.0.1:8080/v1"
                                  << "http://127.0.0.1:8080" << false;
        QTest::newRow("loopback v6") << "http://[::1]:9"
                                     << "http://::1:9" << false;
        QTest::newRow("looks like loopback") << "http://127.0.0.1.evil.example"
                                             << "http://127.0.0.1.evil.example:80" << true;
        QTest::newRow("no scheme") << "localhost:11434"
                                   << "http://localhost:11434" << false;
        QTest::newRow("looks like another") << "https://xn--80ak6aa92e.com"
                                            << "https://xn--80ak6aa92e.com:443" << false;
        QTest::newRow("letters of another script")
            << QString::fromUtf8("https://b\u00fccher.example") << "https://xn--bcher-kva.example:443" << false;
        QTest::newRow("nothing") << ""
                                 << "" << false;
    }
    void originsAndPlainHttp() {
        QFETCH(QString, url);
        QFETCH(QString, origin);
        QFETCH(bool, abroad);
        QCOMPARE(originOf(url.toStdString()), origin);
        QCOMPARE(plainHttpAbroad(url.toStdString()), abroad);
    }
};

QTEST_MAIN(LaneListTest)
#include "tst_lane_list.moc"
