#pragma once

#include <QByteArray>
#include <QHash>
#include <QMainWindow>

#include <vector>

class QAction;
class QDockWidget;

namespace decodescope {

/// The Race view: lanes in the middle, panels in docks around them that can be moved, tabbed, floated, hidden and
/// maximised. Every panel draws its own header; it is dragged by that.
class DockArea : public QMainWindow {
    Q_OBJECT

public:
    /// Where a panel lies unless the user moved it.
    enum class Place {
        side,  ///< right of the lanes, tabbed when there are several
        upper, ///< under the lanes
        lower, ///< under those
        spare  ///< hidden until it is asked for; tabbed with the side
    };

    explicit DockArea(QWidget* lanes, QWidget* parent = nullptr);

    /// `id` names the panel in the kept layout. Panels of one place lie in order, `stretch` is their share.
    QDockWidget* addPanel(const QString& id, const QString& title, QWidget* panel, Place place, int stretch);
    /// One action a panel: shown or hidden.
    [[nodiscard]] std::vector<QAction*> panelActions() const;

    /// More room for the lanes while others look on: the lower row goes, and comes back.
    void setPresentation(bool on);
    /// Puts everything where it was in the beginning.
    void resetLayout();
    void showPanel(const QString& id);
    /// Fills the area with one panel; again: back. Nullptr: back.
    void maximise(QWidget* panel);
    [[nodiscard]] bool maximised() const { return m_maximised != nullptr; }

    [[nodiscard]] QByteArray layoutState() const;
    /// False when the bytes are not of this version.
    bool restoreLayout(const QByteArray& state);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    [[nodiscard]] QMenu* createPopupMenu() override { return nullptr; }

private:
    struct Panel {
        QString id;
        QDockWidget* dock = nullptr;
        QWidget* panel = nullptr;
        Place place = Place::side;
        int stretch = 1;
    };
    [[nodiscard]] std::vector<Panel*> at(Place place);
    void layOutWide();
    void layOutNarrow();
    void shareOut();
    void nameOnce();
    void forwardToDock(QDockWidget* dock, QEvent* event);

    QWidget* m_lanes;
    std::vector<Panel> m_panels;
    QDockWidget* m_maximised = nullptr;
    QByteArray m_beforeMaximise;
    QByteArray m_wideState;
    QByteArray m_beforePresentation;
    qreal m_dragShift = 0;
    bool m_narrow = false;
    bool m_laidOut = false;
};

} // namespace decodescope
