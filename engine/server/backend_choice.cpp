#include "engine/server/backend_choice.h"

#include "engine/cpu/cpu_backend.h"
#include "engine/reference/reference_backend.h"
#include "engine/server/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kMaxDevices = 64;

bool isThere(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

Result<BackendLibrary> openCuda() {
    const std::vector<std::string> places = cudaLibraryPlaces();
    const auto place = std::find_if(places.begin(), places.end(), isThere);
    if (place == places.end())
        return fail(ErrorCode::memory,
                    "The CUDA backend (libdecodescope-cuda.so) is not installed beside this program; "
                    "--device cpu runs the model on the processor.");
    return openBackendLibrary(*place);
}

} // namespace

Result<DeviceName> parseDeviceName(std::string_view text) {
    using Kind = DeviceName::Kind;
    if (text == "auto")
        return DeviceName{Kind::automatic, 0};
    if (text == "cpu")
        return DeviceName{Kind::cpu, 0};
    if (text == "reference")
        return DeviceName{Kind::reference, 0};
    constexpr std::string_view kCuda = "cuda";
    if (text == kCuda)
        return DeviceName{Kind::cuda, 0};
    if (text.starts_with("cuda:")) {
        std::uint32_t index = 0;
        const std::string_view digits = text.substr(kCuda.size() + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (error == std::errc{} && end == digits.data() + digits.size() && index < kMaxDevices)
            return DeviceName{Kind::cuda, index};
    }
    return fail(ErrorCode::usage,
                fmt::format("There is no device \"{}\": it is auto, cpu or cuda:N.", visible(text, 40)));
}

std::vector<std::string> cudaLibraryPlaces() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return {};
    constexpr const char* kName = "libdecodescope-cuda.so";
    const std::filesystem::path folder = program.parent_path();
    return {folder / kName, folder / "lib" / kName, folder.parent_path() / "lib" / "decodescope" / kName};
}

Result<BackendLibrary> openBackendLibrary(const std::string& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const reason = dlerror();
        return fail(ErrorCode::memory, "The backend's library cannot be opened: " +
                                           visible(reason == nullptr ? "no reason given" : reason, 400));
    }
    const auto entry = reinterpret_cast<BackendLibraryEntry>(dlsym(handle, kBackendLibraryEntry));
    const BackendLibrary* const library = entry == nullptr ? nullptr : entry();
    std::string refusal;
    if (library == nullptr)
        refusal = fmt::format("{} is no backend of this program.", visible(path));
    else if (library->version != kBackendLibraryVersion)
        refusal = fmt::format("{} was built for another version of this program ({}, not {}): install both from one "
                              "release.",
                              visible(path), library->version, kBackendLibraryVersion);
    else if (library->devices == 0 || library->make == nullptr)
        refusal = fmt::format("The backend finds no device that it can use: {}",
                              visible(library->reason == nullptr ? "no reason given" : library->reason, 400));
    if (!refusal.empty()) {
        dlclose(handle);
        return fail(ErrorCode::memory, std::move(refusal));
    }
    return *library;
}

Result<BackendMaker> backendFor(const std::string& device) {
    const Result<DeviceName> name = parseDeviceName(device);
    if (!name)
        return tl::unexpected(name.error());
    switch (name->kind) {
    case DeviceName::Kind::cpu:
        return &makeCpuBackend;
    case DeviceName::Kind::reference:
        return &makeReferenceBackend;
    case DeviceName::Kind::automatic: {
        const Result<BackendLibrary> library = openCuda();
        return library ? library->make : &makeCpuBackend;
    }
    case DeviceName::Kind::cuda:
        break;
    }
    const Result<BackendLibrary> library = openCuda();
    if (!library)
        return tl::unexpected(library.error());
    if (name->index >= library->devices)
        return fail(ErrorCode::memory,
                    fmt::format("There is no {}: the highest is cuda:{}.", device, library->devices - 1));
    return library->make;
}

} // namespace decodescope::engine
