// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for the runtime's tests, built as the compiler builds them: a shared object without
// dependencies.

#include <stdint.h>

#define OPERAND(type, i) ((type *)(base + operands[i]))
#define PROGRAM(name)                                                                              \
  __attribute__((visibility("default"))) void name(const uint64_t *operands, uint8_t *base,        \
                                                   uint8_t *scratch, uint64_t workgroup)

enum { kElements = 256, kPart = 16 };

// out[i] = a[i] + b[i]; 16 workgroups.
PROGRAM(test_add) {
  (void)scratch;
  const float *a = OPERAND(const float, 0), *b = OPERAND(const float, 1);
  float *out = OPERAND(float, 2);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] + b[i];
}

// out[i] = a[255 - i], through scratch; 16 workgroups, each of which reads what another one's
// neighbour wrote: wrong without a barrier in front.
PROGRAM(test_reverse) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  volatile float *copy = (volatile float *)scratch;
  for (uint64_t i = 0; i < kPart; ++i)
    copy[i] = a[kElements - 1 - (workgroup * kPart + i)];
  for (uint64_t i = 0; i < kPart; ++i)
    out[workgroup * kPart + i] = copy[i];
}

// out = a + 1 on 8 elements; one workgroup.
PROGRAM(test_tiny) {
  (void)scratch;
  (void)workgroup;
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (int i = 0; i < 8; ++i)
    out[i] = a[i] + 1.0f;
}

// out[0] = sum of a: one workgroup, in order.
PROGRAM(test_sum) {
  (void)scratch;
  (void)workgroup;
  const float *a = OPERAND(const float, 0);
  float sum = 0;
  for (int i = 0; i < kElements; ++i)
    sum += a[i];
  OPERAND(float, 1)[0] = sum;
}

// out[i] = a[i] / 3 computed where the rounding mode and denormals show; 16 workgroups.
PROGRAM(test_third) {
  (void)scratch;
  const volatile float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] / 3.0f;
}

// Takes about 10 ms on each of 16 workgroups: long enough for waiting cores to fall asleep.
PROGRAM(test_slow) {
  (void)scratch;
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (volatile int i = 0; i < (workgroup == 0 ? 10000000 : 1000); ++i) {
  }
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i];
}

// Two of these that run at the same time meet: each raises its own word and waits for the other's,
// a second at most. out = 1 if they met.
PROGRAM(test_meet) {
  (void)scratch;
  (void)workgroup;
  volatile uint64_t *theirs = OPERAND(volatile uint64_t, 0);
  volatile uint64_t *mine = OPERAND(volatile uint64_t, 1);
  uint64_t *met = OPERAND(uint64_t, 2);
  __atomic_store_n(mine, 1, __ATOMIC_SEQ_CST);
  *met = 0;
  for (uint64_t i = 0; i < 300000000 && !*met; ++i)
    *met = __atomic_load_n(theirs, __ATOMIC_SEQ_CST);
}

// Programs of bundles that are verified and never run: the code has them, at different addresses.
#define UNUSED_PROGRAM(name)                                                                       \
  PROGRAM(name) {                                                                                  \
    (void)operands;                                                                                \
    (void)base;                                                                                    \
    (void)scratch;                                                                                 \
    (void)workgroup;                                                                               \
  }
UNUSED_PROGRAM(test_again)
UNUSED_PROGRAM(test_change)
UNUSED_PROGRAM(test_cut)
UNUSED_PROGRAM(test_down)
UNUSED_PROGRAM(test_first)
UNUSED_PROGRAM(test_join)
UNUSED_PROGRAM(test_keep)
UNUSED_PROGRAM(test_left)
UNUSED_PROGRAM(test_one)
UNUSED_PROGRAM(test_other)
UNUSED_PROGRAM(test_patch)
UNUSED_PROGRAM(test_reverse2)
UNUSED_PROGRAM(test_right)
UNUSED_PROGRAM(test_second)
UNUSED_PROGRAM(test_take)
UNUSED_PROGRAM(test_up)
UNUSED_PROGRAM(test_update)
UNUSED_PROGRAM(test_0)
UNUSED_PROGRAM(test_1)
UNUSED_PROGRAM(test_2)
UNUSED_PROGRAM(test_3)
UNUSED_PROGRAM(test_4)
UNUSED_PROGRAM(test_5)
UNUSED_PROGRAM(test_6)
UNUSED_PROGRAM(test_7)
UNUSED_PROGRAM(test_8)
UNUSED_PROGRAM(test_9)
