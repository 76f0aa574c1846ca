#pragma once

#include <QWidget>

#include <string>
#include <vector>

class QLineEdit;
class QListWidget;

namespace decodescope {

class ActionButton;

/// Which model of an endpoint: a name, typed or picked from the list that the endpoint gave.
class ModelField : public QWidget {
    Q_OBJECT

public:
    explicit ModelField(QWidget* parent = nullptr);

    /// The rows beneath, hidden while there is nothing to pick: the list and its filter.
    [[nodiscard]] QWidget* choice() const { return m_choice; }
    [[nodiscard]] QString name() const;
    void setName(const QString& name);
    /// While an answer is awaited nothing more is asked.
    void setAsking(bool asking);
    /// The endpoint has these. The only one is taken where no name stands; they are shown when `all` asks for it, or
    /// when none of them is the name that stands.
    void offer(const std::vector<std::string>& names, bool all);

signals:
    void listAsked();

private:
    void filter(const QString& text);

    QLineEdit* m_name;
    ActionButton* m_fetch;
    QWidget* m_choice;
    QLineEdit* m_filter;
    QListWidget* m_list;
};

} // namespace decodescope
