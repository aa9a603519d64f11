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

// y = x, 16 workgroups. Workgroup 0 waits until the other ones have counted, a few seconds at most;
// its part of y is zero if they have not.
PROGRAM(test_wait_for_others) {
  (void)scratch;
  const float *x = OPERAND(const float, 0);
  uint64_t *counter = OPERAND(uint64_t, 1);
  float *y = OPERAND(float, 2);
  uint64_t others = 15;
  if (workgroup)
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
  else
    for (uint64_t i = 0; i < 1000000000; ++i)
      if ((others = __atomic_load_n(counter, __ATOMIC_SEQ_CST)) == 15)
        break;
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    y[i] = others == 15 ? x[i] : 0;
}

// *out = *n - 1, more = *out > 0; one workgroup. out may be n.
PROGRAM(test_count_down) {
  (void)scratch;
  (void)workgroup;
  const int64_t left = *OPERAND(const int64_t, 0) - 1;
  *OPERAND(int64_t, 1) = left;
  *OPERAND(uint8_t, 2) = left > 0;
}

// more = *n > 0; one workgroup.
PROGRAM(test_is_positive) {
  (void)scratch;
  (void)workgroup;
  *OPERAND(uint8_t, 1) = *OPERAND(const int64_t, 0) > 0;
}

// Programs with markers. The layouts are those of ttrt/format/program_markers.h, which is C++.

struct Marker {
  uint64_t time;
  uint32_t id;
  uint16_t value;
  uint8_t kind, reserved;
};
struct Markers {
  uint32_t capacity, count, dropped, written, invalid, unused[3];
  struct {
    uint64_t time;
    uint32_t id, count;
  } totals[2];
  struct Marker guaranteed[4], optional[250];
};
enum { kScratchBeforeMarkers = 64, kScratchBytes = 64 + (sizeof(struct Markers) + 63) / 64 * 64 };

static uint64_t readTime(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t time;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(time));
  return time;
#endif
}

static void addMarker(struct Markers *markers, uint64_t time, uint32_t id, uint8_t kind) {
  if (markers->count == markers->capacity) {
    ++markers->dropped;
    return;
  }
  struct Marker *marker = &markers->optional[markers->count++];
  marker->time = time;
  marker->id = id;
  marker->kind = kind;
}

// Follows a script, of which step i is script[4 i ...]: what, id, number, workgroup (or UINT64_MAX:
// all of them). Markers go to scratch only. out[i] = a[i] + 1; 16 workgroups.
PROGRAM(test_script) {
  struct Markers *markers = (struct Markers *)(scratch + kScratchBeforeMarkers);
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 2), more = 1;
  for (const uint64_t *step = OPERAND(const uint64_t, 1); step[0]; step += 4) {
    const uint32_t id = (uint32_t)step[1];
    const uint64_t number = step[2];
    if (step[3] != UINT64_MAX && step[3] != workgroup)
      continue;
    switch (step[0]) {
    case 1: // guaranteed marker `number`; of begins, the first one
      if (number % 2 || !(markers->written >> number & 1)) {
        markers->guaranteed[number].time = readTime();
        markers->guaranteed[number].id = id;
      }
      markers->written |= 1u << number;
      break;
    case 2: // begins and ends of `number` zones
    case 3:
      for (uint64_t i = 0; i < number; ++i)
        addMarker(markers, readTime(), id, step[0] == 2 ? 16 : 17);
      break;
    case 4: // total `number` / 2^32 has (number mod 2^32) more executions of 1000 ticks
      markers->totals[number >> 32].id = id;
      markers->totals[number >> 32].count += (uint32_t)number;
      markers->totals[number >> 32].time += (number & UINT32_MAX) * 1000;
      break;
    case 5: // data
      addMarker(markers, readTime(), id, 19);
      addMarker(markers, number, 0, 21);
      break;
    case 6: // `number` events
      for (uint64_t i = 0; i < number; ++i)
        addMarker(markers, readTime(), id, 20);
      break;
    case 7: // invalid
      markers->invalid = 1;
      break;
    case 8: // a marker of any kind
      addMarker(markers, readTime(), id, (uint8_t)number);
      break;
    case 9: // more than there is room for
      markers->count = (uint32_t)number;
      break;
    case 10: // shows the room that there is
      more = 1.0f + (float)markers->capacity;
      break;
    }
  }
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i] + more;
}

