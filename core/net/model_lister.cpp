#include "core/net/model_lister.h"

#include "core/base/secret_masker.h"
#include "core/base/utf8.h"
#include "core/net/http_request.h"
#include "core/net/proxy_choice.h"
#include "core/net/qt_proxy.h"
#include "core/net/tls_trust.h"
#include "core/net/tls_words.h"
#include "core/source/request.h"

#include <QCryptographicHash>
#include <QNetworkAccessManager>
#include <QNetworkCookie>
#include <QNetworkCookieJar>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslError>
#include <QTimer>
#include <QUrl>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace decodescope {

namespace {

using nlohmann::json;

constexpr qint64 kMaximumBodyBytes = 8 << 20;
constexpr int kMaximumDepth = 64;
constexpr std::chrono::seconds kLimit{15};

/// Takes no cookie and gives none.
class NoCookies final : public QNetworkCookieJar {
public:
    bool setCookiesFromUrl(const QList<QNetworkCookie>&, const QUrl&) override { return false; }
    [[nodiscard]] QList<QNetworkCookie> cookiesForUrl(const QUrl&) const override { return {}; }
};

/// The JSON text, or nothing when it is none or nested beyond all measure.
std::optional<json> parseBounded(std::string_view text) {
    bool tooDeep = false;
    const auto watch = [&tooDeep](int depth, json::parse_event_t, json&) {
        tooDeep = tooDeep || depth > kMaximumDepth;
        return !tooDeep;
    };
    json parsed = json::parse(text, watch, false);
    if (tooDeep || parsed.is_discarded())
        return std::nullopt;
    return parsed;
}

/// The string under `key`, or an empty one.
std::string textOf(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end() || !found->is_string())
        return {};
    return found->get<std::string>();
}

/// What the server says went wrong, cut to a readable length; empty when it says nothing.
std::string errorIn(const std::optional<json>& body) {
    if (!body || !body->is_object())
        return {};
    std::string message;
    if (const auto error = body->find("error"); error != body->end())
        message = error->is_string() ? error->get<std::string>() : textOf(*error, "message");
    for (const char* key : {"message", "detail"}) {
        if (message.empty())
            message = textOf(*body, key);
    }
    return repairUtf8(message.substr(0, 300)).text;
}

QSslConfiguration tlsFor(const TransportTarget& target) {
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    QList<QSslCertificate> extra;
    if (target.authoritiesPem)
        extra = QSslCertificate::fromData(QByteArray::fromStdString(*target.authoritiesPem), QSsl::Pem);
    if (target.systemAuthorities)
        configuration.addCaCertificates(extra);
    else
        configuration.setCaCertificates(extra);
    return configuration;
}

} // namespace

/// One question and its answer; a child of the lister, gone once it was told.
class ModelLister::Query final : public QObject {
public:
    Query(QObject* parent, std::shared_ptr<const Secret> key, Answer answer)
        : QObject(parent)
        , m_key(std::move(key))
        , m_answer(std::move(answer)) {}
    ~Query() override {
        if (m_reply != nullptr)
            m_reply->disconnect(this); // it is aborted with the manager, and must not tell us then
    }

    void ask(const EndpointSpec& endpoint);

private:
    using Models = Result<std::vector<std::string>>;
    [[nodiscard]] Result<void> chooseWay(const Url& url);
    void send(const ModelQuery& query, const TransportTarget& target);
    void finished();
    [[nodiscard]] Models judge() const;
    [[nodiscard]] Models judgeSilence() const;
    [[nodiscard]] Models judgeStatus(int status) const;
    void tell(Models models);

    std::shared_ptr<const Secret> m_key;
    Answer m_answer;
    EndpointSpec m_endpoint;
    std::string m_place;
    std::string m_distrust; // why a certificate was not trusted
    QByteArray m_body;
    QNetworkAccessManager m_manager;  // one a question: no connection, cookie or login outlives it
    QNetworkReply* m_reply = nullptr; // owned by the manager
    QTimer m_limit;
};

