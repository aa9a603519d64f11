// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of the synthetic models: they take a given time and write down when they ran. Ticks are
// the CPU's own counter, which every core reads alike.

#include <stdint.h>

#define OPERAND(type, i) ((type *)(base + operands[i]))
#define PROGRAM(name)                                                                              \
  __attribute__((visibility("default"))) void name(const uint64_t *operands, uint8_t *base,        \
                                                   uint8_t *scratch, uint64_t workgroup)

static uint64_t ticks(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
#else
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

// (ticks to take, words in) -> (stamps: begin, end; words out = words in + 1). The first word says
// how many words there are.
PROGRAM(bench_step) {
  (void)scratch;
  (void)workgroup;
  const uint64_t begin = ticks(), duration = *OPERAND(const uint64_t, 0);
  const uint64_t *in = OPERAND(const uint64_t, 1);
  uint64_t *stamps = OPERAND(uint64_t, 2), *out = OPERAND(uint64_t, 3);
  const uint64_t words = in[0];
  out[0] = words;
  for (uint64_t i = 1; i < words; ++i)
    out[i] = in[i] + 1;
  stamps[0] = begin;
  while (ticks() - begin < duration) {
  }
  stamps[1] = ticks();
}

// (ticks to take) -> (stamps): takes time and nothing else.
PROGRAM(bench_spin) {
  (void)scratch;
  (void)workgroup;
  const uint64_t begin = ticks(), duration = *OPERAND(const uint64_t, 0);
  uint64_t *stamps = OPERAND(uint64_t, 1);
  stamps[0] = begin;
  while (ticks() - begin < duration) {
  }
  stamps[1] = ticks();
}
