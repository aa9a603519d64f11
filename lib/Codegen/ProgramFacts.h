// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts about programs that are stored after their machine code (docs/bundle-format.md). The
// loader compares the tables of a bundle, which are written later and by others, with them.
#ifndef TTC_LIB_CODEGEN_PROGRAMFACTS_H
#define TTC_LIB_CODEGEN_PROGRAMFACTS_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

/// What was compiled, from lowered programs whose bodies are still there.
class ProgramFacts {
public:
  ProgramFacts() { facts.certified = true; }
  /// Fails, with a diagnostic, if the program's grid or scratch is not what the code needs.
  LogicalResult add(ProgramOp program);
  /// Appends the facts to a shared object.
  void append(SmallVectorImpl<char> &code) const;

private:
  ttrt::fb::FactsT facts;
};

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_PROGRAMFACTS_H
