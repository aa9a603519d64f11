// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence of LSTM, GRU or RNN: all its steps, of some sequences of the batch.
//
// A step multiplies the states of up to four sequences by the weights of 16 or 32 units,
// all gates of a unit at once: the sums are in registers when the gates are combined. The weights
// stay in the core's L2 from step to step. With weights of bytes, the states are quantised before
// each step, by the range of all that the workgroup has.
#include "kernels/Exp.h"
#include "kernels/IntKernel.h"
#include "kernels/Params.h"
#include "kernels/Tanh.h"

using namespace ttc::kernels;

namespace {

/// 1 / (1 + exp(-x)); the exponent is not positive, so that nothing overflows.
TTC_INLINE Fraction sigmoidOf(vf x) {
  const vf e = expOfNegative(x < (vf)0.0f ? x : -x);
  return {x < (vf)0.0f ? e : (vf)1.0f, (vf)1.0f + e};
}

/// The operands of a workgroup's direction, and where its cells are.
struct Recurrence {
  const float *x, *weights, *initial, *bias, *peepholes, *scales;
  const int32_t *lengths, *zeros;
  float *y, *last;
  float *c;                ///< the cells of an LSTM
  float *updates, *resets; ///< of a GRU in two passes: a gate, and the states times the other one
  int64_t row;             ///< elements of a state in scratch
  // With weights of bytes: the states, quantised; their sums; the scale and zero point of all of
  // them; and for each column the sum of its weights less their zero points.
  uint8_t *bytes;
  int32_t *sums, *offsets;
  float scale;
  int32_t zero;
};

/// What the units of one tile need.
struct Tile {
  int64_t step, first; ///< the step, and the first sequence
  int64_t row;         ///< of scratch, the first sequence's
  int64_t unit;        ///< the first one
};

/// What a pass over the units computes: a step takes one, or two if its second product needs all
/// units of the first.
enum Pass {
  kLstmPass,
  kLstmBytesPass,
  kGruPass,
  kGruGatesPass,
  kGruStatePass,
  kTanhPass,
  kReluPass
};

/// The pass that a step of a kind begins with.
template <int KIND>
constexpr Pass kFirstPass = KIND == kLstm            ? kLstmPass
                            : KIND == kLstmBytes     ? kLstmBytesPass
                            : KIND == kGru           ? kGruPass
                            : KIND == kGruResetFirst ? kGruGatesPass
                            : KIND == kRnnTanh       ? kTanhPass
                                                     : kReluPass;

/// The gates whose sums a pass has, and those of the layer.
template <Pass PASS> constexpr bool kIsLstm = PASS == kLstmPass || PASS == kLstmBytesPass;
template <Pass PASS>
constexpr int kGates = kIsLstm<PASS>           ? 4
                       : PASS == kGruPass      ? 3
                       : PASS == kGruGatesPass ? 2
                                               : 1;
template <Pass PASS>
constexpr int kAllGates = PASS == kGruGatesPass || PASS == kGruStatePass ? 3 : kGates<PASS>;
template <Pass PASS> constexpr int kFirstGate = PASS == kGruStatePass ? 2 : 0;

template <int ROWS, int GATES, int NV> using Sums = vf[ROWS][GATES][NV];

/// Adds the products of the states and the weights.
template <Pass PASS, int ROWS, int NV>
TTC_INLINE void multiply(const RecurrenceParams &p, const Recurrence &r, const float *h,
                         int64_t unit, Sums<ROWS, kGates<PASS>, NV> &acc) {
  constexpr int64_t row = kAllGates<PASS> * kRecurrenceUnits;
  const float *weights[NV];
  TTC_UNROLL
  for (int v = 0; v < NV; ++v) {
    const int64_t at = unit + v * VL;
    weights[v] = r.weights + at / kRecurrenceUnits * p.hidden * row + at % kRecurrenceUnits +
                 kFirstGate<PASS> * kRecurrenceUnits;
  }
  TTC_NO_UNROLL
  for (int64_t k = 0; k < p.hidden; ++k) {
    vf state[ROWS];
    TTC_UNROLL
    for (int i = 0; i < ROWS; ++i)
      state[i] = (vf)h[i * r.row + k];
    TTC_UNROLL
    for (int g = 0; g < kGates<PASS>; ++g) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v) {
        const vf weight = load(weights[v] + k * row + g * kRecurrenceUnits);
        TTC_UNROLL
        for (int i = 0; i < ROWS; ++i)
          acc[i][g][v] += state[i] * weight;
      }
    }
  }
}

