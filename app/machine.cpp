#include "app/machine.h"

#include "app/json_values.h"

#include <QString>
#include <QSysInfo>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string_view>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace decodescope {

namespace {

/// The processor's name as the kernel tells it; empty where it does not.
std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.rfind("model name", 0) != 0)
            continue;
        const std::size_t colon = line.find(": ");
        return colon == std::string::npos ? std::string() : line.substr(colon + 2);
    }
    return {};
}

Json memoryBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageBytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0)
        return nullptr;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageBytes);
}

} // namespace

std::string machineJson() {
    utsname system{};
    const bool known = uname(&system) == 0;
    const unsigned cores = std::thread::hardware_concurrency();
    const Json machine = {
        {"os", jsonTextOrNull(QSysInfo::prettyProductName().toStdString())},
        {"kernel", known ? jsonText(std::string(system.sysname) + " " + system.release) : Json(nullptr)},
        {"architecture", known ? jsonText(std::string_view(system.machine)) : Json(nullptr)},
        {"cpu", jsonTextOrNull(processorName())},
        {"cores", cores ? Json(cores) : Json(nullptr)},
        {"memory_bytes", memoryBytes()},
    };
    return jsonDump(machine);
}

} // namespace decodescope
