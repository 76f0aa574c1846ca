#pragma once

#include "core/net/transport_choice.h"

#include <QtTest>

/// One suite over every transport that this system has: initTestCase_data() calls addTransportRows(), and each test
/// then runs once a row.
namespace decodescope {

inline void addTransportRows() {
    QTest::addColumn<QString>("transport");
    for (const char* name : {"kernel", "qt"}) {
        if (transportKindFromString(name))
            QTest::newRow(name) << name;
    }
}

[[nodiscard]] inline TransportKind transportOfRow() {
    QFETCH_GLOBAL(QString, transport);
    return *transportKindFromString(transport.toStdString());
}

} // namespace decodescope
