#pragma once

#include "core/wire/dialect.h"

namespace decodescope {

/// Triton's `/generate_stream`: the text so far or what is new, as the model is set up, and no sign of an end.
class Triton final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] TextForm textForm() const override { return TextForm::perhapsCumulative; }
    [[nodiscard]] bool tellsItsEnd() const override { return false; }
};

} // namespace decodescope
