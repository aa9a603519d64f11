// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same hashes by one thread and by several, with the vectors of this CPU and without, from
// memory and from a file; and those that bundles have had so far.

#include "Base/ParallelHash.h"
#include "ttrt/format/bundle_format.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace ttrt;

namespace {

std::vector<uint8_t> randomBytes(size_t size) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(Hash, IsTheSameHoweverItIsComputed) {
  const std::vector<uint8_t> bytes = randomBytes(20 * kHashChunk + 1000);
  FILE *file = tmpfile();
  ASSERT_TRUE(file);
  ASSERT_EQ(fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(fflush(file), 0);
  std::vector<uint8_t> read(bytes.size());
  for (size_t size :
       {size_t(0), size_t(1), size_t(16), size_t(128), size_t(240), size_t(241), size_t(1023),
        size_t(1024), size_t(1025), size_t(kHashChunk - 1), size_t(kHashChunk),
        size_t(kHashChunk + 1), size_t(3 * kHashChunk), bytes.size() - 3})
    for (size_t offset : {0, 3}) {
      std::vector<uint64_t> chunks;
      for (size_t at = 0; at < size; at += kHashChunk)
        chunks.push_back(
            hashBytes(bytes.data() + offset + at, std::min<size_t>(size - at, kHashChunk)));
      const uint64_t expected = hashBytes(chunks.data(), chunks.size() * sizeof(uint64_t));
      EXPECT_EQ(hashSegment(bytes.data() + offset, size), expected) << size;
      EXPECT_EQ(hashSegmentParallel(bytes.data() + offset, size), expected) << size;
      EXPECT_EQ(readSegmentParallel(fileno(file), offset, read.data(), size, /*hashes=*/true),
                expected)
          << size;
    }
  fclose(file);
}

/// Of XXH3 itself, so that no version of it and no option changes the format.
TEST(Hash, IsXxh3) {
  const std::string text = "a trace bundle";
  EXPECT_EQ(hashBytes(nullptr, 0), 0x2d06800538d394c2u);
  EXPECT_EQ(hashSegment(nullptr, 0), 0x2d06800538d394c2u);
  EXPECT_EQ(hashBytes(text.data(), text.size()), 0xfe0aa7f5385bd9edu);
  const std::vector<uint8_t> bytes = randomBytes(100'000);
  EXPECT_EQ(hashBytes(bytes.data(), bytes.size()), 0xc6c12db030af176eu);
  EXPECT_EQ(hashSegmentParallel(bytes.data(), bytes.size()), 0x34d324905c4e0947u);
}

} // namespace
