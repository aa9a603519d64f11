// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_RUNTIME_GENERATEBUNDLE_H
#define TTC_TEST_UNIT_RUNTIME_GENERATEBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

inline constexpr uint32_t kContext = 64;

/// A generative bundle (docs/generation.md) around the programs test_decode and test_prefill_N,
/// with entry points for so many tokens of a prompt: 4, 16, both or none. `decode` has schedules
/// for one queue and for two, and the outputs `token` and `logits`, of 4 numbers.
BundleBuilder generateBundle(const std::vector<uint32_t> &buckets = {4, 16});

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_RUNTIME_GENERATEBUNDLE_H
