// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run of an entry point reads and computes, from the bundle's tables alone.

#ifndef TTC_TOOLING_DESCRIBE_COSTS_H
#define TTC_TOOLING_DESCRIBE_COSTS_H

#include "Bundle/Bundle.h"

#include <string>

namespace ttrun {

/// The costs of one run of the default schedule. Each byte counts once, however many commands read
/// it, and an operand counts whole: the tables do not tell which rows data select.
struct EntryCosts {
  uint64_t constants = 0; ///< bytes read of weights and other constants
  uint64_t states = 0;    ///< bytes read of states, without caches
  /// Caches of keys and values (docs/gguf-import.md), of which attention reads the positions in
  /// use.
  uint64_t caches = 0;                ///< bytes of the whole context
  uint64_t cachesPerPosition = 0;     ///< bytes read for each position in use, of a sequence
  uint64_t operations = 0;            ///< of all dispatches that are counted
  uint64_t operationsPerPosition = 0; ///< of attention of all rows, for each position in use
  uint64_t notCounted = 0;            ///< dispatches of programs of which the bundle has no count
};

EntryCosts costsOf(const ttrt::Bundle &bundle, const ttrt::fb::EntryPoint &entry);

/// "reads 94.3 MiB (98835232) of constants; 1000 operations"
std::string costsText(const EntryCosts &costs);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_COSTS_H
