#include "ui/charts/min_max_pyramid.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace decodescope;

namespace {

MinMaxPyramid::Extent naive(const std::vector<float>& values, std::size_t begin, std::size_t end) {
    MinMaxPyramid::Extent extent;
    for (std::size_t i = begin; i < std::min(end, values.size()); ++i)
        extent.include(values[i]);
    return extent;
}

} // namespace

class MinMaxPyramidTest : public QObject {
    Q_OBJECT

private slots:
    void anyStretchKnowsItsEnds() {
        std::mt19937 random(7);
        std::lognormal_distribution<float> value(0, 1);
        for (int round = 0; round < 40; ++round) {
            MinMaxPyramid pyramid;
            std::vector<float> values;
            const std::size_t size = random() % 3000;
            for (std::size_t i = 0; i < size; ++i) {
                const float v = random() % 50 == 0 ? std::nanf("") : value(random);
                values.push_back(v);
                pyramid.append(v);
            }
            // Now and then the tail is taken back and written anew, as a provisional curve is.
            if (round % 3 == 0 && size > 0) {
                const std::size_t keep = random() % size;
                pyramid.truncate(keep);
                values.resize(keep);
                for (int i = 0; i < 70; ++i) {
                    values.push_back(value(random));
                    pyramid.append(values.back());
                }
            }
            QCOMPARE(pyramid.size(), values.size());
            for (int i = 0; i < 200; ++i) {
                const std::size_t a = random() % (values.size() + 2);
                const std::size_t b = random() % (values.size() + 2);
                QVERIFY(pyramid.extent(std::min(a, b), std::max(a, b)) ==
                        naive(values, std::min(a, b), std::max(a, b)));
            }
        }
    }

    void columnsCoverEverythingOnceAndKeepTheOutlier() {
        std::mt19937 random(11);
        for (int round = 0; round < 60; ++round) {
            const std::size_t size = 1 + random() % 20000;
            const std::size_t columns = 1 + random() % 1500;
            const std::size_t outlier = random() % size;
            MinMaxPyramid pyramid;
            for (std::size_t i = 0; i < size; ++i)
                pyramid.append(i == outlier ? 803.F : 10.F + static_cast<float>(i % 7));
            const auto parts = pyramid.query(0, size, columns);
            QVERIFY(parts.size() <= 2 * columns);
            std::size_t next = 0;
            bool seen = false;
            for (const MinMaxPyramid::Column& part : parts) {
                QCOMPARE(part.begin, next);
                QVERIFY(part.end > part.begin);
                next = part.end;
                seen = seen || part.extent.max == 803.F;
            }
            QCOMPARE(next, size);
            QVERIFY2(seen, "a single long gap must survive any zoom");
        }
    }

    void fewValuesStayRaw() {
        MinMaxPyramid pyramid;
        for (int i = 0; i < 200; ++i)
            pyramid.append(static_cast<float>(i));
        QCOMPARE(pyramid.query(0, 200, 100).size(), std::size_t(200));
        QCOMPARE(pyramid.query(0, 200, 99).size(), std::size_t(99));
        QVERIFY(pyramid.query(50, 50, 10).empty());
        QVERIFY(pyramid.query(0, 200, 0).empty());
        QCOMPARE(pyramid.query(190, 900, 100).size(), std::size_t(10));
    }

    void memoryStaysUnderSevenBytesAValue() {
        MinMaxPyramid pyramid;
        for (int i = 0; i < 100000; ++i)
            pyramid.append(static_cast<float>(i % 100));
        QVERIFY2(static_cast<double>(pyramid.bytes()) / 100000 < 7.0,
                 qPrintable(QString::number(static_cast<double>(pyramid.bytes()) / 100000)));
    }
};

QTEST_APPLESS_MAIN(MinMaxPyramidTest)
#include "tst_min_max_pyramid.moc"
