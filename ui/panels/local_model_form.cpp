#include "ui/panels/local_model_form.h"

#include "ui/panels/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_tip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QSpinBox>
#include <QThread>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kListHeight = 132;
constexpr int kMostContext = 1 << 20;
constexpr int kMostParallel = 16;

QSpinBox* number(const QString& name, int least, int most, const QString& none, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setAccessibleName(name);
    box->setRange(least, most);
    if (!none.isEmpty())
        box->setSpecialValueText(none);
    box->setKeyboardTracking(false);
    return box;
}

/// 135 million as "135 M", 8.03 billion as "8.0 B".
QString parameterWords(std::uint64_t parameters) {
    const auto value = static_cast<double>(parameters);
    return value >= 1e9 ? LocalModelForm::tr("%1 B parameters").arg(value / 1e9, 0, 'f', 1)
                        : LocalModelForm::tr("%1 M parameters").arg(value / 1e6, 0, 'f', 0);
}

/// What the engine knows of a file that it can run; what the file does not tell is left out.
QString aboutWords(const ModelDetails& details) {
    QStringList facts{LocalModelForm::tr("%1, %2").arg(QString::fromStdString(details.architecture),
                                                       QString::fromStdString(details.quantization))};
    if (details.parametersTotal)
        facts << parameterWords(*details.parametersTotal);
    if (details.context)
        facts << LocalModelForm::tr("context %1").arg(formatCount(static_cast<double>(*details.context)));
    if (details.bytesPerToken)
        facts << LocalModelForm::tr("%1 a token").arg(formatBytes(static_cast<double>(*details.bytesPerToken)));
    if (!details.chatTemplate)
        facts << LocalModelForm::tr("a base model without chat template: it completes the prompt");
    return facts.join(QStringLiteral(", "));
}

} // namespace

LocalModelForm::LocalModelForm(const LocalModelServices& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services) {
    build();
}

