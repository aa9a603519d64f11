// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan in space: walks the timeline (docs/bundle-format.md) once, with the set of buffers that
// are alive. Every access stays in one of them, and no two of them share a byte. OrderProver.cpp
// proves that they hold the right data at that time.

#include "Base/Format.h"
#include "Base/Sequences.h"
#include "Base/Sort.h"
#include "Bundle/DecodedPlan.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"
#include "Proof/AliveBuffers.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>
#include <vector>

namespace ttrt {

namespace {

class MemoryVerifier {
public:
  MemoryVerifier(const Bundle &bundle, DecodedPlan plan);
  PlacedPlan verify();

private:
  using Place = AliveBuffers::Place;
  /// Where the accesses of the last commands were found. Those of one operand follow one another.
  struct Near {
    size_t place = 0;
    BufferIndex::Near buffers;
  };
  void advance(uint64_t time);
  void activate(uint32_t index);
  void kill(uint32_t index) {
    if (buffer(index).kind() != fb::BufferKind::Scratch)
      alive.remove(index);
  }
  void findStages();
  void verifyStage(uint32_t buffer) const;
  void verifyWritable(const Access &access) const;
  void verifyTrace(uint32_t index);
  void verifyOp(const Op &op, Access *accesses);
  void verifyAccess(Access &access);
  void noteUnwritten(const Access &access);
  void blameUnwritten() const;
  [[noreturn]] void failNotAlive(const Access &access) const;
  void setKind(Access &access, fb::BufferKind kind) const;
  void verifyScratch(const fb::Program &program);
  void verifyOwnOperands(const Op &op, const Access *accesses) const;
  void verifyOutsideTheTimeline();
  void beginKey(const Op &op);
  void addToKey(const Access &access, const BufferIndex::Permanent *permanent);
  void learn(const BufferIndex &index, const OpList &list);
  bool takePlaces(const Op &op, Access *accesses);
  void recall(const Op &op, OpList &list);
  void takeBuffers(size_t number, const Op &op, Access *accesses) const;
  const BufferIndex::Permanent *verifyPlace(const BufferIndex &index, Access &access);

  Near &nearOf(const Access &access) { return near[access.operand % std::size(near)]; }
  bool isInside(const Access &access, const fb::Buffer &buffer) const;
  bool isOverScratch(const Access &operand, const Access &scratch) const;
  std::string here() const;
  const fb::Buffer &buffer(uint32_t index) const { return *buffers->Get(index); }
  static bool isAlways(const fb::Buffer &buffer) { return buffer.end() == 0; }
  /// Whether it is known to be a buffer with a lifetime.
  [[gnu::noinline]] bool isMortal(uint32_t index) const {
    return index != kNoBuffer && !isAlways(buffer(index));
  }

  static constexpr uint32_t kNone = ~0u;

  /// What the devices have that execute an entry point.
  struct Stage {
    uint64_t begin, end;           ///< of the timeline
    ShardedConstants constants;    ///< of their own
    std::vector<uint32_t> buffers; ///< constants that only they have
  };

