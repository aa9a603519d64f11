// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Good bundles that exercise what the proof covers, and faults to seed into them.

#ifndef TTC_TEST_UNIT_PROOF_PROOFBUNDLES_H
#define TTC_TEST_UNIT_PROOF_PROOFBUNDLES_H

#include "test/unit/Support/BundleBuilder.h"

#include <functional>
#include <ostream>

namespace ttrt::test {

struct NamedBundle {
  const char *name;
  BundleBuilder (*make)();
};
inline void PrintTo(const NamedBundle &bundle, std::ostream *stream) { *stream << bundle.name; }
/// One queue and two; host steps, operands in rows and in place, state, events inside the trace.
const std::vector<NamedBundle> &proofBundles();

/// A file's contents, to be changed and written again.
BundleBuilder readBundle(const std::string &path);

/// A kind of fault. `seed` makes the variant of that number; false if there are fewer.
struct FaultKind {
  const char *name;
  std::function<bool(BundleBuilder &builder, size_t variant)> seed;
  /// True if it breaks the form of a bundle, which the oracle takes for granted.
  bool formal;
  /// Whether it changes only what comes before what; the commands are the same.
  enum class Order {
    No,
    Events, ///< events, barriers, transfers
    Work,   ///< also commands and traces, which may then compute something else
  } order = Order::No;
};
const std::vector<FaultKind> &faultKinds();

/// What the runtime says to a bundle: "" if it takes it.
std::string verdict(BundleBuilder &builder);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_PROOFBUNDLES_H
