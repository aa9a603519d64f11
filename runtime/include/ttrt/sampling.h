/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * How the device chooses the next token of a sequence (ttc.sample): the contents of the 64 words of
 * the state `sampling` of a generative bundle. The host writes them before a generation; every step
 * reads them, and advances `counter` and `done`.
 *
 * The choice, in this order:
 *
 * 1. The logit of each token that is among the last `penalty_window` tokens of the history (with 0,
 *    among all) is divided by `repetition_penalty` if it is positive, and multiplied by it
 * otherwise, once however often the token occurs.
 * 2. With a temperature of 0, the token of the largest logit is chosen, the lowest number first.
 *    Nothing is drawn then.
 * 3. Logits are divided by `temperature`.
 * 4. With `top_k`, only that many of the largest logits remain; of equal ones, those of lower
 * numbers.
 * 5. With `top_p` between 0 and 1, only the largest remain whose probabilities together reach
 *    `top_p`; of equal ones, those of lower numbers. Probabilities are a softmax over what step 4
 *    left, and there is always one.
 * 6. A token is drawn with the probabilities of what is left: with the number u in [0, 1) that
 *    ttrt_sampling_uniform() makes of seed and counter, the first token for which the
 *    probabilities up to its own, in the order of the numbers of tokens, exceed u. `counter`
 *    increases by 1.
 *
 * Parameters that make no sense count as absent: a temperature that is not a positive number as 0,
 * a penalty that is not one as 1, a `top_p` that is not between 0 and 1 as 1.
 */
#ifndef TTRT_SAMPLING_H
#define TTRT_SAMPLING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most stop tokens. */
#define TTRT_SAMPLING_STOPS 32

/**
 * A bundle for a mesh has a variant of `decode`, `decode_best`, whose devices exchange the largest
 * logits only. It chooses what `decode` does if `temperature` is 0 or `top_k` is from 1 to this,
 * and there is no repetition penalty.
 */
#define TTRT_SAMPLING_BEST 64

/** All zero, but for `size`, it is a greedy choice that never stops before the context ends. */
typedef struct ttrt_sampling {
  /** sizeof(ttrt_sampling). A later release may give a meaning to words of `reserved`. */
  uint32_t size;
  float temperature;
  /** 0 for all. */
  uint32_t top_k;
  /** 0 or 1 for all. */
  float top_p;
  /** 0 or 1 for none. */
  float repetition_penalty;
  uint32_t penalty_window;
  /** Any numbers, the low word first. */
  uint32_t seed[2];
  /** How many numbers were drawn, the low word first. */
  uint32_t counter[2];
  /** Not 0 once a stop token was chosen, or the context is full: steps change nothing then. */
  uint32_t done;
  uint32_t stop_count;
  int32_t stop[TTRT_SAMPLING_STOPS];
  /** Zero. */
  uint32_t reserved[20];
} ttrt_sampling;

#define TTRT_SAMPLING_INIT {sizeof(ttrt_sampling), 0, 0, 0, 0, 0, {0, 0}, {0, 0}, 0, 0, {0}, {0}}

#ifdef __cplusplus
static_assert(sizeof(ttrt_sampling) == 256, "it fills a tensor of 64 words");
#endif

/**
 * Number `counter` of the sequence of `seed`, in [0, 1): the first 53 bits of a block of
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), whose key is
 * the seed, and whose counter is `counter` followed by two words of 0.
 */
static inline double ttrt_sampling_uniform(const uint32_t seed[2], const uint32_t counter[2]) {
  uint32_t x[4] = {counter[0], counter[1], 0, 0}, key[2] = {seed[0], seed[1]};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = UINT64_C(0xD2511F53) * x[0], b = UINT64_C(0xCD9E8D57) * x[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ key[0], (uint32_t)b,
                              (uint32_t)(a >> 32) ^ x[3] ^ key[1], (uint32_t)a};
    for (int i = 0; i < 4; ++i)
      x[i] = next[i];
    key[0] += UINT32_C(0x9E3779B9);
    key[1] += UINT32_C(0xBB67AE85);
  }
  return (double)(((uint64_t)x[1] << 32 | x[0]) >> 11) * 0x1p-53;
}

#ifdef __cplusplus
}
#endif

#endif /* TTRT_SAMPLING_H */