  const Bundle &bundle;
  DecodedPlan decoded;
  const flatbuffers::Vector<flatbuffers::Offset<fb::Buffer>> *buffers;
  const uint64_t constants; ///< the digest of a read of constants, before its place
  const uint64_t constantsAddress;
  const ShardedConstants sharded;
  const uint64_t shards;                ///< as `constants`, of the sharded ones
  std::vector<Numbered> byBegin, byEnd; ///< buffers with a lifetime, by its begin and its end
  AliveBuffers alive;
  size_t mortals = 0; ///< how many of them there are
  size_t nextToLive = 0, nextToDie = 0;
  Near near[8];
  std::vector<Stage> stages;  ///< per entry point
  std::vector<bool> executed; ///< per trace: seen on the timeline
  /// Identify the actions of an entry point's default schedule.
  Sequences keys;
  Sequences::Words key;
  struct Action {
    const Op *op;
    const Access *accesses; ///< their buffers are known
    size_t key;
    bool isSame; ///< at the first with a key: all of them have the same buffers
  };
  std::vector<Action> actions;  ///< of that schedule
  size_t nextAction = 0;        ///< a guess
  std::vector<uint64_t> firsts; ///< per key: the first of the actions that have it
  uint64_t time = 0;
  // For messages.
  std::vector<uint64_t> written; ///< per buffer: bytes, at most
  std::string unwritten;         ///< the first read of bytes that nothing has written
  const fb::EntryPoint *entry = nullptr;
  const Stage *stage = nullptr; ///< the entry point's
  uint32_t step = 0;
  uint32_t trace = kNone;
  uint32_t command = 0;
};

} // namespace

static uint64_t hashOfConstants(const Bundle &bundle) {
  for (const fb::Segment *segment : *bundle.metadata().segments())
    if (segment->kind() == fb::SegmentKind::Constants && segment->shard() == 0)
      return segment->hash();
  return hashSegment(nullptr, 0);
}

MemoryVerifier::MemoryVerifier(const Bundle &bundle, DecodedPlan plan)
    : bundle(bundle), decoded(std::move(plan)), buffers(bundle.metadata().buffers()),
      constants(dataflow::digestOf(dataflow::Kind::Constant, hashOfConstants(bundle))),
      constantsAddress(bundle.segment(fb::SegmentKind::Constants).address),
      sharded(shardedConstants(bundle.metadata())),
      shards(dataflow::digestOf(dataflow::Kind::Constant, digestOfShards(bundle.metadata()))),
      byBegin(count(buffers)), byEnd(count(buffers)), alive(bundle),
      stages(decoded.schedules.size()), executed(count(bundle.metadata().traces())),
      written(count(buffers)) {
  for (uint32_t i = 0; i < count(buffers); ++i) {
    if (isAlways(buffer(i))) {
      activate(i);
      continue;
    }
    byBegin[mortals] = {buffer(i).begin(), i};
    byEnd[mortals++] = {buffer(i).end(), i};
  }
  sortByNumber(byBegin.data(), mortals);
  sortByNumber(byEnd.data(), mortals);
  findStages();
}

//===----------------------------------------------------------------------===//
// Constants of some devices
//===----------------------------------------------------------------------===//

/// The entry points' parts of the timeline, and what is only on their devices.
void MemoryVerifier::findStages() {
  uint64_t point = 0;
  for (uint32_t i = 0; i < decoded.schedules.size(); ++i) {
    Stage &added = stages[i];
    added.begin = point;
    for (const Op &op : decoded.schedules[i][0].steps.ops)
      point += op.role() == OrderRole::Execute ? decoded.traces[op.index].ops.size() + 1 : 1;
    added.end = point;
    added.constants = shardedConstants(bundle.metadata(), *bundle.metadata().entries()->Get(i));
  }
  for (uint32_t i = 0; i < count(buffers) && sharded.size; ++i)
    if (!isAlways(buffer(i)) && buffer(i).space() == fb::MemorySpace::Dram)
      verifyStage(i);
  for (uint32_t i = 0; i < count(buffers); ++i)
    if (!isAlways(buffer(i)) && buffer(i).kind() == fb::BufferKind::Constant)
      for (Stage &owner : stages)
        if (owner.begin == buffer(i).begin())
          owner.buffers.push_back(i);
}

/// A constant with a lifetime is on all devices of one entry point. No other buffer is in the pages
/// of constants on a device that executes an entry point during its life.
void MemoryVerifier::verifyStage(uint32_t index) const {
  const fb::Buffer &found = buffer(index);
  const char *label = text(found.name());
  const auto &entries = *bundle.metadata().entries();
  const bool isConstant = found.kind() == fb::BufferKind::Constant;
  if (found.offset() + found.size() <= sharded.address ||
      found.offset() >= alignUp(sharded.address + sharded.size, kPageSize))
    return;
  bool hasOwner = false;
  for (uint32_t i = 0; i < stages.size(); ++i) {
    const fb::EntryPoint &table = *entries.Get(i);
    const auto &[begin, end, constants, owned] = stages[i];
    const uint64_t shardedEnd = alignUp(sharded.address + constants.size, kPageSize);
    if (!isConstant && begin < found.end() && found.begin() < end && constants.size &&
        found.offset() < shardedEnd)
      failBad(
          "buffer '{}' at {:#x} + {} bytes is in the pages of constants, {:#x} to {:#x}, of {}, "
          "which executes entry point '{}'",
          label, found.offset(), found.size(), sharded.address, shardedEnd, describeDevices(table),
          text(table.name()));
    if (!isConstant || begin != found.begin() || end != found.end() || count(table.devices()) == 0)
      continue;
    hasOwner = true;
    if (found.offset() + found.size() >
        alignUp(sharded.address + constants.least, kBufferAlignment))
      failBad("constant '{}' at {:#x} + {} bytes ends outside the {} bytes of constants that a "
              "device of entry point '{}' has of its own, from {:#x} on",
              label, found.offset(), found.size(), constants.least, text(table.name()),
              sharded.address);
  }
  if (isConstant && !hasOwner)
    failBad("constant '{}' lives for [{}, {}), which is not the part of the timeline of an entry "
            "point of some devices",
            label, found.begin(), found.end());
}

/// Work that is not on the timeline may use any address.
void MemoryVerifier::verifyWritable(const Access &access) const {
  const ShardedConstants &constants = stage->constants;
  if (access.write && constants.size && access.end() > constants.address &&
      access.address < alignUp(constants.address + constants.size, kPageSize))
    failBad("{}: operand {} writes {:#x} + {} bytes, in the pages of constants of {}", here(),
            access.operand, access.address, access.bytes, describeDevices(*entry));
}

//===----------------------------------------------------------------------===//
// The timeline
//===----------------------------------------------------------------------===//

std::string MemoryVerifier::here() const {
  if (trace != kNone)
    return describeCommand(bundle, trace, command);
  return formatText("step {} of entry point '{}'", step, entry ? text(entry->name()) : "");
}

/// Makes a buffer alive. Scratch buffers are left out: programs declare their scratch themselves,
/// and verifyScratch() checks it.
void MemoryVerifier::activate(uint32_t index) {
  const fb::Buffer &added = buffer(index);
  if (added.kind() == fb::BufferKind::Scratch)
    return;
  const Place &place = alive.placeOf(index);
  if (const Place *other = alive.find(place.begin, place.end)) {
    blameUnwritten();
    failBad("buffers '{}' ({:#x} + {} bytes) and '{}' ({:#x} + {} bytes) overlap, and are both "
            "alive at point {} of the timeline",
            text(buffer(other->buffer).name()), other->begin, other->end - other->begin,
            text(added.name()), place.begin, added.size(), time);
  }
  alive.add(index);
}

/// Advances to a point of the timeline.
void MemoryVerifier::advance(uint64_t point) {
  time = point;
  for (; nextToDie < mortals && byEnd[nextToDie].number <= time; ++nextToDie)
    kill(byEnd[nextToDie].item);
  for (; nextToLive < mortals && byBegin[nextToLive].number <= time; ++nextToLive)
    activate(byBegin[nextToLive].item);
}

/// Whether an access stays in a buffer, in the buffer's view of L1. An access to a sharded buffer
/// may touch the same bytes of several shards, as rows.
bool MemoryVerifier::isInside(const Access &access, const fb::Buffer &target) const {
  uint64_t begin = access.address - bundle.address(target), bytes = access.bytes;
  if (isShardedInL1(target)) {
    const uint64_t l1 = bundle.addresses().l1Bytes;
    bytes = bytesInCore(bundle.addresses(), access);
    if (begin / l1 + (access.bytes - bytes) / l1 >= target.shards())
      return false;
    begin %= l1;
  }
  return begin < bundle.bytes(target) && bytes <= bundle.bytes(target) - begin;
}

/// Bytes that an access touches.
static uint64_t touchedBytes(const Access &access) {
  return access.row == access.bytes ? access.bytes
                                    : ((access.bytes - access.row) / access.pitch + 1) * access.row;
}

/// Remembers the first read of a buffer with a lifetime of which too little has been written.
/// OrderProver rejects it, but where a command is missing, all points after it have moved, and the
/// lifetimes of innocent buffers fail first.
void MemoryVerifier::noteUnwritten(const Access &access) {
  const uint64_t found = written[access.buffer];
  if (!access.read || touchedBytes(access) <= found || !unwritten.empty())
    return;
  unwritten =
      formatText("{}, operand {}, reads {:#x} + {} bytes of '{}', {} has written before", here(),
                 access.operand, access.address, access.bytes, text(buffer(access.buffer).name()),
                 found ? "not all of which a command" : "which nothing");
}

void MemoryVerifier::blameUnwritten() const {
  if (!unwritten.empty())
    failBad("{}", unwritten);
}

void MemoryVerifier::failNotAlive(const Access &access) const {
  blameUnwritten();
  // The buffer there whose lifetime is closest.
  const fb::Buffer *closest = nullptr;
  auto distance = [&](const fb::Buffer &found) {
    return found.begin() > time ? found.begin() - time : time + 1 - found.end();
  };
  for (size_t i = 0; i < mortals; ++i) {
    const fb::Buffer &found = buffer(byBegin[i].item);
    if (found.kind() != fb::BufferKind::Scratch && access.address >= bundle.address(found) &&
        isInside(access, found) && (!closest || distance(found) < distance(*closest)))
      closest = &found;
  }
  std::string hint;
  if (closest)
    hint = formatText("; '{}' is alive at the points {} to {} of the timeline, and this is point "
                      "{}: is a command missing before it, or one too many?",
                      text(closest->name()), closest->begin(), closest->end() - 1, time);
  failBad("{}: operand {} at {:#x} + {} bytes is in no buffer that is alive then{}", here(),
          access.operand, access.address, access.bytes, hint);
}

/// Determines the access's buffer.
void MemoryVerifier::verifyAccess(Access &access) {
  if (access.kind == fb::BufferKind::Scratch)
    return; // checked by verifyScratch()
  // The buffer that is alive and contains the address, in either view of L1.
  const uint64_t address = bundle.addresses().plannedAddress(access.address);
  const Place *place = alive.lastBelow(address + 1, nearOf(access).place);
  if (!place || address >= place->end)
    failNotAlive(access);
  const uint32_t index = place->buffer;
  const fb::Buffer &target = buffer(index);
  if (access.buffer != kNoBuffer && access.buffer != index) {
    blameUnwritten();
    failBad("{}: slot '{}' is not alive then", here(), text(buffer(access.buffer).name()));
  }
  if (!isInside(access, target)) {
    blameUnwritten();
    failBad("{}: operand {} at {:#x} + {} bytes ends outside buffer '{}' ({:#x} + {} bytes)",
            here(), access.operand, access.address, access.bytes, text(target.name()),
            bundle.address(target), bundle.bytes(target));
  }
  if (access.write && place->kind == fb::BufferKind::Constant)
    failBad("{}: operand {} writes constant '{}'", here(), access.operand, text(target.name()));
  access.buffer = index;
  setKind(access, place->kind);
  verifyWritable(access);
  if (!place->isPermanent && place->kind != fb::BufferKind::Constant)
    noteUnwritten(access);
}

void MemoryVerifier::setKind(Access &access, fb::BufferKind kind) const {
  access.kind = kind;
  if (kind != fb::BufferKind::Constant)
    return;
  const bool isSharded = sharded.contains(access.address);
  access.constant =
      dataflow::combine(isSharded ? shards : constants,
                        access.address - (isSharded ? sharded.address : constantsAddress),
                        access.bytes, access.row, access.pitch);
}

/// A program's scratch is at the bottom of each core's L1. No buffer that is alive may overlap it.
void MemoryVerifier::verifyScratch(const fb::Program &program) {
  const uint64_t l1 = bundle.addresses().l1Address(0), bytes = program.scratch_bytes();
  const Place *lowest = bytes ? alive.find(l1, l1 + bytes) : nullptr;
  if (lowest)
    failBad("{}: the {} bytes of scratch of '{}' overlap buffer '{}' at L1 {:#x}", here(), bytes,
            text(program.symbol()), text(buffer(lowest->buffer).name()), lowest->begin - l1);
}

/// Whether an operand overlaps the scratch of its own command, an access that follows the operands.
/// In the interleaved view, scratch is the first units of its cores.
bool MemoryVerifier::isOverScratch(const Access &operand, const Access &scratch) const {
  if (scratch.kind != fb::BufferKind::Scratch || operand.kind == fb::BufferKind::Scratch)
    return false;
  const AddressMap &map = bundle.addresses();
  constexpr uint64_t unit = kBufferAlignment;
  const uint64_t core = (scratch.address - map.dramBytes) / map.l1Bytes;
  const uint64_t row = ((scratch.bytes - scratch.row) / map.l1Bytes + 1) * unit;
  Access view{map.interleavedAddress() + core * unit,
              (alignUp(scratch.row, unit) / unit - 1) * unit * map.cores + row, false, true, 0};
  view.row = row;
  view.pitch = unit * map.cores;
  return mayShareBytes(operand, view);
}

/// The workgroups of a command and the bytes of a copy are in no order, so accesses of one command
/// must not conflict. Operands that the program may write in place are the exception. What a
/// collective reads is in no constant: other devices reach writable DRAM only.
void MemoryVerifier::verifyOwnOperands(const Op &op, const Access *accesses) const {
  for (uint32_t i = op.first; i < op.end; ++i)
    if (op.info->inCollective != CollectiveRole::None &&
        accesses[i].kind == fb::BufferKind::Constant)
      failBad("{}: operand {} at {:#x} + {} bytes is in the constants of {}; expected it where "
              "other devices can reach it",
              here(), accesses[i].operand, accesses[i].address, accesses[i].bytes,
              describeDevices(*entry));
  const fb::Program *program =
      op.runsProgram() ? bundle.metadata().programs()->Get(op.index) : nullptr;
  for (uint32_t i = op.first; i < op.end; ++i)
    for (uint32_t j = op.first; j < i; ++j) {
      const Access &a = accesses[j], &b = accesses[i];
      if (!(a.write || b.write) || !(mayShareBytes(a, b) || isOverScratch(a, b)) ||
          (program && (mayWriteInPlace(*program, a, b) || mayWriteInPlace(*program, b, a))))
        continue;
      if (b.kind == fb::BufferKind::Scratch)
        failBad("{}: operand {} ({:#x} + {} bytes) overlaps the command's {} bytes of scratch",
                here(), a.operand, a.address, a.bytes, b.row);
      failBad("{}: operands {} ({:#x} + {} bytes) and {} ({:#x} + {} bytes) overlap, and one is "
              "written",
              here(), a.operand, a.address, a.bytes, b.operand, b.address, b.bytes);
    }
}

void MemoryVerifier::verifyOp(const Op &op, Access *accesses) {
  advance(time);
  if (op.runsProgram())
    verifyScratch(*bundle.metadata().programs()->Get(op.index));
  for (uint32_t i = op.first; i < op.end; ++i)
    verifyAccess(accesses[i]);
  for (uint32_t i = op.first; i < op.end; ++i)
    if (accesses[i].write && accesses[i].buffer != kNoBuffer)
      written[accesses[i].buffer] += touchedBytes(accesses[i]);
  verifyOwnOperands(op, accesses);
  ++time;
}

/// Keeps the buffers of a trace's first execution. Where another execution differs, the buffer
/// stays unknown.
void MemoryVerifier::verifyTrace(uint32_t index) {
  trace = index;
  command = 0;
  OpList &list = decoded.traces[index];
  std::vector<Access> first;
  if (executed[index]) {
    first = list.accesses;
    for (Access &access : list.accesses)
      access.buffer = kNoBuffer;
  }
  for (const Op &op : list.ops) {
    verifyOp(op, list.accesses.data());
    ++command;
  }
  advance(time); // the end command
  ++time;
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i].buffer != list.accesses[i].buffer)
      list.accesses[i].buffer = kNoBuffer;
  executed[index] = true;
  trace = kNone;
}

