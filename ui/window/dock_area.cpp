#include "ui/window/dock_area.h"

#include <QAction>
#include <QCoreApplication>
#include <QDockWidget>
#include <QEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QTabBar>
#include <QTimer>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kStateVersion = 1;
constexpr int kNarrow = 1200;
constexpr int kHeaderHeight = 28;

/// A dock's own title bar: nothing to see. Qt takes a drag to begin there; the panel's header hands its mouse on.
class NoTitle : public QWidget {
public:
    explicit NoTitle(QWidget* parent)
        : QWidget(parent) {
        setFixedHeight(1);
    }
    [[nodiscard]] QSize sizeHint() const override { return {1, 1}; }
};

} // namespace

DockArea::DockArea(QWidget* lanes, QWidget* parent)
    : QMainWindow(parent, Qt::Widget)
    , m_lanes(lanes) {
    setCentralWidget(lanes);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setContentsMargins(6, 5, 6, 6);
}

QDockWidget* DockArea::addPanel(const QString& id, const QString& title, QWidget* panel, Place place, int stretch) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(id);
    dock->setAccessibleName(title);
    dock->setTitleBarWidget(new NoTitle(dock));
    dock->setWidget(panel);
    dock->setAllowedAreas(Qt::AllDockWidgetAreas);
    panel->setMinimumSize(std::max(panel->minimumWidth(), 200), std::max(panel->minimumHeight(), 120));
    panel->installEventFilter(this);
    for (QWidget* child : panel->findChildren<QWidget*>()) {
        if (child->inherits("decodescope::ChartHeader"))
            child->installEventFilter(this);
    }
    // Which docks share a place is known only when Qt is done with moving them.
    connect(dock, &QDockWidget::visibilityChanged, this, [this] { QTimer::singleShot(0, this, &DockArea::nameOnce); });
    connect(dock, &QDockWidget::dockLocationChanged, this,
            [this] { QTimer::singleShot(0, this, &DockArea::nameOnce); });
    // Who asks for a panel wants to see it, not a tab of it.
    connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shown) {
        if (shown)
            dock->raise();
    });
    m_panels.push_back({.id = id, .dock = dock, .panel = panel, .place = place, .stretch = stretch});
    return dock;
}

std::vector<QAction*> DockArea::panelActions() const {
    std::vector<QAction*> actions;
    for (const Panel& panel : m_panels)
        actions.push_back(panel.dock->toggleViewAction());
    return actions;
}

std::vector<DockArea::Panel*> DockArea::at(Place place) {
    std::vector<Panel*> found;
    for (Panel& panel : m_panels) {
        if (panel.place == place)
            found.push_back(&panel);
    }
    return found;
}

void DockArea::layOutWide() {
    for (Panel& panel : m_panels) {
        removeDockWidget(panel.dock);
        panel.dock->setFloating(false);
    }
    QDockWidget* firstSide = nullptr;
    for (const Place place : {Place::side, Place::spare}) {
        for (Panel* panel : at(place)) {
            addDockWidget(Qt::RightDockWidgetArea, panel->dock);
            if (firstSide)
                tabifyDockWidget(firstSide, panel->dock);
            else
                firstSide = panel->dock;
            panel->dock->setVisible(place == Place::side);
        }
    }
    const auto upper = at(Place::upper);
    const auto lower = at(Place::lower);
    // The first of each row goes below the row before; the rest of a row is split off to the right.
    if (!upper.empty())
        addDockWidget(Qt::BottomDockWidgetArea, upper.front()->dock, Qt::Vertical);
    if (!lower.empty())
        addDockWidget(Qt::BottomDockWidgetArea, lower.front()->dock, Qt::Vertical);
    for (const auto* row : {&upper, &lower}) {
        for (std::size_t i = 1; i < row->size(); ++i)
            splitDockWidget((*row)[i - 1]->dock, (*row)[i]->dock, Qt::Horizontal);
        for (const Panel* panel : *row)
            panel->dock->show();
    }
    if (firstSide)
        firstSide->raise();
}

