#pragma once

#include "core/source/endpoint_preset.h"

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QVBoxLayout;

namespace decodescope {

class RoleLabel;

/// What few endpoints need: the options of the preset, how text comes, the connection, and whom to trust.
class EndpointDetails : public QWidget {
    Q_OBJECT

public:
    explicit EndpointDetails(QWidget* parent = nullptr);

    void fill(const EndpointSpec& endpoint);
    /// Puts what is set here into `endpoint`.
    void apply(EndpointSpec& endpoint) const;
    /// Offers the options of a preset, none of them on; null: there are none.
    void setPreset(const EndpointPreset* preset);
    void setKeyGiven(bool given);
    /// Pins the server's certificate by its SHA-256 fingerprint.
    void pin(const QString& fingerprint);
    /// Whether anything differs from what an ordinary endpoint has.
    [[nodiscard]] static bool used(const EndpointSpec& endpoint);

private:
    QVBoxLayout* m_optionColumn;
    std::vector<std::pair<std::string, QCheckBox*>> m_options; ///< by id
    QCheckBox* m_thinkTags;
    QCheckBox* m_cumulative;
    QComboBox* m_connection;
    QLineEdit* m_certificate;
    QLineEdit* m_caFile;
    QCheckBox* m_anyCertificate;
    QCheckBox* m_plainHttp;
};

/// A label before `field`, of one width in the whole form of an endpoint, though its details are a form of their own.
[[nodiscard]] RoleLabel* endpointLabel(const QString& text, QWidget* field, QWidget* parent);

/// A protocol's name for people.
[[nodiscard]] QString protocolName(std::string_view protocol);

} // namespace decodescope
