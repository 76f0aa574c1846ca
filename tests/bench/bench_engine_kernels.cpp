// The kernels of the decode engine alone, one thread: decode (one row of inputs) in bytes of weights a second beside
// what the memory gives, prefill (512 rows) in multiply-adds a second, and the packing of weights.
#include "engine/cpu/bandwidth.h"
#include "engine/cpu/multiply.h"
#include "engine/cpu/plane_layout.h"
#include "engine/cpu/thread_pool.h"
#include "engine/gguf/tensor_type.h"
#include "tests/bench/bench_report.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace decodescope;
using namespace decodescope::engine;

namespace {

constexpr TensorType kTypes[] = {TensorType::q4_0, TensorType::q4_1, TensorType::q5_0, TensorType::q5_1,
                                 TensorType::q8_0, TensorType::q4_k, TensorType::q5_k, TensorType::q6_k,
                                 TensorType::f16,  TensorType::bf16, TensorType::f32};

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

struct AlignedDelete {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{kHugePage}); }
};
using Memory = std::unique_ptr<std::byte, AlignedDelete>;

/// Touched, of a byte that is a small normal number in every type. In huge pages where the system gives them, as the
/// engine's own weights are: small ones cost a third of the rate.
Memory filled(std::size_t bytes) {
    Memory memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kHugePage})));
    madvise(memory.get(), bytes, MADV_HUGEPAGE);
    std::memset(memory.get(), 0x11, bytes);
    return memory;
}

/// The least of several times: what the work takes when nothing else runs.
template <class Work> double leastSeconds(int repeats, Work work) {
    double least = 1e9;
    for (int i = 0; i < repeats; ++i)
        least = std::min(least, bench::medianSeconds(1, work));
    return least;
}

TensorView tensorOf(TensorType type, std::uint32_t inputs, std::uint32_t outputs, const std::byte* data) {
    const TensorTypeInfo& info = tensorTypeInfo(type);
    TensorView view;
    view.name = "weights";
    view.typeId = info.id;
    view.shape = {inputs, outputs, 1, 1};
    view.dimensions = 2;
    view.data = data;
    view.bytes = std::uint64_t{inputs} / info.blockElements * info.blockBytes * outputs;
    return view;
}

void measureBandwidth(std::size_t bytes) {
    const Memory memory = filled(bytes);
    ThreadPool pool(1);
    bench::report("engine_read_bandwidth", measureReadBandwidth(pool, detectIsa(), {memory.get(), bytes}), "GB/s",
                  fmt::format("{} MiB, 1 thread", bytes >> 20U));
}

void measureType(TensorType type, Isa isa, std::size_t bytes, int repeats, std::string_view shape, std::uint32_t inputs,
                 std::uint32_t outputs) {
    const std::string_view typeName = tensorTypeInfo(type).name;
    // Decode: a plane that no cache holds.
    TensorView tensor = tensorOf(type, inputs, 16, nullptr);
    const auto rows = static_cast<std::uint32_t>(bytes / tensor.rowBytes() / 16 * 16);
    const Memory source = filled(rows * tensor.rowBytes());
    tensor = tensorOf(type, inputs, rows, source.get());
    Plane plane = describePlane(tensor, isa).value();
    const Memory packed = filled(plane.bytes());
    plane.data = packed.get();
    ActivationRows x;
    x.shape(512, inputs);
    for (std::size_t i = 0; i < x.values.size(); ++i)
        x.values[i] = static_cast<float>(i % 255) / 127 - 1;
    const std::string conditions = fmt::format("{}, {}, {}", typeName, toString(isa), shape);

    const double packS = leastSeconds(repeats, [&] { packPlane(tensor, plane, packed.get(), 0, plane.groups); });
    bench::report("engine_pack", static_cast<double>(tensor.bytes) / packS * 1e-9, "GB/s", conditions);

    std::vector<float> y(std::size_t{512} * std::max(rows, outputs));
    for (const std::uint32_t height : {1U, 4U}) {
        x.rows = height;
        quantizeRows(isa, x, 0, height);
        const double seconds = leastSeconds(repeats, [&] { multiply(plane, x, 0, plane.groups, y.data(), rows); });
        bench::report(height == 1 ? "engine_decode" : "engine_decode_4_rows",
                      static_cast<double>(plane.bytes()) / seconds * 1e-9, "GB/s", conditions);
    }

    // Prefill: one layer's matrix.
    Plane layer = describePlane(tensorOf(type, inputs, std::min(outputs, rows), source.get()), isa).value();
    layer.data = packed.get();
    x.rows = 512;
    const double quantizeS = leastSeconds(repeats, [&] { quantizeRows(isa, x, 0, 512); });
    const double seconds = leastSeconds(repeats, [&] { multiply(layer, x, 0, layer.groups, y.data(), layer.rows); });
    bench::report("engine_prefill", 512.0 * layer.rows * inputs / seconds * 1e-9, "GMAC/s", conditions);
    if (type == TensorType::q4_0)
        bench::report("engine_quantize", 512.0 * inputs / quantizeS * 1e-9, "G inputs/s", conditions);
}

} // namespace

/// --quick, or the name of an instruction set and of a type to look at alone.
int main(int argc, char** argv) {
    bool quick = false;
    std::string_view onlyIsa;
    std::string_view onlyType;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--quick")
            quick = true;
        else if (onlyIsa.empty())
            onlyIsa = argument;
        else
            onlyType = argument;
    }
    const std::size_t bytes = std::size_t{quick ? 1U : 256U} << 20;
    const int repeats = quick ? 1 : 5;
    measureBandwidth(bytes);
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::scalar}) {
        if (isa > detectIsa() || (!onlyIsa.empty() && onlyIsa != toString(isa)))
            continue;
        for (const TensorType type : kTypes) {
            if (!onlyType.empty() && onlyType != tensorTypeInfo(type).name)
                continue;
            if (quick) {
                measureType(type, isa, bytes, repeats, "256 x 64", 256, 64);
            } else {
                const bool superblocks = tensorTypeInfo(type).blockElements == 256;
                if (superblocks)
                    measureType(type, isa, bytes, repeats, "768 x 1536", 768, 1536);
                else
                    measureType(type, isa, bytes, repeats, "576 x 1536", 576, 1536);
                if (isa != Isa::scalar)
                    measureType(type, isa, bytes, repeats, "4096 x 4096", 4096, 4096);
            }
        }
    }
    return 0;
}