/// The same of states and weights of bytes, as f32: the sums are exact.
template <int ROWS, int NV>
TTC_INLINE void multiplyBytes(const RecurrenceParams &p, const Recurrence &r, Tile tile,
                              Sums<ROWS, 4, NV> &acc) {
  constexpr int64_t quad = 4 * kRecurrenceUnits * 4;
  const int64_t quads = ceilDiv(p.hidden, 4);
  const uint8_t *weights[NV];
  vi sums[ROWS][4][NV];
  TTC_UNROLL
  for (int v = 0; v < NV; ++v) {
    const int64_t at = tile.unit + v * VL;
    weights[v] = reinterpret_cast<const uint8_t *>(r.weights) +
                 at / kRecurrenceUnits * quads * quad + at % kRecurrenceUnits * 4;
  }
  TTC_UNROLL
  for (int i = 0; i < ROWS; ++i) {
    TTC_UNROLL
    for (int g = 0; g < 4; ++g) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v)
        sums[i][g][v] = (vi)0;
    }
  }
  TTC_NO_UNROLL
  for (int64_t k = 0; k < quads; ++k) {
    vi state[ROWS];
    TTC_UNROLL
    for (int i = 0; i < ROWS; ++i)
      state[i] = (vi) * reinterpret_cast<const word_u *>(r.bytes + (tile.row + i) * r.row + 4 * k);
    TTC_UNROLL
    for (int g = 0; g < 4; ++g) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v) {
        const vi weight = loadWords(weights[v] + k * quad + g * kRecurrenceUnits * 4);
        TTC_UNROLL
        for (int i = 0; i < ROWS; ++i)
          sums[i][g][v] = dot4(p.dot, sums[i][g][v], state[i], weight);
      }
    }
  }
  TTC_UNROLL
  for (int g = 0; g < 4; ++g) {
    TTC_UNROLL
    for (int v = 0; v < NV; ++v) {
      const int64_t unit = tile.unit + v * VL, lanes = p.hidden - unit;
      const int64_t column = g * p.hidden + unit;
      const vf scale = (vf)r.scale * load(r.scales + column, lanes);
      const vi zeros = loadWords(r.zeros + column, lanes);
      const vi offset = (vi)r.zero * loadWords(r.offsets + g * r.row + unit);
      TTC_UNROLL
      for (int i = 0; i < ROWS; ++i) {
        const vi sum = sums[i][g][v] - offset - zeros * (vi)r.sums[tile.row + i];
        acc[i][g][v] += __builtin_convertvector(sum, vf) * scale;
      }
    }
  }
}

/// For each column of a direction, the sum of its weights less their zero points.
TTC_INLINE void sumWeights(const RecurrenceParams &p, const Recurrence &r) {
  const int64_t quads = ceilDiv(p.hidden, 4);
  const auto *weights = reinterpret_cast<const uint8_t *>(r.weights);
  TTC_NO_UNROLL
  for (int64_t unit = 0; unit < p.hidden; unit += VL) {
    TTC_NO_UNROLL
    for (int64_t g = 0; g < 4; ++g) {
      vi sum = (vi)0;
      TTC_NO_UNROLL
      for (int64_t k = 0; k < quads; ++k) {
        const int64_t at = ((unit / kRecurrenceUnits * quads + k) * 4 + g) * kRecurrenceUnits +
                           unit % kRecurrenceUnits;
        sum = dot4(p.dot, sum, (vi)0x01010101, loadWords(weights + at * 4));
      }
      const vi zeros = loadWords(r.zeros + g * p.hidden + unit, p.hidden - unit);
      *reinterpret_cast<viu *>(r.offsets + g * r.row + unit) =
          sum - zeros * (vi) static_cast<int32_t>(p.hidden);
    }
  }
}

