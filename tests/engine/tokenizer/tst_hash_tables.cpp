#include "engine/tokenizer/hash_tables.h"

#include <QtTest>
#include <rapidcheck.h>

#include <map>

using namespace decodescope::engine;

class HashTablesTest : public QObject {
    Q_OBJECT

private slots:
    void textsAreFoundAgain();
    void pairsAreFoundAgain();
    void emptyTables();
};

void HashTablesTest::textsAreFoundAgain() {
    QVERIFY(rc::check("an index finds what a map finds", [](const std::vector<std::string>& texts) {
        TextTable table;
        TextIndex index;
        index.reset(texts.size());
        std::map<std::string, std::uint32_t> reference;
        for (std::uint32_t at = 0; at < texts.size(); ++at) {
            table.add(texts[at]);
            const bool fresh = reference.emplace(texts[at], at).second;
            RC_ASSERT(index.insert(table, at) == (fresh ? TextIndex::Insert::added : TextIndex::Insert::present));
        }
        for (const auto& [text, at] : reference) {
            RC_ASSERT(index.find(table, text) == std::optional{at});
            RC_ASSERT(table[at] == text);
            const std::string longer = text + "x";
            const auto known = reference.find(longer);
            RC_ASSERT(index.find(table, longer).has_value() == (known != reference.end()));
        }
    }));
}

void HashTablesTest::pairsAreFoundAgain() {
    PairMap map; // grows from nothing
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> reference;
    std::uint64_t state = 1;
    for (std::uint32_t n = 0; n < 20'000; ++n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::pair key{static_cast<std::uint32_t>(state >> 33) % 3000,
                            static_cast<std::uint32_t>(state >> 50) % 50};
        QCOMPARE(map.insert(key.first, key.second, {n, n + 1}), reference.emplace(key, n).second);
    }
    for (std::uint32_t left = 0; left < 3000; ++left) {
        for (std::uint32_t right = 0; right < 50; ++right) {
            const auto known = reference.find({left, right});
            const PairMap::Value* found = map.find(left, right);
            QCOMPARE(found != nullptr, known != reference.end());
            if (found != nullptr) {
                QCOMPARE(found->first, known->second);
                QCOMPARE(found->second, known->second + 1);
            }
        }
    }
}

void HashTablesTest::emptyTables() {
    QVERIFY(!TextIndex().find(TextTable(), "a"));
    QVERIFY(PairMap().find(1, 2) == nullptr);
}

QTEST_APPLESS_MAIN(HashTablesTest)
#include "tst_hash_tables.moc"
