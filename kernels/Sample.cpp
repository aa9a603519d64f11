// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_sample: chooses the next token of each sequence, as ttrt/sampling.h says, in one
// workgroup each.
//
// A first pass takes the largest logit of each chunk of kChunk tokens, so that later ones skip most
// of them. Greedy choice looks into one chunk. Otherwise, the tokens that top-k or top-p can leave
// are gathered as candidates: those that reach the k-th largest maximum of a chunk, or those above
// a bound that are probable enough together. If they are too many for scratch, the passes are over
// all tokens. A radix search then finds the logit at which to cut.
#include "kernels/Exp.h"
#include "ttrt/sampling.h"

using namespace ttc::kernels;

namespace {

typedef uint32_t vu __attribute__((ext_vector_type(VL)));

constexpr int64_t kChunk = kSampleChunk;
constexpr float kInfinity = __builtin_inff();

/// How logits are read: with penalties, and as the exponents of weights.
struct Logits {
  const float *values;
  int64_t count;
  /// A bit for each token that is penalised; null without a penalty.
  const uint32_t *penalised;
  float penalty;
  /// The largest logit, and 1 / temperature.
  float most, scale;
};

/// Whether the bits are those of a number above 0. (Kernels are compiled for numbers that need not
/// be finite.)
TTC_INLINE bool isPositive(float x) { return x > 0.0f && x < kInfinity; }

/// The logits from `at` on, a multiple of VL; what is not a number, or beyond the last one, is
/// -infinity.
TTC_INLINE vf loadLogits(const Logits &l, int64_t at) {
  vf x;
  if (at + VL <= l.count) {
    x = load(l.values + at);
  } else {
    TTC_UNROLL
    for (int i = 0; i < VL; ++i)
      x[i] = at + i < l.count ? l.values[at + i] : -kInfinity;
  }
  if (l.penalised) {
    const uint32_t word = l.penalised[at / 32] >> (at % 32);
    const vi bits = ((vi) static_cast<int32_t>(word) >> laneNumbers()) & 1;
    const vf penalised = x > (vf)0.0f ? x / (vf)l.penalty : x * (vf)l.penalty;
    x = bits != 0 ? penalised : x;
  }
  return x == x ? x : (vf)-kInfinity;
}

/// The weights of logits: exp of the distance to the largest one.
TTC_INLINE vf weigh(const Logits &l, vf x) { return expOfNegative((x - l.most) * l.scale); }

/// Numbers in the order of the logits.
TTC_INLINE vu toKeys(vf x) {
  // -0 is 0.
  const vi bits = __builtin_bit_cast(vi, x + (vf)0.0f);
  return __builtin_bit_cast(vu, bits ^ ((bits >> 31) | (vi)INT32_MIN));
}
TTC_INLINE uint32_t toKey(float x) { return toKeys((vf)x)[0]; }

/// The largest logit of each chunk, and of all; -infinity if there is none.
TTC_INLINE float findMaxima(const Logits &l, float *maxima) {
  float most = -kInfinity;
  TTC_NO_UNROLL
  for (int64_t chunk = 0; chunk * kChunk < l.count; ++chunk) {
    constexpr int kChains = 4;
    vf largest[kChains];
    TTC_UNROLL
    for (int i = 0; i < kChains; ++i)
      largest[i] = (vf)-kInfinity;
    const int64_t end = min(kChunk, l.count - chunk * kChunk);
    TTC_NO_UNROLL
    for (int64_t at = 0; at < end; at += kChains * VL) {
      TTC_UNROLL
      for (int i = 0; i < kChains; ++i)
        if (at + i * VL < end)
          largest[i] = largerOf(largest[i], loadLogits(l, chunk * kChunk + at + i * VL));
    }
    maxima[chunk] =
        maxOfLanes(largerOf(largerOf(largest[0], largest[1]), largerOf(largest[2], largest[3])))[0];
    most = max(most, maxima[chunk]);
  }
  return most;
}

/// The first token of the largest logit; 0 if there is none.
TTC_INLINE int64_t findFirst(const Logits &l, const float *maxima) {
  TTC_NO_UNROLL
  for (int64_t chunk = 0; chunk * kChunk < l.count; ++chunk) {
    if (maxima[chunk] != l.most)
      continue;
    TTC_NO_UNROLL
    for (int64_t at = chunk * kChunk; at < l.count; at += VL) {
      const vf x = loadLogits(l, at);
      TTC_NO_UNROLL
      for (int64_t i = 0; i < min<int64_t>(VL, l.count - at); ++i)
        if (x[i] == l.most)
          return at + i;
    }
  }
  return 0;
}

/// Tokens in the order of their numbers, with the keys of their logits and with their weights:
/// those in scratch, or all.
struct Candidates {
  uint32_t *keys;
  float *weights;
  int32_t *tokens;
  int64_t count;
  bool isAll;
};

/// Calls run(key, weight, token) for each candidate until it returns false.
template <typename Run>
TTC_INLINE void forEach(const Logits &l, const Candidates &candidates, Run run) {
  if (!candidates.isAll) {
    TTC_NO_UNROLL
    for (int64_t i = 0; i < candidates.count; ++i)
      if (!run(candidates.keys[i], candidates.weights[i], candidates.tokens[i]))
        return;
    return;
  }
  TTC_NO_UNROLL
  for (int64_t at = 0; at < l.count; at += VL) {
    const vf x = loadLogits(l, at);
    const vu keys = toKeys(x);
    const vf weights = weigh(l, x);
    TTC_NO_UNROLL
    for (int64_t i = 0; i < min<int64_t>(VL, l.count - at); ++i)
      if (!run(keys[i], weights[i], static_cast<int32_t>(at + i)))
        return;
  }
}

/// Those that remain: of a larger key, and the first `ties` of this key.
struct Cut {
  uint32_t key;
  int64_t ties;
};

/// `ties` is how many with this key are still to be taken.
TTC_INLINE bool isLeft(const Cut &cut, uint32_t key, int64_t &ties) {
  return key > cut.key || (key == cut.key && ties-- > 0);
}

/// Calls run(weight, token) for each that remains, until it returns false.
template <typename Run>
TTC_INLINE void forEachLeft(const Logits &l, const Candidates &candidates, const Cut &cut,
                            Run run) {
  int64_t ties = cut.ties;
  forEach(l, candidates,
          [&](uint32_t key, float weight, int32_t token) __attribute__((always_inline)) {
            return isLeft(cut, key, ties) ? run(weight, token) : true;
          });
}

/// Leaves the largest of what `cut` has left: as few as make `wanted` together, of which each
/// counts getAmount(weight), by digits of the keys.
template <typename Amount>
TTC_INLINE Cut search(const Logits &l, const Candidates &candidates, const Cut &cut, double wanted,
                      double *histogram, Amount getAmount) {
  constexpr int kBits = 8, kBins = 1 << kBits;
  uint32_t prefix = 0;
  double above = 0;
  TTC_NO_UNROLL
  for (int shift = 32 - kBits; shift >= 0; shift -= kBits) {
    TTC_NO_UNROLL
    for (int bin = 0; bin < kBins; ++bin)
      histogram[bin] = 0;
    int64_t ties = cut.ties;
    forEach(l, candidates, [&](uint32_t key, float weight, int32_t) __attribute__((always_inline)) {
      // Counts keys with the digits found so far (of 64 bits: there may be none).
      if (isLeft(cut, key, ties) && static_cast<uint64_t>(key) >> (shift + kBits) == prefix)
        histogram[key >> shift & (kBins - 1)] += getAmount(weight);
      return true;
    });
    // Sums are rounded: there is always a bin that is not empty.
    int bin = kBins - 1, least = 0;
    TTC_NO_UNROLL
    while (least < kBins - 1 && histogram[least] == 0)
      ++least;
    TTC_NO_UNROLL
    for (; bin > least && above + histogram[bin] < wanted; --bin)
      above += histogram[bin];
    prefix = prefix << kBits | static_cast<uint32_t>(bin);
  }
  // Take as many of the equal keys as are wanted.
  Cut found{prefix, 0};
  int64_t ties = cut.ties;
  forEach(l, candidates, [&](uint32_t key, float weight, int32_t) __attribute__((always_inline)) {
    if (isLeft(cut, key, ties) && key == prefix && (found.ties == 0 || above < wanted)) {
      above += getAmount(weight);
      ++found.ties;
    }
    return true;
  });
  return found;
}

/// A logit that at least `wanted` logits reach, from the maxima of chunks.
TTC_INLINE float boundLargest(const float *maxima, int64_t chunks, int64_t wanted) {
  if (wanted > chunks)
    return -kInfinity;
  uint32_t bound = 0;
  TTC_NO_UNROLL
  for (int bit = 31; bit >= 0; --bit) {
    const uint32_t higher = bound | UINT32_C(1) << bit;
    int64_t count = 0;
    TTC_NO_UNROLL
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      count += toKey(maxima[chunk]) >= higher;
    if (count >= wanted)
      bound = higher;
  }
  const uint32_t bits = bound & 0x80000000u ? bound ^ 0x80000000u : ~bound;
  return __builtin_bit_cast(float, bits);
}

/// The tokens of logits of at least `bound`, if scratch holds them.
TTC_INLINE void gather(const Logits &l, const float *maxima, float bound, int64_t most,
                       Candidates &candidates) {
  candidates.count = 0;
  candidates.isAll = false;
  TTC_NO_UNROLL
  for (int64_t chunk = 0; chunk * kChunk < l.count; ++chunk) {
    if (!(maxima[chunk] >= bound))
      continue;
    const int64_t end = min((chunk + 1) * kChunk, l.count);
    TTC_NO_UNROLL
    for (int64_t at = chunk * kChunk; at < end; at += VL) {
      const vf x = loadLogits(l, at);
      if (!(maxOfLanes(x)[0] >= bound))
        continue;
      const vu keys = toKeys(x);
      const vf weights = weigh(l, x);
      TTC_NO_UNROLL
      for (int64_t i = 0; i < min<int64_t>(VL, end - at); ++i) {
        if (!(x[i] >= bound))
          continue;
        if (candidates.count == most) {
          candidates.isAll = true;
          return;
        }
        candidates.keys[candidates.count] = keys[i];
        candidates.weights[candidates.count] = weights[i];
        candidates.tokens[candidates.count++] = static_cast<int32_t>(at + i);
      }
    }
  }
}

/// Weights that sums are formed above: 1/4, 1/16, ...
constexpr int kBounds = 8;
constexpr float kBoundStep = 0.25f;

/// The sum of all weights, and of those above each bound, if they are wanted. The sums of chunks
/// are stored, if there is a place for them.
template <bool BOUNDS> TTC_INLINE double sumWeights(const Logits &l, float *chunks, double *above) {
  double sum = 0;
  TTC_NO_UNROLL
  for (int64_t chunk = 0; chunk * kChunk < l.count; ++chunk) {
    const int64_t end = min((chunk + 1) * kChunk, l.count);
    vf total = (vf)0.0f, totals[kBounds];
    TTC_UNROLL
    for (int i = 0; i < kBounds; ++i)
      totals[i] = (vf)0.0f;
    TTC_NO_UNROLL
    for (int64_t at = chunk * kChunk; at < end; at += VL) {
      const vf weights = weigh(l, loadLogits(l, at));
      total += weights;
      if constexpr (BOUNDS) {
        float bound = kBoundStep;
        TTC_UNROLL
        for (int i = 0; i < kBounds; ++i, bound *= kBoundStep)
          totals[i] += weights >= (vf)bound ? weights : (vf)0.0f;
      }
    }
    const float part = sumOfLanes(total)[0];
    if (chunks)
      chunks[chunk] = part;
    sum += part;
    if constexpr (BOUNDS) {
      TTC_UNROLL
      for (int i = 0; i < kBounds; ++i)
        above[i] += sumOfLanes(totals[i])[0];
    }
  }
  return sum;
}

/// A logit that those which top-p leaves reach, and the sum of all weights.
TTC_INLINE float boundProbable(const Logits &l, double topP, double &whole) {
  double above[kBounds] = {};
  whole = sumWeights</*BOUNDS=*/true>(l, nullptr, above);
  constexpr float kLog = 1.3862944f; // -log(kBoundStep)
  for (int i = 0; i < kBounds; ++i)
    // Both sums are rounded.
    if (above[i] >= whole * topP * 1.00001)
      return l.most - static_cast<float>(i + 1) * kLog * 1.00001f / l.scale;
  // Weights below `least` make less than 1 - top_p of the sum together. Its logarithm need not be
  // exact, only not too high: that of a power of two.
  const double least = whole * (1.0 - topP) / static_cast<double>(l.count);
  const auto exponent = static_cast<int32_t>(__builtin_bit_cast(uint64_t, least) >> 52) - 1023;
  return l.most + static_cast<float>(exponent - 1) * 0.6931472f / l.scale;
}

/// Draws among all tokens.
TTC_INLINE int64_t drawFromAll(const Logits &l, float *chunks, double uniform) {
  double rest = uniform * sumWeights</*BOUNDS=*/false>(l, chunks, nullptr);
  int64_t found = 0;
  TTC_NO_UNROLL
  for (int64_t chunk = 0; chunk * kChunk < l.count; ++chunk) {
    const int64_t end = min((chunk + 1) * kChunk, l.count);
    const bool isLast = end == l.count;
    if (!(chunks[chunk] > rest) && !isLast) {
      rest -= chunks[chunk];
      continue;
    }
    // The chunk's partial sums round differently from its total, so the search can run off the end;
    // take the last candidate with non-zero weight.
    TTC_NO_UNROLL
    for (int64_t at = chunk * kChunk; at < end; at += VL) {
      const vf weights = weigh(l, loadLogits(l, at));
      TTC_NO_UNROLL
      for (int64_t i = 0; i < min<int64_t>(VL, end - at); ++i) {
        if (weights[i] > 0.0f)
          found = at + i;
        if (weights[i] > rest)
          return found;
        rest -= weights[i];
      }
    }
    return found;
  }
  return found;
}

TTC_INLINE int64_t draw(const SampleParams &p, const ttrt_sampling &s, Logits &l, float *maxima,
                        uint8_t *scratch) {
  const double uniform = ttrt_sampling_uniform(s.seed, s.counter);
  const bool hasTopK = s.top_k > 0 && s.top_k < static_cast<uint64_t>(l.count);
  const bool hasTopP = s.top_p > 0.0f && s.top_p < 1.0f;
  if (!hasTopK && !hasTopP)
    return drawFromAll(l, maxima, uniform);

  Candidates candidates{};
  candidates.keys = reinterpret_cast<uint32_t *>(scratch + p.candidatesAt);
  candidates.weights = reinterpret_cast<float *>(candidates.keys + p.candidates);
  candidates.tokens = reinterpret_cast<int32_t *>(candidates.weights + p.candidates);
  auto *histogram = reinterpret_cast<double *>(scratch + p.histogramAt);
  float bound;
  double whole = 0;
  if (hasTopK)
    bound = boundLargest(maxima, ceilDiv(l.count, kChunk), s.top_k);
  else
    bound = boundProbable(l, s.top_p, whole);
  gather(l, maxima, bound, p.candidates, candidates);
  Cut cut{0, INT64_MAX};
  if (hasTopK)
    cut = search(l, candidates, cut, s.top_k, histogram,
                 [](float) __attribute__((always_inline)) { return 1.0; });
  auto sumLeft = [&]() __attribute__((always_inline)) {
    double sum = 0;
    forEachLeft(l, candidates, cut, [&](float weight, int32_t) __attribute__((always_inline)) {
      sum += weight;
      return true;
    });
    return sum;
  };
  if (hasTopP)
    cut = search(l, candidates, cut, (hasTopK ? sumLeft() : whole) * s.top_p, histogram,
                 [](float weight) __attribute__((always_inline)) -> double { return weight; });
  double rest = uniform * sumLeft();
  int64_t found = 0;
  forEachLeft(l, candidates, cut, [&](float weight, int32_t token) __attribute__((always_inline)) {
    if (weight > 0.0f)
      found = token;
    const bool isBefore = !(weight > rest);
    rest -= weight;
    return isBefore;
  });
  return found;
}

TTC_INLINE const uint32_t *findPenalised(const SampleParams &p, const ttrt_sampling &s,
                                         const int32_t *history, int64_t position, uint32_t *bits) {
  TTC_NO_UNROLL
  for (int64_t i = 0; i < ceilDiv(p.vocabulary, 32); ++i)
    bits[i] = 0;
  const int64_t window = s.penalty_window == 0 ? p.context : s.penalty_window;
  TTC_NO_UNROLL
  for (int64_t i = max<int64_t>(position + 1 - window, 0); i <= position; ++i)
    if (history[i] >= 0 && history[i] < p.vocabulary)
      bits[history[i] / 32] |= UINT32_C(1) << (history[i] % 32);
  return bits;
}

TTC_INLINE int64_t chooseToken(const SampleParams &p, const ttrt_sampling &s, const float *logits,
                               const int32_t *history, int64_t position, uint8_t *scratch,
                               bool &hasDrawn) {
  Logits l{logits, p.vocabulary, nullptr, s.repetition_penalty, 0, 0};
  auto *maxima = reinterpret_cast<float *>(scratch + p.maximaAt);
  const bool hasPenalty = isPositive(s.repetition_penalty) && s.repetition_penalty != 1.0f;
  if (hasPenalty) {
    l.penalised = findPenalised(p, s, history, position,
                                reinterpret_cast<uint32_t *>(scratch + p.penalisedAt));
    l.most = findMaxima(l, maxima);
  } else {
    l.most = findMaxima(l, maxima);
  }
  // Distances to an infinite logit are not numbers.
  const bool isFinite = l.most > -kInfinity && l.most < kInfinity;
  hasDrawn = isPositive(s.temperature) && isFinite && 1.0f / s.temperature < kInfinity;
  if (!hasDrawn)
    return findFirst(l, maxima);
  l.scale = 1.0f / s.temperature;
  return draw(p, s, l, maxima, scratch);
}

/// A sequence's part of the states, as the step begins and ends.
struct Sequence {
  int32_t *token, *position, *history;
  ttrt_sampling *sampling;
};

TTC_INLINE void copyWords(const void *from, void *to, int64_t count) {
  if (from == to)
    return;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < count; ++i)
    static_cast<uint32_t *>(to)[i] = static_cast<const uint32_t *>(from)[i];
}

