// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Instrumentation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "ttc/Support/ProgressLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace mlir;

namespace {

class Progress : public PassInstrumentation {
public:
  explicit Progress(double afterSeconds) : afterSeconds(afterSeconds) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // Passes on the whole module only; nested ones run on many threads at once.
    if (op->getParentOp() || !isa<ModuleOp>(op) || pass->getArgument().empty())
      return;
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() < afterSeconds)
      return;
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("%7.1f s  ", elapsed.count()) << pass->getArgument();
    line.show(text);
  }

private:
  double afterSeconds;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  mlir::ttc::ProgressLine line;
};

} // namespace

std::unique_ptr<PassInstrumentation> mlir::ttc::makeProgress(double afterSeconds) {
  return std::make_unique<Progress>(afterSeconds);
}

llvm::Error mlir::ttc::dumpIr(PassManager &manager, const std::string &directory) {
  std::error_code code = llvm::sys::fs::create_directories(directory);
  if (!code && !llvm::sys::fs::is_directory(directory))
    code = std::make_error_code(std::errc::not_a_directory);
  if (!code)
    code = llvm::sys::fs::access(directory, llvm::sys::fs::AccessMode::Write);
  if (code)
    return llvm::createStringError(code,
                                   "cannot write to folder '" + directory + "': " + code.message());
  // Printing holds a lock of the pass manager and verifies, in parallel: the waiting thread may
  // take up other work, a pass that waits for the lock.
  manager.getContext()->disableMultithreading();
  auto never = [](Pass *, Operation *) { return false; };
  auto always = [](Pass *, Operation *) { return true; };
  manager.enableIRPrintingToFileTree(
      never, always, /*printModuleScope=*/false,
      /*printAfterOnlyOnChange=*/false,
      /*printAfterOnlyOnFailure=*/false, directory,
      OpPrintingFlags().elideLargeElementsAttrs().elideLargeResourceString().enableDebugInfo(true,
                                                                                             true));
  return llvm::Error::success();
}
