#pragma once

#include "ui/view_state.h"
#include "ui/window/race_settings.h"

#include <QWidget>

class QCheckBox;
class QDoubleSpinBox;
class QSpinBox;
class QToolButton;

namespace decodescope {

class PromptField;
class RequestOptions;
class RoleLabel;
class SegmentBar;

/// What is asked and how it is counted: one row under the tool bar.
class PromptStrip : public QWidget {
    Q_OBJECT

public:
    explicit PromptStrip(ViewState& view, QWidget* parent = nullptr);

    void show(const RaceSettings& race); ///< fills the fields, emits nothing
    void read(RaceSettings& race) const; ///< all but the plan's counts
    void setNarrow(bool narrow);
    /// An opened recording shows what was asked; it cannot be edited.
    void setEditable(bool editable);

signals:
    void edited();
    void runAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void showWords();
    void openOptions();

    PromptField* m_prompt;
    RoleLabel* m_words;
    QToolButton* m_grow;
    QSpinBox* m_maxTokens;
    QDoubleSpinBox* m_temperature;
    QCheckBox* m_unique;
    SegmentBar* m_start;
    SegmentBar* m_unit;
    QToolButton* m_more;
    RequestOptions* m_options;
    QWidget* m_roomy; ///< what goes when there is little room
    bool m_quiet = false;
};

} // namespace decodescope
