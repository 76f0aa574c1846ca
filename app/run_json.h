#pragma once

#include "app/json_values.h"
#include "app/session_report.h"

namespace decodescope {

/// Whether the generated text itself is exported, beside its hash (`--text`).
enum class TextExport { hashOnly, whole };

/// One run as cli.md lists it.
[[nodiscard]] Json runJson(const ReportedRun& run, TextExport text);
/// `{kind, message, http_status, retry_after_ms}`; null for complete and not-streamed runs.
[[nodiscard]] Json runErrorJson(const RunRecord& record);
[[nodiscard]] Json stallJson(const Stall& stall);
/// What lies between the model and us, with each sign's evidence; null where nothing arrived.
[[nodiscard]] Json bufferingJson(const RunSummary& summary);
/// The answer of choice 0, also when it came as one whole JSON object.
[[nodiscard]] std::string answerText(const RunRecord& record);

} // namespace decodescope
