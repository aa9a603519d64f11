// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshExplorer.h"

#include "MeshPlan.h"
#include "ttrt/format/collectives.h"

#include <algorithm>
#include <unordered_set>

namespace ttrt::test {
namespace {

using collectives::Move;
using collectives::Place;
using mesh::kUnit;
using mesh::Plan;
using mesh::Range;
using mesh::Work;

constexpr size_t kCores = 2; ///< of a queue

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xd6e8feb86659fd93;
  return (x ^ (x >> 29)) * 0xff51afd7ed558ccd;
}

struct Core {
  uint32_t position = 0;
  bool begun = false;
  std::vector<uint64_t> latch; ///< what the work that has begun has read
};

struct DeviceState {
  std::vector<Core> cores; ///< of all queues
  std::vector<uint64_t> cells;
  std::vector<bool> recorded;
  std::vector<uint32_t> transfers; ///< of inputs, then of outputs
  uint32_t begun = 0, done = 0;    ///< exchanges
  uint32_t rounds = 0, moves = 0;  ///< of the exchange that is under way
};

struct MeshState {
  std::vector<DeviceState> devices;
  std::vector<uint32_t> order; ///< the collectives that the fastest device has begun
};

class MeshMachine {
public:
  MeshMachine(const BundleBuilder &builder, size_t schedule, uint32_t bodies)
      : bundle(builder.bundle), plan(mesh::unroll(builder, schedule, bodies)) {
    uint32_t devices = 1;
    for (const auto &axis : bundle.mesh->axes)
      devices *= axis->size;
    uint64_t end = 0;
    for (const auto &buffer : bundle.buffers)
      end = std::max(end, (buffer->offset + buffer->size) / kUnit);
    DeviceState device;
    device.cores.resize(plan.queues.size() * kCores);
    for (uint64_t i = 0; i < end; ++i)
      device.cells.push_back(mix(7, i));
    device.recorded.resize(plan.records);
    device.transfers.resize(bundle.entries[0]->inputs.size() + bundle.entries[0]->outputs.size());
    start.devices.assign(devices, device);
    for (uint32_t i = 0; i < bundle.collectives.size(); ++i)
      addMoves(i);
  }

  MeshReference executeInOrder();
  MeshExplored explore(const MeshReference &reference, uint64_t mostStates);

private:
  struct Member {
    const std::vector<uint32_t> *group = nullptr;
    uint32_t self = 0;
    std::vector<Move> moves;
    std::vector<std::pair<uint32_t, uint32_t>>
        takers; ///< device, and rounds until it has taken all
  };
  void addMoves(uint32_t index);
  collectives::Shape shapeOf(const fb::CollectiveT &table) const {
    return {table.kind,
            table.algorithm,
            static_cast<uint32_t>(table.groups[0]->devices.size()),
            table.operands[0]->bytes,
            table.rows,
            table.root,
            table.sources.data()};
  }
  const Work &workOf(size_t core, uint32_t position) const {
    return plan.queues[core / kCores][position];
  }
  bool isFinished(const DeviceState &device, size_t core) const {
    return device.cores[core].position == plan.queues[core / kCores].size();
  }
  void settle(MeshState &state) const;
  bool settleCore(DeviceState &device, size_t core) const;
  bool advance(MeshState &state, uint32_t device, size_t core, const MeshReference *reference);
  bool advanceExchange(MeshState &state, uint32_t self, Core &core, const Work &work);
  void transfer(DeviceState &device, uint32_t number, const Work &work,
                const MeshReference *reference, MeshReference *learned);
  std::vector<uint64_t> latch(const DeviceState &device, const std::vector<Range> &ranges) const;
  void store(DeviceState &device, const Work &work, const std::vector<uint64_t> &read, size_t part,
             size_t parts) const;
  void exchangeAtOnce(MeshState &state, const Work &work) const;
  uint64_t numberOf(uint32_t device, uint32_t output, uint32_t time) const {
    return (uint64_t(time) * start.devices.size() + device) * bundle.entries[0]->outputs.size() +
           output;
  }
  static uint64_t digest(const MeshState &state, uint64_t seed);