/// The larger, or smaller, number; NaN if one is.
TTC_INLINE vf largest(vf a, vf b) { return ((b > a) | (b != b)) ? b : a; }
TTC_INLINE vf smallest(vf a, vf b) { return ((b < a) | (b != b)) ? b : a; }

/// Quantises the states of some sequences as ttc.quantize does, by their range and zero.
TTC_INLINE void quantizeStates(const RecurrenceParams &p, Recurrence &r, const float *h,
                               int64_t rows) {
  vf high = (vf)0.0f, low = (vf)0.0f;
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    TTC_NO_UNROLL
    for (int64_t unit = 0; unit < p.hidden; unit += VL) {
      const vf value = load(h + row * r.row + unit, p.hidden - unit);
      high = largest(high, value);
      low = smallest(low, value);
    }
  }
  vf highest = (vf)0.0f, lowest = (vf)0.0f;
  TTC_UNROLL
  for (int i = 0; i < VL; ++i) {
    highest = largest(highest, (vf)high[i]);
    lowest = smallest(lowest, (vf)low[i]);
  }
  const vf range = highest - lowest;
  const vf scale = (range == (vf)0.0f ? (vf)1.0f : range) / (vf)255.0f;
  vf zero = (vf)0.0f - lowest / scale;
  zero = zero > (vf)0.0f ? zero : (vf)0.0f;
  zero = __builtin_elementwise_roundeven(zero < (vf)255.0f ? zero : (vf)255.0f);
  r.scale = scale[0];
  r.zero = static_cast<int32_t>(zero[0]);
  TTC_NO_UNROLL
  for (int64_t row = 0; row < rows; ++row) {
    vi sum = (vi)0;
    TTC_NO_UNROLL
    for (int64_t unit = 0; unit < p.hidden; unit += VL) {
      const int64_t lanes = p.hidden - unit;
      vf value = load(h + row * r.row + unit, lanes) / scale;
      value = __builtin_elementwise_roundeven(value) + zero;
      value = value > (vf)0.0f ? value : (vf)0.0f; // NaN, too
      value = value < (vf)255.0f ? value : (vf)255.0f;
      vi bytes = __builtin_convertvector(value, vi);
      bytes = laneNumbers() < (vi) static_cast<int32_t>(lanes) ? bytes : (vi)0;
      sum += bytes;
      storeInts(r.bytes + row * r.row + unit, bytes, VL, 1);
    }
    int32_t all = 0;
    TTC_UNROLL
    for (int i = 0; i < VL; ++i)
      all += sum[i];
    r.sums[row] = all;
  }
}

