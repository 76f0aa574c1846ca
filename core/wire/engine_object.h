#pragma once

#include "core/wire/dialect.h"

namespace decodescope {

/// Reads the `decodescope` object of docs/engine_api.md, the ground truth that our own engine sends along. Any part
/// that is missing or makes no sense is left out: the object may come from anybody.
void readEngineObject(JsonView object, MessageContent& out);

} // namespace decodescope
