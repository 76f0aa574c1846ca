#include "core/source/request.h"

#include "core/base/utf8.h"
#include "core/source/endpoint_preset.h"
#include "core/source/preset_body.h"
#include "core/source/request_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace decodescope {

std::string_view headerName(AuthHeader header) noexcept {
    switch (header) {
    case AuthHeader::bearer:
        return "Authorization";
    case AuthHeader::xApiKey:
        return "x-api-key";
    case AuthHeader::apiKey:
        return "api-key";
    case AuthHeader::xGoogApiKey:
        return "x-goog-api-key";
    case AuthHeader::none:
        break;
    }
    return {};
}

std::string_view headerPrefix(AuthHeader header) noexcept {
    return header == AuthHeader::bearer ? "Bearer " : "";
}

Result<Url> completionUrl(const EndpointSpec& endpoint, AnswerForm form) {
    const auto api = knownRequestForm(endpoint.protocol);
    if (!api)
        return tl::unexpected(api.error());
    return (*api)->route(endpoint, form);
}

Result<RequestHead> requestHead(const EndpointSpec& endpoint, AnswerForm form) {
    const auto api = knownRequestForm(endpoint.protocol);
    if (!api)
        return tl::unexpected(api.error());
    RequestHead head;
    head.auth = (*api)->auth();
    head.fixed = (*api)->headers();
    if (form == AnswerForm::stream)
        head.accept = (*api)->accepts();
    if (endpoint.preset.empty())
        return head;
    const auto preset = knownPreset(endpoint.preset);
    if (!preset)
        return tl::unexpected(preset.error());
    head.auth = (*preset)->auth.value_or(head.auth);
    for (const auto& header : (*preset)->headers) {
        std::erase_if(head.fixed, [&](const auto& own) { return own.first == header.first; });
        head.fixed.push_back(header);
    }
    return head;
}

Result<std::string> routeText(const RunSpec& spec) {
    if (spec.local && !spec.recorded)
        return "local:" + spec.local->path;
    auto url = completionUrl(spec.endpoint, answerForm(spec.sampling));
    // A recorded lane asks nobody, so that what was asked then need not be an address.
    if (!url && spec.recorded)
        return spec.endpoint.url;
    if (!url)
        return tl::unexpected(url.error());
    return url->text();
}

bool shareServer(const RunSpec& a, const RunSpec& b) {
    return !a.recorded && !b.recorded && sameServer(a, b);
}

bool sameServer(const RunSpec& a, const RunSpec& b) {
    if (a.local || b.local)
        return a.local == b.local;
    const auto urlA = completionUrl(a.endpoint);
    const auto urlB = completionUrl(b.endpoint);
    return urlA && urlB && urlA->authority() == urlB->authority();
}

Result<ModelQuery> modelQuery(const EndpointSpec& endpoint) {
    auto head = requestHead(endpoint, AnswerForm::whole);
    if (!head)
        return tl::unexpected(head.error());
    if (const EndpointPreset* preset = findPreset(endpoint.preset); preset != nullptr && !preset->listsModels)
        return fail(ErrorCode::unsupported, fmt::format("{} does not list its models: type the name.", preset->name));
    const auto form = knownRequestForm(endpoint.protocol);
    if (!form)
        return tl::unexpected(form.error());
    auto request = (*form)->models(endpoint);
    if (!request)
        return tl::unexpected(request.error());
    return ModelQuery{std::move(request->url), request->post, std::move(*head)};
}

std::optional<std::vector<std::string>> modelsIn(const EndpointSpec& endpoint, std::string_view answer) {
    constexpr std::size_t kMaximumModels = 5000;
    const auto form = knownRequestForm(endpoint.protocol);
    const std::string text = repairUtf8(std::string(answer)).text;
    JsonDocument document;
    if (!form || !document.parse(text))
        return std::nullopt;
    std::vector<std::string> models = (*form)->readModels(document.root());
    if (models.size() > kMaximumModels)
        models.resize(kMaximumModels);
    return models;
}

Result<std::string> requestBody(const RunSpec& spec) {
    if (spec.sampling.temperature && !std::isfinite(*spec.sampling.temperature))
        return fail(ErrorCode::usage, "The temperature must be a finite number.");
    const auto form = knownRequestForm(spec.endpoint.protocol);
    if (!form)
        return tl::unexpected(form.error());
    nlohmann::ordered_json body = nlohmann::ordered_json::object();
    (*form)->writeBody(spec, body);
    if (spec.local) {
        body["cache_prompt"] = spec.local->prefixCache;
        body["speculative"] = spec.local->speculative ? "lookup" : "off";
    }
    if (const auto applied = applyPresetToBody(spec, body); !applied)
        return tl::unexpected(applied.error());
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string refusalHint(const RunSpec& spec, std::string_view said) {
    std::vector<std::string> fields = unusualFields(spec);
    std::vector<std::string> named;
    std::copy_if(fields.begin(), fields.end(), std::back_inserter(named), [&](const std::string& field) {
        return said.find(field.substr(0, field.find('.'))) != std::string_view::npos;
    });
    if (!named.empty())
        fields = std::move(named);
    if (fields.empty())
        return {};
    const std::string advice =
        spec.endpoint.preset.empty() || spec.endpoint.preset == kPlainPreset
            ? fmt::format("The preset \"{}\" sends fewer.", kStrictPreset)
            : fmt::format("They come with the preset \"{}\"; choose another one if this is another server.",
                          spec.endpoint.preset);
    return fmt::format("The server may not know {} of the request. {}", fmt::join(fields, ", "), advice);
}

WireLimits responseLimits(const RunSpec& spec) {
    WireLimits limits;
    limits.bodyBytes = std::min(limits.bodyBytes, spec.caps.bytes.value_or(limits.bodyBytes));
    limits.messages = std::min(limits.messages, spec.caps.messages.value_or(limits.messages));
    return limits;
}

} // namespace decodescope
