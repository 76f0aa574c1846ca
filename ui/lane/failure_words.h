#pragma once

#include "core/record/run_record.h"
#include "core/source/run_spec.h"

#include <QString>

#include <utility>
#include <vector>

namespace decodescope {

/// Why a run did not end well, in words for a person. Nothing in it holds a key.
struct FailureWords {
    QString sentence;                               ///< what happened
    QString done;                                   ///< what came of it
    std::vector<std::pair<QString, QString>> facts; ///< label, value
    std::pair<QString, QString> reason; ///< label and the words of whoever ended it, whole; empty where `body` tells
    QString body;                       ///< what the server answered, as it came
    QString fingerprint;                ///< of a certificate that nobody vouches for, to be trusted by it; empty: none
    bool keyMatters = false;            ///< another key may help
    bool trusted = false;               ///< that certificate has been pinned since
    bool answered = false;              ///< bytes came, which can be shown

    friend bool operator==(const FailureWords&, const FailureWords&) = default;
};

/// `spec` is the lane's, which knows the key's length; the record's never does.
[[nodiscard]] FailureWords failureWords(const RunRecord& record, const RunSpec& spec);
/// The few words after "Failed, ".
[[nodiscard]] QString failureKeyword(const RunRecord& record);

} // namespace decodescope
