// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CODEGEN_PASSES_TD
#define TTC_CODEGEN_PASSES_TD

include "ttc/Transforms/Options.td"

def PlanGemms : Pass<"ttc-plan-gemms", "::mlir::ModuleOp"> {
  let summary = "Decides how each gemm walks its loops";
  let description = [{
    Gives every `ttc.kernel.gemm` its `plan`: how the rows of `a` are found, the grid, and the blocks
    of row tiles. These depend on the layouts of operands and on shards, so both must be known. The
    tile and the packing of `b` are decided earlier, by `--ttc-choose-kernels`. An existing plan is
    replaced.

    Plans that were measured (`ttc.tuning`, see `--ttc-read-tuning`) are taken instead of estimated ones. They are
    verified like any plan, and must leave the scratch within the target's L1. This is the last pass
    that reads `ttc.tuning`; it removes the attribute.

    ```mlir
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
        : (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<128x768xf32>
    // becomes
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>,
        plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 16], block = 11>}
        : (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<128x768xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def ExpandZones : Pass<"ttc-expand-zones", "::mlir::ttc::ProgramOp"> {
  let summary = "Zones of programs to their ops";
  let description = [{
    Replaces every `ttc.zone` by the ops of its region. In a program with `markers`, the location of
    each op tells the zones that it was in, by a fused location with `{ttc.zone = [...]}`; without, nothing
    of them remains. Passes keep locations and never decide by them, so that a program with zones
    becomes the same loops as one without, and the same bits.

    With `instrument`, programs with a body of tensor ops get `markers` first. In a program with markers and without any
    `ttc.zone`, each op gets an automatic zone with the op's name, which is a string in the location instead of an
    array.

    ```mlir
    ttc.program @p(%x: tensor<8xf32>) -> tensor<8xf32> attributes {markers} {
      %0 = ttc.zone "activation" {
        %1 = ttc.relu %x : (tensor<8xf32>) -> tensor<8xf32> loc("relu")
        ttc.yield %1 : tensor<8xf32>
      } : tensor<8xf32>
      ttc.return %0 : tensor<8xf32>
    }
    // becomes
    ttc.program @p(%x: tensor<8xf32>) -> tensor<8xf32> attributes {markers} {
      %0 = ttc.relu %x : (tensor<8xf32>) -> tensor<8xf32> loc(fused<{ttc.zone = ["activation"]}>["relu"])
      ttc.return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    InstrumentOption
  ];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

// The steps of --ttc-lower-programs (lib/Codegen/Pipelines.cpp, which says why in this order). They
// hand decisions to each other as attributes of the functions in a program's body:
//
//   ttc.workgroups     on a function: the number of workgroups that its work is divided into
//   ttc.scratch_bytes  on a function: bytes of the core's L1 that a workgroup needs
//                      (--ttc-compile-programs compares both, on the function of the program's
//                      name, with the program's `grid` and `scratch_bytes`)
//   ttc.in_place       on an argument that is written: the arguments that may be the same memory
//   ttc.epilogue       on a function: a kernel's epilogue, not yet decided upon; the most vector
//                      constants with which the kernel inlines it

def OutlineBodies : Pass<"ttc-outline-bodies", "::mlir::ttc::ProgramOp"> {
  let summary = "Tensor ops of programs to functions on the operands' memory";
  let description = [{
    The passes that follow are MLIR's and ours on functions and memrefs; a program is neither. This
    pass replaces a body of tensor ops by a module with one function, `@body`: inputs and outputs
    are memrefs (of signless elements, strided where the program says so), results are materialized
    in the outputs, and the last argument is the workgroup's number. Programs with a kernel are left
    to `--ttc-call-kernels`.

    If elementwise ops alone make the one result, each element of an argument of its shape is read
    for the result's element at the same place only: `ttc.in_place` on the output names these
    arguments. This is decided here because it follows from what the tensor ops mean.

    A tensor without elements is an error: the passes that follow cannot tile it.

    ```mlir
    ttc.program @relu(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
      %0 = ttc.relu %a : (tensor<64x8xf32>) -> tensor<64x8xf32>
      ttc.return %0 : tensor<64x8xf32>
    }
    // becomes
    ttc.program @relu(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
      builtin.module {
        func.func private @body(%in: memref<64x8xf32>,
                                %out: memref<64x8xf32> {ttc.in_place = array<i64: 0>},
                                %workgroup: index) {
          %x = bufferization.to_tensor %in restrict : memref<64x8xf32> to tensor<64x8xf32>
          %0 = ttc.relu %x : (tensor<64x8xf32>) -> tensor<64x8xf32>
          bufferization.materialize_in_destination %0 in restrict writable %out
            : (tensor<64x8xf32>, memref<64x8xf32>) -> ()
          return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def FuseElementwise : Pass<"ttc-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Elementwise linalg ops into their consumers, where that repeats little work";
  let description = [{
    A value between two ops that is never stored costs no memory traffic. MLIR's
    `linalg-fuse-elementwise-ops` does the same with a fixed rule, a single use of the producer:
    it computes a costly producer again for each element of a broadcast, and leaves a cheap one of
    two uses in memory. This pass uses MLIR's patterns with another rule: a producer is fused if its
    body costs at most four simple instructions, or if it has one use and the consumer does not
    run more often than it. Constants, unused operands and equal ops go as well.

    ```mlir
    %0 = linalg.generic {...} ins(%a) outs(%e) { ... arith.negf ... }
    %1 = linalg.generic {...} ins(%0) outs(%e) { ... arith.addf ... }
    // becomes
    %1 = linalg.generic {...} ins(%a) outs(%e) { ... arith.negf ... arith.addf ... }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def TileIntoWorkgroups : Pass<"ttc-tile-into-workgroups", "::mlir::func::FuncOp"> {
  let summary = "Linalg ops on tensors to loops over tiles, divided among workgroups";
  let description = [{
    An op whose result is written to an output is a root. A root becomes a loop over the tiles of
    its workgroup; each tile is written straight into its part of the output, and what it reads of
    other ops is computed for just this tile, so that intermediate values are small and stay in the
    cache. Operands that are one value at constant distances, such as the elements of a window, are slices of
    one tile, which is computed once. Reshapes and insertions on the way to an output become views of it.

    `ttc.workgroups` on the function is the number of workgroups: one for each `workgroup-bytes` of
    work, at most `max-workgroups`, and no more than pay for what every workgroup repeats. It
    depends on shapes only, so results do not depend on the machine. The function's last argument,
    an index, is the workgroup's number.

    ```mlir
    func.func @body(%in: memref<256x256xf32>, %out: memref<256x256xf32>, %workgroup: index) {
      %a = bufferization.to_tensor %in restrict : ...
      %e = tensor.empty() : tensor<256x256xf32>
      %0 = linalg.generic {...} ins(%a) outs(%e) { ... }
      bufferization.materialize_in_destination %0 in restrict writable %out : ...
      return
    }
    // becomes
    func.func @body(%in: memref<256x256xf32>, %out: memref<256x256xf32>, %workgroup: index)
        attributes {ttc.workgroups = 8 : i64} {
      %a = bufferization.to_tensor %in restrict : ...
      %first = arith.muli %workgroup, %tiles_of_each : index
      ...
      scf.for %tile = %first to %last step %c1 {
        %row = arith.muli %tile, %c32 : index
        %slice = tensor.extract_slice %a[%row, 0] [32, 256] [1, 1] : ...
        %view = memref.subview %out[%row, 0] [32, 256] [1, 1] : ...
        %to = bufferization.to_tensor %view restrict writable : ...
        %0 = linalg.generic {...} ins(%slice) outs(%to) { ... }
        bufferization.materialize_in_destination %0 in restrict writable %view : ...
      }
      return
    }
    ```

    Counters (`--mlir-pass-statistics`): `tiles` (tiles of all workgroups together).
  }];
  let options = [
    Option<"workgroupBytes", "workgroup-bytes", "int64_t", /*default=*/"32 * 1024",
           "The work that is worth a workgroup, in bytes of memory moved in the same time">,
    Option<"maxWorkgroups", "max-workgroups", "int64_t", /*default=*/"0",
           "The largest number of workgroups (default: 0, what `ttc.max_workgroups` of the module says, or 16)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PlanScratch : Pass<"ttc-plan-scratch", "::mlir::func::FuncOp"> {
  let summary = "Allocations to offsets in the core's scratch memory";
  let description = [{
    A program has no allocator: what bufferization allocates becomes a view of one buffer, a new
    last argument of the function, whose bytes are `ttc.scratch_bytes` (without allocations 0, and
    no argument). Offsets come from the planner (lib/Planner), with the lives of the allocations as
    its intervals, and are checked by its validator. Allocations of dynamic size need a constant
    bound. Every offset is a multiple of 64 bytes.

    MLIR has no such pass: `buffer-deallocation` pairs allocations with frees, and
    `promote-buffers-to-stack` makes an alloca of each, which share no bytes.

    ```mlir
    func.func @body(%in: memref<16xf32>, %out: memref<16xf32>, %workgroup: index) {
      %t = memref.alloc() : memref<16xf32>
      ...
    }
    // becomes
    func.func @body(%in: memref<16xf32>, %out: memref<16xf32>, %workgroup: index,
                    %scratch: memref<64xi8>) attributes {ttc.scratch_bytes = 64 : i64} {
      %c0 = arith.constant 0 : index
      %t = memref.view %scratch[%c0][] : memref<64xi8> to memref<16xf32>
      ...
    }
    ```

    Counters (`--mlir-pass-statistics`): `temporaries` (allocations that were placed).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def AnnotateAliasing : Pass<"ttc-annotate-aliasing", "::mlir::func::FuncOp"> {
  let summary = "States which memref arguments do not overlap";
  let description = [{
    LLVM vectorises a loop only if it can prove that stores do not change what is loaded later. Memref arguments get
    `llvm.noalias`, except those that `ttc.in_place` allows to be the same memory: their loops are marked later, by
    `--ttc-mark-parallel-loops`. A function with scratch writes its tiles again and again, so its loops are not
    parallel; `ttc.in_place` is dropped there, and all arguments are distinct. Needs `ttc.scratch_bytes`.

    ```mlir
    func.func private @body(%a: memref<8xf32>, %b: memref<4xf32>,
                            %out: memref<8xf32> {ttc.in_place = array<i64: 0>}, %workgroup: index)
        attributes {ttc.scratch_bytes = 0 : i64}
    // becomes
    func.func private @body(%a: memref<8xf32>, %b: memref<4xf32> {llvm.noalias},
                            %out: memref<8xf32> {ttc.in_place = array<i64: 0>}, %workgroup: index)
        attributes {ttc.scratch_bytes = 0 : i64}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LinalgToLoops : Pass<"ttc-linalg-to-loops", "::mlir::func::FuncOp"> {
  let summary = "Linalg ops on memrefs to loops that LLVM vectorises";
  let description = [{
    Makes as few loops as possible, the one with contiguous accesses innermost, with addresses that
    are linear in the loops' counters and sums in registers where the innermost loop is a reduction.
    A sum, or product, of floats that folds the innermost dimension is made of 8 or 32 partial sums, element i in that of
    number i modulo their number, which are then added by halves. This order, which vectors of any length allow, is the same
    for all CPUs. Sums may be contracted with the products that they add. Other arithmetic is IEEE 754's. Copies
    are loops like all others.

    A contiguous innermost loop of 16 or more iterations is kept from being unrolled before LLVM vectorises:
    it would then vectorise the loop around it, with scattered accesses. Conditions that compare the
    innermost counter with constants, as padding and concatenation have them, cut that loop into at most 5
    parts in each of which they are constant.

    MLIR's `convert-linalg-to-loops` keeps the dimensions' order and number, loads and stores an
    accumulator in memory in each iteration, and addresses by several indices, which after lowering
    hide from LLVM that an access is contiguous: a softmax of rows of 1000 then takes 6.7 times as
    long, sums of rows 2.6 times. It is used for what has no linear addresses.

    If locations have zones (`--ttc-expand-zones`), `ttc.zone_begin` and `ttc.zone_end` are put around the
    loops. An op is in the zones of what its body computes: of ops of different zones that were fused,
    in those that they share and one of all other names, `first+second`. Consecutive ops of one zone in a
    block are in it together. An automatic zone is around each op; where several ops with different
    scalar ops have its name, the scalar op that gives the result is added: `softmax.exp`. There are no automatic
    zones around fills, nor around fewer than 256 elements in a loop.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "parallel"], ...}
        ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32>) { ... arith.negf ... }
    // becomes
    %from = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : ...
    %to = memref.reinterpret_cast %b to offset: [0], sizes: [32], strides: [1] : ...
    scf.for %i = %c0 to %c32 step %c1 {
      %at = arith.addi %c0, %i : index
      %x = memref.load %from[%at] : memref<32xf32>
      %y = arith.negf %x : f32
      memref.store %y, %to[%at] : memref<32xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CallKernels : Pass<"ttc-call-kernels", "::mlir::ttc::ProgramOp"> {
  let summary = "Kernel ops to calls of kernels, with the elementwise tail as epilogue";
  let description = [{
    Replaces a body that is one kernel op and elementwise ops after it by a module with the function
    of the program's name and ABI, which calls the kernel, and a function `@epilogue`, which the
    kernel calls on each vector of its result: the elementwise ops, with what else they read loaded
    at the vector's place. Parameters, operands and epilogue become constants of the kernel when it
    is compiled. Sets `ttc.workgroups` and `ttc.scratch_bytes` on the function, and `scratch_bytes`
    and, without shards, `grid` on the program. Sets `ttc.in_place` for what the tail alone reads, and for
    the operands that the kernel updates.

    A kernel without an epilogue may have several results; they are those of the program.

    The kernel's last argument is the address of the markers: a constant 0 if the program has none;
    else the scratch ends with them, as after `--ttc-add-entries`, and the call is the main zone, with the kernel's
    name.

    ```mlir
    ttc.program @p(%a: tensor<6x64xf32>, %b: tensor<1x1x64x16xf32>) -> tensor<6x16xf32> {
      %0 = ttc.kernel.gemm %a, %b {...} : ...
      %1 = ttc.relu %0 : (tensor<6x16xf32>) -> tensor<6x16xf32>
      ttc.return %1 : tensor<6x16xf32>
    }
    // becomes
    ttc.program @p(%a: tensor<6x64xf32>, %b: tensor<1x1x64x16xf32>) -> tensor<6x16xf32>
        attributes {grid = 1 : i64, scratch_bytes = 0 : i64} {
      builtin.module {
        llvm.mlir.global internal constant @params(dense<[...]> : tensor<64xi64>)
        llvm.func @ttc_kernel_gemm(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
        llvm.func @p(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
          ...
          llvm.call @ttc_kernel_gemm(%array, %scratch, %workgroup, %params, %epilogue, %markers) : ...
          llvm.return
        }
        func.func @epilogue(%sum: vector<8xf32>, %row: i64, %column: i64, %lanes: i64,
                            %operands: !llvm.ptr) -> vector<8xf32>
            attributes {ttc.epilogue = 2 : i64} {
          %0 = arith.maximumf %sum, %zero : vector<8xf32>
          return %0 : vector<8xf32>
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandArithmetic : Pass<"ttc-expand-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "Math in f32 and f64 and conversions of f16 and bf16 to plain arithmetic";
  let description = [{
    A bundle's machine code has no library to call, and gives the same bits on every host. So each
    math op on f32 or f64, scalar or vector, becomes a polynomial or rational function in arith: without
    branch, call or table, so that the loop around it vectorises. Conversions between f32 and f16
    or bf16 become operations on bits, which every CPU has. Those of f16 remain if the target's CPU
    has instructions for them (F16C), which give the same bits.

    MLIR's polynomial approximations do not serve: they leave `powf` and `exp2` to libm, call `fmaf`
    where the CPU has no FMA, and their `sin` and `cos` are wrong by up to 1e7 ulp for arguments up
    to 1000 (here 1.6). MLIR's `math-expand-ops` rounds through integers, which large values overflow,
    and `arith-expand` has no f16.

    ```mlir
    %y = math.ceil %x : f32
    // becomes
    %bits = arith.bitcast %x : f32 to i32
    %magnitude = arith.andi %bits, %c0x7fffffff : i32
    ...
    %y = arith.select %is_fraction, %rounded, %x : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def MarkParallelLoops : Pass<"ttc-mark-parallel-loops", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "States that the loops of functions with arguments in place are parallel";
  let description = [{
    If an argument has `ttc.in_place`, each element is read before it is written, by the iteration
    that writes it. LLVM cannot see that in arguments that may be the same memory and would not
    vectorise. All accesses of such a function become one access group, and the branches that go
    back to a loop's header say that its iterations are independent in that group.

    What `--ttc-linalg-to-loops` said of a loop becomes the branch's `loop_annotation`, too.

    ```mlir
    llvm.func @body(%a: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>}) {
      ...
      %x = llvm.load %p : !llvm.ptr -> f32
      ...
      llvm.cond_br %more, ^loop(%next : i64), ^end
    // becomes
      %x = llvm.load %p {access_groups = [#group]} : !llvm.ptr -> f32
      ...
      llvm.cond_br %more, ^loop(%next : i64), ^end {loop_annotation =
          #llvm.loop_annotation<parallelAccesses = #group>}
    ```

    Counters (`--mlir-pass-statistics`): `loops` (loops marked).
  }];
}

def InlineEpilogues : Pass<"ttc-inline-epilogues", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Decides which epilogues are inlined into their kernels";
  let description = [{
    Constants of an inlined epilogue are loaded ahead of the kernel's loops, and the registers that
    they take there are missing for accumulators: a product followed by GELU takes twice as long.
    `ttc.epilogue` states how many different vector constants the kernel has room for. An epilogue
    with more of them is not inlined into the kernel's loops: `--ttc-compile-programs` inlines it
    into a copy of the function that stores a tile of the result, where the kernel has one
    (`TTC_CALLED` in kernels/Kernel.h); elsewhere it is called for each vector. Functions without
    `ttc.epilogue` do not change.

    ```mlir
    llvm.func @epilogue(...) -> vector<8xf32> attributes {ttc.epilogue = 2 : i64} { ... }
    // becomes
    llvm.func internal @epilogue(...) -> vector<8xf32>
        attributes {passthrough = ["alwaysinline"]} { ... }
    ```

    Counters (`--mlir-pass-statistics`): `called` (epilogues that are called).
  }];
}

def LowerZones : Pass<"ttc-lower-zones", "::mlir::ttc::ProgramOp"> {
  let summary = "Zones of lowered bodies to calls of the kernel library";
  let description = [{
    Of a program with `markers`, `@body` gets the address of the markers as a new last argument,
    and `ttc.zone_begin` and `ttc.zone_end` become calls with it (kernels/ZoneMarkers.cpp). Without, they are
    removed.

    ```mlir
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %workgroup: i64) {
      %0 = ttc.zone_begin "activation"
      ...
      ttc.zone_end %0
    // becomes
    llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr, %workgroup: i64, %markers: !llvm.ptr) {
      %name = llvm.mlir.addressof @zone.activation : !llvm.ptr
      %0 = llvm.call @ttc_kernel_begin_zone(%markers, %name) : (!llvm.ptr, !llvm.ptr) -> i32
      ...
      llvm.call @ttc_kernel_end_zone(%markers, %0) : (!llvm.ptr, i32) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AddEntries : Pass<"ttc-add-entries", "::mlir::ttc::ProgramOp"> {
  let summary = "Functions of the programs' names and ABI, which call their bodies";
  let description = [{
    The runtime calls every program alike: with the operands' offsets, the address that they count from, the scratch of
    the core, and the workgroup's number. This pass adds that function and makes `@body` internal to the module, as
    `@NAME.body`. It remains a separate function, because only arguments tell LLVM that operands do not overlap.

    The body's attributes `ttc.workgroups` and `ttc.scratch_bytes` move to the new function; it is
    an error if one is missing. They are also the program's `grid` and `scratch_bytes`. (The grid of
    a program on shards is set later, by `--ttc-add-shard-entries`.) `ttc.in_place` moves to the
    program's result.

    Of a program with `markers`, the scratch ends with them: `ttc.scratch_bytes` grows to a multiple of
    64 bytes and by their size. The body's last argument is their address, and its call is their main
    zone, `body`.

    ```mlir
    ttc.program @relu(%a: tensor<8xf32>) -> tensor<8xf32> {
      builtin.module {
        llvm.func @body(%in: !llvm.ptr, %out: !llvm.ptr {ttc.in_place = array<i64: 0>},
                        %workgroup: i64)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} { ... }
      }
    }
    // becomes
    ttc.program @relu(%a: tensor<8xf32>) -> (tensor<8xf32> {ttc.in_place = array<i64: 0>})
        attributes {grid = 1 : i64, scratch_bytes = 0 : i64} {
      builtin.module {
        llvm.func @relu(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr,
                        %workgroup: i64)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
          ...
          llvm.call @relu.body(%in, %out, %workgroup) : (!llvm.ptr, !llvm.ptr, i64) -> ()
          llvm.return
        }
        llvm.func internal @relu.body(...) { ... }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AddShardEntries : Pass<"ttc-add-shard-entries", "::mlir::ttc::ProgramOp"> {
  let summary = "Functions that find a workgroup's shards, for programs on shards";
  let description = [{
    The code of a program on shards is that of a program for one part. This pass renames its function to `@NAME.part`
    and adds another one of its name, which computes from the workgroup's number where the parts are and calls
    `@NAME.part` for all workgroups that a part has (`ttc.workgroups`). Sets the program's `grid` and the new function's
    `ttc.workgroups` to the number of shards; `ttc.scratch_bytes` moves to the new function. Nothing else in the code
    depends on shards. Needs the module's target, for the distance of two cores' L1.

    ```mlir
    ttc.program @relu(%a: tensor<8xf32> {ttc.shard = ...}) -> (tensor<8xf32> {ttc.shard = ...})
        attributes {scratch_bytes = 0 : i64, shards = array<i64: 4>} {
      builtin.module {
        llvm.func @relu(...)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} { ... }
      }
    }
    // becomes
    ttc.program @relu(%a: tensor<8xf32> {ttc.shard = ...}) -> (tensor<8xf32> {ttc.shard = ...})
        attributes {grid = 4 : i64, scratch_bytes = 0 : i64, shards = array<i64: 4>} {
      builtin.module {
        llvm.func @relu(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr,
                        %workgroup: i64)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 4 : i64} {
          ...
          llvm.call @relu.part(%parts, %base, %scratch, %zero) : ...
          llvm.return
        }
        llvm.func internal @relu.part(...) { ... }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FuseCommands : Pass<"ttc-fuse-commands", "::mlir::ModuleOp"> {
  let summary = "Makes one command of those that core 0 repeats";
  let description = [{
    Commands of a loop that follow each other without a barrier and have one workgroup each, dispatches on DRAM and copies of up to
    4 KiB, become one dispatch. Its program calls those of the dispatches in their order. A loop of a known number of iterations
    whose body becomes one command is a part of it, unless that executes more than 1,000,000 of the old commands: the device
    responds between commands only. Inner loops come first. No program has more than 128 commands.

    Kernels are called. Other functions of up to 300 ops are inlined, up to 4,000 ops in a program,
    after products and sums are contracted in each alone:
    results stay the same, bit for bit, but for the sign of NaN. Where an argument is in another place than the result of the same
    bytes, the program begins with a copy.

    An activation of up to 4 KiB that only these commands access, and that they write before they read it, becomes memory of the
    program, up to 32 KiB together, which LLVM can keep in registers; its buffer is erased. Of other buffers, the
    program's arguments are the bytes that the commands read before they write them, and its results those that they write:
    the types of the dispatches where the bytes are those of one operand, otherwise bytes (`i8`). An argument and a result
    of the same bytes are in place of each other. Commands remain as they are if such operands do not describe what they
    access, if two buffers that one command would need are in the same place, and for more than 64 operands.

    The program's name has those of the programs that it calls, and `loop_N` for N iterations; its location has all locations of the
    commands; `flops` is the sum. Lifetimes are restated for the new timeline. Programs with `markers`, `shards` or `ttc.within` stay
    as they are.

    Counters (`--mlir-pass-statistics`): `fused`, commands that are part of another one, and `loops` that programs contain.

    ```mlir
    ttc.cmd.repeat carried (@h) bytes [16] times 1000
    ttc.cmd.dispatch @mul_4(@h, @w) into (@act)
    ttc.cmd.dispatch @tanh_4(@act) into (@h)
    ttc.cmd.end_repeat
    // becomes
    ttc.cmd.dispatch @loop_1000_mul_4_tanh_4(@w, @h) into (@h)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CompilePrograms : Pass<"ttc-compile-programs", "::mlir::ModuleOp"> {
  let summary = "Lowered programs to one shared object";
  let description = [{
    Compiles the lowered bodies of all programs on all cores for the module's `ttc.target`:
    LLVM IR, the kernels' bitcode specialised with each call's constants, -O3, machine code.
    The objects are linked with the built-in lld into one ELF shared object without undefined
    symbols. Appended to it are the facts about the programs (docs/bundle-format.md), with which the
    loader compares a bundle's tables. The module then holds both as `ttc.binary`; the bodies are
    gone. The same module gives the same bytes, whatever the number of cores.

    It is an error if a program's `grid` or `scratch_bytes` differs from `ttc.workgroups` or
    `ttc.scratch_bytes` of its function.

    The names of zones, data and events that are left in the programs become hashes in the code, and
    `zone_names` of the `ttc.binary`. Two names with the same hash are an error.

    ```mlir
    ttc.program @relu(%a: tensor<64x1024xf32>) -> tensor<64x1024xf32>
        attributes {grid = 8 : i64, scratch_bytes = 0 : i64} {
      builtin.module {
        llvm.func @relu(...)
            attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 8 : i64} { ... }
      }
    }
    // becomes
    ttc.program @relu(tensor<64x1024xf32>) -> tensor<64x1024xf32>
        attributes {grid = 8 : i64, scratch_bytes = 0 : i64}
    ttc.binary @code dense_resource<code> : tensor<8192xi8>
    ```

    Programs of different variants of a model (`ttc.variant` of the entry that runs them) that differ in
    integers only share one body, which loads them from a table; each keeps its symbol. So the
    variants of a model take little more time and code than one.

    Counters (`--mlir-pass-statistics`): `programs`, `merged` (programs that share the body of another one), `code-bytes` (of the shared object and the
    facts).
  }];
  let options = [
    ProgressOption
  ];
}

#endif // TTC_CODEGEN_PASSES_TD
