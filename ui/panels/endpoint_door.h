#pragma once

#include "ui/window/window_services.h"

#include <QWidget>

class QLineEdit;

namespace decodescope {

class RoleLabel;

/// The start page's way to an endpoint: an address and perhaps a key. Nothing is contacted before Test is pressed; a
/// typed key belongs to the address that it was typed for.
class EndpointDoor : public QWidget {
    Q_OBJECT

public:
    explicit EndpointDoor(const WindowServices& services, QWidget* parent = nullptr);

signals:
    void laneAsked(const decodescope::RunSpec& spec);
    /// The address or the model is still to be told.
    void editAsked(const decodescope::RunSpec& spec);

private:
    void test();
    void addLane();
    [[nodiscard]] RunSpec typedLane() const;

    const WindowServices& m_services;
    QLineEdit* m_url;
    QLineEdit* m_key;
    RoleLabel* m_verdict;
    QString m_testedModel, m_testedOrigin, m_keyOrigin;
    int m_asked = 0;
};

} // namespace decodescope
