// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun check --execute: programs that do what their table entries exclude, and table entries that
// exclude what their programs do.

#include "Check/Execute.h"
#include "test/unit/Support/BundleBuilder.h"
#include "test/unit/Support/ReadFile.h"
#include "ttrt/format/program_markers.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

constexpr uint64_t kBytes = 1024, kRow = 64, kGrid = 16;
constexpr uint64_t kNear = 128, kFar = 8192;

/// A bundle with one program, which no schedule executes.
struct OneProgram {
  BundleBuilder builder;

  OneProgram(const std::string &symbol, uint64_t grid, std::vector<uint64_t> inputs,
             std::vector<uint64_t> outputs, uint64_t scratch = 0) {
    builder.code = readFile<decltype(builder.code)>(TTRT_MISBEHAVING_PROGRAMS);
    builder.program(symbol, grid, std::move(inputs), std::move(outputs), scratch);
    const uint32_t slot = builder.buffer("x", fb::BufferKind::Slot, 0, 64);
    fb::EntryPointT &entry = builder.entry("main");
    BundleBuilder::port(entry.inputs, "x", {16}, slot);
    BundleBuilder::step(entry, fb::StepKind::Write, 0);
  }
  fb::OperandT &operand(uint32_t index) { return *builder.bundle.programs[0]->operands[index]; }
  OneProgram &access(uint32_t index, fb::Access access) {
    operand(index).access = access;
    return *this;
  }
  OneProgram &inPlace(uint32_t output, std::vector<uint32_t> inputs) {
    operand(output).in_place_of = std::move(inputs);
    return *this;
  }
  /// All operands in 16 rows.
  OneProgram &inRows(uint64_t pitch, bool perWorkgroup) {
    for (const auto &operand : builder.bundle.programs[0]->operands) {
      operand->bytes = (kGrid - 1) * pitch + kRow;
      operand->row_bytes = kRow;
      operand->pitch_bytes = pitch;
      operand->per_workgroup = perWorkgroup;
    }
    return *this;
  }
};