void ModelLister::Query::tell(Models models) {
    m_key = nullptr;
    // From the event loop in every case, so that nobody hears back inside list().
    QTimer::singleShot(0, this, [this, models = std::move(models)] {
        deleteLater();
        const Answer answer = std::exchange(m_answer, nullptr);
        answer(models);
    });
}

void ModelLister::Query::ask(const EndpointSpec& endpoint) {
    const auto query = modelQuery(endpoint);
    if (!query)
        return tell(tl::unexpected(query.error()));
    if (const auto allowed = checkKeyUse(query->url, endpoint, m_key.get()); !allowed)
        return tell(tl::unexpected(allowed.error()));
    const auto target = targetFor(query->url, endpoint);
    if (!target)
        return tell(tl::unexpected(target.error()));
    m_endpoint = endpoint;
    send(*query, *target);
}

/// The proxy of the environment; where that says nothing, the access manager asks the desktop by itself.
Result<void> ModelLister::Query::chooseWay(const Url& url) {
    const Variables variables = processVariables();
    if (!url.loopback() && !variablesNameProxies(variables))
        return {};
    m_manager.setProxy(QNetworkProxy::NoProxy);
    if (url.loopback())
        return {};
    const auto proxy = proxyFromVariables(url.tls(), url.host, url.port, variables);
    if (!proxy)
        return tl::unexpected(proxy.error());
    if (*proxy)
        m_manager.setProxy(qtProxy(**proxy));
    return {};
}

void ModelLister::Query::send(const ModelQuery& query, const TransportTarget& target) {
    const Url& url = query.url;
    m_place = url.authority();
    m_manager.setCookieJar(new NoCookies);
    m_manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    if (const auto way = chooseWay(url); !way)
        return tell(tl::unexpected(way.error()));
    QNetworkRequest request(QUrl(QString::fromStdString(url.text(false)), QUrl::StrictMode));
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setRawHeader("User-Agent", QByteArray(userAgent().data(), static_cast<qsizetype>(userAgent().size())));
    request.setRawHeader("Accept", "application/json");
    request.setRawHeader("Accept-Encoding", "identity");
    request.setRawHeader("Accept-Language", "*"); // else Qt tells the user's language
    const auto header = [&request](std::string_view name, const QByteArray& value) {
        request.setRawHeader(QByteArray(name.data(), static_cast<qsizetype>(name.size())), value);
    };
    for (const auto& [name, value] : query.head.fixed)
        header(name, QByteArray::fromStdString(value));
    if (m_key && !m_key->empty() && query.head.auth != AuthHeader::none) {
        const std::string_view prefix = headerPrefix(query.head.auth);
        const std::string_view bytes = m_key->revealForTransport();
        header(headerName(query.head.auth), QByteArray(prefix.data(), static_cast<qsizetype>(prefix.size())) +
                                                QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())));
    }
    if (target.tls)
        request.setSslConfiguration(tlsFor(target));

    if (query.post)
        request.setRawHeader("Content-Type", "application/json");
    m_reply = query.post ? m_manager.post(request, QByteArray("{}")) : m_manager.get(request);
    connect(m_reply, &QNetworkReply::readyRead, this, [this] {
        m_body += m_reply->read(kMaximumBodyBytes + 1 - m_body.size());
        if (m_body.size() > kMaximumBodyBytes)
            m_reply->abort();
    });
    connect(m_reply, &QNetworkReply::sslErrors, this,
            [this, allow = m_endpoint.allowInvalidTls, pinned = target.pinnedCertificate,
             place = m_place](const QList<QSslError>& errors) {
                const QSslCertificate certificate = m_reply->sslConfiguration().peerCertificate();
                const std::string fingerprint =
                    certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper().toStdString();
                if (allow || (!certificate.isNull() && fingerprint == pinned))
                    m_reply->ignoreSslErrors(errors);
                else if (!errors.isEmpty())
                    m_distrust =
                        untrustedCertificate(place, errors.first().errorString().toStdString(), fingerprint, pinned);
            });
    connect(m_reply, &QNetworkReply::finished, this, [this] { finished(); });
    m_limit.setSingleShot(true);
    m_limit.callOnTimeout(this, [this] { m_reply->abort(); });
    m_limit.start(kLimit);
}

