// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all translations from models to a bundle share: the options of compiling, and the way from a
// module of tensor ops to the file.
#ifndef TTC_LIB_DRIVER_MODELTOBUNDLE_H
#define TTC_LIB_DRIVER_MODELTOBUNDLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ttc/Driver/OnnxToBundle.h"
#include "ttc/Driver/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::ttc {

/// The options of compiling: those of the pipeline, and what only a program has.
struct CompileOptions {
  CompileOptions() { pipeline.addToCommandLine(category); }

  llvm::cl::OptionCategory category{
      "Compiling (--onnx-to-bundle, --gguf-to-bundle, --mlir-to-bundle)"};
  TracePipeline pipeline;
  llvm::cl::opt<std::string> tune{
      "tune", llvm::cl::cat(category), llvm::cl::ValueOptional, llvm::cl::value_desc("seconds"),
      llvm::cl::desc(
          "Measure kernels on this machine for this number of seconds (default: 60), and add "
          "the results to the file of --tuning")};
  llvm::cl::opt<std::string> dumpIr{
      "dump-ir", llvm::cl::cat(category), llvm::cl::value_desc("directory"),
      llvm::cl::desc("Write the IR after each pass to this directory")};
};

/// On the command line once this has been called.
CompileOptions &getCompileOptions();

/// A module of ops on tensors from the models; null, with messages, if they cannot be imported.
using ModelImporter =
    std::function<OwningOpRef<ModuleOp>(const std::shared_ptr<llvm::SourceMgr> &, MLIRContext *)>;

/// Moves the functions and metadata of one module into another.
void appendModule(ModuleOp module, ModuleOp next);

/// Adds the translation `name`: import, compile, plan, write.
void registerModelToBundle(StringRef name, StringRef description, FileOpener openFile,
                           ModelImporter importModel);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_MODELTOBUNDLE_H
