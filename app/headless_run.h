#pragma once

#include "app/jsonl_writer.h"
#include "app/run_options.h"
#include "core/session/session.h"

#include <memory>

namespace decodescope {

/// Turns a session's crank on Qt's event loop until its plan is over or the user interrupts: progress on stderr,
/// events on stdout with --jsonl, a warning as soon as the recording fails. Needs a QCoreApplication.
class HeadlessRun {
public:
    HeadlessRun(Session& session, OutputForm form);

    struct Result {
        bool interrupted = false;
        bool outputFailed = false; ///< stdout did not take a line
        bool journalFailed = false;
    };
    [[nodiscard]] Result exec();

private:
    void writeStalls();
    void watchJournal();

    Session& m_session;
    OutputForm m_form;
    JsonlWriter m_writer;
    Result m_result;
};

} // namespace decodescope
