#pragma once

#include "core/wire/json_cutter.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/wire_input.h"

#include <algorithm>

namespace decodescope::test {

/// Collects what a cutter hands on.
class Texts final : public JsonTextSink {
public:
    void onJsonText(std::string_view text) override {
        engine::test::expect(text.find_first_not_of(" \t\r\n") != std::string_view::npos, "no text is blank");
        texts.emplace_back(text);
    }
    void onArrayEnd() override { ++ends; }
    std::vector<std::string> texts;
    int ends = 0;

    friend bool operator==(const Texts& a, const Texts& b) { return a.texts == b.texts && a.ends == b.ends; }
};

/// What a cutter makes of bytes whose reads end at the cuts; `open`: no limit was passed.
template <class Cutter>
Texts cutTexts(std::string_view bytes, const std::vector<std::size_t>& cuts, std::size_t limit, bool& open) {
    Texts texts;
    Cutter cutter(texts, limit);
    open = true;
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
        const std::size_t to = std::min(end, bytes.size());
        open = cutter.feed(bytes.substr(begin, to - begin)) == Cutter::Status::open;
        begin = to;
    }
    (void)cutter.finish();
    return texts;
}

/// The same texts in every cut, with a tight limit and without. Returns those of the whole without limit.
template <class Cutter> Texts checkCuts(std::string_view bytes) {
    bool open = true;
    for (const std::size_t limit : {std::size_t{64}, std::size_t{1} << 20}) {
        const Texts whole = cutTexts<Cutter>(bytes, {bytes.size()}, limit, open);
        bool cutOpen = true;
        const Texts cut = cutTexts<Cutter>(bytes, everyByte(bytes.size()), limit, cutOpen);
        engine::test::expect(whole == cut && open == cutOpen, "the same texts in every cut");
        if (limit > bytes.size())
            return whole;
    }
    return {};
}

} // namespace decodescope::test
