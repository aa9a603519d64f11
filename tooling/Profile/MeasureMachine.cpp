// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast multiply-adds in registers are, and memory. The loops are compiled for several
// instruction sets; the widest one that this CPU has runs.
#include "Profile/Machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ttrun::report {

namespace {
using Clock = std::chrono::steady_clock;

/// Independent sums: enough for two units with a latency of up to six cycles.
constexpr int kSums = 12;

/// A loop over registers. Returns what it computed, so that nothing is left out.
struct Loop {
  const char *instructions = "";
  double (*run)(uint64_t rounds) = nullptr;
  double operations = 0; ///< of a round: kSums instructions
};

// Each round, the compiler has to take the operand for a new one: else it could compute the product
// of constants once.
#define TTC_OPAQUE(value) asm volatile("" : "+v"(value))

#if defined(__x86_64__)

template <typename Sums> double firstOf(const Sums &sums) {
  float first;
  memcpy(&first, &sums, sizeof(first));
  return first;
}

[[gnu::target("avx512f")]] double fmaAvx512(uint64_t rounds) {
  __m512 sums[kSums], factor = _mm512_set1_ps(0.5f);
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(1.0f);
  for (uint64_t i = 0; i < rounds; ++i) {
    TTC_OPAQUE(factor);
#pragma GCC unroll 12
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(sum, factor, factor);
  }
  for (__m512 &sum : sums)
    TTC_OPAQUE(sum);
  return firstOf(sums);
}

[[gnu::target("avx2,fma")]] double fmaAvx2(uint64_t rounds) {
  __m256 sums[kSums], factor = _mm256_set1_ps(0.5f);
  for (__m256 &sum : sums)
    sum = _mm256_set1_ps(1.0f);
  for (uint64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+x"(factor));
#pragma GCC unroll 12
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  for (__m256 &sum : sums)
    asm volatile("" : "+x"(sum));
  return firstOf(sums);
}

[[gnu::target("avx512f,avx512vnni")]] double dotAvx512Vnni(uint64_t rounds) {
  __m512i sums[kSums], bytes = _mm512_set1_epi8(1);
  for (__m512i &sum : sums)
    sum = _mm512_setzero_si512();
  for (uint64_t i = 0; i < rounds; ++i) {
    TTC_OPAQUE(bytes);
#pragma GCC unroll 12
    for (__m512i &sum : sums)
      sum = _mm512_dpbusd_epi32(sum, bytes, bytes);
  }
  for (__m512i &sum : sums)
    TTC_OPAQUE(sum);
  return firstOf(sums);
}

[[gnu::target("avx512f,avx512bw")]] double dotAvx512(uint64_t rounds) {
  __m512i sums[kSums], words = _mm512_set1_epi16(1);
  for (__m512i &sum : sums)
    sum = _mm512_setzero_si512();
  for (uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m512i &sum : sums) {
      TTC_OPAQUE(words);
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(words, words));
    }
  }
  for (__m512i &sum : sums)
    TTC_OPAQUE(sum);
  return firstOf(sums);
}

[[gnu::target("avx2")]] double dotAvx2(uint64_t rounds) {
  __m256i sums[kSums], words = _mm256_set1_epi16(1);
  for (__m256i &sum : sums)
    sum = _mm256_setzero_si256();
  for (uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m256i &sum : sums) {
      asm volatile("" : "+x"(words));
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(words, words));
    }
  }
  for (__m256i &sum : sums)
    asm volatile("" : "+x"(sum));
  return firstOf(sums);
}
#endif // __x86_64__

/// Vectors of 16 bytes, which every CPU has that this is compiled for.
double multiplyAdd(uint64_t rounds) {
  typedef float Vector __attribute__((vector_size(16)));
  Vector sums[kSums], factor = {0.5f, 0.5f, 0.5f, 0.5f};
  for (Vector &sum : sums)
    sum = factor;
  for (uint64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+m"(factor)); // in any register of the CPU
#pragma GCC unroll 12
    for (Vector &sum : sums)
      sum = sum * factor + factor;
  }
  double all = 0;
  for (const Vector &sum : sums)
    all += static_cast<double>(sum[0]);
  return all;
}

Loop floatLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {"AVX-512", fmaAvx512, 2 * 16 * kSums};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"AVX2 and FMA", fmaAvx2, 2 * 8 * kSums};
#endif
  return {"vectors of 128 bits", multiplyAdd, 2 * 4 * kSums};
}

