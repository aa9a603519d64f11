// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command is dropped from a good bundle: the message must name a read of what it had written.

#include "FaultPlaces.h"
#include "L1Bundle.h"
#include "Oracle.h"
#include "ScheduleModel.h"

#include <gtest/gtest.h>
#include <regex>

namespace ttrt::test {
namespace {

enum class Lifetimes {
  Moved, ///< as a planner would place them without the command
  Kept,  ///< all that comes after the command is one point too early
};

/// Removes a command.
void drop(BundleBuilder &b, const Place &place, Lifetimes lifetimes) {
  const uint64_t begin = pointOf(b, place.trace);
  if (lifetimes == Lifetimes::Kept && begin != ~uint64_t(0))
    moveLifetimes(b, begin + place.command, 1); // erase() moves them back
  erase(b, place);
}

/// The cells that the command's outputs cover.
std::vector<uint32_t> cellsWritten(const ScheduleModel &model, const Place &place) {
  std::vector<uint32_t> cells;
  for (const Use &use : model.traces[place.trace][place.command].uses)
    if (use.write && !use.isScratch())
      cells.insert(cells.end(), use.cells.begin(), use.cells.end());
  std::sort(cells.begin(), cells.end());
  return cells;
}

class Blame : public testing::TestWithParam<NamedBundle> {};

TEST_P(Blame, IsOnAReadOfWhatTheDroppedCommandWrote) {
  BundleBuilder good = GetParam().make();
  const ScheduleModel model(good);
  uint32_t found = 0;
  for (const Place &place : commands(good, isWork))
    for (Lifetimes lifetimes : {Lifetimes::Moved, Lifetimes::Kept}) {
      BundleBuilder harmless = GetParam().make(), bad = GetParam().make();
      drop(harmless, place, Lifetimes::Moved);
      drop(bad, place, lifetimes);
      // Nothing reads what is missing of state: other schedules use it more often.
      const std::string fault = findFault(harmless, 3);
      if (fault.empty() || fault.find("state that is used") != std::string::npos)
        continue;
      const std::string said = verdict(bad);
      SCOPED_TRACE("command " + std::to_string(place.command) + " of trace " +
                   std::to_string(place.trace) + " dropped: " + said);
      static const std::regex pattern(", operand (\\d+), reads 0x([0-9a-f]+) \\+ (\\d+) bytes");
      std::smatch match;
      // Other schedules may still read something, but not what the default one computes.
      if (said.find(" what the default schedule does not") != std::string::npos)
        continue;
      ASSERT_TRUE(std::regex_search(said, match, pattern));
      const Use read = model.use(std::stoull(match[2], nullptr, 16), std::stoull(match[3]), true,
                                 false, static_cast<uint32_t>(std::stoul(match[1])));
      EXPECT_TRUE(shareCells(read.cells, cellsWritten(model, place)));
      // The command that the message names has such an operand.
      static const std::regex command("command (\\d+) of trace '([^']+)'[^,]*(, from [^)]*\\))?, "
                                      "operand \\d+, reads");
      if (std::regex_search(said, match, command)) {
        size_t trace = 0;
        while (good.bundle.traces[trace]->name != match[2])
          ++trace;
        size_t reader = std::stoul(match[1]);
        reader += trace == place.trace && reader >= place.command;
        const Use &operand = model.traces[trace][reader].uses.at(read.operand);
        EXPECT_TRUE(operand.read);
        EXPECT_TRUE(shareCells(operand.cells, read.cells));
      }
      ++found;
    }
  EXPECT_GT(found, 0u);
}

std::vector<NamedBundle> bundles() {
  std::vector<NamedBundle> all = proofBundles();
  // Its only command updates state, of which something can always be read.
  std::erase_if(all,
                [](const NamedBundle &b) { return b.name == std::string_view("StateQueues"); });
  all.push_back({"L1", [] { return writeAheadBundle(); }});
  all.push_back({"OwnTraces", ownTracesBundle});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Bundles, Blame, testing::ValuesIn(bundles()),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(BlameLifetimes, NamesTheLifetimeThatWasExpected) {
  BundleBuilder builder = sampleBundle();
  auto &buffers = builder.bundle.buffers;
  buffers[3]->begin = 0; // `a`, from the write of x
  buffers[4]->begin = 4; // `b`, after its first write
  EXPECT_EQ(verdict(builder),
            "command 2 of trace 'main_t0' (test_reverse, from Reverse_0): operand 1 at 0x1c00 + "
            "1024 bytes is in no buffer that is alive then; 'b' is alive at the points 4 to 5 of "
            "the timeline, and this is point 3: is a command missing before it, or one too many?");
}

/// Two slots, a trace for each: x -> a -> y.
BundleBuilder ringBundle() {
  BundleBuilder builder;
  constexpr uint64_t kBytes = 256;
  uint64_t address = 4096;
  auto slot = [&](const char *name) {
    builder.buffer(name, fb::BufferKind::Slot, address, kBytes);
    return std::exchange(address, address + kBytes);
  };
  const uint64_t x[] = {slot("x"), slot("x_slot1")}, y[] = {slot("y"), slot("y_slot1")},
                 a = address;
  builder.buffer("a", fb::BufferKind::Activation, a, kBytes, 1, 4);
  const uint32_t program = builder.program("test_reverse", 4, {kBytes}, {kBytes}),
                 second = builder.program("test_reverse2", 4, {kBytes}, {kBytes});
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {64}, 0);
  entry.inputs[0]->ring = {1};
  BundleBuilder::port(entry.outputs, "y", {64}, 2);
  entry.outputs[0]->ring = {3};
  auto ring = std::make_unique<fb::ScheduleT>();
  ring->name = "ring";
  using K = fb::StepKind;
  for (uint32_t i = 0; i < 2; ++i) {
    StreamBuilder stream;
    stream.dispatch(program, {x[i], a});
    stream.barrier();
    stream.dispatch(second, {a, y[i]});
    stream.end();
    const uint32_t trace = builder.trace("t" + std::to_string(i), stream);
    for (K kind : {K::Write, K::Execute, K::Read}) {
      BundleBuilder::step(ring->body, kind, kind == K::Execute ? trace : 0).slot =
          kind == K::Execute ? 0 : i;
      if (i == 0)
        BundleBuilder::step(entry, kind, kind == K::Execute ? trace : 0);
    }
  }
  entry.schedules.push_back(std::move(ring));
  return builder;
}

TEST(BlameStale, NamesTheReadThatTookTheDataOfAnotherInference) {
  BundleBuilder good = ringBundle(), builder = ringBundle();
  ASSERT_EQ(verdict(good), "");
  erase(builder, commands(builder, [](const Place &p) { return p.trace == 1; })[0]);
  EXPECT_EQ(verdict(builder),
            "schedule 'ring' of entry point 'main': step 5 of the body (read of output 'y') in "
            "iteration 0 takes the result of inference 1, but 0x1300 + 256 bytes of 'y_slot1' hold "
            "that of inference 0, from command 1 of trace 't1' (test_reverse2) in iteration 0; "
            "command 1 of trace 't1' (test_reverse2) in iteration 0, operand 0, has read it from "
            "command 0 of trace 't0' (test_reverse) in iteration 0, operand 1");
}

} // namespace
} // namespace ttrt::test