PlacedPlan MemoryVerifier::verify() {
  for (uint32_t i = 0; i < decoded.schedules.size(); ++i) {
    entry = bundle.metadata().entries()->Get(i);
    stage = &stages[i];
    OpList &steps = decoded.schedules[i][0].steps;
    for (step = 0; step < steps.ops.size(); ++step) {
      const Op &op = steps.ops[step];
      if (op.role() == OrderRole::Execute)
        verifyTrace(op.index);
      else
        verifyOp(op, steps.accesses.data());
    }
  }
  // A buffer that begins after the last command belongs to a different plan.
  if (nextToLive < mortals) {
    blameUnwritten();
    failBad("buffer '{}' lives from point {} of a timeline that has {}",
            text(buffer(byBegin[nextToLive].item).name()), byBegin[nextToLive].number, time);
  }
  verifyOutsideTheTimeline();
  return PlacedPlan(std::move(decoded));
}

/// What an action names: its program or collective. With sizes and addresses, this identifies it.
static uint64_t targetOf(const Op &op) {
  return op.runsProgram()                             ? op.index
         : op.info->table == IndexedTable::Collective ? uint64_t(1) << 32 | op.index
                                                      : ~uint64_t(0);
}

void MemoryVerifier::beginKey(const Op &op) {
  key.clear();
  key.push_back(targetOf(op));
}

