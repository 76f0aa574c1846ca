#pragma once

namespace decodescope {

/// Makes token texts readable to screen readers: their text, selection and places, not only a name. Idempotent.
void installTokenTextAccessibility();

} // namespace decodescope
