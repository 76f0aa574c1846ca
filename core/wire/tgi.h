#pragma once

#include "core/wire/dialect.h"

namespace decodescope {

/// `/generate_stream` of Hugging Face's text-generation-inference: one event a token.
class Tgi final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
};

} // namespace decodescope
