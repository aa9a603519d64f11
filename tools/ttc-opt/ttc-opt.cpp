// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputFile.h"
#include "ToolMain.h"

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Codegen/Pipelines.h"
#include "ttc/Conversion/Passes.h"
#include "ttc/Driver/Pipelines.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "ttc/Shapes/Passes.h"
#include "ttc/Support/CommandLine.h"
#include "ttc/Support/Nesting.h"
#include "ttc/Support/Printable.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace mlir;

/// Whether IR, as text or bytecode, comes with locations.
static bool hasLocations(StringRef ir) { return ir.starts_with("ML\xefR") || ir.contains("loc("); }

static int fail(StringRef message) {
  ttc::printError(message);
  return 1;
}

/// MlirOptMain(), but a failure leaves an existing output file as it was, and locations that were
/// read are printed: bundles carry the names of source ops, which are locations in IR.
static int runInto(StringRef output, StringRef input, DialectRegistry &registry,
                   const MlirOptMainConfig &config) {
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(reading from stdin; press ctrl-d to end the input)\n";
  ttc::nameInput(input);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  if (!buffer)
    return fail(error);
  if (std::string wrong = ttc::checkNesting(buffer->getBuffer(), input); !wrong.empty())
    return fail(wrong);
  auto kind = config.shouldEmitBytecode() ? ttc::OutputKind::Binary : ttc::OutputKind::Text;
  std::unique_ptr<ttc::OutputFile> file = ttc::OutputFile::open(output, kind, error);
  if (!file)
    return fail(error);
  if (hasLocations(buffer->getBuffer()))
    ttc::printLocationsByDefault();
  if (failed(MlirOptMain(*file, std::move(buffer), registry, config)))
    return 1;
  return failed(file->keep(error)) ? fail(error) : 0;
}

int ttcOptMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ttc::setUpCommandLine();
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<ttc::TtcDialect>();
  registerAllPasses();
  ttc::registerTtcConversionPasses();
  ttc::registerTtcCodegenPasses();
  ttc::registerTtcMeshPasses();
  ttc::registerTtcShapesPasses();
  ttc::registerTtcTransformsPasses();
  ttc::registerLowerProgramsPipeline();
  ttc::registerTracePipeline();
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"),
                                    llvm::cl::value_desc("filename"), llvm::cl::init("-"));
  const std::string help = registerCLIOptions("ttc: trace compiler\n", registry);
  ttc::parseCommandLine(argc, argv, help);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldListPasses() || config.shouldShowDialects())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return runInto(output, input, registry, config);
}
