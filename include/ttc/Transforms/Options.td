// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of compiling, each declared once. Passes list those that they take; the pipeline
// (include/ttc/Driver/Pipelines.td) lists all of them, and `ttc-translate --onnx-to-bundle` has
// those of the pipeline.
#ifndef TTC_TRANSFORMS_OPTIONS_TD
#define TTC_TRANSFORMS_OPTIONS_TD

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
    "Target: cpu (this machine; the default), wormhole_n150, wormhole_n300, blackhole_p150, or a "
    ".json file",
    "::llvm::cl::value_desc(\"name|file.json\")">;

def TargetCpuOption : Option<"targetCpu", "target-cpu", "std::string", /*default=*/"\"native\"",
    "CPU that runs the machine code: LLVM's name of a CPU of x86-64 (x86-64-v3, znver4, ...) or AArch64 "
    "(cortex-a76, neoverse-n1, ...), or native (the default), the CPU of this machine",
    "::llvm::cl::value_desc(\"name\")">;

def QueuesOption : Option<"queues", "queues", "::mlir::ttc::QueueLimit",
    /*default=*/"::mlir::ttc::QueueLimit::All",
    "Command queues that schedules may use (default: all, as many as the target has)">;

def SchedulesOption : ListOption<"schedules", "schedules", "::mlir::ttc::ScheduleChoice",
    "Schedules to make in addition to `single`, the default for two queues first: "
    "overlap-io-signals, overlap-io, overlap-input, single-untraced, overlap-io-untraced, overlap-input-untraced; all "
    "(the pipeline's default) makes those that --queues allows",
    "::llvm::cl::value_desc(\"name,...\")">;

def SlotsOption : Option<"slots", "slots", "int64_t", /*default=*/"1",
    "Slots of each input and output, which schedules of two queues use in turn, up to 1024 "
    "(default: 1)",
    "::llvm::cl::value_desc(\"number\")">;

def ShardOption : Option<"shard", "shard", "::mlir::ttc::ShardKind",
    /*default=*/"::mlir::ttc::ShardKind::None",
    "Shard activations over the cores' L1; a remark gives the reason for each one that is not "
    "sharded (default: none)">;

def WeightsOption : Option<"weights", "weights", "::mlir::ttc::WeightStorage",
    /*default=*/"::mlir::ttc::WeightStorage::Auto",
    "How the weights of matrix products and convolutions are stored: in 16 bits if these hold all of "
    "them exactly (auto, the default); as f32; or rounded to f16, bf16 or int8 (one scale for each "
    "column), with a line that says how large the errors are">;

def FloatRoundingOption : Option<"floatRounding", "float-rounding", "::mlir::ttc::FloatRounding",
    /*default=*/"::mlir::ttc::FloatRounding::Auto",
    "Where results of f16 and bf16 are rounded to their type: at explicit casts and outputs (outputs), "
    "after each op (ops), or (auto, the default) f16 at outputs and bf16 after each op; all arithmetic "
    "is in f32">;

def OptimizeOption : Option<"optimize", "optimize", "::mlir::ttc::OptimizeFor",
    /*default=*/"::mlir::ttc::OptimizeFor::Speed",
    "What to keep small: the time of an inference (speed, the default), the file (size), or the memory that a run needs "
    "(memory); the latter two store each weight once, in a form that is no larger">;

def WinogradOption : Option<"winograd", "winograd", "bool", /*default=*/"true",
    "Compute convolutions by Winograd's algorithm where it is faster; its weights take up to 4 times the "
    "memory, and its results differ in the last bits (default: true; never with --shard, with --optimize=size or memory, nor with --weights=f16, bf16 or int8)">;

def StrassenOption : Option<"strassen", "strassen", "bool", /*default=*/"false",
    "Compute large matrix products by one level of Strassen's algorithm: seven products of half the size instead of "
    "eight; their weights take 1.75 times the memory, and rounding errors are larger (default: false; never with --shard, with --optimize=size or memory, nor with --weights=f16, bf16 or int8)">;

