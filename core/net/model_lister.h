#pragma once

#include "core/base/error.h"
#include "core/source/run_spec.h"

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace decodescope {

/// Asks endpoints for their models: a list to choose from, and a test whether address and key are right. Untimed,
/// so it may use Qt's own HTTP client, hardened: no redirects, no cookies, nothing stored, no headers but ours, a
/// limit on size and time. Lives on the GUI thread, or any with an event loop.
class ModelLister : public QObject {
public:
    /// The ids in the server's order, empty when it answers but lists none; or a sentence for a person with
    /// ErrorCode::refused (the key is wrong), network (no answer), usage (the address makes no sense), malformed.
    using Answer = std::function<void(Result<std::vector<std::string>>)>;

    explicit ModelLister(QObject* parent = nullptr);
    /// Drops what is under way without calling back.
    ~ModelLister() override;

    /// Calls `answer` exactly once, later, from the event loop. Several may be under way.
    void list(const EndpointSpec& endpoint, std::shared_ptr<const Secret> key, Answer answer);

private:
    class Query;
};

} // namespace decodescope
