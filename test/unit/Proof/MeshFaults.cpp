// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshFaults.h"

#include "FaultPlaces.h"
#include "test/unit/Support/MeshBundle.h"

namespace ttrt::test {
namespace {

using BB = BundleBuilder;

fb::CollectiveT &sum(BB &b) { return *b.bundle.collectives[0]; }
fb::CollectiveT &scatter(BB &b) { return *b.bundle.collectives[1]; }
fb::CollectiveT &gather(BB &b) { return *b.bundle.collectives[2]; }

/// An operand of a command in the trace.
uint64_t &operand(BB &b, size_t command, size_t number) {
  return b.streams[0].words[commands(b)[command].word + 2 + number];
}

void permute(fb::CollectiveT &collective, std::vector<uint32_t> sources) {
  collective.kind = fb::CollectiveKind::Permute;
  collective.sources = std::move(sources);
}

fb::PortT &input(BB &b) { return *b.bundle.entries[0]->inputs[0]; }

void divide(BB &b, std::vector<std::vector<uint32_t>> axes) {
  for (std::vector<uint32_t> &list : axes) {
    input(b).sharding.push_back(std::make_unique<fb::AxisListT>());
    input(b).sharding.back()->axes = std::move(list);
  }
}

const std::vector<MeshFault> kFaults = {
    // The mesh.
    {"AxisWithoutDevices",
     [](BB &b) { b.bundle.mesh->axes[1]->size = 0; },
     {"axis 'y' of the mesh has size 0; expected at least 1"}},
    {"TooManyDevices",
     [](BB &b) { b.bundle.mesh->axes[1]->size = 4096; },
     {"axis 'y' of the mesh has size 4096; expected at least 1, and at most 4096 devices in all"}},
    {"AxesWithOneName",
     [](BB &b) { b.bundle.mesh->axes[1]->name = "x"; },
     {"two axis of the meshs are named 'x'"}},
    {"UnknownLinks",
     [](BB &b) { b.bundle.mesh->axes[0]->topology = static_cast<fb::LinkTopology>(9); },
     {"axis 'x' of the mesh has links of kind 9"}},
    {"NoAxes", [](BB &b) { b.bundle.mesh->axes.clear(); }, {"the mesh has no axes"}},
    {"NoFeature",
     [](BB &b) { b.bundle.required_features.clear(); },
     {"bundle of 4 devices does not require feature 'mesh'"}},
    {"FeatureOfOneDevice",
     [](BB &b) {
       for (auto &axis : b.bundle.mesh->axes)
         axis->size = 1;
     },
     {"bundle of 1 devices requires feature 'mesh'; expected that of a mesh of more than one"}},
    {"NoMesh",
     [](BB &b) {
       b.bundle.mesh.reset();
       b.bundle.required_features.clear();
     },
     {"collective 'sum_over_y', which command 2 of trace 'main_t0' (from MatMul_1) executes: the "
      "bundle is of one device; expected a mesh"}},
    // Ports.
    {"InputDividedByAnUnknownAxis",
     [](BB &b) { divide(b, {{}, {2}}); },
     {"input 'x', dimension 1, is divided by axis 2 of the mesh; the mesh has 2"}},
    {"InputDividedTwiceByAnAxis",
     [](BB &b) { divide(b, {{1}, {1}}); },
     {"input 'x', dimension 1, is divided by axis 'y' of the mesh; expected each axis at most "
      "once"}},
    {"InputDividedInMoreDimensions",
     [](BB &b) { divide(b, {{}, {}, {0}}); },
     {"input 'x' is divided in 3 dimensions; it has 2"}},
    // Collectives.
    {"ParticipantIsMissing",
     [](BB &b) { sum(b).groups[1]->devices.pop_back(); },
     {"collective 'sum_over_y', which command 2 of trace 'main_t0' (from MatMul_1) executes: ",
      "group 1 has 1 devices; expected 2, as in group 0"}},
    {"GroupIsMissing",
     [](BB &b) { sum(b).groups.pop_back(); },
     {"command 2 of trace 'main_t0' (sum_over_y, from MatMul_1)", "device 2 gets nothing",
      "operand 1, the output, is written; expected that it is read and written"}},
    {"DeviceTwiceInAGroup",
     [](BB &b) { gather(b).groups[0]->devices[3] = 1; },
     {"collective 'gather', which command 7 of trace 'main_t0' (from MatMul_3) executes: device 1 "
      "is in group 0 and again in group 0; expected it once"}},
    {"DeviceInTwoGroups",
     [](BB &b) { sum(b).groups[1]->devices[0] = 0; },
     {"device 0 is in group 0 and again in group 1"}},
    {"UnknownDevice",
     [](BB &b) { sum(b).groups[1]->devices[0] = 4; },
     {"group 1 has device 4; the mesh has 4"}},
    {"NoGroups", [](BB &b) { sum(b).groups.clear(); }, {"'sum_over_y'", "has no groups"}},
    {"UnknownKind",
     [](BB &b) { sum(b).kind = static_cast<fb::CollectiveKind>(6); },
     {"has kind 6, algorithm 0"}},
    {"BooleansAreAdded", [](BB &b) { sum(b).dtype = fb::DType::Bool; }, {"reduces booleans"}},
    {"AlgorithmIsNotDefined",
     [](BB &b) { scatter(b).algorithm = fb::CollectiveAlgorithm::Halving; },
     {"algorithm halving is not defined for reduce_scatter of 4 devices"}},
    {"AlgorithmNeedsOtherScratch",
     [](BB &b) { scatter(b).algorithm = fb::CollectiveAlgorithm::Direct; },
     {"'scatter'", "has 3 operands; expected 2 for reduce_scatter by algorithm direct"}},
    {"RootOutsideTheGroup",
     [](BB &b) {
       sum(b).kind = fb::CollectiveKind::Broadcast;
       sum(b).root = 2;
     },
     {"broadcast from device 2 of a group; expected one of 2"}},
    {"SumWithARoot",
     [](BB &b) { sum(b).root = 1; },
     {"all_reduce from device 1 of a group; expected 0"}},
    {"SourceOutsideTheGroup",
     [](BB &b) { permute(sum(b), {1, 2}); },
     {"device 1 of a group takes from device 2; expected one of 2"}},
    {"SourceTwice",
     [](BB &b) { permute(sum(b), {1, 1}); },
     {"devices 0 and 1 of a group both take from device 1"}},
    {"SourcesAreMissing",
     [](BB &b) { permute(sum(b), {1}); },
     {"permute has 1 sources; expected 2"}},
    {"DeviceWithoutASource",
     [](BB &b) { permute(sum(b), {1, kNoSource}); },
     {"operand 1, the output, is written; expected that it is read and written"}},
    {"SourcesOfASum", [](BB &b) { sum(b).sources = {0, 1}; }, {"all_reduce has 2 sources"}},
    {"RowsDoNotDivide",
     [](BB &b) { scatter(b).rows = 3; },
     {"'scatter'", "1024 bytes are divided into 3 rows of 4 parts of elements of 4 bytes"}},
    {"NoRows", [](BB &b) { scatter(b).rows = 0; }, {"divided into 0 rows"}},
    {"OutputIsTooSmall",
     [](BB &b) { gather(b).operands[1]->bytes = 512; },
     {"'gather'", "operand 1, the output, has 512 bytes; expected 1024 for all_gather of 256 bytes "
                  "on 4 devices"}},
    {"InputIsLarger",
     [](BB &b) { gather(b).operands[0]->bytes = 512; },
     {"operand 1, the output, has 1024 bytes; expected 2048"}},
    {"ScratchIsTooSmall",
     [](BB &b) { scatter(b).operands[2]->bytes = 256; },
     {"operand 2, scratch, has 256 bytes; expected 512"}},
    {"OutputIsOnlyRead",
     [](BB &b) { sum(b).operands[1]->access = fb::Access::Read; },
     {"operand 1, the output, is read; expected that it is written"}},
    {"NotAligned",
     [](BB &b) { sum(b).operands[1]->alignment = 2; },
     {"operand 1, the output, has alignment 2; expected a power of two, at least 4"}},
    {"OutputInPlaceOfTheInput",
     [](BB &b) { sum(b).operands[1]->in_place_of = {0}; },
     {"operand 1, the output, has rows, or may overwrite others; expected neither"}},
    {"NoOutput",
     [](BB &b) { sum(b).operands.pop_back(); },
     {"has 1 operands; expected an input and an output"}},
    // Exchange commands.
    {"UnknownCollective",
     [](BB &b) { b.streams[0].words[commands(b)[kAllReduce].word + 1] = 3 | uint64_t(2) << 32; },
     {"trace 'main_t0', command 2", "(from MatMul_1)", "names collective 3; there are 3"}},
    {"OutputOverInput",
     [](BB &b) { operand(b, kAllReduce, 1) = operand(b, kAllReduce, 0) + 64; },
     {"trace 'main_t0', command 2", "(from MatMul_1)", "exchanges 'sum_over_y' with operands 0 (",
      "expected operands that do not overlap"}},
    {"OutputIsInput",
     [](BB &b) { operand(b, kAllReduce, 1) = operand(b, kAllReduce, 0); },
     {"exchanges 'sum_over_y' with operands 0 (", "expected operands that do not overlap"}},
    {"ScratchOverOutput",
     [](BB &b) { operand(b, kReduceScatter, 2) = operand(b, kReduceScatter, 1); },
     {"exchanges 'scatter' with operands 1 (", "and 2 ("}},
    {"OperandInL1",
     [](BB &b) { operand(b, kAllReduce, 1) = b.bundle.target->dram_bank_bytes + 8192; },
     {"trace 'main_t0', command 2", "exchanges 'sum_over_y' with operand 1 at 0x4002000",
      "expected it in DRAM"}},
    {"ConstantIsWritten",
     [](BB &b) { operand(b, kAllReduce, 1) = operand(b, kAdd, 1); },
     {"exchanges 'sum_over_y' with operand 1 at 0x0 + 1024 bytes, in the constants"}},
    {"ConstantIsSent",
     [](BB &b) { operand(b, kAllReduce, 0) = operand(b, kAdd, 1); },
     {"exchanges 'sum_over_y' with operand 0 at 0x0 + 1024 bytes, in the constants; expected it "
      "where other devices can reach it"}},
    {"OutputOfAnotherTensor",
     [](BB &b) { operand(b, kAllGather, 1) = operand(b, kAllReduce, 0); },
     {"trace 'main_t0'"}},
    {"InputOverwrittenBefore", // by what the program before writes
     [](BB &b) { operand(b, kLastReverse, 1) = operand(b, kAllReduce, 0); },
     {"trace 'main_t0'"}},
    {"InputIsNotYetWritten",
     [](BB &b) {
       swapCommands(b, commands(b)[kReverse], commands(b)[kAllReduce]);
       b.bundle.traces[0]->sources.clear();
     },
     {"command 0 of trace 'main_t0' (sum_over_y"}},
    {"OutputReadBefore",
     [](BB &b) {
       swapCommands(b, commands(b)[kAllReduce], commands(b)[kAdd]);
       b.bundle.traces[0]->sources.clear();
     },
     {"command 2 of trace 'main_t0' (test_add"}},
    {"BarrierBeforeIsMissing",
     [](BB &b) { erase(b, commands(b)[kReverse + 1]); },
     {"command 0 of trace 'main_t0' (test_reverse, from Flip_0) writes",
      "(sum_over_y, from MatMul_1) reads them", "expected a barrier between them"}},
    {"BarrierAfterIsMissing",
     [](BB &b) { erase(b, commands(b)[kAllGather + 1]); },
     {"(gather, from MatMul_3) writes", "(test_reverse, from Flip_4) reads them",
      "expected a barrier between them"}},
    {"ExchangeIsMissing",
     [](BB &b) { erase(b, commands(b)[kAllReduce]); },
     {"trace 'main_t0' (test_add, from Add_2)", "reads"}},
    {"ExchangesInAnotherOrder",
     [](BB &b) { swapCommands(b, commands(b)[kReduceScatter], commands(b)[kAllGather]); },
     {"command 6 of trace 'main_t0' (gather"}},
};

} // namespace

const std::vector<MeshFault> &meshFaults() { return kFaults; }

} // namespace ttrt::test
