#include "core/source/endpoint_preset.h"
#include "core/source/request_form.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace decodescope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostDepth = 16;
constexpr int kSchema = 1;

/// Reads one preset and remembers the first thing that is wrong with it.
class PresetReader {
public:
    explicit PresetReader(std::string where)
        : m_where(std::move(where)) {}

    EndpointPreset read(const Json& object) {
        EndpointPreset preset;
        allow(object,
              {"id", "name", "note", "url", "url_form", "protocols", "auth", "headers", "key_variables", "url_variable",
               "lists_models", "think_tags", "cumulative", "extras", "options", "rename", "omit"});
        preset.id = text(object, "id", Need::needed);
        if (!preset.id.empty())
            m_where = fmt::format("The preset \"{}\"", preset.id);
        if (!isId(preset.id))
            wrong("id", "letters, digits, dots and dashes");
        preset.name = text(object, "name", Need::needed);
        preset.note = text(object, "note");
        preset.url = address(object, "url");
        preset.urlForm = address(object, "url_form", Need::needed);
        preset.protocols = texts(object, "protocols");
        if (preset.protocols.empty() || !std::all_of(preset.protocols.begin(), preset.protocols.end(), isProtocol))
            wrong("protocols", "at least one known protocol");
        readAuth(object, preset);
        readHeaders(object, preset);
        preset.keyVariables = texts(object, "key_variables");
        preset.urlVariable = text(object, "url_variable");
        for (const std::string& variable : preset.keyVariables) {
            if (!isVariable(variable))
                wrong("key_variables", "names of environment variables");
        }
        if (!preset.urlVariable.empty() && !isVariable(preset.urlVariable))
            wrong("url_variable", "the name of an environment variable");
        preset.listsModels = flag(object, "lists_models", true);
        preset.thinkTags = flag(object, "think_tags", false);
        preset.cumulative = flag(object, "cumulative", false);
        preset.extras = fields(object, "extras", preset);
        preset.rename = fields(object, "rename", preset);
        preset.omit = texts(object, "omit");
        for (const auto& [protocol, names] : preset.rename) {
            for (const auto& name : Json::parse(names)) {
                if (!name.is_string())
                    wrong("rename", "names by names");
            }
        }
        readOptions(object, preset);
        return preset;
    }

    [[nodiscard]] const std::string& fault() const { return m_fault; }

private:
    enum class Need { needed, optional };

    void wrong(std::string_view member, std::string_view takes) {
        if (m_fault.empty())
            m_fault = fmt::format("{}: \"{}\" takes {}.", m_where, member, takes);
    }
    void allow(const Json& object, std::initializer_list<std::string_view> names) {
        if (!object.is_object()) {
            wrong("presets", "objects");
            return;
        }
        for (const auto& [name, value] : object.items()) {
            if (std::find(names.begin(), names.end(), name) == names.end() && m_fault.empty())
                m_fault = fmt::format("{}: there is no member \"{}\".", m_where, name);
        }
    }
    static const Json* member(const Json& object, const char* name) {
        const auto found = object.is_object() ? object.find(name) : object.end();
        return object.is_object() && found != object.end() ? &*found : nullptr;
    }

