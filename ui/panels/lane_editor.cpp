#include "ui/panels/lane_editor.h"

#include "core/base/fingerprint.h"
#include "core/base/redaction.h"
#include "core/source/address_guess.h"
#include "core/source/environment_endpoints.h"
#include "core/source/request_form.h"
#include "ui/panels/controls.h"
#include "ui/panels/endpoint_details.h"
#include "ui/panels/endpoint_words.h"
#include "ui/panels/key_field.h"
#include "ui/panels/local_model_door.h"
#include "ui/panels/local_model_form.h"
#include "ui/panels/model_field.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/key_binding.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPointer>

#include <algorithm>

namespace decodescope {

namespace {

/// Whether an address is one that was put there: a preset's own or one of the environment, or none at all.
bool isUsual(const std::string& address) {
    const Environment environment = processEnvironment();
    const auto& presets = builtInPresets();
    return address.empty() || std::any_of(presets.begin(), presets.end(), [&](const EndpointPreset& preset) {
               const auto named = addressIn(environment, preset);
               return preset.url == address || (named && *named == address);
           });
}

} // namespace

LaneEditor::LaneEditor(const WindowServices& services, const RunSpec& lane, const QString& title, QWidget* parent)
    : QDialog(parent)
    , m_services(services)
    , m_lane(lane) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    build();
    fill(lane);
}

QWidget* LaneEditor::buildEndpoint() {
    auto* page = new QWidget(this);
    m_url = lineField(tr("Endpoint address"), QStringLiteral("https://host/v1"), this);
    m_protocol = new QComboBox(this);
    m_protocol->setAccessibleName(tr("Protocol"));
    m_preset = new QComboBox(this);
    m_preset->setAccessibleName(tr("Kind of server"));
    m_preset->setMaxVisibleItems(24);
    m_preset->addItem(tr("Any, by its protocol alone"), QString());
    for (const EndpointPreset& preset : builtInPresets())
        m_preset->addItem(QString::fromStdString(preset.name), QString::fromStdString(preset.id));
    m_model = new ModelField(page);
    m_key = new KeyField(m_services, page);
    m_details = new EndpointDetails(this);
    m_details->hide();
    m_more = new ActionButton(QStringLiteral("down"), tr("More"), {}, this);
    m_test = new ActionButton({}, tr("Test"), {}, this);
    auto* form = new QFormLayout(page);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(8);
    form->setLabelAlignment(Qt::AlignLeft);
    const auto row = [&](const QString& text, QWidget* widget) {
        form->addRow(endpointLabel(text, widget, this), widget);
    };
    auto* address = new QWidget(this);
    auto* addressRow = new QHBoxLayout(address);
    addressRow->setContentsMargins(0, 0, 0, 0);
    addressRow->setSpacing(6);
    addressRow->addWidget(m_url, 1);
    addressRow->addWidget(m_test);
    row(tr("Server"), m_preset);
    row(tr("Address"), address);
    for (const OfferedEndpoint& offered : m_services.offered) {
        auto* offer =
            new ActionButton({}, tr("Use %1").arg(QString::fromStdString(urlWithoutKeys(offered.endpoint.url))),
                             tr("from %1").arg(offered.from), this);
        offer->setAutoDefault(false);
        connect(offer, &QPushButton::clicked, this, [this, offered] { useOffered(offered); });
        form->addRow(QString(), offer);
    }
    row(tr("Protocol"), m_protocol);
    row(tr("Key"), m_key);
    form->addRow(QString(), m_key->keeping());
    row(tr("Model"), m_model);
    form->addRow(QString(), m_model->choice());
    auto* moreRow = new QHBoxLayout;
    moreRow->addWidget(m_more);
    moreRow->addStretch(1);
    form->addRow(QString(), moreRow);
    form->addRow(m_details);
    for (ActionButton* button : {m_test, m_more})
        button->setAutoDefault(false);
    return page;
}

