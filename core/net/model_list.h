#pragma once

#include "core/net/plain_call.h"
#include "core/source/endpoint_answer.h"

namespace decodescope {

/// What the answer to callModelList() means. `keyGiven`: the question carried a key.
[[nodiscard]] EndpointAnswer readModelList(const EndpointSpec& endpoint, const CallReport& report, bool keyGiven);

} // namespace decodescope
