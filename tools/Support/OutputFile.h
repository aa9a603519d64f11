// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files of the compiler's tools.
#ifndef TTC_TOOLS_SUPPORT_OUTPUTFILE_H
#define TTC_TOOLS_SUPPORT_OUTPUTFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace mlir::ttc {

enum class OutputKind { Text, Binary };

/// A FileWriter (FileWriter.h) as a stream: a file that appears under its name only when it is
/// complete, and of which nothing is made before something is printed. So a compilation that fails
/// or is killed leaves nothing, and the old file.
///
/// This is not llvm::writeToOutput(), which differs in what users notice: it replaces a symbolic
/// link by a file, resets the permissions of the file that it replaces, and replaces a pipe or a
/// device instead of writing to it.
class OutputFile : public llvm::raw_ostream {
public:
  /// Returns null and a message in `error` if `path` cannot be written and that can be told before
  /// a compilation. "-" is standard output. Binary output to a terminal is refused.
  static std::unique_ptr<OutputFile> open(StringRef path, OutputKind kind, std::string &error);
  ~OutputFile() override;

  /// Completes the file; nothing may be printed afterwards. Fails, with a message in `error`, if
  /// the data could not be written completely.
  LogicalResult keep(std::string &error);

private:
  explicit OutputFile(StringRef path);
  void write_impl(const char *bytes, size_t size) override;
  uint64_t current_pos() const override;
  size_t preferred_buffer_size() const override;

  /// Hidden, because FileWriter's namespace makes `ttc` ambiguous where mlir is used.
  struct File;
  std::unique_ptr<File> file;
};

} // namespace mlir::ttc

#endif // TTC_TOOLS_SUPPORT_OUTPUTFILE_H
