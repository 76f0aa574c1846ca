#pragma once

#include <QChartView>
#include <QLineSeries>
#include <QTimer>
#include <QValueAxis>
#include <QWidget>

#include <cmath>
#include <vector>

/// A GUI thread with its hands full: twelve charts, each given new points and painted at 60 Hz, as in the measurements
/// that the goals of performance.md come from.
namespace decodescope::bench {

class BusyWindow {
public:
    BusyWindow() {
        m_window.resize(1920, 1080);
        for (int i = 0; i < kCharts; ++i) {
            auto* series = new QLineSeries;
            auto* chart = new QChart;
            chart->legend()->hide();
            chart->addSeries(series);
            chart->createDefaultAxes();
            auto* view = new QChartView(chart, &m_window);
            view->setGeometry(i % 4 * 480, i / 4 * 360, 480, 360);
            m_charts.push_back({series, view});
        }
        m_window.show();
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(16);
        QObject::connect(&m_timer, &QTimer::timeout, [this] { paint(); });
        m_timer.start();
    }

private:
    static constexpr int kCharts = 12;
    static constexpr int kPoints = 700; // about two a pixel column, as the charts of the window hold

    struct Chart {
        QLineSeries* series;
        QChartView* view;
    };

    void paint() {
        ++m_frame;
        for (const Chart& chart : m_charts) {
            QList<QPointF> points;
            points.reserve(kPoints);
            for (int i = 0; i < kPoints; ++i)
                points.append(QPointF(i, 20 + 8 * std::sin((i + m_frame * 4) * 0.11) + i * 7919 % 13));
            chart.series->replace(points);
            const auto axes = chart.view->chart()->axes();
            axes[0]->setRange(0, kPoints);
            axes[1]->setRange(0, 60);
            chart.view->viewport()->repaint();
        }
    }

    QWidget m_window;
    std::vector<Chart> m_charts;
    QTimer m_timer;
    int m_frame = 0;
};

} // namespace decodescope::bench
