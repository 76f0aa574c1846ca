#include "app/message_log.h"

#include "app/terminal.h"

#include <QString>
#include <QtGlobal>

#include <cstdlib>

namespace decodescope {

void redactMessages() {
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& message) {
        tell(qFormatLogMessage(type, context, message).toStdString());
        if (type == QtFatalMsg)
            std::abort();
    });
}

} // namespace decodescope
