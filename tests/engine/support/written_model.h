#pragma once

#include "engine/gguf/gguf_file.h"
#include "engine/model/model_plan.h"
#include "tests/engine/support/gguf_writer.h"

#include <QTemporaryDir>

#include <memory>
#include <string>

namespace decodescope::engine::test {

/// A model file on the disk for as long as the test looks at it.
class WrittenModel {
public:
    explicit WrittenModel(const GgufWriter& writer)
        : m_path(m_folder.filePath("tiny.gguf").toStdString())
        , m_file(writer.write(m_path) ? GgufFile::open(m_path) : fail(ErrorCode::disk, "not written")) {}

    /// Why the reader refused it; empty when it did not.
    [[nodiscard]] std::string refusal() const { return m_file ? std::string() : m_file.error().message; }
    [[nodiscard]] const GgufFile& file() const { return **m_file; }
    /// What the model room says of it, or the reader before it.
    [[nodiscard]] Result<ModelPlan> plan() const {
        return m_file ? buildPlan(**m_file) : Result<ModelPlan>(tl::unexpected(m_file.error()));
    }

private:
    QTemporaryDir m_folder;
    std::string m_path;
    Result<std::unique_ptr<GgufFile>> m_file;
};

} // namespace decodescope::engine::test
