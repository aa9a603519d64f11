// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts every allocation of the process, on any thread, in programs that ask for the number. Under
// a sanitizer, which owns malloc, the number stays 0.

#ifndef TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H
#define TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H

#include "Sanitized.h"

#include <atomic>

extern std::atomic<long> allocations;

#endif // TTC_TEST_UNIT_SUPPORT_COUNTALLOCATIONS_H
