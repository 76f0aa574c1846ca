#pragma once

#include "core/base/secret.h"

#include <string>
#include <string_view>
#include <vector>

/// What may be said of secrets wherever text leaves the program for people: logs, messages, exports. The raw bytes of
/// responses have maskers of their own (secret_masker.h), made for streams.
namespace decodescope {

/// Whether the value of this header is masked wherever it would leave memory: cookies, authorisation, and any
/// name with "token", "secret" or "key" in it, rate-limit and token counters excepted. Case does not matter.
[[nodiscard]] bool isSensitiveHeader(std::string_view name);

/// A URL for people or a file: userinfo and query values are masked, apart from those that only name a version or
/// format.
[[nodiscard]] std::string urlWithoutSecrets(std::string_view url);

/// Whether a query's value only names a version or a format, so that it may be shown.
[[nodiscard]] bool isHarmlessQuery(std::string_view name);

/// The part of a URL behind its '?', every value masked that isHarmlessQuery() does not let pass.
[[nodiscard]] std::string queryWithoutSecrets(std::string_view query);

/// A URL that may be shown and kept and still leads where it did: only userinfo and query values are masked whose names
/// say that they are keys, or that are keys in use.
[[nodiscard]] std::string urlWithoutKeys(std::string_view url);

/// A text in which somebody may have typed a key where none belongs: long words that mix letters and digits, as keys
/// do, are masked.
[[nodiscard]] std::string withoutLikelyKeys(std::string_view text);

/// From now on `key` is masked by redacted(), in each of its forms. Thread-safe. Kept until the program ends.
void keepOutOfTexts(const Secret& key);

/// Every key given to keepOutOfTexts() so far, and `own`. Thread-safe.
[[nodiscard]] std::vector<Secret> liveKeys(const Secret& own);

/// A text, JSON too, in which the keys given to keepOutOfTexts() are masked, each character by one. Thread-safe.
[[nodiscard]] std::string withoutLiveKeys(std::string_view text);

/// A text that is about to be written for people: the values of sensitive headers ("Authorization: ..."), the secrets
/// in URLs and every key given to keepOutOfTexts() are masked. Thread-safe.
[[nodiscard]] std::string redacted(std::string_view text);

} // namespace decodescope
