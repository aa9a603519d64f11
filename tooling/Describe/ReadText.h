// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of `ttrun read` as text: in full, or in about a line each.

#ifndef TTC_TOOLING_DESCRIBE_READTEXT_H
#define TTC_TOOLING_DESCRIBE_READTEXT_H

#include "Describe/MemoryUse.h"

namespace ttrun {

void printSizes(const ttrt::Bundle &bundle);
/// Short text is printed, of all else the size. Prints nothing for a bundle without metadata.
void printMetadata(const ttrt::Bundle &bundle);
void printTarget(const ttrt::Bundle &bundle);
void printEntries(const ttrt::Bundle &bundle);
/// Unless `full`, only the default schedules are printed step by step.
void printSchedules(const ttrt::Bundle &bundle, bool full);
void printPrograms(const ttrt::Bundle &bundle, bool full);
void printTraces(const ttrt::Bundle &bundle, bool full);
void printMemory(const ttrt::Bundle &bundle, bool full);
void printBuffers(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_READTEXT_H
