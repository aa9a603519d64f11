// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts every allocation of the process, on any thread, and its bytes, in programs that ask for
// the numbers. Under a sanitizer, which owns malloc, the numbers stay 0.

#ifndef TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H
#define TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H

#include "Sanitized.h"

#include <atomic>

extern std::atomic<long> allocations, allocatedBytes;

#endif // TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H
