// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_HOSTBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_HOSTBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// y = reverse(scale(x + x)): two traces and, between them, the host function "com.acme.Scale",
/// whose attributes are of all kinds. Its second operand, which is optional, is omitted; its third
/// is x. The schedules are "single" and, on two queues, "overlap-io".
BundleBuilder hostBundle();

/// Numbers of the programs and steps.
enum : uint32_t { kAddProgram, kReverseProgram, kScaleProgram };
enum : uint32_t { kWriteStep, kFirstStep, kHostStep, kSecondStep, kReadStep };

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_HOSTBUNDLE_H