/// All permanent addresses count as equal, so slots may differ.
void MemoryVerifier::addToKey(const Access &access, const BufferIndex::Permanent *permanent) {
  key.push_back(access.bytes);
  key.push_back(permanent ? ~uint64_t(0) : access.address);
}

void MemoryVerifier::learn(const BufferIndex &index, const OpList &list) {
  for (const Op &op : list.ops) {
    if (op.first == op.end)
      continue;
    const Access *accesses = &list.accesses[op.first];
    beginKey(op);
    for (uint32_t i = 0; i < op.end - op.first; ++i)
      addToKey(accesses[i],
               index.permanentAt(index.reachOf(accesses[i]), nearOf(accesses[i]).buffers));
    const size_t number = keys.add(key);
    if (number == firsts.size())
      firsts.push_back(actions.size());
    actions.push_back({&op, accesses, number, true});
    Action &first = actions[firsts[number]];
    for (uint32_t i = 0; i < op.end - op.first; ++i)
      first.isSame &= first.accesses[i].buffer == accesses[i].buffer ||
                      (accesses[i].buffer != kNoBuffer && !isMortal(accesses[i].buffer));
  }
}

/// Whether an action is the next of the default schedule. The timeline has shown more of that one
/// than verifyPlace() would.
bool MemoryVerifier::takePlaces(const Op &op, Access *accesses) {
  if (nextAction >= actions.size())
    return false;
  const Action &next = actions[nextAction];
  const uint32_t count = op.end - op.first;
  if (targetOf(op) != targetOf(*next.op) || count != next.op->end - next.op->first)
    return false;
  for (uint32_t i = 0; i < count; ++i) {
    const Access &access = accesses[i], &shown = next.accesses[i];
    if (access.address != shown.address || access.bytes != shown.bytes ||
        access.write != shown.write ||
        (shown.buffer == kNoBuffer && shown.kind != fb::BufferKind::Scratch))
      return false;
  }
  ++nextAction;
  for (uint32_t i = 0; i < count; ++i) {
    const Access &shown = next.accesses[i];
    if (shown.kind != fb::BufferKind::Constant && isMortal(shown.buffer))
      continue;
    accesses[i].kind = shown.kind;
    accesses[i].constant = shown.constant;
  }
  takeBuffers(next.key, op, accesses);
  return true;
}

