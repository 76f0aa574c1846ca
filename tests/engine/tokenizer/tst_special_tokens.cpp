#include "engine/tokenizer/special_tokens.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>

using namespace decodescope::engine;
using Found = SpecialTokens::Found;

class SpecialTokensTest : public QObject {
    Q_OBJECT

private slots:
    void onlyWithinWhatIsParsed();
    void longestFirst();
    void equalsTheRule();
    void nestedSpellingsAreNoBurden();
};

namespace {

struct Special {
    std::string spelling;
    SpecialTokens::Kind kind;
};

/// Token by token, the longest first, each leftmost where nothing was taken yet.
std::vector<Found> findPlainly(const std::vector<Special>& all, std::string_view text, ByteRange parsed) {
    std::vector<std::size_t> order(all.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        order[at] = at;
    }
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return all[a].spelling.size() > all[b].spelling.size(); });
    std::vector<bool> covered(text.size());
    std::vector<Found> found;
    for (const std::size_t token : order) {
        const std::string& spelling = all[token].spelling;
        for (std::size_t at = text.find(spelling); at != std::string_view::npos; at = text.find(spelling, at + 1)) {
            const std::size_t end = at + spelling.size();
            const bool allowed =
                all[token].kind == SpecialTokens::Kind::always || (at >= parsed.begin && end <= parsed.end);
            const auto first = covered.begin() + static_cast<std::ptrdiff_t>(at);
            const auto last = covered.begin() + static_cast<std::ptrdiff_t>(end);
            if (allowed && std::find(first, last, true) == last) {
                std::fill(first, last, true);
                found.push_back({at, end, static_cast<TokenId>(token)});
            }
        }
    }
    std::ranges::sort(found, {}, &Found::begin);
    return found;
}

bool same(const std::vector<Found>& left, const std::vector<Found>& right) {
    return std::ranges::equal(left, right, [](const Found& a, const Found& b) {
        return a.begin == b.begin && a.end == b.end && a.token == b.token;
    });
}

} // namespace

void SpecialTokensTest::onlyWithinWhatIsParsed() {
    SpecialTokens special;
    QVERIFY(special.add("<end>", 7, SpecialTokens::Kind::whenParsed));
    QVERIFY(special.add("\n\n", 8, SpecialTokens::Kind::always));
    const std::string text = "a<end>\n\nb<end>c<end>";
    QVERIFY(same(special.find(text, {}), {{6, 8, 8}}));
    const std::vector<ByteRange> parsed{{0, 6}, {9, 13}, {15, 20}}; // the second cuts its mark
    QVERIFY(same(special.find(text, parsed), {{1, 6, 7}, {6, 8, 8}, {15, 20, 7}}));
}

void SpecialTokensTest::longestFirst() {
    SpecialTokens special;
    QVERIFY(special.add("<a>", 1, SpecialTokens::Kind::always));
    QVERIFY(special.add("x<a", 2, SpecialTokens::Kind::always));
    QVERIFY(special.add("<a><b>", 3, SpecialTokens::Kind::always));
    QVERIFY(special.add("", 4, SpecialTokens::Kind::always)); // spells nothing
    // The longest takes its place first, although another begins before it.
    QVERIFY(same(special.find("x<a><b>", {}), {{1, 7, 3}}));
    QVERIFY(same(special.find("x<a>", {}), {{1, 4, 1}})); // of equal length, the smaller id
}

void SpecialTokensTest::equalsTheRule() {
    QVERIFY(rc::check("what is found is what the rule finds", [] {
        const auto letters = rc::gen::element('a', 'b', '<');
        const auto spellings = *rc::gen::unique<std::vector<std::string>>(
            rc::gen::nonEmpty(rc::gen::resize(5, rc::gen::container<std::string>(letters))));
        std::vector<Special> all;
        SpecialTokens special;
        for (const std::string& spelling : spellings) {
            const auto kind = *rc::gen::element(SpecialTokens::Kind::always, SpecialTokens::Kind::whenParsed);
            RC_ASSERT(special.add(spelling, static_cast<TokenId>(all.size()), kind));
            all.push_back({spelling, kind});
        }
        const auto text = *rc::gen::container<std::string>(letters);
        const auto begin = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
        const ByteRange parsed{begin, *rc::gen::inRange<std::size_t>(begin, text.size() + 1)};
        std::vector<ByteRange> ranges;
        if (parsed.end > parsed.begin) {
            ranges.push_back(parsed);
        }
        RC_ASSERT(same(special.find(text, ranges), findPlainly(all, text, parsed)));
    }));
}

/// A vocabulary made to be slow: a spelling for each length of one letter.
void SpecialTokensTest::nestedSpellingsAreNoBurden() {
    SpecialTokens special;
    for (TokenId length = 1; length <= 300; ++length) {
        QVERIFY(special.add(std::string(static_cast<std::size_t>(length), 'a'), length, SpecialTokens::Kind::always));
    }
    const auto found = special.find(std::string(50'050, 'a'), {});
    QCOMPARE(found.size(), std::size_t{167});
    QCOMPARE(found.back().token, 250);
    QVERIFY(special.add(std::string(5000, 'b'), 301, SpecialTokens::Kind::always)); // too long to be a mark
    QVERIFY(special.find(std::string(5000, 'b'), {}).empty());
}

QTEST_APPLESS_MAIN(SpecialTokensTest)
#include "tst_special_tokens.moc"
