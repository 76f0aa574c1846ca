#pragma once

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace decodescope {

/// The one object that two threads share while a run is live: any thread posts, the one reader takes the
/// whole batch. Thread-safe. Never blocks longer than a vector swap; unbounded, since a reader that stands
/// still must not slow down the stamping thread.
template <class T> class Mailbox {
public:
    void post(T item) {
        const std::lock_guard lock(m_mutex);
        m_items.push_back(std::move(item));
    }

    /// Posts several at once; `items` is left empty.
    void post(std::vector<T>& items) {
        const std::lock_guard lock(m_mutex);
        if (m_items.empty()) {
            m_items.swap(items);
        } else {
            m_items.insert(m_items.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
            items.clear();
        }
    }

    /// Replaces `into` by everything posted so far, oldest first. Returns whether there was anything.
    bool drain(std::vector<T>& into) {
        into.clear();
        const std::lock_guard lock(m_mutex);
        m_items.swap(into);
        return !into.empty();
    }

private:
    std::mutex m_mutex;
    std::vector<T> m_items;
};

} // namespace decodescope
