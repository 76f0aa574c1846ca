#include "engine/cli/facts_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace decodescope::engine {

namespace {

using nlohmann::ordered_json;

template <class T> ordered_json valueOrNull(const std::optional<T>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json textOrNull(const std::string& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

/// Three digits and a unit out of `units`, each 1000 times the one before it.
std::string inUnits(std::uint64_t value, const std::array<std::string_view, 6>& units) {
    auto number = static_cast<double>(value);
    std::size_t unit = 0;
    while (number >= 999.5 && unit + 1 < units.size()) {
        number /= 1'000;
        ++unit;
    }
    const int decimals = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}{}{}", number, decimals, units[unit].empty() ? "" : " ", units[unit]);
}

std::string orUnknown(const std::optional<std::uint64_t>& value) {
    return value ? fmt::format("{}", *value) : "?";
}

class Page {
public:
    void line(std::string_view name, const std::string& value) { m_text += fmt::format("{:<18}{}\n", name, value); }
    void text(const std::string& line) { m_text += line + "\n"; }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

void typeLines(Page& page, const ModelFacts& facts) {
    std::string_view name = "Quantisation";
    for (const ModelFacts::TypeShare& share : facts.types) {
        page.line(name,
                  fmt::format("{:<8}{:>5} tensor{} {:>9}  {}", share.type, share.tensors,
                              share.tensors == 1 ? " " : "s", bytesInWords(share.bytes), countInWords(share.elements)));
        name = "";
    }
}

} // namespace

std::string bytesInWords(std::uint64_t bytes) {
    return inUnits(bytes, {"B", "kB", "MB", "GB", "TB", "PB"});
}

std::string countInWords(std::uint64_t count) {
    return inUnits(count, {"", "k", "M", "B", "T", "quadrillion"});
}

std::string factsAsJson(const ModelFacts& facts) {
    ordered_json types = ordered_json::object();
    for (const ModelFacts::TypeShare& share : facts.types)
        types[share.type] = share.tensors;
    const ordered_json out{
        {"supported", facts.supported()},
        {"reason", facts.refusal ? ordered_json(facts.refusal->message) : ordered_json(nullptr)},
        {"architecture", textOrNull(facts.architecture)},
        {"name", facts.name},
        {"types", types},
        {"parameters_total", facts.parametersTotal},
        {"parameters_active", facts.parametersActive},
        {"context", valueOrNull(facts.context)},
        {"vocabulary", valueOrNull(facts.vocabulary)},
        {"tokenizer", textOrNull(facts.tokenizer)},
        {"bytes_per_token", facts.bytesPerToken},
        {"kv_bytes_per_token", valueOrNull(facts.kvBytesPerToken)},
        {"chat_template", textOrNull(facts.chat)},
        {"chat_reason", textOrNull(facts.chatRefusal)},
        {"license", textOrNull(facts.license)},
        {"file_bytes", facts.fileBytes},
        {"version", facts.version},
    };
    return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string factsAsPage(const ModelFacts& facts) {
    Page page;
    page.text(facts.name);
    page.text(fmt::format("{}  {}, GGUF version {}", facts.path, bytesInWords(facts.fileBytes), facts.version));
    page.text("");
    page.line("Supported", facts.supported() ? "yes" : "no: " + facts.refusal->message);
    page.line("Architecture", facts.architecture.empty() ? "not said" : facts.architecture);
    page.line("Shape",
              fmt::format("{} layers, width {}, {} heads over {}", orUnknown(facts.layers), orUnknown(facts.embedding),
                          orUnknown(facts.heads), orUnknown(facts.kvHeads ? facts.kvHeads : facts.heads)));
    page.line("Parameters", facts.parametersActive == facts.parametersTotal
                                ? countInWords(facts.parametersTotal)
                                : fmt::format("{}, {} active per token", countInWords(facts.parametersTotal),
                                              countInWords(facts.parametersActive)));
    typeLines(page, facts);
    page.line("Context", facts.context ? fmt::format("{} tokens", *facts.context) : "not said");
    page.line("Vocabulary", facts.vocabulary ? fmt::format("{} tokens", *facts.vocabulary) : "none");
    page.line("Tokenizer", facts.tokenizer.empty() ? "none of ours" : facts.tokenizer);
    page.line("Chat", facts.chat.empty() && facts.chatRefusal.empty() ? "needs a tokenizer"
                      : facts.chat.empty()                            ? "no: " + facts.chatRefusal
                                                                      : facts.chat);
    page.line("Bytes per token", bytesInWords(facts.bytesPerToken) + " of weights" +
                                     (facts.kvBytesPerToken ? fmt::format(", and {} of cache per position",
                                                                          bytesInWords(*facts.kvBytesPerToken))
                                                            : ""));
    page.line("License", facts.license.empty() ? "not said" : facts.license);
    return page.take();
}

} // namespace decodescope::engine