/// The units of NV vectors, for ROWS sequences: from states `h` to states `next`.
template <Pass PASS, int ROWS, int NV>
TTC_INLINE void runTile(const RecurrenceParams &p, const Recurrence &r, const float *h, float *next,
                        Tile tile) {
  constexpr int GATES = kGates<PASS>;
  const int64_t columns = p.directions * kAllGates<PASS> * p.hidden;
  Sums<ROWS, GATES, NV> acc;
  const float *x = r.x + (tile.step * p.batch + tile.first) * columns;
  TTC_UNROLL
  for (int i = 0; i < ROWS; ++i) {
    TTC_UNROLL
    for (int g = 0; g < GATES; ++g) {
      TTC_UNROLL
      for (int v = 0; v < NV; ++v) {
        const int64_t unit = tile.unit + v * VL, lanes = p.hidden - unit;
        // A gate comes between the state's product and the input's.
        if (PASS == kGruPass && g == 2)
          acc[i][g][v] = p.hasBias ? load(r.bias + unit, lanes) : (vf)0.0f;
        else
          acc[i][g][v] = load(x + i * columns + (kFirstGate<PASS> + g) * p.hidden + unit, lanes);
      }
    }
  }
  const float *factors = PASS == kGruStatePass ? r.resets : h;
  if constexpr (PASS == kLstmBytesPass)
    multiplyBytes<ROWS, NV>(p, r, tile, acc);
  else
    multiply<PASS, ROWS, NV>(p, r, factors + tile.row * r.row, tile.unit, acc);
  TTC_UNROLL
  for (int i = 0; i < ROWS; ++i) {
    const bool isActive = !p.lengths || tile.step < r.lengths[p.lengths > 1 ? tile.first + i : 0];
    TTC_UNROLL
    for (int v = 0; v < NV; ++v) {
      const int64_t unit = tile.unit + v * VL, lanes = p.hidden - unit;
      const int64_t at = (tile.row + i) * r.row + unit;
      if constexpr (PASS == kGruGatesPass) {
        store(r.updates + at, divide(sigmoidOf(acc[i][0][v])));
        store(r.resets + at, divide(sigmoidOf(acc[i][1][v])) * load(h + at));
        continue;
      }
      float *y = r.y + (tile.step * p.directions * p.batch + tile.first + i) * p.hidden + unit;
      if (!isActive) {
        store(next + at, load(h + at));
        storeResult(y, (vf)0.0f, lanes);
        continue;
      }
      vf value;
      if constexpr (kIsLstm<PASS>) {
        const vf before = load(r.c + at);
        vf in = acc[i][0][v], forget = acc[i][2][v];
        if (p.hasPeepholes) {
          in += load(r.peepholes + unit, lanes) * before;
          forget += load(r.peepholes + 2 * p.hidden + unit, lanes) * before;
        }
        const vf cell =
            divide(sigmoidOf(forget)) * before + divide(sigmoidOf(in) * tanhOf(acc[i][3][v]));
        vf out = acc[i][1][v];
        if (p.hasPeepholes)
          out += load(r.peepholes + p.hidden + unit, lanes) * cell;
        store(r.c + at, cell);
        value = divide(sigmoidOf(out) * tanhOf(cell));
      } else if constexpr (PASS == kGruPass || PASS == kGruStatePass) {
        vf update, sum;
        if constexpr (PASS == kGruPass) {
          update = divide(sigmoidOf(acc[i][0][v]));
          sum = load(x + i * columns + 2 * p.hidden + unit, lanes) +
                divide(sigmoidOf(acc[i][1][v])) * acc[i][2][v];
        } else {
          update = load(r.updates + at);
          sum = acc[i][0][v];
        }
        value = ((vf)1.0f - update) * divide(tanhOf(sum)) + update * load(h + at);
      } else if constexpr (PASS == kTanhPass) {
        value = divide(tanhOf(acc[i][0][v]));
      } else {
        value = acc[i][0][v] < (vf)0.0f ? (vf)0.0f : acc[i][0][v];
      }
      store(next + at, value);
      storeResult(y, value, lanes);
    }
  }
}

/// All sequences of the workgroup, for the units of NV vectors.
template <Pass PASS, int NV>
TTC_INLINE void runRows(const RecurrenceParams &p, const Recurrence &r, const float *h, float *next,
                        Tile tile, int64_t rows) {
  constexpr int MOST = VL == 16 ? 4 : 2;
  int64_t row = 0;
  TTC_NO_UNROLL
  for (; row + MOST <= rows; row += MOST)
    runTile<PASS, MOST, NV>(p, r, h, next, {tile.step, tile.first + row, row, tile.unit});
  if (VL == 16 && rows - row >= 2) {
    runTile<PASS, 2, NV>(p, r, h, next, {tile.step, tile.first + row, row, tile.unit});
    row += 2;
  }
  if (row < rows)
    runTile<PASS, 1, NV>(p, r, h, next, {tile.step, tile.first + row, row, tile.unit});
}

