// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All devices run the same programs, so devices whose operands are equal compute equal results. The
// walk follows, for each range of bytes, which devices have equal data there: a partition of the
// devices. Inputs and states begin with the partition that their division states, constants with
// that of their shards. A command that reads several operands computes the common refinement of
// their partitions. A collective computes equal results where the inputs of whole groups are equal,
// place by place.
//
// One inference is enough: each reads its inputs, and states. A state has the partition of all that
// is ever written to it, in any entry point: the walks repeat until these partitions stay.

#include "Proof/ReplicaProver.h"

#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "Proof/ShadowMemory.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

namespace ttrt {

namespace {

constexpr uint32_t kNone = ~0u;

/// Classes of devices, by device: those of one class have equal data.
using Classes = std::vector<uint32_t>;
/// What tells the classes of a device apart.
using Key = std::vector<uint32_t>;

/// Partitions by number; each occurs once. 0: all devices have the same.
class Partitions {
public:
  explicit Partitions(uint32_t devices) { add(Classes(devices)); }

  /// Devices with equal keys are in one class.
  uint32_t add(const std::vector<Key> &keys) {
    std::map<Key, uint32_t> numbers;
    Classes classes;
    for (const Key &key : keys)
      classes.push_back(
          numbers.try_emplace(key, static_cast<uint32_t>(numbers.size())).first->second);
    return add(std::move(classes));
  }
  const Classes &operator[](uint32_t partition) const { return *all[partition]; }

  /// The devices that are in one class of both.
  uint32_t meet(uint32_t a, uint32_t b) {
    if (a == b || b == 0)
      return a;
    if (a == 0)
      return b;
    auto [found, isNew] = met.try_emplace(std::minmax(a, b), 0);
    if (isNew) {
      std::vector<Key> keys;
      for (size_t device = 0; device < all[a]->size(); ++device)
        keys.push_back({(*all[a])[device], (*all[b])[device]});
      found->second = add(keys);
    }
    return found->second;
  }

private:
  uint32_t add(Classes classes) {
    const auto [found, isNew] =
        numbers.try_emplace(std::move(classes), static_cast<uint32_t>(all.size()));
    if (isNew)
      all.push_back(&found->first);
    return found->second;
  }

  std::map<Classes, uint32_t> numbers;
  std::vector<const Classes *> all;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> met;
};

/// The order does not count here, only which data is there.
struct NoOrder final : TouchOrder {
  void keepLast(std::vector<Touch> &touches) const override { touches.resize(1); }
};

class Prover {
public:
  /// `exact`: with all that is known, which takes longer.
  Prover(const Bundle &bundle, const PlacedPlan &plan, bool exact)
      : bundle(bundle), tables(bundle.metadata()), plan(plan), exact(exact),
        devices(devicesOf(tables)), sharded(shardedConstants(tables)), partitions(devices) {
    std::vector<Key> keys;
    for (uint32_t device = 0; device < devices; ++device)
      keys.push_back({device});
    different = partitions.add(keys);
    for (uint32_t i = 0; i < count(tables.states()); ++i)
      states.push_back(declared(*tables.states()->Get(i)));
  }

  /// Each item has the entry points that form one of the whole mesh. Returns what is wrong; "" if
  /// nothing.
  std::string prove(const std::vector<std::vector<uint32_t>> &entries);

private:
  /// Where one of them is.
  struct Walk {
    uint32_t index;
    const fb::EntryPoint &entry;
    const DecodedSchedule &schedule;
    std::vector<uint32_t> members;  ///< the devices
    std::vector<uint32_t> messages; ///< sends and receives so far, by collective
    std::vector<uint32_t> each;     ///< of an inference
    ShadowMemory bytes;
    uint32_t step = 0, command = 0;

    bool isOver() const { return step == schedule.steps.ops.size(); }
  };
  class Reading;

