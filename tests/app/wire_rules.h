#pragma once

#include "tests/app/wire_case.h"

#include <vector>

namespace decodescope::test {

/// One case for each rule about framing and characters.
[[nodiscard]] std::vector<WireCase> framingRules();
/// About deltas, channels, finish reasons and ends.
[[nodiscard]] std::vector<WireCase> deltaRules();
/// About token counts and server times.
[[nodiscard]] std::vector<WireCase> countRules();
/// About HTTP: errors, content types, codings.
[[nodiscard]] std::vector<WireCase> httpRules();
/// About heads that only tools write: HTTP/2, chunks removed, several heads in a row.
[[nodiscard]] std::vector<WireCase> captureRules();
/// About Gemini, by events and by array.
[[nodiscard]] std::vector<WireCase> geminiRules();
/// About Ollama and lines of JSON; about bodies that are refused.
[[nodiscard]] std::vector<WireCase> ollamaRules();
/// What holds for every API, said by each in its own way.
[[nodiscard]] std::vector<WireCase> formRules();
/// What holds for one API alone.
[[nodiscard]] std::vector<WireCase> responsesRules();
[[nodiscard]] std::vector<WireCase> anthropicRules();
/// llama.cpp, SGLang, TGI, Triton, Cohere.
[[nodiscard]] std::vector<WireCase> nativeRules();
/// What vendors add to chat, and how they tell errors.
[[nodiscard]] std::vector<WireCase> vendorRules();

/// An event of the chat API whose choice 0 has this delta and finish reason (JSON texts).
[[nodiscard]] std::string chatEvent(const std::string& delta, const std::string& finish = "null",
                                    const std::string& more = "");
/// The same for content alone.
[[nodiscard]] std::string textEvent(const std::string& text, const std::string& finish = "null");
[[nodiscard]] std::string dataEvent(const std::string& data);
[[nodiscard]] std::string doneEvent();
/// An HTTP answer with a Content-Length.
[[nodiscard]] std::string httpAnswer(const std::string& statusLine, const std::string& headers,
                                     const std::string& body);

} // namespace decodescope::test