void DockArea::layOutNarrow() {
    for (Panel& panel : m_panels) {
        removeDockWidget(panel.dock);
        panel.dock->setFloating(false);
    }
    // Two tabbed groups under the lanes: what happens over time, and the sums.
    QDockWidget* left = nullptr;
    QDockWidget* right = nullptr;
    const auto put = [this](QDockWidget*& group, QDockWidget* dock, QDockWidget* beside) {
        if (group)
            tabifyDockWidget(group, dock);
        else if (beside)
            splitDockWidget(beside, dock, Qt::Horizontal);
        else
            addDockWidget(Qt::BottomDockWidgetArea, dock);
        if (!group)
            group = dock;
        dock->show();
    };
    for (Panel* panel : at(Place::upper))
        put(left, panel->dock, nullptr);
    const auto lower = at(Place::lower);
    if (!lower.empty())
        put(left, lower.front()->dock, nullptr);
    for (Panel* panel : at(Place::side))
        put(right, panel->dock, left);
    for (std::size_t i = 1; i < lower.size(); ++i)
        put(right, lower[i]->dock, left);
    for (Panel* panel : at(Place::spare)) {
        put(right, panel->dock, left);
        panel->dock->hide();
    }
    for (QDockWidget* group : {left, right}) {
        if (group)
            group->raise();
    }
}

void DockArea::shareOut() {
    const auto share = [this](const std::vector<Panel*>& row, int total, Qt::Orientation orientation) {
        QList<QDockWidget*> docks;
        QList<int> sizes;
        int sum = 0;
        for (const Panel* panel : row)
            sum += panel->stretch;
        for (const Panel* panel : row) {
            docks.append(panel->dock);
            sizes.append(total * panel->stretch / std::max(sum, 1));
        }
        if (!docks.isEmpty())
            resizeDocks(docks, sizes, orientation);
    };
    if (m_narrow) {
        const auto upper = at(Place::upper);
        const auto side = at(Place::side);
        if (!upper.empty() && !side.empty()) {
            resizeDocks({upper.front()->dock, side.front()->dock}, {width() / 2, width() / 2}, Qt::Horizontal);
            resizeDocks({upper.front()->dock}, {height() * 52 / 100}, Qt::Vertical);
        }
        return;
    }
    if (const auto side = at(Place::side); !side.empty())
        resizeDocks({side.front()->dock}, {std::clamp(width() * 235 / 1000, 300, 460)}, Qt::Horizontal);
    share(at(Place::upper), width(), Qt::Horizontal);
    share(at(Place::lower), width(), Qt::Horizontal);
    const auto upper = at(Place::upper);
    const auto lower = at(Place::lower);
    if (!upper.empty() && !lower.empty())
        resizeDocks({upper.front()->dock, lower.front()->dock}, {height() * 307 / 1000, height() * 285 / 1000},
                    Qt::Vertical);
}

/// A tab names its panel: the panel's own title would say it twice.
void DockArea::nameOnce() {
    for (const Panel& panel : m_panels) {
        const bool tabbed = !panel.dock->isFloating() &&
                            std::ranges::any_of(tabifiedDockWidgets(panel.dock), [](const QDockWidget* other) {
                                return !other->isHidden() || other->toggleViewAction()->isChecked();
                            });
        if (auto* title = panel.panel->findChild<QLabel*>(QStringLiteral("panelTitle")))
            title->setVisible(!tabbed);
        for (QWidget* child : panel.panel->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (child->inherits("decodescope::ChartHeader")) {
                child->setProperty("namedByTab", tabbed);
                child->update();
            }
        }
    }
}

void DockArea::setPresentation(bool on) {
    if (on == !m_beforePresentation.isEmpty())
        return;
    if (on) {
        m_beforePresentation = saveState(kStateVersion);
        for (const Panel* panel : at(Place::lower)) {
            if (!panel->dock->isFloating())
                panel->dock->hide();
        }
        QTimer::singleShot(0, this, [this] {
            constexpr int kChartsPercent = 34; // the text is what is looked at
            if (const auto upper = at(Place::upper); !m_beforePresentation.isEmpty() && !upper.empty())
                resizeDocks({upper.front()->dock}, {height() * kChartsPercent / 100}, Qt::Vertical);
        });
        return;
    }
    restoreState(m_beforePresentation, kStateVersion);
    m_beforePresentation.clear();
}