  const fb::BundleT &bundle;
  const Plan plan;
  MeshState start;
  std::vector<std::vector<Member>> members; ///< [collective][device]
  std::string fault;
};

void MeshMachine::addMoves(uint32_t index) {
  const fb::CollectiveT &table = *bundle.collectives[index];
  const collectives::Shape shape = shapeOf(table);
  std::vector<Member> &all = members.emplace_back(start.devices.size());
  for (const auto &group : table.groups)
    for (uint32_t i = 0; i < group->devices.size(); ++i) {
      Member &member = all.at(group->devices[i]);
      member.group = &group->devices;
      member.self = i;
      collectives::forEachMove(shape, i, [&](const Move &move) {
        member.moves.push_back(move);
        if (move.peer != i)
          all.at(group->devices[move.peer]).takers.emplace_back(group->devices[i], move.round + 1);
      });
    }
}

std::vector<uint64_t> MeshMachine::latch(const DeviceState &device,
                                         const std::vector<Range> &ranges) const {
  std::vector<uint64_t> read;
  for (const Range &range : ranges)
    read.insert(read.end(), device.cells.begin() + static_cast<ptrdiff_t>(range.first),
                device.cells.begin() + static_cast<ptrdiff_t>(range.first + range.count));
  return read;
}

/// Each cell depends on all that was read. A core writes its part of each operand.
void MeshMachine::store(DeviceState &device, const Work &work, const std::vector<uint64_t> &read,
                        size_t part, size_t parts) const {
  uint64_t value = mix(work.index, 11);
  for (uint64_t cell : read)
    value = mix(value, cell);
  for (size_t i = 0; i < work.writes.size(); ++i) {
    const auto [first, count] = work.writes[i];
    for (uint64_t j = count * part / parts; j < count * (part + 1) / parts; ++j)
      device.cells[first + j] = mix(mix(value, i), j);
  }
}

/// Writes what the device gets of the next inference, or compares the next output.
void MeshMachine::transfer(DeviceState &device, uint32_t number, const Work &work,
                           const MeshReference *reference, MeshReference *learned) {
  const size_t inputs = bundle.entries[0]->inputs.size();
  if (work.kind == Work::Write) {
    const uint32_t time = device.transfers[work.index]++;
    const auto [first, count] = work.writes[0];
    for (uint64_t i = 0; i < count; ++i)
      device.cells[first + i] = mix(mix(time, number), mix(work.index, i));
    return;
  }
  const uint32_t time = device.transfers[inputs + work.index]++;
  uint64_t value = 3;
  for (uint64_t cell : latch(device, work.reads))
    value = mix(value, cell);
  const uint64_t place = numberOf(number, work.index, time);
  if (learned) {
    learned->resize(std::max<size_t>(learned->size(), place + 1));
    (*learned)[place] = value;
  } else if (place >= reference->size() || (*reference)[place] != value) {
    fault = "data: output " + std::to_string(work.index) + " of inference " + std::to_string(time) +
            " on device " + std::to_string(number);
  }
}

/// What the kind promises, to all devices at the same time. Sums are those of numbers modulo 2^64.
void MeshMachine::exchangeAtOnce(MeshState &state, const Work &work) const {
  const fb::CollectiveT &table = *bundle.collectives[work.index];
  const MeshState before = state;
  const uint64_t in = work.reads[0].count, out = work.writes[0].count;
  const uint64_t rows = table.rows, devices = table.groups[0]->devices.size();
  for (const auto &group : table.groups)
    for (uint32_t self = 0; self < devices; ++self)
      for (uint64_t i = 0; i < out; ++i) {
        auto input = [&](uint64_t from, uint64_t cell) {
          return before.devices[group->devices[from]].cells[work.reads[0].first + cell];
        };
        auto sum = [&](uint64_t cell) {
          uint64_t all = 0;
          for (uint64_t from = 0; from < devices; ++from)
            all += input(from, cell);
          return all;
        };
        const uint64_t row = in / rows, part = row / devices, wide = out / rows;
        uint64_t &cell = state.devices[group->devices[self]].cells[work.writes[0].first + i];
        switch (table.kind) {
        case fb::CollectiveKind::AllReduce:
          cell = sum(i);
          break;
        case fb::CollectiveKind::AllGather:
          cell = input(i % wide / row, i / wide * row + i % row);
          break;
        case fb::CollectiveKind::ReduceScatter:
          cell = sum(i / part * row + self * part + i % part);
          break;
        case fb::CollectiveKind::AllToAll:
          cell = input(i % row / part, i / row * row + self * part + i % part);
          break;
        case fb::CollectiveKind::Broadcast:
          cell = input(table.root, i);
          break;
        case fb::CollectiveKind::Permute:
          if (table.sources[self] != kNoSource)
            cell = input(table.sources[self], i);
          break;
        }
      }
}

MeshReference MeshMachine::executeInOrder() {
  MeshState state = start;
  MeshReference learned;
  for (const auto &[queue, position] : plan.hostOrder) {
    const Work &work = plan.queues[queue][position];
    if (work.kind == Work::Exchange)
      exchangeAtOnce(state, work);
    for (uint32_t device = 0; device < state.devices.size(); ++device) {
      if (work.kind == Work::Run)
        store(state.devices[device], work, latch(state.devices[device], work.reads), 0, 1);
      if (work.kind == Work::Write || work.kind == Work::Read)
        transfer(state.devices[device], device, work, nullptr, &learned);
    }
  }
  return learned;
}

/// What only enables others happens at once: no interleaving differs.
bool MeshMachine::settleCore(DeviceState &device, size_t index) const {
  Core &core = device.cores[index];
  if (isFinished(device, index) || core.begun)
    return false;
  const Work &work = workOf(index, core.position);
  const size_t first = index / kCores * kCores;
  bool passes = index != first && work.alone;
  if (work.kind == Work::Barrier) {
    passes = true;
    for (size_t i = first; i < first + kCores; ++i)
      passes &= device.cores[i].position >= core.position;
  } else if (work.kind == Work::Record && !passes) {
    device.recorded[work.index] = passes = true;
  } else if (work.kind == Work::Wait && !passes) {
    passes = device.recorded[work.index];
  }
  core.position += passes;
  return passes;
}

void MeshMachine::settle(MeshState &state) const {
  for (DeviceState &device : state.devices)
    for (bool again = true; again;) {
      again = false;
      for (size_t core = 0; core < device.cores.size(); ++core)
        again |= settleCore(device, core);
    }
}

bool MeshMachine::advanceExchange(MeshState &state, uint32_t self, Core &core, const Work &work) {
  DeviceState &device = state.devices[self];
  const Member &member = members[work.index][self];
  const uint32_t rounds = collectives::roundsOf(shapeOf(*bundle.collectives[work.index]));
  if (!core.begun) {
    if (device.begun != device.done) {
      fault = "order: device " + std::to_string(self) + " has two exchanges at a time";
      return true;
    }
    core.begun = true;
    if (device.begun == state.order.size())
      state.order.push_back(work.index);
    if (state.order[device.begun] != work.index)
      fault = "order: exchange " + std::to_string(device.begun) + " of device " +
              std::to_string(self) + " is another one than on other devices";
    ++device.begun;
    device.rounds = member.moves.empty() ? rounds : member.moves[0].round;
    device.moves = 0;
    return true;
  }
  const uint32_t number = device.begun - 1;
  auto hasMade = [&](uint32_t other, uint32_t round) {
    const DeviceState &peer = state.devices[other];
    return peer.done > number || (peer.begun > number && peer.rounds >= round);
  };
  if (device.moves == member.moves.size()) {
    for (const auto &[taker, round] : member.takers)
      if (!hasMade(taker, round))
        return false;
    core.begun = false;
    ++core.position;
    ++device.done;
    device.rounds = device.moves = 0;
    return true;
  }
  const Move &move = member.moves[device.moves];
  for (const Move &other : member.moves)
    if (other.round == move.round && other.peer != member.self &&
        !hasMade((*member.group)[other.peer], move.round))
      return false;
  // Operands: the input, the output, scratch. Exchanges "read" all of them here.
  auto cellAt = [&](Place place, uint64_t offset) {
    return work.reads[static_cast<size_t>(place)].first + offset / kUnit;
  };
  const uint64_t count = (move.bytes + kUnit - 1) / kUnit;
  if (core.latch.empty()) {
    const DeviceState &peer = state.devices[(*member.group)[move.peer]];
    for (uint64_t row = 0; row < move.rows; ++row)
      for (uint64_t i = 0; i < count; ++i)
        core.latch.push_back(
            peer.cells[cellAt(move.from, move.fromOffset + row * move.fromPitch) + i]);
    return true;
  }
  for (uint64_t row = 0; row < move.rows; ++row)
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t &cell = device.cells[cellAt(move.to, move.toOffset + row * move.toPitch) + i];
      cell = core.latch[row * count + i] + (move.reduce ? cell : 0);
    }
  core.latch.clear();
  ++device.moves;
  device.rounds = device.moves == member.moves.size() ? rounds : member.moves[device.moves].round;
  return true;
}

