#include "tests/bench/bench_report.h"
#include "tests/ui/text/record_builder.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"

#include <QApplication>
#include <QScrollBar>
#include <QTextCharFormat>
#include <QTextCursor>
#include <QTextEdit>

#include <memory>
#include <string>
#include <vector>

/// X1, X2, M1: what the token text costs. Frames are run through one after another and the thread's processor time
/// is counted, so that a busy machine changes the wait and not the figure.
namespace decodescope {
namespace {

constexpr int kLanes = 8;
constexpr double kTokensPerSecond = 200;
constexpr int kFramesPerSecond = 60;
int g_frames = 240; // fewer with --quick

/// Words of a plausible length; a paragraph ends now and then, unless `longParagraphs`.
std::string word(int i, bool longParagraphs) {
    static const char* const kWords[] = {" the",  " index", " is",      " a", " second",
                                         " copy", "ing",    " columns", ",",  " kept"};
    if (!longParagraphs && i % 80 == 79)
        return "\n\n";
    return kWords[static_cast<std::size_t>(i * 7) % std::size(kWords)];
}

double gapMs(int i) {
    return i % 23 == 22 ? 14 : i % 57 == 56 ? 30 : 5;
}

RunSummary medianOnly() {
    RunSummary summary;
    summary.itl = Distribution{};
    summary.itl->p50 = 0.005;
    return summary;
}

/// Tokens due at the end of a frame.
int dueBy(int frame) {
    return static_cast<int>(kTokensPerSecond * (frame + 1) / kFramesPerSecond);
}

/// Share of one core that eight of our views take.
double ourShare(int preload, bool longParagraphs) {
    ViewState state;
    std::vector<std::unique_ptr<TokenTextView>> views;
    std::vector<RecordBuilder> builders(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
        auto view = std::make_unique<TokenTextView>(state);
        view->setLane(static_cast<LaneId>(lane), lane);
        view->resize(398, 190);
        view->show();
        for (int i = 0; i < preload; ++i)
            builders[static_cast<std::size_t>(lane)].token(word(i, longParagraphs), gapMs(i));
        view->advance(builders[static_cast<std::size_t>(lane)].shared(), true);
        view->setSummary(medianOnly());
        views.push_back(std::move(view));
    }
    QCoreApplication::processEvents();
    std::vector<int> sent(kLanes, 0);
    double spent = 0;
    for (int frame = 0; frame < g_frames; ++frame) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            for (; sent[lane] < dueBy(frame); ++sent[lane])
                builders[lane].token(word(preload + sent[lane], longParagraphs), gapMs(sent[lane]));
        }
        const double begin = bench::threadSeconds();
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            views[lane]->advance(builders[lane].shared(), true);
        QCoreApplication::processEvents();
        spent += bench::threadSeconds() - begin;
    }
    return spent * kFramesPerSecond / g_frames;
}

/// The same by the editor of the toolkit: one insertion with a background for each token, batched in an edit block.
double editorShare(int preload, bool longParagraphs) {
    const Colours& colours = Look::instance().colours();
    std::vector<std::unique_ptr<QTextEdit>> edits;
    const auto put = [&](QTextEdit& edit, int i) {
        QTextCursor cursor(edit.document());
        cursor.movePosition(QTextCursor::End);
        QTextCharFormat format;
        const int stop = i > 0 ? Look::heatStop(gapMs(i), 5) : 0;
        if (stop > 0)
            format.setBackground(colours.heat[static_cast<std::size_t>(stop)]);
        cursor.insertText(QString::fromStdString(word(i, longParagraphs)), format);
    };
    for (int lane = 0; lane < kLanes; ++lane) {
        auto edit = std::make_unique<QTextEdit>();
        edit->setReadOnly(true);
        edit->setUndoRedoEnabled(false);
        edit->setFont(Look::instance().font(Type::stream));
        edit->resize(398, 190);
        edit->show();
        QTextCursor block(edit->document());
        block.beginEditBlock();
        for (int i = 0; i < preload; ++i)
            put(*edit, i);
        block.endEditBlock();
        edit->verticalScrollBar()->setValue(edit->verticalScrollBar()->maximum());
        edits.push_back(std::move(edit));
    }
    QCoreApplication::processEvents();
    std::vector<int> sent(kLanes, 0);
    double spent = 0;
    for (int frame = 0; frame < g_frames; ++frame) {
        const double begin = bench::threadSeconds();
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            QTextCursor block(edits[lane]->document());
            block.beginEditBlock();
            for (; sent[lane] < dueBy(frame); ++sent[lane])
                put(*edits[lane], preload + sent[lane]);
            block.endEditBlock();
            edits[lane]->verticalScrollBar()->setValue(edits[lane]->verticalScrollBar()->maximum());
        }
        QCoreApplication::processEvents();
        spent += bench::threadSeconds() - begin;
    }
    return spent * kFramesPerSecond / g_frames;
}

double bytesPerToken(int tokens) {
    RecordBuilder builder;
    for (int i = 0; i < tokens; ++i)
        builder.token(word(i, false), gapMs(i));
    TokenText text;
    text.setFonts(Look::instance().font(Type::stream), Look::instance().font(Type::small), 20);
    text.setWidth(378);
    text.append(builder.record());
    return static_cast<double>(text.memory()) / tokens;
}

void run(bool quick) {
    using bench::report;
    const int before = quick ? 500 : 20'000;
    const int many = 5 * before;
    const std::string conditions =
        fmt::format("8 lanes x 200 tok/s, 60 frames/s, {} tokens a lane before, processor time", before);
    const double ours = ourShare(before, false);
    const double editor = editorShare(before, false);
    report("X1 text view, share of a core", ours, "core", conditions);
    report("X1 text view against QTextEdit", ours / editor, "ratio", conditions, "QTextEdit in the same run");
    const double oursLong = ourShare(before, true);
    report("X1 text view, one long paragraph", oursLong, "core", conditions);
    const double atMany = ourShare(many, false);
    report("X2 text view, five times the tokens a lane", atMany / ours, "ratio", fmt::format("as X1, {} tokens", many),
           fmt::format("{} tokens a lane", before));
    report("M1 text, marks and lines", bytesPerToken(before), "bytes/token", fmt::format("{} tokens", before));
    report("M1 text, marks and lines", bytesPerToken(many), "bytes/token", fmt::format("{} tokens", many));
}

} // namespace
} // namespace decodescope

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    decodescope::Look::instance().apply(decodescope::ThemeChoice::dark);
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    if (quick)
        decodescope::g_frames = 12;
    decodescope::run(quick);
    return 0;
}
