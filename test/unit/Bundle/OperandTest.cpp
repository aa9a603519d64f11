// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands in place and the syntax of operands in rows ("Program ABI" in docs/bundle-format.md).
// What rows may be read and written when is tested with the proof.

#include "test/unit/Support/BundleBuilder.h"
#include "test/unit/Support/Loaded.h"

#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

/// The status of loading the sample after `change`; the message goes to `message`.
template <typename Change> ttrt_status load(Change change, std::string &message) {
  BundleBuilder builder = sampleBundle();
  change(builder);
  TemporaryFile file(builder.finish());
  ttrt_status status;
  message = openMessage(file.path(), TTRT_VERIFY_FULL, &status);
  return status;
}

fb::OperandT &operand(BundleBuilder &b, uint32_t program, uint32_t index) {
  return *b.bundle.programs[program]->operands[index];
}

// Words of the sample's stream: the third command (add b, w -> c) has its operands at 13, 14, 15.
constexpr uint32_t kAddInput = 13, kAddOutput = 15;

/// c = b + w written over b, which then lives as long as c did.
void addInPlace(BundleBuilder &b) {
  b.streams[0].words[kAddOutput] = b.streams[0].words[kAddInput];
  b.streams[0].words[19] = b.streams[0].words[kAddInput]; // the last reverse reads it there
  std::erase_if(b.bundle.buffers, [](const auto &buffer) { return buffer->name == "c"; });
  for (auto &buffer : b.bundle.buffers)
    if (buffer->name == "b")
      buffer->end = 8;
}

TEST(Operand, InPlace) {
  std::string message;
  EXPECT_EQ(load(
                [](BundleBuilder &b) {
                  operand(b, 0, 2).in_place_of = {0};
                  addInPlace(b);
                },
                message),
            TTRT_OK)
      << message;
}

TEST(Operand, InPlaceOfAnotherInput) {
  std::string message;
  EXPECT_EQ(load(
                [](BundleBuilder &b) {
                  operand(b, 0, 2).in_place_of = {1};
                  addInPlace(b);
                },
                message),
            TTRT_BAD_BUNDLE);
  EXPECT_NE(message.find("overlap, and one is written"), std::string::npos) << message;
}

TEST(Operand, InPlaceButShifted) {
  std::string message;
  EXPECT_EQ(load(
                [](BundleBuilder &b) {
                  operand(b, 0, 2).in_place_of = {0};
                  for (uint32_t i : {0, 1, 2})
                    operand(b, 0, i).bytes = 512;
                  addInPlace(b);
                  b.streams[0].words[kAddOutput] += 64;
                },
                message),
            TTRT_BAD_BUNDLE);
  EXPECT_NE(message.find("overlap, and one is written"), std::string::npos) << message;
}

TEST(Operand, InPlaceOfAnOutput) {
  std::string message;
  EXPECT_EQ(load([](BundleBuilder &b) { operand(b, 0, 2).in_place_of = {2}; }, message),
            TTRT_BAD_BUNDLE);
  EXPECT_NE(message.find("expected an output in place of an input"), std::string::npos) << message;
}

TEST(Operand, RowsCut) {
  std::string message;
  EXPECT_EQ(load(
                [](BundleBuilder &b) {
                  operand(b, 0, 0).row_bytes = 64;
                  operand(b, 0, 0).pitch_bytes = 128;
                },
                message),
            TTRT_BAD_BUNDLE);
  EXPECT_NE(message.find("expected complete rows that do not overlap"), std::string::npos)
      << message;
}

} // namespace
} // namespace ttrt::test
