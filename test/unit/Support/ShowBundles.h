// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles for the tests of what shows bundles.

#ifndef TTC_TEST_UNIT_SUPPORT_SHOWBUNDLES_H
#define TTC_TEST_UNIT_SUPPORT_SHOWBUNDLES_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// The sample with names that try to get out of where they are shown: markup, quotes, terminal
/// escape sequences, bytes that are no UTF-8, very long ones.
BundleBuilder hostileBundle();

/// A trace of `commands` dispatches, each with an activation of its own, over a quarter as many
/// constants.
BundleBuilder manyBundle(uint32_t commands);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_SHOWBUNDLES_H
