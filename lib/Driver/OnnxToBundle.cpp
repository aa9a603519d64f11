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
#include "ttc/Import/OnnxImport.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "ttc/Transforms/Pipelines.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ttc;
namespace cl = llvm::cl;

namespace {

struct CommandLine {
  cl::OptionCategory category{"Compiling (--onnx-to-bundle)"};
  cl::opt<std::string> target{
      "target", cl::cat(category), cl::init("cpu"),
      cl::desc(
          "cpu (this machine), wormhole_n150, wormhole_n300, blackhole_p150, or a .json file")};
  cl::opt<std::string> targetCpu{
      "target-cpu", cl::cat(category), cl::init("native"),
      cl::desc("CPU that runs the machine code, by LLVM's name; native is this machine's")};
  cl::opt<int64_t> traceRegionSize{
      "trace-region-size", cl::cat(category), cl::init(-1),
      cl::desc("Bytes reserved for the trace region, of all DRAM banks together; by default what "
               "the streams need")};
  cl::list<std::string> entries{
      "entry", cl::cat(category), cl::CommaSeparated, cl::value_desc("name,..."),
      cl::desc("Names of the entry points, one for each model (default: main)")};
  cl::opt<std::string> memory{
      "memory", cl::cat(category), cl::init("auto"), cl::value_desc("auto|dram"),
      cl::desc("Where tensors lie: in L1 where that saves traffic through DRAM, or all in DRAM")};
  cl::opt<std::string> inputMemory{
      "input-memory", cl::cat(category), cl::init("auto"), cl::value_desc("auto|dram|l1"),
      cl::desc(
          "Where the slots of inputs lie: in L1 if they fit there, in DRAM (a trace that reads "
          "one more than once copies it to L1), or in L1")};
  cl::opt<bool> shareActivations{
      "share-activations", cl::cat(category), cl::init(true),
      cl::desc("Let activations of different entry points, which never run at the same time, share "
               "bytes")};
  cl::list<std::string> furtherModels{
      "further-model", cl::cat(category), cl::Hidden,
      cl::desc("What stands behind the first model on the command line")};
  cl::opt<int64_t> queues{
      "queues", cl::cat(category), cl::init(0),
      cl::desc(
          "Command queues that schedules may use: 1 or 2 (default: as many as the target has)")};
  cl::list<std::string> schedules{
      "schedules", cl::cat(category), cl::CommaSeparated, cl::value_desc("name,..."),
      cl::desc("Schedules beside `single`, the default for two queues first: overlap-io-signals, "
               "overlap-io, overlap-input, "
               "single-untraced, overlap-io-untraced, overlap-input-untraced (default: all for so "
               "many queues)")};
  cl::opt<int64_t> slots{
      "slots", cl::cat(category), cl::init(1),
      cl::desc("Slots of each input and output, which schedules of two queues use in turn")};
  cl::opt<std::string> shard{
      "shard", cl::cat(category), cl::init("none"),
      cl::desc("Shard activations over the cores' L1: none, height, width or block")};
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
    return module.emitError("expected --queues=1 or --queues=2, found --queues=")
           << options.queues.getValue();
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  bool progress = options.progress || llvm::sys::Process::StandardErrIsDisplayed();
  if (progress)
    manager.addInstrumentation(makeProgress(/*afterSeconds=*/2));
  if (!options.dumpIr.empty())
    manager.addInstrumentation(makeIrDump(options.dumpIr));

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
  return manager.run(module);
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
static OwningOpRef<ModuleOp> importModels(const llvm::MemoryBuffer &first, MLIRContext *context) {
  FailureOr<OnnxImportOptions> options = getOnnxImportOptionsFromCL();
  FailureOr<SmallVector<std::string>> names = getEntryNames(1 + commandLine->furtherModels.size());
  if (failed(options) || failed(names))
    return nullptr;
  OwningOpRef<ModuleOp> module =
      importOnnx(first, context, getOptionsOf(*options, *names, names->front()));
  if (!module)
    return nullptr;
  for (auto [path, name] : llvm::zip_equal(commandLine->furtherModels, llvm::drop_begin(*names))) {
    OwningOpRef<ModuleOp> further =
        importOnnxFile(path, context, getOptionsOf(*options, *names, name));
    if (!further)
      return nullptr;
    module->getBody()->getOperations().splice(module->getBody()->end(),
                                              further->getBody()->getOperations());
  }
  return module;
}

void mlir::ttc::gatherModels(SmallVectorImpl<const char *> &arguments, llvm::StringSaver &strings) {
  const auto &options = cl::getRegisteredOptions();
  bool isTranslation = llvm::any_of(
      arguments, [](StringRef argument) { return argument.ltrim('-') == "onnx-to-bundle"; });
  size_t models = 0;
  for (size_t i = 1; isTranslation && i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument.starts_with("-") && argument != "-") {
      // The value of an option may be an argument of its own.
      auto found = options.find(argument.ltrim('-'));
      i += argument == "-o" ||
           (found != options.end() && found->second->getValueExpectedFlag() == cl::ValueRequired);
    } else if (++models > 1) {
      arguments[i] = strings.save("--further-model=" + argument).data();
    }
  }
}

void mlir::ttc::registerOnnxToBundle() {
  *commandLine;
  registerOnnxImportCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  static TranslateRegistration onnxToBundle(
      "onnx-to-bundle", "ONNX models as a trace bundle: import, compile, plan, write",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &output,
         MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        registry.insert<TtcDialect>();
        context->appendDialectRegistry(registry);
        ModelDiagnostics diagnostics(context);
        OwningOpRef<ModuleOp> module =
            importModels(*sources->getMemoryBuffer(sources->getMainFileID()), context);
        if (!module || failed(compile(*module)))
          return failure();
        return writeBundle(*module, output);
      });
}
