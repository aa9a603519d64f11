// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tune.h"
#include "ttc/Support/Printable.h"
#include "ttc/Support/Target.h"
#include "ttc/Support/TuningFile.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::ttc;

static constexpr double kDefaultSeconds = 60, kMostSeconds = 7 * 24 * 3600;

TuningSession::TuningSession(double seconds, std::string path, PendingFile file)
    : path(path), file(std::move(file)), tuner(seconds, path) {}

std::unique_ptr<TuningSession> TuningSession::begin(StringRef text, TracePipeline &pipeline,
                                                    const FileOpener &openFile) {
  double seconds = kDefaultSeconds;
  if (!text.empty() && (text.getAsDouble(seconds) || !(seconds > 0 && seconds <= kMostSeconds))) {
    printError("--tune: expected seconds, more than 0 and at most 604800, found '" + text + "'");
    return nullptr;
  }
  const std::string path = pipeline.getTuning();
  if (path.empty() || path == "-") {
    llvm::errs() << "error: expected --tuning=FILE with --tune, found "
                 << (path.empty() ? "none" : "standard output")
                 << "; results are added to that file\n";
    return nullptr;
  }
  // A pipe or a device cannot be read again.
  llvm::sys::fs::file_status status;
  const bool exists = !llvm::sys::fs::status(path, status);
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    printError("--tuning: expected a file that --tune can extend, found '" + path +
               "', which is a folder, a device or a pipe");
    return nullptr;
  }
  std::string error;
  PendingFile file = openFile(path, error);
  if (!file.stream) {
    printError("--tuning: " + error);
    return nullptr;
  }
  if (!exists)
    pipeline.setTuning("");
  return std::unique_ptr<TuningSession>(new TuningSession(seconds, path, std::move(file)));
}

TuningHooks TuningSession::getHooks() {
  return {[this](ModuleOp module) { return tuner.tuneKernels(module); },
          [this](ModuleOp module) { return tuner.tunePlans(module); }};
}

LogicalResult TuningSession::finish(ModuleOp module) {
  const CpuTarget cpu = getCpuTarget(module.getOperation());
  SmallVector<NamedAttribute> entries(tuner.getEntries().begin(), tuner.getEntries().end());
  // Another process may have added entries meanwhile.
  if (llvm::sys::fs::exists(path)) {
    auto now =
        readTuningFile(path, cpu, module.getContext(), [&] { return emitError(module.getLoc()); });
    if (failed(now))
      return failure();
    for (NamedAttribute entry : *now)
      if (!tuner.getEntries().contains(entry.getName()))
        entries.push_back(entry);
  }
  writeTuningFile(DictionaryAttr::get(module.getContext(), entries), cpu, *file.stream);
  std::string error;
  if (succeeded(file.keep(error)))
    return success();
  return emitError(module.getLoc()) << "--tuning: " << error;
}
