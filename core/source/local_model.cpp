#include "core/source/local_model.h"

namespace decodescope {

std::string modelFileName(const LocalModelSpec& spec) {
    std::string name = spec.path.substr(spec.path.find_last_of('/') + 1);
    constexpr std::string_view kSuffix = ".gguf";
    if (name.size() > kSuffix.size() && name.ends_with(kSuffix))
        name.resize(name.size() - kSuffix.size());
    return name;
}

} // namespace decodescope
