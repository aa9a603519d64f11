// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of some devices: good bundles pass, and every kind of fault is refused with a
// message that names it.

#include "Bundle/Bundle.h"
#include "test/unit/Proof/FaultPlaces.h"
#include "test/unit/Proof/ProofBundles.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/Rounds.h"
#include "test/unit/Support/StageBundle.h"

#include <algorithm>
#include <random>
#include <set>

namespace ttrt::test {
namespace {

TEST(Stage, GoodBundlesPass) {
  for (bool offers : {false, true}) {
    BundleBuilder builder = stageBundle(offers);
    EXPECT_EQ(verdict(builder), "");
    certify(builder);
    EXPECT_EQ(verdict(builder), "");
  }
  for (uint32_t devices : {2, 3, 5})
    for (uint32_t parts : {1, 4}) {
      BundleBuilder builder = chainOfStages(devices, parts);
      EXPECT_EQ(verdict(builder), "") << devices << " devices, " << parts << " parts";
      certify(builder);
      EXPECT_EQ(verdict(builder), "") << devices << " devices, " << parts << " parts";
    }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// What each device does: sends (link, true) and receives (link, false) in order.
using Orders = std::vector<std::vector<std::pair<uint32_t, bool>>>;

/// Whether devices that wait for each other complete, whichever continues first: every state that
/// can be reached is examined.
bool alwaysEnds(const Orders &orders) {
  std::set<std::vector<size_t>> seen;
  std::vector<std::vector<size_t>> left = {std::vector<size_t>(orders.size())};
  bool ends = true;
  while (!left.empty()) {
    const std::vector<size_t> at = left.back();
    left.pop_back();
    if (!seen.insert(at).second)
      continue;
    bool isOver = true, moves = false;
    for (size_t a = 0; a < orders.size(); ++a) {
      isOver &= at[a] == orders[a].size();
      for (size_t b = 0; b < orders.size(); ++b)
        if (a != b && at[a] < orders[a].size() && at[b] < orders[b].size() &&
            orders[a][at[a]].second && !orders[b][at[b]].second &&
            orders[a][at[a]].first == orders[b][at[b]].first) {
          std::vector<size_t> next = at;
          ++next[a];
          ++next[b];
          left.push_back(next);
          moves = true;
        }
    }
    ends &= isOver || moves;
  }
  return ends;
}

/// A stage for each device, which fills what it sends and does nothing else.
BundleBuilder stagesInOrder(const std::vector<std::pair<uint32_t, uint32_t>> &links,
                            const Orders &orders) {
  BundleBuilder builder;
  const auto devices = static_cast<uint32_t>(orders.size());
  builder.mesh({{"stage", devices}});
  builder.buffer("b", fb::BufferKind::Activation, 0, 64);
  for (uint32_t i = 0; i < links.size(); ++i) {
    builder.buffer("r" + std::to_string(i), fb::BufferKind::Activation, 64 + i * 64, 64);
    builder.collective("link_" + std::to_string(i), fb::CollectiveKind::Permute,
                       fb::CollectiveAlgorithm::Direct, {{links[i].first, links[i].second}}, 64, 1,
                       0, {kNoSource, 0});
  }
  for (uint32_t device = 0; device < devices; ++device) {
    StreamBuilder stream;
    stream.fill(0, 64, 7 + device);
    stream.barrier();
    for (auto [link, sends] : orders[device])
      sends ? stream.send(link, 0) : stream.receive(link, 64 + link * 64);
    stream.end();
    const uint32_t trace = builder.trace("t" + std::to_string(device), stream);
    fb::EntryPointT &entry = builder.entry("main_" + std::to_string(device));
    entry.part_of = "main";
    entry.devices = {device};
    BundleBuilder::step(entry, fb::StepKind::Execute, trace);
  }
  return builder;
}

TEST(StageOrders, TheProofSaysWhatEveryOrderOfExecutionSays) {
  std::mt19937 random(5);
  int good = 0, bad = 0;
  for (int round = 0; round < rounds(3000); ++round) {
    const uint32_t devices = 2 + random() % 3, number = 1 + random() % 5;
    std::vector<std::pair<uint32_t, uint32_t>> links;
    Orders orders(devices);
    for (uint32_t link = 0; link < number; ++link) {
      const uint32_t from = random() % devices,
                     to = (from + 1 + random() % (devices - 1)) % devices;
      links.emplace_back(from, to);
      for (uint32_t times = 1 + random() % 2; times > 0; --times) {
        orders[from].emplace_back(link, true);
        orders[to].emplace_back(link, false);
      }
    }
    for (auto &order : orders)
      if (random() % 3)
        std::shuffle(order.begin(), order.end(), random);
    BundleBuilder builder = stagesInOrder(links, orders);
    const std::string said = verdict(builder);
    const bool ends = alwaysEnds(orders);
    ++(ends ? good : bad);
    ASSERT_EQ(said.empty(), ends) << "round " << round << ": '" << said << "'";
    if (!ends) {
      EXPECT_NE(said.find("wait for each other in a cycle"), std::string::npos) << said;
    }
  }
  EXPECT_GT(good, rounds(500));
  EXPECT_GT(bad, rounds(500));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

using BB = BundleBuilder;

Place placeOf(const BB &b, size_t trace, size_t command) {
  return commands(
             b,
             [&](const Place &place) { return place.trace == trace && place.command == command; })
      .at(0);
}

uint64_t &operandOf(BB &b, size_t trace, size_t command, size_t number) {
  return b.streams[trace].words[placeOf(b, trace, command).word + 2 + number];
}

/// The collective of a send, receive, offer or exchange; it has `operands`.
void setCollective(BB &b, size_t trace, size_t command, uint64_t collective, uint64_t operands) {
  b.streams[trace].words[placeOf(b, trace, command).word + 1] = collective | operands << 32;
}

fb::EntryPointT &part(BB &b, size_t index) { return *b.bundle.entries[index]; }

fb::BufferT &bufferOf(BB &b, const char *name) {
  for (auto &buffer : b.bundle.buffers)
    if (buffer->name == name)
      return *buffer;
  throw std::out_of_range(name);
}

constexpr uint64_t kForward = 0, kBack = 1, kSum = 2;

/// Into stageBundle().
struct StageFault {
  const char *name;
  void (*seed)(BB &);
  const char *message;
};

const StageFault kStageFaults[] = {
    // Pairs.
    {"SendIsMissing", [](BB &b) { erase(b, placeOf(b, 0, kStageSend)); },
     "device 2 receives from device 0 1 times in an inference of entry point 'main_1', which sends "
     "0 times in 'main_0'"},
    {"ReceiveIsMissing", [](BB &b) { erase(b, placeOf(b, 0, kStageReceive)); },
     "device 2 sends to device 0 1 times in an inference of entry point 'main_1', which receives 0 "
     "times in 'main_0'"},
    {"SentTwice", [](BB &b) { insertCopy(b, placeOf(b, 0, kStageSend)); },
     "(forward, from Add_0): device 0 sends to device 2 2 times in an inference of entry point "
     "'main_0', which receives 1 times"},
    {"ReceivedTwice", [](BB &b) { insertCopy(b, placeOf(b, 1, kNextReceive)); },
     "device 0 sends to device 2 1 times in an inference of entry point 'main_0', which receives 2 "
     "times in 'main_1'"},
    {"SendsWhatItReceives", [](BB &b) { setCollective(b, 0, kStageSend, kBack, 1); },
     "(back, from Add_0), on devices 0, 1 (entry point 'main_0'): device 0 sends; by the sources "
     "of the collective, it receives"},
    {"SendsASum", [](BB &b) { setCollective(b, 0, kStageSend, kSum, 1); },
     "follows command 2 of trace 'main_0_t0' (sum, from ReduceSum_1), an offer of the same "
     "collective; expected its exchange"},
    {"ExchangesWhatIsSent", [](BB &b) { setCollective(b, 0, kStageSum, kForward, 2); },
     "command 2 of trace 'main_0_t0' (sum, from ReduceSum_1) offers the input of an exchange; "
     "expected that exchange after it"},
    {"ReceiverInNoPart", [](BB &b) { part(b, 1).devices = {2}; },
     "device 1 sends to device 3, which executes no other part of 'main'"},
    {"SenderInNoGroup",
     [](BB &b) {
       auto &groups = b.bundle.collectives[kForward]->groups;
       groups.pop_back();
     },
     "device 1 sends, and is in no group of the collective"},
    {"SendWithoutParts",
     [](BB &b) {
       part(b, 0).devices.clear();
       part(b, 0).part_of.clear();
     },
     "on all devices (entry point 'main_0'): device 2 gets nothing, and operand 1, the output, is "
     "written"},
    // Circles of waits, and orders.
    {"Circle",
     [](BB &b) { swapCommands(b, placeOf(b, 0, kStageSend), placeOf(b, 0, kStageReceive)); },
     "wait for each other in a cycle: device 0 waits in command 5 of trace 'main_0_t0' (back, "
     "from Add_0) for device 2, device 2 waits in command 0"},
    {"GroupAcrossParts", [](BB &b) { b.bundle.collectives[kSum]->groups[0]->devices = {0, 2}; },
     "devices 0 and 2 are in one group; expected both among those that execute it, or neither"},
    {"BodiesOfSeveralInferences",
     [](BB &b) {
       auto &body = part(b, 1).schedules[0]->body;
       for (size_t i = 0; i < 3; ++i)
         body.push_back(std::make_unique<fb::StepT>(*body[i]));
       setStageConstants(b, {{0}, {1, static_cast<uint32_t>(b.bundle.buffers.size() - 1)}});
     },
     "the body of schedule 'single' has 1 inferences in entry point 'main_0' and 2 in 'main_1'"},
    {"OtherOrderInAnotherSchedule",
     [](BB &b) {
       // The trace twice in one inference.
       auto &entry = part(b, 0);
       entry.schedules.push_back(std::make_unique<fb::ScheduleT>(*entry.schedules[0]));
       entry.schedules[1]->name = "again";
       auto &body = entry.schedules[1]->body;
       body.push_back(std::make_unique<fb::StepT>(*body[1]));
     },
     "the body sends, receives and exchanges 6 times in 1 inferences"},
    // Entry points.
    {"DeviceInTwoParts", [](BB &b) { part(b, 1).devices = {1, 2, 3}; },
     "device 1 executes entry points 'main_0' and 'main_1', both part of 'main'; expected one"},
    {"DeviceOutsideTheMesh", [](BB &b) { part(b, 1).devices = {2, 9}; },
     "entry point 'main_1' is of device 9; expected ascending devices below 4"},
    {"DevicesNotAscending", [](BB &b) { part(b, 1).devices = {3, 2}; },
     "entry point 'main_1' is of device 2; expected ascending devices below 4"},
    {"DevicesWithoutPartOf", [](BB &b) { part(b, 1).part_of.clear(); },
     "entry point 'main_1' is of 2 devices and part of ''; expected both or neither"},
    {"OneOutputInTwoParts", [](BB &b) { part(b, 1).outputs[0]->name = "y"; },
     "output 'y' is of entry points 'main_0' and 'main_1', both part of 'main'; expected it once"},
    {"OneInputOfTwoTypes",
     [](BB &b) {
       part(b, 1).inputs[0]->name = "x";
       part(b, 1).inputs[0]->shape = {256, 1};
     },
     "input 'x' of entry points 'main_0' and 'main_1', both part of 'main', has two types"},
    {"WholeNamedAsAnother",
     [](BB &b) {
       fb::EntryPointT &other = b.entry("main");
       BB::step(other, fb::StepKind::Record, 0);
     },
     "entry point 'main_0' is part of 'main', which is an entry point of all devices"},
    // Offers.
    {"OfferWithoutExchange", [](BB &b) { erase(b, placeOf(b, 0, kStageSum)); },
     "offers the input of an exchange; expected that exchange after it in the trace"},
    {"OfferOfAnotherInput",
     [](BB &b) { operandOf(b, 0, kStageOffer, 0) = operandOf(b, 0, kStageSend, 0); },
     "command 3 of trace 'main_0_t0' (test_add, from Add_0) writes 0x4400 + 1024 bytes, operand 2, "
     "where other devices may read"},
    {"OfferedTwice", [](BB &b) { insertCopy(b, placeOf(b, 0, kStageOffer)); },
     "command 3 of trace 'main_0_t0' (sum, from ReduceSum_1) follows command 2 of trace "
     "'main_0_t0' (sum, from ReduceSum_1), an offer"},
    {"OfferedInputIsOverwritten",
     [](BB &b) { operandOf(b, 0, kStageAdd, 2) = operandOf(b, 0, kStageOffer, 0); },
     "writes 0x4000 + 1024 bytes, operand 2, where other devices may read what command 2"},
    {"OfferedInputIsReceived",
     [](BB &b) {
       swapCommands(b, placeOf(b, 0, kStageSum), placeOf(b, 0, kStageReceive));
       operandOf(b, 0, kStageSum, 0) = operandOf(b, 0, kStageOffer, 0);
     },
     "(back, from ReduceSum_1) writes 0x4000 + 1024 bytes, operand 0, where other devices may read "
     "what command 2"},
    // Constants of a stage.
    {"ActivationInConstantsOfItsDevices", [](BB &b) { b.bundle.mesh->shards = {0, 0, 0, 1}; },
     "buffer 'f' at 0x1000 + 1024 bytes is in the pages of constants, 0x0 to 0x3000, of devices 2, "
     "3"},
    {"ConstantWithAnotherLifetime", [](BB &b) { ++bufferOf(b, "v").begin; },
     "constant 'v' lives for [16, 26), which is not the part of the timeline of an entry point"},
    {"ConstantOfNoSegment", [](BB &b) { bufferOf(b, "v").offset += 2 * kPageSize; },
     "ends outside the 1024 bytes of constants that a device of entry point 'main_1' has of its "
     "own"},
    {"ConstantOfAnotherStage", [](BB &b) { operandOf(b, 1, kNextAddV, 1) += kPageSize; },
     "operands 1 (0x1000 + 1024 bytes) and 2 (0x1000 + 1024 bytes) overlap, and one is written"},
    {"SentIntoConstants", [](BB &b) { operandOf(b, 1, kNextReceive, 0) = bufferOf(b, "v").offset; },
     "receives 'forward' with operand 0 at 0x0 + 1024 bytes, in the constants"},
    {"SentFromConstantsThatOthersLack",
     [](BB &b) {
       // Devices 0 and 1 have three pages of constants, 2 and 3 only one.
       bufferOf(b, "w").offset = operandOf(b, 0, kStageAdd, 1) = 2 * kPageSize;
       operandOf(b, 0, kStageSend, 0) = 2 * kPageSize;
     },
     "operand 0 at 0x2000 + 1024 bytes is in the constants of devices 0, 1; expected it where "
     "other "
     "devices can reach it"},
    {"SentOutsideDram",
     [](BB &b) { operandOf(b, 1, kNextReceive, 0) = b.bundle.target->dram_bank_bytes - 64; },
     "expected it in DRAM of 0x4000000 bytes"},
};

/// A part without outputs repeats its default schedule: its host may end after any inference.
TEST(Stage, BodiesOfOneInferenceBesidePartsWithoutOutputs) {
  BB b = chainOfStages(2, 1);
  for (size_t i = 0; i < 2; ++i) {
    auto &body = part(b, i).schedules[0]->body;
    for (size_t steps = body.size(), j = 0; j < steps; ++j)
      body.push_back(std::make_unique<fb::StepT>(*body[j]));
  }
  const std::string said = verdict(b);
  EXPECT_NE(said.find("the body of schedule 'single' has 2 inferences in entry point 'main_1'; "
                      "expected one, because 'main_0', also part of 'main', has no outputs"),
            std::string::npos)
      << said;
}

class StageFaultTest : public testing::TestWithParam<StageFault> {};

TEST_P(StageFaultTest, IsRefused) {
  BundleBuilder builder = stageBundle();
  GetParam().seed(builder);
  const std::string said = verdict(builder);
  EXPECT_NE(said, "");
  EXPECT_NE(said.find(GetParam().message), std::string::npos)
      << "'" << said << "' lacks '" << GetParam().message << "'";
}

INSTANTIATE_TEST_SUITE_P(Faults, StageFaultTest, testing::ValuesIn(kStageFaults),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ttrt::test
