#include "engine/chat/chat_template.h"
#include "engine/gguf/gguf_file.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

/// The tokenizer of a file as a program that tests against llama.cpp ask. One JSON request a line on stdin, one JSON
/// answer a line on stdout:
///   {"parts":[{"hex":"...","parse":true}],"add_special":true}  ->  {"ids":[...]}
///   {"ids":[...]}                                              ->  {"hex":"..."}  the bytes, control tokens shown
///   {"pieces":true}                                            ->  {"hex":[...]}  the bytes of every token, likewise
///   {"template":"...","messages":[{"role":"...","content":"..."}],"thinking":true|false|null}
///                                                              ->  {"family":"...","prompt":"..."} or {"error":"..."}
namespace {

using namespace decodescope::engine;

std::string fromHex(const std::string& hex) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

std::string toHex(const std::string& bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 15];
    }
    return hex;
}

nlohmann::json chat(const Tokenizer& tokenizer, const nlohmann::json& request) {
    const auto recognised = ChatTemplate::recognise(request["template"].get<std::string>(), tokenizer);
    if (!recognised) {
        return {{"error", recognised.error().message}};
    }
    std::vector<ChatMessage> messages;
    for (const auto& message : request["messages"]) {
        messages.push_back({message["role"], message["content"]});
    }
    ChatOptions options;
    if (request["thinking"].is_boolean()) {
        options.thinking = request["thinking"].get<bool>();
    }
    const auto parts = (*recognised)->render(messages, options);
    if (!parts) {
        return {{"family", (*recognised)->family()}, {"error", parts.error().message}};
    }
    std::string prompt;
    for (const PromptPart& part : *parts) {
        prompt += part.text;
    }
    return {{"family", (*recognised)->family()}, {"prompt", prompt}};
}

nlohmann::json answer(const Tokenizer& tokenizer, const nlohmann::json& request) {
    if (request.contains("ids")) {
        return {{"hex", toHex(tokenizer.decode(request["ids"].get<std::vector<TokenId>>(), true))}};
    }
    if (request.contains("pieces")) {
        nlohmann::json pieces = nlohmann::json::array();
        for (TokenId id = 0; id < tokenizer.size(); ++id) {
            pieces.push_back(toHex(std::string(tokenizer.bytesOf(id, true))));
        }
        return {{"hex", pieces}};
    }
    if (request.contains("template")) {
        return chat(tokenizer, request);
    }
    std::vector<PromptPart> parts;
    for (const auto& part : request["parts"]) {
        parts.push_back({fromHex(part["hex"]), part["parse"].get<bool>() ? SpecialText::parse : SpecialText::asText});
    }
    return {{"ids", tokenizer.encode(parts, request["add_special"].get<bool>())}};
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("text_probe FILE\n", stderr);
        return 2;
    }
    const auto file = GgufFile::open(argv[1]);
    const auto tokenizer = file ? Tokenizer::fromGguf(**file) : tl::unexpected<Error>(file.error());
    if (!tokenizer) {
        std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
        return exitStatusOf(tokenizer.error().code);
    }
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << answer(**tokenizer, nlohmann::json::parse(line)).dump() << '\n' << std::flush;
    }
    return 0;
}
