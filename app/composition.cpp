#include "app/composition.h"

#include "app/credentials.h"
#include "app/sample_model.h"
#include "core/base/hiccup_meter.h"
#include "core/net/local_source.h"
#include "core/net/network_thread.h"
#include "core/net/plain_call.h"
#include "core/net/remote_source.h"
#include "core/net/transport_choice.h"
#include "core/record/recorded_source.h"
#include "core/source/failed_source.h"

#include <QFile>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace decodescope {

namespace {

/// What all sources share; whoever makes sources keeps it alive.
struct Shared {
    explicit Shared(TransportKind transport)
        : remote(makeRemoteSourceFactory(network, transport)) {}

    SteadyClock clock;
    HiccupMeter hiccups{std::make_shared<HiccupLog>()};
    NetworkThread network;
    SourceFactory remote;
    std::shared_ptr<EnginePool> engines = std::make_shared<EnginePool>();
    SourceFactory local = makeLocalSourceFactory(*engines, remote);
    std::shared_ptr<RecordingShelf> recordings = std::make_shared<RecordingShelf>(readAnyRecording);

    std::unique_ptr<TokenSource> recorded(const RecordedLaneSpec& from, SourceOutput output) {
        const auto recording = recordings->open(from.file);
        if (!recording)
            return std::make_unique<FailedSource>(recording.error().message, clock, std::move(output));
        auto run = typicalRun(**recording, from.lane);
        if (!run)
            return std::make_unique<FailedSource>(
                fmt::format("The recording {} has no run of lane {}.", from.file, from.lane), clock, std::move(output));
        return std::make_unique<RecordedSource>(std::move(run), clock, std::move(output));
    }
};

ListCall listCall(std::shared_ptr<NetworkThread> network, TransportKind transport) {
    TransportFactory transports = transportFactory(*network, transport);
    return [network = std::move(network), transports = std::move(transports)](const EndpointSpec& endpoint,
                                                                              std::shared_ptr<const Secret> key,
                                                                              std::function<void(CallReport)> answer) {
        return callModelList(*network, transports, endpoint, std::move(key), std::move(answer));
    };
}

} // namespace

Result<Recording> readAnyRecording(const std::string& path) {
    if (!path.starts_with(":/"))
        return readRecording(path);
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::io, fmt::format("The recording {} is not part of this program.", path));
    const QByteArray bytes = file.readAll();
    return parseRecording({bytes.constData(), static_cast<std::size_t>(bytes.size())}, path);
}

Composition compose(TransportKind transport) {
    const auto shared = std::make_shared<Shared>(transport);
    Composition all;
    all.engines = shared->engines;
    all.run.sources = [shared](const RunSpec& request, SourceOutput output) -> std::unique_ptr<TokenSource> {
        if (request.recorded)
            return shared->recorded(*request.recorded, std::move(output));
        return (request.local ? shared->local : shared->remote)(request, std::move(output));
    };
    all.run.loadKey = loadKey;
    all.run.recordings = shared->recordings;
    all.run.hiccups = shared->hiccups.log();
    all.run.sampleModel = fetchSampleModel;
    all.listModels = listCall(std::shared_ptr<NetworkThread>(shared, &shared->network), transport);
    return all;
}

ProbeServices composeProbe() {
    const auto network = std::make_shared<NetworkThread>();
    ProbeServices services;
    services.listModels = listCall(network, bestTransportKind());
    services.sources = [network, factory = makeRemoteSourceFactory(*network)](
                           const RunSpec& request, SourceOutput output) { return factory(request, std::move(output)); };
    services.loadKey = loadKey;
    return services;
}

} // namespace decodescope
