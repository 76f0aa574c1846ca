#include "ui/window/key_binding.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QUrl>

namespace decodescope {
namespace {

QUrl urlOf(const std::string& text) {
    QString trimmed = QString::fromStdString(text).trimmed();
    if (!trimmed.contains(QStringLiteral("://")))
        trimmed.prepend(QStringLiteral("http://"));
    return QUrl(trimmed, QUrl::StrictMode);
}

/// As it is asked for: a name in other letters (xn--...) looks like what it is not.
QString hostOf(const QUrl& url) {
    return url.host(QUrl::FullyEncoded).toLower();
}

} // namespace

QString originOf(const std::string& url) {
    const QUrl parsed = urlOf(url);
    if (!parsed.isValid() || hostOf(parsed).isEmpty())
        return {};
    const QString scheme = parsed.scheme().toLower();
    const int port = parsed.port(scheme == QStringLiteral("https") ? 443 : 80);
    return scheme + QStringLiteral("://") + hostOf(parsed) + QLatin1Char(':') + QString::number(port);
}

bool plainHttpAbroad(const std::string& url) {
    const QUrl parsed = urlOf(url);
    if (parsed.scheme().toLower() != QStringLiteral("http"))
        return false;
    const QString host = hostOf(parsed);
    if (host.isEmpty())
        return false;
    static const QRegularExpression loopback(QStringLiteral("^(localhost|127(\\.[0-9]{1,3}){3}|::1)$"));
    return !loopback.match(host).hasMatch();
}

bool dropForeignKey(RunSpec& spec, const QString& typedForOrigin) {
    const KeyReference& key = spec.endpoint.key;
    const QString origin = originOf(spec.endpoint.url);
    const bool typed = key.kind == KeyReference::Kind::session && origin != typedForOrigin;
    const bool kept = key.kind == KeyReference::Kind::keychain && origin.toStdString() != key.name;
    if (!typed && !kept)
        return false;
    spec.key.reset();
    spec.endpoint.key = {};
    return true;
}

QString describeKey(const KeyReference& key) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("KeyReference", text); };
    switch (key.kind) {
    case KeyReference::Kind::environment:
        return tr("%1 (environment)").arg(QString::fromStdString(key.name));
    case KeyReference::Kind::file:
        return tr("%1 (file)").arg(QString::fromStdString(key.name));
    case KeyReference::Kind::standardInput:
        return tr("standard input");
    case KeyReference::Kind::session:
        return tr("typed for this session");
    case KeyReference::Kind::keychain:
        return tr("from the keychain");
    case KeyReference::Kind::none:
        break;
    }
    return tr("no key");
}

} // namespace decodescope
