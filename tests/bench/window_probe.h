#pragma once

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QWidget>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

/// How the window's benchmarks see what a user would see: when a frame was on the screen, and how long after the
/// input that it answers.
namespace decodescope::bench {

using SteadyTime = std::chrono::steady_clock::time_point;

inline double msBetween(SteadyTime begin, SteadyTime end) {
    return std::chrono::duration<double, std::milli>(end - begin).count();
}

/// The value that a share `q` of all values stay under; 0 when there is none.
inline double percentile(std::vector<double> values, double q) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size() - 1)))];
}

/// An application that tells when painting is over. A frame ends when the outermost event in which a widget was
/// painted has been handled: then all dirty widgets are painted and flushed.
class ProbeApplication : public QApplication {
public:
    using QApplication::QApplication;

    std::function<void(SteadyTime)> onFrame;        ///< after each painted frame
    std::function<void(QObject*, QEvent*)> onEvent; ///< after each event

    bool notify(QObject* receiver, QEvent* event) override {
        const QPointer<QObject> alive(receiver);
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        if (event->type() == QEvent::Paint && alive && alive->isWidgetType())
            m_painted = true;
        if (onEvent && alive)
            onEvent(receiver, event);
        if (m_depth == 0 && m_painted) {
            m_painted = false;
            if (onFrame)
                onFrame(std::chrono::steady_clock::now());
        }
        return handled;
    }

private:
    int m_depth = 0;
    bool m_painted = false;
};

} // namespace decodescope::bench