  void prove(const std::vector<uint32_t> &parts);
  Walk begin(uint32_t part);
  bool advance(Walk &walk);
  bool perform(Walk &walk, const OpList &list, const Op &op, Touch touch);
  bool receive(Walk &walk, const Op &op, uint32_t &result);
  uint32_t exchange(const Walk &walk, const Op &op, uint32_t input, uint32_t before);
  uint32_t constant(const Access &access);
  uint32_t declared(const fb::Port &port);
  uint32_t read(Walk &walk, const Access &access);
  void write(Walk &walk, const Access &access, uint32_t partition, Touch touch);
  const char *axisBetween(uint32_t a, uint32_t b) const;
  void check(const Walk &walk, const fb::Port &output, uint32_t found);
  std::string describe(const Walk &walk, Touch touch) const;
  template <typename Function> void forEachSpan(const Access &access, Function function) const;

  const Bundle &bundle;
  const fb::Bundle &tables;
  const PlacedPlan &plan;
  const bool exact;
  const uint32_t devices;
  const ShardedConstants sharded;
  const NoOrder order;
  Partitions partitions;
  uint32_t different = kNone; ///< the partition of which each class has one device
  std::map<const fb::Port *, uint32_t> ports;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> constants; ///< by address and bytes
  /// By entry point, collective, and the partitions of its input and its output.
  std::map<std::array<uint32_t, 4>, uint32_t> exchanged;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Key>> sent; ///< by collective and number
  Touch reason{kNone, kNone};   ///< of the latest reads: what has written data that differs
  bool stuck = false;           ///< what is received counts as different
  std::vector<uint32_t> states; ///< the partition of each: of all that was written so far
  bool hasChanged = false;      ///< one of these
  std::string problem;
};

/// Intersects the partitions of what is read.
class Prover::Reading final : public ByteVisitor {
public:
  explicit Reading(Prover &prover) : prover(prover) {}
  void written(const VisitedBytes &visited, History &history) override {
    const auto found = history.conservative || !visited.exact
                           ? prover.different
                           : static_cast<uint32_t>(history.digest);
    if (found != 0)
      prover.reason = history.writer;
    partition = prover.partitions.meet(partition, found);
  }
  void unwritten(uint64_t, uint64_t) override {} // which nothing but padding is

