// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From ops on tensors, once kernels are chosen, to programs: what is one, and what of it counts.
#ifndef TTC_TRANSFORMS_OUTLININGPASSES_TD
#define TTC_TRANSFORMS_OUTLININGPASSES_TD

include "Options.td"

def Fuse : Pass<"ttc-fuse", "::mlir::ModuleOp"> {
  let summary = "Groups ops into programs";
  let description = [{
    Puts every op on tensors into exactly one `ttc.fusion`, except constants, reshapes (views) and
    host work. Ops on constants that `--ttc-fold-constants` left are work like any other. A fusion is
    one of

    - a kernel op with the elementwise ops after it that its epilogue can run: all have types that the
      kernel can store (f32, and for kernels on bytes i32 and 8 bits) and the shape of the result; their
      other operands have that shape, are vectors along the last dimension, or single elements; and only
      the last value is used outside. An op that computes such an operand for them alone, from narrower
      elements, belongs to the tail, too: the epilogue then reads fewer bytes;
    - elementwise ops of one shape that are used only by each other, optionally ending with an op
      that works along some dimensions and keeps the shape (softmax);
    - any other single op.

    Constants of one element, or of equal elements, move into the fusions of elementwise ops that use
    them. No fusion has ops of both sides of a `ttc.trace_boundary`, an event, or the beginning or end of
    a loop.

    Before:
    ```mlir
    %0 = ttc.kernel.gemm %x, %w {...} : ... -> tensor<1x56x56x64xf32>
    %1 = ttc.add %0, %bias : (tensor<1x56x56x64xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
    %2 = ttc.relu %1 : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
    ```
    After:
    ```mlir
    %2 = ttc.fusion (%a = %x : ..., %b = %w : ..., %c = %bias : tensor<64xf32>)
        -> tensor<1x56x56x64xf32> {
      %3 = ttc.kernel.gemm %a, %b {...} : ... -> tensor<1x56x56x64xf32>
      %4 = ttc.add %3, %c : (tensor<1x56x56x64xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
      %5 = ttc.relu %4 : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
      ttc.yield %5 : tensor<1x56x56x64xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `fusions`, `ops`.
  }];
}

def PrepareLoops : Pass<"ttc-prepare-loops", "::mlir::ModuleOp"> {
  let summary = "Moves what no iteration changes out of loops, and keeps small updates on one core";
  let description = [{
    Moves ops of a loop that have the same operands in each iteration to before its `ttc.loop_begin`, from
    the innermost loop to the outermost one: all ops on tensors without effects, constants included. They
    are then computed once. What is after a loop may use them, as equal ops of it do after `--cse`.

    An op that updates a small part of what iterations hand on, in place, gets `ttc.max_workgroups = 1`.
    Several workgroups would share the copy of all the rest, which there is not, and cores would wait for
    each other in each iteration.

    A constant of equal elements that a loop begins with becomes a `ttc.fill`, so that the bundle need not
    have all of its bytes.

    Before:
    ```mlir
    %v = ttc.loop_begin %v0 times 1000 : tensor<4xf32>
    %0 = ttc.exp %scale : (tensor<4xf32>) -> tensor<4xf32>
    %1 = ttc.mul %v, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = ttc.loop_end %1 : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = ttc.exp %scale : (tensor<4xf32>) -> tensor<4xf32>
    %v = ttc.loop_begin %v0 times 1000 : tensor<4xf32>
    %1 = ttc.mul %v, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = ttc.loop_end %1 : tensor<4xf32>
    ```

    Counters (`--mlir-pass-statistics`): `hoisted`, `fills`, `updates`.
  }];
}

def FoldMasks : Pass<"ttc-fold-masks", "::mlir::ModuleOp"> {
  let summary = "Removes masks of padding that kernels apply, or that nothing depends on";
  let description = [{
    What `--ttc-mask-padding` writes in the place of padding is, for a window, what lies around an image. A kernel that slides
    windows over an image pads it anyway (`WindowKernelOpInterface`): it is told how many elements count, and computes what it would for
    a smaller image. No mask is computed, and the image is not copied. Images may be parts of masked ones, or concatenations of them
    along another dimension.

    A mask has other users that the kernel's: they keep it only if a valid element of a result can depend on what it
    replaces (see `--ttc-follow-extents`). So a residual addition beside a convolution loses it, and a sum over all pixels keeps it.

    Before:
    ```mlir
    %valid = ttc.compare lt %iota, %n : (tensor<64xi32>, tensor<1xi32>) -> tensor<64xi1>
    %lines = ttc.reshape %valid : (tensor<64xi1>) -> tensor<64x1x1xi1>
    %1 = ttc.where %lines, %0, %zero : (tensor<64x1x1xi1>, tensor<1x64x64x32xf32>, tensor<f32>) -> tensor<1x64x64x32xf32>
    %2 = ttc.kernel.gemm %1, %w {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, ...} : (...) -> tensor<1x64x64x32xf32>
    ```
    After:
    ```mlir
    %2 = ttc.kernel.gemm %0, %w valid(%n) {valid_dims = array<i64: 0>, ...} : (...) -> tensor<1x64x64x32xf32>
    ```

    Counters (`--mlir-pass-statistics`): `folded`, `idle`.
  }];
}

def FollowExtents : Pass<"ttc-follow-extents", "::mlir::ModuleOp"> {
  let summary = "Makes the work of a variant follow its extents";
  let description = [{
    Finds, for every value of a variant (`ttc.variant`), the elements that a valid element of a result depends on, from the
    results backwards: by `ttc.dims` of the results, the loops of ops (`DimensionMapOpInterface`) and their windows, the masks that
    `--ttc-mask-padding` has made, and the elements that kernels are told count. Of two users, the one that needs more
    decides, if that is the same one at all extents. Whatever the pass does not
    understand depends on everything. It changes no valid element: nothing depends on the elements that are left out.

    A fusion of whose one result not all elements count is handed the extents, and says which do (`within`). Its code
    skips the tiles that have none of them, and shares the others out over the workgroups: rows of matrix products and attentions,
    lines and pixels of convolutions and pools, tiles of the loops of all other ops.

    Before:
    ```mlir
    func.func @main.64(%x: tensor<64x8xf32> {ttc.dims = affine_map<()[s0] -> (s0, 8)>},
                       %extents: tensor<1xi32> {ttc.name = "extents"})
        -> (tensor<64x8xf32> {ttc.dims = affine_map<()[s0] -> (s0, 8)>})
        attributes {ttc.variant = #ttc.variant<of = "main", dims = ["n"], low = [1], high = [64]>} {
      %0 = ttc.fusion (%a = %x : tensor<64x8xf32>) -> tensor<64x8xf32> {
        %1 = ttc.exp %a : (tensor<64x8xf32>) -> tensor<64x8xf32>
        ttc.yield %1 : tensor<64x8xf32>
      }
      return %0 : tensor<64x8xf32>
    }
    ```
    After:
    ```mlir
      %0 = ttc.fusion (%a = %x : tensor<64x8xf32>, %n = %extents : tensor<1xi32>) -> tensor<64x8xf32>
          attributes {within = #ttc.within<argument = 1, sizes = [64, 8], bounds = ()[s0] -> (s0, 8)>} {
        %1 = ttc.exp %a : (tensor<64x8xf32>) -> tensor<64x8xf32>
        ttc.yield %1 : tensor<64x8xf32>
      }
    ```

    Counters (`--mlir-pass-statistics`): `bounded`.
  }];
}

def OutlinePrograms : Pass<"ttc-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Outlines every fusion as a program and dispatches it";
  let description = [{
    Each `ttc.fusion` becomes a `ttc.dispatch` of a `ttc.program` that contains its body. Fusions
    with equal bodies (except for locations) share one program. A program is named after its ops and
    the shape of its result; the module's symbol table makes the name unique. The dispatch keeps the
    location of the fusion, which names the nodes of the source model.

    Before:
    ```mlir
    %1 = ttc.fusion (%a = %0 : tensor<1x8xf32>) -> tensor<1x8xf32> {
      %r = ttc.relu %a : (tensor<1x8xf32>) -> tensor<1x8xf32>
      ttc.yield %r : tensor<1x8xf32>
    }
    ```
    After:
    ```mlir
    %1 = ttc.dispatch @relu_8(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ...
    ttc.program private @relu_8(%a: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %r = ttc.relu %a : (tensor<1x8xf32>) -> tensor<1x8xf32>
      ttc.return %r : tensor<1x8xf32>
    }
    ```

    Each `ttc.host_call` becomes a `ttc.host_dispatch` of a program without code, which a host function
    computes. Equal functions on equal types share one program.

    Counters (`--mlir-pass-statistics`): `dispatches`, `programs`, `host-calls`.
  }];
}

def CountFlops : Pass<"ttc-count-flops", "::mlir::ttc::ProgramOp"> {
  let summary = "Counts the operations of every program";
  let description = [{
    Sets `flops`: the operations of one dispatch, of all workgroups together, on floats and on integers.
    Each op of the body is asked through `CountedOpInterface`, which says what counts; elementwise ops
    are asked for the operations of an element. The ops of a program on shards work on a part, and count
    once for each part. Reports show the figure; nothing that is compiled depends on it.

    If an op does not tell, such as one whose work depends on data, the program has no `flops`. An
    existing count is replaced. Programs whose bodies are lowered, or that have none, stay as they are.

    Before:
    ```mlir
    ttc.program @gemm_relu_128x32(%a: tensor<128x64xf32>, %b: tensor<64x32xf32>) -> tensor<128x32xf32> {
      %0 = ttc.matmul %a, %b : (tensor<128x64xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
      %1 = ttc.relu %0 : (tensor<128x32xf32>) -> tensor<128x32xf32>
      ttc.return %1 : tensor<128x32xf32>
    }
    ```
    After (2 * 128 * 32 * 64 + 128 * 32):
    ```mlir
    ttc.program @gemm_relu_128x32(%a: tensor<128x64xf32>, %b: tensor<64x32xf32>) -> tensor<128x32xf32>
        attributes {flops = 528384 : i64} {
      ...
    }
    ```
  }];
}

#endif // TTC_TRANSFORMS_OUTLININGPASSES_TD
