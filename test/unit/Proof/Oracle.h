// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime's proof (docs/proof.md) says about a bundle, found out the slow way and with no
// code in common: the schedules are executed with every command delayed in turn, to see what can
// continue without it; what can is compared with it byte by byte.

#ifndef TTC_TEST_UNIT_PROOF_ORACLE_H
#define TTC_TEST_UNIT_PROOF_ORACLE_H

#include "test/unit/Support/BundleBuilder.h"

namespace ttrt::test {

/// What is wrong with a bundle whose streams and tables are well-formed, "" if nothing is. Every
/// schedule is run with 0 to `iterations` bodies. `inTables` is set if it is wrong by what the
/// tables say, whether or not harm comes of it.
std::string findFault(const BundleBuilder &builder, uint32_t iterations, bool *inTables = nullptr);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_ORACLE_H
