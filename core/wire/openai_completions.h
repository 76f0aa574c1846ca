#pragma once

#include "core/wire/dialect.h"
#include "core/wire/openai_common.h"

namespace decodescope {

/// The legacy `/v1/completions`: `choices[].text` instead of a delta.
class OpenAiCompletions final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] bool endsWithDone() const override { return true; }
};

} // namespace decodescope
