#pragma once

#include "core/source/run_spec.h"

namespace decodescope {

/// An endpoint of which only the address was told, completed by what the address says by itself: the preset whose own
/// server stands there (on this machine by a port that no other preset uses), and the protocol whose full route it is.
/// What it does not say stays as it was. Nothing is contacted.
[[nodiscard]] EndpointSpec understoodAddress(EndpointSpec told);

} // namespace decodescope
