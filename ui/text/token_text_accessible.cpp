#include "ui/text/token_text_accessible.h"

#include "ui/text/token_text_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <algorithm>

namespace decodescope {
namespace {

class TokenTextAccessible final : public QAccessibleWidget, public QAccessibleTextInterface {
public:
    explicit TokenTextAccessible(TokenTextView* view)
        : QAccessibleWidget(view, QAccessible::EditableText) {}

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::TextInterface ? static_cast<QAccessibleTextInterface*>(this)
                                                  : QAccessibleWidget::interface_cast(type);
    }

    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = true;
        state.multiLine = true;
        state.selectableText = true;
        return state;
    }

    void selection(int index, int* start, int* end) const override {
        const TextRange range = index == 0 ? view().selection() : TextRange{};
        *start = static_cast<int>(range.begin);
        *end = static_cast<int>(range.end);
    }
    int selectionCount() const override { return view().selection().empty() ? 0 : 1; }
    void addSelection(int start, int end) override { setSelection(0, start, end); }
    void removeSelection(int) override { view().setSelection({}); }
    void setSelection(int, int start, int end) override {
        view().setSelection({at(std::min(start, end)), at(std::max(start, end))});
    }

    int cursorPosition() const override { return static_cast<int>(view().selection().end); }
    void setCursorPosition(int position) override { view().setSelection({at(position), at(position)}); }

    QString text(int start, int end) const override {
        return view().buffer().text().mid(at(start),
                                          std::max<qsizetype>(0, at(end) - static_cast<qsizetype>(at(start))));
    }
    using QAccessibleWidget::text;
    int characterCount() const override { return static_cast<int>(view().buffer().textSize()); }
    QRect characterRect(int offset) const override {
        const QRect rect = view().rectOf({at(offset), at(offset + 1)});
        return {view().viewport()->mapToGlobal(rect.topLeft()), rect.size()};
    }
    int offsetAtPoint(const QPoint& point) const override {
        const auto token = view().tokenAt(view().viewport()->mapFromGlobal(point));
        return token ? static_cast<int>(view().buffer().begin(*token)) : -1;
    }
    void scrollToSubstring(int start, int) override {
        if (view().buffer().tokenCount() > 0)
            view().reveal(view().buffer().tokenAt(at(start)));
    }
    QString attributes(int offset, int* start, int* end) const override {
        *start = offset;
        *end = offset;
        return {};
    }

private:
    [[nodiscard]] TokenTextView& view() const { return *static_cast<TokenTextView*>(widget()); }
    [[nodiscard]] std::uint32_t at(int offset) const {
        return static_cast<std::uint32_t>(std::clamp(offset, 0, characterCount()));
    }
};

QAccessibleInterface* makeInterface(const QString& key, QObject* object) {
    if (key != QLatin1String("decodescope::TokenTextView"))
        return nullptr;
    auto* view = qobject_cast<TokenTextView*>(object);
    return view ? new TokenTextAccessible(view) : nullptr;
}

} // namespace

void installTokenTextAccessibility() {
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace decodescope
