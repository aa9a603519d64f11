// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler's tools share: help, version, locations in IR.
#ifndef TTC_SUPPORT_COMMANDLINE_H
#define TTC_SUPPORT_COMMANDLINE_H

namespace mlir::ttc {

/// Call first in main(). Hides the hundreds of options that LLVM's code generators add to --help
/// (--help-hidden shows them), and makes --version print ttc's version.
void setUpCommandLine();

/// Prints locations in IR unless the command line sets --mlir-print-debuginfo. Call after
/// registerAsmPrinterCLOptions() and after the command line is parsed.
void printLocationsByDefault();

} // namespace mlir::ttc

#endif // TTC_SUPPORT_COMMANDLINE_H
