// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs that the tables declare equal on several devices: what is shown to be equal passes,
// everything else is refused.

#include "ProofBundles.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/MeshBundle.h"
#include "test/unit/Support/StageBundle.h"

namespace ttrt::test {
namespace {

using enum fb::CollectiveKind;
constexpr auto kDirect = fb::CollectiveAlgorithm::Direct;

/// By these axes, dimension 0.
void divide(fb::PortT &port, std::vector<uint32_t> axes) {
  port.sharding.clear();
  for (size_t i = 0; i < port.shape.size() && !axes.empty(); ++i)
    port.sharding.push_back(std::make_unique<fb::AxisListT>());
  if (!axes.empty())
    port.sharding[0]->axes = std::move(axes);
}
fb::PortT &input(BundleBuilder &builder) { return *builder.bundle.entries[0]->inputs[0]; }
fb::PortT &output(BundleBuilder &builder) { return *builder.bundle.entries[0]->outputs[0]; }

std::string refusal(const char *what, uint32_t a, uint32_t b, const char *command,
                    const char *axis) {
  return std::string(what) + " is declared equal on devices " + std::to_string(a) + " and " +
         std::to_string(b) + " of the mesh; " + command +
         " computes it from data that may differ between them: expected an exchange, or that axis "
         "'" +
         axis + "' divides it";
}

TEST(Replicas, AWholeOutputOfPartsOfAnInput) {
  BundleBuilder builder = meshPartsBundle();
  EXPECT_EQ(verdict(builder), "");
  divide(output(builder), {});
  EXPECT_EQ(verdict(builder), refusal("output 'y' of entry point 'main'", 0, 1,
                                      "command 2 of trace 'main_t0' (test_add)", "x"));
  // The same input on both devices gives the same output.
  divide(input(builder), {});
  EXPECT_EQ(verdict(builder), "");
}

/// Each device begins with its part of the input.
TEST(Replicas, WhatEachCollectiveMakesEqual) {
  for (fb::CollectiveKind kind : fb::EnumValuesCollectiveKind()) {
    BundleBuilder builder = tinyMeshBundle(4, kind, kDirect);
    divide(input(builder), {0});
    divide(output(builder), {0});
    EXPECT_EQ(verdict(builder), "") << fb::EnumNameCollectiveKind(kind);
    divide(output(builder), {});
    const bool isEqual = kind == AllReduce || kind == AllGather || kind == Broadcast;
    EXPECT_EQ(verdict(builder), isEqual ? ""
                                        : refusal("output 'y' of entry point 'main'", 0, 1,
                                                  "command 4 of trace 'main_t0' (test_third)", "x"))
        << fb::EnumNameCollectiveKind(kind);
    // A permutation of equal inputs gives equal outputs; other collectives give each its part.
    divide(input(builder), {});
    EXPECT_EQ(verdict(builder) == "", isEqual || kind == Permute)
        << fb::EnumNameCollectiveKind(kind);
  }
}

/// Two axes: y = the sum of x over devices along axis y.
BundleBuilder gridBundle() {
  BundleBuilder builder;
  builder.mesh({{"x", 2}, {"y", 2}});
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, kSampleBytes, kSampleBytes);
  const uint32_t sum =
      builder.collective("sum", AllReduce, kDirect, {{0, 1}, {2, 3}}, kSampleBytes);
  StreamBuilder stream;
  stream.exchange(sum, {0, kSampleBytes});
  stream.end();
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out},
                {builder.trace("main_t0", stream)});
  return builder;
}

TEST(Replicas, AlongSomeAxes) {
  const std::string message =
      refusal("output 'y' of entry point 'main'", 0, 2, "command 0 of trace 'main_t0' (sum)", "x");
  for (auto [inputAxes, outputAxes, expected] :
       std::initializer_list<std::tuple<std::vector<uint32_t>, std::vector<uint32_t>, std::string>>{
           {{1}, {}, ""},
           {{0}, {}, message},
           {{0}, {0}, ""},
           {{0, 1}, {}, message},
           {{0, 1}, {0}, ""},
           {{0}, {1}, message}}) {
    BundleBuilder builder = gridBundle();
    divide(input(builder), inputAxes);
    divide(output(builder), outputAxes);
    EXPECT_EQ(verdict(builder), expected);
  }
}

/// y = x + a part of w, of which each device has its own.
BundleBuilder constantBundle(uint64_t part) {
  BundleBuilder builder;
  builder.mesh({{"x", 2}});
  std::vector<std::vector<uint8_t>> values(2, std::vector<uint8_t>(2 * kSampleBytes));
  values[1][kSampleBytes + 4] = 1; // in the second part
  const uint64_t w = builder.shardedConstant("w", values);
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  StreamBuilder stream;
  stream.dispatch(builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes}),
                  {x, w + part * kSampleBytes, y});
  stream.end();
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out},
                {builder.trace("main_t0", stream)});
  return builder;
}

TEST(Replicas, ConstantsByTheirBytes) {
  BundleBuilder equal = constantBundle(0), different = constantBundle(1);
  EXPECT_EQ(verdict(equal), "");
  EXPECT_EQ(verdict(different), refusal("output 'y' of entry point 'main'", 0, 1,
                                        "command 0 of trace 'main_t0' (test_add)", "x"));
  divide(output(different), {0});
  EXPECT_EQ(verdict(different), "");
}

/// y = s, and s = x.
BundleBuilder stateBundle() {
  BundleBuilder builder;
  builder.mesh({{"x", 2}});
  const uint64_t x = 0, y = kSampleBytes, s = 2 * kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  const uint32_t state = builder.buffer("s", fb::BufferKind::State, s, kSampleBytes);
  BundleBuilder::port(builder.bundle.states, "s", {1, 256}, state);
  const uint32_t third = builder.program("test_third", 16, {kSampleBytes}, {kSampleBytes});
  StreamBuilder stream;
  stream.dispatch(third, {s, y});
  stream.barrier();
  stream.dispatch(third, {x, s});
  stream.end();
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out},
                {builder.trace("main_t0", stream)});
  return builder;
}

/// A state has what is written to it, which may be a part on each device.
TEST(Replicas, States) {
  BundleBuilder builder = stateBundle();
  EXPECT_EQ(verdict(builder), "");
  divide(input(builder), {0});
  const std::string message = refusal("output 'y' of entry point 'main'", 0, 1,
                                      "command 0 of trace 'main_t0' (test_third)", "x");
  EXPECT_EQ(verdict(builder), message) << "the next inference reads what this one writes";
  divide(*builder.bundle.states[0], {0});
  EXPECT_EQ(verdict(builder), message);
  divide(input(builder), {});
  EXPECT_EQ(verdict(builder), message) << "each device begins with its part";
  divide(output(builder), {0});
  EXPECT_EQ(verdict(builder), "");
}

/// What is sent to another stage differs there, too.
TEST(Replicas, Stages) {
  for (bool offers : {false, true}) {
    BundleBuilder builder = stageBundle(offers);
    EXPECT_EQ(verdict(builder), "");
    divide(input(builder), {1});
    EXPECT_EQ(verdict(builder), refusal("output 'z' of entry point 'main_1'", 2, 3,
                                        "command 7 of trace 'main_1_t0' (test_third)", "x"));
    divide(*builder.bundle.entries[1]->outputs[0], {1});
    EXPECT_EQ(verdict(builder), refusal("output 'y' of entry point 'main_0'", 0, 1,
                                        "command 11 of trace 'main_0_t0' (test_reverse)", "x"));
    divide(output(builder), {1});
    EXPECT_EQ(verdict(builder), "");
  }
}

} // namespace
} // namespace ttrt::test
