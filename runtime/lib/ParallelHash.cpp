// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ParallelHash.h"

#include "ttrt/bundle_format.h"

#include <algorithm>
#include <atomic>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

// Linux 5.14; older headers lack it and older kernels refuse it, which costs only time.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace ttrt {

unsigned allowedCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

uint64_t hashSegmentParallel(const uint8_t *data, size_t size) {
  const size_t chunks = (size + kHashChunk - 1) / kHashChunk;
  std::vector<uint64_t> hashes(chunks);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
      const uint8_t *begin = data + chunk * kHashChunk;
      size_t bytes = std::min<size_t>(kHashChunk, size - chunk * kHashChunk);
      // One call maps the whole chunk, where faults would map 16 pages each.
      auto page = reinterpret_cast<uintptr_t>(begin) / kPageSize * kPageSize;
      madvise(reinterpret_cast<void *>(page), reinterpret_cast<uintptr_t>(begin) + bytes - page,
              MADV_POPULATE_READ);
      hashes[chunk] = hashBytes(begin, bytes);
    }
  };
  // A thread costs about as much as hashing some chunks; past a few threads memory is the limit.
  size_t threads = std::min<size_t>({allowedCpus(), 8, chunks / 8});
  std::vector<std::thread> helpers;
  try {
    for (size_t i = 1; i < threads; ++i)
      helpers.emplace_back(work);
  } catch (...) {
    // No more threads, or no memory for them: those there are do the work.
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
  return hashBytes(hashes.data(), chunks * sizeof(uint64_t));
}

} // namespace ttrt
