// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of machines, ideal times, and the traffic between cores and memories.

#include "Profile/Roofline.h"
#include "Profile/Machine.h"
#include "Profile/Traffic.h"
#include "Support/Error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>

using namespace ttrun;
using namespace ttrun::report;

static Machine machineOf(uint32_t cores, double scale) {
  Machine machine;
  machine.cores = cores;
  machine.flops = 100e9 * scale;
  machine.int8Ops = 400e9 * scale;
  machine.readBandwidth = 10e9 * scale;
  machine.copyBandwidth = 12e9 * scale;
  machine.instructions = "AVX2 and FMA";
  machine.int8Instructions = "AVX2";
  return machine;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

TEST(Limits, AreUnknownUnlessMeasuredOnAsManyCores) {
  EXPECT_EQ(limitsOf({}, {}, 2).source, "");
  const Limits other = limitsOf({}, {machineOf(1, 1)}, 2);
  EXPECT_EQ(other.flops, 0);
  EXPECT_EQ(other.bandwidth, 0);
  EXPECT_EQ(other.source, "");
  const Limits limits = limitsOf({}, {machineOf(1, 1), machineOf(2, 2)}, 2);
  EXPECT_EQ(limits.flops, 200e9);
  EXPECT_EQ(limits.int8Ops, 800e9);
  EXPECT_EQ(limits.bandwidth, 24e9); // the faster one
  EXPECT_EQ(limits.source, "measured on 2 cores with AVX2 and FMA");
}

TEST(Limits, ThoseOfOptionsPrecede) {
  const Limits limits = limitsOf({.gflops = 7, .bandwidthGbs = 3}, {machineOf(1, 1)}, 1);
  EXPECT_EQ(limits.flops, 7e9);
  EXPECT_EQ(limits.int8Ops, 400e9);
  EXPECT_EQ(limits.bandwidth, 3e9);
  EXPECT_EQ(
      limits.source.rfind("given by --peak-gflops, --bandwidth-gbs; else measured on 1 core", 0),
      0u)
      << limits.source;
}

namespace {
/// A file that is removed again.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / "ttc-roofline-XXXXXX").string();
  explicit TemporaryFile(const std::string &text) {
    const int file = mkstemp(path.data());
    EXPECT_GE(file, 0);
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};
} // namespace

TEST(Machines, AreReadAsTheyAreWritten) {
  const TemporaryFile file(machineJson({machineOf(1, 1), machineOf(4, 3)}));
  const std::vector<Machine> machines = readMachines(file.path);
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[1].cores, 4u);
  EXPECT_DOUBLE_EQ(machines[1].flops, 300e9);
  EXPECT_DOUBLE_EQ(machines[1].int8Ops, 1200e9);
  EXPECT_DOUBLE_EQ(machines[1].readBandwidth, 30e9);
  EXPECT_DOUBLE_EQ(machines[1].copyBandwidth, 36e9);
  EXPECT_EQ(machines[1].instructions, "AVX2 and FMA");
  EXPECT_TRUE(readMachines(file.path + ".none").empty());
}

TEST(Machines, SaysWhatIsWrongInTheFile) {
  auto errorOf = [](const std::string &text) -> std::string {
    const TemporaryFile file(text);
    try {
      readMachines(file.path);
    } catch (const UserError &error) {
      EXPECT_EQ(std::string(error.what()).rfind(file.path, 0), 0u);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(errorOf("{").find("expected string literal"), std::string::npos);
  EXPECT_NE(errorOf(R"({"measurements": [{"cores": 0}]})").find("'cores' of at least 1"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"measurements": [{"cores": 1, "f32_gflops": -1}]})")
                .find("'f32_gflops' of at least 0"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"measurements": [{"cores": 1, "f32_gflops": 1}]})").find("'int8_gops'"),
            std::string::npos);
}

/// No time is asserted: only that something was measured, and is said.
TEST(Machines, MeasuresThisOne) {
  const Machine machine = measureMachine(1);
  EXPECT_EQ(machine.cores, 1u);
  EXPECT_GT(machine.flops, 0);
  EXPECT_NE(machine.instructions, "");
  EXPECT_GT(machine.readBandwidth, 0);
  EXPECT_GT(machine.copyBandwidth, 0);
  EXPECT_EQ(machine.int8Ops > 0, machine.int8Instructions != "");
}

//===----------------------------------------------------------------------===//
// Ideal times
//===----------------------------------------------------------------------===//

