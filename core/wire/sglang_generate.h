#pragma once

#include "core/wire/choice_totals.h"
#include "core/wire/dialect.h"

#include <cstdint>

namespace decodescope {

/// SGLang's own `/generate`: the whole text so far in every event (or, as the server is set, what is new), and a
/// running count of its tokens.
class SglangGenerate final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] TextForm textForm() const override { return TextForm::perhapsCumulative; }
    [[nodiscard]] bool endsWithDone() const override { return true; }

private:
    void readMeta(JsonView meta, std::uint16_t choice, MessageContent& out);

    ChoiceTotals m_completion;
};

} // namespace decodescope
