// Heads, transfer codings and content codings: whatever the protocol, the response begins with its status line.
#include "core/wire/http_reader.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/wire_input.h"

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;

namespace {

/// What a reader tells, in one text.
class Told final : public HttpSink {
public:
    void onHttpHead(const ResponseHead& head, std::string_view reason) override {
        expect(!m_head && !m_end, "one head, before the end");
        m_head = true;
        text += std::to_string(head.status) + " " + std::string(reason) + "\n";
        for (const auto& [name, value] : head.headers)
            text.append(name).append(": ").append(value).append("\n");
    }
    void onHttpBody(std::string_view bytes) override {
        expect(m_head && !m_end, "a body stands between head and end");
        body += bytes;
    }
    void onHttpEnd() override {
        expect(m_head && !m_end, "one end, after the head");
        m_end = true;
    }
    std::string text, body;

private:
    bool m_head = false;
    bool m_end = false;
};

std::string read(std::string_view bytes, const std::vector<std::size_t>& cuts) {
    Told told;
    HttpReader reader(told, 300);
    HttpReader::Status status = HttpReader::Status::open;
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
        const std::size_t to = std::min(end, bytes.size());
        if (to > begin && (status == HttpReader::Status::open || status == HttpReader::Status::done))
            status = reader.feed(bytes.substr(begin, to - begin));
        begin = std::max(begin, to);
    }
    const bool proper = reader.finish();
    return told.text + "|" + told.body + "|" + std::to_string(static_cast<int>(status)) + (proper ? "|proper" : "|cut");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    WireInput input = readWireInput(data, size);
    input.options.framing = Framing::http;
    checkStream(input);
    const std::string whole = read(input.bytes, {input.bytes.size()});
    expect(read(input.bytes, everyByte(input.bytes.size())) == whole, "the same body in every cut", whole);
    return 0;
}
