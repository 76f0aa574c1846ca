// Packages as a download may leave them.
#include "engine/cli/zip_entry.h"
#include "tests/fuzz/expect.h"

using namespace decodescope::engine;
using namespace decodescope::engine::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Result<ZipEntry> entry = findZipEntry({reinterpret_cast<const std::byte*>(data), size}, "a");
    if (!entry) {
        expectSentence(entry.error().message);
        return 0;
    }
    std::uint64_t got = 0;
    const Result<void> unpacked = unpackZipEntry(*entry, [&got](std::span<const std::byte> piece) -> Result<void> {
        got += piece.size();
        return {};
    });
    expect(got <= entry->bytes, "no more bytes than promised");
    expect(!unpacked || got == entry->bytes, "all bytes that were promised");
    if (!unpacked)
        expectSentence(unpacked.error().message);
    return 0;
}
