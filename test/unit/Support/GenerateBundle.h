// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_GENERATEBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_GENERATEBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

inline constexpr uint32_t kContext = 64, kSequences = 4;

/// A generative bundle (docs/generation.md) around the programs test_decode and test_prefill_N,
/// with entry points for these numbers of tokens of a prompt: 4, 16, both or none. `decode` has
/// schedules for one queue and for two, and the outputs `token` and `logits`, of 4 numbers.
BundleBuilder generateBundle(const std::vector<uint32_t> &buckets = {4, 16});

/// The same for four sequences: with the state `active` and the entry points decode_1, decode_2
/// and decode_4.
BundleBuilder sequencesBundle(const std::vector<uint32_t> &buckets = {4, 16});

/// The same with a tokenizer of 1000 tokens and a chat template: token 104 is "h", token 256 ends a
/// text, token 259 is "th", and those from 260 on are " w260" and so on.
BundleBuilder chatBundle();
/// The same for four sequences.
BundleBuilder sequencesChatBundle();

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_GENERATEBUNDLE_H
