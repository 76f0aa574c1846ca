#include "engine/gguf/dequantize.h"
#include "tests/engine/llama/probe.h"

#include <fstream>

namespace decodescope::engine::probe {

namespace {

/// Every tensor of the file as f32, in the file's order.
void writeWeights(const std::string& model, const std::string& path) {
    const auto file = orStop(GgufFile::open(model));
    std::ofstream out(path, std::ios::binary);
    std::vector<float> row;
    for (const TensorView& tensor : file->tensors()) {
        row.resize(tensor.rowElements());
        for (std::uint64_t r = 0; r < tensor.rows(); ++r) {
            dequantize(tensor.type(), tensor.data + r * tensor.rowBytes(), row);
            out.write(reinterpret_cast<const char*>(row.data()),
                      static_cast<std::streamsize>(row.size() * sizeof(float)));
        }
    }
    if (!out.flush())
        stop({ErrorCode::disk, "The weights could not be written to " + path + "."});
}

} // namespace

void addWeightsCommand(CLI::App& app) {
    struct Options {
        std::string model;
        std::string out;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("weights", "all tensors decoded to f32");
    command->add_option("model", options->model)->required();
    command->add_option("--out", options->out)->required();
    command->callback([options] { writeWeights(options->model, options->out); });
}

} // namespace decodescope::engine::probe
