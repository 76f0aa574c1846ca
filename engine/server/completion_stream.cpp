#include "engine/server/completion_stream.h"

#include "engine/base/steady_time.h"

namespace decodescope::engine {

CompletionStream::CompletionStream(AnswerForm form, std::shared_ptr<HttpReply> reply, std::shared_ptr<LoopTasks> tasks,
                                   std::unique_ptr<AnswerWriter> writer, Scheduler& scheduler)
    : m_form(form)
    , m_reply(std::move(reply))
    , m_tasks(std::move(tasks))
    , m_writer(std::move(writer))
    , m_scheduler(scheduler) {}

GenerationSink CompletionStream::sink() {
    GenerationSink sink;
    sink.onEvent = [self = shared_from_this()](GenerationEvent event, const PromptFacts* prompt) {
        bool first = false;
        {
            const std::lock_guard lock(self->m_mutex);
            first = self->m_arrived.empty();
            self->m_arrived.push_back(
                {std::move(event), prompt != nullptr, prompt != nullptr ? *prompt : PromptFacts{}});
        }
        if (first) // else the loop has been told already
            self->m_tasks->post([self] { self->drain(); });
    };
    return sink;
}

void CompletionStream::start(GenerationId id) {
    m_id = id;
    m_started = true;
    if (!m_ended) {
        // The weak pointer: the connection would keep this object, which keeps the reply.
        m_reply->whenGone([weak = weak_from_this()] {
            if (const auto self = weak.lock(); self && !self->m_ended) {
                self->m_ended = true;
                self->m_scheduler.cancel(self->m_id);
            }
        });
    }
    if (!m_ended && m_form == AnswerForm::stream)
        m_reply->beginStream("text/event-stream");
    drain();
}

void CompletionStream::drain() {
    if (!m_started)
        return; // start() takes what has come
    std::vector<Arrived> arrived;
    {
        const std::lock_guard lock(m_mutex);
        arrived.swap(m_arrived);
    }
    for (const Arrived& one : arrived) {
        if (!m_ended)
            write(one);
    }
}

void CompletionStream::write(const Arrived& arrived) {
    const PromptFacts* const prompt = arrived.first ? &arrived.prompt : nullptr;
    const GenerationEvent& event = arrived.event;
    if (m_form == AnswerForm::whole) {
        m_writer->keep(event, prompt);
        if (event.finish == FinishReason::error || event.finish == FinishReason::cancelled)
            return fail(500, "server_error", event.message.empty() ? "The request was cancelled." : event.message);
        if (!event.finish)
            return;
        m_ended = true;
        HttpResponse response;
        response.body = m_writer->whole();
        return m_reply->respond(response);
    }
    const std::int64_t beginNs = steadyNs();
    for (const std::string& bytes : m_writer->stream(event, prompt))
        m_reply->write(bytes);
    if (m_ended)
        return; // the client left while it was being written to
    m_scheduler.addSpan(
        {"send", event.step.id, m_id, -1, beginNs, steadyNs(), static_cast<std::uint32_t>(event.tokens.size())});
    if (event.finish) {
        m_ended = true;
        m_reply->endStream();
    }
}

void CompletionStream::fail(int status, std::string_view type, const std::string& message) {
    if (m_ended)
        return;
    m_ended = true;
    if (m_started)
        m_scheduler.cancel(m_id);
    if (m_started && m_form == AnswerForm::stream) {
        m_reply->write(streamError(status, type, message));
        m_reply->endStream();
    } else {
        m_reply->respond(errorResponse(status, type, message));
    }
}

} // namespace decodescope::engine
