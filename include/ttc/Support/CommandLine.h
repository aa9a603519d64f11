// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler's tools share: help, version, locations in IR, and output files.
#ifndef TTC_SUPPORT_COMMANDLINE_H
#define TTC_SUPPORT_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace mlir::ttc {

/// Call first in main(). Hides the hundreds of options that LLVM's code generators add to --help
/// (--help-hidden shows them), and makes --version print ttc's version.
void setUpCommandLine();

/// Prints locations in IR unless the command line sets --mlir-print-debuginfo. Call after
/// registerAsmPrinterCLOptions() and after the command line is parsed.
void printLocationsByDefault();

enum class OutputKind { Text, Binary };

/// A file that appears under its name only when it is complete. Until keep() succeeds, the previous
/// file of that name stays as it is, so a failed or interrupted compilation never destroys an
/// earlier result. The data is written to a temporary file in the same folder and renamed.
///
/// This is not llvm::writeToOutput(), which differs in what users notice: it replaces a symbolic
/// link by a file, resets the permissions of the file that it replaces, and replaces a pipe or a
/// device instead of writing to it.
class OutputFile {
public:
  /// Opens `path`; returns null and a message in `error` if it cannot be written. "-" is standard
  /// output. Anything but a regular file (a device, a pipe) is written directly. Binary output to a
  /// terminal is refused.
  static std::unique_ptr<OutputFile> open(StringRef path, OutputKind kind, std::string &error);
  ~OutputFile();

  llvm::raw_ostream &os() { return *stream; }
  /// Completes the file; nothing may be written afterwards. Fails, with a message in `error`, if
  /// the data could not be written completely.
  LogicalResult keep(std::string &error);

private:
  OutputFile(StringRef path) : path(path) {}

  std::string path;
  std::string temporary; ///< empty if `path` is written directly
  std::optional<llvm::raw_fd_ostream> stream;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_COMMANDLINE_H
