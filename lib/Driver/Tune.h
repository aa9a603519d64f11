// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --tune: one compilation that measures, and the file that it extends.
#ifndef TTC_LIB_DRIVER_TUNE_H
#define TTC_LIB_DRIVER_TUNE_H

#include "ttc/Driver/OnnxToBundle.h"
#include "ttc/Driver/Pipelines.h"
#include "ttc/Tuning/Tuner.h"

namespace mlir::ttc {

class TuningSession {
public:
  /// Returns null, with a line on stderr, if `seconds` (empty: the default) is not a time, or if
  /// there is no file or it cannot be written. A file that does not exist yet is no longer named by
  /// the pipeline's --tuning, which only reads.
  static std::unique_ptr<TuningSession> begin(StringRef seconds, TracePipeline &pipeline,
                                              const FileOpener &openFile);

  TuningHooks getHooks();

  /// Writes the file: what was measured, and what it holds now.
  LogicalResult finish(ModuleOp module);

private:
  TuningSession(double seconds, std::string path, PendingFile file);

  std::string path;
  PendingFile file;
  Tuner tuner;
};

} // namespace mlir::ttc

#endif // TTC_LIB_DRIVER_TUNE_H
