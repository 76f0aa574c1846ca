#include "app/local_models.h"

#include "app/sample_model.h"
#include "core/net/model_inspector.h"
#include "core/net/sample_fetcher.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace decodescope {
namespace {

std::string fromEnvironment(const char* variable) {
    return qEnvironmentVariable(variable).toStdString();
}

class Fetch final : public ModelFetch {
public:
    Fetch(LocalModelServices::Progress progress, LocalModelServices::Fetched fetched) {
        m_fetcher.fetch(std::move(progress), std::move(fetched));
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
                    application, [search, found] { found(search); }, Qt::QueuedConnection);
        });
    };
    const auto inspector = std::make_shared<ModelInspector>();
    services.inspect = [inspector](const QString& path, LocalModelServices::Inspected inspected) {
        inspector->inspect(path.toStdString(), std::move(inspected));
    };
    services.sample = [] { return QString::fromStdString(fetchedSampleModel()); };
    services.fetchSample = [](LocalModelServices::Progress progress,
                              LocalModelServices::Fetched fetched) -> std::unique_ptr<ModelFetch> {
        return std::make_unique<Fetch>(std::move(progress), std::move(fetched));
    };
    return services;
}

} // namespace decodescope
