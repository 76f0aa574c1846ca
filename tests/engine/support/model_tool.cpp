// Writes tiny models and what our decoder makes of a file's weights, for scripts that compare us with others:
//   engine_model_tool write ARCHITECTURE TYPE FILE   e.g. write qwen3 Q4_K m.gguf
//   engine_model_tool blocks FILE                    one tensor of wholly random blocks per type
//   engine_model_tool hostile FOLDER                 the hostile corpus; prints NUMBER FATE NAME of each, tabs between
//   engine_model_tool weights FILE OUT               all tensors as f32, in file order, nothing between them
#include "engine/gguf/dequantize.h"
#include "engine/gguf/gguf_file.h"
#include "tests/engine/support/hostile_models.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

int writeModel(const std::string& architecture, const std::string& typeName, const std::string& path) {
    for (const TensorType type : supportedTypes())
        if (tensorTypeInfo(type).name == typeName)
            return TinyModel::of(architecture, type).write(path) ? 0 : 8;
    std::fprintf(stderr, "no such type: %s\n", typeName.c_str());
    return 2;
}

int writeBlocks(const std::string& path) {
    constexpr std::uint64_t kRow = 2'048;
    constexpr std::uint64_t kRows = 16;
    RandomBits random(11);
    GgufWriter writer;
    writer.text("general.architecture", "llama");
    for (const TensorType type : supportedTypes())
        writer.tensor(std::string(tensorTypeInfo(type).name), type, {kRow, kRows},
                      wildBlocks(type, kRow * kRows, random));
    return writer.write(path) ? 0 : 8;
}

const char* fateName(Fate fate) {
    switch (fate) {
    case Fate::notOpened:
        return "not-opened";
    case Fate::noPlan:
        return "no-plan";
    case Fate::noTokenizer:
        return "no-tokenizer";
    case Fate::survives:
        return "survives";
    }
    return "";
}

/// Names of models may hold anything, so files are numbered.
int writeHostile(const std::string& folder) {
    int number = 0;
    for (const HostileModel& model : hostileModels()) {
        std::ofstream file(folder + "/" + std::to_string(number) + ".gguf", std::ios::binary | std::ios::trunc);
        file.write(model.bytes.data(), static_cast<std::streamsize>(model.bytes.size()));
        file.close();
        if (!file.good())
            return 8;
        std::printf("%d\t%s\t%s\n", number++, fateName(model.fate), visible(model.name).c_str());
    }
    return 0;
}

int writeWeights(const std::string& path, const std::string& out) {
    const auto file = GgufFile::open(path);
    if (!file) {
        std::fprintf(stderr, "%s\n", file.error().message.c_str());
        return exitStatusOf(file.error().code);
    }
    std::ofstream stream(out, std::ios::binary | std::ios::trunc);
    std::vector<float> values;
    for (const TensorView& tensor : (*file)->tensors()) {
        values.resize(tensor.elements());
        dequantize(tensor.type(), tensor.data, values);
        stream.write(reinterpret_cast<const char*>(values.data()),
                     static_cast<std::streamsize>(values.size() * sizeof(float)));
    }
    stream.close();
    return stream.good() ? 0 : 8;
}

} // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words.size() == 4 && words[0] == "write")
        return writeModel(words[1], words[2], words[3]);
    if (words.size() == 2 && words[0] == "blocks")
        return writeBlocks(words[1]);
    if (words.size() == 2 && words[0] == "hostile")
        return writeHostile(words[1]);
    if (words.size() == 3 && words[0] == "weights")
        return writeWeights(words[1], words[2]);
    std::fprintf(stderr, "usage: write ARCHITECTURE TYPE FILE | blocks FILE | hostile FOLDER | weights FILE OUT\n");
    return 2;
}