void MemoryVerifier::takeBuffers(size_t number, const Op &op, Access *accesses) const {
  const Action &first = actions[firsts[number]];
  for (uint32_t i = 0; i < op.end - op.first && first.isSame; ++i) {
    const uint32_t index = first.accesses[i].buffer;
    if (isMortal(index))
      accesses[i].buffer = index;
  }
}

/// An action that the default schedule has as well uses the same buffers here. So reads of the
/// wrong data are found in these schedules, too. The key is that of the action.
void MemoryVerifier::recall(const Op &op, OpList &list) {
  const size_t number = keys.find(key);
  if (number == Sequences::kNone)
    return;
  nextAction = firsts[number] + 1;
  takeBuffers(number, op, &list.accesses[op.first]);
}

/// Schedules other than the default one may have traces and steps of their own. The timeline does
/// not say what is alive in them. Their accesses must stay in buffers, too, and access permanent
/// buffers only within their bounds.
void MemoryVerifier::verifyOutsideTheTimeline() {
  const BufferIndex index(bundle);
  std::vector<bool> used = executed;
  // Other schedules and entry points count on the contents of permanent buffers. OrderProver finds
  // what else scratch overwrites.
  for (; nextToDie < mortals; ++nextToDie)
    kill(byEnd[nextToDie].item);
  auto verifyPlaces = [&](const Op &op, OpList &list) {
    if (op.first != op.end && takePlaces(op, &list.accesses[op.first]))
      return;
    if (op.runsProgram())
      verifyScratch(*bundle.metadata().programs()->Get(op.index));
    beginKey(op);
    for (uint32_t i = op.first; i < op.end; ++i)
      addToKey(list.accesses[i], verifyPlace(index, list.accesses[i]));
    verifyOwnOperands(op, list.accesses.data());
    if (op.first != op.end)
      recall(op, list);
  };
  for (uint32_t i = 0; i < decoded.schedules.size(); ++i) {
    entry = bundle.metadata().entries()->Get(i);
    stage = &stages[i];
    if (decoded.schedules[i].size() == 1)
      continue;
    keys = {};
    firsts.clear();
    actions.clear();
    nextAction = 0;
    const OpList &ours = decoded.schedules[i][0].steps;
    learn(index, ours);
    for (const Op &op : ours.ops)
      if (op.role() == OrderRole::Execute)
        learn(index, decoded.traces[op.index]);
    for (size_t j = 1; j < decoded.schedules[i].size(); ++j) {
      OpList &steps = decoded.schedules[i][j].steps;
      for (step = 0; step < steps.ops.size(); ++step) {
        const Op &op = steps.ops[step];
        if (op.role() == OrderRole::Execute && !used[op.index]) {
          used[op.index] = true;
          trace = op.index;
          OpList &list = decoded.traces[trace];
          for (command = 0; command < list.ops.size(); ++command)
            verifyPlaces(list.ops[command], list);
          trace = kNone;
        }
        verifyPlaces(op, steps);
      }
    }
  }
  for (uint32_t i = 0; i < used.size(); ++i)
    if (!used[i])
      failBad("trace '{}' is in no schedule: nothing says which buffers are alive in it",
              text(bundle.metadata().traces()->Get(i)->name()));
}

