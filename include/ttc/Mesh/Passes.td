// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a model on tensors to the program of each device of a mesh: level 1, before constants are folded.
#ifndef TTC_MESH_PASSES_TD
#define TTC_MESH_PASSES_TD

include "ttc/Transforms/Options.td"

def SetMesh : Pass<"ttc-set-mesh", "::mlir::ModuleOp"> {
  let summary = "Sets the mesh that the module is compiled for";
  let description = [{
    Sets the module attribute `ttc.mesh` from the option `mesh` (docs/mesh.md describes its text). Without the option, a
    module that has a `shard.grid` gets a mesh of its shape. A module that already has a mesh keeps it. Grids have the
    shape of the mesh.

    With `micro-batches` of more than 1, the mesh gets a last axis of that size: what differs along it is not
    computed by other devices, but later by the same ones. `--ttc-split-stages` removes it.

    ```mlir
    module {}
    // becomes, with mesh=data:2,tensor:4:ring,
    module attributes {ttc.mesh = #ttc.mesh<[<name = "data", size = 2>, <name = "tensor", size = 4, topology = ring>]>} {}
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect", "::mlir::shard::ShardDialect"];
  let options = [MeshOption, MicroBatchesOption];
}

def ExposeDimensions : Pass<"ttc-expose-dimensions", "::mlir::ModuleOp"> {
  let summary = "Rewrites ops that hide from a mesh how dimensions correspond";
  let description = [{
    Exporters write some ops in a form that allows no division, although others compute the same. If the module has a mesh:

    - A transpose of a tensor whose leading dimensions were merged, and stay, comes before the merge: heads that are merged
      with the batch can be divided no more.
    - A gather by constant indices that takes every element in order, such as that of a mask, becomes a reshape.

    ```mlir
    %0 = ttc.reshape %k : (tensor<2x4x6x8xf32>) -> tensor<8x6x8xf32>
    %1 = ttc.transpose %0 {permutation = [0, 2, 1]} : (tensor<8x6x8xf32>) -> tensor<8x8x6xf32>
    %2 = ttc.reshape %1 : (tensor<8x8x6xf32>) -> tensor<2x4x8x6xf32>
    // becomes
    %2 = ttc.transpose %k {permutation = [0, 1, 3, 2]} : (tensor<2x4x6x8xf32>) -> tensor<2x4x8x6xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def AnnotateSharding : Pass<"ttc-annotate-sharding", "::mlir::ModuleOp"> {
  let summary = "Annotates how tensors are divided among the devices of a mesh";
  let description = [{
    Adds `shard.shard` ops to functions, as `parallel` says for axes of the mesh:

    - `data`: the first dimension of the inputs is divided. It is the batch if it has the size of the first
      input's first dimension.
    - `tensor`: constants are divided, also if ops on constants alone convert them first. Dimensions of tensors that ops
      read and write together are divided together (`--ttc-partition` has the rules). The pass chooses the sets of such
      dimensions that save the most operations, in which no op needs the whole, and whose sums move few bytes for what
      they save: the columns of one product and the rows of the next, the heads of an attention. Tables of embeddings
      that are much larger than what is looked up in them are divided by columns, and what is looked up is gathered at
      once.

    - `pipeline`: nothing here; `--ttc-split-stages` divides the function.

    The axis of micro-batches divides the first dimension of inputs, within what `data` leaves of it.

    Values that have a `shard.shard` keep it. Where nothing is divided, a warning says so.

    ```mlir
    %w1 = ttc.constant dense_resource<w1> : tensor<64x256xf32>
    %0 = ttc.matmul %x, %w1 : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    // becomes, with parallel=tensor, if the rows of the next product are constant, too,
    %w1 = ttc.constant dense_resource<w1> : tensor<64x256xf32>
    %sharding = shard.sharding @mesh split_axes = [[], [0]] : !shard.sharding
    %w1_0 = shard.shard %w1 to %sharding annotate_for_users : tensor<64x256xf32>
    %0 = ttc.matmul %x, %w1_0 : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    ```

    Counters (`--mlir-pass-statistics`): `annotated`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect", "::mlir::shard::ShardDialect"];
  let options = [ParallelOption];
}

def Partition : Pass<"ttc-partition", "::mlir::ModuleOp"> {
  let summary = "Makes the program of each device of a mesh out of annotated functions";
  let description = [{
    Functions become those that every device of `ttc.mesh` runs: types are those of one device's part, constants that are
    divided become `#ttc.shards`, and collectives are inserted where devices need what others have. Arguments and
    results that are divided have `ttc.sharding`. A result stays divided along its first dimension, and along that of
    micro-batches; otherwise all devices have the whole. States are divided in all functions as the arguments are.

    `shard.shard` says how a value is divided. The pass divides others to match: `DimensionMapOpInterface`
    tells for each op which dimensions of operands and results are indexed by the same loop. Such
    dimensions, over all ops, are divided alike. A loop that adds up gives partial sums, and the op is followed by
    `ttc.all_reduce`. An op that needs a dimension whole gets it by `ttc.all_gather`; if it makes one
    whole that others need divided, each device takes its part, by indices that are a constant of its own. A sum that is used so alone becomes
    `ttc.reduce_scatter`.
    `shard.shard ... annotate_for_users` divides the result apart from the operand, unless that is an argument or a
    constant.

    Upstream's `--sharding-propagation` and `--shard-partition` are not used: they do not support loops that index a
    part of a dimension, as a reshape's do, dimensions that broadcast, or constants that differ from device to device.

    ```mlir
    func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %sharding = shard.sharding @mesh split_axes = [[], [0]] : !shard.sharding
      %w1 = ttc.constant dense_resource<w1> : tensor<64x256xf32>
      %w1_0 = shard.shard %w1 to %sharding annotate_for_users : tensor<64x256xf32>
      %w2 = ttc.constant dense_resource<w2> : tensor<256x64xf32>
      %0 = ttc.matmul %x, %w1_0 : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
      %1 = ttc.relu %0 : (tensor<8x256xf32>) -> tensor<8x256xf32>
      %2 = ttc.matmul %1, %w2 : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
      return %2 : tensor<8x64xf32>
    }
    // becomes
    func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %w1_shards = ttc.constant #ttc.shards<[dense_resource<w1_0> : tensor<64x128xf32>,
                                             dense_resource<w1_1> : tensor<64x128xf32>], [0, 1]>
      %w2_shards = ttc.constant #ttc.shards<[dense_resource<w2_0> : tensor<128x64xf32>,
                                             dense_resource<w2_1> : tensor<128x64xf32>], [0, 1]>
      %0 = ttc.matmul %x, %w1_shards : (tensor<8x64xf32>, tensor<64x128xf32>) -> tensor<8x128xf32>
      %1 = ttc.relu %0 : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %2 = ttc.matmul %1, %w2_shards : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32>
      %3 = ttc.all_reduce %2 {axes = ["x"]} : (tensor<8x64xf32>) -> tensor<8x64xf32>
      return %3 : tensor<8x64xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `collectives`, `operand-bytes`, `constant-bytes`, `device-constant-bytes`.
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect", "::mlir::shard::ShardDialect"];
}

def SplitStages : Pass<"ttc-split-stages", "::mlir::ModuleOp"> {
  let summary = "Divides functions into the stages of a pipeline";
  let description = [{
    If `parallel` has axes with `pipeline`, each function becomes as many as there are devices along them. Each of these is
    a stage, of the devices that have its coordinates (`ttc.devices`, `ttc.part_of`).

    The function consists of dispatches, exchanges and views, in order. It is cut so that the largest stage takes about
    the least time (operations, or bytes where these take longer), at most 5 % more than the best cut; of such cuts, that
    which sends the fewest bytes. Arguments belong to all stages that use them, results to the stage that computes
    them. A state belongs to the stage that uses it first, which also has to update it; a state that takes over the value of
    another one, to the stage of that. Functions that only write a state follow those that read it. What a later stage needs
    is sent to the next one, which passes it on: only neighbours wait for each other. A stage first receives, in the order in
    which the values were computed, and sends last. So all devices follow one order of sends and receives.

    Constants and views are copied into the stages that use them. For each micro-batch, a stage repeats the dispatches,
    of the same programs, on a part of its arguments.

    ```mlir
    func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %0 = ttc.dispatch @first(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
      %1 = ttc.dispatch @second(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
      return %1 : tensor<8x64xf32>
    }
    // becomes
    ttc.collective @permute permute direct sum f32 bytes 2048 groups [array<i64: 0, 1>] sources [-1, 0]
    func.func @main_0(%x: tensor<8x64xf32>) attributes {ttc.devices = array<i64: 0>, ttc.part_of = "main"} {
      %0 = ttc.dispatch @first(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
      ttc.send @permute(%0) : tensor<8x64xf32>
      return
    }
    func.func @main_1() -> tensor<8x64xf32> attributes {ttc.devices = array<i64: 1>, ttc.part_of = "main"} {
      %0 = ttc.receive @permute : tensor<8x64xf32>
      %1 = ttc.dispatch @second(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
      return %1 : tensor<8x64xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `stages`, `sends`, `sent-bytes`, `largest-stage-permille` (of the mean of all stages),
    `bubble-permille` (of the time of all devices, in which they wait for others).
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [ParallelOption];
}

def UnrollMesh : Pass<"ttc-unroll-mesh", "::mlir::ModuleOp"> {
  let summary = "Makes one program of what all devices of a mesh run";
  let description = [{
    For tests and debugging: what the devices compute can be run on one device, and compared with what the model
    computed before it was partitioned. Every op is copied for each device, a collective becomes ops on the operands of
    its group, arguments and results have their whole types again, and the module has no mesh.

    ```mlir
    %0 = ttc.constant #ttc.shards<[dense<1.0> : tensor<4xf32>, dense<2.0> : tensor<4xf32>], [0, 1]>
    %1 = ttc.all_reduce %0 {axes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %0 = ttc.constant dense<1.0> : tensor<4xf32>
    %1 = ttc.constant dense<2.0> : tensor<4xf32>
    %2 = ttc.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

#endif // TTC_MESH_PASSES_TD
