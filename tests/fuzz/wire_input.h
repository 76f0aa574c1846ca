#pragma once

#include "core/wire/stream_decoder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// How the fuzzers of the wire read their input: three bytes that choose how the rest is decoded, and the response.
namespace decodescope::test {

struct WireInput {
    DecoderOptions options;
    std::uint8_t cutSeed = 0;
    std::string_view bytes;
};

[[nodiscard]] WireInput readWireInput(const std::uint8_t* data, std::size_t size);
/// An input that readWireInput takes apart into these.
[[nodiscard]] std::string wireInput(std::string_view protocol, std::string_view bytes, bool thinkTags, bool cumulative);

/// The bytes of an input that is nothing else.
[[nodiscard]] inline std::string_view plainInput(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Ends of reads: after each byte; and where chance puts them.
[[nodiscard]] std::vector<std::size_t> everyByte(std::size_t size);
[[nodiscard]] std::vector<std::size_t> someCuts(std::size_t size, std::uint32_t seed);

/// Decodes the response whole and cut, and ends the fuzzer when something that always holds does not: the same events
/// in every cut, one end, and rows and counts that agree with the events.
void checkStream(const WireInput& input);

} // namespace decodescope::test
