#include "ui/panels/local_model_door.h"

#include "core/source/local_model.h"
#include "ui/panels/controls.h"
#include "ui/theme/format.h"

#include <QHBoxLayout>
#include <QPointer>

namespace decodescope {

RunSpec localLane(const QString& path) {
    RunSpec lane;
    lane.local = LocalModelSpec{};
    lane.local->path = path.toStdString();
    lane.laneName = modelFileName(*lane.local);
    lane.endpoint.model = lane.laneName;
    return lane;
}

LocalModelDoor::LocalModelDoor(const LocalModelServices& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(18, 14, 18, 14);
    row->setSpacing(14);
    auto* icon = new IconLabel(QStringLiteral("engine"), this);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(new RoleLabel(tr("Run the local model"), &Colours::ink, Type::title, this));
    m_words = new RoleLabel({}, &Colours::ink2, Type::body, this);
    m_words->setWordWrap(true);
    words->addWidget(m_words);

    m_progress = new QWidget(this);
    auto* column = new QVBoxLayout(m_progress);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    m_amount = new RoleLabel({}, &Colours::ink, Type::body, m_progress);
    m_bar = new ProgressLine(tr("Download of the sample model"), m_progress);
    m_step = new RoleLabel({}, &Colours::ink2, Type::small, m_progress);
    column->addWidget(m_amount);
    column->addWidget(m_bar);
    column->addWidget(m_step);
    m_progress->setMinimumWidth(220);

    m_choose = new ActionButton(QStringLiteral("open"), tr("Choose a GGUF..."), {}, this);
    m_run = new ActionButton(QStringLiteral("run"), tr("Race it"), {}, this);
    m_cancel = new ActionButton({}, tr("Cancel"), {}, this);
    row->addWidget(icon);
    row->addLayout(words, 1);
    row->addWidget(m_progress, 1);
    row->addWidget(m_choose);
    row->addWidget(m_run);
    row->addWidget(m_cancel);

    connect(m_choose, &QPushButton::clicked, this, [this] { emit chooseAsked(localLane(m_sample)); });
    connect(m_run, &QPushButton::clicked, this, &LocalModelDoor::start);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_fetch.reset();
        layOut();
    });
    refresh();
}

LocalModelDoor::~LocalModelDoor() = default;

void LocalModelDoor::refresh() {
    if (m_fetch)
        return;
    m_sample = m_services.sample();
    layOut();
}

void LocalModelDoor::layOut() {
    const bool fetching = m_fetch != nullptr;
    m_progress->setVisible(fetching);
    m_cancel->setVisible(fetching);
    m_choose->setVisible(!fetching);
    m_run->setVisible(!fetching);
    m_words->setRole(&Colours::ink2);
    if (fetching) {
        m_words->setText(tr("Fetching SmolLM2-135M Q4_1"));
    } else if (m_sample.isEmpty()) {
        m_words->setText(tr("SmolLM2-135M, 98 MB, is fetched once; then it works offline"));
        m_run->setWords(tr("Fetch and race"), {});
    } else {
        m_words->setText(tr("%1 decodes on this processor, against the recorded race")
                             .arg(QString::fromStdString(localLane(m_sample).laneName)));
        m_run->setWords(tr("Race it"), {});
    }
}

void LocalModelDoor::start() {
    if (!m_sample.isEmpty()) {
        emit runAsked(localLane(m_sample));
        return;
    }
    m_bar->setShare(0);
    m_amount->setText(tr("Starting ..."));
    m_step->setText(tr("The checksum is verified before first use"));
    const QPointer<LocalModelDoor> self(this);
    m_fetch = m_services.fetchSample(
        [self](const SampleProgress& progress) {
            if (self)
                self->showProgress(progress);
        },
        [self](const Result<std::string>& path) {
            if (self)
                self->finished(path);
        });
    layOut();
}

void LocalModelDoor::showProgress(const SampleProgress& progress) {
    if (!m_fetch)
        return; // cancelled meanwhile
    if (const std::uint64_t total = progress.totalBytes.value_or(0); total > 0) {
        m_bar->setShare(static_cast<double>(progress.doneBytes) / static_cast<double>(total));
        m_amount->setText(
            tr("%1 of %2")
                .arg(formatBytes(static_cast<double>(progress.doneBytes)), formatBytes(static_cast<double>(total))));
    }
    if (!progress.what.empty())
        m_step->setText(QString::fromStdString(progress.what));
}

void LocalModelDoor::finished(const Result<std::string>& path) {
    if (!m_fetch)
        return;
    // The caller is the fetch itself: it goes when this call is over.
    std::shared_ptr<ModelFetch> over(std::move(m_fetch));
    QMetaObject::invokeMethod(
        this, [over] {}, Qt::QueuedConnection);
    if (!path) {
        layOut();
        m_words->setRole(&Colours::fail);
        m_words->setText(QString::fromStdString(path.error().message));
        return;
    }
    m_sample = QString::fromStdString(*path);
    layOut();
    if (isVisible())
        emit runAsked(localLane(m_sample));
}

} // namespace decodescope