    static bool isId(const std::string& text) {
        return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '.' || c == '-';
        });
    }
    static bool isVariable(const std::string& text) {
        return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
            return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
        });
    }
    static bool isProtocol(const std::string& text) { return requestForm(text) != nullptr; }

    std::string text(const Json& object, const char* name, Need need = Need::optional) {
        const Json* value = member(object, name);
        if (value == nullptr && need == Need::optional)
            return {};
        if (value == nullptr || !value->is_string() || value->get_ref<const std::string&>().empty()) {
            wrong(name, "a text");
            return {};
        }
        return value->get<std::string>();
    }
    std::string address(const Json& object, const char* name, Need need = Need::optional) {
        std::string url = text(object, name, need);
        if (!url.empty() && !parseUrl(url))
            wrong(name, "an address");
        return url;
    }
    std::vector<std::string> texts(const Json& object, const char* name) {
        std::vector<std::string> all;
        const Json* list = member(object, name);
        if (list == nullptr)
            return all;
        if (!list->is_array()) {
            wrong(name, "a list of texts");
            return all;
        }
        for (const Json& entry : *list) {
            if (entry.is_string() && !entry.get_ref<const std::string&>().empty())
                all.push_back(entry.get<std::string>());
            else
                wrong(name, "a list of texts");
        }
        return all;
    }
    bool flag(const Json& object, const char* name, bool otherwise) {
        const Json* value = member(object, name);
        if (value == nullptr)
            return otherwise;
        if (!value->is_boolean())
            wrong(name, "true or false");
        return value->is_boolean() ? value->get<bool>() : otherwise;
    }
    FieldsByProtocol fields(const Json& object, const char* name, const EndpointPreset& preset) {
        FieldsByProtocol all;
        const Json* table = member(object, name);
        if (table == nullptr)
            return all;
        if (!table->is_object()) {
            wrong(name, "fields by protocol");
            return all;
        }
        for (const auto& [protocol, value] : table->items()) {
            if (!preset.speaks(protocol) || !value.is_object() || value.empty())
                wrong(name, "fields by a protocol that the preset speaks");
            else
                all.emplace(protocol, value.dump());
        }
        return all;
    }
    void readAuth(const Json& object, EndpointPreset& preset) {
        constexpr std::array<std::pair<std::string_view, AuthHeader>, 5> kNames{
            {{"none", AuthHeader::none},
             {"bearer", AuthHeader::bearer},
             {"x-api-key", AuthHeader::xApiKey},
             {"api-key", AuthHeader::apiKey},
             {"x-goog-api-key", AuthHeader::xGoogApiKey}}};
        const std::string told = text(object, "auth");
        for (const auto& [name, header] : kNames) {
            if (told == name)
                preset.auth = header;
        }
        if (!told.empty() && !preset.auth)
            wrong("auth", "none, bearer, x-api-key, api-key or x-goog-api-key");
    }
    /// Only headers of a vendor's own: none that the request's framing needs, and none that could carry a key.
    void readHeaders(const Json& object, EndpointPreset& preset) {
        const Json* table = member(object, "headers");
        if (table == nullptr)
            return;
        if (!table->is_object())
            return wrong("headers", "values by names");
        for (const auto& [name, value] : table->items()) {
            const bool fit = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
            });
            const bool visible =
                value.is_string() &&
                std::all_of(value.get_ref<const std::string&>().begin(), value.get_ref<const std::string&>().end(),
                            [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
            constexpr std::array<std::string_view, 8> kOurs{
                "host",   "connection",      "content-length",    "content-type",
                "accept", "accept-encoding", "transfer-encoding", "user-agent"};
            const bool ours = std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end();
            const bool secret = name.find("auth") != std::string::npos || name.find("key") != std::string::npos ||
                                name.find("token") != std::string::npos || name.find("cookie") != std::string::npos;
            if (!fit || !visible || ours || secret)
                wrong("headers", "values by names in lower case, none of them a key's or one that we set ourselves");
            else
                preset.headers.emplace_back(name, value.get<std::string>());
        }
    }
    void readOptions(const Json& object, EndpointPreset& preset) {
        const Json* list = member(object, "options");
        if (list == nullptr)
            return;
        if (!list->is_array())
            return wrong("options", "a list");
        for (const Json& entry : *list) {
            allow(entry, {"id", "name", "extras"});
            PresetOption option{text(entry, "id", Need::needed), text(entry, "name", Need::needed),
                                fields(entry, "extras", preset)};
            if (!isId(option.id) || preset.option(option.id) != nullptr || option.extras.empty())
                wrong("options", "ids that differ, each with its extras");
            preset.options.push_back(std::move(option));
        }
    }

    std::string m_where;
    std::string m_fault;
};

} // namespace

Result<std::vector<EndpointPreset>> parsePresets(std::string_view json) {
    bool tooDeep = false;
    const auto watch = [&tooDeep](int depth, Json::parse_event_t, Json&) {
        tooDeep = tooDeep || depth > kMostDepth;
        return !tooDeep;
    };
    if (json.size() > kMostBytes)
        return fail(ErrorCode::malformed, "The presets are larger than a list of presets can be.");
    const Json parsed = Json::parse(json, watch, false);
    if (tooDeep || parsed.is_discarded() || !parsed.is_object())
        return fail(ErrorCode::malformed, "The presets are not a JSON object.");
    if (const auto schema = parsed.find("schema"); schema == parsed.end() || *schema != kSchema)
        return fail(ErrorCode::malformed, fmt::format("The presets are not of schema {}.", kSchema));
    const auto list = parsed.find("presets");
    if (list == parsed.end() || !list->is_array())
        return fail(ErrorCode::malformed, "The presets hold no list \"presets\".");
    std::vector<EndpointPreset> presets;
    std::set<std::string> ids;
    for (const Json& entry : *list) {
        PresetReader reader(fmt::format("Preset {}", presets.size() + 1));
        presets.push_back(reader.read(entry));
        if (!reader.fault().empty())
            return fail(ErrorCode::malformed, reader.fault());
        if (!ids.insert(presets.back().id).second)
            return fail(ErrorCode::malformed, fmt::format("There are two presets \"{}\".", presets.back().id));
    }
    return presets;
}

} // namespace decodescope
