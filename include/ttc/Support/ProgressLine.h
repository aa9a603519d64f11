// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_PROGRESSLINE_H
#define TTC_SUPPORT_PROGRESSLINE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::ttc {

/// What a long task is doing, on stderr. On a terminal it is one line, which each text replaces and
/// which is cleared in the end; elsewhere each text is a line. Several objects share the terminal's
/// line, so that one may show what another one's task consists of. Not thread-safe.
class ProgressLine {
public:
  ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine() { clear(); }

  void show(llvm::StringRef text);

  /// Clears the terminal's line, no matter which object showed it: call this before anything else
  /// is written to stderr.
  static void clear();

private:
  bool isTerminal;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_PROGRESSLINE_H
