// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Conversion/Passes.h"
#include "ttc/Transforms/Passes.h"
#include "ttc/Transforms/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<mlir::ttc::TtcDialect>();
  mlir::registerAllPasses();
  mlir::ttc::registerTtcConversionPasses();
  mlir::ttc::registerTtcCodegenPasses();
  mlir::ttc::registerTtcTransformsPasses();
  mlir::ttc::registerTracePipeline();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "ttc: trace compiler\n", registry));
}
