// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that carry a state from step to step.
#ifndef TTC_RECURRENTOPS_TD
#define TTC_RECURRENTOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

def Ttc_RecurrenceOp : Ttc_InferredOp<"recurrence", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
    DeclareOpInterfaceMethods<Ttc_KernelOpInterface, ["hasEpilogue"]>,
    Ttc_MapsDimensions, Ttc_FollowsExtents]> {
  let summary = "the steps of an LSTM, a GRU or an RNN";
  let description = [{
    All steps of a recurrent layer in one program, of one direction or two. `x` [steps, batch, directions * gates * hidden] holds the
    products of the inputs and their weights, with all biases that can be added to them. A step adds the product of its state `h` and the
    weights of the state, `R`, and combines the gates of each unit, of which all are f32 (`s` is the sigmoid):

    - `lstm`, gates i, o, f, g: `c' = s(f) * c + s(i) * tanh(g)`, `h' = s(o) * tanh(c')`. With `peepholes` [directions, 3 * hidden], i and f have
      `p_i * c` and `p_f * c` added, and o has `p_o * c'`; the operand holds `p_i`, `p_o` and `p_f`.
    - `gru`, gates z, r, n: `n' = tanh(x_n + s(r) * (h R_n + bias))`, `h' = (1 - s(z)) * n' + s(z) * h`. `bias` is [directions, hidden].
    - `gru_reset_first`, the same gates: `n' = tanh(x_n + (s(r) * h) R_n)`, which takes two products after each other.
    - `rnn_tanh`, `rnn_relu`, one gate: `h' = tanh(x + h R)` or `max(x + h R, 0)`.

    `weights` holds the weights of 16 units after each other: [directions, hidden / 16 rounded up, hidden, gates, 16]. Element [d, b, k, g, j] is the
    weight of element k of the state for gate g of unit 16 b + j, and 0 beyond the last unit.

    An LSTM may have `weights` of i8, with `scales` and `zeros` [directions, gates * hidden] for each of their columns: `R` is
    `(weights - zeros) * scales`. Before each step, the states of a direction's sequences are quantised together, as `ttc.quantize` does to
    ui8: the scale is 1 / 255 of the range of all their elements and 0, or of 1 if that is 0; the zero point is 0 less the lowest one / scale,
    rounded. The sums of products of bytes are exact. Four elements of the state are stored together: `weights` is
    [directions, hidden / 16 rounded up, hidden / 4 rounded up, gates, 16, 4], and 0 beyond the last unit and the last element. `dot`, which
    `--ttc-choose-kernels` sets, says by which instructions the products are summed; all give the same bits.

    `initial` is the state before the first step: [1, directions, batch, hidden] of h, and for an LSTM [2, directions, batch, hidden] of
    h and c. The results are `y` [steps, directions, batch, hidden], the h of each step, and `last`, the state after the last one.

    With `lengths`, sequence b has `lengths[b]` steps, from 0 to `steps`; numbers beyond are clamped. One element counts for all sequences.
    Steps that a sequence does not have leave its state as it is, and their `y` is 0. With `reverse`, a sequence begins with its last step; of
    two directions, the second one does.

    With `sequences`, only that many of the batch count, from the first one on; numbers beyond are clamped. The others have no steps, whatever
    their `lengths` are.

    A workgroup has up to four sequences of a direction, or more of a large batch; with `weights` of i8, all of them. The order of all sums depends on the number of units only.

    Constraints:
    - (C1) `initial` is [2, directions, batch, hidden] for `lstm`, and [1, directions, batch, hidden] for others. There are one or two
      directions, and no dimension is 0.
    - (C2) `x` is [steps, batch, directions * gates * hidden] with at least one step.
    - (C3) `weights` is [directions, hidden / 16 rounded up, hidden, gates, 16], or of i8, with a dimension more, as above.
    - (C4) `bias` is [directions, hidden], and only of `gru`.
    - (C5) `peepholes` is [directions, 3 * hidden], and only of `lstm`.
    - (C6) `lengths` is a vector of 1 element or `batch` elements.
    - (C7) `sequences` has one element in one dimension.
    - (C8) `reverse` is of one direction only.
    - (C9) `weights` of i8 are of `lstm`; they have `scales` and `zeros`, which are [directions, gates * hidden], and others have neither.
    - (C10) With `weights` of i8, there are at most 32 sequences, and `lengths` has one element.

    ```mlir
    %y, %last = ttc.recurrence lstm %x, %weights, %initial lengths %n {reverse}
        : (tensor<50x1x128xf32>, tensor<1x2x32x4x16xf32>, tensor<2x1x1x32xf32>, tensor<1xi32>)
          -> (tensor<50x1x1x32xf32>, tensor<2x1x1x32xf32>)
    %q, %after = ttc.recurrence lstm %x, %bytes, %initial scales %s zeros %z
        : (tensor<50x1x128xf32>, tensor<1x2x8x4x16x4xi8>, tensor<2x1x1x32xf32>, tensor<1x128xf32>, tensor<1x128xi32>)
          -> (tensor<50x1x1x32xf32>, tensor<2x1x1x32xf32>)
    ```
  }];
  let arguments = (ins Ttc_RecurrenceKindAttr:$kind, Ttc_F32Tensor:$x,
      Ttc_TensorOf<[F32, I8], "f32 or i8">:$weights, Ttc_F32Tensor:$initial,
      Optional<Ttc_F32Tensor>:$bias, Optional<Ttc_F32Tensor>:$peepholes,
      Optional<Ttc_F32Tensor>:$scales, Optional<Ttc_I32Tensor>:$zeros,
      Optional<Ttc_I32Tensor>:$lengths, Optional<Ttc_I32Tensor>:$sequences, UnitAttr:$reverse,
      OptionalAttr<Ttc_ByteDotAttr>:$dot);
  let results = (outs Ttc_F32Tensor:$y, Ttc_F32Tensor:$last);
  let assemblyFormat = [{
    $kind $x `,` $weights `,` $initial (`bias` $bias^)? (`peepholes` $peepholes^)? (`scales` $scales^)?
    (`zeros` $zeros^)? (`dot` $dot^)? (`lengths` $lengths^)?
    (`sequences` $sequences^)?
    custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The units whose weights are stored together, and the sequences that share a workgroup.
    static constexpr int64_t kUnits = 16, kSequences = 4;
    /// The sequences that weights of i8 may have.
    static constexpr int64_t kMostOfBytes = 32;
    bool hasBytes() { return getWeights().getType().getElementType().isInteger(8); }
    /// Blocks of columns in `x`.
    static int64_t getNumGates(::mlir::ttc::RecurrenceKind kind);
    int64_t getHidden() { return getY().getType().getShape().back(); }
  }];
}

#endif // TTC_RECURRENTOPS_TD
