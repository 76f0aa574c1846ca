#include "core/record/header_privacy.h"

#include "core/base/redaction.h"

namespace decodescope {
namespace {

constexpr std::size_t kStatusLineNeeded = 12; // "HTTP/1.1 100"
constexpr std::size_t kLongestName = 256;

} // namespace

void HeadMasker::endOfLine() {
    m_place = Place::lineStart;
    m_name.clear();
}

void HeadMasker::mask(std::string& bytes) {
    for (char& c : bytes) {
        switch (m_place) {
        case Place::statusLine:
            if (c == '\n') {
                if (!m_statusLine.starts_with("HTTP/")) {
                    m_place = Place::body;
                    return;
                }
                m_interim = m_statusLine.size() >= kStatusLineNeeded && m_statusLine[9] == '1';
                m_statusLine.clear();
                endOfLine();
            } else if (m_statusLine.size() < kStatusLineNeeded) {
                m_statusLine += c;
            }
            break;
        case Place::lineStart:
            if (c == '\r')
                break;
            if (c == '\n') {
                m_place = m_interim ? Place::statusLine : Place::body;
                if (m_place == Place::body)
                    return;
                break;
            }
            if (c == ' ' || c == '\t') { // a folded line goes on with the value before it
                m_place = Place::value;
                break;
            }
            m_hide = false;
            m_name.assign(1, c);
            m_place = Place::name;
            break;
        case Place::name:
            if (c == '\n')
                endOfLine();
            else if (c == ':') {
                m_hide = isSensitiveHeader(m_name);
                m_place = Place::value;
            } else if (m_name.size() < kLongestName) {
                m_name += c;
            }
            break;
        case Place::value:
            if (c == '\n')
                endOfLine();
            else if (m_hide && c != '\r' && c != ' ' && c != '\t')
                c = '*';
            break;
        case Place::body:
            return;
        }
    }
}

} // namespace decodescope
