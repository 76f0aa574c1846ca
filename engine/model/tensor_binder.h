#pragma once

#include "engine/base/error.h"
#include "engine/model/model_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace decodescope::engine {

/// Which of a linear layer's tensors must be there.
enum class Bias : std::uint8_t { none, optional, required };

/// Finds tensors by name and checks what they are. The first failure is kept and all later calls do nothing, so that
/// an architecture binds tensor after tensor and asks once, with `finish`, whether all went well.
class TensorBinder {
public:
    TensorBinder(const GgufFile& file, std::string_view architecture);

    /// "NAME.weight", {inputs, outputs}, of any type that we decode, and "NAME.bias".
    [[nodiscard]] Linear linear(const std::string& name, std::uint64_t inputs, std::uint64_t outputs, Bias bias);
    /// As `linear`, but absent when "NAME.weight" is.
    [[nodiscard]] Linear optionalLinear(const std::string& name, std::uint64_t inputs, std::uint64_t outputs,
                                        Bias bias);
    [[nodiscard]] RmsNorm norm(const std::string& name, std::uint64_t width, float epsilon);
    /// "NAME.weight", f32, positive finite factors; null when absent.
    [[nodiscard]] const TensorView* optionalFactors(const std::string& name, std::uint64_t elements);

    /// ErrorCode::unsupported for a tensor that nothing asked for: it is of a feature that the plan does not have.
    [[nodiscard]] Result<void> finish();

private:
    [[nodiscard]] const TensorView* find(const std::string& name);
    [[nodiscard]] const TensorView* required(const std::string& name);
    bool checkShape(const TensorView& tensor, std::uint64_t inputs, std::uint64_t outputs);
    bool checkPlain(const TensorView& tensor, std::uint64_t elements);
    void refuse(ErrorCode code, std::string message);

    const GgufFile& m_file;
    std::string m_architecture;
    std::unordered_set<const TensorView*> m_bound;
    std::optional<Error> m_error;
};

} // namespace decodescope::engine
