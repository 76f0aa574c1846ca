#pragma once

#include "core/metrics/run_summary.h"
#include "core/record/run_record.h"
#include "ui/text/token_buffer.h"

#include <QString>

#include <vector>

namespace decodescope {

/// What a token's tooltip says: the stall that it ended, if it did, its text, gap, read, tokens and arrival. Safe rich
/// text: everything from outside is escaped.
[[nodiscard]] QString tokenTip(const RunRecord& record, const TokenBuffer& buffer, std::uint32_t token, double medianS,
                               const std::vector<Stall>& stalls);

} // namespace decodescope