/// One action of a core; false if it cannot continue.
bool MeshMachine::advance(MeshState &state, uint32_t number, size_t index,
                          const MeshReference *reference) {
  DeviceState &device = state.devices[number];
  Core &core = device.cores[index];
  if (isFinished(device, index))
    return false;
  const Work &work = workOf(index, core.position);
  switch (work.kind) {
  case Work::Exchange:
    return advanceExchange(state, number, core, work);
  case Work::Write:
  case Work::Read:
    transfer(device, number, work, reference, nullptr);
    ++core.position;
    return true;
  case Work::Run:
    if (core.begun) {
      store(device, work, core.latch, work.alone ? 0 : index % kCores, work.alone ? 1 : kCores);
      core.latch.clear();
      ++core.position;
    } else {
      core.latch = latch(device, work.reads);
    }
    core.begun = !core.begun;
    return true;
  case Work::Barrier:
  case Work::Record:
  case Work::Wait:
    return false; // settle() has not let it pass
  }
  return false;
}

uint64_t MeshMachine::digest(const MeshState &state, uint64_t seed) {
  uint64_t value = seed;
  for (const DeviceState &device : state.devices) {
    for (const Core &core : device.cores) {
      value = mix(mix(value, core.position * 2 + core.begun), core.latch.size());
      for (uint64_t cell : core.latch)
        value = mix(value, cell);
    }
    for (uint64_t cell : device.cells)
      value = mix(value, cell);
    for (bool recorded : device.recorded)
      value = mix(value, recorded);
    for (uint32_t times : device.transfers)
      value = mix(value, times);
    value = mix(mix(mix(mix(value, device.begun), device.done), device.rounds), device.moves);
  }
  for (uint32_t collective : state.order)
    value = mix(value, collective);
  return value;
}

