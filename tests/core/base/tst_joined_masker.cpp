#include "core/base/secret_masker.h"

#include <QtTest>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

using namespace decodescope;

namespace {

const std::string kKey = "DSCANARY-01/23456789+abcdefXYZ";

std::string said(const std::string& text) {
    return "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text +
           "\"},\"finish_reason\":null}]}\n\n";
}

std::string chunk(const std::string& body) {
    return fmt::format("{:x}\r\n{}\r\n", body.size(), body);
}

/// What a reader of the stream would put together: the values of "content", chunk framing and escapes undone.
std::string joined(std::string wire) {
    std::string body;
    for (std::size_t at = 0; at < wire.size();) { // chunks, if it is chunked at all
        const std::size_t line = wire.find("\r\n", at);
        if (line == std::string::npos) {
            body += wire.substr(at);
            break;
        }
        const std::size_t size = std::stoul(wire.substr(at, line - at), nullptr, 16);
        body += wire.substr(line + 2, size);
        at = line + 2 + size + 2;
    }
    std::string text;
    const std::string opening = "\"content\":\"";
    for (std::size_t at = body.find(opening); at != std::string::npos; at = body.find(opening, at)) {
        for (at += opening.size(); at < body.size() && body[at] != '"'; ++at) {
            if (body[at] != '\\') {
                text += body[at];
            } else if (body[at + 1] == 'u') {
                text += static_cast<char>(std::stoul(body.substr(at + 2, 4), nullptr, 16));
                at += 5;
            } else {
                text += body[++at];
            }
        }
    }
    return text;
}

std::string feed(SecretMasker& masker, const std::string& wire, const std::vector<std::size_t>& cuts) {
    std::string out;
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
        out += masker.feed(std::string_view(wire).substr(from, cut - from));
        from = cut;
    }
    out += masker.feed(std::string_view(wire).substr(from));
    return out + masker.flush();
}

/// No more of the key is left than its first characters.
bool hidden(const std::string& text) {
    return text.find(kKey.substr(0, JoinedMasker::kPassedCharacters + 1)) == std::string::npos &&
           text.find(kKey.substr(JoinedMasker::kPassedCharacters + 3)) == std::string::npos;
}

} // namespace

class TestJoinedMasker : public QObject {
    Q_OBJECT

private slots:
    void hidesAKeyCutOverEvents() {
        for (std::size_t piece = 1; piece < kKey.size(); ++piece) {
            std::string wire = said("the key: ");
            std::vector<std::size_t> cuts;
            for (std::size_t at = 0; at < kKey.size(); at += piece) {
                wire += said(kKey.substr(at, piece));
                cuts.push_back(wire.size());
            }
            wire += said(" was it");
            for (const bool readsApart : {false, true}) {
                SecretMasker masker{Secret(kKey)};
                const std::string out = feed(masker, wire, readsApart ? cuts : std::vector<std::size_t>{});
                QCOMPARE(out.size(), wire.size());
                const std::string text = joined(out);
                QVERIFY2(hidden(text), text.c_str());
                QVERIFY(text.starts_with("the key: "));
                QVERIFY(text.ends_with(" was it"));
            }
        }
    }

    void hidesAKeyCutByChunks() {
        const std::string whole = said("a " + kKey + " b");
        for (std::size_t at = 1; at < whole.size(); ++at) {
            const std::string wire = chunk(whole.substr(0, at)) + chunk(whole.substr(at));
            SecretMasker masker{Secret(kKey)};
            const std::string out = feed(masker, wire, {});
            QCOMPARE(joined(out), "a " + std::string(kKey.size(), '*') + " b");
        }
    }

    void hidesEverySpellingCutByEventsAndChunks() {
        const QByteArray key = QByteArray::fromStdString(kKey);
        const QByteArray quoted = key.toPercentEncoding();
        for (const QByteArray& spelt : {key.toBase64(), ("a" + key).toBase64(), ("ab" + key + "!").toBase64(), quoted,
                                        QByteArray(quoted).replace("%2F", "%2f").replace("%2B", "%2b")}) {
            for (std::size_t piece = 1; piece < 7; ++piece) {
                std::string events, chunks;
                const std::string whole = said("x" + spelt.toStdString());
                for (std::size_t at = 0; at < static_cast<std::size_t>(spelt.size()); at += piece)
                    events += said(spelt.toStdString().substr(at, piece));
                for (std::size_t at = 0; at < whole.size(); at += piece)
                    chunks += chunk(whole.substr(at, piece));
                for (const std::string& wire : {events, chunks}) {
                    SecretMasker masker{Secret(kKey)};
                    const std::string out = feed(masker, wire, {});
                    QCOMPARE(out.size(), wire.size());
                    const std::string text = joined(out);
                    for (qsizetype i = JoinedMasker::kPassedCharacters; i + 16 < spelt.size(); ++i)
                        QVERIFY2(text.find(spelt.mid(i, 12).toStdString()) == std::string::npos, text.c_str());
                }
            }
        }
    }

