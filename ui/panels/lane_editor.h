#pragma once

#include "ui/window/window_services.h"

#include <QDialog>

class QComboBox;
class QLineEdit;

namespace decodescope {

class ActionButton;
class EndpointDetails;
struct EndpointPreset;
class KeyField;
class LocalModelForm;
class ModelField;
class RoleLabel;
class SegmentBar;

/// Edits one lane: an endpoint (where, which model, whose key) or a model file of this machine. Non-modal; nothing is
/// contacted before Test or List models is pressed.
class LaneEditor : public QDialog {
    Q_OBJECT

public:
    LaneEditor(const WindowServices& services, const RunSpec& lane, const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] RunSpec spec() const;
    void focusKey();

signals:
    void saved(const decodescope::RunSpec& spec);

private:
    void build();
    [[nodiscard]] QWidget* buildEndpoint();
    void setLocal(bool local);
    [[nodiscard]] bool local() const;
    void fill(const RunSpec& lane);
    /// The field shows an address without the keys in it; they stay while nobody edits it.
    void setAddress(const std::string& url);
    [[nodiscard]] std::string address() const;
    [[nodiscard]] const EndpointPreset* preset() const; ///< null: none chosen
    void presetChosen();
    /// The protocols of the chosen preset, or all; `wanted` is chosen among them if it is there.
    void offerProtocols(const std::string& wanted);
    void showDetails(bool shown);
    void useOffered(const OfferedEndpoint& offered);
    void addressEdited();
    void recognise();
    void ask(bool listAll);
    void askWith(const RunSpec& lane, std::shared_ptr<const Secret> key, bool listAll);
    /// Puts a typed key into the keychain where that was asked for, and saves the lane then.
    void save();
    void hand(const RunSpec& lane);
    void told(const EndpointAnswer& answer, bool listAll);
    void trust();
    void say(const QString& sentence, bool good);
    [[nodiscard]] bool complete();

    const WindowServices& m_services;
    RunSpec m_lane;        ///< what was given; carries a key typed earlier
    std::string m_address; ///< as it was given
    QLineEdit* m_name;
    SegmentBar* m_kind = nullptr; ///< null: only endpoints are offered
    LocalModelForm* m_form = nullptr;
    QWidget* m_endpoint;
    QComboBox* m_preset;
    QLineEdit* m_url;
    QComboBox* m_protocol;
    ModelField* m_model;
    KeyField* m_key;
    EndpointDetails* m_details;
    ActionButton* m_more;
    ActionButton* m_test;
    ActionButton* m_trust;
    QString m_fingerprint; ///< of the certificate that was not trusted
    RoleLabel* m_verdict;
    int m_asked = 0; ///< answers to earlier questions are ignored
};

} // namespace decodescope
