#include "core/base/secret.h"

#include <QtTest>
#include <fmt/core.h>

#include <ostream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <type_traits>

using namespace decodescope;

template <class T>
concept Streamable = requires(std::ostream& o, const T& t) {
    o << t;
};
template <class T>
concept Debuggable = requires(QDebug d, const T& t) {
    d << t;
};

class TestSecret : public QObject {
    Q_OBJECT

private slots:
    void cannotBePrintedOrConverted() {
        static_assert(!Streamable<Secret>);
        static_assert(!Debuggable<Secret>);
        static_assert(!std::is_convertible_v<Secret, std::string>);
        static_assert(!std::is_convertible_v<Secret, std::string_view>);
        QVERIFY(Streamable<std::string>); // the concept itself can say yes
    }

    void noOtherProcessCanLookWhileAKeyIsHeld() {
        const int before = ::prctl(PR_GET_DUMPABLE);
        rlimit core{};
        QCOMPARE(::getrlimit(RLIMIT_CORE, &core), 0);
        {
            Secret key(std::string("held"));
            const Secret copy = key;
            key = Secret();
            QCOMPARE(::prctl(PR_GET_DUMPABLE), 0); // the copy is still there
            rlimit now{};
            QCOMPARE(::getrlimit(RLIMIT_CORE, &now), 0);
            QCOMPARE(now.rlim_cur, rlim_t{0});
        }
        QCOMPARE(::prctl(PR_GET_DUMPABLE), before);
        rlimit after{};
        QCOMPARE(::getrlimit(RLIMIT_CORE, &after), 0);
        QCOMPARE(after.rlim_cur, core.rlim_cur);
        const Secret nothing;
        QCOMPARE(::prctl(PR_GET_DUMPABLE), before);
    }

    void movesAndWipes() {
        Secret a(std::string("a-rather-long-key-that-is-on-the-heap"));
        Secret b(std::move(a));
        QVERIFY(a.empty()); // NOLINT: the moved-from state is what is tested
        QCOMPARE(b.size(), 37U);
        Secret c;
        c = std::move(b);
        QVERIFY(b.empty()); // NOLINT
        QVERIFY(c.equals(Secret(std::string("a-rather-long-key-that-is-on-the-heap"))));
        QVERIFY(!c.equals(Secret(std::string("a-rather-long-key-that-is-on-the-heaP"))));
    }
};

QTEST_APPLESS_MAIN(TestSecret)
#include "tst_secret.moc"
