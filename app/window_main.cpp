#include "app/window_main.h"

#include "app/composition.h"
#include "app/credentials.h"
#include "app/keychain.h"
#include "app/local_models.h"
#include "app/machine.h"
#include "app/machine_measure.h"
#include "app/user_folders.h"
#include "app/version.h"
#include "core/base/utc_time.h"
#include "core/net/model_list.h"
#include "core/net/network_thread.h"
#include "core/source/environment_endpoints.h"
#include "ui/theme/look.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_file.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QStandardPaths>

#include <cstdlib>

// Q_INIT_RESOURCE declares a function and must stand outside every namespace.
static void loadShippedRecordings() {
    Q_INIT_RESOURCE(recordings);
}

namespace decodescope {
namespace {

constexpr int kReportWidth = 1600;
constexpr int kReportHeight = 1000;
constexpr int kSettleMs = 900; ///< the slowest figures are taken a few times a second

void nameApplication() {
    QCoreApplication::setApplicationName(QStringLiteral("decodescope"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Decodescope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(DECODESCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.decodescope.Decodescope"));
}

std::vector<OfferedEndpoint> endpointsOfEnvironment() {
    std::vector<OfferedEndpoint> all;
    for (const FoundEndpoint& found : endpointsIn(processEnvironment())) {
        OfferedEndpoint offered;
        offered.endpoint = found.endpoint;
        offered.keySet = !found.keyFrom.empty();
        const QString url = QString::fromStdString(found.urlFrom);
        const QString key = QString::fromStdString(found.keyFrom);
        offered.from = url.isEmpty() || key.isEmpty() ? url + key : url + QStringLiteral(", ") + key;
        all.push_back(std::move(offered));
    }
    return all;
}

WindowServices localServices() {
    WindowServices services;
    services.clock = std::make_shared<SteadyClock>();
    services.recordingHeader = [] {
        RecordingHeader header;
        header.app = applicationName();
        header.startedUtc = utcNow();
        header.machineJson = machineJson();
        return header;
    };
    services.settingsFile = QString::fromStdString(settingsFolder() + "/settings.json");
    services.recordingsFolder = QString::fromStdString(dataFolder() + "/recordings");
    loadShippedRecordings();
    services.shippedFolder = QStringLiteral(":/recordings");
    services.version = QStringLiteral(DECODESCOPE_VERSION);
    return services;
}

/// Answers come on the network thread, or at once; the window hears of all of them from its event loop.
std::function<void(const EndpointSpec&, std::shared_ptr<const Secret>, ModelsAnswer)>
modelsOverTheNetwork(ListCall listModels) {
    return [listModels = std::move(listModels)](const EndpointSpec& endpoint, std::shared_ptr<const Secret> key,
                                                const ModelsAnswer& answer) {
        const auto tell = [answer](const EndpointAnswer& heard) {
            QMetaObject::invokeMethod(
                qApp, [answer, heard] { answer(heard); }, Qt::QueuedConnection);
        };
        const bool keyGiven = key && !key->empty();
        const auto asked = listModels(endpoint, std::move(key), [endpoint, keyGiven, tell](const CallReport& report) {
            tell(readModelList(endpoint, report, keyGiven));
        });
        if (!asked) {
            EndpointAnswer refused;
            refused.models = tl::unexpected(asked.error());
            tell(refused);
        }
    };
}

} // namespace

WindowServices liveServices(const Composition& composition) {
    WindowServices services = localServices();
    services.sources = composition.run.sources;
    services.hiccups = composition.run.hiccups;
    services.lanesChanged = [engines = composition.engines](const std::vector<LaneConfig>& lanes) {
        std::vector<LocalModelSpec> used;
        for (const LaneConfig& lane : lanes) {
            if (lane.spec.local && !lane.spec.recorded)
                used.push_back(*lane.spec.local);
        }
        engines->retain(used);
    };
    services.resolveKey = loadKey;
    services.keychainFetch = keychain::fetch;
    services.keychainStore = keychain::store;
    services.keychainRemove = keychain::remove;
    services.measureMachine = measureMachine;
    services.listModels = modelsOverTheNetwork(composition.listModels);
    services.offered = endpointsOfEnvironment();
    services.localModels = localModelServices();
    return services;
}

int runWindow(int argc, char** argv, const std::vector<std::string>& files) {
    QApplication application(argc, argv);
    nameApplication();
    const Composition composition = compose();
    MainWindow window(liveServices(composition));
    window.show();
    QStringList paths;
    for (const std::string& file : files)
        paths.append(QString::fromStdString(file));
    window.openFiles(paths);
    return QApplication::exec();
}

Result<void> renderReport(int argc, char** argv, const Recording& recording, const std::string& pngPath) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen"); // a report is drawn the same with and without a display
    QApplication application(argc, argv);
    nameApplication();
    WindowServices services = localServices();
    services.settingsFile.clear(); // a picture depends on the recording alone
    services.sources = [](const RunSpec&, const SourceOutput&) { return std::unique_ptr<TokenSource>(); };
    MainWindow window(std::move(services));
    Look::instance().apply(ThemeChoice::dark); // the same picture whatever the desktop
    window.resize(kReportWidth, kReportHeight);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.show();
    window.showRecording(recording);
    window.showAsPicture();
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < kSettleMs)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    return savePicture(window.picture(), pngPath);
}

} // namespace decodescope