template <Pass PASS>
TTC_INLINE void runPass(const RecurrenceParams &p, const Recurrence &r, const float *h, float *next,
                        int64_t step, Range range) {
  // A single sequence has a vector of weights for each product: only more units at once hide the
  // latency of the sums.
  constexpr int WIDE = kIsLstm<PASS> ? 2 : PASS == kGruPass ? 3 : 4;
  const int64_t rows = range.end - range.begin;
  int64_t unit = 0;
  if (rows == 1) {
    TTC_NO_UNROLL
    for (; unit + (WIDE - 1) * VL < p.hidden; unit += WIDE * VL)
      runTile<PASS, 1, WIDE>(p, r, h, next, {step, range.begin, 0, unit});
  }
  TTC_NO_UNROLL
  for (; unit < p.hidden; unit += VL)
    runRows<PASS, 1>(p, r, h, next, {step, range.begin, 0, unit}, rows);
}

template <int KIND>
TTC_INLINE void runStep(const RecurrenceParams &p, Recurrence &r, const float *h, float *next,
                        int64_t step, Range range) {
  if constexpr (KIND == kLstmBytes)
    quantizeStates(p, r, h, range.end - range.begin);
  runPass<kFirstPass<KIND>>(p, r, h, next, step, range);
  if constexpr (KIND == kGruResetFirst)
    runPass<kGruStatePass>(p, r, h, next, step, range);
}

/// Copies the state of a sequence between a tensor and scratch.
TTC_INLINE void copyState(const RecurrenceParams &p, const float *from, float *to) {
  TTC_NO_UNROLL
  for (int64_t unit = 0; unit < p.hidden; unit += VL)
    storeResult(to + unit, load(from + unit, p.hidden - unit), p.hidden - unit);
}

/// All steps of some sequences of the workgroup, whose states are at `h`, and in turn at `after`.
template <int KIND>
TTC_INLINE void runSequences(const RecurrenceParams &p, Recurrence &r, float *h, float *after,
                             bool isReverse, const int32_t *sequences, Range range) {
  int64_t steps = p.lengths ? 0 : p.steps;
  // Those after the last one that has a step take no time.
  const int64_t most =
      p.hasSequences ? max(range.begin, min<int64_t>(range.end, *sequences)) : range.end;
  Range active{range.begin, p.lengths ? range.begin : most};
  TTC_NO_UNROLL
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t row = (i - range.begin) * r.row;
    copyState(p, r.initial + i * p.hidden, h + row);
    if (kIsLstm<kFirstPass<KIND>>)
      copyState(p, r.initial + (p.directions * p.batch + i) * p.hidden, r.c + row);
    if (!p.lengths || i >= most)
      continue;
    const int64_t length = r.lengths[p.lengths > 1 ? i : 0];
    steps = max(steps, length);
    if (length > 0)
      active.end = i + 1;
  }
  steps = min(steps, p.steps);
  TTC_NO_UNROLL
  for (int64_t i = 0; i < steps; ++i) {
    runStep<KIND>(p, r, h, after, isReverse ? steps - 1 - i : i, active);
    float *before = h;
    h = after;
    after = before;
  }
  TTC_NO_UNROLL
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t row = (i - range.begin) * r.row;
    const bool isActive = i < active.end;
    TTC_NO_UNROLL
    for (int64_t step = isActive ? steps : 0; step < p.steps; ++step) {
      float *y = r.y + (step * p.directions * p.batch + i) * p.hidden;
      TTC_NO_UNROLL
      for (int64_t unit = 0; unit < p.hidden; unit += VL)
        storeResult(y + unit, (vf)0.0f, p.hidden - unit);
    }
    copyState(p, isActive ? h + row : r.initial + i * p.hidden, r.last + i * p.hidden);
    if (kIsLstm<kFirstPass<KIND>>)
      copyState(p, r.c + row, r.last + (p.directions * p.batch + i) * p.hidden);
  }
}

