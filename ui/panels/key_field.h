#pragma once

#include "ui/window/window_services.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QStackedWidget;

namespace decodescope {

class ActionButton;

/// Where a lane's key comes from: nowhere, a variable, a file, or the user's hands, with the keychain behind them. A
/// typed key lives in a Secret alone, belongs to one origin, and is dropped when the address changes to another.
class KeyField : public QWidget {
    Q_OBJECT

public:
    explicit KeyField(const WindowServices& services, QWidget* parent = nullptr);

    /// The row beneath: whether the keychain is to keep the key, and to forget it.
    [[nodiscard]] QWidget* keeping() const { return m_keeping; }
    void fill(const RunSpec& lane);
    /// The lane's address as it stands now. True when that made a key go that was for another origin.
    bool setAddress(const QString& url);
    /// Puts the key, and where it comes from, into a lane whose address is set.
    void apply(RunSpec& lane) const;
    [[nodiscard]] bool given() const;
    void useVariable(const std::string& name);
    /// A preset was chosen: the variable that holds its key for this address, if one is set, else the `usual` one's
    /// name. What the user chose otherwise stays.
    void offerVariable(const std::optional<std::string>& set, const std::string& usual);
    void takeFocus();
    /// The keychain did not take the key: it is for this session.
    void keepForSession();
    /// The origin whose key the keychain is to let go of once the lane is saved; empty: none.
    [[nodiscard]] const std::string& forgotten() const { return m_forgotten; }

signals:
    void changed();
    void said(const QString& sentence, bool good);

private:
    enum Source { none, variable, file, typed };
    void setSource(Source source);
    [[nodiscard]] Source source() const;
    void sourceChanged();
    void forget();
    void drop();

    const WindowServices& m_services;
    std::shared_ptr<const Secret> m_known; ///< typed earlier
    KeyReference m_reference;              ///< as it was given
    std::string m_forgotten;
    QString m_origin;    ///< of the address
    QString m_keyOrigin; ///< that the key is for
    QComboBox* m_source;
    QStackedWidget* m_pages;
    QLineEdit* m_variable;
    QLineEdit* m_file;
    QLineEdit* m_typed;
    QWidget* m_keeping;
    QCheckBox* m_remember;
    ActionButton* m_forget;
};

} // namespace decodescope
