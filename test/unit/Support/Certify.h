// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_CERTIFY_H
#define TTC_TEST_UNIT_SUPPORT_CERTIFY_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// Gives each entry point the dataflow of its default schedule, and the bundle the facts about its
/// programs as they are now. The bundle must be correct; throws otherwise.
void certify(BundleBuilder &builder);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_CERTIFY_H
