// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler's tools have in common: their help, their version, the files they write.
#ifndef TTC_SUPPORT_COMMANDLINE_H
#define TTC_SUPPORT_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace mlir::ttc {

/// To be called first in main(): leaves out of --help the hundreds of options that LLVM's code
/// generators bring along (--help-hidden has them), and makes --version say ttc's.
void setUpCommandLine();

/// A file that takes its name when it is whole. Until then what was there stays, and where no
/// keep() follows, for good: a compilation that fails, or is interrupted, costs nobody the result
/// of the one before. (It is written beside `path`, so nothing has to be copied.)
class OutputFile {
public:
  /// Opens; null with a line in `error` where `path` cannot be written. "-" is standard output;
  /// what is no regular file (a device, a pipe) is written directly.
  static std::unique_ptr<OutputFile> open(StringRef path, std::string &error);
  ~OutputFile();

  llvm::raw_ostream &os() { return *stream; }
  /// Nothing is written after this. Failure, with a line in `error`, where not all has arrived.
  LogicalResult keep(std::string &error);

private:
  OutputFile(StringRef path) : path(path) {}

  std::string path;
  std::string beside; ///< empty: written directly
  std::optional<llvm::raw_fd_ostream> stream;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_COMMANDLINE_H
