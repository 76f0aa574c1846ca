#include "core/net/side_jobs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace decodescope {

namespace {

/// Most jobs are over at once: they get so long before they are left.
constexpr std::chrono::milliseconds kFarewell{100};

} // namespace

struct SideJobs::Helper {
    std::thread thread;
    bool busy = false;
    AtEnd atEnd = AtEnd::waitFor; // of its job, while busy
};

struct SideJobs::Shared {
    struct Waiting {
        Job job;
        AtEnd atEnd;
    };
    std::mutex mutex; // guards all that follows
    std::condition_variable changed;
    std::function<void(Found)> deliver; // null: it is over
    std::deque<Waiting> waiting;
    std::list<Helper> helpers;
    std::size_t free = 0;
};

SideJobs::SideJobs(std::function<void(Found)> deliver)
    : m_shared(std::make_shared<Shared>()) {
    m_shared->deliver = std::move(deliver);
}

SideJobs::~SideJobs() {
    end();
}

void SideJobs::add(Job job, AtEnd atEnd) {
    Shared& shared = *m_shared;
    {
        const std::lock_guard lock(shared.mutex);
        if (!shared.deliver)
            return;
        shared.waiting.push_back({std::move(job), atEnd});
        if (shared.waiting.size() > shared.free && shared.helpers.size() < kMost) {
            Helper& helper = shared.helpers.emplace_back();
            try {
                helper.thread = std::thread([shared = m_shared, &helper] { help(shared, helper); });
            } catch (const std::system_error&) { // no more threads here: those that there are have to do
                shared.helpers.pop_back();
            }
        }
    }
    shared.changed.notify_all();
}

void SideJobs::help(const std::shared_ptr<Shared>& shared, Helper& helper) {
    std::unique_lock lock(shared->mutex);
    for (;;) {
        ++shared->free;
        shared->changed.wait(lock, [&] { return !shared->deliver || !shared->waiting.empty(); });
        --shared->free;
        if (!shared->deliver)
            return;
        Shared::Waiting next = std::move(shared->waiting.front());
        shared->waiting.pop_front();
        helper.busy = true;
        helper.atEnd = next.atEnd;
        lock.unlock();
        Found found = next.job();
        next.job = nullptr; // what it held goes while nobody is locked out
        lock.lock();
        if (shared->deliver && found)
            shared->deliver(std::exchange(found, nullptr));
        lock.unlock();
        found = nullptr;
        lock.lock();
        helper.busy = false;
        shared->changed.notify_all();
    }
}

void SideJobs::end() {
    Shared& shared = *m_shared;
    std::deque<Shared::Waiting> dropped;
    std::vector<std::thread> returning;
    {
        std::unique_lock lock(shared.mutex);
        shared.deliver = nullptr;
        dropped.swap(shared.waiting);
        shared.changed.notify_all();
        const auto isLeft = [](const Helper& helper) { return helper.busy && helper.atEnd == AtEnd::leave; };
        shared.changed.wait_for(lock, kFarewell,
                                [&] { return std::none_of(shared.helpers.begin(), shared.helpers.end(), isLeft); });
        for (Helper& helper : shared.helpers) {
            if (!helper.thread.joinable())
                continue;
            if (isLeft(helper))
                helper.thread.detach();
            else
                returning.push_back(std::move(helper.thread));
        }
    }
    for (std::thread& thread : returning)
        thread.join();
}

} // namespace decodescope