/// Returns the permanent buffer that contains some of the bytes; null if there is none.
const BufferIndex::Permanent *MemoryVerifier::verifyPlace(const BufferIndex &index,
                                                          Access &access) {
  if (access.kind == fb::BufferKind::Scratch)
    return nullptr;
  BufferIndex::Near &guess = nearOf(access).buffers;
  const BufferIndex::Reach reach = index.reachOf(access);
  verifyWritable(access);
  for (uint32_t number : stage->buffers) {
    const fb::Buffer &constant = buffer(number);
    const uint64_t begin = constant.offset(), end = begin + constant.size();
    if (reach.end <= begin || end <= reach.begin)
      continue;
    if (reach.begin < begin || reach.end > end)
      failBad("{}: operand {} at {:#x} + {} bytes reaches into buffer '{}' ({:#x} + {} bytes)",
              here(), access.operand, access.address, access.bytes, text(constant.name()), begin,
              constant.size());
    setKind(access, fb::BufferKind::Constant);
    return nullptr;
  }
  const BufferIndex::Permanent *found = index.permanentAt(reach, guess);
  const bool isInside = found && reach.begin >= found->begin && reach.end <= found->end;
  if (!isInside && !index.isInsideOne(reach, guess))
    failBad("{}: operand {} at {:#x} + {} bytes is in no buffer", here(), access.operand,
            access.address, access.bytes);
  if (!found)
    return nullptr;
  const fb::Buffer &permanent = *found->buffer;
  if (!isInside)
    failBad("{}: operand {} at {:#x} + {} bytes reaches into buffer '{}' ({:#x} + {} bytes)",
            here(), access.operand, access.address, access.bytes, text(permanent.name()),
            found->begin, found->end - found->begin);
  if (access.write && permanent.kind() == fb::BufferKind::Constant)
    failBad("{}: operand {} writes constant '{}'", here(), access.operand, text(permanent.name()));
  setKind(access, permanent.kind());
  return found;
}

PlacedPlan verifyMemory(const Bundle &bundle, DecodedPlan plan) {
  return MemoryVerifier(bundle, std::move(plan)).verify();
}

} // namespace ttrt