void DockArea::resetLayout() {
    m_maximised = nullptr;
    m_lanes->show();
    m_narrow = width() < kNarrow;
    m_wideState.clear();
    if (m_narrow)
        layOutNarrow();
    else
        layOutWide();
    QTimer::singleShot(0, this, &DockArea::shareOut); // sizes hold only once the docks are laid out
    m_laidOut = true;
}

void DockArea::showPanel(const QString& id) {
    for (Panel& panel : m_panels) {
        if (panel.id == id) {
            panel.dock->show();
            panel.dock->raise();
        }
    }
}

void DockArea::maximise(QWidget* panel) {
    if (m_maximised) {
        const bool same = m_maximised->widget() == panel || panel == nullptr;
        m_maximised = nullptr;
        m_lanes->show();
        restoreState(m_beforeMaximise, kStateVersion);
        if (same)
            return;
    }
    const auto found = std::ranges::find(m_panels, panel, &Panel::panel);
    if (found == m_panels.end())
        return;
    m_beforeMaximise = saveState(kStateVersion);
    m_maximised = found->dock;
    for (Panel& other : m_panels) {
        if (other.dock != m_maximised && !other.dock->isFloating())
            other.dock->hide();
    }
    m_lanes->hide();
    m_maximised->show();
    m_maximised->raise();
}

QByteArray DockArea::layoutState() const {
    if (!m_beforePresentation.isEmpty())
        return m_beforePresentation;
    if (m_maximised)
        return m_beforeMaximise;
    return m_narrow ? m_wideState : saveState(kStateVersion);
}

bool DockArea::restoreLayout(const QByteArray& state) {
    resetLayout();
    if (state.isEmpty())
        return false;
    if (m_narrow) {
        m_wideState = state;
        return true;
    }
    const bool restored = restoreState(state, kStateVersion);
    if (restored)
        m_laidOut = true;
    return restored;
}

void DockArea::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    const bool narrow = event->size().width() < kNarrow;
    if (!m_laidOut || narrow == m_narrow || m_maximised)
        return;
    m_narrow = narrow;
    if (narrow) {
        m_wideState = saveState(kStateVersion);
        layOutNarrow();
    } else {
        layOutWide();
        if (!m_wideState.isEmpty() && restoreState(m_wideState, kStateVersion))
            return;
    }
    QTimer::singleShot(0, this, &DockArea::shareOut);
}

void DockArea::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!m_laidOut)
        resetLayout();
}

bool DockArea::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (type == QEvent::MouseButtonPress || type == QEvent::MouseMove || type == QEvent::MouseButtonRelease ||
        type == QEvent::MouseButtonDblClick) {
        auto* widget = static_cast<QWidget*>(watched);
        for (const Panel& panel : m_panels) {
            if (panel.panel != widget && !panel.panel->isAncestorOf(widget))
                continue;
            const auto* mouse = static_cast<QMouseEvent*>(event);
            const bool inHeader = widget->mapTo(panel.panel, mouse->position().toPoint()).y() < kHeaderHeight;
            const bool dragging = type == QEvent::MouseMove && mouse->buttons().testFlag(Qt::LeftButton);
            if ((type != QEvent::MouseMove && inHeader) || dragging || type == QEvent::MouseButtonRelease)
                forwardToDock(panel.dock, event);
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

void DockArea::forwardToDock(QDockWidget* dock, QEvent* event) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    QPointF local = dock->mapFromGlobal(mouse->globalPosition());
    // Qt begins a drag in the title bar alone: the press is moved up to it, and all that follows by the same way.
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick)
        m_dragShift = dock->titleBarWidget()->geometry().top() - local.y();
    local.ry() += m_dragShift;
    QMouseEvent copy(event->type(), local, mouse->globalPosition(), mouse->button(), mouse->buttons(),
                     mouse->modifiers());
    QCoreApplication::sendEvent(dock, &copy);
}

} // namespace decodescope
