#include "app/keychain.h"

#include <QString>
#include <fmt/format.h>
#include <qt6keychain/keychain.h>

#include <utility>

namespace decodescope::keychain {

namespace {

QString service() {
    return QStringLiteral("org.decodescope.Decodescope");
}

Error errorOf(const QKeychain::Job& job, const std::string& origin) {
    switch (job.error()) {
    case QKeychain::EntryNotFound:
        return {
            ErrorCode::usage,
            // A locked store that nobody opened is told in the same way.
            fmt::format("The keychain holds no key for {}, or it was not unlocked. Unlock it and try again, or type "
                        "the key in the lane's settings: it is then used for this session.",
                        origin),
            {}};
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return {ErrorCode::refused, "The keychain was not opened. Unlock it, or type the key for this session.", {}};
    default:
        break;
    }
    return {ErrorCode::io,
            "No keychain answers on this machine (a Secret Service or KWallet is needed). The key can be used for this "
            "session only.",
            job.errorString().toStdString()};
}

} // namespace

void fetch(const std::string& origin, Fetched answer) {
    auto* job = new QKeychain::ReadPasswordJob(service()); // deletes itself
    job->setKey(QString::fromStdString(origin));
    QObject::connect(job, &QKeychain::Job::finished, job, [job, origin, answer = std::move(answer)] {
        if (job->error() != QKeychain::NoError)
            return answer(tl::unexpected(errorOf(*job, origin)));
        QByteArray bytes = job->binaryData();
        auto key = std::make_shared<const Secret>(bytes.toStdString());
        bytes.fill('\0');
        if (key->empty())
            return answer(fail(ErrorCode::usage,
                               fmt::format("The keychain's entry for {} is empty. Type the key again.", origin)));
        answer(std::shared_ptr<const Secret>(std::move(key)));
    });
    job->start();
}

void store(const std::string& origin, const Secret& key, Stored answer) {
    auto* job = new QKeychain::WritePasswordJob(service());
    job->setKey(QString::fromStdString(origin));
    const std::string_view bytes = key.revealForTransport();
    job->setBinaryData(QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())));
    QObject::connect(job, &QKeychain::Job::finished, job, [job, origin, answer = std::move(answer)] {
        if (job->error() == QKeychain::NoError)
            return answer({});
        answer(tl::unexpected(errorOf(*job, origin)));
    });
    job->start();
}

void remove(const std::string& origin, Stored answer) {
    auto* job = new QKeychain::DeletePasswordJob(service());
    job->setKey(QString::fromStdString(origin));
    QObject::connect(job, &QKeychain::Job::finished, job, [job, origin, answer = std::move(answer)] {
        if (job->error() == QKeychain::NoError || job->error() == QKeychain::EntryNotFound)
            return answer({});
        answer(tl::unexpected(errorOf(*job, origin)));
    });
    job->start();
}

} // namespace decodescope::keychain
