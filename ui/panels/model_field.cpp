#include "ui/panels/model_field.h"

#include "ui/panels/controls.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kListHeight = 112;
constexpr std::size_t kFewNames = 8; ///< so many are seen at a glance

} // namespace

ModelField::ModelField(QWidget* parent)
    : QWidget(parent) {
    m_name = lineField(tr("Model"), tr("name as the endpoint knows it"), this);
    m_fetch = new ActionButton(QStringLiteral("download"), tr("List models"), {}, this);
    m_fetch->setAutoDefault(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_name, 1);
    row->addWidget(m_fetch);

    m_choice = new QWidget(parent);
    m_filter = lineField(tr("Filter models"), tr("Filter"), m_choice);
    m_list = new QListWidget(m_choice);
    m_list->setAccessibleName(tr("Models of the endpoint"));
    m_list->setFixedHeight(kListHeight);
    auto* rows = new QVBoxLayout(m_choice);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(8);
    rows->addWidget(m_filter);
    rows->addWidget(m_list);
    m_choice->hide();

    connect(m_fetch, &QPushButton::clicked, this, &ModelField::listAsked);
    connect(m_filter, &QLineEdit::textChanged, this, &ModelField::filter);
    const auto pick = [this](const QListWidgetItem* item) { m_name->setText(item->text()); };
    connect(m_list, &QListWidget::itemActivated, this, pick);
    connect(m_list, &QListWidget::itemClicked, this, pick);
}

QString ModelField::name() const {
    return m_name->text().trimmed();
}

void ModelField::setName(const QString& name) {
    m_name->setText(name);
}

void ModelField::setAsking(bool asking) {
    m_fetch->setEnabled(!asking);
}

void ModelField::offer(const std::vector<std::string>& names, bool all) {
    m_list->clear();
    for (const std::string& each : names)
        m_list->addItem(QString::fromStdString(each));
    if (names.size() == 1 && name().isEmpty())
        m_name->setText(m_list->item(0)->text());
    const bool known = std::ranges::find(names, name().toStdString()) != names.end();
    m_filter->setVisible(names.size() > kFewNames);
    if (names.size() <= kFewNames)
        m_filter->clear();
    m_choice->setVisible(!names.empty() && (all || (!known && names.size() > 1)));
    filter(m_filter->text());
}

void ModelField::filter(const QString& text) {
    for (int i = 0; i < m_list->count(); ++i)
        m_list->item(i)->setHidden(!m_list->item(i)->text().contains(text, Qt::CaseInsensitive));
}

} // namespace decodescope
