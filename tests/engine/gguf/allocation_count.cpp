#include "tests/engine/gguf/allocation_count.h"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// Tests that count are single-threaded; Qt's own threads may allocate too, so the numbers are atomic.
std::int64_t g_held = 0;
std::int64_t g_peak = 0;
std::int64_t g_base = 0;

void* counted(std::size_t size) {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr)
        throw std::bad_alloc();
    const auto bytes = static_cast<std::int64_t>(malloc_usable_size(memory));
    const std::int64_t held = __atomic_add_fetch(&g_held, bytes, __ATOMIC_RELAXED);
    if (held > __atomic_load_n(&g_peak, __ATOMIC_RELAXED))
        __atomic_store_n(&g_peak, held, __ATOMIC_RELAXED);
    return memory;
}

void released(void* memory) noexcept {
    if (memory == nullptr)
        return;
    __atomic_sub_fetch(&g_held, static_cast<std::int64_t>(malloc_usable_size(memory)), __ATOMIC_RELAXED);
    std::free(memory);
}

} // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    released(memory);
}
void operator delete[](void* memory) noexcept {
    released(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    released(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    released(memory);
}

namespace decodescope::engine::test {

void AllocationCount::reset() noexcept {
    g_base = __atomic_load_n(&g_held, __ATOMIC_RELAXED);
    __atomic_store_n(&g_peak, g_base, __ATOMIC_RELAXED);
}

std::int64_t AllocationCount::peakBytes() noexcept {
    return __atomic_load_n(&g_peak, __ATOMIC_RELAXED) - g_base;
}

} // namespace decodescope::engine::test
