#pragma once

#include <QWidget>

class QToolButton;

namespace decodescope {

class ActionButton;
class RoleLabel;

/// One sentence over the whole width about something that needs attention, with at most one thing to do about it.
class Banner : public QWidget {
    Q_OBJECT

public:
    enum class Kind { failure, note };

    explicit Banner(QWidget* parent = nullptr);
    /// An empty `action` shows no button.
    void tell(Kind kind, const QString& sentence, const QString& action = {});
    [[nodiscard]] QString sentence() const;

signals:
    void acted();
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Kind m_kind = Kind::note;
    RoleLabel* m_sentence;
    ActionButton* m_action;
    QToolButton* m_close;
};

} // namespace decodescope
