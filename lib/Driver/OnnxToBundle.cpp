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
#include "ttc/Transforms/Pipelines.h"
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
      cl::desc("Bytes reserved for the trace region; by default what the streams need")};
  cl::opt<int64_t> queues{
      "queues", cl::cat(category), cl::init(1),
      cl::desc("2: schedules for two command queues, too: overlap-input and overlap-io")};
  cl::opt<std::string> dumpIr{"dump-ir", cl::cat(category), cl::value_desc("directory"),
                              cl::desc("Write the module after each pass to this directory")};
  cl::opt<bool> progress{"progress", cl::cat(category), cl::init(false),
                         cl::desc("Say how far compiling is even if stderr is no terminal")};
};

} // namespace

static llvm::ManagedStatic<CommandLine> commandLine;

static LogicalResult compile(ModuleOp module) {
  const CommandLine &options = *commandLine;
  if (options.queues != 1 && options.queues != 2)
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
  pipeline.progress = progress;
  buildTracePipeline(manager, pipeline);
  return manager.run(module);
}

void mlir::ttc::registerOnnxToBundle() {
  *commandLine;
  registerOnnxImportCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  static TranslateRegistration onnxToBundle(
      "onnx-to-bundle", "an ONNX model as a trace bundle: import, compile, plan, write",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &output,
         MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        registry.insert<TtcDialect>();
        context->appendDialectRegistry(registry);
        FailureOr<OnnxImportOptions> options = getOnnxImportOptionsFromCL();
        if (failed(options))
          return failure();
        OwningOpRef<ModuleOp> module =
            importOnnx(*sources->getMemoryBuffer(sources->getMainFileID()), context, *options);
        if (!module || failed(compile(*module)))
          return failure();
        return writeBundle(*module, output);
      });
}
