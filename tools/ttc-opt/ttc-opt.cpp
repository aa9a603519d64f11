// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Codegen/Pipelines.h"
#include "ttc/Conversion/Passes.h"
#include "ttc/Driver/Pipelines.h"
#include "ttc/Support/CommandLine.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

/// What MLIR's main() does with an output file, but for emptying it first.
static int runInto(StringRef output, StringRef input, DialectRegistry &registry,
                   const MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  std::unique_ptr<ttc::OutputFile> file;
  if (buffer)
    file = ttc::OutputFile::open(output, error);
  if (file && failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return 1;
  if (file && succeeded(file->keep(error)))
    return 0;
  llvm::errs() << "error: " << error << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ttc::setUpCommandLine();
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<ttc::TtcDialect>();
  registerAllPasses();
  ttc::registerTtcConversionPasses();
  ttc::registerTtcCodegenPasses();
  ttc::registerTtcTransformsPasses();
  ttc::registerLowerProgramsPipeline();
  ttc::registerTracePipeline();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "ttc: trace compiler\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (output != "-" && !config.shouldListPasses() && !config.shouldShowDialects())
    return runInto(output, input, registry, config);
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
}
