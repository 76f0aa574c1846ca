#include "core/base/secret_masker.h"

#include <QtTest>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace decodescope;

static const std::string kKey = "sk-CANARY-0123456789-abab";

class TestSecretMasker : public QObject {
    Q_OBJECT

    static std::string feedAll(SecretMasker& masker, const std::vector<std::string>& reads) {
        std::string out;
        for (const std::string& read : reads)
            out += masker.feed(read);
        return out + masker.flush();
    }

private slots:
    void masksWithTheSameLength() {
        const std::string text = "a " + kKey + " b " + kKey + kKey + " c";
        SecretMasker masker{Secret(kKey)};
        const std::string out = feedAll(masker, {text});
        const std::string stars(kKey.size(), '*');
        QCOMPARE(out, "a " + stars + " b " + stars + stars + " c");
    }

    void findsAKeyCutAtEveryByte() {
        const std::string text = "data: " + kKey + "\n\n";
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            SecretMasker masker{Secret(kKey)};
            const std::string out = feedAll(masker, {text.substr(0, cut), text.substr(cut)});
            QCOMPARE(out.size(), text.size());
            QVERIFY2(out.find("CANARY") == std::string::npos, out.c_str());
        }
    }

    void findsAKeyByteByByte() {
        SecretMasker masker{Secret(kKey)};
        std::string out;
        for (const char c : "x" + kKey + "y")
            out += masker.feed(std::string(1, c));
        out += masker.flush();
        // At most the first three bytes can have passed before it was clear what came.
        QCOMPARE(out, "xsk-" + std::string(kKey.size() - 3, '*') + "y");
    }

    void losesNothingOfWhatOnlyLooksLikeTheKey() {
        const std::string text = "sk-CANAR " + kKey + "sk-CAN sk-sk-sk-CANAR 789-abab -CANARY-0";
        std::string expected = text;
        expected.replace(expected.find(kKey), kKey.size(), std::string(kKey.size(), '*'));
        for (std::size_t step = 4; step < text.size(); ++step) {
            SecretMasker masker{Secret(kKey)};
            std::vector<std::string> reads;
            for (std::size_t at = 0; at < text.size(); at += step)
                reads.push_back(text.substr(at, step));
            const std::string out = feedAll(masker, reads);
            QCOMPARE(out.size(), text.size());
            for (std::size_t i = 0; i < out.size(); ++i)
                QVERIFY(out[i] == text[i] || (out[i] == '*' && expected[i] == '*'));
        }
    }

    void masksAKeyWithoutItsEndOrItsBeginning() {
        const auto masked = [](const std::string& part) {
            const std::string out = SecretMasker{Secret(kKey)}.maskWhole("You gave " + part + ", wrong.");
            return out.substr(9, part.size());
        };
        for (std::size_t size = JoinedMasker::kPassedCharacters + 1; size <= kKey.size(); ++size)
            QCOMPARE(masked(kKey.substr(0, size)), std::string(size, '*'));
        for (std::size_t from = 0; from <= kKey.size() / 2; ++from) {
            const std::string out = masked(kKey.substr(from));
            QVERIFY2(out.ends_with(std::string(kKey.size() - kKey.size() / 2, '*')), out.c_str());
        }
        std::string quoted;
        for (const char c : kKey)
            quoted += fmt::format("%{:02X}", static_cast<unsigned>(c));
        QCOMPARE(masked(quoted), std::string(quoted.size(), '*'));
    }

    void masksSeveralKeys() {
        const std::string other = "gsk_other-key-0123456";
        SecretMasker masker{std::vector<Secret>{Secret(kKey), Secret(other)}};
        QCOMPARE(feedAll(masker, {"a " + other.substr(0, 9), other.substr(9) + " b " + kKey}),
                 "a " + std::string(other.size(), '*') + " b " + std::string(kKey.size(), '*'));
    }

    void holdsBackOnlyWhatMayBecomeTheKey() {
        SecretMasker masker{Secret(kKey)};
        QCOMPARE(masker.feed("hello sk-"), std::string("hello sk-"));
        QCOMPARE(masker.feed("hello sk-C"), std::string("hello "));
        QCOMPARE(masker.feed("x"), std::string("sk-Cx"));
        QCOMPARE(masker.flush(), std::string());
        QCOMPARE(masker.feed("end sk-CAN"), std::string("end "));
        QCOMPARE(masker.flush(), std::string("sk-CAN"));
    }

    void masksBase64() {
        const std::string encoded = QByteArray::fromStdString(kKey).toBase64().toStdString();
        SecretMasker masker{Secret(kKey)};
        const std::string out = masker.maskWhole("Basic " + encoded);
        QVERIFY(out.find(encoded.substr(0, encoded.size() / 2)) == std::string::npos);
        QCOMPARE(out.size(), encoded.size() + 6);
    }

    void leavesPlaceholdersAndNoKeyAlone() {
        SecretMasker shortKey{Secret(std::string("EMPTY"))};
        QCOMPARE(shortKey.maskWhole("EMPTY words"), std::string("EMPTY words"));
        SecretMasker none;
        QCOMPARE(none.feed("any text"), std::string("any text"));
    }
};

QTEST_APPLESS_MAIN(TestSecretMasker)
#include "tst_secret_masker.moc"
