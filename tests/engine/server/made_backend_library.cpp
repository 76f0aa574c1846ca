#include "engine/backend/backend_library.h"
#include "engine/reference/reference_backend.h"

/// A backend's library as the tests of opening one need it: of this or another version, with devices or none.
extern "C" const decodescope::engine::BackendLibrary* decodescope_backend_library() {
    static const decodescope::engine::BackendLibrary kLibrary{MADE_VERSION, MADE_DEVICES,
                                                              MADE_DEVICES == 0 ? "made without devices" : nullptr,
                                                              &decodescope::engine::makeReferenceBackend};
    return &kLibrary;
}
