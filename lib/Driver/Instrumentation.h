// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress and intermediate results of a compilation.
#ifndef TTC_LIB_DRIVER_INSTRUMENTATION_H
#define TTC_LIB_DRIVER_INSTRUMENTATION_H

#include "mlir/Pass/PassInstrumentation.h"
#include <memory>
#include <string>

namespace mlir::ttc {

/// Says on stderr which pass runs, from the second on in which compiling has taken `afterSeconds`.
std::unique_ptr<PassInstrumentation> makeProgress(double afterSeconds);

/// Writes the module after each pass to `directory`/NN-pass.mlir, without the bytes of large
/// constants. What cannot be written is said in `error`, which must outlive the result, and ends
/// the dump; a folder that cannot be had, at once.
std::unique_ptr<PassInstrumentation> makeIrDump(std::string directory, std::string &error);

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_INSTRUMENTATION_H
