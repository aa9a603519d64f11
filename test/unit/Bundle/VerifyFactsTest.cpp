// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of programs that differ from what the code generator says of its code (fb::Facts).

#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

struct Lie {
  const char *name;
  std::function<void(BundleBuilder &)> change; ///< the facts are kept
  const char *message;                         ///< a part of it
};
void PrintTo(const Lie &lie, std::ostream *stream) { *stream << lie.name; }

class VerifyFacts : public testing::TestWithParam<Lie> {};

TEST_P(VerifyFacts, IsRefused) {
  BundleBuilder builder = queueBundle();
  builder.keepFacts();
  ASSERT_EQ(verdict(builder.finish()), "");
  GetParam().change(builder);
  const std::string message = verdict(builder.finish());
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

fb::ProgramT &program(BundleBuilder &b, size_t i) { return *b.bundle.programs[i]; }

// Program 0 is test_add (16 workgroups), program 1 test_reverse.
const Lie kLies[] = {
    {"FewerWorkgroups", [](BundleBuilder &b) { program(b, 0).grid = 15; },
     "program 'test_add': the grid is 15; expected 16, for which its code was generated"},
    {"MoreWorkgroups", [](BundleBuilder &b) { program(b, 0).grid = 17; }, "the grid is 17"},
    {"NoScratch", [](BundleBuilder &b) { program(b, 1).scratch_bytes = 0; },
     "program 'test_reverse': the number of bytes of scratch is 0; expected 64"},
    {"Markers",
     [](BundleBuilder &b) {
       b.facts->programs[1]->scratch_bytes = program(b, 1).scratch_bytes = 4224;
       program(b, 1).markers = true;
     },
     "program 'test_reverse': markers is 1; expected 0, for which its code was generated"},
    {"NoMarkers",
     [](BundleBuilder &b) {
       b.facts->programs[1]->scratch_bytes = program(b, 1).scratch_bytes = 4224;
       b.facts->programs[1]->markers = true;
     },
     "program 'test_reverse': markers is 0; expected 1"},
    {"OtherSymbol", [](BundleBuilder &b) { program(b, 0).symbol = "test_reverse"; },
     "program 0 is 'test_reverse'; expected 'test_add', as in its code"},
    {"ExchangedSymbols",
     [](BundleBuilder &b) { std::swap(program(b, 0).symbol, program(b, 1).symbol); },
     "program 0 is 'test_reverse'"},
    {"ExchangedPrograms",
     [](BundleBuilder &b) { std::swap(b.bundle.programs[0], b.bundle.programs[1]); },
     "program 0 is 'test_reverse'"},
    {"OneMore",
     [](BundleBuilder &b) {
       b.bundle.programs.push_back(std::make_unique<fb::ProgramT>(program(b, 0)));
     },
     "programs with code; its code has"},
    {"OneLess", [](BundleBuilder &b) { b.bundle.programs.pop_back(); }, "its code has"},
    {"FewerOperands", [](BundleBuilder &b) { program(b, 0).operands.pop_back(); },
     "the number of operands is 2; expected 3"},
    {"FewerBytes", [](BundleBuilder &b) { program(b, 0).operands[1]->bytes -= 64; },
     "program 'test_add', operand 1: bytes is 960; expected 1024, for which its code was "
     "generated"},
    {"InputAsOutput",
     [](BundleBuilder &b) { program(b, 0).operands[0]->access = fb::Access::Write; },
     "operand 0: access is 1; expected 0"},
    {"OutputAsInput",
     [](BundleBuilder &b) { program(b, 0).operands[2]->access = fb::Access::Read; },
     "operand 2: access is 0; expected 1"},
    {"ReadAndWritten",
     [](BundleBuilder &b) { program(b, 0).operands[2]->access = fb::Access::ReadWrite; },
     "operand 2: access is 2; expected 1"},
    {"LessAligned", [](BundleBuilder &b) { program(b, 0).operands[0]->alignment = 16; },
     "operand 0: alignment is 16; expected 64"},
    {"Rows",
     [](BundleBuilder &b) {
       program(b, 0).operands[2]->row_bytes = 64;
       program(b, 0).operands[2]->pitch_bytes = 64;
     },
     "operand 2: row_bytes is 64; expected 0"},
    {"InPlace", [](BundleBuilder &b) { program(b, 1).operands[1]->in_place_of = {0}; },
     "program 'test_reverse', operand 1: in_place_of is 0; expected 1"},
    {"PerWorkgroup",
     [](BundleBuilder &b) {
       b.facts->programs[0]->operands[2]->row_bytes = 64;
       b.facts->programs[0]->operands[2]->pitch_bytes = 64;
       program(b, 0).operands[2]->row_bytes = 64;
       program(b, 0).operands[2]->pitch_bytes = 64;
       program(b, 0).operands[2]->per_workgroup = true;
     },
     "program 'test_add', operand 2: per_workgroup is 1; expected 0"},
};
INSTANTIATE_TEST_SUITE_P(Tables, VerifyFacts, testing::ValuesIn(kLies),
                         [](const auto &info) { return std::string(info.param.name); });

/// What the loader says of a file whose last bytes, those of the code segment, have been changed
/// and hashed again.
std::string verdictOnCode(const std::function<void(std::vector<uint8_t> &)> &change) {
  BundleBuilder builder = queueBundle();
  std::vector<uint8_t> file = builder.finish();
  change(file);
  for (const auto &segment : builder.bundle.segments)
    if (segment->kind == fb::SegmentKind::Code) {
      const uint64_t hash = hashSegment(file.data() + segment->offset, segment->size);
      const auto *old = reinterpret_cast<const uint8_t *>(&segment->hash);
      const auto at = std::search(file.begin(), file.begin() + 8192, old, old + sizeof(hash));
      memcpy(&*at, &hash, sizeof(hash));
    }
  BundleBuilder::rehash(file);
  return verdict(file);
}

TEST(DamagedFacts, AreRefused) {
  const char *expected = "does not end with the facts about its programs, or they are damaged";
  EXPECT_EQ(verdictOnCode([](auto &) {}), "");
  EXPECT_NE(verdictOnCode([](auto &file) { file[file.size() - 1] ^= 1; }).find(expected),
            std::string::npos);
  EXPECT_NE(verdictOnCode([](auto &file) { file[file.size() - 16] ^= 4; }).find(expected),
            std::string::npos);
  EXPECT_NE(verdictOnCode([](auto &file) { file[file.size() - 9] ^= 0x80; }).find(expected),
            std::string::npos);
  // Any byte of the flatbuffer: refused, or without meaning.
  FactsTrailer trailer;
  std::vector<uint8_t> file = queueBundle().finish();
  memcpy(&trailer, file.data() + file.size() - sizeof(trailer), sizeof(trailer));
  size_t refused = 0;
  for (uint64_t i = 0; i < trailer.size; ++i)
    refused += !verdictOnCode([&](auto &changed) {
                  changed[changed.size() - sizeof(trailer) - 1 - i] ^= 1;
                }).empty();
  EXPECT_GT(refused, trailer.size / 2);
}

TEST(DamagedFacts, ACertifiedBundleHasADataflow) {
  BundleBuilder builder = queueBundle();
  builder.keepFacts();
  builder.facts->certified = true;
  EXPECT_EQ(verdict(builder.finish()),
            "entry point 'main' has no dataflow; expected one, as its code says");
}

} // namespace
} // namespace ttrt::test