ttrun::Execution execute(BundleBuilder &builder, unsigned seconds = 60) {
  TemporaryFile file(builder.finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  return ttrun::executePrograms(bundle, seconds);
}

/// What is said about a program; "" if nothing.
std::string problem(OneProgram program, unsigned seconds = 60) {
  const ttrun::Execution execution = execute(program.builder, seconds);
  EXPECT_EQ(execution.programs, 1u);
  EXPECT_LE(execution.problems.size(), 1u);
  return execution.problems.empty() ? "" : execution.problems[0].message;
}

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(Execute, GoodPrograms) {
  EXPECT_EQ(problem({"add", kGrid, {kBytes, kBytes}, {kBytes}}), "");
  EXPECT_EQ(problem(OneProgram("add", kGrid, {kBytes, kBytes}, {kBytes}).inPlace(2, {0, 1})), "");
  EXPECT_EQ(problem({"through_scratch", kGrid, {kBytes}, {kBytes}, 64}), "");
  EXPECT_EQ(problem({"reverse", kGrid, {kBytes}, {kBytes}}), "");
  EXPECT_EQ(problem({"copy_next", kGrid, {kBytes}, {kBytes}}), "");
  for (const bool perWorkgroup : {false, true}) {
    EXPECT_EQ(problem(OneProgram("near_rows", kGrid, {0}, {0}).inRows(kNear, perWorkgroup)), "");
    EXPECT_EQ(problem(OneProgram("far_rows", kGrid, {0}, {0}).inRows(kFar, perWorkgroup)), "");
  }
  EXPECT_EQ(problem(OneProgram("far_rows", kGrid, {0}, {0}).inRows(kFar, true).inPlace(1, {0})),
            "");
  EXPECT_EQ(problem({"sum_with_padding", 1, {1000}, {4}}), "");
  EXPECT_EQ(
      problem(OneProgram("accumulate", kGrid, {kBytes}, {kBytes}).access(1, fb::Access::ReadWrite)),
      "");
}

TEST(Execute, Markers) {
  auto problemWithMarkers = [](const char *symbol) {
    OneProgram program(symbol, kGrid, {kBytes}, {kBytes}, sizeof(profile::ProgramMarkers));
    program.builder.bundle.programs[0]->markers = true;
    return problem(std::move(program));
  };
  EXPECT_EQ(problemWithMarkers("with_markers"), "");
  EXPECT_EQ(problemWithMarkers("shows_markers"),
            "operand 1 (out, 1024 bytes): byte 2 depends on whether its markers are recorded; "
            "expected the same result whatever it is");
}

TEST(Execute, WorkgroupsAreCounted) {
  BundleBuilder builder = sampleBundle();
  const ttrun::Execution execution = execute(builder);
  EXPECT_TRUE(execution.problems.empty());
  EXPECT_TRUE(execution.skipped.empty());
  EXPECT_EQ(execution.programs, 2u);
  EXPECT_EQ(execution.workgroups, 32u);
  EXPECT_EQ(execution.alone, 32u);
}

TEST(Execute, Grid) {
  EXPECT_EQ(problem({"add", kGrid - 1, {kBytes, kBytes}, {kBytes}}),
            "operand 2 (out, 1024 bytes): its 15 workgroups leave 64 of 1024 bytes unwritten, the "
            "first at 960; expected a completely written output");
  EXPECT_THAT(problem({"add", kGrid + 1, {kBytes, kBytes}, {kBytes}}),
              MatchesRegex("workgroup 16 reads 0 bytes after the end of operand [01] \\(in, 1024 "
                           "bytes\\).*"));
  EXPECT_EQ(problem({"add_bounded", kGrid + 1, {kBytes, kBytes}, {kBytes}}),
            "workgroup 16 of 17 writes nothing; expected only workgroups that write a part of an "
            "output");
}

TEST(Execute, Extent) {
  EXPECT_THAT(
      problem({"add", kGrid, {kBytes, kBytes}, {kBytes - kRow}}),
      StartsWith("workgroup 15 writes 0 bytes after the end of operand 2 (out, 960 bytes)"));
  EXPECT_EQ(problem({"add", kGrid, {kBytes, kBytes}, {kBytes + kRow}}),
            "operand 2 (out, 1088 bytes): its 16 workgroups leave 64 of 1088 bytes unwritten, the "
            "first at 1024; expected a completely written output");
  EXPECT_THAT(problem({"add", kGrid, {kBytes, kBytes - kRow}, {kBytes}}),
              StartsWith("workgroup 15 reads 0 bytes after the end of operand 1 (in, 960 bytes)"));
  // Padding may be read, but not written.
  EXPECT_EQ(problem({"add", kGrid, {kBytes, kBytes}, {1000}}),
            "a workgroup writes 0 bytes after the end of operand 2 (out, 1000 bytes)");
  EXPECT_THAT(problem({"sum_with_padding", 1, {996}, {4}}), HasSubstr("depends on bytes between"));
}

TEST(Execute, Access) {
  EXPECT_THAT(problem(OneProgram("add", kGrid, {kBytes, kBytes}, {kBytes})
                          .access(0, fb::Access::Write)
                          .access(2, fb::Access::Read)),
              MatchesRegex("workgroup 0 writes byte 0 of operand 2 \\(in, 1024 bytes\\), which is "
                           "declared as read only \\(address 0x[0-9a-f]+\\)"));
  EXPECT_THAT(
      problem(OneProgram("add", kGrid, {kBytes, kBytes}, {kBytes}).access(1, fb::Access::Write)),
      StartsWith("operand 1 (out, 1024 bytes): its 16 workgroups leave 1024 of 1024 bytes "
                 "unwritten, the first at 0"));
  EXPECT_THAT(
      problem({"accumulate", kGrid, {kBytes}, {kBytes}}),
      StartsWith("operand 1 (out, 1024 bytes): byte 0 depends on what outputs hold before"));
}

TEST(Execute, Scratch) {
  for (const uint64_t bytes : {0, 32})
    EXPECT_THAT(problem({"through_scratch", kGrid, {kBytes}, {kBytes}, bytes}),
                HasSubstr(bytes ? "a workgroup writes 0 bytes after the end of its scratch of 32"
                                : "workgroup 0 writes 0 bytes after the end of its scratch of 0"));
  EXPECT_EQ(problem({"remember", kGrid, {kBytes}, {kBytes}, 64}),
            "operand 1 (out, 1024 bytes): byte 0 depends on what scratch holds before; expected "
            "the same result whatever it is");
}

TEST(Execute, OrderOfWorkgroups) {
  EXPECT_THAT(problem({"chain", kGrid, {kBytes}, {kBytes}}), HasSubstr("depends on"));
  EXPECT_THAT(problem({"overlap", kGrid, {kBytes}, {kBytes}}),
              HasSubstr("byte 1020 depends on the order of workgroups"));
  EXPECT_EQ(problem({"overlap_equal", kGrid, {kBytes}, {kBytes}}),
            "workgroup 15 writes byte 0 of operand 1 (out, 1024 bytes), which another workgroup "
            "writes, too; expected workgroups that write different bytes");
}

TEST(Execute, InPlace) {
  EXPECT_THAT(problem(OneProgram("reverse", kGrid, {kBytes}, {kBytes}).inPlace(1, {0})),
              StartsWith("operand 1 in place of operand 0: byte 512 of operand 1 (out, 1024 "
                         "bytes) differs from the result out of place, with workgroups forwards"));
  EXPECT_THAT(problem(OneProgram("reverse_part", kGrid, {kBytes}, {kBytes}).inPlace(1, {0})),
              StartsWith("operand 1 in place of operand 0: byte 32 of operand 1"));
  // Another input than the one that it may overwrite.
  EXPECT_THAT(problem(OneProgram("gather", kGrid, {kBytes, kBytes}, {kBytes}).inPlace(2, {0})),
              HasSubstr("reads"));
}

TEST(Execute, RowsPerWorkgroup) {
  EXPECT_THAT(problem(OneProgram("other_far_rows", kGrid, {0}, {0}).inRows(kFar, true)),
              MatchesRegex("workgroup 0 reads byte 122880 of operand 0 .*, in row 15; expected row "
                           "0 only.*"));
  EXPECT_THAT(problem(OneProgram("other_near_rows", kGrid, {0}, {0}).inRows(kNear, true)),
              StartsWith("operand 1 (out, 1984 bytes): row 0 has other bytes if only workgroup 0 "
                         "runs"));
  EXPECT_EQ(problem(OneProgram("other_far_rows", kGrid, {0}, {0}).inRows(kFar, false)), "");
  EXPECT_THAT(problem(OneProgram("read_next_near_row", kGrid, {0}, {0}).inRows(kNear, true)),
              StartsWith("operand 1 (out, 1984 bytes): row 0 has other bytes if only workgroup 0"));
  EXPECT_EQ(problem(OneProgram("read_next_near_row", kGrid, {0}, {0}).inRows(kNear, false)), "");
}

TEST(Execute, BytesBetweenRows) {
  EXPECT_THAT(problem(OneProgram("read_gap", kGrid, {0}, {0}).inRows(kNear, false)),
              StartsWith("operand 1 (out, 1984 bytes): byte 0 depends on bytes between the rows of "
                         "inputs, or after them"));
  EXPECT_EQ(problem(OneProgram("write_gap", kGrid, {0}, {0}).inRows(kNear, false)),
            "a workgroup writes byte 704, between the rows of operand 1 (out, 1984 bytes)");
  EXPECT_THAT(problem(OneProgram("near_rows", kGrid, {0}, {0}).inRows(kFar, false)),
              StartsWith("workgroup 1 reads byte 128, between the rows of operand 0"));
}

TEST(Execute, Addresses) {
  EXPECT_THAT(problem({"gather", kGrid, {kBytes, kBytes}, {kBytes}}),
              MatchesRegex("workgroup 0 reads .*"));
  EXPECT_THAT(problem({"gather_rows", kGrid, {kBytes, 2 * kBytes}, {kBytes}}),
              MatchesRegex("workgroup 0 reads [0-9]+ bytes after the end of operand 0 .*"));
  EXPECT_THAT(problem({"base_address", kGrid, {kBytes}, {kBytes}}), HasSubstr("writes"));
  EXPECT_THAT(problem({"third_operand", kGrid, {kBytes}, {kBytes}}),
              StartsWith("workgroup 0 reads 0 bytes after the end of the 2 addresses of its "
                         "operands"));
}

TEST(Execute, Signals) {
  EXPECT_THAT(problem({"trap", 1, {kBytes}, {kBytes}}),
              StartsWith("workgroup 0 is ended by signal"));
  EXPECT_THAT(problem({"deep", kGrid, {kBytes}, {kBytes}}), StartsWith("workgroup 0 "));
  EXPECT_EQ(problem({"spin", 1, {kBytes}, {kBytes}}, 1), "has not ended after 1 second");
}

TEST(Execute, EveryProgramIsNamed) {
  OneProgram programs("add", kGrid - 1, {kBytes, kBytes}, {kBytes});
  programs.builder.program("reverse", kGrid, {kBytes}, {kBytes});
  programs.builder.program("trap", 1, {kBytes}, {kBytes});
  const ttrun::Execution execution = execute(programs.builder);
  EXPECT_EQ(execution.programs, 3u);
  ASSERT_EQ(execution.problems.size(), 2u);
  EXPECT_EQ(execution.problems[0].program, 0u);
  EXPECT_EQ(execution.problems[0].symbol, "add");
  EXPECT_EQ(execution.problems[1].symbol, "trap");
}

/// Operands that this machine has no memory for are said, not tried.
TEST(Execute, MoreThanTheMemory) {
  OneProgram program("add", kGrid, {kBytes, kBytes}, {uint64_t(1) << 62});
  const ttrun::Execution execution = execute(program.builder);
  EXPECT_EQ(execution.programs, 0u);
  EXPECT_TRUE(execution.problems.empty());
  ASSERT_EQ(execution.skipped.size(), 1u);
  EXPECT_THAT(execution.skipped[0].message, HasSubstr("bytes of memory; this machine has"));
}

} // namespace
} // namespace ttrt::test
