#pragma once

#include "core/session/session.h"

#include <QObject>
#include <QUndoStack>

#include <vector>

namespace decodescope {

/// The user's lanes: the document that the window edits. Every edit can be undone. A lane keeps its id, its letter
/// and its colour through edits and moves; a new lane takes the first letter that is free.
class LaneList : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kMaxLanes = 16;

    explicit LaneList(QObject* parent = nullptr);

    [[nodiscard]] const std::vector<LaneConfig>& lanes() const { return m_lanes; }
    [[nodiscard]] const LaneConfig* find(LaneId id) const;
    [[nodiscard]] int indexOf(LaneId id) const; ///< -1: not there
    [[nodiscard]] bool full() const { return m_lanes.size() >= kMaxLanes; }

    /// Returns the new lane's id, 0 when the list is full.
    LaneId add(const RunSpec& spec);
    LaneId duplicate(LaneId id);
    void edit(LaneId id, const RunSpec& spec);
    void remove(LaneId id);
    void move(LaneId id, int toIndex);
    /// Puts lanes there that were kept in the settings; forgets what could be undone.
    void restore(std::vector<LaneConfig> lanes);
    /// Replaces everything by these, undoably ("Use these lanes").
    void replaceAll(const std::vector<RunSpec>& specs, const QString& text);

    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    /// Ids are never used twice, not by opened recordings either.
    [[nodiscard]] LaneId newId() { return ++m_lastId; }

signals:
    void changed();

private:
    class Replace;
    void push(std::vector<LaneConfig> after, const QString& text);
    [[nodiscard]] static int freeLook(const std::vector<LaneConfig>& lanes);
    [[nodiscard]] std::string freeName(const std::string& wanted) const;

    std::vector<LaneConfig> m_lanes;
    QUndoStack m_undo;
    LaneId m_lastId = 0;
};

} // namespace decodescope
