#include "core/base/clock_source.h"

namespace decodescope {

std::string_view toString(ClockSource source) noexcept {
    switch (source) {
    case ClockSource::kernel:
        return "kernel";
    case ClockSource::user:
        return "user";
    case ClockSource::engine:
        return "engine";
    case ClockSource::synthetic:
        return "synthetic";
    case ClockSource::replay:
        break;
    }
    return "replay";
}

ClockSource clockSourceFromString(std::string_view name) noexcept {
    for (const ClockSource source :
         {ClockSource::kernel, ClockSource::user, ClockSource::engine, ClockSource::synthetic}) {
        if (toString(source) == name)
            return source;
    }
    return ClockSource::replay;
}

} // namespace decodescope
