// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler's tools share: help, version, locations in IR, and what ends them early.
#ifndef TTC_SUPPORT_COMMANDLINE_H
#define TTC_SUPPORT_COMMANDLINE_H

#include "mlir/Support/LLVM.h"

namespace mlir::ttc {

/// Call first in main(), after InitLLVM. Hides the hundreds of options that LLVM's code generators
/// add to --help (--help-hidden shows them), and makes --version print ttc's version. A tool that
/// is out of memory, or cannot start a thread, then prints one line and exits with status 1; one
/// that crashes asks for a report to ttc, not to LLVM.
void setUpCommandLine();

/// As llvm::cl::ParseCommandLineOptions(), but for an unknown option it suggests one of those that
/// --help shows, if one has a similar name. Ends the program if the command line is wrong.
void parseCommandLine(int argc, char **argv, StringRef overview);

/// The input, which that line names. At most 255 characters of it are kept.
void nameInput(StringRef input);

/// Prints locations in IR unless the command line sets --mlir-print-debuginfo. Call after
/// registerAsmPrinterCLOptions() and after the command line is parsed.
void printLocationsByDefault();

} // namespace mlir::ttc

#endif // TTC_SUPPORT_COMMANDLINE_H
