// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Driver/OnnxToBundle.h"
#include "Instrumentation.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Driver/Pipelines.h"
#include "ttc/Import/OnnxImport.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ttc;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kName = "onnx-to-bundle";

namespace {

struct CommandLine {
  cl::OptionCategory category{"Compiling (--onnx-to-bundle)"};
  cl::opt<std::string> target{"target", cl::cat(category), cl::init("cpu"),
                              cl::value_desc("name|file.json"),
                              cl::desc("cpu (this machine; the default), wormhole_n150, "
                                       "wormhole_n300, blackhole_p150, or a .json file")};
  cl::opt<std::string> targetCpu{"target-cpu", cl::cat(category), cl::init("native"),
                                 cl::value_desc("name"),
                                 cl::desc("CPU that runs the machine code, by LLVM's name; native "
                                          "(the default) is this machine's")};
  cl::opt<int64_t> traceRegionSize{
      "trace-region-size", cl::cat(category), cl::init(-1), cl::value_desc("bytes"),
      cl::desc("Bytes reserved for the trace region, of all DRAM banks together; by default what "
               "the streams need")};
  cl::list<std::string> entries{
      "entry", cl::cat(category), cl::CommaSeparated, cl::value_desc("name,..."),
      cl::desc("Names of the entry points, one for each model (default: main)")};
  cl::opt<std::string> memory{
      "memory", cl::cat(category), cl::init("auto"), cl::value_desc("auto|dram"),
      cl::desc(
          "Where tensors lie: in L1 where that saves traffic through DRAM (auto, the default), "
          "or all in DRAM")};
  cl::opt<std::string> inputMemory{
      "input-memory", cl::cat(category), cl::init("auto"), cl::value_desc("auto|dram|l1"),
      cl::desc(
          "Where the slots of inputs lie: in L1 if they fit there (auto, the default), in DRAM (a "
          "trace that reads one more than once copies it to L1), or in L1")};
  cl::opt<bool> shareActivations{
      "share-activations", cl::cat(category), cl::init(true),
      cl::desc("Let activations of different entry points, which never run at the same time, share "
               "bytes (default: true)")};
  cl::opt<int64_t> queues{
      "queues", cl::cat(category), cl::init(0), cl::value_desc("1|2"),
      cl::desc("Command queues that schedules may use (default: as many as the target has)")};
  cl::list<std::string> schedules{
      "schedules", cl::cat(category), cl::CommaSeparated, cl::value_desc("name,..."),
      cl::desc("Schedules beside `single`, the default for two queues first: overlap-io-signals, "
               "overlap-io, overlap-input, "
               "single-untraced, overlap-io-untraced, overlap-input-untraced (default: all for so "
               "many queues)")};
  cl::opt<int64_t> slots{
      "slots", cl::cat(category), cl::init(1), cl::value_desc("number"),
      cl::desc("Slots of each input and output, which schedules of two queues use in turn, up "
               "to 1024 (default: 1)")};
  cl::opt<std::string> shard{"shard", cl::cat(category), cl::init("none"),
                             cl::value_desc("none|height|width|block"),
                             cl::desc("Shard activations over the cores' L1 (default: none)")};
  cl::opt<std::string> dumpIr{"dump-ir", cl::cat(category), cl::value_desc("directory"),
                              cl::desc("Write the module after each pass to this directory")};
  cl::opt<bool> progress{"progress", cl::cat(category), cl::init(false),
                         cl::desc("Say how far compiling is even if stderr is no terminal")};
};

} // namespace

static llvm::ManagedStatic<CommandLine> commandLine;

static LogicalResult compile(ModuleOp module) {
  const CommandLine &options = *commandLine;
  if (options.queues.getNumOccurrences() && options.queues != 1 && options.queues != 2)
    return emitError(module.getLoc())
           << "expected --queues=1 or --queues=2, found --queues=" << options.queues.getValue();
  if (options.traceRegionSize.getNumOccurrences() && options.traceRegionSize < 0)
    return emitError(module.getLoc()) << "expected --trace-region-size of at least 0 bytes, found "
                                      << options.traceRegionSize.getValue();
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  bool progress = options.progress || llvm::sys::Process::StandardErrIsDisplayed();
  if (progress)
    manager.addInstrumentation(makeProgress(/*afterSeconds=*/2));
  std::string dumpError;
  if (!options.dumpIr.empty())
    manager.addInstrumentation(makeIrDump(options.dumpIr, dumpError));
  if (!dumpError.empty())
    return emitError(module.getLoc()) << "--dump-ir: " << dumpError;

  TracePipelineOptions pipeline;
  pipeline.target = options.target.getValue();
  pipeline.targetCpu = options.targetCpu.getValue();
  pipeline.traceRegionSize = options.traceRegionSize.getValue();
  pipeline.queues = options.queues.getValue();
  SmallVector<std::string> schedules(options.schedules.begin(), options.schedules.end());
  pipeline.schedules = ArrayRef<std::string>(schedules);
  pipeline.slots = options.slots.getValue();
  pipeline.memory = options.memory.getValue();
  pipeline.inputMemory = options.inputMemory.getValue();
  pipeline.shareActivations = options.shareActivations.getValue();
  pipeline.shard = options.shard.getValue();
  pipeline.progress = progress;
  buildTracePipeline(manager, pipeline);
  if (failed(manager.run(module)))
    return failure();
  if (!dumpError.empty())
    return emitError(module.getLoc()) << "--dump-ir: " << dumpError;
  return success();
}