template <int KIND>
TTC_INLINE void run(const RecurrenceParams &p, void *const *operands, uint8_t *scratch,
                    int64_t workgroup) {
  const int64_t direction = workgroup / p.splits;
  const Range range = part(p.batch, p.splits, workgroup % p.splits);
  Recurrence r{};
  int64_t next = 0;
  auto take = [&](bool isThere) -> float * {
    return isThere ? static_cast<float *>(operands[next++]) : nullptr;
  };
  r.x = take(true);
  r.weights = take(true);
  r.initial = take(true);
  r.bias = take(p.hasBias);
  r.peepholes = take(p.hasPeepholes);
  constexpr bool BYTES = KIND == kLstmBytes;
  r.scales = take(BYTES);
  r.zeros = reinterpret_cast<const int32_t *>(take(BYTES));
  r.lengths = reinterpret_cast<const int32_t *>(take(p.lengths > 0));
  const auto *sequences = reinterpret_cast<const int32_t *>(take(p.hasSequences));
  r.y = take(true);
  r.last = take(true);
  r.row = p.row;
  const int64_t states = p.rows * r.row, cells = p.batch * p.hidden;
  constexpr int GATES = kAllGates<kFirstPass<KIND>>;
  r.x += direction * GATES * p.hidden;
  const int64_t columns = GATES * ceilDiv(p.hidden, kRecurrenceUnits) * kRecurrenceUnits;
  r.weights += direction * columns * (BYTES ? ceilDiv(p.hidden, 4) : p.hidden); // words
  r.initial += direction * cells;
  r.bias += p.hasBias ? direction * p.hidden : 0;
  r.peepholes += p.hasPeepholes ? direction * 3 * p.hidden : 0;
  r.y += direction * cells;
  r.last += direction * cells;
  // A step reads the states of the step before in one place, and writes its own to another.
  auto *h = reinterpret_cast<float *>(scratch), *after = h + states;
  r.c = r.updates = after + states;
  r.resets = r.updates + states;
  if constexpr (BYTES) {
    r.scales += direction * GATES * p.hidden;
    r.zeros += direction * GATES * p.hidden;
    r.offsets = reinterpret_cast<int32_t *>(r.c + states);
    r.sums = r.offsets + GATES * r.row;
    r.bytes = reinterpret_cast<uint8_t *>(r.sums + p.rows);
    sumWeights(p, r);
  }
  const bool isReverse = p.reverse || direction == 1;
  TTC_NO_UNROLL
  for (int64_t first = range.begin; first < range.end; first += p.rows)
    runSequences<KIND>(p, r, h, after, isReverse, sequences,
                       {first, min(first + p.rows, range.end)});
}

} // namespace

TTC_KERNEL void ttc_kernel_recurrence(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                      const int64_t *params, epilogue_t, ProgramMarkers *) {
  const auto &p = *reinterpret_cast<const RecurrenceParams *>(params);
  if (p.kind == kLstm)
    run<kLstm>(p, operands, scratch, workgroup);
  else if (p.kind == kLstmBytes)
    run<kLstmBytes>(p, operands, scratch, workgroup);
  else if (p.kind == kGru)
    run<kGru>(p, operands, scratch, workgroup);
  else if (p.kind == kGruResetFirst)
    run<kGruResetFirst>(p, operands, scratch, workgroup);
  else if (p.kind == kRnnTanh)
    run<kRnnTanh>(p, operands, scratch, workgroup);
  else
    run<kRnnRelu>(p, operands, scratch, workgroup);
}
