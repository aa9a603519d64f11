// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that do what a table entry excludes, or are declared wrongly by ExecuteTest.cpp. Built
// like TestPrograms.c. All have 16 workgroups of 16 floats, and rows of 16 floats.

#include <stdint.h>

#define OPERAND(type, i) ((type *)(base + operands[i]))
#define PROGRAM(name)                                                                              \
  __attribute__((visibility("default"))) void name(const uint64_t *operands, uint8_t *base,        \
                                                   __attribute__((unused)) uint8_t *scratch,       \
                                                   __attribute__((unused)) uint64_t workgroup)

enum { kElements = 256, kPart = 16, kGrid = 16 };

static void copy(float *to, const float *from) {
  for (uint64_t i = 0; i < kPart; ++i)
    to[i] = from[i];
}

// out = a + b
PROGRAM(add) {
  const float *a = OPERAND(const float, 0), *b = OPERAND(const float, 1);
  float *out = OPERAND(float, 2);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] + b[i];
}

// The same; further workgroups do nothing.
PROGRAM(add_bounded) {
  if (workgroup < kGrid)
    add(operands, base, scratch, workgroup);
}

// out = a, through 64 bytes of scratch.
PROGRAM(through_scratch) {
  volatile float *copied = (volatile float *)scratch;
  const float *a = OPERAND(const float, 0) + workgroup * kPart;
  float *out = OPERAND(float, 1) + workgroup * kPart;
  for (uint64_t i = 0; i < kPart; ++i)
    copied[i] = a[i];
  for (uint64_t i = 0; i < kPart; ++i)
    out[i] = copied[i];
}

// An event where there is room for one (ttrt/format/program_markers.h), in 4160 bytes of scratch.
static void addEvent(uint8_t *scratch) {
  uint32_t *markers = (uint32_t *)scratch; // capacity, count, dropped
  if (markers[1] == markers[0]) {
    ++markers[2];
    return;
  }
  volatile uint8_t *marker = scratch + 128 + 16 * (uint64_t)markers[1]++;
  for (int i = 0; i < 16; ++i)
    marker[i] = i == 14 ? 20 : 0;
}

// out = a
PROGRAM(with_markers) {
  addEvent(scratch);
  copy(OPERAND(float, 1) + workgroup * kPart, OPERAND(const float, 0) + workgroup * kPart);
}

// out = a, or a + the room for markers where a row begins.
PROGRAM(shows_markers) {
  addEvent(scratch);
  copy(OPERAND(float, 1) + workgroup * kPart, OPERAND(const float, 0) + workgroup * kPart);
  OPERAND(float, 1)[workgroup * kPart] += (float)*(uint32_t *)scratch;
}

// out = a in the reverse order, so that a workgroup reads what another one writes in place.
PROGRAM(reverse) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[kElements - 1 - i];
}

// Within its part a workgroup reads what it has already written in place.
PROGRAM(reverse_part) {
  const float *a = OPERAND(const float, 0) + workgroup * kPart;
  float *out = OPERAND(float, 1) + workgroup * kPart;
  for (uint64_t i = 0; i < kPart; ++i) {
    __asm__ volatile("" ::: "memory");
    out[i] = a[kPart - 1 - i];
  }
}

// out += a
PROGRAM(accumulate) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] += a[i];
}

// out = a + the word that the previous workgroup of this core leaves in scratch.
PROGRAM(remember) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  volatile float *kept = (volatile float *)scratch;
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] + *kept;
  *kept = a[workgroup * kPart];
}

// Each part is a plus the part before, so that parts must be written in order.
PROGRAM(chain) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] + (workgroup ? out[i - kPart] : 0);
}

// All workgroups write the last word, each another value that only the order decides.
PROGRAM(overlap) {
  const float *a = OPERAND(const float, 0) + workgroup * kPart;
  float *out = OPERAND(float, 1);
  copy(out + workgroup * kPart, a);
  out[kElements - 1] = a[0];
}

// The last workgroup writes a word of the first part, too: with the same value.
PROGRAM(overlap_equal) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  copy(out + workgroup * kPart, a + workgroup * kPart);
  if (workgroup == kGrid - 1)
    out[0] = a[0];
}