// What programs leave in scratch. out = a; 16 workgroups.
PROGRAM(test_litter) {
  const float *a = OPERAND(const float, 0);
  float *out = OPERAND(float, 1);
  for (volatile uint8_t *byte = scratch; byte < scratch + kScratchBytes; ++byte)
    *byte = 0xff;
  for (uint64_t i = workgroup * kPart; i < (workgroup + 1) * kPart; ++i)
    out[i] = a[i];
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

// A decoder that is no model: the next token is a sum over all tokens up to the position, which
// `keys` holds. Operands: token, position, sampling (the words of ttrt_sampling), history, keys;
// the chosen token, and four "logits". The context has 64 positions.
enum { kContext = 64, kVocabulary = 1000, kDone = 10, kStopCount = 11, kStop = 12 };
static void decode(int32_t *token, int32_t *position, uint32_t *sampling, int32_t *history,
                   int32_t *keys, int32_t *out, float *logits) {
  const int32_t p = *position;
  *out = -1;
  if (sampling[kDone] || p >= kContext)
    return;
  keys[p] = *token;
  uint32_t sum = 0;
  for (int32_t i = 0; i <= p; ++i)
    sum += (uint32_t)keys[i] * (uint32_t)(2 * i + 1);
  if (sampling[1]) // the temperature
    sum += sampling[6] + sampling[8]++;
  const int32_t next = (int32_t)((sum * 2654435761u >> 8) % kVocabulary);
  logits[0] = (float)next;
  logits[1] = (float)p;
  logits[2] = logits[3] = 0;
  *out = *token = next;
  *position = p + 1;
  if (p + 1 < kContext)
    history[p + 1] = next;
  else
    sampling[kDone] = 1;
  for (uint32_t i = 0; i < sampling[kStopCount]; ++i)
    if (sampling[kStop + i] == (uint32_t)next)
      sampling[kDone] = 1;
}

PROGRAM(test_decode) {
  (void)scratch;
  (void)workgroup;
  decode(OPERAND(int32_t, 0), OPERAND(int32_t, 1), OPERAND(uint32_t, 2), OPERAND(int32_t, 3),
         OPERAND(int32_t, 4), OPERAND(int32_t, 5), OPERAND(float, 6));
}

// The same for the first sequences of the last operand, one a row; -1 is none.
static void decodeRows(const uint64_t *operands, uint8_t *base, int32_t rows) {
  const int32_t *active = OPERAND(const int32_t, 7);
  for (int32_t row = 0; row < rows; ++row) {
    const int32_t s = active[row];
    OPERAND(int32_t, 5)[row] = -1;
    if (s >= 0)
      decode(OPERAND(int32_t, 0) + s, OPERAND(int32_t, 1) + s, OPERAND(uint32_t, 2) + 64 * s,
             OPERAND(int32_t, 3) + kContext * s, OPERAND(int32_t, 4) + kContext * s,
             OPERAND(int32_t, 5) + row, OPERAND(float, 6) + 4 * row);
  }
}
#define DECODE_ROWS(name, rows)                                                                    \
  PROGRAM(name) {                                                                                  \
    (void)scratch;                                                                                 \
    (void)workgroup;                                                                               \
    decodeRows(operands, base, rows);                                                              \
  }
DECODE_ROWS(test_decode_1, 1)
DECODE_ROWS(test_decode_2, 2)
DECODE_ROWS(test_decode_4, 4)

// Many tokens of a prompt for it. Operands: tokens, count; position, keys; the new position; the
// sequence, if there are several.
static void prefill(const uint64_t *operands, uint8_t *base, int32_t most, int32_t sequence) {
  const int32_t *tokens = OPERAND(const int32_t, 0), count = OPERAND(const int32_t, 1)[0];
  int32_t *position = OPERAND(int32_t, 2) + sequence;
  int32_t *keys = OPERAND(int32_t, 3) + kContext * sequence;
  for (int32_t i = 0; i < count && i < most; ++i)
    keys[*position + i] = tokens[i];
  *position += count;
  OPERAND(int32_t, 4)[0] = *position;
}
#define PREFILL(name, most, sequence)                                                              \
  PROGRAM(name) {                                                                                  \
    (void)scratch;                                                                                 \
    (void)workgroup;                                                                               \
    prefill(operands, base, most, sequence);                                                       \
  }
PREFILL(test_prefill_4, 4, 0)
PREFILL(test_prefill_16, 16, 0)
PREFILL(test_prefill_4_sequence, 4, OPERAND(const int32_t, 5)[0])
PREFILL(test_prefill_16_sequence, 16, OPERAND(const int32_t, 5)[0])

// A variant of a model (VariantBundle.h): x, mask, w, extents, {batch, sequence} of the tensors; y
// and z.
static inline void computeVariant(const uint64_t *operands, uint8_t *base) {
  const float *x = OPERAND(const float, 0), *w = OPERAND(const float, 2);
  const int8_t *mask = OPERAND(const int8_t, 1);
  const int32_t *extents = OPERAND(const int32_t, 3);
  const int64_t *size = OPERAND(const int64_t, 4);
  float *y = OPERAND(float, 5), *z = OPERAND(float, 6);
  const int64_t half = (size[1] + 1) / 2;
  for (int64_t b = 0; b < size[0]; ++b) {
    float sum = 0;
    for (int64_t i = 0; i < size[1]; ++i)
      for (int64_t k = 0; k < 3; ++k) {
        const float value = x[(b * size[1] + i) * 3 + k];
        if (i < extents[1] && mask[b * size[1] + i])
          sum += w[k] * value;
        if (i % 2 == 0)
          z[(b * half + i / 2) * 3 + k] = value;
      }
    y[b] = sum;
  }
}
#define VARIANT(name)                                                                              \
  PROGRAM(name) {                                                                                  \
    (void)scratch;                                                                                 \
    (void)workgroup;                                                                               \
    computeVariant(operands, base);                                                                \
  }
VARIANT(test_variant_0)
VARIANT(test_variant_1)
VARIANT(test_variant_2)
