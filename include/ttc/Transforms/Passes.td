// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TRANSFORMS_PASSES_TD
#define TTC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===--- from tensor ops to programs --------------------------------------------------===//

def FoldConstants : Pass<"ttc-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Computes while compiling what depends on constants only";
  let description = [{
    Evaluates ops whose operands are constants, of any size: those that are elementwise or
    implement ConstantEvaluableOpInterface. Before that it rewrites so that more becomes
    constant: batch_norm turns into a multiplication and an addition for each channel; what
    multiplies or adds to the channels of an op that implements AffineWeightsOpInterface goes
    into its weights and bias; sums and products of several constants are joined.

    Large results are resources, called after the constant they were made from; the data of
    constants that nobody uses any more is freed.

    Before:
    ```mlir
    %0 = ttc.conv %x, %w {...} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = ttc.batch_norm %0, %scale, %bias, %mean, %var {...}
    ```
    After, where the weights are constant:
    ```mlir
    %w1 = ttc.constant ...    // %w * %scale / sqrt(%var + epsilon)
    %b1 = ttc.constant ...    // %bias - %mean * %scale / sqrt(%var + epsilon)
    %1 = ttc.conv %x, %w1, %b1 {...}
    ```
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1048576",
           "How many bytes larger than twice its operands a result may be">
  ];
  let statistics = [
    Statistic<"numEvaluated", "evaluated", "Ops evaluated">,
    Statistic<"numReleased", "released-bytes", "Bytes of constants freed">
  ];
}

def ChannelsLast : Pass<"ttc-channels-last", "::mlir::ModuleOp"> {
  let summary = "Computes on images whose channels are the last dimension";
  let description = [{
    Every op that implements ChannelsLastOpInterface computes on channels-last images, between
    transposes. These then move down, through elementwise ops (constants that broadcast are
    reshaped), ops that implement PermutableOpInterface and reshapes that split or merge
    neighbours, until they meet their inverse and vanish. A transpose that only moves
    dimensions of size 1 is a reshape. Constant weights of a matmul take the transpose of a
    flattened image over.

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
  }];
  let statistics = [
    Statistic<"numTransposes", "transposes", "Transposes left">
  ];
}

def ChooseKernels : Pass<"ttc-choose-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives dense f32 ops to the kernels that compute them";
  let description = [{
    Channels-last convolutions, matrix products and pools of f32 become kernel ops; what has
    no kernel stays for the route through linalg. Weights that do not change are packed by
    `ttc.pack`, to be folded by `--ttc-fold-constants`. Register tiles follow from the module's
    `ttc.target`, or from this machine where there is none.

    Transposes, slices and reshapes in front of a matrix product become strided views of its
    operands, a transpose behind it one of its result, so that nothing moves.

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
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernel ops in the module">
  ];
}

def Fuse : Pass<"ttc-fuse", "::mlir::ModuleOp"> {
  let summary = "Groups the ops that become one program";
  let description = [{
    Puts every op on tensors into exactly one `ttc.fusion`, but for constants (also those that
    `--ttc-fold-constants` is still to compute), reshapes (views that cost nothing) and host
    work:

    - a kernel op with the elementwise ops behind it, as far as its epilogue can run them: all
      of f32 and of the result's shape, other operands of that shape, vectors along the last
      dimension or single elements, and nothing but the last value used outside;
    - elementwise ops of one shape that feed each other and nobody else, the last of them
      possibly an op along some dimensions that keeps the shape (softmax);
    - any other op alone.

    Constants that are one element, or the same element everywhere, move into the fusions of
    elementwise ops that use them.

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
  }];
  let statistics = [
    Statistic<"numFusions", "fusions", "Fusions made">,
    Statistic<"numOps", "ops", "Ops in fusions">
  ];
}

def OutlinePrograms : Pass<"ttc-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Makes a program of every fusion and dispatches it";
  let description = [{
    Each `ttc.fusion` becomes a `ttc.dispatch` of a `ttc.program` that holds its body.
    Fusions with equal bodies (locations aside) share one program. A program is named
    after what it does and the shape it makes, made unique by the module's symbol table.
    The dispatch keeps the fusion's location: the nodes of the source model that it runs.

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
  }];
  let statistics = [
    Statistic<"numDispatches", "dispatches", "Fusions outlined">,
    Statistic<"numPrograms", "programs", "Programs made">
  ];
}


//===-- From programs to a plan --------------------------------------------------------===//

