// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From ops on tensors (level 1) to programs and dispatches of them (level 2).
#ifndef TTC_TRANSFORMS_PROGRAMPASSES_TD
#define TTC_TRANSFORMS_PROGRAMPASSES_TD

include "Options.td"

def SetTarget : Pass<"ttc-set-target", "::mlir::ModuleOp"> {
  let summary = "Sets the target that the module is compiled for";
  let description = [{
    Sets the module attribute `ttc.target`, which later passes query. A module that already has a
    target keeps it. `workgroups` becomes `ttc.max_workgroups`, unless it is 16, the default: the most workgroups that
    programs are split into. Fails if it is no power of two from 1 to 32768, or if a tensor, or all constants together, are larger than the target's DRAM,
    before later passes build constants, tables and plans of these sizes.

    ```mlir
    module {}
    // becomes, with target=wormhole_n150 target-cpu=x86-64-v3,
    module attributes {ttc.target = #ttc.target<name = "wormhole_n150", ...>} {}
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [TargetOption, TargetCpuOption, WorkgroupsOption];
}

def BindStates : Pass<"ttc-bind-states", "::mlir::ModuleOp"> {
  let summary = "Makes states of inputs and of the outputs that replace them";
  let description = [{
    A model that is run step by step often has inputs that hold what earlier steps computed, such as the
    keys and values of all tokens so far, and outputs that replace them in the next step. `state` names such pairs. Each
    becomes a `ttc.state`, which all functions with an input of that name share: the tensor stays on the
    device, is updated in place where programs can do so, and is neither an input nor an output.

    An error if no function has an input that a pair names, if a function has the input and not the output, if the two
    differ in type, or if functions that share a state differ in its type.

    ```mlir
    func.func private @decode(%x: tensor<1xf32> {ttc.name = "x"}, %past: tensor<8xf32> {ttc.name = "past_0"})
        -> (tensor<8xf32> {ttc.name = "present_0"})
    // becomes, with state=past_*=present_*,
    ttc.state @past_0 : tensor<8xf32>
    func.func private @decode(%x: tensor<1xf32> {ttc.name = "x"}, %past: tensor<8xf32> {ttc.state = @past_0})
        -> (tensor<8xf32> {ttc.state = @past_0})
    ```

    Counters (`--mlir-pass-statistics`): `states`, `bound`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [StateOption];
}

def KeepStatesInPlace : Pass<"ttc-keep-states-in-place", "::mlir::ModuleOp"> {
  let summary = "Updates and reads states where they are, instead of moving them";
  let description = [{
    Exporters write the update and the use of a cache such that each run moves all of it. In functions with states:

    - A scatter into a transposed state becomes a scatter into the state, and the update is transposed.
    - A scale of a state that a product reads becomes a scale of the other factor, if that is smaller. This changes the
      order of multiplications, so results may differ in their last bits.
    - In an attention whose keys and values are states with heads repeated for groups of queries, the queries are
      grouped instead: both products read the states' own heads.

    ```mlir
    %0 = ttc.transpose %state {permutation = [1, 0, 2]} : (tensor<2x8x4xf32>) -> tensor<8x2x4xf32>
    %1 = ttc.scatter_nd %0, %at, %new : (tensor<8x2x4xf32>, tensor<1x1xi64>, tensor<1x2x4xf32>) -> tensor<8x2x4xf32>
    %2 = ttc.transpose %1 {permutation = [1, 0, 2]} : (tensor<8x2x4xf32>) -> tensor<2x8x4xf32>
    // becomes
    %heads = ttc.constant dense<[[[0], [1]]]> : tensor<1x2x1xi64>
    %0 = ttc.reshape %at : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %1 = ttc.expand %0 : (tensor<1x1x1xi64>) -> tensor<1x2x1xi64>
    %2 = ttc.concat %heads, %1 {axis = 2} : (tensor<1x2x1xi64>, tensor<1x2x1xi64>) -> tensor<1x2x2xi64>
    %3 = ttc.scatter_nd %state, %2, %new : (tensor<2x8x4xf32>, tensor<1x2x2xi64>, tensor<1x2x4xf32>) -> tensor<2x8x4xf32>
    ```

    Counters (`--mlir-pass-statistics`): `scatters`, `scales`, `grouped`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def ReadTuning : Pass<"ttc-read-tuning", "::mlir::ModuleOp"> {
  let summary = "Reads decisions about kernels that were measured";
  let description = [{
    Sets the module attribute `ttc.tuning` to the entries of the file `tuning`, which
    `ttc-translate --onnx-to-bundle --tune` wrote (docs/performance.md has its format). `--ttc-choose-kernels` and
    `--ttc-plan-gemms` use the entries of the ops that they process; the latter removes the attribute. Fails if the file
    is for another version of ttc or another CPU than the code (`ttc.target`, or this machine if there is none), or is
    not complete.

    ```mlir
    module {}
    // becomes
    module attributes {ttc.tuning = {entries = {
        "matmul (tensor<128x768xf32>, constant tensor<768x768xf32>) -> tensor<128x768xf32> {}" =
            #ttc.kernel_choice<direct, tile = [14, 32]>}, file = "tuning.txt"}} {}
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [TuningOption];
}

def WidenFloats : Pass<"ttc-widen-floats", "::mlir::ModuleOp"> {
  let summary = "Computes on f16 and bf16 in f32";
  let description = [{
    Ops on f16 and bf16 become ops on f32, between casts. Inputs, outputs, constants and the results
    of explicit casts keep their types: a cast of the model to a narrower type still rounds. A cast
    from f32 to a narrower type whose result is computed on becomes `ttc.reduce_precision`. Ops that
    only move elements stay as they are if their operands are stored in 16 bits anyway, such as a
    gather from a table. So do ops whose result types do not follow the operands' element type: they
    may read its bits.

    `float-rounding` says where else results are rounded:

    - `outputs`: nowhere, as ONNX Runtime does for f16 on CPUs;
    - `ops`: each op's result is rounded to its type, as ONNX's reference does; a softmax of at most 16
      elements is computed in the steps of ONNX's definition, each of them rounded. What needs no
      rounding gets none: moved elements, maxima, signs, bounds that the type has;
    - `auto`: f16 as `outputs`, bf16 as `ops`.

    Before:
    ```mlir
    %0 = ttc.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
    %1 = ttc.relu %0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
    ```
    After:
    ```mlir
    %a = ttc.cast %x : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %b = ttc.cast %w : (tensor<8x8xf16>) -> tensor<8x8xf32>
    %0 = ttc.matmul %a, %b : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = ttc.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = ttc.cast %1 : (tensor<4x8xf32>) -> tensor<4x8xf16>
    ```

    Counters (`--mlir-pass-statistics`): `widened`.
  }];
  let options = [FloatRoundingOption];
}

def DecomposeConvTranspose : Pass<"ttc-decompose-conv-transpose", "::mlir::ModuleOp"> {
  let summary = "Makes convolutions of transposed convolutions with a stride";
  let description = [{
    A transposed convolution with stride `s` is a convolution of its operand with `s - 1` zeros between elements. Most
    products would be with these zeros. Instead, result elements `s * q + r` with the same `r`, a phase, are
    a convolution of the operand by those elements of the kernel that multiply no zero. Phases become
    channels, and `ttc.depth_to_space` puts them into their places.

    Phases that read the same window of the operand are one convolution: all of them if the kernel and the padding are
    multiples of the stride (a kernel of 2 with stride 2 is one product). Otherwise there are several, each with the
    weights of its own window: none is padded with zeros, which would make NaN of an infinity beside them.

    It is rewritten if the weights are constant, there is one group, no dilation, no phase is without a kernel element, and
    all read the operand from its first element to its last one. Sums have the same terms as before.

    Before:
    ```mlir
    %y = ttc.conv_transpose %x, %w, %b {strides = [2, 2]}
       : (tensor<1x8x16x16xf32>, tensor<8x4x2x2xf32>, tensor<4xf32>) -> tensor<1x4x32x32xf32>
    ```
    After:
    ```mlir
    %w0 = ...  // %w as [phase of rows, phase of columns, channel] x 8 x 1 x 1
    %0 = ttc.conv %x, %w0, %b0 : (tensor<1x8x16x16xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
    %y = ttc.depth_to_space %0 {block = [2, 2]} : (tensor<1x16x16x16xf32>) -> tensor<1x4x32x32xf32>
    ```

    Counters (`--mlir-pass-statistics`): `decomposed`, `convolutions`.
  }];
}

def FoldConstants : Pass<"ttc-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Evaluates ops on constants at compile time";
  let description = [{
    Evaluates ops whose operands are constants, if they are elementwise or implement
    ConstantEvaluableOpInterface. First it rewrites ops such that more of them are constant:
    batch_norm becomes a subtraction, a multiplication and an addition for each channel; multiplications
    of, and additions to, the channels of an op that implements AffineWeightsOpInterface are folded into
    its weights and bias. An instance_norm between two reshapes, whose channels are groups of an image's channels,
    becomes a group_norm, and takes over a factor and a summand of each channel if it has none.

    Floats are not reassociated: `(x - a) * b` stays as it is. A fold into weights changes how each
    weight is rounded, and that a sum is scaled before it may overflow, and nothing else:

    - a factor is folded if it is at most 2^32, and all scaled weights and biases are finite and normal, or
      zero as before;
    - a summand joins the bias if both are at most 16 times the number of a sum's terms times the largest
      weight. A larger one may be there to round the sum, or to overflow.

    A value of more than 1 KiB whose parts along a dimension are all equal becomes one part, where an elementwise op
    broadcasts it and another operand has the dimension: exporters expand token types and positions to the batch, and
    combine a mask of keys with ones for all queries.

    All results together may exceed their operands by the size of all constants before the pass, or
    by 64 times `max-growth` if that is more. Ops whose results would exceed this are not evaluated.
    Elements of operands count as wide as those of the result: weights that are stored in few bits and
    converted are evaluated, whatever their size.

    With `optimize=size` or `memory`, a transpose of a constant is not evaluated if products read it and something else
    reads the constant: it would be a second copy.

    Large results become resources, named after the constant they were computed from. The data of
    unused constants is freed.

    Before:
    ```mlir
    %0 = ttc.conv %x, %w {...} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = ttc.batch_norm %0, %scale, %bias, %mean, %var {...}
    ```
    After, if the weights are constant:
    ```mlir
    %w1 = ttc.constant ...    // %w * %scale / sqrt(%var + epsilon)
    %b1 = ttc.constant ...    // %bias - %mean * %scale / sqrt(%var + epsilon)
    %1 = ttc.conv %x, %w1, %b1 {...}
    ```

    Counters (`--mlir-pass-statistics`): `evaluated`, `reused` (results that were those of equal ops, most often of other
    functions), `released-bytes`.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1048576",
           "Do not evaluate ops whose result would exceed twice the bytes of its operands by more than this">,
    OptimizeOption
  ];
}

def MergeProducts : Pass<"ttc-merge-products", "::mlir::ModuleOp"> {
  let summary = "Makes one product of several by the same constant matrix";
  let description = [{
    Products of few rows take as long as their weights need to arrive from memory. Products of several
    left operands by the same constant matrix, with the same bias, become one product of all rows, which
    reads the weights once: the inputs of a recurrent cell that is unrolled over its steps, or a layer
    that several inputs share. The results are slices of the one result, which `--ttc-elide-copies` makes
    views. Elementwise ops that are applied to all results alike are applied to the whole.

    Products are merged if

    - each has fewer than 24 rows, and the matrix at least 16 KiB: less stays in L1 from one product to
      the next;
    - all left operands are known where the first product is: none depends on the result of another one;
    - the left operands are slices of one tensor that lie next to each other, so that together they are a
      slice, too; or they are few bytes, and a `ttc.concat` joins them;
    - copies cost at most half of what the weights cost that are not read again. A copy, which each joined
      left operand and each result of the function may need, counts as 8 KiB and its bytes.

    Before:
    ```mlir
    %0 = ttc.slice %x {starts = [0, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %1 = ttc.slice %x {starts = [1, 0], sizes = [1, 64], steps = [1, 1]} : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %2 = ttc.matmul %0, %w, %bias : (tensor<1x64xf32>, tensor<64x192xf32>, tensor<192xf32>) -> tensor<1x192xf32>
    %3 = ttc.matmul %1, %w, %bias : (tensor<1x64xf32>, tensor<64x192xf32>, tensor<192xf32>) -> tensor<1x192xf32>
    ```
    After:
    ```mlir
    %y = ttc.matmul %x, %w, %bias : (tensor<2x64xf32>, tensor<64x192xf32>, tensor<192xf32>) -> tensor<2x192xf32>
    %2 = ttc.slice %y {starts = [0, 0], sizes = [1, 192], steps = [1, 1]} : (tensor<2x192xf32>) -> tensor<1x192xf32>
    %3 = ttc.slice %y {starts = [1, 0], sizes = [1, 192], steps = [1, 1]} : (tensor<2x192xf32>) -> tensor<1x192xf32>
    ```

    Counters (`--mlir-pass-statistics`): `products`.
  }];
}

def FuseQuantization : Pass<"ttc-fuse-quantization", "::mlir::ModuleOp"> {
  let summary = "Turns products of dequantised numbers into products of integers";
  let description = [{
    A `ttc.conv` or `ttc.matmul` of two results of `ttc.dequantize` with a scale and a zero point that
    are constant, of bytes, becomes `ttc.int_conv` or `ttc.int_matmul`. Its sums are cast to f32 and
    multiplied by both scales; the bias is added after that. The scale of the weights may differ
    between the channels of the result, the other one may not.

    Activations of i8 become ui8: in `ttc.quantize` and `ttc.dequantize` the zero point is 128 larger
    where no other op sees the numbers.

    A `ttc.quantize` after such a product is multiplied by the reciprocal of its scale, which is
    combined with the scales of the product and its bias. A `ttc.max_pool`, `ttc.reshape` or
    `ttc.transpose` between a `ttc.dequantize` and a `ttc.quantize` of the same scale and zero point is
    computed on the bytes.

    A `ttc.gather` of rows of a table that is computed from narrower constants, such as a `ttc.cast` or
    `ttc.dequantize` of bytes, gathers these, and computes the rows.

    Before:
    ```mlir
    %0 = ttc.dequantize %x, %xs, %xz : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xf32>
    %1 = ttc.dequantize %w, %ws, %wz : (tensor<8x6xi8>, tensor<6xf32>, tensor<6xi8>) -> tensor<8x6xf32>
    %2 = ttc.matmul %0, %1, %bias : (...) -> tensor<4x6xf32>
    ```
    After:
    ```mlir
    %3 = ttc.int_matmul %x, %w, %xz, %wz : (...) -> tensor<4x6xi32>
    %4 = ttc.cast %3 : (tensor<4x6xi32>) -> tensor<4x6xf32>
    %s = ttc.mul %xs, %ws : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
    %5 = ttc.mul %4, %s : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %2 = ttc.add %5, %bias : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    ```

    Counters (`--mlir-pass-statistics`): `products`.
  }];
}

def LegalizeTypes : Pass<"ttc-legalize-types", "::mlir::ModuleOp"> {
  let summary = "Makes bytes of elements narrower than a byte's number types";
  let description = [{
    Nothing computes with floats of 4 and 8 bits and integers of 2 and 4 bits: they are stored, moved
    and converted. Each of their elements takes a byte, in memory and at the ports of an entry point.
    The pass gives every value of such a type the type of that byte: ui8 for floats and unsigned
    integers, i8 for signed integers, which are extended to eight bits. Callers need not extend them:
    the low bits of an input count, by `ttc.wrap_integer`. Constants are rewritten, and so is the value
    of a `ttc.pad` of floats; other ops that move elements keep their attributes. Casts become
    arithmetic on bytes:

    | cast | becomes |
    |---|---|
    | from a float of 4 or 8 bits | `ttc.decode_float`, then a cast from f32 |
    | to a float of 4 or 8 bits | a cast to f32, then `ttc.encode_float` |
    | from an integer of 2 or 4 bits | a cast from i8 or ui8 |
    | to an integer of 2 or 4 bits | a cast to i8 or ui8, then `ttc.wrap_integer` |

    After the pass, no op has an operand or result of such a type, which ops of programs and traces
    (`ttc.fusion`, `ttc.to_device` and so on) do not accept.

    Before:
    ```mlir
    func.func @main(%x: tensor<8x4xf8E5M2>) -> tensor<4x8xf16> {
      %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<8x4xf8E5M2>) -> tensor<4x8xf8E5M2>
      %1 = ttc.cast %0 : (tensor<4x8xf8E5M2>) -> tensor<4x8xf16>
      return %1 : tensor<4x8xf16>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<8x4xui8>) -> tensor<4x8xf16> {
      %0 = ttc.transpose %x {permutation = [1, 0]} : (tensor<8x4xui8>) -> tensor<4x8xui8>
      %1 = ttc.decode_float %0 {format = f8E5M2} : (tensor<4x8xui8>) -> tensor<4x8xf32>
      %2 = ttc.cast %1 : (tensor<4x8xf32>) -> tensor<4x8xf16>
      return %2 : tensor<4x8xf16>
    }
    ```

    Counters (`--mlir-pass-statistics`): `casts`, `values`.
  }];
}

def ChannelsLast : Pass<"ttc-channels-last", "::mlir::ModuleOp"> {
  let summary = "Converts images to channels-last layout";
  let description = [{
    Kernels compute on channels-last images. The pass rewrites every op that implements
    ChannelsLastOpInterface to channels-last, between transposes. It then moves the transposes down,
    through elementwise ops (constants that broadcast are reshaped), ops that implement
    PermutableOpInterface, and reshapes that split or merge adjacent dimensions, until they cancel
    with their inverse. A transpose that only moves dimensions of size 1 becomes a reshape. The
    transpose of a flattened image is folded into the constant weights of a matmul.

    Before:
    ```mlir
    %0 = ttc.conv %x, %w {...} : (tensor<1x3x8x8xf32>, ...) -> tensor<1x4x8x8xf32>
    %1 = ttc.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %2 = ttc.max_pool %1 {...} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
    After:
    ```mlir
    %t = ttc.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : ... -> tensor<1x8x8x3xf32>
    %0 = ttc.conv %t, %w {..., channels_last} : (tensor<1x8x8x3xf32>, ...) -> tensor<1x8x8x4xf32>
    %1 = ttc.relu %0 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %2 = ttc.max_pool %1 {..., channels_last} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    %3 = ttc.transpose %2 {permutation = array<i64: 0, 3, 1, 2>} : ... -> tensor<1x4x4x4xf32>
    ```

    Counters (`--mlir-pass-statistics`): `transposes`.
  }];
}

def Strassen : Pass<"ttc-strassen", "::mlir::ModuleOp"> {
  let summary = "Computes large matrix products by Strassen's algorithm";
  let description = [{
    One level of Winograd's form of Strassen's algorithm: a matrix product becomes seven products of the
    quarters of its operands, of sums of them, and of differences, instead of eight. `--ttc-fold-constants`
    makes the sums of weights. The results of products are added by the epilogues of others, except
    for one quarter. The bias, and elementwise ops on the product that need nothing later than it, are
    applied to the quarters, so that they stay fused; `ttc.concat` puts the quarters together, which
    `--ttc-elide-copies` makes parts of one tensor.

    A `ttc.matmul` is rewritten if

    1. its elements are f32, and the left operand is not transposed. Products of quantised numbers
       are `ttc.int_matmul`;
    2. the right operand is one matrix: it has two dimensions. All rows of the left operand count as one
       matrix;
    3. the depth and the number of columns are even. To an odd number of rows, a row of zeros is added;
    4. it is large: at least 128 rows, 512 deep and 512 columns if the right operand is constant, 1,024 of
       each if it is not.

    Rounding errors are bounded relative to the largest elements of both operands, not for each result: a
    result that is much smaller than others has fewer correct digits (docs/performance.md). An infinity or
    a NaN spreads to results that do not depend on it.

    Before:
    ```mlir
    %0 = ttc.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
    ```
    After, with the quarters of %x as %a.. and those of %w as %b..:
    ```mlir
    %t1 = ttc.sub %b12, %b11 : (...) -> tensor<384x384xf32>
    %s1 = ttc.add %a21, %a22 : (...) -> tensor<64x384xf32>
    ...
    %p1 = ttc.matmul %a11, %b11 : (tensor<64x384xf32>, tensor<384x384xf32>) -> tensor<64x384xf32>
    %p2 = ttc.matmul %a12, %b21 : (...) -> tensor<64x384xf32>
    %c11 = ttc.add %p2, %p1 : (...) -> tensor<64x384xf32>
    ...
    %upper = ttc.concat %c11, %c12 {axis = 1} : (...) -> tensor<64x768xf32>
    %lower = ttc.concat %c21, %c22 {axis = 1} : (...) -> tensor<64x768xf32>
    %0 = ttc.concat %upper, %lower {axis = 0} : (...) -> tensor<128x768xf32>
    ```

    Counters (`--mlir-pass-statistics`): `products`.
  }];
}

def SinkShuffles : Pass<"ttc-sink-shuffles", "::mlir::ModuleOp"> {
  let summary = "Moves shuffles of channels to where they cost nothing";
  let description = [{
    A channel shuffle is a reshape of a channels-last image to [..., groups, C / groups], a transpose of these two
    dimensions and a reshape back: it moves the whole image. The pass moves it past

    - depthwise convolutions by constant weights, whose weights and bias are shuffled back instead;
    - elementwise ops whose other operands are shuffled in the same way, constant, or of one element,

    if nothing else uses the shuffled image. A convolution of one group by constant weights absorbs it:
    the input channels of its weights are shuffled back. `--ttc-choose-kernels` makes other
    convolutions read through a shuffle in front of them. What is left is a transpose, as before.

    Before:
    ```mlir
    %0 = ttc.reshape %x : (tensor<1x8x8x12xf32>) -> tensor<1x8x8x4x3xf32>
    %1 = ttc.transpose %0 {permutation = array<i64: 0, 1, 2, 4, 3>} : ... -> tensor<1x8x8x3x4xf32>
    %2 = ttc.reshape %1 : (tensor<1x8x8x3x4xf32>) -> tensor<1x8x8x12xf32>
    %3 = ttc.conv %2, %w {channels_last, groups = 12 : i64, ...} : ... -> tensor<1x8x8x12xf32>
    %4 = ttc.conv %3, %v {channels_last, groups = 4 : i64} : ... -> tensor<1x8x8x8xf32>
    ```
    After:
    ```mlir
    %w1 = ...    // %w as [3, 4, ...], transposed to [4, 3, ...] and reshaped back
    %0 = ttc.conv %x, %w1 {channels_last, groups = 12 : i64, ...} : ... -> tensor<1x8x8x12xf32>
    %1 = ttc.reshape %0 : (tensor<1x8x8x12xf32>) -> tensor<1x8x8x4x3xf32>
    %2 = ttc.transpose %1 {permutation = array<i64: 0, 1, 2, 4, 3>} : ... -> tensor<1x8x8x3x4xf32>
    %3 = ttc.reshape %2 : (tensor<1x8x8x3x4xf32>) -> tensor<1x8x8x12xf32>
    %4 = ttc.conv %3, %v {channels_last, groups = 4 : i64} : ... -> tensor<1x8x8x8xf32>
    ```

    Counters (`--mlir-pass-statistics`): `sunk`, `absorbed`.
  }];
}

def ChooseKernels : Pass<"ttc-choose-kernels", "::mlir::ModuleOp"> {
  let summary = "Selects kernels for dense ops on f32 and on bytes";
  let description = [{
    Channels-last convolutions, matrix products and pools of f32 become kernel ops; ops without a
    kernel are lowered through linalg. Constant weights are packed by `ttc.pack`, which
    `--ttc-fold-constants` evaluates. Register tiles are chosen for the module's `ttc.target`, or
    for this machine if there is none.

    With `winograd`, convolutions of 3x3 and 5x5 without strides by constant weights become
    `ttc.kernel.winograd_conv`, if a model of their time says that this saves at least 15 %: in tiles of
    4x4 results (3x3), or 2x2 (5x5, and small images). The image is transformed by an op of its own,
    `ttc.kernel.winograd_input`, where all panels of the weights share it in L3, or by each workgroup for
    its tiles. If all constants of a function fit into L2, its weights count as read from there instead of
    from memory. For targets with less than 512 KiB of L1, which has to hold the scratch, all convolutions
    are direct.

    Convolutions of clips (three spatial dimensions) by 3x3 or 5x5 in each of their frames are computed in the
    same way: an op of its own transforms all frames, and the products of the frames that a result sums are added
    before they are transformed back. So are convolutions with 3 or 5 taps in one dimension only, in tiles of 4 or
    2 results. Variants have neither clips nor lines of images: kernels follow the valid part of images, and of lines
    alone.

    Choices that were measured (`ttc.tuning`, see `--ttc-read-tuning`) are taken instead, but for Winograd's algorithm
    where it is off.

    With `optimize=size` or `memory`, tiles are those whose panels have the fewest columns too many, whatever was measured;
    and a constant matrix that something else reads, too, as the table of an embedding, is read where it is, not packed.

    `ttc.int_conv` and `ttc.int_matmul` of ui8 by constant weights become `ttc.kernel.int_gemm` or
    `ttc.kernel.int_depthwise_conv`, whose `dot` is chosen for the target's instructions. The zero point
    of `a` times the sums of the weights is subtracted after the product.

    `ttc.block_matmul`, `ttc.expert_matmul` and `ttc.block_gather` become `ttc.kernel.block_matmul`, `ttc.kernel.expert_matmul`
    and `ttc.kernel.block_gather`, whose weights
    `ttc.pack_blocks` orders; all order the weights of an embedding alike, so that they are stored once. Nothing else
    computes these ops: weights that are not constant are an error.

    A convolution of an image whose channels are shuffled reads them from where they were (`shuffle` of
    `ttc.kernel.gemm`). One of an image of less than 16 channels in planes, as a model's input is, reads
    the planes (`a_view`): the kernel interleaves their lines in scratch.

    Transposes, slices and reshapes of the operands of a matrix product become strided views, as does
    a transpose of its result, so that no data is moved. A right operand that is not constant is packed while the
    product runs, a panel at a time in scratch: where it has more than 2,560 rows, the product is the sum of several.

    Before:
    ```mlir
    %0 = ttc.matmul %x, %w, %bias : (tensor<1x128x768xf32>, tensor<768x768xf32>, tensor<768xf32>)
      -> tensor<1x128x768xf32>
    ```
    After:
    ```mlir
    %p = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 16 : i64}
      : tensor<768x768xf32> -> tensor<1x48x768x16xf32>
    %1 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<1x128x768xf32>
    %0 = ttc.add %1, %bias : (tensor<1x128x768xf32>, tensor<768xf32>) -> tensor<1x128x768xf32>
    ```

    Ops of several functions that have the same constant weights, such as variants of one model, are decided together: they
    need the weights in one packed form, which a bundle stores once. The most rows of results choose the tile, and Winograd's
    algorithm is chosen by the sum of the estimates.

    Counters (`--mlir-pass-statistics`): `kernels`, `shared` (ops that were decided together with those of other functions).
  }];
  let options = [WinogradOption, OptimizeOption];
}

def FuseAttention : Pass<"ttc-fuse-attention", "::mlir::ModuleOp"> {
  let summary = "Makes one kernel of the ops of an attention";
  let description = [{
    A product of queries and keys, its softmax over the last dimension, and the product with the values become
    `ttc.kernel.attention`, which does not store the scores. In between, the scores may be multiplied or divided by a
    constant, and then a mask may be added. A mask of zeros is left out.

    Where the last scores of all rows are -inf from a number on that is known in each run, as `--ttc-mask-padding` makes
    them, the kernel is told the number of keys that count (`keys`). It needs no zeros in the place of the other values.

    It is rewritten if

    1. both products are `ttc.kernel.gemm` whose right operands are not packed ahead of time: keys and values are not
       constant. Their views stay: transposes and splits of heads move nothing;
    2. nothing else uses what is computed in between;
    3. the mask has the last dimension of the scores and broadcasts to them, as NumPy's do. Batch dimensions of the
       operands that cannot be merged are at most three;
    4. there are at least 8 rows: they are the lanes of vectors;
    5. the state of a panel of 32 rows fits into 480 KiB: heads of up to some 3,500 elements. The number of keys does not
       matter.

    A panel has two vectors of rows, or 16 rows where there are no more.

    For targets with less than 512 KiB of L1, which has to hold the scratch, nothing is rewritten. No other property of the target
    matters, so that results have the same bits on all targets that it fits.

    Before:
    ```mlir
    %0 = ttc.kernel.gemm %q, %k {b_view = ..., tile = array<i64: 14, 32>} : (...) -> tensor<12x128x128xf32>
    %1 = ttc.mul %0, %scale : (tensor<12x128x128xf32>, tensor<f32>) -> tensor<12x128x128xf32>
    %2 = ttc.add %1, %mask : (tensor<12x128x128xf32>, tensor<128x128xf32>) -> tensor<12x128x128xf32>
    %3 = ttc.softmax %2 {axis = 2} : (tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
    %4 = ttc.kernel.gemm %3, %v {tile = array<i64: 14, 32>} : (...) -> tensor<12x128x64xf32>
    ```
    After:
    ```mlir
    %4 = ttc.kernel.attention %q, %k, %v, %mask {k_view = ..., scale = 1.250000e-01 : f32, tile = array<i64: 14, 32>}
      : (...) -> tensor<12x128x64xf32>
    ```

    Before, with keys up to an extent:
    ```mlir
    %valid = ttc.compare lt %iota, %extent : (tensor<128xi32>, tensor<1xi32>) -> tensor<128xi1>
    %rows = ttc.reshape %valid : (tensor<128xi1>) -> tensor<128x1xi1>
    %v0 = ttc.where %rows, %v, %zero : (...) -> tensor<12x128x64xf32>
    %0 = ttc.kernel.gemm %q, %k {b_view = ..., tile = array<i64: 14, 32>} : (...) -> tensor<12x128x128xf32>
    %1 = ttc.where %valid, %0, %lowest : (...) -> tensor<12x128x128xf32>
    %2 = ttc.softmax %1 {axis = 2} : (tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
    %3 = ttc.kernel.gemm %2, %v0 {tile = array<i64: 14, 32>} : (...) -> tensor<12x128x64xf32>
    ```
    After:
    ```mlir
    %3 = ttc.kernel.attention %q, %k, %v keys(%extent) {k_view = ..., scale = 1.000000e+00 : f32, tile = array<i64: 14, 32>}
      : (...) -> tensor<12x128x64xf32>
    ```

    Counters (`--mlir-pass-statistics`): `attentions`.
  }];
}

def NarrowWeights : Pass<"ttc-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "Stores the weights of kernels in narrower types";
  let description = [{
    The constant, packed weights of `ttc.kernel.gemm` are stored in a narrower type, from which the
    kernel converts them when it loads them. `weights` says in which one:

    - `auto`: in i8, in i8 with a scale of f32 for each column, in bf16 or in f16, if that gives every weight exactly, as those
      of `DequantizeLinear`; the result has the same bits as with f32;
    - `f32`: in f32;
    - `f16`, `bf16`: rounded to nearest. A tensor with a finite weight that would become infinite stays
      as it is;
    - `int8`: divided by a scale for each column, such that the largest one becomes 127, and rounded to
      nearest. The product is multiplied by the scales. A tensor with an infinite weight or NaN stays
      as it is.

    Weights that another op uses, too, stay as they are. f16 needs a CPU with F16C: for one without it,
    `auto` does not choose f16, and `f16` is an error.

    `f16`, `bf16` and `int8` emit a remark with the largest error and the root of the mean squared
    error, relative to the root of the mean square of all weights.

    Before:
    ```mlir
    %w = ttc.constant dense<0.1> : tensor<1x2x64x16xf32>
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<1x64xf32>, tensor<1x2x64x16xf32>) -> tensor<1x32xf32>
    ```
    After, with weights=int8:
    ```mlir
    %w = ttc.constant dense<127> : tensor<1x2x64x16xi8>
    %s = ttc.constant dense<7.874016e-04> : tensor<32xf32>
    %1 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
      : (tensor<1x64xf32>, tensor<1x2x64x16xi8>) -> tensor<1x32xf32>
    %0 = ttc.mul %1, %s : (tensor<1x32xf32>, tensor<32xf32>) -> tensor<1x32xf32>
    ```

    Counters (`--mlir-pass-statistics`): `narrowed`, `saved-bytes`.
  }];
  let options = [WeightsOption];
}

def ChooseCollectives : Pass<"ttc-choose-collectives", "::mlir::ModuleOp"> {
  let summary = "Decides how devices exchange what collectives need";
  let description = [{
    A collective on tensors says what each device of a group gets. This pass says which devices are in a group, and by
    which algorithm they exchange it (docs/mesh.md): it makes a `ttc.collective`, one for all equal
    ones, and a `ttc.exchange` in the place of the op. Groups are the devices that differ only in the coordinates of
    the op's axes. A collective of one device is nothing.

    The algorithm is the one that takes the least time on the mesh's links, by the alpha-beta model: for each
    round, the latency of the longest way of a message, and the time that the busiest link needs for its
    bytes. Links without a bandwidth (devices of one host, which read each other's memory) take no time; there, the
    algorithm with the fewest rounds is chosen. With `algorithm`, that one is used wherever it is defined.

    `ttc.all_to_all` that divides one dimension and concatenates another one becomes an exchange of the outermost
    dimension between transposes.

    ```mlir
    module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
      func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %0 = ttc.all_reduce %x {axes = ["x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
        return %0 : tensor<4x8xf32>
      }
    }
    // becomes
    module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
      ttc.collective @all_reduce all_reduce direct sum f32 bytes 128 groups [array<i64: 0, 1>]
      func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %0 = ttc.exchange @all_reduce(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
        return %0 : tensor<4x8xf32>
      }
    }
    ```

    Counters (`--mlir-pass-statistics`): `exchanges`, `bytes`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [AlgorithmOption];
}

#endif // TTC_TRANSFORMS_PROGRAMPASSES_TD