void LaneEditor::build() {
    m_name = lineField(tr("Lane name"), tr("as shown on the card; empty: the model"), this);
    m_endpoint = buildEndpoint();
    m_verdict = new RoleLabel({}, &Colours::ink2, Type::body, this);
    m_verdict->setWordWrap(true);
    m_verdict->setMinimumHeight(36);
    m_verdict->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* top = new QHBoxLayout;
    top->setSpacing(10);
    if (m_services.localModels.available()) {
        m_kind = new SegmentBar(tr("Kind of lane"), {tr("Endpoint"), tr("Local model")}, this);
        m_form = new LocalModelForm(m_services.localModels, this);
        top->addWidget(m_kind);
        connect(m_kind, &SegmentBar::picked, this, [this](int index) { setLocal(index == 1); });
    }
    auto* nameLabel = new RoleLabel(tr("Name"), &Colours::ink2, Type::body, this);
    nameLabel->setBuddy(m_name);
    top->addWidget(nameLabel);
    top->addWidget(m_name, 1);

    auto* save = new ActionButton(QStringLiteral("check"), tr("Save lane"), {}, this);
    save->setPrimary(true);
    save->setDefault(true);
    auto* cancel = new ActionButton({}, tr("Cancel"), tr("Esc"), this);
    cancel->setAutoDefault(false);
    m_trust = new ActionButton(QStringLiteral("lock"), tr("Trust certificate"), {}, this);
    m_trust->setAutoDefault(false);
    setPlainTip(m_trust, tr("Pins this certificate to the lane. Compare its SHA-256 with the server's own first."));
    m_trust->hide();
    connect(m_trust, &QPushButton::clicked, this, &LaneEditor::trust);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_trust);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(save);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addLayout(top);
    column->addWidget(m_endpoint);
    if (m_form)
        column->addWidget(m_form);
    column->addStretch(1);
    column->addWidget(m_verdict);
    column->addLayout(buttons);
    setMinimumWidth(560);

    connect(m_preset, &QComboBox::activated, this, &LaneEditor::presetChosen);
    connect(m_more, &QPushButton::clicked, this, [this] { showDetails(m_details->isHidden()); });
    connect(m_key, &KeyField::changed, this, [this] { m_details->setKeyGiven(m_key->given()); });
    connect(m_key, &KeyField::said, this, &LaneEditor::say);
    connect(m_url, &QLineEdit::textChanged, this, &LaneEditor::addressEdited);
    connect(m_url, &QLineEdit::editingFinished, this, &LaneEditor::recognise);
    connect(m_test, &QPushButton::clicked, this, [this] { ask(false); });
    connect(m_model, &ModelField::listAsked, this, [this] { ask(true); });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(save, &QPushButton::clicked, this, &LaneEditor::save);
}

bool LaneEditor::local() const {
    return m_kind && m_kind->current() == 1;
}

void LaneEditor::setLocal(bool local) {
    m_endpoint->setVisible(!local);
    m_form->setVisible(local);
    m_verdict->setText({});
    if (local)
        m_form->search();
    adjustSize();
}

void LaneEditor::fill(const RunSpec& lane) {
    const EndpointSpec& e = lane.endpoint;
    if (m_kind) {
        m_form->fill(lane.local.value_or(LocalModelSpec{}));
        m_kind->setCurrent(lane.local ? 1 : 0);
        setLocal(lane.local.has_value());
    }
    m_name->setText(QString::fromStdString(lane.laneName));
    setAddress(e.url);
    m_preset->setCurrentIndex(std::max(m_preset->findData(QString::fromStdString(e.preset)), 0));
    offerProtocols(e.protocol);
    m_model->setName(QString::fromStdString(e.model));
    m_details->fill(e);
    showDetails(EndpointDetails::used(e));
    m_key->fill(lane);
}

void LaneEditor::setAddress(const std::string& url) {
    m_address = url;
    m_url->setText(QString::fromStdString(urlWithoutKeys(url)));
}

std::string LaneEditor::address() const {
    const std::string shown = m_url->text().trimmed().toStdString();
    return shown == urlWithoutKeys(m_address) ? m_address : shown;
}

const EndpointPreset* LaneEditor::preset() const {
    return findPreset(m_preset->currentData().toString().toStdString());
}

void LaneEditor::offerProtocols(const std::string& wanted) {
    m_protocol->clear();
    std::vector<std::string> offered;
    if (const EndpointPreset* chosen = preset())
        offered = chosen->protocols;
    else
        for (const std::string_view protocol : askedProtocols())
            offered.emplace_back(protocol);
    for (const std::string& protocol : offered)
        m_protocol->addItem(protocolName(protocol), QString::fromStdString(protocol));
    m_protocol->setCurrentIndex(std::max(m_protocol->findData(QString::fromStdString(wanted)), 0));
}

