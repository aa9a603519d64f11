// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CountAllocations.h"

#include <cstddef>

std::atomic<long> allocations, allocatedBytes;

#ifndef TTRT_TEST_SANITIZED
// Every allocation passes here: operator new and the C library's own callers end in malloc.
static void count(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocatedBytes.fetch_add(static_cast<long>(bytes), std::memory_order_relaxed);
}

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  count(n * size);
  return __libc_calloc(n, size);
}
void *realloc(void *old, size_t size) {
  count(size);
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  count(size);
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}
}
#endif
