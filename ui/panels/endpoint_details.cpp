#include "ui/panels/endpoint_details.h"

#include "ui/panels/controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {

EndpointDetails::EndpointDetails(QWidget* parent)
    : QWidget(parent) {
    m_optionColumn = new QVBoxLayout;
    m_optionColumn->setSpacing(8);
    m_thinkTags = new QCheckBox(tr("Split inline <think> text into reasoning"), this);
    m_cumulative = new QCheckBox(tr("Every event carries the whole text so far"), this);
    m_connection = new QComboBox(this);
    m_connection->setAccessibleName(tr("Connection"));
    m_connection->addItems({tr("A new one for every run"), tr("The one that an earlier run left open")});
    m_certificate = lineField(tr("Pinned certificate"), tr("its SHA-256 fingerprint, AB:CD:..."), this);
    m_caFile = lineField(tr("Extra certificate authority"), tr("PEM file, beside the system's authorities"), this);
    m_anyCertificate = new QCheckBox(tr("Accept any certificate for this lane (not remembered)"), this);
    m_plainHttp = new QCheckBox(tr("Allow the key over unencrypted http (not remembered)"), this);

    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(8);
    form->setLabelAlignment(Qt::AlignLeft);
    const auto row = [&](const QString& text, QWidget* widget) {
        form->addRow(endpointLabel(text, widget, this), widget);
    };
    form->addRow(QString(), m_optionColumn);
    form->addRow(QString(), m_thinkTags);
    form->addRow(QString(), m_cumulative);
    row(tr("Connection"), m_connection);
    row(tr("Certificate"), m_certificate);
    row(tr("Authority"), m_caFile);
    form->addRow(QString(), m_anyCertificate);
    form->addRow(QString(), m_plainHttp);
}

void EndpointDetails::fill(const EndpointSpec& endpoint) {
    setPreset(findPreset(endpoint.preset));
    for (const auto& [id, box] : m_options)
        box->setChecked(std::ranges::find(endpoint.presetOptions, id) != endpoint.presetOptions.end());
    m_thinkTags->setChecked(endpoint.thinkTags);
    m_cumulative->setChecked(endpoint.cumulative);
    m_connection->setCurrentIndex(endpoint.connection == ConnectionUse::reuse ? 1 : 0);
    m_certificate->setText(QString::fromStdString(endpoint.pinnedCertificate));
    m_caFile->setText(QString::fromStdString(endpoint.extraCaFile));
    m_anyCertificate->setChecked(endpoint.allowInvalidTls);
    m_plainHttp->setChecked(endpoint.allowPlainHttpWithKey);
}

void EndpointDetails::apply(EndpointSpec& endpoint) const {
    endpoint.presetOptions.clear();
    for (const auto& [id, box] : m_options) {
        if (box->isChecked())
            endpoint.presetOptions.push_back(id);
    }
    endpoint.thinkTags = m_thinkTags->isChecked();
    endpoint.cumulative = m_cumulative->isChecked();
    endpoint.connection = m_connection->currentIndex() == 1 ? ConnectionUse::reuse : ConnectionUse::fresh;
    endpoint.pinnedCertificate = m_certificate->text().trimmed().toStdString();
    endpoint.extraCaFile = m_caFile->text().trimmed().toStdString();
    endpoint.allowInvalidTls = m_anyCertificate->isChecked();
    endpoint.allowPlainHttpWithKey = m_plainHttp->isChecked();
}

void EndpointDetails::setPreset(const EndpointPreset* preset) {
    for (const auto& [id, box] : m_options)
        delete box;
    m_options.clear();
    if (!preset)
        return;
    for (const PresetOption& option : preset->options) {
        auto* box = new QCheckBox(QString::fromStdString(option.name), this);
        m_optionColumn->addWidget(box);
        m_options.emplace_back(option.id, box);
    }
    m_thinkTags->setChecked(preset->thinkTags);
    m_cumulative->setChecked(preset->cumulative);
}

void EndpointDetails::setKeyGiven(bool given) {
    m_plainHttp->setEnabled(given);
}

bool EndpointDetails::used(const EndpointSpec& endpoint) {
    return !endpoint.presetOptions.empty() || endpoint.thinkTags || endpoint.cumulative ||
           endpoint.connection == ConnectionUse::reuse || !endpoint.pinnedCertificate.empty() ||
           !endpoint.extraCaFile.empty() || endpoint.allowInvalidTls || endpoint.allowPlainHttpWithKey;
}

void EndpointDetails::pin(const QString& fingerprint) {
    m_certificate->setText(fingerprint);
}

RoleLabel* endpointLabel(const QString& text, QWidget* field, QWidget* parent) {
    auto* label = new RoleLabel(text, &Colours::ink2, Type::body, parent);
    label->setFixedHeight(28);
    const QFontMetrics metrics(Look::instance().font(Type::body));
    label->setMinimumWidth(metrics.horizontalAdvance(EndpointDetails::tr("Connection")) + 8); // the longest of them
    label->setBuddy(field);
    return label;
}

QString protocolName(std::string_view protocol) {
    static constexpr std::pair<std::string_view, const char*> kNames[] = {
        {"openai-chat", QT_TRANSLATE_NOOP("Protocol", "OpenAI chat")},
        {"openai-completions", QT_TRANSLATE_NOOP("Protocol", "OpenAI completions")},
        {"openai-responses", QT_TRANSLATE_NOOP("Protocol", "OpenAI Responses")},
        {"azure-chat", QT_TRANSLATE_NOOP("Protocol", "Azure OpenAI chat")},
        {"anthropic", QT_TRANSLATE_NOOP("Protocol", "Anthropic Messages")},
        {"gemini-sse", QT_TRANSLATE_NOOP("Protocol", "Gemini, as events")},
        {"gemini-array", QT_TRANSLATE_NOOP("Protocol", "Gemini, as an array")},
        {"ollama-chat", QT_TRANSLATE_NOOP("Protocol", "Ollama chat")},
        {"ollama-generate", QT_TRANSLATE_NOOP("Protocol", "Ollama generate")},
        {"llamacpp-completion", QT_TRANSLATE_NOOP("Protocol", "llama.cpp completion")},
        {"sglang-generate", QT_TRANSLATE_NOOP("Protocol", "SGLang generate")},
        {"tgi", QT_TRANSLATE_NOOP("Protocol", "TGI generate")},
        {"triton", QT_TRANSLATE_NOOP("Protocol", "Triton generate")},
        {"cohere-v2", QT_TRANSLATE_NOOP("Protocol", "Cohere chat v2")},
    };
    for (const auto& [id, name] : kNames) {
        if (id == protocol)
            return QCoreApplication::translate("Protocol", name);
    }
    return QString::fromUtf8(protocol.data(), static_cast<qsizetype>(protocol.size()));
}

} // namespace decodescope