/// Fills in what the preset knows. A key typed before stays only where the address does; the name of a variable is put
/// down, and its key is used only for the origin that it is for.
void LaneEditor::presetChosen() {
    const std::string before = m_protocol->currentData().toString().toStdString();
    const EndpointPreset* chosen = preset();
    m_details->setPreset(chosen);
    if (!chosen) {
        offerProtocols(before);
        m_url->setPlaceholderText(QStringLiteral("https://host/v1"));
        return;
    }
    offerProtocols(chosen->protocols.front());
    m_url->setPlaceholderText(QString::fromStdString(chosen->urlForm));
    const Environment environment = processEnvironment();
    const auto named = addressIn(environment, *chosen);
    const bool fromEnvironment = named && *named;
    const std::string url = fromEnvironment ? **named : chosen->url;
    // A server of one's own stands where the user says; a vendor has one place.
    const auto place = parseUrl(url);
    if (isUsual(address()) || (place && place->tls()))
        setAddress(url);
    const auto variable = keyVariableFor(*chosen, address(), environment);
    m_key->offerVariable(variable, chosen->keyVariables.empty() ? std::string() : chosen->keyVariables.front());
    QString words = QString::fromStdString(named ? chosen->note : named.error().message);
    if (variable)
        words = tr("The key comes from %1. ").arg(QString::fromStdString(*variable)) + words;
    if (fromEnvironment && address() == url)
        words = tr("The address comes from %1. ").arg(QString::fromStdString(chosen->urlVariable)) + words;
    say(words.trimmed(), named.has_value());
}

/// What the address says by itself is set where nothing else was chosen.
void LaneEditor::recognise() {
    EndpointSpec told;
    if (preset() || m_protocol->currentData().toString().toStdString() != told.protocol)
        return;
    told.url = m_url->text().trimmed().toStdString();
    const EndpointSpec understood = understoodAddress(told);
    if (understood.preset == told.preset && understood.protocol == told.protocol)
        return;
    m_preset->setCurrentIndex(std::max(m_preset->findData(QString::fromStdString(understood.preset)), 0));
    m_details->setPreset(preset());
    offerProtocols(understood.protocol);
    const QString server = preset() ? m_preset->currentText() + QStringLiteral(", ") : QString();
    say(tr("Set for %1%2, as the address says. Choose otherwise if it is not.")
            .arg(server, protocolName(understood.protocol)),
        true);
}

void LaneEditor::showDetails(bool shown) {
    m_details->setVisible(shown);
    m_more->setWords(shown ? tr("Less") : tr("More"), {});
    m_more->setGlyph(shown ? QStringLiteral("up") : QStringLiteral("down"));
    adjustSize();
}

void LaneEditor::useOffered(const OfferedEndpoint& offered) {
    m_preset->setCurrentIndex(std::max(m_preset->findData(QString::fromStdString(offered.endpoint.preset)), 0));
    m_details->setPreset(preset());
    offerProtocols(offered.endpoint.protocol);
    setAddress(offered.endpoint.url);
    if (offered.keySet)
        m_key->useVariable(offered.endpoint.key.name);
    say(tr("Filled in from %1. Nothing was contacted yet.").arg(offered.from), true);
}

void LaneEditor::addressEdited() {
    if (m_key->setAddress(m_url->text()))
        say(tr("The typed key was dropped: it belonged to another address. Type the key for this one."), false);
}

RunSpec LaneEditor::spec() const {
    RunSpec lane = m_lane;
    lane.recorded.reset();
    if (local()) {
        const LocalModelSpec model = m_form->spec();
        lane = localLane(QString::fromStdString(model.path));
        lane.local = model;
        if (const QString name = m_name->text().trimmed(); !name.isEmpty())
            lane.laneName = name.toStdString();
        return lane;
    }
    lane.local.reset();
    EndpointSpec& e = lane.endpoint;
    e.url = address();
    e.protocol = m_protocol->currentData().toString().toStdString();
    e.model = m_model->name().toStdString();
    lane.laneName = m_name->text().trimmed().toStdString();
    if (lane.laneName.empty())
        lane.laneName = e.model.empty() ? std::string("lane") : e.model;
    m_key->apply(lane);
    e.preset = m_preset->currentData().toString().toStdString();
    m_details->apply(e);
    return lane;
}

void LaneEditor::focusKey() {
    m_key->takeFocus();
}