    void hidesAKeyInPlainTextCutByChunks() {
        const std::string page = "<title>wrong key " + kKey + "</title>";
        for (std::size_t at = 18; at < 18 + kKey.size(); ++at) {
            const std::string wire = chunk(page.substr(0, at)) + chunk(page.substr(at));
            SecretMasker masker{Secret(kKey)};
            const std::string out = feed(masker, wire, {});
            QCOMPARE(out.size(), wire.size());
            const std::string second = page.substr(at, 17 + kKey.size() - at);
            if (at - 17 > 1 && second.size() > 1)
                QVERIFY2(out.find(second + "</title>") == std::string::npos, out.c_str());
        }
    }

    void hidesEscapesHoweverTheReadsFall() {
        std::string escaped;
        for (const char c : kKey)
            escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        std::string slashed = kKey;
        slashed.replace(slashed.find('/'), 1, "\\/");
        for (const std::string& spelt : {escaped, slashed}) {
            const std::string wire = said("x" + spelt + "y");
            for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
                SecretMasker masker{Secret(kKey)};
                const std::string out = feed(masker, wire, {cut});
                QCOMPARE(out.size(), wire.size());
                const std::string text = joined(out);
                QVERIFY2(hidden(text), text.c_str());
                QVERIFY(text.front() == 'x' && text.back() == 'y');
            }
        }
    }

    void hidesHtmlReferencesHoweverTheReadsFall() {
        std::string decimal, hex, mixed;
        for (const char c : kKey) {
            decimal += fmt::format("&#{};", static_cast<unsigned>(c));
            hex += fmt::format("&#x{:X};", static_cast<unsigned>(c));
            mixed += c == '-' || c == '+' ? fmt::format("&#{:03};", static_cast<unsigned>(c)) : std::string(1, c);
        }
        for (const std::string& spelt : {decimal, hex, mixed}) {
            for (const std::string& wire : {"<title>wrong key " + spelt + " &amp; more</title>", said("x" + spelt)}) {
                for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
                    SecretMasker masker{Secret(kKey)};
                    const std::string out = feed(masker, wire, {cut});
                    QCOMPARE(out.size(), wire.size());
                    const std::size_t begin = wire.find(spelt);
                    for (std::size_t i = 0; i < wire.size(); ++i) {
                        // The reference that a cut falls into loses what came after the cut only.
                        const bool passed = i < begin || i >= begin + spelt.size();
                        QVERIFY2(!passed || out[i] == wire[i], out.c_str());
                    }
                    // Cut early, so many characters had to pass; cut anywhere else, the rest is gone whole.
                    const std::string tail = out.substr(begin, spelt.size()).substr(spelt.size() / 2);
                    const std::size_t raw = tail.size() - std::count(tail.begin(), tail.end(), '*');
                    QVERIFY2(raw <= 6, out.c_str());
                }
            }
        }
    }

    void hidesNamedReferences() {
        const std::string key = "DSCANARY&0123<4567>89\"a'b";
        SecretMasker masker{Secret(key)};
        const std::string spelt = "DSCANARY&amp;0123&lt;4567&gt;89&quot;a&apos;b";
        const std::string out = feed(masker, "<p>" + spelt + " and &lt;i&gt; stay</p>", {});
        QCOMPARE(out, "<p>" + std::string(spelt.size(), '*') + " and &lt;i&gt; stay</p>");
    }

    void hidesAnyCutOfAnything() {
        std::mt19937 random(20);
        const auto below = [&random](std::size_t n) {
            return std::uniform_int_distribution<std::size_t>(0, n)(random);
        };
        for (int round = 0; round < 400; ++round) {
            std::string wire;
            for (std::size_t at = 0; at < kKey.size();) {
                std::string piece = kKey.substr(at, 1 + below(9));
                at += piece.size();
                if (below(2) == 0)
                    piece.replace(0, 1, fmt::format("\\u{:04x}", static_cast<unsigned>(piece[0])));
                const std::string whole = said(piece);
                const std::size_t middle = 1 + below(whole.size() - 2);
                wire += chunk(whole.substr(0, middle)) + chunk(whole.substr(middle));
            }
            std::vector<std::size_t> cuts;
            for (std::size_t at = 1 + below(40); at < wire.size(); at += 1 + below(40))
                cuts.push_back(at);
            SecretMasker masker{Secret(kKey)};
            const std::string out = feed(masker, wire, cuts);
            QCOMPARE(out.size(), wire.size());
            const std::string text = joined(out);
            QVERIFY2(hidden(text), text.c_str());
        }
    }

    void leavesOtherStreamsAlone() {
        // Beginnings of the key, other members, values between, CRLF lines, unbalanced quotes.
        std::string wire = "HTTP/1.1 200 OK\r\nX-A: \"open\r\n\r\n" + said("DSCAN") + said("DSCANARX") +
                           "data: {\"a\":\"DSCANARY\",\"b\":\"-01/23456789\"}\r\n\r\n" + said("ARY-01/23") +
                           said("\\u00e4\\n\\\"\\\\") + "fade\r\nbad;x\r\n\"";
        for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
            SecretMasker masker{Secret(kKey)};
            QCOMPARE(feed(masker, wire, {cut}), wire);
        }
    }
};

QTEST_APPLESS_MAIN(TestJoinedMasker)
#include "tst_joined_masker.moc"
