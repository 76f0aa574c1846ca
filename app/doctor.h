#pragma once

#include "app/doctor_checks.h"
#include "app/doctor_floor.h"
#include "app/exit_status.h"
#include "app/json_values.h"

#include <optional>
#include <string>
#include <vector>

namespace decodescope {

struct DoctorFlags {
    bool json = false;
    double seconds = 12;
};

/// `decodescope doctor`: measures the floor of this machine, looks for what commonly goes wrong, prints both. Exit
/// status 0 also when it found something wrong: that is its result. Needs a QCoreApplication.
[[nodiscard]] ExitStatus doctorCommand(const DoctorFlags& flags);

/// All that a doctor found.
struct DoctorReport {
    std::string machineJson;
    unsigned cores = 0;
    std::optional<unsigned> usableCores; ///< that this process may run on
    std::optional<std::string> governor; ///< of the first core, where the kernel tells it
    std::optional<double> load1m;
    std::optional<MachineFloor> floor;
    std::string floorFailure; ///< why there is no floor
    std::vector<DoctorCheck> checks;
};

/// `{schema, machine, processor, timer, clock, floors[], hiccups, verdict, checks[]}`; what is not known is null.
[[nodiscard]] Json doctorJson(const DoctorReport& report);
/// The same for people.
[[nodiscard]] std::string doctorText(const DoctorReport& report);
/// "Gaps shorter than 0.3 ms cannot be trusted on this machine ...", or why nothing can be said.
[[nodiscard]] std::string doctorVerdict(const DoctorReport& report);

} // namespace decodescope
