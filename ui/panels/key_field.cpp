#include "ui/panels/key_field.h"

#include "ui/panels/controls.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/key_binding.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStackedWidget>

namespace decodescope {

KeyField::KeyField(const WindowServices& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services) {
    m_source = new QComboBox(this);
    m_source->setAccessibleName(tr("Key comes from"));
    m_source->addItems({tr("No key"), tr("Environment variable"), tr("File"), tr("Typed")});
    m_variable = lineField(tr("Name of the variable"), QStringLiteral("OPENAI_API_KEY"), this);
    m_file = lineField(tr("Key file"), tr("a file that only you can read"), this);
    m_typed = lineField(tr("Key"), tr("kept in memory only"), this);
    m_typed->setEchoMode(QLineEdit::Password);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(new RoleLabel(tr("Requests carry no key."), &Colours::ink3, Type::body, this));
    for (QLineEdit* page : {m_variable, m_file, m_typed})
        m_pages->addWidget(page);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_source);
    row->addWidget(m_pages, 1);

    m_keeping = new QWidget(parent);
    m_remember = new QCheckBox(tr("Remember the key in the keychain, for this address alone"), m_keeping);
    m_forget = new ActionButton({}, tr("Forget key"), {}, m_keeping);
    m_forget->setAutoDefault(false);
    setPlainTip(m_forget,
                tr("Takes the key out of the keychain when the lane is saved, for every lane of this address."));
    auto* keepingRow = new QHBoxLayout(m_keeping);
    keepingRow->setContentsMargins(0, 0, 0, 0);
    keepingRow->setSpacing(6);
    keepingRow->addWidget(m_remember, 1);
    keepingRow->addWidget(m_forget);
    m_keeping->setVisible(m_services.keychainStore != nullptr);
    m_forget->hide();

    connect(m_source, &QComboBox::currentIndexChanged, this, &KeyField::sourceChanged);
    connect(m_typed, &QLineEdit::textEdited, this, [this] { m_keyOrigin = m_origin; });
    connect(m_forget, &QPushButton::clicked, this, &KeyField::forget);
}

void KeyField::fill(const RunSpec& lane) {
    m_known = lane.key;
    m_reference = lane.endpoint.key;
    m_origin = originOf(lane.endpoint.url);
    m_keyOrigin = m_origin;
    const QString name = QString::fromStdString(m_reference.name);
    switch (m_reference.kind) {
    case KeyReference::Kind::environment:
        m_variable->setText(name);
        setSource(variable);
        break;
    case KeyReference::Kind::file:
        m_file->setText(name);
        setSource(file);
        break;
    case KeyReference::Kind::session:
        setSource(typed);
        if (m_known)
            m_typed->setPlaceholderText(tr("kept, %1 characters").arg(m_known->size()));
        break;
    case KeyReference::Kind::keychain:
        setSource(typed);
        m_remember->setChecked(true);
        m_typed->setPlaceholderText(tr("kept in the keychain"));
        break;
    default:
        setSource(none);
    }
    sourceChanged();
}

bool KeyField::setAddress(const QString& url) {
    m_origin = originOf(url.toStdString());
    const bool kept = m_known || m_reference.kind == KeyReference::Kind::keychain;
    const bool has = !m_typed->text().isEmpty() || (kept && source() == typed);
    if (!has || m_origin == m_keyOrigin)
        return false;
    drop();
    m_keyOrigin = m_origin;
    return true;
}

void KeyField::drop() {
    m_typed->clear();
    m_typed->setPlaceholderText(tr("kept in memory only"));
    m_known.reset();
    m_reference = {};
    m_forget->hide();
}

void KeyField::apply(RunSpec& lane) const {
    KeyReference& reference = lane.endpoint.key;
    lane.key.reset();
    switch (source()) {
    case variable:
        reference = {KeyReference::Kind::environment, m_variable->text().trimmed().toStdString()};
        return;
    case file:
        reference = {KeyReference::Kind::file, m_file->text().trimmed().toStdString()};
        return;
    case none:
        reference = {};
        return;
    case typed:
        break;
    }
    lane.key = m_typed->text().isEmpty() ? m_known : std::make_shared<const Secret>(m_typed->text().toStdString());
    // What the keychain holds already stays there, unless its box was cleared and there is a key to go on with.
    if (m_remember->isChecked() && (lane.key || m_reference.kind == KeyReference::Kind::keychain))
        reference = {KeyReference::Kind::keychain, originOf(lane.endpoint.url).toStdString()};
    else if (lane.key)
        reference = {KeyReference::Kind::session, {}};
    else
        reference = {};
}

bool KeyField::given() const {
    return source() != none;
}

void KeyField::useVariable(const std::string& name) {
    m_variable->setText(QString::fromStdString(name));
    setSource(variable);
}

void KeyField::offerVariable(const std::optional<std::string>& set, const std::string& usual) {
    if (source() != none && source() != variable)
        return;
    setSource(set ? variable : none);
    m_variable->setText(QString::fromStdString(set.value_or(usual)));
}

void KeyField::takeFocus() {
    if (source() == none)
        m_source->setFocus();
    else
        m_pages->currentWidget()->setFocus();
}

void KeyField::keepForSession() {
    m_remember->setChecked(false);
}

void KeyField::setSource(Source source) {
    m_source->setCurrentIndex(source);
}

KeyField::Source KeyField::source() const {
    return static_cast<Source>(m_source->currentIndex());
}

void KeyField::sourceChanged() {
    m_pages->setCurrentIndex(source());
    m_remember->setEnabled(source() == typed);
    const bool kept = m_reference.kind == KeyReference::Kind::keychain && source() == typed;
    m_forget->setVisible(kept && m_services.keychainRemove != nullptr);
    emit changed();
}

void KeyField::forget() {
    m_forgotten = m_reference.name;
    drop();
    m_remember->setChecked(false);
    emit said(tr("Once the lane is saved, the keychain keeps no key for %1 any more.")
                  .arg(QString::fromStdString(m_forgotten)),
              true);
}

} // namespace decodescope