/// The entry points' names; nothing, with a message, where they do not fit the models.
static FailureOr<SmallVector<std::string>> getEntryNames(size_t models) {
  SmallVector<std::string> names(commandLine->entries.begin(), commandLine->entries.end());
  if (names.empty() && models == 1)
    names.push_back("main");
  if (names.size() != models) {
    llvm::errs() << "error: expected --entry with a name for each of " << models
                 << " models, found " << names.size() << "\n";
    return failure();
  }
  llvm::StringSet<> seen;
  for (const std::string &name : names)
    if (name.empty() || !seen.insert(name).second) {
      llvm::errs() << "error: expected entry points of different names, found '" << name << "' "
                   << (name.empty() ? "as one" : "twice") << "\n";
      return failure();
    }
  return names;
}

/// The options for one of the models: of several, `entry/input` is a shape for that entry point
/// alone, and any other for all.
static OnnxImportOptions getOptionsOf(const OnnxImportOptions &all, ArrayRef<std::string> names,
                                      StringRef name) {
  OnnxImportOptions options = all;
  options.functionName = name.str();
  if (names.size() == 1)
    return options;
  for (const auto &shape : all.inputShapes) {
    auto [entry, input] = shape.getKey().split('/');
    if (input.empty() || !llvm::is_contained(names, entry))
      continue;
    options.inputShapes.erase(shape.getKey());
    if (entry == name)
      options.inputShapes[input] = shape.getValue();
  }
  return options;
}

/// All models as functions of one module, so that they share weights and are planned together.
static OwningOpRef<ModuleOp> importModels(const llvm::SourceMgr &sources, MLIRContext *context) {
  FailureOr<OnnxImportOptions> options = getOnnxImportOptionsFromCL();
  FailureOr<SmallVector<std::string>> names = getEntryNames(sources.getNumBuffers());
  if (failed(options) || failed(names))
    return nullptr;
  OwningOpRef<ModuleOp> module;
  for (auto [index, name] : llvm::enumerate(*names)) {
    OwningOpRef<ModuleOp> next = importOnnx(*sources.getMemoryBuffer(index + 1), context,
                                            getOptionsOf(*options, *names, name));
    if (!next)
      return nullptr;
    if (module)
      module->getBody()->getOperations().splice(module->getBody()->end(),
                                                next->getBody()->getOperations());
    else
      module = std::move(next);
  }
  return module;
}

bool mlir::ttc::takesSeveralFiles(StringRef translation) { return translation == kName; }

LogicalResult mlir::ttc::checkOptions(StringRef translation) {
  if (translation != kName && translation != "import-onnx" && hasOnnxImportOptions()) {
    llvm::errs() << "error: --input-shape is an option of --import-onnx and --" << kName
                 << ", found it with --" << translation << "\n";
    return failure();
  }
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (translation != kName && option->getNumOccurrences() &&
        llvm::is_contained(option->Categories, &commandLine->category)) {
      llvm::errs() << "error: --" << name << " is an option of --" << kName << ", found it with --"
                   << translation << "\n";
      return failure();
    }
  return success();
}

void mlir::ttc::registerOnnxToBundle() {
  *commandLine;
  registerOnnxImportCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  static TranslateRegistration onnxToBundle(
      kName, "ONNX models as a trace bundle: import, compile, plan, write",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &output,
         MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        registry.insert<TtcDialect>();
        context->appendDialectRegistry(registry);
        ModelDiagnostics diagnostics(context);
        OwningOpRef<ModuleOp> module = importModels(*sources, context);
        if (!module || failed(compile(*module)))
          return failure();
        return writeBundle(*module, output);
      });
}
