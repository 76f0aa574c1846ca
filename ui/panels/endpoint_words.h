#pragma once

#include "core/source/endpoint_answer.h"

#include <QString>

namespace decodescope {

/// What a test of an endpoint found, in sentences: how it was reached and how long that took, and what it lists; or why
/// there is no answer. `wanted`: the model that was asked about, empty: none. Plain text.
[[nodiscard]] QString answerWords(const EndpointAnswer& answer, const QString& place, const QString& wanted);

/// Whether all is well: an answer, and the wanted model among those it lists.
[[nodiscard]] bool answerIsGood(const EndpointAnswer& answer, const QString& wanted);

} // namespace decodescope
