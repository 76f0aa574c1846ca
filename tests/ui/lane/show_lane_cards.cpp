/// Draws a lane card in every state, dark and light, at scale 1 and 2, into the folder given: pictures to be looked
/// at. `show_lane_cards FOLDER [WIDTH HEIGHT]`
#include "tests/ui/lane/lane_states.h"
#include "ui/lane/lane_card.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QPixmap>
#include <QVBoxLayout>

#include <cstdio>

using namespace decodescope;

namespace {

constexpr int kColumns = 4;
constexpr int kGutter = 6;

QImage sheet(QSize cardSize, qreal scale) {
    const std::vector<LaneCase> cases = laneCases();
    ViewState view;
    double longest = 0;
    std::vector<std::unique_ptr<LaneCard>> cards;
    for (const LaneCase& c : cases) {
        auto card = std::make_unique<LaneCard>(view);
        card->setLaneId(c.config.id + 100 * static_cast<LaneId>(cards.size()));
        card->setAttribute(Qt::WA_DontShowOnScreen);
        card->resize(cardSize);
        card->show();
        if (c.name == QLatin1String("done"))
            card->setReadingOn(true);
        card->advance(c.shot());
        longest = std::max(longest, card->tokenEvents());
        cards.push_back(std::move(card));
    }
    const int rows = (static_cast<int>(cards.size()) + kColumns - 1) / kColumns;
    const QSize size(kColumns * (cardSize.width() + kGutter) + kGutter, rows * (cardSize.height() + kGutter) + kGutter);
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(Look::instance().colours().window);
    QPainter painter(&image);
    for (std::size_t i = 0; i < cards.size(); ++i) {
        LaneCard& card = *cards[i];
        card.setTokenScale(longest);
        if (cases[i].name == QLatin1String("shared-reads"))
            view.setSelected(TokenRef{card.laneId(), 120});
        QCoreApplication::processEvents();
        card.advance(cases[i].shot());
        const int column = static_cast<int>(i) % kColumns, row = static_cast<int>(i) / kColumns;
        card.render(
            &painter,
            QPoint(kGutter + column * (cardSize.width() + kGutter), kGutter + row * (cardSize.height() + kGutter)),
            QRegion(), QWidget::DrawChildren);
    }
    return image;
}

} // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() < 2) {
        std::fputs("usage: show_lane_cards FOLDER [WIDTH HEIGHT]\n", stderr);
        return 2;
    }
    QSize size(398, 332);
    if (arguments.size() >= 4)
        size = QSize(arguments[2].toInt(), arguments[3].toInt());
    const QDir folder(arguments[1]);
    if (!QDir().mkpath(folder.path()))
        return 1;
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
        Look::instance().apply(choice);
        for (const int scale : {1, 2}) {
            const QString name =
                QStringLiteral("lanes-%1-%2x.png")
                    .arg(choice == ThemeChoice::dark ? QStringLiteral("dark") : QStringLiteral("light"))
                    .arg(scale);
            if (!sheet(size, scale).save(folder.filePath(name)))
                return 1;
            std::printf("%s\n", qPrintable(folder.filePath(name)));
        }
    }
    return 0;
}
