// Server-sent events alone.
#include "core/wire/sse_decoder.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/wire_input.h"

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;

namespace {

class Told final : public SseSink {
public:
    void onSseEvent(std::string_view name, std::string_view data) override {
        expect(data.find_first_not_of(" \t\r\n") != std::string_view::npos, "an event has data");
        expect(name.find_first_of("\r\n") == std::string_view::npos, "a name is one line");
        expect(data.find('\r') == std::string_view::npos, "CR ends lines");
        text.append("event ").append(name).append("|").append(data).append("\n");
    }
    void onSseComment(std::string_view comment) override {
        expect(comment.find_first_of("\r\n") == std::string_view::npos, "a comment is one line");
        text.append("comment ").append(comment).append("\n");
    }
    void onSseErrorField(std::string_view data) override { text.append("error ").append(data).append("\n"); }
    void onSseBareJson(std::string_view object) override {
        expect(object.front() == '{', "an object begins with its bracket");
        text.append("bare ").append(object).append("\n");
    }
    std::string text;
};

std::string read(std::string_view bytes, const std::vector<std::size_t>& cuts, std::size_t limit) {
    Told told;
    SseDecoder decoder(told, limit);
    SseDecoder::Status status = SseDecoder::Status::open;
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
        const std::size_t to = std::min(end, bytes.size());
        status = decoder.feed(bytes.substr(begin, to - begin));
        begin = to;
    }
    const SseDecoder::Tail tail = decoder.finish();
    return told.text + std::to_string(static_cast<int>(status)) + std::to_string(static_cast<int>(tail));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = plainInput(data, size);
    for (const std::size_t limit : {std::size_t{64}, std::size_t{1} << 20}) {
        const std::string whole = read(bytes, {bytes.size()}, limit);
        expect(read(bytes, everyByte(bytes.size()), limit) == whole, "the same events in every cut", whole);
    }
    return 0;
}
