#include "core/metrics/gaps.h"
#include "core/metrics/metrics.h"
#include "tests/core/metrics/summary_text.h"
#include "tests/support/run_builder.h"

#include <QtTest>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <set>

using namespace decodescope;
using test::RunBuilder;
using test::textOf;

namespace {

/// One of the ways in which a wire may tell tokens.
enum class Wire { nothing, total, totalAndEnd, otherTotal, ids, continuous, hidden, contradiction };

struct Plan {
    Wire wire = Wire::nothing;
    RunRecord record;
};

/// A run with bursts, stalls, reads of several events, changes of channel and every way of telling tokens.
Plan arbitraryPlan() {
    Plan plan;
    plan.wire = static_cast<Wire>(*rc::gen::inRange(0, 8));
    const int events = *rc::gen::inRange(0, 260);
    const bool reasons = *rc::gen::arbitrary<bool>();
    const int usualMs = *rc::gen::element(1, 5, 20, 60);
    RunBuilder run;
    double at = 0.1;
    std::uint64_t total = 0;
    for (int i = 0; i < events; ++i) {
        const int what = *rc::gen::inRange(0, 100);
        const double gap = what < 3 ? 0.6 : what < 5 ? 0.1 : what < 12 ? 0.0 : usualMs * 1e-3 * (1 + what % 5 * 0.1);
        const auto k = static_cast<std::uint32_t>(what % 7 == 0 ? 4 : 1);
        const bool told = plan.wire == Wire::ids || plan.wire == Wire::contradiction;
        const Channel channel = reasons && i < events / 2 ? Channel::reasoning : Channel::answer;
        const std::string text = what % 3 == 0 ? "wo" : what % 3 == 1 ? "rd " : " \xC3\xA9\xE2\x80\x83";
        if (what >= 80 && i > 0)
            run.sameRead(at, told ? k : 0, text, channel);
        else
            run.event(at += gap, told ? k : 0, text, channel);
        if (plan.wire == Wire::continuous)
            run.last().tokens.usage = k;
        total += k;
    }
    const auto n = static_cast<std::uint64_t>(events);
    switch (plan.wire) {
    case Wire::nothing:
    case Wire::ids:
        break;
    case Wire::total:
        run.usage(n, 10);
        break;
    case Wire::totalAndEnd:
        run.usage(n + 1, 10).finish("stop");
        break;
    case Wire::otherTotal:
        run.usage(n * 2 + 5, 10);
        break;
    case Wire::continuous:
        run.record().usageContinuous = true;
        run.usage(total, 10);
        break;
    case Wire::hidden:
        run.usage(n + 9000, 10, 9000);
        break;
    case Wire::contradiction:
        run.usage(total * 3 + 9, 10);
        break;
    }
    // Hiccups of ours, some of them told out of order, as several threads do.
    const int hiccups = *rc::gen::element(0, 0, 3, 12);
    for (int i = 0; i < hiccups; ++i) {
        const double woke = *rc::gen::inRange(0, static_cast<int>(at * 1000) + 1) * 1e-3;
        run.hiccup(woke - *rc::gen::element(0.005, 0.05, 0.3, 0.6), woke);
    }
    // As they come most often: just before the read that they made late.
    for (const TokenEvent& event : std::vector(run.record().events))
        if (hiccups > 0 && *rc::gen::inRange(0, 30) == 0) {
            const double woke = toSeconds(event.at - *run.record().started) - 0.001;
            run.hiccup(woke - *rc::gen::element(0.01, 0.4, 0.59), woke);
        }
    run.clock(*rc::gen::element(ClockSource::user, ClockSource::user, ClockSource::kernel));
    if (*rc::gen::inRange(0, 5) == 0)
        run.record().stamps = StampReport{ClockSource::user, {}, 0, 0, {}};
    const int end = *rc::gen::inRange(0, 4);
    if (end == 1)
        run.outcome(Outcome::truncated).finish({});
    if (end == 2)
        run.outcome(Outcome::timeout).finish({});
    run.finishedAt(at + *rc::gen::element(0.0, 0.05, 2.0));
    plan.record = run.build();
    return plan;
}

/// The run as it was when its first n events had come.
RunRecord partOf(const Plan& plan, std::size_t n) {
    const RunRecord& whole = plan.record;
    RunRecord part = whole;
    part.events.resize(n);
    part.stamps.reset();
    part.hiccups.resize(std::min(part.hiccups.size(), whole.hiccups.size() * n / whole.events.size()));
    part.transcript.resize(n == 0 ? 0 : part.events.back().textEnd);
    std::erase_if(part.spans, [&](const ChannelSpan& s) { return s.begin >= part.transcript.size(); });
    part.outcome = Outcome::running;
    part.finished.reset();
    part.finish.reset();
    part.choices.clear();
    part.usage.reset();
    if (plan.wire == Wire::continuous) {
        std::uint64_t so = 0;
        for (const TokenEvent& e : part.events)
            so += e.tokens.usage;
        part.usage = UsageReport{10, so, {}, {}};
    }
    return part;
}

bool sameCurve(const RateCurve& a, const RateCurve& b) {
    return a.first == b.first && a.tps.size() == b.tps.size() && a.provisionalFrom == b.provisionalFrom &&
           std::equal(a.tps.begin(), a.tps.end(), b.tps.begin(),
                      [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

} // namespace

class TestLiveMetrics : public QObject {
    Q_OBJECT

private slots:
    void liveEqualsBatch() {
        const bool ok = rc::check("summaries taken while a run grows equal those taken at once", [] {
            const Plan plan = arbitraryPlan();
            LiveMetrics live;
            const std::size_t events = plan.record.events.size();
            for (std::size_t n = 0; n < events;) {
                n = std::min(events, n + static_cast<std::size_t>(*rc::gen::inRange(1, 60)));
                const RunRecord part = partOf(plan, n);
                live.update(part);
                const Instant now = part.events.back().at + std::chrono::milliseconds(*rc::gen::inRange(0, 900));
                LiveMetrics fresh;
                fresh.update(part);
                RC_ASSERT(textOf(live.summary(part, now)) == textOf(fresh.summary(part, now)));
                RC_ASSERT(textOf(live.summary(part)) == textOf(summarize(part)));
                RC_ASSERT(sameCurve(live.rateCurve(), rateCurve(part, countTokens(part))));
            }
            live.update(plan.record);
            RC_ASSERT(textOf(live.summary(plan.record)) == textOf(summarize(plan.record)));
            RC_ASSERT(sameCurve(live.rateCurve(), rateCurve(plan.record, countTokens(plan.record))));
            RC_CLASSIFY(!summarize(plan.record).stalls.empty(), "with stalls");
            RC_CLASSIFY(summarize(plan.record).clientGaps > 0, "with gaps of our own");
        });
        QVERIFY(ok);
    }

    void gapsOfOurOwnAreCountedNowhere() {
        QVERIFY(rc::check("what is laid to us is out of every percentile, everything else is in", [] {
            const RunRecord run = arbitraryPlan().record;
            const RunSummary s = summarize(run);
            if (run.outcome == Outcome::notStreamed || s.arrivals == 0)
                return;
            std::set<std::uint32_t> ours;
            for (const Stall& stall : s.stalls)
                if (stall.kind == StallKind::client)
                    ours.insert(stall.eventIndex);
            RC_ASSERT(ours.size() == s.clientGaps);
            RC_ASSERT((s.itl ? s.itl->n : 0) + s.clientGaps == s.arrivals - 1);
            std::vector<double> gaps;
            const std::vector<Arrival> all = arrivals(run, s.tokens);
            for (std::size_t i = 1; i < all.size(); ++i)
                if (!ours.contains(all[i].firstEvent))
                    gaps.push_back(static_cast<double>(toNs(all[i].at - all[i - 1].at)));
            if (!s.itl)
                return;
            double running = 0;
            for (std::size_t i = 1; i < gaps.size(); ++i)
                running += (std::abs(gaps[i] - gaps[i - 1]) - running) / 16;
            RC_ASSERT((!s.jitter || s.jitter->rfc3550 == running * 1e-9));
            std::sort(gaps.begin(), gaps.end());
            RC_ASSERT(s.itl->p99 == quantileType7(gaps, 0.99) * 1e-9);
            RC_ASSERT(s.itl->max == gaps.back() * 1e-9);
        }));
    }

    void countsEqualBatch() {
        QVERIFY(rc::check("the token count of a summary is countTokens()", [] {
            const Plan plan = arbitraryPlan();
            RunSummary a = summarize(plan.record);
            const TokenCount count = countTokens(plan.record);
            RC_ASSERT(a.tokens.perEvent == count.perEvent);
            RC_ASSERT(a.tokens.told == count.told);
            RC_ASSERT(a.tokens.output == count.output);
            RC_ASSERT(a.tokens.visible == count.visible);
        }));
    }

    void figuresAreDefinedOrAbsent() {
        QVERIFY(rc::check("no figure is NaN, infinite or a rate of 0", [] {
            const RunSummary s = summarize(arbitraryPlan().record);
            for (const auto& v : {s.decodeTps, s.eventsPerS, s.tpot, s.e2eTps, s.promptTps, s.charsPerS, s.wordsPerS})
                RC_ASSERT((!v || (std::isfinite(*v) && *v > 0)));
            for (const RateAt& r : s.rateAt)
                RC_ASSERT((!r.tps || (std::isfinite(*r.tps) && *r.tps > 0)));
            RC_ASSERT((!s.decay || (std::isfinite(s.decay->percentPer1000) && std::isfinite(s.decay->high))));
        }));
    }

    void distributionEqualsSorting() {
        QVERIFY(rc::check("a growing distribution equals one that is sorted at once", [] {
            const auto values = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 5000));
            RC_PRE(!values.empty());
            GrowingDistribution growing(1e-9);
            for (const std::int64_t v : values) {
                growing.add(v + 7);
                growing.add(v);
                growing.remove(v + 7);
            }
            std::vector<double> sorted(values.begin(), values.end());
            std::sort(sorted.begin(), sorted.end());
            const Distribution d = *growing.distribution();
            RC_ASSERT(d.n == sorted.size());
            RC_ASSERT(d.p50 == quantileType7(sorted, 0.5) * 1e-9);
            RC_ASSERT(d.p99 == quantileType7(sorted, 0.99) * 1e-9);
            RC_ASSERT(d.min == sorted.front() * 1e-9);
            RC_ASSERT(d.max == sorted.back() * 1e-9);
            const double median = quantileType7(sorted, 0.5);
            std::vector<double> away;
            double sum = 0;
            for (const double v : sorted) {
                away.push_back(std::abs(v - median));
                sum += v;
            }
            std::sort(away.begin(), away.end());
            RC_ASSERT(std::abs(growing.mad() - quantileType7(away, 0.5) * 1e-9) < 1e-15);
            double squares = 0;
            const double mean = sum / static_cast<double>(sorted.size());
            for (const double v : sorted)
                squares += (v - mean) * (v - mean);
            const double stdev = std::sqrt(squares / static_cast<double>(sorted.size())) * 1e-9;
            RC_ASSERT(std::abs(growing.stdev() - stdev) < 1e-14);
        }));
    }

    void blocksKeepOrderWhenLarge() {
        SortedBlocks blocks;
        std::multiset<std::int64_t> model;
        std::uint64_t state = 1;
        for (int i = 0; i < 6000; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const auto value = static_cast<std::int64_t>(state >> 52);
            if (i % 5 == 4) {
                const std::int64_t gone = *model.begin();
                model.erase(model.begin());
                blocks.erase(gone);
            }
            blocks.insert(value);
            model.insert(value);
        }
        QCOMPARE(blocks.size(), model.size());
        std::size_t i = 0;
        for (const std::int64_t v : model)
            QCOMPARE(blocks.at(i++), v);
    }
};

QTEST_APPLESS_MAIN(TestLiveMetrics)
#include "tst_live_metrics.moc"