void ModelLister::Query::finished() {
    m_limit.stop();
    if (m_body.size() <= kMaximumBodyBytes)
        m_body += m_reply->read(kMaximumBodyBytes + 1 - m_body.size());
    tell(judge());
}

ModelLister::Query::Models ModelLister::Query::judge() const {
    if (m_body.size() > kMaximumBodyBytes)
        return fail(ErrorCode::malformed,
                    fmt::format("{} answers with more than a list of models can hold. Is the address right?", m_place));
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    return status == 0 ? judgeSilence() : judgeStatus(status);
}

ModelLister::Query::Models ModelLister::Query::judgeSilence() const {
    if (!m_distrust.empty())
        return fail(ErrorCode::network, m_distrust);
    switch (m_reply->error()) {
    case QNetworkReply::ConnectionRefusedError:
        return fail(ErrorCode::network,
                    fmt::format("Nothing is listening at {} (connection refused). Check the port, or "
                                "start the server.",
                                m_place));
    case QNetworkReply::HostNotFoundError:
        return fail(ErrorCode::network,
                    fmt::format("The host of {} could not be found. Check its spelling and the network.", m_place));
    case QNetworkReply::ProxyAuthenticationRequiredError:
        return fail(ErrorCode::network, fmt::format("No way to {}: the proxy asks for a login, or does not accept the "
                                                    "one that its address holds.",
                                                    m_place));
    case QNetworkReply::OperationCanceledError:
        return fail(ErrorCode::network, fmt::format("{} did not answer within {} s.", m_place, kLimit.count()));
    default:
        return fail(ErrorCode::network,
                    fmt::format("No answer from {}: {}.", m_place, m_reply->errorString().toStdString()));
    }
}

ModelLister::Query::Models ModelLister::Query::judgeStatus(int status) const {
    const auto body = parseBounded({m_body.constData(), static_cast<std::size_t>(m_body.size())});
    const SecretMasker masker = m_key ? SecretMasker(*m_key) : SecretMasker();
    const std::string said = masker.maskWhole(errorIn(body));
    const std::string says = said.empty() ? "." : ": " + said;
    if (status == 401 || status == 403)
        return fail(ErrorCode::refused, fmt::format("{} refuses {} (HTTP {}){}", m_place,
                                                    m_key ? "the key" : "a request without a key", status, says));
    if (status >= 300 && status < 400) {
        const QUrl to = m_reply->url().resolved(QUrl::fromEncoded(m_reply->rawHeader("Location")));
        return fail(ErrorCode::network,
                    fmt::format("{} redirects to {}. Enter that address instead if you trust it.", m_place,
                                masker.maskWhole(to.toDisplayString(QUrl::RemoveQuery).toStdString())));
    }
    if (status == 404 || status == 405 || status == 501)
        return std::vector<std::string>(); // answers, and has no list
    if (status >= 400)
        return fail(ErrorCode::network, fmt::format("{} answers with HTTP {}{}", m_place, status, says));
    auto models = modelsIn(m_endpoint, {m_body.constData(), static_cast<std::size_t>(m_body.size())});
    if (!models)
        return fail(ErrorCode::malformed,
                    fmt::format("{} answers, but not with a list of models. Is this the address of an API?", m_place));
    for (std::string& model : *models)
        model = masker.maskWhole(model);
    return *std::move(models);
}

ModelLister::ModelLister(QObject* parent)
    : QObject(parent) {}

ModelLister::~ModelLister() = default;

void ModelLister::list(const EndpointSpec& endpoint, std::shared_ptr<const Secret> key, Answer answer) {
    auto* query = new Query(this, std::move(key), std::move(answer)); // its parent owns it
    query->ask(endpoint);
}

} // namespace decodescope