  uint32_t partition = 0;

private:
  Prover &prover;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The devices that have the same part of a port.
uint32_t Prover::declared(const fb::Port &port) {
  const auto [known, isNew] = ports.try_emplace(&port, 0);
  if (!isNew)
    return known->second;
  std::vector<Key> keys(devices);
  const auto &axes = *tables.mesh()->axes();
  for (uint32_t i = 0; i < count(port.sharding()); ++i)
    for (uint32_t j = 0; j < count(port.sharding()->Get(i)->axes()); ++j) {
      const uint32_t axis = port.sharding()->Get(i)->axes()->Get(j);
      uint32_t stride = 1;
      for (uint32_t other = axis + 1; other < axes.size(); ++other)
        stride *= axes[other]->size();
      for (uint32_t device = 0; device < devices; ++device)
        keys[device].push_back(device / stride % axes[axis]->size());
    }
  return known->second = partitions.add(keys);
}

/// The first axis along which two devices differ.
const char *Prover::axisBetween(uint32_t a, uint32_t b) const {
  const auto &axes = *tables.mesh()->axes();
  uint32_t stride = devices;
  for (const fb::MeshAxis *axis : axes) {
    stride /= axis->size();
    if (a / stride % axis->size() != b / stride % axis->size())
      return text(axis->name());
  }
  return "";
}

/// The devices that have the same bytes of a constant.
uint32_t Prover::constant(const Access &access) {
  if (!sharded.contains(access.address))
    return 0;
  const auto [found, isNew] = constants.try_emplace({access.address, access.bytes}, 0);
  if (!isNew)
    return found->second;
  std::vector<Key> keys;
  for (uint32_t device = 0; device < devices; ++device) {
    uint32_t same = tables.mesh()->shards()->Get(device);
    const SegmentView &own = bundle.shardOf(device);
    const uint64_t offset = access.address - own.address;
    for (uint32_t other = 0; exact && other < device; ++other)
      if (const SegmentView &theirs = bundle.shardOf(other);
          offset + access.bytes <= std::min(own.size, theirs.size) &&
          memcmp(own.data + offset, theirs.data + offset, access.bytes) == 0) {
        same = keys[other][0];
        break;
      }
    keys.push_back({same});
  }
  return found->second = partitions.add(keys);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

template <typename Function>
void Prover::forEachSpan(const Access &access, Function function) const {
  if (access.bytes == 0)
    return;
  const uint64_t phase = access.buffer == kNoBuffer || access.row >= access.bytes
                             ? access.address
                             : bundle.address(*tables.buffers()->Get(access.buffer));
  dataflow::forEachSpan(
      bundle.addresses(), {access.address, access.bytes, access.row, access.pitch, phase},
      [&](const dataflow::Rows &rows) {
        function(Span{rows.address, rows.bytes, rows.row, rows.pitch, rows.phase});
      });
}

uint32_t Prover::read(Walk &walk, const Access &access) {
  if (access.kind == fb::BufferKind::Constant)
    return constant(access);
  Reading reading(*this);
  reading.needsExact = true;
  forEachSpan(access, [&](const Span &span) { walk.bytes.forEach(span, reading); });
  return reading.partition;
}

void Prover::write(Walk &walk, const Access &access, uint32_t partition, Touch touch) {
  Reading ignored(*this);
  forEachSpan(access, [&](const Span &span) {
    walk.bytes.forEach(span, ignored);
    walk.bytes.write(span, touch, 0, partition);
  });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Where each device of a collective is: its group and its place there.
template <typename Function>
static void forEachPlace(const fb::Collective &collective, Function function) {
  for (const fb::DeviceGroup *group : *collective.groups())
    for (uint32_t i = 0; i < group->devices()->size(); ++i)
      function(group->devices()->Get(i), *group->devices(), i);
}

/// `before`: of what the output has where a device gets nothing.
uint32_t Prover::exchange(const Walk &walk, const Op &op, uint32_t input, uint32_t before) {
  const auto [known, isNew] =
      exchanged.try_emplace(std::array{walk.index, op.index, input, before}, 0);
  if (!isNew)
    return known->second;
  const fb::Collective &collective = *tables.collectives()->Get(op.index);
  const Classes &given = partitions[input];
  std::vector<Key> keys(devices);
  for (uint32_t device : walk.members)
    keys[device] = {0, partitions[before][device]};
  forEachPlace(collective, [&](uint32_t device, const auto &group, uint32_t self) {
    Key &key = keys[device];
    switch (collective.kind()) {
    case fb::CollectiveKind::AllReduce:
    case fb::CollectiveKind::AllGather:
    case fb::CollectiveKind::ReduceScatter:
    case fb::CollectiveKind::AllToAll: {
      const bool isWhole = collective.kind() == fb::CollectiveKind::AllReduce ||
                           collective.kind() == fb::CollectiveKind::AllGather;
      key = {1, isWhole ? 0 : self};
      for (uint32_t other : group)
        key.push_back(given[other]);
      break;
    }
    case fb::CollectiveKind::Broadcast:
      key = {1, given[group.Get(collective.root())]};
      break;
    case fb::CollectiveKind::Permute:
      if (const uint32_t source = collective.sources()->Get(self); source != kNoSource)
        key = {1, given[group.Get(source)]};
      break;
    }
  });
  return known->second = partitions.add(keys);
}

/// Sets `result` and returns true if all that this part's devices receive has been sent.
bool Prover::receive(Walk &walk, const Op &op, uint32_t &result) {
  const uint32_t each = std::max(walk.each[op.index], 1u);
  const auto found = sent.find({op.index, walk.messages[op.index] % each});
  const fb::Collective &collective = *tables.collectives()->Get(op.index);
  std::vector<Key> keys(devices);
  bool isThere = found != sent.end();
  forEachPlace(collective, [&](uint32_t device, const auto &group, uint32_t self) {
    const uint32_t source = collective.sources()->Get(self);
    if (source == kNoSource || !isExecutedBy(walk.entry, device))
      return;
    keys[device] = isThere ? found->second[group.Get(source)] : Key();
    isThere &= !keys[device].empty();
  });
  if (!isThere && !stuck)
    return false;
  result = isThere ? partitions.add(keys) : different;
  ++walk.messages[op.index];
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

std::string Prover::describe(const Walk &walk, Touch touch) const {
  if (touch.node == kNone)
    return "the constants of each device";
  const Op &step = walk.schedule.steps.ops[touch.node];
  return step.role() == OrderRole::Execute ? describeCommand(bundle, step.index, touch.access)
                                           : describeStep(bundle, walk.entry, *step.step);
}

/// Devices that have the same part of an output must have equal data of it.
void Prover::check(const Walk &walk, const fb::Port &output, uint32_t found) {
  const Classes &wanted = partitions[declared(output)], &classes = partitions[found];
  Classes first(devices, kNone); // of each class that is wanted: a device
  for (uint32_t b : walk.members) {
    const uint32_t a = first[wanted[b]];
    if (a == kNone)
      first[wanted[b]] = b;
    else if (classes[a] != classes[b] && problem.empty())
      problem = formatText(
          "output '{}' of entry point '{}' is declared equal on devices {} and {} of the mesh; {} "
          "computes it from data that may differ between them: expected an exchange, or that axis "
          "'{}' divides it",
          text(output.name()), text(walk.entry.name()), a, b, describe(walk, reason),
          axisBetween(a, b));
  }
}

/// Returns false if it has to wait for another part.
bool Prover::perform(Walk &walk, const OpList &list, const Op &op, Touch touch) {
  const CollectiveRole role = op.info->inCollective;
  if (role == CollectiveRole::Offer)
    return true;
  uint32_t result = 0, operands[2] = {};
  reason = {kNone, kNone};
  if (role == CollectiveRole::Receive && !receive(walk, op, result))
    return false;
  for (uint32_t i = op.first; i < op.end; ++i)
    if (const Access &access = list.accesses[i];
        access.read && access.kind != fb::BufferKind::Scratch) {
      const uint32_t found = read(walk, access);
      result = partitions.meet(result, found);
      if (i - op.first < 2)
        operands[i - op.first] = found;
    }
  if (role == CollectiveRole::Exchange)
    result = exchange(walk, op, operands[0], operands[1]);
  if (role == CollectiveRole::Send) {
    const uint32_t each = std::max(walk.each[op.index], 1u);
    auto &message = sent[{op.index, walk.messages[op.index]++ % each}];
    message.resize(devices);
    for (uint32_t device : walk.members)
      message[device] = {walk.index, partitions[operands[0]][device]};
  }
  if (op.info->table == IndexedTable::Input)
    result = declared(*walk.entry.inputs()->Get(op.index));
  if (op.info->table == IndexedTable::Output)
    check(walk, *walk.entry.outputs()->Get(op.index), result);
  for (uint32_t i = op.first; i < op.end; ++i) {
    const Access &access = list.accesses[i];
    if (!access.write || access.kind == fb::BufferKind::Scratch)
      continue;
    write(walk, access, result, touch);
    for (uint32_t i = 0; access.kind == fb::BufferKind::State && i < states.size(); ++i)
      if (tables.states()->Get(i)->buffer() == access.buffer) {
        const uint32_t before = std::exchange(states[i], partitions.meet(states[i], result));
        hasChanged |= states[i] != before;
      }
  }
  return true;
}

/// Continues up to a message that was not sent yet. Returns whether it has done anything.
bool Prover::advance(Walk &walk) {
  bool hasMoved = false;
  for (; !walk.isOver() && problem.empty(); ++walk.step, walk.command = 0) {
    const Op &step = walk.schedule.steps.ops[walk.step];
    const bool isTrace = step.role() == OrderRole::Execute;
    const OpList &list = isTrace ? plan.traces[step.index] : walk.schedule.steps;
    const uint32_t first = isTrace ? 0 : walk.step;
    const uint32_t ops = isTrace ? static_cast<uint32_t>(list.ops.size()) : 1;
    for (; walk.command < ops && problem.empty(); ++walk.command, hasMoved = true)
      if (const Op &op = list.ops[first + walk.command];
          op.role() == OrderRole::Work && !perform(walk, list, op, {walk.step, walk.command}))
        return hasMoved;
  }
  return hasMoved;
}

Prover::Walk Prover::begin(uint32_t part) {
  Walk walk{part,
            *tables.entries()->Get(part),
            plan.schedules[part][0],
            {},
            std::vector<uint32_t>(count(tables.collectives())),
            std::vector<uint32_t>(count(tables.collectives())),
            exact ? ShadowMemory() : ShadowMemory(&order)};
  forEachDevice(tables, walk.entry, [&](uint32_t device) { walk.members.push_back(device); });
  for (const Meeting &meeting : plan.meetings[part])
    walk.each[meeting.collective] += meeting.role != CollectiveRole::Exchange;
  for (uint32_t i = 0; i < count(tables.states()); ++i) {
    const fb::Port &port = *tables.states()->Get(i);
    const fb::Buffer &buffer = *tables.buffers()->Get(port.buffer());
    Access access{bundle.address(buffer), bundle.bytes(buffer), false, true, 0};
    if (isShardedInL1(buffer)) {
      access.pitch = bundle.addresses().l1Bytes;
      access.bytes += (buffer.shards() - 1) * access.pitch;
    }
    write(walk, access, states[i], {kNone, kNone});
  }
  return walk;
}

void Prover::prove(const std::vector<uint32_t> &parts) {
  sent.clear();
  stuck = false;
  std::vector<Walk> walks;
  for (uint32_t part : parts)
    walks.push_back(begin(part));
  // The devices complete their exchanges, so this ends, too, unless parts of several inferences
  // differ.
  for (bool hasMoved = true, isOver = false; !isOver && problem.empty(); stuck = !hasMoved) {
    hasMoved = false;
    isOver = true;
    for (Walk &walk : walks) {
      hasMoved |= advance(walk);
      isOver &= walk.isOver();
    }
  }
  for (const Walk &walk : walks)
    if (walk.bytes.isExhausted() && problem.empty())
      problem = formatText("entry point '{}': rows of operands are not aligned with those of other "
                           "tensors at their addresses; expected at most {} to check one by one",
                           text(walk.entry.name()), ShadowMemory::kMostRows);
}

std::string Prover::prove(const std::vector<std::vector<uint32_t>> &entries) {
  do {
    hasChanged = false;
    for (const std::vector<uint32_t> &parts : entries)
      prove(parts);
  } while (hasChanged && problem.empty());
  return problem;
}

void verifyReplicas(const Bundle &bundle, const PlacedPlan &plan) {
  const fb::Bundle &tables = bundle.metadata();
  if (devicesOf(tables) == 1)
    return;
  std::vector<std::vector<uint32_t>> entries;
  std::map<std::string_view, size_t>
      wholes; ///< those of several parts: where they are in `entries`
  for (uint32_t i = 0; i < tables.entries()->size(); ++i) {
    const std::string_view whole = text(tables.entries()->Get(i)->part_of());
    const auto [found, isNew] = wholes.try_emplace(whole, entries.size());
    if (isNew || whole.empty()) {
      entries.push_back({i});
      continue;
    }
    entries[found->second].push_back(i);
  }
  if (Prover(bundle, plan, /*exact=*/false).prove(entries).empty())
    return;
  if (const std::string problem = Prover(bundle, plan, /*exact=*/true).prove(entries);
      !problem.empty())
    failBad("{}", problem);
}

} // namespace ttrt
