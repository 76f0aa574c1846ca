#include "tests/app/wire_forms.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

const std::string kStreamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

std::string withCrLf(const std::string& stream) {
    std::string out;
    for (const char c : stream)
        out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

/// Without the empty line that ends the last event.
std::string withoutLastLine(std::string stream) {
    stream.resize(stream.size() - 2);
    return stream;
}

class Rules {
public:
    Rules(const WireForm& form, std::vector<WireCase>& out)
        : m_form(form)
        , m_out(out)
        , m_stream(form.opening + form.text("Sea ") + form.text("gull") + form.closing) {}

    void framing();
    void characters();
    void deltas();
    void ends();
    void errors();
    void http();

private:
    void add(const std::string& name, std::string bytes, json expected) {
        WireCase& c = m_out.emplace_back();
        c.id = m_form.protocol + ": " + name;
        c.protocol = m_form.protocol;
        c.bytes = std::move(bytes);
        c.expected = std::move(expected);
    }
    [[nodiscard]] int events(int between) const { return m_form.openingEvents + between + m_form.closingEvents; }
    /// What the plain stream is, however it is wrapped.
    [[nodiscard]] json plain() const {
        return {{"status", "complete"},
                {"error_kind", nullptr},
                {"text", "Sea gull"},
                {"token_events", 2},
                {"finish", m_form.finish},
                {"first_token_event", m_form.openingEvents},
                {"first_answer_event", m_form.openingEvents},
                {"reasoning", ""},
                {"refusal", ""},
                {"tool_calls", json::array()}};
    }
    [[nodiscard]] json with(json expected, const json& more) const {
        expected.update(more);
        return expected;
    }

    const WireForm& m_form;
    std::vector<WireCase>& m_out;
    std::string m_stream;
};

void Rules::framing() {
    add("plain", m_stream, with(plain(), {{"events", events(2)}}));
    add("CRLF", withCrLf(m_stream), with(plain(), {{"events", events(2)}}));
    add("byte order mark", "\xEF\xBB\xBF" + m_stream, with(plain(), {{"events", events(2)}}));
    add("comments and empty events between",
        ": up\n\n" + m_form.opening + "id: 1\n\nretry: 5\n\nevent: ping\n\n: again\n\ndata\n\n" + m_form.text("Sea ") +
            ":\n\n" + m_form.text("gull") + m_form.closing,
        with(plain(), {{"events", events(2)}}));
    add("a comment in a data line",
        m_form.opening + "data: : keep-alive\n\n" + m_form.text("Sea ") + m_form.text("gull") + m_form.closing,
        with(plain(), {{"events", events(2)}, {"warnings", {"wrapped_comment"}}}));
    add("what is no JSON is counted and skipped",
        m_form.opening + m_form.text("Sea ") + dataEvent("{oops") + m_form.text("gull") + m_form.closing,
        with(plain(), {{"events", events(3)}, {"warnings", {"bad_json"}}}));
    add("other JSON is counted and says nothing",
        m_form.opening + m_form.text("Sea ") + dataEvent("[]") + dataEvent("null") + dataEvent("7") +
            dataEvent("\"x\"") + dataEvent("{}") + m_form.text("gull") + m_form.closing,
        with(plain(), {{"events", events(7)}}));
    add("the last blank line is missing", withoutLastLine(m_stream) + "\n",
        with(plain(), {{"events", events(2)}, {"warnings", {"unterminated_tail"}}}));
}

void Rules::characters() {
    add("a pair of surrogates over two events",
        m_form.opening + m_form.text(R"(a\ud83d)") + m_form.text(R"(\ude00b)") + m_form.closing,
        {{"status", "complete"},
         {"text", "a\xF0\x9F\x98\x80"
                  "b"},
         {"warnings", {"lone_surrogate"}}});
    add("bytes that are no UTF-8",
        m_form.opening +
            m_form.text("a\xFF"
                        "b") +
            m_form.text(" c") + m_form.closing,
        {{"status", "complete"},
         {"text", "a\xEF\xBF\xBD"
                  "b c"},
         {"warnings", {"invalid_utf8"}}});
    add("the server's own replacement",
        m_form.opening +
            m_form.text("a\xEF\xBF\xBD"
                        "b") +
            m_form.text(" c") + m_form.closing,
        {{"status", "complete"},
         {"text", "a\xEF\xBF\xBD"
                  "b c"},
         {"warnings", {"replacement_char"}}});
    add("U+2028 is no line end",
        m_form.opening +
            m_form.text("a\xE2\x80\xA8"
                        "b") +
            m_form.text(" c") + m_form.closing,
        {{"status", "complete"},
         {"text", "a\xE2\x80\xA8"
                  "b c"},
         {"token_events", 2}});
}

void Rules::deltas() {
    add("empty text is no token",
        m_form.opening + m_form.text("") + m_form.text("") + m_form.text("Sea ") + m_form.text("") +
            m_form.text("gull") + m_form.closing,
        with(plain(), {{"events", events(5)},
                       {"first_token_event", m_form.openingEvents + 2},
                       {"first_answer_event", m_form.openingEvents + 2}}));
    add("three in one read", m_form.opening + m_form.text("a") + m_form.text("b") + m_form.text("c") + m_form.closing,
        {{"text", "abc"}, {"token_events", 3}, {"warnings", {"burst"}}});
}

void Rules::ends() {
    if (m_form.tellsItsEnd) {
        add("a clean end without a finish", m_form.opening + m_form.text("Sea ") + m_form.text("gull"),
            {{"status", "incomplete"},
             {"error_kind", "truncated"},
             {"text", "Sea gull"},
             {"finish", nullptr},
             {"events", m_form.openingEvents + 2}});
        add("nothing at all", m_form.opening + ": bye\n\n",
            {{"status", "incomplete"},
             {"error_kind", "truncated"},
             {"text", ""},
             {"token_events", 0},
             {"first_token_event", nullptr}});
    } else {
        add("a clean end is all there is", m_stream,
            with(plain(), {{"warnings", {"no_finish_in_protocol"}}, {"finish", nullptr}}));
    }
    add("a [DONE], asked for or not", m_stream + doneEvent(), with(plain(), {{"events", events(3)}}));
    add("data after [DONE]", m_stream + doneEvent() + m_form.text("ghost") + doneEvent(),
        with(plain(), {{"events", events(3)}, {"warnings", {"data_after_done"}}}));
    if (m_form.closingIsEnd)
        add("data after the end", m_stream + m_form.text("ghost"),
            with(plain(), {{"events", events(2)}, {"warnings", {"data_after_done"}}}));
}

void Rules::errors() {
    const json failed{{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "engine lost"},
                      {"text", "Sea "},    {"token_events", 1},         {"http_status", 200}};
    add("an error inside the stream", m_form.opening + m_form.text("Sea ") + m_form.errorEvent,
        with(failed, {{"events", m_form.openingEvents + 2}}));
    add("an error wins over the end that follows",
        m_form.opening + m_form.text("Sea ") + dataEvent(R"({"error":{"message":"engine lost"}})") + m_form.closing +
            doneEvent(),
        failed);
    add("an error by the name of its event",
        m_form.opening + m_form.text("Sea ") + "event: error\ndata: {\"message\":\"engine lost\"}\n\n", failed);
    add("an error field", m_form.opening + m_form.text("Sea ") + "error: {\"message\":\"engine lost\"}\n\n",
        with(failed, {{"events", m_form.openingEvents + 1}}));
    add("an error as a string", m_form.opening + m_form.text("Sea ") + dataEvent(R"({"error":"engine lost"})"), failed);
}

void Rules::http() {
    const json whole{{"status", "complete"},
                     {"text", "whole one"},
                     {"events", 1},
                     {"token_events", 0},
                     {"first_token_event", nullptr},
                     {"finish", m_form.finish},
                     {"warnings", {"not_streamed"}},
                     {"tokens_per_event", nullptr}};
    add("a whole answer", httpAnswer("200 OK", "content-type: application/json\r\n", m_form.whole), whole);
    add("a whole answer without a type", httpAnswer("200 OK", "", m_form.whole), whole);
    add("an error under 200", httpAnswer("200 OK", "content-type: application/json\r\n", R"({"error":"engine lost"})"),
        {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "engine lost"}, {"text", ""}});
    add("another type", "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n" + m_stream,
        with(plain(), {{"warnings", {"content_type_mismatch"}}}));
    add("a page", httpAnswer("200 OK", "content-type: text/html\r\n", "<html><title>Log in</title></html>"),
        {{"status", "error"}, {"error_kind", "bad_content_type"}, {"error_message", "Log in"}, {"events", 0}});
    add("429",
        httpAnswer("429 Too Many Requests", "content-type: application/json\r\nretry-after: 7\r\n",
                   R"({"error":{"message":"slow down","type":"rate_limit"}})"),
        {{"status", "error"},
         {"error_kind", "rate_limited"},
         {"retry_after_ms", 7000},
         {"error_message", "slow down"},
         {"error_code", "rate_limit"},
         {"http_status", 429},
         {"events", 0}});
    const std::string begun = m_form.opening + m_form.text("Sea ") + m_form.text("gull");
    add("cut off inside its length",
        kStreamHead + "content-length: " + std::to_string(m_stream.size() + 5) + "\r\n\r\n" + begun,
        {{"status", "error"}, {"error_kind", "connection_closed"}, {"text", "Sea gull"}, {"token_events", 2}});
}

} // namespace

std::vector<WireCase> formRules() {
    static const std::vector<WireForm> forms = wireForms();
    std::vector<WireCase> out;
    for (const WireForm& form : forms) {
        Rules rules(form, out);
        rules.framing();
        rules.characters();
        rules.deltas();
        rules.ends();
        rules.errors();
        rules.http();
    }
    return out;
}

} // namespace decodescope::test