// out = a, each part by the workgroup after it.
PROGRAM(copy_next) {
  const uint64_t part = (workgroup + 1) % kGrid;
  copy(OPERAND(float, 1) + part * kPart, OPERAND(const float, 0) + part * kPart);
}

// Rows, `pitch` floats apart.
static void copy_row(float *to, const float *from, uint64_t row, uint64_t pitch) {
  copy(to + row * pitch, from + row * pitch);
}

// out = a in rows that are 32 floats apart: in one page.
PROGRAM(near_rows) { copy_row(OPERAND(float, 1), OPERAND(const float, 0), workgroup, 32); }

// The same in rows that are 2048 floats apart: on pages of their own.
PROGRAM(far_rows) { copy_row(OPERAND(float, 1), OPERAND(const float, 0), workgroup, 2048); }

// By another workgroup than the row's.
PROGRAM(other_near_rows) {
  copy_row(OPERAND(float, 1), OPERAND(const float, 0), kGrid - 1 - workgroup, 32);
}
PROGRAM(other_far_rows) {
  copy_row(OPERAND(float, 1), OPERAND(const float, 0), kGrid - 1 - workgroup, 2048);
}

// The first word depends on the next row of a, too.
PROGRAM(read_next_near_row) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  copy_row(out, a, workgroup, 32);
  out[workgroup * 32] += a[(workgroup + 1) % kGrid * 32];
}

// Reads, or writes, one word between rows.
PROGRAM(read_gap) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  copy_row(out, a, workgroup, 32);
  if (workgroup < kGrid - 1)
    out[workgroup * 32] += a[workgroup * 32 + kPart];
}
PROGRAM(write_gap) {
  float *out = OPERAND(float, 1);
  copy_row(out, OPERAND(const float, 0), workgroup, 32);
  if (workgroup == 5)
    out[workgroup * 32 + kPart] = 1;
}

// out[i] = a[index[i]] without looking at the index.
PROGRAM(gather) {
  const float *a = OPERAND(const float, 0);
  const int32_t *index = OPERAND(const int32_t, 1);
  float *out = OPERAND(float, 2);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[index[i]];
}

// An index that is checked, but then multiplied.
PROGRAM(gather_rows) {
  const float *a = OPERAND(const float, 0);
  const int64_t *index = OPERAND(const int64_t, 1);
  float *out = OPERAND(float, 2);
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = (uint64_t)index[i] < kElements ? a[index[i] * 8] : 0;
}

// Reads 64 bytes at once, as vectorised code does: padding, but not into the result.
PROGRAM(sum_with_padding) {
  const float *a = OPERAND(const float, 0);
  float sum = 0;
  for (int i = 0; i < kElements; ++i) {
    const float value = ((const volatile float *)a)[i];
    sum += i < 250 ? value : 0;
  }
  OPERAND(float, 1)[0] = sum;
}

PROGRAM(trap) {
  (void)operands, (void)base;
  __builtin_trap();
}

// Does not end.
PROGRAM(spin) {
  for (volatile uint64_t i = 0;; ++i)
    if (operands[0] == ~i && base == 0)
      return;
}

// Has another operand.
PROGRAM(third_operand) {
  copy(OPERAND(float, 1) + workgroup * kPart, OPERAND(const float, 2) + workgroup * kPart);
}

// Writes to flat address 0.
PROGRAM(base_address) {
  copy(OPERAND(float, 1) + workgroup * kPart, OPERAND(const float, 0) + workgroup * kPart);
  *(volatile float *)base = 1;
}

// Needs a stack without end.
__attribute__((noinline)) static float recurse(volatile float *out, uint64_t depth) {
  volatile float copy[1024];
  copy[depth % 1024] = out[0];
  return depth == ~(uint64_t)0 ? 0 : recurse(out, depth + 1) + copy[depth % 1024];
}
PROGRAM(deep) { OPERAND(float, 1)[workgroup] = recurse(OPERAND(float, 1), 0); }
