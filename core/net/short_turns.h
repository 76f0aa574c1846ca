#pragma once

namespace decodescope {

/// Asks the scheduler to let the calling thread have shorter turns, and so have them sooner: for a thread that wakes
/// often, does little, and should do it at once. It gets no more of the processor than before, and what it starts
/// has turns as usual. Linux 6.12 and later; elsewhere nothing changes.
void askForShortTurns();

} // namespace decodescope
