// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be seen of a compilation while it runs, and of its steps afterwards.
#ifndef TTC_LIB_DRIVER_INSTRUMENTATION_H
#define TTC_LIB_DRIVER_INSTRUMENTATION_H

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mlir {
class PassManager;
}

namespace mlir::ttc {

/// Shows on stderr which pass runs, once compiling has taken `afterSeconds`.
std::unique_ptr<PassInstrumentation> makeProgress(double afterSeconds);

/// Makes the passes of `manager` write what they worked on to a tree of files in `directory`, by
/// MLIR's --mlir-print-ir-tree-dir but without the bytes of large constants:
///
///   builtin_module_no-symbol-name/0_ttc-set-target.mlir
///   builtin_module_no-symbol-name/ttc_program_relu_8/13_0_ttc-outline-bodies.mlir
///
/// The folder is made, if it is not there. An error means that it cannot be written to.
llvm::Error dumpIr(PassManager &manager, const std::string &directory);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_INSTRUMENTATION_H
