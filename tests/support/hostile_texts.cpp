#include "tests/support/hostile_texts.h"

#include "tests/support/test_paths.h"

#include <fstream>

namespace decodescope::test {

namespace {

std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        const char kind = text.at(++i);
        if (kind == 'x') {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            out += kind == 'n' ? '\n' : kind == 'r' ? '\r' : kind == 't' ? '\t' : kind;
        }
    }
    return out;
}

} // namespace

std::vector<std::pair<std::string, std::string>> hostileTexts() {
    std::vector<std::pair<std::string, std::string>> all;
    std::ifstream file(testData("hostile_texts.txt"));
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find('\t');
        const std::size_t second = line.find('\t', first + 1);
        if (line.starts_with('#') || second == std::string::npos)
            continue;
        const std::string once = unescaped(line.substr(second + 1));
        std::string text;
        for (int n = std::stoi(line.substr(first + 1)); n > 0; --n)
            text += once;
        all.emplace_back(line.substr(0, first), std::move(text));
    }
    return all;
}

} // namespace decodescope::test