/// The sequence's parts of the states in `operands`: token, position, sampling and history.
TTC_INLINE Sequence getSequence(const SampleParams &p, void *const *operands, int64_t sequence) {
  return {static_cast<int32_t *>(operands[0]) + sequence,
          static_cast<int32_t *>(operands[1]) + sequence,
          static_cast<int32_t *>(operands[3]) + sequence * p.context,
          static_cast<ttrt_sampling *>(operands[2]) + sequence};
}

/// Does nothing where the results are the operands.
TTC_INLINE void copySequence(const SampleParams &p, const Sequence &from, const Sequence &to) {
  copyWords(from.token, to.token, 1);
  copyWords(from.position, to.position, 1);
  copyWords(from.sampling, to.sampling, sizeof(ttrt_sampling) / 4);
  copyWords(from.history, to.history, p.context);
}

/// The token that is chosen, or -1 if the sequence is done. The states have been copied.
TTC_INLINE int32_t stepSequence(const SampleParams &p, const Sequence &s, const float *logits,
                                uint8_t *scratch) {
  const int64_t position = *s.position;
  if (position < 0 || position >= p.context)
    s.sampling->done = 1;
  if (s.sampling->done)
    return -1;
  bool hasDrawn = false;
  const auto chosen = static_cast<int32_t>(
      chooseToken(p, *s.sampling, logits, s.history, position, scratch, hasDrawn));
  *s.token = chosen;
  *s.position = static_cast<int32_t>(position + 1);
  if (hasDrawn && ++s.sampling->counter[0] == 0)
    ++s.sampling->counter[1];
  if (position + 1 < p.context)
    s.history[position + 1] = chosen;
  else
    s.sampling->done = 1;
  TTC_NO_UNROLL
  for (uint32_t i = 0; i < min<uint32_t>(s.sampling->stop_count, TTRT_SAMPLING_STOPS); ++i)
    if (s.sampling->stop[i] == chosen)
      s.sampling->done = 1;
  return chosen;
}

