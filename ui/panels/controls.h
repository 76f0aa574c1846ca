#pragma once

#include "ui/theme/look.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include <functional>

class QAction;
class QButtonGroup;
class QLineEdit;
class QToolButton;

namespace decodescope {

/// Plain text in a role of the palette; follows the theme. Elided at the right when it must be narrower.
class RoleLabel : public QLabel {
    Q_OBJECT

public:
    RoleLabel(const QString& text, QColor Colours::*role, Type type = Type::body, QWidget* parent = nullptr);
    void setRole(QColor Colours::*role);
    /// Lets the label be narrower than its text; what is cut is in the tool tip.
    void setElided(Qt::TextElideMode mode);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();
    QColor Colours::*m_role;
    Type m_type;
    Qt::TextElideMode m_elide = Qt::ElideNone;
};

/// An icon beside words, in their paler tone; follows the theme.
class IconLabel : public QLabel {
    Q_OBJECT

public:
    explicit IconLabel(const QString& icon, QWidget* parent = nullptr);
};

/// A button with an icon, a word and its key in a paler tone. Follows an action's state when given one.
class ActionButton : public QPushButton {
    Q_OBJECT

public:
    ActionButton(const QString& icon, const QString& text, const QString& hint, QWidget* parent = nullptr);
    ActionButton(QAction* action, const QString& icon, QWidget* parent = nullptr);
    /// The one button of a place that is meant first.
    void setPrimary(bool primary);
    void setWords(const QString& text, const QString& hint);
    void setGlyph(const QString& icon);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_icon, m_text, m_hint;
    bool m_primary = false;
};

/// A row of words of which one is on.
class SegmentBar : public QFrame {
    Q_OBJECT

public:
    SegmentBar(const QString& accessibleName, const QStringList& words, QWidget* parent = nullptr);
    [[nodiscard]] int current() const;
    void setCurrent(int index); ///< emits nothing

signals:
    void picked(int index); ///< by the user

private:
    QButtonGroup* m_group;
};

/// A field for one line, with the name by which it is told aloud and a word for its emptiness.
[[nodiscard]] QLineEdit* lineField(const QString& name, const QString& placeholder, QWidget* parent);

/// A flat button with nothing but an icon.
[[nodiscard]] QToolButton* iconButton(const QString& icon, const QString& name, QWidget* parent = nullptr);

/// A surface with a hairline in the light theme: what cards and panels lie on.
class Surface : public QFrame {
    Q_OBJECT

public:
    explicit Surface(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A 4 px bar that fills from the left; with nothing known, a quiet track.
class ProgressLine : public QWidget {
    Q_OBJECT

public:
    explicit ProgressLine(const QString& accessibleName, QWidget* parent = nullptr);
    void setShare(double share); ///< 0 ... 1
    [[nodiscard]] double share() const { return m_share; }
    [[nodiscard]] QSize sizeHint() const override { return {280, 4}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share = 0;
};

/// A hairline.
[[nodiscard]] QWidget* hairline(QWidget* parent = nullptr);

} // namespace decodescope