def AttentionOption : Option<"attention", "attention", "bool", /*default=*/"true",
    "Compute attention as one program, which does not store the scores; results differ in the last bits "
    "(default: true; never with --shard)">;

def WorkgroupsOption : Option<"workgroups", "workgroups", "int64_t", /*default=*/"16",
    "The most workgroups that the work of a program is split into, a power of two up to 32768: as many cores can share it "
    "(default: 16)",
    "::llvm::cl::value_desc(\"number\")">;

def TuningOption : Option<"tuning", "tuning", "std::string", /*default=*/"\"\"",
    "File with measured decisions about kernels, for this CPU and version of ttc, which are taken instead of estimated "
    "ones; --tune writes it",
    "::llvm::cl::value_desc(\"file\")">;

def MemoryOption : Option<"memory", "memory", "::mlir::ttc::TensorMemory",
    /*default=*/"::mlir::ttc::TensorMemory::Auto",
    "Where to store tensors: in L1 if that reduces the traffic to DRAM (auto, the default), or all "
    "in DRAM">;

def InputMemoryOption : Option<"inputMemory", "input-memory", "::mlir::ttc::InputMemory",
    /*default=*/"::mlir::ttc::InputMemory::Auto",
    "Where to store the slots of inputs: in L1 if they fit (auto, the default), in DRAM (a trace "
    "that reads an input more than once copies it to L1), in DRAM with a part of the rows in each "
    "bank (dram-sharded), or in L1">;

def ShareActivationsOption : Option<"shareActivations", "share-activations", "bool",
    /*default=*/"true",
    "Let activations of different entry points, which never run at the same time, share memory "
    "(default: true)">;

def TraceRegionSizeOption : Option<"traceRegionSize", "trace-region-size", "int64_t",
    /*default=*/"-1",
    "Bytes to reserve for the trace region, of all DRAM banks together (default: what the streams "
    "need)",
    "::llvm::cl::value_desc(\"bytes\")">;

def AlgorithmOption : Option<"algorithm", "algorithm", "::mlir::ttc::AlgorithmChoice",
    /*default=*/"::mlir::ttc::AlgorithmChoice::Auto",
    "How the devices of a mesh compute collectives: direct, by a ring or by recursive halving, wherever that is defined; "
    "auto (the default) takes the fastest on the mesh's links">;

def StateOption : ListOption<"state", "state", "std::string",
    "Pairs input=output of tensors that stay on the device from run to run: the output replaces the "
    "input. One '*' in both names stands for any text: past_*=present_*">;

def MeshOption : Option<"mesh", "mesh", "std::string", /*default=*/"\"\"",
    "Compile for a mesh of devices: 4, 2x4 (axes x and y), named axes with topology and links "
    "(data:2,tensor:4:ring:12.5e9:700), or wormhole_n300, t3000, galaxy (docs/mesh.md)",
    "::llvm::cl::value_desc(\"mesh\")">;

def ParallelOption : Option<"parallel", "parallel", "std::string", /*default=*/"\"\"",
    "What the devices of the mesh divide: inputs along the batch (data), constants (tensor), the model into stages "
    "(pipeline), or by axis (data:x,pipeline:y)",
    "::llvm::cl::value_desc(\"kind[:axis],...\")">;

def MicroBatchesOption : Option<"microBatches", "micro-batches", "int64_t", /*default=*/"1",
    "Parts of the batch that the stages of a pipeline work on at the same time (default: 1)",
    "::llvm::cl::value_desc(\"number\")">;

def HideExchangesOption : Option<"hideExchanges", "hide-exchanges", "bool", /*default=*/"false",
    "Let devices of a mesh compute what is independent of an exchange while it moves bytes (default: false)">;

def InstrumentOption : Option<"instrument", "instrument", "bool", /*default=*/"false",
    "Compile programs with markers: while a recording is made, they record zones of their own "
    "(docs/profiling.md); results stay the same, bit for bit">;

def ProgressOption : Option<"progress", "progress", "bool", /*default=*/"false",
    "Show the progress of compiling even if standard error is not a terminal">;

#endif // TTC_TRANSFORMS_OPTIONS_TD
