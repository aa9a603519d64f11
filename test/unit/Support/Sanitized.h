// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines TTRT_TEST_SANITIZED in builds with a sanitizer that has memory of its own, and
// TTRT_TEST_THREAD_SANITIZED in those with the thread sanitizer.

#ifndef TTC_TEST_UNIT_SUPPORT_SANITIZED_H
#define TTC_TEST_UNIT_SUPPORT_SANITIZED_H

#if defined(__SANITIZE_THREAD__)
#define TTRT_TEST_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TTRT_TEST_THREAD_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TTRT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TTRT_TEST_SANITIZED 1
#endif
#endif

#endif // TTC_TEST_UNIT_SUPPORT_SANITIZED_H