def SetTarget : Pass<"ttc-set-target", "::mlir::ModuleOp"> {
  let summary = "Gives the module the target that it is compiled for";
  let description = [{
    Sets the module's attribute `ttc.target`, which later passes ask. A module that has a
    target keeps it.

    ```mlir
    module {}
    // becomes, with target=wormhole_n150 target-cpu=x86-64-v3,
    module attributes {ttc.target = #ttc.target<name = "wormhole_n150", ...>} {}
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "cpu (this machine), wormhole_n150, wormhole_n300, blackhole_p150, or a .json file">,
    Option<"targetCpu", "target-cpu", "std::string", /*default=*/"\"native\"",
           "The CPU that runs the machine code, by LLVM's name; native is this machine's">
  ];
}

def FormTraces : Pass<"ttc-form-traces", "::mlir::func::FuncOp"> {
  let summary = "Marks what shall be replayed";
  let description = [{
    Puts the whole body of a function into one `ttc.traced` region, transfers of arguments
    and results included. A function in which somebody has marked regions already keeps them.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %h = ttc.traced -> tensor<4xf32> {
        %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
        %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
        %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
        ttc.yield %r : tensor<4xf32>
      }
      return %h : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def HoistIO : Pass<"ttc-hoist-io", "::mlir::ModuleOp"> {
  let summary = "Moves transfers, constants and host work out of traced regions";
  let description = [{
    Outlines each traced region as a `ttc.trace` that holds device work only. Constants and
    transfers to the device go before it, transfers from the device behind it. Host work whose
    operands come from device work of the region and whose results go back to device work
    splits the region into two traces with the host work between.

    What cannot be moved, because it has effects that nobody knows or orders other work, is an
    error that names the op and offers a rewrite.

    ```mlir
    %h = ttc.traced -> tensor<4xf32> {
      %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
      %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
      %r = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
      ttc.yield %r : tensor<4xf32>
    }
    // becomes
    %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
    %y = ttc.execute @main_t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
    %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
    // and
    ttc.trace @main_t0(%d: tensor<4xf32>) -> tensor<4xf32> {
      %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %y : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let statistics = [
    Statistic<"numTraces", "traces", "Traces formed">,
    Statistic<"numSplits", "splits", "Traced regions split by host work">,
    Statistic<"numHoisted", "hoisted", "Ops moved out of traced regions">
  ];
}

def VerifyHoisted : Pass<"ttc-verify-hoisted", "::mlir::ModuleOp"> {
  let summary = "Checks that no trace holds host work";
  let description = [{
    After hoisting no `ttc.traced` region is left; a trace holds device work and views only;
    a function holds constants, views and work that the host enqueues. Changes nothing.
  }];
}

def ScheduleQueues : Pass<"ttc-schedule-queues", "::mlir::ModuleOp"> {
  let summary = "Turns functions into entry points with schedules";
  let description = [{
    Gives every tensor that lives outside of a trace a buffer, still without an address:
    constants (equal bytes once), slots for inputs and outputs, what passes from one trace to
    the next, host memory for host work. Binds the traces' arguments and results to them, and
    replaces the function by a `ttc.entry` whose schedule enqueues the same work.

    The schedule `single` uses one queue: all writes, then the work in the function's order,
    then all reads. Events between steps of one queue are satisfied by the order and vanish.

    `schedules` names the schedules that each entry point shall have (include/ttc/Transforms/
    Schedules.h lists them; `single` is always the first). All but `single` are noted on the entry
    point as wanted: where their events go is known only when traces are command streams, so
    `--ttc-overlap-transfers` makes them. `slots` is how many slots each input and output has then,
    to be used in turn: the further ones are made here, so that they are planned with the others.

    ```mlir
    func.func @main(%x: tensor<4xf32> {ttc.name = "x"}) -> tensor<4xf32> {
      %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
      %y = ttc.execute @main_t0(%d) : (tensor<4xf32>) -> tensor<4xf32>
      %h = ttc.from_device %y : tensor<4xf32> to tensor<4xf32>
      return %h : tensor<4xf32>
    }
    // becomes
    ttc.buffer slot @x : tensor<4xf32> in dram
    ttc.buffer slot @output0 : tensor<4xf32> in dram
    ttc.entry @main {
      ttc.input "x" at @x : tensor<4xf32>
      ttc.output "output0" at @output0 : tensor<4xf32>
      ttc.schedule "single" queues 1 body {
        ttc.enqueue.write 0 to @x on 0
        ttc.enqueue.execute @main_t0 on 0
        ttc.enqueue.read 0 from @output0 on 0
      }
    }
    // With `schedules=overlap-io slots=2` also
    ttc.buffer slot @x_slot1 : tensor<4xf32> in dram
    ttc.buffer slot @output0_slot1 : tensor<4xf32> in dram
    ttc.entry @main attributes {wanted_schedules = ["overlap-io"]} {
      ttc.input "x" at @x ring [@x_slot1] : tensor<4xf32>
      ...
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [
    ListOption<"schedules", "schedules", "std::string",
               "Names of the schedules; `all` for those that fit the number of queues">,
    Option<"queues", "queues", "int64_t", /*default=*/"0",
           "Queues that schedules may use; 0: as many as the target has">,
    Option<"slots", "slots", "int64_t", /*default=*/"1",
           "Slots of each input and output, up to 1024, which the schedules of two queues use in turn">
  ];
  let statistics = [
    Statistic<"numConstants", "constants", "Constants stored">,
    Statistic<"numShared", "shared-constants", "Constants equal to one that is stored">
  ];
}

def ElideMoves : Pass<"ttc-elide-moves", "::mlir::ModuleOp"> {
  let summary = "Lets programs write and read parts of tensors where they lie";
  let description = [{
    A dispatch whose program only moves elements (one op that implements PlacedMoveOpInterface)
    becomes that op itself, standing in the trace: nothing is moved, its operands are parts of its
    result's bytes, or its results parts of its operand's. The programs that write or read such a
    part get a variant for its rows (`ttc.rows`); programs and kernels that cannot follow rows
    keep a contiguous operand, and so does what a trace takes or gives. An operand of a concat
    that cannot lie in it is copied there.

    Concats that begin with the same operands, as dense blocks make them, become one of another:
    then all of them are parts of the longest one.

    ```mlir
    %a = ttc.dispatch @conv(%x) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %c = ttc.dispatch @concat(%x0, %a)
      : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
    // becomes
    %a = ttc.dispatch @conv_0(%x) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %c = ttc.concat %x0, %a {axis = 3}
      : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32>
    // where @conv_0 is @conv with
    ttc.program private @conv_0(...)
      -> (tensor<1x4x4x8xf32> {ttc.rows = #ttc.rows<row = 8, pitch = 16, alignment = 32>})
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let statistics = [
    Statistic<"numElided", "elided", "Dispatches that moved elements and are gone">,
    Statistic<"elidedBytes", "elided-bytes", "Bytes that are no longer written by them">,
    Statistic<"numCopies", "copies", "Parts that are still copied into place">,
    Statistic<"numVariants", "variants", "Programs compiled for operands in rows">
  ];
}

def ShardTensors : Pass<"ttc-shard-tensors", "::mlir::ModuleOp"> {
  let summary = "Shards tensors over the cores' L1, and runs programs on the shards";
  let description = [{
    A chain of commands on shards stays in its cores: workgroup k of each command reads and writes
    what lies in the L1 of core k, so that none of them waits for another core.

    Layouts come from the types of dispatches' results and from `ttc.to_memory`, where the IR asks for
    them, and from `shard`: then every value gets one that a program can make and another one
    can read in place, as long as half of L1 holds what is alive. A layout without a grid gets as many
    shards as the target and the program allow.

    A dispatch of sharded values runs a variant of its program for one shard (`shards`, `ttc.shard`),
    made through ShardableOpInterface. It reads slices of operands that are not sharded where they
    lie. Where a producer's layout is not the one that a consumer needs, and where an op
    takes no shards at all, `ttc.to_memory` moves the value, by a program with a workgroup for each
    part that is of one shard both here and there.

    ```mlir
    %a = ttc.dispatch @relu(%x) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %y = ttc.dispatch @softmax(%a) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    // becomes, with shard=height on 4 cores
    %a = ttc.dispatch @relu_0(%x) : (tensor<16x8xf32>)
      -> tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>
    %y = ttc.dispatch @softmax_0(%a)
      : (tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>) -> tensor<16x8xf32>
    // where
    ttc.program private @relu_0(
        %a: tensor<4x8xf32> {ttc.shard = #ttc.shard<tensor<16x8xf32>, cuts = [0, -1]>})
        -> (tensor<4x8xf32> {ttc.shard = #ttc.shard<
            tensor<16x8xf32, #ttc.layout<l1, height_sharded, grid = [4, 1]>>, cuts = [0, -1]>})
        attributes {shards = array<i64: 4>} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [
    Option<"shard", "shard", "std::string", /*default=*/"\"none\"",
           "Shard what can be: none, height, width or block">
  ];
  let statistics = [
    Statistic<"numSharded", "sharded", "Results of dispatches that are sharded">,
    Statistic<"numMoves", "moves", "ttc.to_memory between layouts">
  ];
}

def PlaceTensors : Pass<"ttc-place-tensors", "::mlir::ModuleOp"> {
  let summary = "Decides which tensors lie in L1 and which in DRAM";
  let description = [{
    On a target whose L1 can hold interleaved tensors, what goes through DRAM is what costs. So the
    tensors of traces go to L1 where they fit beside what else lives there (scratch, shards, tensors
    that were given an L1 layout), such that the bytes that all accesses of one inference move
    through DRAM are as few as possible. An access moves the bytes of its operand: each command that
    reads or writes a tensor, and each transfer of the host to a slot or from one. docs/memory.md has
    the model; lib/Planner's `choose` solves it, and what it chooses can be planned.

    First every tensor gets a buffer, as `--ttc-preallocate` would give it; the unit of the decision
    is the buffer, with all that lies in it (parts of a concat, results written in place). What a
    person has given a layout keeps it. Outputs stay in DRAM: a slot in L1 would save one write, and
    be in the way for the whole trace.

    `input-memory` says where inputs lie:

    - `dram`: the slot is in DRAM. If a trace reads it more than once, and there is room, the first
      command of the trace copies it to L1.
    - `l1`: the slot is in L1. When its last reader is done its bytes may be used by later
      tensors; but where a schedule writes the next input ahead, only if it does not fit otherwise,
      because the write then has to wait for these as well.
    - `auto`: in L1 if it fits there for as long as it is needed without delaying a write, and is
      worth more than other tensors in its place; else as with `dram`.

    Targets without interleaved L1 (`cpu`) and `memory=dram` leave all tensors in DRAM.

    ```mlir
    ttc.trace @main_t0(%x: tensor<64xf32> {ttc.buffer = @x})
        -> (tensor<64xf32> {ttc.buffer = @y}) {
      %0 = ttc.dispatch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
      %1 = ttc.dispatch @g(%x, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      ttc.yield %1 : tensor<64xf32>
    }
    // with input-memory=dram becomes
    ttc.buffer activation @x_l1 : tensor<64xf32> in l1
    ttc.buffer activation @main_t0_0 : tensor<64xf32> in l1
    ttc.trace @main_t0(%x: tensor<64xf32> {ttc.buffer = @x})
        -> (tensor<64xf32> {ttc.buffer = @y}) {
      %2 = ttc.to_memory %x {ttc.buffer = [@x_l1]}
        : tensor<64xf32> to tensor<64xf32, #ttc.layout<l1>>
      %0 = ttc.dispatch @f(%2) {ttc.buffer = [@main_t0_0]} : ...
      %1 = ttc.dispatch @g(%2, %0) {ttc.buffer = [@y]} : ...
      ttc.yield %1 : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [
    Option<"memory", "memory", "std::string", /*default=*/"\"auto\"",
           "auto: tensors lie in L1 where that saves traffic through DRAM; dram: all in DRAM">,
    Option<"inputMemory", "input-memory", "std::string", /*default=*/"\"auto\"",
           "Where the slots of inputs lie: auto, dram or l1">,
    Option<"shareActivations", "share-activations", "bool", /*default=*/"true",
           "Whether --ttc-preallocate will let activations of different entry points share bytes">
  ];
  let statistics = [
    Statistic<"dramBytesBefore", "dram-bytes-before",
              "Bytes through DRAM of one inference, with all tensors in DRAM">,
    Statistic<"dramBytes", "dram-bytes", "Bytes through DRAM of one inference">,
    Statistic<"numTensors", "l1-tensors", "Buffers placed in L1">,
    Statistic<"numSlots", "l1-slots", "Inputs that were given a slot in L1">,
    Statistic<"numCopies", "l1-copies", "Inputs copied from DRAM to L1">
  ];
}

def Preallocate : Pass<"ttc-preallocate", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of every trace a fixed address";
  let description = [{
    Makes a buffer for each value inside a trace; a view shares its source's, parts lie in the
    buffer of what they are parts of, and a result takes the buffer of an operand that nothing
    reads any more, where its program may write over it (`ttc.in_place`). Lifetimes count
    the work of all default schedules in order. Then DRAM is laid out from the bottom:
    constants in the order in which they are used, from the next page on slots and state, above
    them the activations as lib/Planner places them. Host memory is planned the same way, and L1,
    where each command's scratch lies at the bottom while it runs; buffers in L1 have one offset, and
    an equal part on each core that they live on. A slot in L1 is alive from its write to its last
    reader only.

    All entry points are planned together. They never run at the same time, so activations of
    different ones share bytes, unless `share-activations=false`; constants, slots and state
    keep theirs whichever runs.

    A plan that does not fit the target is an error with the bytes needed, the bytes there and
    the buffers alive at the peak, largest first, each at the op that made it.

    ```mlir
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %z : tensor<4xf32>
    }
    // gets
    ttc.buffer slot @x : tensor<4xf32> in dram at 0x0 size 64
    ttc.buffer slot @output0 : tensor<4xf32> in dram at 0x40 size 64
    ttc.buffer activation @main_t0_0 : tensor<4xf32> live [1, 3) in dram at 0x80 size 64
      %y = ttc.dispatch @f(%x) {ttc.buffer = [@main_t0_0]} : (tensor<4xf32>) -> tensor<4xf32>
      %z = ttc.dispatch @f(%y) {ttc.buffer = [@output0]} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [
    Option<"shareActivations", "share-activations", "bool", /*default=*/"true",
           "Let activations of different entry points share bytes">
  ];
  let statistics = [
    Statistic<"l1Bytes", "l1-bytes", "What tensors and scratch take of each core's L1">,
    Statistic<"constantBytes", "constant-bytes", "Bytes of constants">,
    Statistic<"slotBytes", "slot-bytes", "Bytes of slots and state">,
    Statistic<"activationBytes", "activation-bytes", "Height of the activations">,
    Statistic<"lowerBoundBytes", "lower-bound-bytes", "Least height that activations can have">,
    Statistic<"numInPlace", "in-place", "Results that are written over an operand">
  ];
}

def EncodeCommands : Pass<"ttc-encode-commands", "::mlir::ModuleOp"> {
  let summary = "Traces to command streams";
  let description = [{
    Replaces the work in each planned trace by commands on buffers, with a barrier before a
    command that touches bytes of an earlier one since the last barrier, unless both only read,
    or both have one workgroup (one core runs these in order). Scratch counts as written, in the
    L1 of core 0 and, if there are more workgroups, of all other cores. Lifetimes then count the
    commands and steps of the timeline.

    ```mlir
    ttc.trace @main_t0(%x: tensor<4xf32> {ttc.buffer = @x})
        -> (tensor<4xf32> {ttc.buffer = @output0}) {
      %y = ttc.dispatch @f(%x) {ttc.buffer = [@output0]} : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %y : tensor<4xf32>
    }
    // becomes
    ttc.trace @main_t0() {
      ttc.cmd.dispatch @f(@x) into (@output0)
      ttc.cmd.end
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let statistics = [
    Statistic<"numCommands", "commands", "Commands, barriers and ends included">,
    Statistic<"numBarriers", "barriers", "Barriers">
  ];
}

def OverlapTransfers : Pass<"ttc-overlap-transfers", "::mlir::ModuleOp"> {
  let summary = "Makes the schedules that entry points want beside `single`";
  let description = [{
    The second half of `--ttc-schedule-queues`: makes each of an entry point's `wanted_schedules`
    out of `single`, for a host that runs ahead. With one queue there is

    - `single-untraced`: as `single`, every command enqueued by the host.

    With two, queue 0 runs and queue 1 transfers:

    - `overlap-input`: queue 1 writes the next inputs while queue 0 still runs; queue 0 reads.
    - `overlap-io`: queue 1 also reads, and the next write stands in front of the readback: in the
      steady state neither is waited for where computing takes longer than both.

    A write waits until the input before it is *consumed*: no later command touches a byte of its
    slot. Inputs with one consumer share an event, and what is consumed first is written first. A
    command that is the first to touch a byte of an output's slot waits until the
    outputs before it are *drained*. Both commands are found by address, not by name. They stand

    - in `overlap-input` and `overlap-io` outside of the trace, as steps of their own, so that the
      host can enqueue the events around them; what is left of the trace is one trace before, one
      between and one behind them;
    - in `overlap-input-untraced` and `overlap-io-untraced` likewise, and all other commands, too;
    - in `overlap-io-signals` inside the trace: a copy of the stream signals and waits itself, so an
      inference is one execute.

    Where the host itself does that work between traces, events stand around its step. With a ring
    of slots the body of a schedule is a turn of the ring: an inference for each slot, with events
    of its own; commands that touch no slot are shared by all of them. The prologue of
    `overlap-io` begins as many inferences as there are slots. docs/queues.md has the semantics of
    events and says why these schedules are free of races.

    Runs on encoded traces, because only there is the order of all accesses known. An entry point
    is left with one queue, and a remark, where bytes of an input's slot are also an output's, or
    are state: they cannot be written ahead.

    ```mlir
    ttc.trace @main_t0() {
      ttc.cmd.dispatch @f(@x) into (@a)
      ttc.cmd.barrier
      ttc.cmd.dispatch @g(@a) into (@y)
      ttc.cmd.end
    }
    ttc.entry @main attributes {wanted_schedules = ["overlap-io", "overlap-io-signals"]} {
      ...
      ttc.schedule "single" queues 1 body { ... }
    }
    // becomes
    ttc.event @main_drained
    ttc.event @main_written
    ttc.event @main_consumed
    ttc.event @main_computed
    ttc.trace @main_t0_signals() {
      ttc.cmd.dispatch @f(@x) into (@a)
      ttc.cmd.signal @main_consumed
      ttc.cmd.barrier
      ttc.cmd.wait @main_drained
      ttc.cmd.dispatch @g(@a) into (@y)
      ttc.cmd.end
    }
    ttc.entry @main {
      ...
      ttc.schedule "single" queues 1 body { ... }
      ttc.schedule "overlap-io" queues 2 prologue { ... } body {
        ttc.enqueue.wait @main_consumed on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.dispatch @f(@x) into (@a) on 0
        ttc.enqueue.record @main_consumed on 0
        ttc.enqueue.wait @main_drained on 0
        ttc.enqueue.dispatch @g(@a) into (@y) on 0
        ttc.enqueue.record @main_computed on 0
      } epilogue { ... }
      ttc.schedule "overlap-io-signals" queues 2 prologue {
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.execute @main_t0_signals on 0
        ttc.enqueue.record @main_computed on 0
      } body {
        ttc.enqueue.wait @main_consumed on 1
        ttc.enqueue.write 0 to @x on 1
        ttc.enqueue.record @main_written on 1
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
        ttc.enqueue.wait @main_written on 0
        ttc.enqueue.execute @main_t0_signals on 0
        ttc.enqueue.record @main_computed on 0
      } epilogue {
        ttc.enqueue.wait @main_computed on 1
        ttc.enqueue.read 0 from @y on 1
        ttc.enqueue.record @main_drained on 1
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let statistics = [
    Statistic<"numSchedules", "schedules", "Schedules added">,
    Statistic<"numParts", "parts", "Traces that are copies, or parts, of others">
  ];
}

def SizeTraceRegion : Pass<"ttc-size-trace-region", "::mlir::ModuleOp"> {
  let summary = "Gives every stream its place in the trace region";
  let description = [{
    The trace region ends where DRAM ends and holds exactly the streams, each padded to 64
    bytes. A region that meets the buffers below is an error.

    Where `trace-region-size` is given, less than the streams need is an error that states their
    size, in all and on each bank; more is reserved (and then written down as the module's
    `ttc.trace_region`), with the streams at its end.

    ```mlir
    ttc.trace @main_t0() { ... }
    // becomes
    ttc.trace @main_t0 region at dram 0xfffffffc0 size 48 { ... }
    ```
  }];
  let options = [
    Option<"traceRegionSize", "trace-region-size", "int64_t", /*default=*/"-1",
           "Bytes reserved for the trace region; without it the region takes what it needs">
  ];
  let statistics = [
    Statistic<"regionBytes", "region-bytes", "Bytes of the trace region">,
    Statistic<"bankBytes", "bank-bytes", "What the trace region takes of each DRAM bank">
  ];
}

def VerifyPlan : Pass<"ttc-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Proves the plan, with other code than the planner's";
  let description = [{
    Checks that every buffer has an aligned address inside its memory, apart from the streams;
    that no two buffers alive at one point of the timeline share a byte; that every access
    falls into its buffer's lifetime and every read has a write before it; that no two accesses
    between two barriers conflict; that streams are apart and fill the region. Changes nothing.
  }];
}

#endif // TTC_TRANSFORMS_PASSES_TD