void LocalModelForm::build() {
    m_path = new QLineEdit(this);
    m_path->setAccessibleName(tr("Model file"));
    m_path->setPlaceholderText(tr("a GGUF file, or choose one below"));
    auto* browseButton = new ActionButton(QStringLiteral("open"), tr("Choose..."), {}, this);
    browseButton->setAutoDefault(false);
    m_filter = new QLineEdit(this);
    m_filter->setAccessibleName(tr("Filter model files"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_models = new QListWidget(this);
    m_models->setAccessibleName(tr("Model files found"));
    m_models->setFixedHeight(kListHeight);
    m_models->setUniformItemSizes(true);
    m_about = new RoleLabel({}, &Colours::ink2, Type::small, this);
    m_about->setWordWrap(true);
    m_device = new QComboBox(this);
    m_device->setAccessibleName(tr("Device"));
    m_device->addItem(tr("Automatic"), QStringLiteral("auto"));
    m_device->addItem(tr("Processor"), QStringLiteral("cpu"));
    m_device->addItem(tr("Graphics card 0 (CUDA)"), QStringLiteral("cuda:0"));
    m_threads = number(tr("Threads"), 0, QThread::idealThreadCount(), tr("Tuned"), this);
    setPlainTip(m_threads, tr("Tuned: the engine tries at load, and leaves one core to this window"));
    m_context = number(tr("Context, tokens"), 0, kMostContext, tr("Engine's default"), this);
    m_context->setSingleStep(1024);
    m_parallel = number(tr("Requests together"), 1, kMostParallel, {}, this);
    setPlainTip(m_parallel, tr("Lanes over the same file and settings share one engine and decode in one batch"));
    m_kv = new QComboBox(this);
    m_kv->setAccessibleName(tr("Keys and values"));
    m_kv->addItem(tr("f16"), QStringLiteral("f16"));
    m_kv->addItem(tr("q8, half the memory"), QStringLiteral("q8"));
    m_lookup = new QCheckBox(tr("Speculate by prompt lookup (same tokens, at temperature 0)"), this);
    m_prefixCache = new QCheckBox(tr("Reuse what an earlier prompt computed"), this);

    auto* path = new QHBoxLayout;
    path->setSpacing(6);
    path->addWidget(m_path, 1);
    path->addWidget(browseButton);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(8);
    const auto cell = [&](int row, int column, const QString& text, QWidget* field) {
        auto* label = new RoleLabel(text, &Colours::ink2, Type::body, this);
        label->setBuddy(field);
        grid->addWidget(label, row, column * 2);
        grid->addWidget(field, row, column * 2 + 1);
    };
    cell(0, 0, tr("Device"), m_device);
    cell(0, 1, tr("Threads"), m_threads);
    cell(1, 0, tr("Context"), m_context);
    cell(1, 1, tr("Together"), m_parallel);
    cell(2, 0, tr("Cache"), m_kv);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addLayout(path);
    column->addWidget(m_filter);
    column->addWidget(m_models);
    column->addWidget(m_about);
    column->addLayout(grid);
    column->addWidget(m_lookup);
    column->addWidget(m_prefixCache);
    m_filter->hide();

    connect(browseButton, &QPushButton::clicked, this, &LocalModelForm::browse);
    connect(m_filter, &QLineEdit::textChanged, this, &LocalModelForm::filter);
    connect(m_path, &QLineEdit::editingFinished, this, &LocalModelForm::inspect);
    const auto take = [this](QListWidgetItem* item) {
        const QString chosen = item->data(Qt::UserRole).toString();
        if (chosen.isEmpty())
            return;
        m_path->setText(chosen);
        inspect();
    };
    connect(m_models, &QListWidget::itemClicked, this, take);
    connect(m_models, &QListWidget::itemActivated, this, take);
}

void LocalModelForm::fill(const LocalModelSpec& local) {
    m_path->setText(QString::fromStdString(local.path));
    m_device->setCurrentIndex(std::max(0, m_device->findData(QString::fromStdString(local.device))));
    m_threads->setValue(local.threads);
    m_context->setValue(local.contextLength);
    m_parallel->setValue(local.parallel);
    m_kv->setCurrentIndex(std::max(0, m_kv->findData(QString::fromStdString(local.kvType))));
    m_lookup->setChecked(local.speculative);
    m_prefixCache->setChecked(local.prefixCache);
    inspect();
}

LocalModelSpec LocalModelForm::spec() const {
    LocalModelSpec local;
    local.path = m_path->text().trimmed().toStdString();
    local.device = m_device->currentData().toString().toStdString();
    local.threads = m_threads->value();
    local.contextLength = m_context->value();
    local.parallel = m_parallel->value();
    local.kvType = m_kv->currentData().toString().toStdString();
    local.speculative = m_lookup->isChecked();
    local.prefixCache = m_prefixCache->isChecked();
    return local;
}

void LocalModelForm::search() {
    if (m_searched)
        return;
    m_searched = true;
    m_models->clear();
    m_models->addItem(tr("Looking in the folders of LM Studio, Ollama, Hugging Face and llama.cpp ..."));
    const QPointer<LocalModelForm> self(this);
    m_services.find(m_folders, [self](const ModelSearch& search) {
        if (self)
            self->list(search);
    });
}

void LocalModelForm::list(const ModelSearch& search) {
    m_models->clear();
    const auto add = [this](const QString& name, const QString& detail, const std::string& path) {
        auto* item = new QListWidgetItem(tr("%1   %2").arg(name, detail), m_models);
        item->setToolTip(plainTip(QString::fromStdString(path)));
        return item;
    };
    for (const FoundModel& model : search.models)
        add(QString::fromStdString(model.name),
            tr("%1, %2").arg(formatBytes(static_cast<double>(model.bytes)), QString::fromStdString(model.owner)),
            model.path)
            ->setData(Qt::UserRole, QString::fromStdString(model.path));
    for (const SkippedFile& skipped : search.skipped) {
        const QFileInfo file(QString::fromStdString(skipped.path));
        add(file.fileName(), tr("%1: %2").arg(file.path(), QString::fromStdString(skipped.reason)), skipped.path)
            ->setForeground(Look::instance().colours().disabled);
    }
    if (m_models->count() == 0)
        m_models->addItem(tr("No model file was found. Choose a GGUF file or a folder that holds some."));
    m_filter->setVisible(m_models->count() > 8);
}

void LocalModelForm::filter(const QString& text) {
    for (int i = 0; i < m_models->count(); ++i)
        m_models->item(i)->setHidden(!m_models->item(i)->text().contains(text, Qt::CaseInsensitive));
}

void LocalModelForm::browse() {
    auto* dialog = new QFileDialog(this, tr("Choose a model file"), QFileInfo(m_path->text()).absolutePath(),
                                   tr("Model files (*.gguf);;All files (*)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_path->setText(path);
        const QString folder = QFileInfo(path).absolutePath();
        if (!m_folders.contains(folder)) {
            m_folders.append(folder);
            m_searched = false;
            search();
        }
        inspect();
    });
    dialog->open();
}

void LocalModelForm::inspect() {
    const QString path = m_path->text().trimmed();
    const int asked = ++m_asked;
    m_about->setText({});
    if (path.isEmpty())
        return;
    m_about->setRole(&Colours::ink3);
    m_about->setText(tr("Reading the file's header ..."));
    const QPointer<LocalModelForm> self(this);
    m_services.inspect(path, [self, asked](const Result<ModelDetails>& details) {
        if (!self || self->m_asked != asked)
            return;
        RoleLabel* about = self->m_about;
        if (!details || !details->supported) {
            about->setRole(&Colours::fail);
            about->setText(details ? tr("Cannot run: %1").arg(QString::fromStdString(details->reason))
                                   : QString::fromStdString(details.error().message));
            return;
        }
        about->setRole(&Colours::ink2);
        about->setText(aboutWords(*details));
    });
}

} // namespace decodescope
