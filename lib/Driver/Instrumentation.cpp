// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Instrumentation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace mlir;

namespace {

/// Passes on the whole module; nested ones run on many threads at once.
StringRef getModulePassName(Pass *pass, Operation *op) {
  return isa<ModuleOp>(op) && !op->getParentOp() ? pass->getArgument() : StringRef();
}

class Progress : public PassInstrumentation {
public:
  explicit Progress(double afterSeconds) : afterSeconds(afterSeconds) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    StringRef name = getModulePassName(pass, op);
    if (!name.empty() && elapsed.count() >= afterSeconds)
      llvm::errs() << llvm::format("%7.1f s  ", elapsed.count()) << name << "\n";
  }

private:
  double afterSeconds;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

class IrDump : public PassInstrumentation {
public:
  IrDump(std::string directory, std::string &error)
      : directory(std::move(directory)), error(error) {
    std::error_code code = llvm::sys::fs::create_directories(this->directory);
    if (!code && !llvm::sys::fs::is_directory(this->directory))
      code = std::make_error_code(std::errc::not_a_directory);
    if (!code)
      code = llvm::sys::fs::access(this->directory, llvm::sys::fs::AccessMode::Write);
    if (code)
      error = "cannot write to folder '" + this->directory + "': " + code.message();
  }

  void runAfterPass(Pass *pass, Operation *op) override { dump(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { dump(pass, op); }

private:
  void dump(Pass *pass, Operation *op) {
    StringRef name = getModulePassName(pass, op);
    if (name.empty() || !error.empty())
      return;
    llvm::SmallString<128> path(directory);
    std::string file;
    llvm::raw_string_ostream(file) << llvm::format("%02d-", ++number) << name << ".mlir";
    llvm::sys::path::append(path, file);
    std::error_code code;
    llvm::raw_fd_ostream output(path, code);
    if (!code) {
      op->print(output, OpPrintingFlags()
                            .elideLargeElementsAttrs()
                            .elideLargeResourceString()
                            .enableDebugInfo(true, true)
                            .assumeVerified());
      output.close();
      code = output.error();
      output.clear_error();
    }
    if (code)
      error = ("cannot write '" + path + "': " + code.message()).str();
  }

  std::string directory;
  std::string &error;
  int number = 0;
};

} // namespace

std::unique_ptr<PassInstrumentation> mlir::ttc::makeProgress(double afterSeconds) {
  return std::make_unique<Progress>(afterSeconds);
}

std::unique_ptr<PassInstrumentation> mlir::ttc::makeIrDump(std::string directory,
                                                           std::string &error) {
  return std::make_unique<IrDump>(std::move(directory), error);
}
