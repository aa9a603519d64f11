// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a person may want to see of a long compilation.
#ifndef TTC_LIB_DRIVER_INSTRUMENTATION_H
#define TTC_LIB_DRIVER_INSTRUMENTATION_H

#include "mlir/Pass/PassInstrumentation.h"
#include <memory>
#include <string>

namespace mlir::ttc {

/// Says on stderr which pass runs, from the second on in which compiling has taken `afterSeconds`.
std::unique_ptr<PassInstrumentation> makeProgress(double afterSeconds);

/// Writes the module after each pass to `directory`/NN-pass.mlir, without the bytes of large
/// constants.
std::unique_ptr<PassInstrumentation> makeIrDump(std::string directory);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_INSTRUMENTATION_H
