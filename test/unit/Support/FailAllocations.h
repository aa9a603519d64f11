// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets chosen allocations of the process fail, and counts those that are alive. Included by one
// file of a program: it defines malloc. Where a sanitizer owns malloc, it defines operator new.

#ifndef TTC_TEST_UNIT_SUPPORT_FAILALLOCATIONS_H
#define TTC_TEST_UNIT_SUPPORT_FAILALLOCATIONS_H

#include "Sanitized.h"
#include <atomic>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

/// Allocations left until one fails; below 1 there is no more failure to come.
static std::atomic<long> allocationsLeft;
/// Whether all later ones fail, too.
static std::atomic<bool> allocationsEnd;
static std::atomic<bool> allocationFailed;
static std::atomic<long> liveAllocations;

/// The n-th allocation from now on fails, on any thread; with `allLater`, so do all after it.
inline void failAllocation(long n, bool allLater) {
  allocationFailed = false;
  allocationsEnd = allLater;
  allocationsLeft = n;
}
/// Returns whether one has failed.
inline bool stopFailingAllocations() {
  allocationsLeft = 0;
  allocationsEnd = false;
  return allocationFailed.load();
}

static bool allocationFails() {
  if (allocationsLeft.load(std::memory_order_relaxed) < 1)
    return allocationsEnd.load() && allocationFailed.load();
  if (allocationsLeft.fetch_sub(1) != 1)
    return false;
  allocationFailed = true;
  return true;
}

static void *countAllocation(void *memory) {
  liveAllocations += memory != nullptr;
  return memory;
}

#ifndef TTRT_TEST_SANITIZED
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *noMemory() {
  errno = ENOMEM;
  return nullptr;
}
void *malloc(size_t size) noexcept {
  return allocationFails() ? noMemory() : countAllocation(__libc_malloc(size));
}
void *calloc(size_t n, size_t size) noexcept {
  return allocationFails() ? noMemory() : countAllocation(__libc_calloc(n, size));
}
void *realloc(void *old, size_t size) noexcept {
  if (size && allocationFails())
    return noMemory();
  liveAllocations -= old && !size;
  void *memory = __libc_realloc(old, size);
  return old ? memory : countAllocation(memory);
}
void *aligned_alloc(size_t alignment, size_t size) noexcept {
  return allocationFails() ? noMemory() : countAllocation(__libc_memalign(alignment, size));
}
void *memalign(size_t alignment, size_t size) noexcept { return aligned_alloc(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) noexcept {
  *result = aligned_alloc(alignment, size);
  return *result ? 0 : ENOMEM;
}
void free(void *memory) noexcept {
  liveAllocations -= memory != nullptr;
  __libc_free(memory);
}
}
#else
static void *allocate(size_t size, size_t alignment = 0) {
  if (allocationFails())
    return nullptr;
  const size_t rounded = alignment ? (size + alignment - 1) / alignment * alignment : size;
  return countAllocation(alignment ? std::aligned_alloc(alignment, rounded)
                                   : std::malloc(size ? size : 1));
}
static void *allocateOrThrow(size_t size, size_t alignment = 0) {
  if (void *memory = allocate(size, alignment))
    return memory;
  throw std::bad_alloc();
}
static void release(void *memory) {
  liveAllocations -= memory != nullptr;
  std::free(memory);
}
void *operator new(size_t size) { return allocateOrThrow(size); }
void *operator new[](size_t size) { return allocateOrThrow(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return allocate(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return allocate(size); }
void *operator new(size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { release(memory); }
#endif

#endif // TTC_TEST_UNIT_SUPPORT_FAILALLOCATIONS_H
