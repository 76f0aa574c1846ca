#include "ui/panels/endpoint_door.h"

#include "core/source/address_guess.h"
#include "ui/panels/controls.h"
#include "ui/panels/endpoint_words.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/key_binding.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPointer>

namespace decodescope {

EndpointDoor::EndpointDoor(const WindowServices& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(14);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(new RoleLabel(tr("Connect an endpoint"), &Colours::ink, Type::title, this));
    auto* kinds = new RoleLabel(tr("Any server with one of the usual APIs"), &Colours::ink2, Type::body, this);
    kinds->setElided(Qt::ElideRight);
    words->addWidget(kinds);
    row->addWidget(new IconLabel(QStringLiteral("endpoint"), this));
    row->addLayout(words, 1);
    m_url = new QLineEdit(this);
    m_url->setPlaceholderText(QStringLiteral("https://host/v1"));
    m_url->setAccessibleName(tr("Endpoint address"));
    m_url->setMinimumWidth(150);
    m_url->setMaximumWidth(230);
    m_key = new QLineEdit(this);
    m_key->setPlaceholderText(tr("Key"));
    m_key->setAccessibleName(tr("Key"));
    setPlainTip(m_key, tr("Kept in memory only, for this address alone. Empty: no key"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setFixedWidth(112);
    m_key->addAction(Look::instance().icon(QStringLiteral("lock"), &Colours::ink3), QLineEdit::LeadingPosition);
    auto* testButton = new ActionButton({}, tr("Test"), {}, this);
    auto* add = new ActionButton(QStringLiteral("plus"), tr("Add lane"), {}, this);
    row->addWidget(m_url, 1);
    row->addWidget(m_key);
    row->addWidget(testButton);
    row->addWidget(add);
    column->addLayout(row);
    m_verdict = new RoleLabel({}, &Colours::ink2, Type::body, this);
    m_verdict->setWordWrap(true);
    m_verdict->setContentsMargins(34, 0, 0, 0);
    m_verdict->hide();
    column->addWidget(m_verdict);
    connect(testButton, &QPushButton::clicked, this, &EndpointDoor::test);
    connect(add, &QPushButton::clicked, this, &EndpointDoor::addLane);
    connect(m_key, &QLineEdit::textEdited, this, [this] { m_keyOrigin = originOf(m_url->text().toStdString()); });
    connect(m_url, &QLineEdit::textEdited, this, [this] {
        const QString origin = originOf(m_url->text().toStdString());
        if (origin != m_testedOrigin)
            m_testedModel.clear();
        if (!m_keyOrigin.isEmpty() && origin != m_keyOrigin)
            m_key->clear(); // a typed key belongs to the address it was typed for
    });
}

RunSpec EndpointDoor::typedLane() const {
    RunSpec spec;
    spec.endpoint.url = m_url->text().trimmed().toStdString();
    spec.endpoint.model = m_testedModel.toStdString();
    spec.laneName = spec.endpoint.model;
    spec.endpoint = understoodAddress(std::move(spec.endpoint));
    if (!m_key->text().isEmpty()) {
        spec.endpoint.key = {KeyReference::Kind::session, {}};
        spec.key = std::make_shared<const Secret>(m_key->text().toStdString());
    }
    return spec;
}

void EndpointDoor::test() {
    const RunSpec lane = typedLane();
    const QString origin = originOf(lane.endpoint.url);
    const auto say = [this](const QString& sentence, bool good) {
        m_verdict->setRole(good ? &Colours::ink2 : &Colours::fail);
        m_verdict->setText(sentence);
        m_verdict->show();
    };
    if (origin.isEmpty()) {
        say(tr("The address needs a host, like http://127.0.0.1:8080 or https://host/v1."), false);
        return;
    }
    if (lane.key && plainHttpAbroad(lane.endpoint.url)) {
        say(tr("Not asked: the key would cross the network unencrypted. Use https."), false);
        return;
    }
    say(tr("Asking %1 ...").arg(origin), true);
    const QPointer<EndpointDoor> self(this);
    const int asked = ++m_asked;
    m_services.listModels(lane.endpoint, lane.key, [self, asked, origin, say](const EndpointAnswer& answer) {
        if (!self || self->m_asked != asked)
            return;
        QString words = answerWords(answer, origin, {});
        if (answer.models) {
            self->m_testedOrigin = origin;
            self->m_testedModel = answer.models->empty() ? QString() : QString::fromStdString(answer.models->front());
            if (!self->m_testedModel.isEmpty())
                words += QLatin1Char(' ') + tr("\u201c%1\u201d will be asked.").arg(self->m_testedModel);
        }
        say(words, answer.models.has_value());
    });
}

void EndpointDoor::addLane() {
    const RunSpec lane = typedLane();
    m_key->clear();
    if (lane.endpoint.model.empty())
        emit editAsked(lane); // address or model still to be told
    else
        emit laneAsked(lane);
}

} // namespace decodescope
