// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of measured decisions: lines of text, which tell what they are for and whether they are
// complete.
#ifndef TTC_SUPPORT_TUNINGFILE_H
#define TTC_SUPPORT_TUNINGFILE_H

#include "dialects/Ttc/TtcAttributes.h"
#include "ttc/Support/Cpu.h"

namespace mlir::ttc {

/// The entries of a file that --tune wrote for the code of this CPU and this version of ttc, by the
/// texts of ops (ttc/Analysis/Tuning.h), sorted. Fails, with a diagnostic that names the file and
/// the line, if anything in it is not as expected.
FailureOr<SmallVector<NamedAttribute>>
readTuningFile(StringRef path, const CpuTarget &cpu, MLIRContext *context,
               llvm::function_ref<InFlightDiagnostic()> emitError);

/// Writes such a file. Equal entries give equal bytes.
void writeTuningFile(DictionaryAttr entries, const CpuTarget &cpu, llvm::raw_ostream &output);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_TUNINGFILE_H
