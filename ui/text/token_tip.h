#pragma once

#include "core/record/run_record.h"
#include "ui/text/token_buffer.h"

#include <QString>

namespace decodescope {

/// What a token's tooltip says: its text, gap, read, tokens and arrival. Safe rich text: everything from outside is
/// escaped.
[[nodiscard]] QString tokenTip(const RunRecord& record, const TokenBuffer& buffer, std::uint32_t token, double medianS);

} // namespace decodescope
