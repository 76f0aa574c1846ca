#include "core/net/engine_pool.h"

#include <algorithm>
#include <utility>

namespace decodescope {

namespace {

/// What a process is started for: whether prompts may reuse what was computed is each request's own affair.
LocalModelSpec processSpec(LocalModelSpec spec) {
    spec.prefixCache = true;
    return spec;
}

} // namespace

EnginePool::EnginePool(EnginePatience patience, QObject* parent)
    : QObject(parent)
    , m_patience(patience) {}

EnginePool::~EnginePool() {
    // All are told before the first one is waited for.
    for (const auto& engine : m_engines) {
        engine->disconnect(this);
        engine->stop();
    }
    for (const auto& engine : m_leaving)
        engine->disconnect(this);
}

std::shared_ptr<EngineProcess> EnginePool::find(const LocalModelSpec& spec) const {
    const LocalModelSpec wanted = processSpec(spec);
    const auto at =
        std::find_if(m_engines.begin(), m_engines.end(), [&](const auto& e) { return e->spec() == wanted; });
    return at == m_engines.end() ? nullptr : *at;
}

std::shared_ptr<EngineProcess> EnginePool::acquire(const LocalModelSpec& spec) {
    if (auto known = find(spec)) {
        if (known->usable())
            return known;
        std::erase(m_engines, known); // it failed
    }
    const auto engine = std::make_shared<EngineProcess>(processSpec(spec), m_patience);
    connect(engine.get(), &EngineProcess::changed, this, &EnginePool::changed);
    // Later, as an engine must not be destroyed from its own signal.
    connect(
        engine.get(), &EngineProcess::gone, this, [this, e = engine.get()] { forget(e); }, Qt::QueuedConnection);
    m_engines.push_back(engine);
    engine->start();
    return engine;
}

void EnginePool::forget(const EngineProcess* engine) {
    std::erase_if(m_leaving, [engine](const auto& e) { return e.get() == engine; });
}

void EnginePool::retain(const std::vector<LocalModelSpec>& used) {
    const auto idle = [&](const std::shared_ptr<EngineProcess>& engine) {
        return engine.use_count() == 1 &&
               std::none_of(used.begin(), used.end(), [&](const auto& s) { return processSpec(s) == engine->spec(); });
    };
    // Dropping a process waits for its end: it is kept until it has gone.
    const auto leaving =
        std::stable_partition(m_engines.begin(), m_engines.end(), [&](const auto& engine) { return !idle(engine); });
    std::vector<std::shared_ptr<EngineProcess>> left(std::make_move_iterator(leaving),
                                                     std::make_move_iterator(m_engines.end()));
    m_engines.erase(leaving, m_engines.end());
    for (auto& engine : left) {
        if (!engine->usable())
            continue; // it failed
        engine->stop();
        m_leaving.push_back(std::move(engine));
    }
    if (!left.empty())
        emit changed();
}

EngineStatus EnginePool::status(const LocalModelSpec& spec) const {
    const auto engine = find(spec);
    return engine ? engine->status() : EngineStatus{};
}

} // namespace decodescope