bool LaneEditor::complete() {
    if (local()) {
        if (m_form->spec().path.empty()) {
            say(tr("Choose a model file first: one from the list, or any GGUF on this machine."), false);
            return false;
        }
        return true;
    }
    if (originOf(m_url->text().toStdString()).isEmpty()) {
        say(tr("The address needs a host, like http://127.0.0.1:8080 or https://host/v1."), false);
        m_url->setFocus();
        return false;
    }
    return true;
}

void LaneEditor::ask(bool listAll) {
    if (!complete())
        return;
    const RunSpec lane = spec();
    std::shared_ptr<const Secret> key = lane.key;
    const auto kind = lane.endpoint.key.kind;
    if (kind == KeyReference::Kind::environment || kind == KeyReference::Kind::file) {
        auto resolved = m_services.resolveKey(lane.endpoint.key);
        if (!resolved) {
            say(QString::fromStdString(resolved.error().message), false);
            return;
        }
        key = *resolved;
    }
    if (kind == KeyReference::Kind::keychain && !key && m_services.keychainFetch) {
        say(tr("Asking the keychain ..."), true);
        const QPointer<LaneEditor> self(this);
        m_services.keychainFetch(lane.endpoint.key.name, [self, lane, listAll](const auto& fetched) {
            if (!self)
                return;
            if (fetched)
                self->askWith(lane, *fetched, listAll);
            else
                self->say(QString::fromStdString(fetched.error().message), false);
        });
        return;
    }
    askWith(lane, std::move(key), listAll);
}

void LaneEditor::save() {
    if (!complete())
        return;
    const RunSpec lane = spec();
    const bool remember = !local() && lane.key && lane.endpoint.key.kind == KeyReference::Kind::keychain;
    const std::string forgotten = local() ? std::string() : m_key->forgotten();
    const QPointer<LaneEditor> self(this);
    const auto done = [self, lane](const Result<void>& kept) {
        if (!self)
            return;
        if (kept) {
            self->hand(lane);
            return;
        }
        self->m_key->keepForSession(); // when it is saved once more
        self->say(QString::fromStdString(kept.error().message), false);
    };
    if (remember && m_services.keychainStore) // in place of what was kept there
        m_services.keychainStore(lane.endpoint.key.name, *lane.key, done);
    else if (!forgotten.empty())
        m_services.keychainRemove(forgotten, done);
    else
        hand(lane);
}

void LaneEditor::hand(const RunSpec& lane) {
    emit saved(lane);
    accept();
}

void LaneEditor::askWith(const RunSpec& lane, std::shared_ptr<const Secret> key, bool listAll) {
    if (key && !lane.endpoint.allowPlainHttpWithKey && plainHttpAbroad(lane.endpoint.url)) {
        say(tr("Not asked: the key would cross the network unencrypted. Use https, or allow it below."), false);
        return;
    }
    say(tr("Asking %1 ...").arg(originOf(lane.endpoint.url)), true);
    m_test->setEnabled(false);
    m_model->setAsking(true);
    const QPointer<LaneEditor> self(this);
    const int asked = ++m_asked;
    m_services.listModels(lane.endpoint, key, [self, asked, listAll](const EndpointAnswer& answer) {
        if (self && self->m_asked == asked)
            self->told(answer, listAll);
    });
}

void LaneEditor::told(const EndpointAnswer& answer, bool listAll) {
    m_test->setEnabled(true);
    m_model->setAsking(false);
    m_model->offer(answer.models.value_or(std::vector<std::string>()), listAll);
    const QString wanted = m_model->name();
    say(answerWords(answer, originOf(m_url->text().toStdString()), wanted), answerIsGood(answer, wanted));
    m_fingerprint = answer.models ? QString() : QString::fromStdString(fingerprintIn(answer.models.error().message));
    m_trust->setVisible(!m_fingerprint.isEmpty());
}

/// Pins the certificate that a test has shown, and tests again.
void LaneEditor::trust() {
    m_details->pin(m_fingerprint);
    showDetails(true);
    ask(false);
}

void LaneEditor::say(const QString& sentence, bool good) {
    m_trust->hide();
    m_verdict->setRole(good ? &Colours::ink2 : &Colours::fail);
    m_verdict->setText(sentence);
    // Long sentences take no room from the fields.
    layout()->activate();
    if (const int wanted = layout()->totalHeightForWidth(width()); wanted > height())
        resize(width(), wanted);
}

} // namespace decodescope
