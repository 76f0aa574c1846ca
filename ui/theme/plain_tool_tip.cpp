#include "ui/theme/plain_tool_tip.h"

namespace decodescope {

QString plainToolTip(const QString& text) {
    QString html = text.toHtmlEscaped();
    html.replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    return QStringLiteral("<span>%1</span>").arg(html);
}

} // namespace decodescope
