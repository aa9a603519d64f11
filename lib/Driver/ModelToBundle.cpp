// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModelToBundle.h"
#include "Instrumentation.h"
#include "Tune.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "ttc/Support/ProgressLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::ttc;

static llvm::ManagedStatic<CompileOptions> compileOptions;

CompileOptions &mlir::ttc::getCompileOptions() { return *compileOptions; }

static LogicalResult compile(ModuleOp module, TuningSession *tuning) {
  CompileOptions &options = *compileOptions;
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  const bool progress =
      options.pipeline.showsProgress() || llvm::sys::Process::StandardErrIsDisplayed();
  options.pipeline.setShowsProgress(progress);
  if (progress)
    manager.addInstrumentation(makeProgress(/*afterSeconds=*/2));
  // A diagnostic must not continue the line that shows the progress.
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

void mlir::ttc::appendModule(ModuleOp module, ModuleOp next) {
  module.getBody()->getOperations().splice(module.getBody()->end(),
                                           next.getBody()->getOperations());
  if (auto added = next->getAttrOfType<DictionaryAttr>(kMetadataAttrName)) {
    auto first = module->getAttrOfType<DictionaryAttr>(kMetadataAttrName);
    NamedAttrList all = first ? first : DictionaryAttr::get(module.getContext());
    all.append(added.begin(), added.end());
    module->setAttr(kMetadataAttrName, all.getDictionary(module.getContext()));
  }
}

void mlir::ttc::registerModelToBundle(StringRef name, StringRef description, FileOpener openFile,
                                      ModelImporter importModel) {
  getCompileOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  TranslateRegistration translation(
      name, description,
      [openFile, importModel](const std::shared_ptr<llvm::SourceMgr> &sources,
                              llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        registry.insert<TtcDialect>();
        context->appendDialectRegistry(registry);
        ModelDiagnostics diagnostics(context);
        std::unique_ptr<TuningSession> tuning;
        if (compileOptions->tune.getNumOccurrences()) {
          tuning = TuningSession::begin(compileOptions->tune, compileOptions->pipeline, openFile);
          if (!tuning)
            return failure();
        }
        OwningOpRef<ModuleOp> module = importModel(sources, context);
        if (!module || failed(compile(*module, tuning.get())) ||
            failed(writeBundle(*module, output)))
          return failure();
        return tuning ? tuning->finish(*module) : success();
      });
}