/// The instructions of the kernels (ttc.kernel.int_gemm). Without one of them, nothing is measured.
Loop byteLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni"))
    return {"AVX-512 VNNI", dotAvx512Vnni, 2 * 64 * kSums};
  if (__builtin_cpu_supports("avx512bw"))
    return {"AVX-512", dotAvx512, 2 * 32 * kSums};
  if (__builtin_cpu_supports("avx2"))
    return {"AVX2", dotAvx2, 2 * 16 * kSums};
#endif
  return {};
}

/// Runs `work(thread)` on `threads` threads at once, and returns the seconds from the first begin
/// to the last end.
template <typename Work> double timeAtOnce(uint32_t threads, Work work) {
  std::atomic<uint32_t> ready{0};
  std::vector<Clock::time_point> begins(threads), ends(threads);
  auto run = [&](uint32_t thread) {
    ready.fetch_add(1);
    while (ready.load() < threads)
      std::this_thread::yield();
    begins[thread] = Clock::now();
    work(thread);
    ends[thread] = Clock::now();
  };
  std::vector<std::thread> others;
  for (uint32_t thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                       *std::min_element(begins.begin(), begins.end()))
      .count();
}

/// Repeats a measurement until its part of the time is over, at least three times. Interruptions
/// only make it slower: the fastest one counts.
template <typename Once> double best(double seconds, Once once) {
  const Clock::time_point begin = Clock::now();
  double most = 0;
  for (int i = 0; i < 3 || std::chrono::duration<double>(Clock::now() - begin).count() < seconds;
       ++i)
    most = std::max(most, once());
  return most;
}

double operationsPerSecond(const Loop &loop, uint32_t threads) {
  // Long enough that starting threads and reading clocks do not count.
  uint64_t rounds = 1000;
  while (timeAtOnce(1, [&](uint32_t) { loop.run(rounds); }) < 2e-3)
    rounds *= 2;
  return best(0.06, [&] {
    const double seconds = timeAtOnce(threads, [&](uint32_t) { loop.run(rounds); });
    return static_cast<double>(rounds) * loop.operations * threads / seconds;
  });
}

/// Four times as much memory as the last cache has, within limits; half of it is copied to the
/// other.
size_t bytesToMove() {
  long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  constexpr size_t kLeast = size_t(64) << 20, kMost = size_t(256) << 20;
  return std::clamp<size_t>(4 * static_cast<size_t>(std::max(cache, 0L)), kLeast, kMost);
}

uint64_t sumOf(const uint64_t *words, size_t count) {
  uint64_t sums[8] = {};
  for (size_t i = 0; i + 8 <= count; i += 8)
    for (size_t j = 0; j < 8; ++j)
      sums[j] += words[i + j];
  uint64_t sum = 0;
  for (uint64_t part : sums)
    sum += part;
  return sum;
}

void measureMemory(Machine &machine) {
  const size_t bytes = bytesToMove();
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return; // then nothing is known about it
#ifdef MADV_HUGEPAGE
  madvise(mapped, bytes, MADV_HUGEPAGE);
#endif
  auto *memory = static_cast<char *>(mapped);
  const size_t part = bytes / machine.cores / 128 * 64; // of half the memory, whole lines
  const size_t half = part * machine.cores;
  auto from = [&](uint32_t thread) { return memory + thread * part; };
  // Each thread touches its part first, so that the part is in memory near it.
  timeAtOnce(machine.cores, [&](uint32_t thread) {
    memset(from(thread), 1, part);
    memset(from(thread) + half, 2, part);
  });
  std::atomic<uint64_t> sink{0};
  machine.readBandwidth = best(0.06, [&] {
    const double seconds = timeAtOnce(machine.cores, [&](uint32_t thread) {
      for (size_t begin : {size_t(0), half})
        sink += sumOf(reinterpret_cast<const uint64_t *>(from(thread) + begin), part / 8);
    });
    return 2 * static_cast<double>(half) / seconds;
  });
  machine.copyBandwidth = best(0.06, [&] {
    const double seconds = timeAtOnce(
        machine.cores, [&](uint32_t thread) { memcpy(from(thread) + half, from(thread), part); });
    return 2 * static_cast<double>(half) / seconds;
  });
  munmap(mapped, bytes);
}
} // namespace

Machine measureMachine(uint32_t cores) {
  Machine machine;
  machine.cores = std::max(cores, 1u);
  const Loop floats = floatLoop(), products = byteLoop();
  machine.flops = operationsPerSecond(floats, machine.cores);
  machine.instructions = floats.instructions;
  if (products.run) {
    machine.int8Ops = operationsPerSecond(products, machine.cores);
    machine.int8Instructions = products.instructions;
  }
  measureMemory(machine);
  return machine;
}

} // namespace ttrun::report