/// The first row that chooses for a sequence; `rows` if none does.
TTC_INLINE int64_t findRow(const int32_t *sequences, int64_t rows, int64_t sequence) {
  int64_t row = 0;
  TTC_NO_UNROLL
  while (row < rows && sequences[row] != sequence)
    ++row;
  return row;
}

} // namespace

/// Operands: logits, token, position, sampling, history, the sequences if there are any; emitted,
/// then the new states. One workgroup for each row of the logits.
TTC_KERNEL void ttc_kernel_sample(void *const *operands, uint8_t *scratch, int64_t row,
                                  const int64_t *params, epilogue_t, ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const SampleParams *>(params);
  const auto *logits = static_cast<const float *>(operands[0]) + row * p.vocabulary;
  void *const *before = operands + 1, *const *results = operands + (p.sequences ? 6 : 5);
  auto *emitted = static_cast<int32_t *>(results[0]) + row;
  void *const *after = results + 1;
  int64_t sequence = 0;
  if (p.sequences) {
    // A sequence's states are copied by the workgroup that changes them, and those that no row
    // changes by any one.
    const auto *sequences = static_cast<const int32_t *>(operands[5]);
    TTC_NO_UNROLL
    for (int64_t i = row; i < p.sequences; i += p.rows)
      if (findRow(sequences, p.rows, i) == p.rows)
        copySequence(p, getSequence(p, before, i), getSequence(p, after, i));
    sequence = sequences[row];
    if (sequence < 0 || sequence >= p.sequences || findRow(sequences, row, sequence) < row) {
      *emitted = -1;
      return;
    }
  }
  const Sequence mine = getSequence(p, after, sequence);
  copySequence(p, getSequence(p, before, sequence), mine);
  *emitted = stepSequence(p, mine, logits, scratch);
}
