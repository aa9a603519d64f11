// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/ParallelHash.h"

#include "Base/CpuQuota.h"
#include "Base/Format.h"
#include "Base/HashAvx2.h"
#include "Base/SavedRegisters.h"
#include "ttrt/format/bundle_format.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Linux 5.14; older headers lack it and older kernels refuse it, which costs only time.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace ttrt {

/// By their numbers.
static unsigned allowedCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned usableCpus() { return std::min<unsigned>(allowedCpus(), cpusOfQuota()); }

/// hashBytes(), with the vectors that this CPU has.
static uint64_t hashChunk(const uint8_t *data, size_t size) {
#if defined(__x86_64__)
  static const bool hasAvx2 = [] {
    unsigned a, b = 0, c, d;
    return (savedRegisters() & kVectorRegisters) == kVectorRegisters &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2;
  }();
  if (hasAvx2 && size > kShortHash)
    return hashLongAvx2(data, size);
#endif
  return hashBytes(data, size);
}

/// Calls part(begin, bytes) for all chunks of `size` bytes that are hashed apart; it returns their
/// hash. Returns that of all.
template <typename Part> static uint64_t forEachChunk(size_t size, Part part) {
  const size_t chunks = (size + kHashChunk - 1) / kHashChunk;
  std::vector<uint64_t> hashes(chunks);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;)
      hashes[chunk] =
          part(chunk * kHashChunk, std::min<size_t>(kHashChunk, size - chunk * kHashChunk));
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

uint64_t hashSegmentParallel(const uint8_t *data, size_t size) {
  return forEachChunk(size, [&](size_t at, size_t bytes) {
    // One call maps the whole chunk, where faults would map 16 pages each.
    const auto begin = reinterpret_cast<uintptr_t>(data + at);
    const uintptr_t page = begin / kPageSize * kPageSize;
    madvise(reinterpret_cast<void *>(page), begin + bytes - page, MADV_POPULATE_READ);
    return hashChunk(data + at, bytes);
  });
}

uint64_t readSegmentParallel(int descriptor, uint64_t offset, uint8_t *to, size_t size,
                             bool hashes) {
  std::atomic<int> problem{0};
  constexpr int kEnded = -1;
  const uint64_t hash = forEachChunk(size, [&](size_t at, size_t bytes) -> uint64_t {
    for (size_t done = 0; done < bytes && problem.load(std::memory_order_relaxed) == 0;) {
      const ssize_t count =
          pread(descriptor, to + at + done, bytes - done, static_cast<off_t>(offset + at + done));
      if (count > 0)
        done += static_cast<size_t>(count);
      else if (count == 0)
        problem.store(kEnded);
      else if (errno != EINTR)
        problem.store(errno);
    }
    // While the chunk is in the cache.
    return hashes ? hashChunk(to + at, bytes) : 0;
  });
  if (const int found = problem.load()) {
    // EFAULT: there is no memory for a page of `to`.
    if (found == EFAULT || found == ENOMEM)
      fail(TTRT_OUT_OF_MEMORY, "out of memory while {} bytes of weights are copied", size);
    fail(TTRT_IO_ERROR, "cannot read {} bytes of weights: {}", size,
         found == kEnded ? "the file has become shorter" : strerror(found));
  }
  return hash;
}

} // namespace ttrt
