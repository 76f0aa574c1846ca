#include "core/base/mailbox.h"

#include <QtTest>

#include <thread>

using namespace decodescope;

class TestMailbox : public QObject {
    Q_OBJECT

private slots:
    void keepsOrderAcrossThreads() {
        Mailbox<int> box;
        std::thread producer([&] {
            std::vector<int> batch;
            for (int i = 0; i < 100'000; ++i) {
                if (i % 7 == 0) {
                    batch.assign({i});
                    box.post(batch);
                } else {
                    box.post(i);
                }
            }
        });
        std::vector<int> batch;
        int next = 0;
        while (next < 100'000) {
            box.drain(batch);
            for (const int i : batch)
                QCOMPARE(i, next++);
        }
        producer.join();
        QVERIFY(!box.drain(batch));
        QVERIFY(batch.empty());
    }
};

QTEST_APPLESS_MAIN(TestMailbox)
#include "tst_mailbox.moc"
