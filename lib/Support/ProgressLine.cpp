// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/ProgressLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace mlir::ttc;

/// A process has one stderr, hence one line.
static std::atomic<bool> isShown = false;

/// To the line's start, and nothing after it.
static constexpr llvm::StringLiteral kClear = "\r\033[K";

ProgressLine::ProgressLine()
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed() &&
                 llvm::sys::Process::StandardErrHasColors()) {}

void ProgressLine::show(llvm::StringRef text) {
  if (!isTerminal) {
    llvm::errs() << text << '\n';
    return;
  }
  // Text that does not fit would continue in the next line, which nothing clears.
  if (unsigned columns = llvm::sys::Process::StandardErrColumns(); columns > 1)
    text = text.take_front(columns - 1);
  llvm::errs() << kClear << text;
  isShown = true;
}

void ProgressLine::clear() {
  if (isShown.exchange(false))
    llvm::errs() << kClear;
}
