#pragma once

#include "engine/scheduler/scheduler.h"
#include "engine/server/answer_writer.h"
#include "engine/server/http_server.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decodescope::engine {

enum class AnswerForm : std::uint8_t { stream, whole };

/// One request on its way: takes the scheduler's events on the scheduler's thread, writes them on the loop's, and
/// tells the scheduler when the client has gone.
class CompletionStream : public std::enable_shared_from_this<CompletionStream> {
public:
    /// `scheduler` outlives the loop's thread; `writer` belongs to the loop's thread from start() on.
    CompletionStream(AnswerForm form, std::shared_ptr<HttpReply> reply, std::shared_ptr<LoopTasks> tasks,
                     std::unique_ptr<AnswerWriter> writer, Scheduler& scheduler);

    /// For submit(). Keeps this object alive as long as the scheduler keeps the sink.
    [[nodiscard]] GenerationSink sink();
    /// The request was taken: the head of a stream goes out at once, long before the first token. Loop's thread.
    void start(GenerationId id);
    /// Ends the answer with an error, the generation too. Loop's thread; does nothing when it has ended.
    void fail(int status, std::string_view type, const std::string& message);

    [[nodiscard]] bool ended() const noexcept { return m_ended; } ///< loop's thread

private:
    struct Arrived {
        GenerationEvent event;
        bool first = false;
        PromptFacts prompt;
    };
    void drain();
    void write(const Arrived& arrived);

    const AnswerForm m_form;
    const std::shared_ptr<HttpReply> m_reply;
    const std::shared_ptr<LoopTasks> m_tasks;
    const std::unique_ptr<AnswerWriter> m_writer;
    Scheduler& m_scheduler;

    std::mutex m_mutex;
    std::vector<Arrived> m_arrived; // under the mutex

    GenerationId m_id = 0; // loop's thread, as all below
    bool m_started = false;
    bool m_ended = false;
};

} // namespace decodescope::engine
