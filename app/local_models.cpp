#include "app/local_models.h"

#include "core/net/model_inspector.h"
#include "core/net/sample_fetcher.h"
#include "core/source/model_finder.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace decodescope {
namespace {

std::string fromEnvironment(const char* variable) {
    return qEnvironmentVariable(variable).toStdString();
}

std::vector<LocalModel> listed(const ModelSearch& search) {
    std::vector<LocalModel> models;
    for (const FoundModel& found : search.models)
        models.push_back({QString::fromStdString(found.path),
                          QString::fromStdString(found.name),
                          QString::fromStdString(found.owner),
                          found.bytes,
                          {}});
    for (const SkippedFile& skipped : search.skipped) {
        const QFileInfo file(QString::fromStdString(skipped.path));
        models.push_back({file.filePath(), file.fileName(), file.path(), static_cast<std::uint64_t>(file.size()),
                          QString::fromStdString(skipped.reason)});
    }
    return models;
}

LocalModelDetails shown(const ModelDetails& details) {
    LocalModelDetails out;
    out.supported = details.supported;
    out.reason = QString::fromStdString(details.reason);
    out.architecture = QString::fromStdString(details.architecture);
    out.quantization = QString::fromStdString(details.quantization);
    out.parameters = details.parametersTotal.value_or(0);
    out.bytesPerToken = details.bytesPerToken.value_or(0);
    out.context = static_cast<int>(details.context.value_or(0));
    out.chat = details.chatTemplate;
    return out;
}

class Fetch final : public ModelFetch {
public:
    Fetch(const LocalModelServices::Progress& progress, const LocalModelServices::Fetched& fetched) {
        m_fetcher.fetch(
            [progress](const SampleProgress& now) {
                progress({now.doneBytes, now.totalBytes.value_or(0), QString::fromStdString(now.what)});
            },
            [fetched](Result<std::string> path) {
                fetched(path.map([](const std::string& found) { return QString::fromStdString(found); }));
            });
    }

private:
    SampleFetcher m_fetcher;
};

} // namespace

LocalModelServices localModelServices() {
    LocalModelServices services;
    services.find = [](const QStringList& folders, LocalModelServices::Found found) {
        std::vector<std::string> added;
        for (const QString& folder : folders)
            added.push_back(folder.toStdString());
        const QPointer<QCoreApplication> application = QCoreApplication::instance();
        QThreadPool::globalInstance()->start([added = std::move(added), application, found = std::move(found)] {
            const ModelSearch search = findModels(modelFolders(fromEnvironment, added));
            if (application)
                QMetaObject::invokeMethod(
                    application, [models = listed(search), found] { found(models); }, Qt::QueuedConnection);
        });
    };
    const auto inspector = std::make_shared<ModelInspector>();
    services.inspect = [inspector](const QString& path, LocalModelServices::Inspected inspected) {
        inspector->inspect(path.toStdString(), [inspected = std::move(inspected)](Result<ModelDetails> details) {
            inspected(details.map(shown));
        });
    };
    services.sample = [] {
        const QString folder = QString::fromStdString(ownModelFolder(fromEnvironment));
        const QFileInfo file(folder + QStringLiteral("/SmolLM2-135M-Instruct.Q4_1.gguf"));
        return !folder.isEmpty() && file.isFile() ? file.filePath() : QString();
    };
    services.fetchSample = [](const LocalModelServices::Progress& progress,
                              const LocalModelServices::Fetched& fetched) -> std::unique_ptr<ModelFetch> {
        return std::make_unique<Fetch>(progress, fetched);
    };
    return services;
}

} // namespace decodescope
