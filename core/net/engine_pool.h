#pragma once

#include "core/net/engine_process.h"
#include "core/source/local_model.h"

#include <memory>
#include <vector>

namespace decodescope {

/// The engines that run: one for each distinct LocalModelSpec, shared by all lanes that ask for the same. Lives on the
/// session's thread, which needs an event loop.
class EnginePool final : public QObject {
    Q_OBJECT

public:
    explicit EnginePool(EnginePatience patience = {}, QObject* parent = nullptr);
    /// Stops all engines.
    ~EnginePool() override;

    /// The engine for a spec: the one that runs, else a new one that has just been started. Never null. Whoever holds
    /// the pointer keeps the engine from being stopped by retain().
    [[nodiscard]] std::shared_ptr<EngineProcess> acquire(const LocalModelSpec& spec);
    /// Stops every engine that none of these specs asks for and no run holds. To be called when lanes changed.
    void retain(const std::vector<LocalModelSpec>& used);
    /// What a lane of this spec would meet now.
    [[nodiscard]] EngineStatus status(const LocalModelSpec& spec) const;

signals:
    /// Some engine's status changed.
    void changed();

private:
    [[nodiscard]] std::shared_ptr<EngineProcess> find(const LocalModelSpec& spec) const;
    void forget(const EngineProcess* engine);

    EnginePatience m_patience;
    std::vector<std::shared_ptr<EngineProcess>> m_engines; ///< failed ones too, for what they said
    std::vector<std::shared_ptr<EngineProcess>> m_leaving; ///< stopped, and not gone yet
};

} // namespace decodescope