static OpInfo gemm() {
  OpInfo op;
  op.work = true;
  op.grid = 4;
  op.flops = 1'000'000;
  op.read[static_cast<size_t>(Space::Dram)] = 3000;
  op.written[static_cast<size_t>(Space::Dram)] = 1000;
  op.read[static_cast<size_t>(Space::L1)] = 77;
  return op;
}

TEST(Ideal, IsTheLargerOfComputeAndBandwidth) {
  Limits limits;
  limits.flops = 100e9;
  limits.int8Ops = 400e9;
  limits.bandwidth = 10e9;
  const Ideal ideal = idealOf(gemm(), limits);
  EXPECT_DOUBLE_EQ(*ideal.compute, 10'000);
  EXPECT_DOUBLE_EQ(*ideal.bandwidth, 400);
  EXPECT_DOUBLE_EQ(*ideal.least(), 10'000);
  EXPECT_DOUBLE_EQ(*shareOf(ideal.compute, 20'000), 0.5);
  EXPECT_FALSE(shareOf(ideal.compute, 0));
  OpInfo bytes = gemm();
  bytes.multipliesBytes = true;
  EXPECT_DOUBLE_EQ(*idealOf(bytes, limits).compute, 2'500);
  OpInfo moves = gemm();
  moves.flops = 0;
  EXPECT_FALSE(idealOf(moves, limits).compute);
  EXPECT_DOUBLE_EQ(*idealOf(moves, limits).least(), 400);
}

TEST(Ideal, IsEmptyWithoutLimits) {
  const Ideal none = idealOf(gemm(), {});
  EXPECT_FALSE(none.compute);
  EXPECT_FALSE(none.bandwidth);
  EXPECT_FALSE(none.least());
  EXPECT_FALSE(shareOf(none.compute, 100));
  Limits limits;
  limits.bandwidth = 10e9;
  Ideal sum = idealOf(gemm(), limits);
  EXPECT_DOUBLE_EQ(*sum.least(), 400);
  sum += idealOf(gemm(), limits);
  EXPECT_DOUBLE_EQ(*sum.bandwidth, 800);
  sum += none; // a part of the sum is unknown
  EXPECT_FALSE(sum.least());
}

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

static Traffic emptyTraffic(uint64_t cores) {
  Traffic traffic;
  traffic.cores = cores;
  traffic.read.resize(cores * traffic.memories());
  traffic.written = traffic.read;
  return traffic;
}

static OperandInfo operandOf(Space space, uint64_t bytes, bool read) {
  OperandInfo operand;
  operand.space = space;
  operand.bytes = bytes;
  operand.read = read;
  operand.write = !read;
  return operand;
}

/// Core k reads its own shard; the shard that all share, and DRAM, are divided among them.
TEST(Traffic, OfAProgramOnShards) {
  OpInfo op;
  op.grid = 3;
  OperandInfo own = operandOf(Space::L1, 300, true);
  own.banks = 3;
  own.perWorkgroup = true;
  OperandInfo shared = operandOf(Space::L1, 600, true);
  shared.firstBank = 1;
  shared.banks = 2;
  op.operands = {own, shared, operandOf(Space::Dram, 31, true), operandOf(Space::L1, 90, false),
                 operandOf(Space::Host, 1000, false)};
  Traffic traffic = emptyTraffic(4);
  addTraffic(traffic, op);
  const std::vector<uint64_t> read = {
      100, 100, 100, 0, 0, 10, // core 0: L1 0 to 3, interleaved, DRAM
      0,   200, 100, 0, 0, 10, //
      0,   100, 200, 0, 0, 11, //
      0,   0,   0,   0, 0, 0}; // no workgroup
  EXPECT_EQ(traffic.read, read);
  const std::vector<uint64_t> written = {0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 30, 0,
                                         0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0,  0};
  EXPECT_EQ(traffic.written, written);
}

/// The workgroups of other programs are spread over all cores as at run time, and parts add up.
TEST(Traffic, OfOtherPrograms) {
  OpInfo op;
  op.grid = 7;
  op.operands = {operandOf(Space::Dram, 1001, true), operandOf(Space::L1, 503, false)};
  Traffic traffic = emptyTraffic(3);
  addTraffic(traffic, op);
  EXPECT_EQ(std::accumulate(traffic.read.begin(), traffic.read.end(), uint64_t(0)), 1001u);
  EXPECT_EQ(std::accumulate(traffic.written.begin(), traffic.written.end(), uint64_t(0)), 503u);
  // 3, 2 and 2 of 7 workgroups.
  EXPECT_EQ(traffic.read[0 * 5 + 4], 429u);
  EXPECT_EQ(traffic.read[1 * 5 + 4], 286u);
  EXPECT_EQ(traffic.read[2 * 5 + 4], 286u);
}
