#include "engine/gguf/tensor_type.h"
#include "engine/model/architectures/architecture.h"
#include "engine/model/model_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace decodescope::engine {

// Each line of the list is an architecture: its file defines the recipe that it is declared with here.
#define DECODESCOPE_ARCHITECTURE(name) Result<TransformerRecipe> name##Recipe(const ModelKeys&, const ModelNumbers&);
#include "engine/model/architectures/list.inc"
#undef DECODESCOPE_ARCHITECTURE

namespace {

struct Architecture {
    std::string_view name;
    RecipeMaker recipe;
};

constexpr std::array kArchitectures{
#define DECODESCOPE_ARCHITECTURE(name) Architecture{#name, &name##Recipe},
#include "engine/model/architectures/list.inc"
#undef DECODESCOPE_ARCHITECTURE
};

/// The type that holds most bytes of the weights.
std::string dominantType(const GgufFile& file) {
    std::map<std::uint32_t, std::uint64_t> bytesByType;
    for (const TensorView& tensor : file.tensors())
        bytesByType[tensor.typeId] += tensor.bytes;
    const auto most = std::ranges::max_element(bytesByType, {}, [](const auto& entry) { return entry.second; });
    const TensorTypeInfo* const info = most == bytesByType.end() ? nullptr : tensorTypeInfo(most->first);
    return info ? std::string(info->name) : std::string();
}

std::string nameOf(const GgufFile& file) {
    if (const auto name = file.text("general.name"); name && !name->empty())
        return visible(*name);
    const std::string& path = file.path();
    const std::size_t slash = path.rfind('/');
    return visible(slash == std::string::npos ? std::string_view(path) : std::string_view(path).substr(slash + 1));
}

} // namespace

std::vector<std::string_view> knownArchitectures() {
    std::vector<std::string_view> names;
    for (const Architecture& architecture : kArchitectures)
        names.push_back(architecture.name);
    return names;
}

Result<ModelPlan> buildPlan(const GgufFile& file) {
    const auto name = file.text("general.architecture");
    if (!name)
        return fail(ErrorCode::malformed, "The model file does not say of which architecture it is "
                                          "(general.architecture).");
    const auto known = std::ranges::find(kArchitectures, *name, &Architecture::name);
    if (known == kArchitectures.end())
        return fail(ErrorCode::unsupported, fmt::format("The model is of the architecture \"{}\", which this engine "
                                                        "does not have. It has {}.",
                                                        visible(*name), fmt::join(knownArchitectures(), ", ")));
    const ModelKeys keys(file, known->name);
    const auto numbers = readModelNumbers(keys);
    if (!numbers)
        return tl::unexpected(numbers.error());
    const auto recipe = known->recipe(keys, *numbers);
    if (!recipe)
        return tl::unexpected(recipe.error());
    auto plan = buildTransformer(keys, *numbers, *recipe);
    if (!plan)
        return plan;

    plan->architecture = known->name;
    plan->name = nameOf(file);
    plan->quantization = dominantType(file);
    for (const TensorView& tensor : file.tensors())
        plan->parametersTotal += tensor.elements();
    plan->parametersActive = plan->parametersTotal; // no experts: every weight works for every token
    return plan;
}

} // namespace decodescope::engine
