#include "core/base/hiccup_meter.h"

#include <signal.h>
#include <system_error>
#include <utility>

namespace decodescope {

HiccupMeter::HiccupMeter(std::shared_ptr<HiccupLog> log)
    : HiccupMeter(log, {[] { return Instant(std::chrono::steady_clock::now()); },
                        [log](Instant due) { return log->sleepUntil(due); }}) {}

HiccupMeter::HiccupMeter(std::shared_ptr<HiccupLog> log, Hands hands)
    : m_log(std::move(log))
    , m_hands(std::move(hands)) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals belong to the program's main thread
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error&) { // an instrument that does not know its own hiccups still measures
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HiccupMeter::~HiccupMeter() {
    m_log->shut();
    if (m_thread.joinable())
        m_thread.join();
}

void HiccupMeter::run() {
    while (m_log->waitForListener()) {
        const Instant due = m_hands.now() + kPeriod;
        if (!m_hands.sleepUntil(due))
            return;
        const Instant woke = m_hands.now();
        if (woke - due >= Hiccup::kWorthNoting)
            m_log->note({due, woke});
    }
}

} // namespace decodescope
