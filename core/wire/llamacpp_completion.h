#pragma once

#include "core/wire/choice_totals.h"
#include "core/wire/dialect.h"

#include <cstdint>
#include <set>

namespace decodescope {

/// llama.cpp's own `/completion`. Each event tells its tokens twice, as ids and by a running counter.
class LlamaCppCompletion final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;

private:
    void readText(JsonView message, std::uint16_t choice, MessageContent& out);
    void readTotals(JsonView message, std::uint16_t choice, MessageContent& out);

    ChoiceTotals m_predicted;
    std::set<std::uint16_t> m_running, m_stopped; ///< choices
};

} // namespace decodescope
