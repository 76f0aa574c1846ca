#pragma once

#include "core/base/error.h"
#include "core/base/secret.h"

#include <functional>
#include <memory>
#include <string>

namespace decodescope {

/// Keys in the desktop's own secret store (the Secret Service or KWallet), each by the origin that it is for. There is
/// no store of our own beneath it: where no service answers, a key can be had for the session only. Calls return at
/// once; answers come from the event loop, once, also when the user takes a minute to unlock the store.
namespace keychain {

using Fetched = std::function<void(Result<std::shared_ptr<const Secret>>)>;
using Stored = std::function<void(Result<void>)>;

/// The key of an origin ("https://host:443"). Fails with ErrorCode::usage when the store has none, ErrorCode::refused
/// when the user would not have it opened, ErrorCode::io when no store answers.
void fetch(const std::string& origin, Fetched answer);
/// Keeps a key for an origin, in place of one that was kept before.
void store(const std::string& origin, const Secret& key, Stored answer);
/// Lets go of the key of an origin; all is well when there was none.
void remove(const std::string& origin, Stored answer);

} // namespace keychain
} // namespace decodescope