MeshExplored MeshMachine::explore(const MeshReference &reference, uint64_t mostStates) {
  MeshExplored result;
  std::unordered_set<uint64_t> seen;
  std::vector<MeshState> pending = {start};
  settle(pending[0]);
  while (!pending.empty() && fault.empty()) {
    const MeshState state = std::move(pending.back());
    pending.pop_back();
    bool moved = false, finished = true;
    for (uint32_t device = 0; device < state.devices.size(); ++device)
      for (size_t core = 0; core < state.devices[device].cores.size() && fault.empty(); ++core) {
        finished &= isFinished(state.devices[device], core);
        MeshState next = state;
        if (!advance(next, device, core, &reference))
          continue;
        moved = true;
        settle(next);
        if (seen.insert(digest(next, 1)).second)
          pending.push_back(std::move(next));
      }
    if (fault.empty() && !moved && !finished)
      fault = "deadlock";
    if (seen.size() > mostStates)
      fault = "too large";
  }
  result.states = seen.size();
  result.fault = fault;
  return result;
}

} // namespace

MeshReference meshReferenceOf(const BundleBuilder &good, uint32_t bodies) {
  return MeshMachine(good, 0, bodies).executeInOrder();
}

MeshExplored exploreMesh(const BundleBuilder &builder, const MeshReference &reference,
                         size_t schedule, uint32_t bodies, uint64_t mostStates) {
  return MeshMachine(builder, schedule, bodies).explore(reference, mostStates);
}

} // namespace ttrt::test
