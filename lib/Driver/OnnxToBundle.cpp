// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Driver/OnnxToBundle.h"
#include "Instrumentation.h"
#include "Tune.h"
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
#include "ttc/Support/ProgressLine.h"
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

/// The options of compiling: those of the pipeline, and what only a program has.
struct CommandLine {
  CommandLine() { pipeline.addToCommandLine(category); }

  cl::OptionCategory category{"Compiling (--onnx-to-bundle)"};
  TracePipeline pipeline;
  cl::list<std::string> entries{
      "entry", cl::cat(category), cl::CommaSeparated, cl::value_desc("name,..."),
      cl::desc("Names of the entry points, one for each model (default: main)")};
  cl::opt<std::string> tune{
      "tune", cl::cat(category), cl::ValueOptional, cl::value_desc("seconds"),
      cl::desc(
          "Measure kernels on this machine for so many seconds (60 if none are given), and add "
          "the results to the file of --tuning")};
  cl::opt<std::string> dumpIr{"dump-ir", cl::cat(category), cl::value_desc("directory"),
                              cl::desc("Write the IR after each pass to this directory")};
};

} // namespace

static llvm::ManagedStatic<CommandLine> commandLine;

static LogicalResult compile(ModuleOp module, TuningSession *tuning) {
  CommandLine &options = *commandLine;
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  const bool progress =
      options.pipeline.showsProgress() || llvm::sys::Process::StandardErrIsDisplayed();
  options.pipeline.setShowsProgress(progress);
  if (progress)
    manager.addInstrumentation(makeProgress(/*afterSeconds=*/2));
  // Diagnostics do not go on in the line that shows the progress.
  ScopedDiagnosticHandler clearLine(module.getContext(), [](Diagnostic &) {
    ProgressLine::clear();
    return failure();
  });
  if (!options.dumpIr.empty())
    if (llvm::Error error = dumpIr(manager, options.dumpIr))
      return emitError(module.getLoc()) << "--dump-ir: " << llvm::toString(std::move(error));

  if (failed(options.pipeline.build(manager, tuning ? tuning->getHooks() : TuningHooks())))
    return failure();
  return manager.run(module);
}

/// The entry points' names; nothing, with a message, where they do not fit the models.
static FailureOr<SmallVector<std::string>> getEntryNames(size_t models) {
  SmallVector<std::string> names(commandLine->entries.begin(), commandLine->entries.end());
  if (names.empty() && models == 1)
    names.push_back("main");
  if (names.size() != models) {
    llvm::errs() << "error: expected --entry with one name per model, found " << names.size()
                 << (names.size() == 1 ? " name" : " names") << " and " << models
                 << (models == 1 ? " model\n" : " models\n");
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

/// The options for one of the models: of several, `entry/input` is a shape or a value for that
/// entry point alone, and any other for all.
static OnnxImportOptions getOptionsOf(const OnnxImportOptions &all, ArrayRef<std::string> names,
                                      StringRef name) {
  OnnxImportOptions options = all;
  options.functionName = name.str();
  if (names.size() == 1)
    return options;
  auto keepOwn = [&](const auto &all, auto &own) {
    for (const auto &given : all) {
      auto [entry, input] = given.getKey().split('/');
      if (input.empty() || !llvm::is_contained(names, entry))
        continue;
      own.erase(given.getKey());
      if (entry == name)
        own[input] = given.getValue();
    }
  };
  keepOwn(all.inputShapes, options.inputShapes);
  keepOwn(all.inputValues, options.inputValues);
  keepOwn(all.valueShapes, options.valueShapes);
  keepOwn(all.hostResults, options.hostResults);
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
    llvm::errs() << "error: --input-shape, --input-value, --value-shape, --host-ops, --host-result "
                    "and --node-limit are options of --import-onnx and --"
                 << kName << ", found one with --" << translation << "\n";
    return failure();
  }
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (translation != kName && option->getNumOccurrences() &&
        llvm::is_contained(option->Categories, &commandLine->category)) {
      llvm::errs() << "error: --" << name << " is an option of --" << kName
                   << ", found them with --" << translation << "\n";
      return failure();
    }
  return success();
}

void mlir::ttc::registerOnnxToBundle(FileOpener openFile) {
  *commandLine;
  registerOnnxImportCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  static TranslateRegistration onnxToBundle(
      kName, "ONNX models as a trace bundle: import, compile, plan, write",
      [openFile](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &output,
                 MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        registry.insert<TtcDialect>();
        context->appendDialectRegistry(registry);
        ModelDiagnostics diagnostics(context);
        std::unique_ptr<TuningSession> tuning;
        if (commandLine->tune.getNumOccurrences()) {
          tuning = TuningSession::begin(commandLine->tune, commandLine->pipeline, openFile);
          if (!tuning)
            return failure();
        }
        OwningOpRef<ModuleOp> module = importModels(*sources, context);
        if (!module || failed(compile(*module, tuning.get())) ||
            failed(writeBundle(*module, output)))
          return failure();
        return tuning ? tuning->finish(*module) : success();
      });
}
