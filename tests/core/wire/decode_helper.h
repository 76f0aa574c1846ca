#pragma once

#include "core/wire/stream_decoder.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::test {

/// All events of a response whose bytes come in reads that end at `cuts` (ascending). Read n is stamped (n + 1) ms, the
/// end 1 s later.
[[nodiscard]] std::vector<StreamEvent> decode(std::string_view bytes, const DecoderOptions& options = {},
                                              const std::vector<std::size_t>& cuts = {}, TransportEnd end = {});
/// Options for a body without head.
[[nodiscard]] DecoderOptions bareBody();

/// What the events say, one line each, without stamps and read numbers: equal for every cut.
[[nodiscard]] std::string described(const std::vector<StreamEvent>& events);

/// The texts in the events that are not valid UTF-8, and other broken promises of stream_event.h; empty if all is well.
[[nodiscard]] std::string brokenPromise(const std::vector<StreamEvent>& events);

[[nodiscard]] const StreamEnd& endOf(const std::vector<StreamEvent>& events);
/// The joined fragments of a channel.
[[nodiscard]] std::string textOf(const std::vector<StreamEvent>& events, Channel channel = Channel::answer);
[[nodiscard]] bool warned(const std::vector<StreamEvent>& events, std::string_view name);
/// Events of one kind.
template <class T> [[nodiscard]] std::vector<T> all(const std::vector<StreamEvent>& events) {
    std::vector<T> found;
    for (const StreamEvent& event : events) {
        if (const T* what = std::get_if<T>(&event.what))
            found.push_back(*what);
    }
    return found;
}

/// The raw responses in tests/data/wirecases, by file name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> rawResponses();
/// http if the bytes begin so, else a bare body.
[[nodiscard]] DecoderOptions optionsFor(std::string_view bytes);

} // namespace decodescope::test
