// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events in order of time. How far a member of a group is, is a number that grows: of its n-th
// exchange of R rounds, n (R + 1) + 1 when it has begun, and one more for each round that it has
// completed. Whoever needs a member to be further waits in that member's list.

#include "MeshTime/Simulator.h"

#include "MeshTime/Moves.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <queue>
#include <utility>

namespace ttrun {

using namespace ttrt;

namespace {

constexpr uint32_t kNone = SimulatorInput::kNone;

struct Waiter {
  uint32_t device;
  uint64_t progress; ///< that it needs
  uint64_t bytes;    ///< that it takes then
  bool takes;        ///< otherwise it waits until its own bytes have been taken
};

/// How many small messages a sender may be ahead (runtime/mesh/Control.h, kSlots).
constexpr uint64_t kAhead = 2;

struct Member {
  uint32_t device = 0;
  uint64_t progress = 0;
  uint64_t exchanges = 0; ///< completed
  /// When it has begun its latest exchanges: those that others may not have completed.
  double begins[kAhead + 2] = {};
  std::vector<Waiter> waiters;
};

struct Group {
  std::vector<Member> members;
};

struct Collective {
  std::shared_ptr<const GroupMoves> moves;
  std::vector<Group> groups;
  /// By device: its group, and its index in that; kNone: it takes no part.
  std::vector<std::pair<uint32_t, uint32_t>> placeOf;
};

struct Device {
  const Stream *stream = nullptr;
  size_t next = 0; ///< operation
  uint32_t run = 0;
  // In an exchange:
  uint32_t round = 0;
  uint32_t missing = 0; ///< messages that have not left, or takers that are not done
  double begin = 0;     ///< of the exchange
  double roundEnds = 0; ///< when what has left arrives
  DeviceTime time;
};

struct Event {
  double time;
  uint64_t order;
  uint32_t device;
  bool isRound; ///< a round ends; otherwise an operation
  bool operator>(const Event &other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

class Simulator {
public:
  Simulator(const SimulatorInput &input, LinkTimes links, uint32_t runs)
      : input(input), links(std::move(links)), runs(runs), devices(input.streamOf.size()) {
    const auto moves = movesOf(input.collectives);
    for (uint32_t i = 0; i < moves.size(); ++i) {
      Collective collective = {moves[i], {}, {devices.size(), {kNone, 0}}};
      for (const fb::DeviceGroup *table : *input.collectives->Get(i)->groups()) {
        Group group;
        for (uint32_t device : *table->devices()) {
          collective.placeOf[device] = {static_cast<uint32_t>(collective.groups.size()),
                                        static_cast<uint32_t>(group.members.size())};
          group.members.emplace_back().device = device;
        }
        collective.groups.push_back(std::move(group));
      }
      collectives.push_back(std::move(collective));
    }
    result.ends.assign(runs, 0);
  }

  Simulated run() {
    for (uint32_t i = 0; i < devices.size(); ++i)
      if (input.streamOf[i] != kNone) {
        devices[i].stream = &input.streams[input.streamOf[i]];
        add(0, i, false);
      }
    while (!events.empty()) {
      const Event event = events.top();
      events.pop();
      now = event.time;
      if (event.isRound)
        endRound(event.device);
      else
        go(event.device);
    }
    for (uint32_t i = 0; i < devices.size(); ++i) {
      Device &device = devices[i];
      if (device.stream && device.run < runs && result.problem.empty())
        result.problem = fmt::format(
            "device {} waits in vain in '{}'", i,
            input.collectives->Get((*device.stream)[device.next].collective)->name()->c_str());
      result.devices.push_back(std::move(device.time));
    }
    result.links = links.use();
    return std::move(result);
  }

private:
  void add(double time, uint32_t device, bool isRound) {
    events.push({time, order++, device, isRound});
  }

  /// Operations, up to one that takes time.
  void go(uint32_t index) {
    Device &device = devices[index];
    for (;;) {
      if (device.next == device.stream->size()) {
        device.next = 0;
        device.time.end = now;
        result.ends[device.run] = std::max(result.ends[device.run], now);
        if (++device.run == runs)
          return;
        return add(now, index, false);
      }
      const Operation &operation = (*device.stream)[device.next];
      if (operation.kind == Operation::Compute) {
        note(device, Span::Computing, now, now + operation.seconds);
        ++device.next;
        if (operation.seconds > 0)
          return add(now + operation.seconds, index, false);
        continue;
      }
      Collective &collective = collectives[operation.collective];
      const auto [group, self] = collective.placeOf[index];
      if (group == kNone) {
        ++device.next;
        continue;
      }
      Member &member = collective.groups[group].members[self];
      const uint64_t begun = member.exchanges * (collective.moves->rounds + 1) + 1;
      if (member.progress < begun) { // it has not been offered
        member.begins[member.exchanges % std::size(member.begins)] = now;
        publish(collective, group, self, begun);
      }
      if (operation.kind == Operation::Offer) {
        ++device.next;
        continue;
      }
      device.begin = now;
      device.round = 0;
      return beginRound(index);
    }
  }

  void note(Device &device, Span::What what, double begin, double end) {
    (what == Span::Computing ? device.time.computing
     : what == Span::Moving  ? device.time.moving
                             : device.time.waiting) += end - begin;
    if (input.keepSpans && device.run == 0 && end > begin)
      device.time.spans.push_back({what, static_cast<uint32_t>(device.next), begin, end});
  }

  /// A member has reached this progress: those that have waited for it continue.
  void publish(Collective &collective, uint32_t group, uint32_t self, uint64_t progress) {
    Member &member = collective.groups[group].members[self];
    member.progress = progress;
    std::vector<Waiter> awake, asleep;
    for (const Waiter &waiter : member.waiters)
      (waiter.progress > progress ? asleep : awake).push_back(waiter);
    member.waiters = std::move(asleep);
    for (const Waiter &waiter : awake) {
      Device &device = devices[waiter.device];
      if (waiter.takes)
        depart(device, member.device, waiter.device, waiter.bytes);
      if (--device.missing == 0)
        add(std::max(now, device.roundEnds), waiter.device, true);
    }
  }

  void depart(Device &to, uint32_t from, uint32_t self, uint64_t bytes) {
    ++result.messages;
    to.roundEnds = std::max(to.roundEnds, links.send(from, self, bytes, now));
  }

  void beginRound(uint32_t index) {
    Device &device = devices[index];
    const Operation &operation = (*device.stream)[device.next];
    Collective &collective = collectives[operation.collective];
    const auto [group, self] = collective.placeOf[index];
    Group &all = collective.groups[group];
    const GroupMoves &moves = *collective.moves;
    const MemberMoves &own = moves.members[self];
    const uint64_t base = all.members[self].exchanges * (moves.rounds + 1);
    device.missing = 0;
    device.roundEnds = now;
    auto await = [&](uint32_t peer, uint64_t progress, uint64_t bytes, bool takes) {
      Member &other = all.members[peer];
      if (other.progress < progress) {
        ++device.missing;
        other.waiters.push_back({index, progress, bytes, takes});
      } else if (takes) {
        depart(device, other.device, index, bytes);
      }
    };
    if (device.round < moves.rounds)
      for (const MemberMoves::Message &message : own.rounds[device.round])
        await(message.peer, base + device.round + 1, message.bytes, true);
    else if (const uint64_t ahead = moves.isSmall ? kAhead : 0;
             (!moves.isSmall || operation.kind == Operation::Send) &&
             all.members[self].exchanges >= ahead)
      for (const MemberMoves::Taker &taker : own.takers)
        await(taker.peer, base - ahead * (moves.rounds + 1) + taker.lastRound + 2, 0, false);
    if (device.missing == 0)
      add(device.roundEnds, index, true);
  }

  void endRound(uint32_t index) {
    Device &device = devices[index];
    Collective &collective = collectives[(*device.stream)[device.next].collective];
    const auto [group, self] = collective.placeOf[index];
    Member &member = collective.groups[group].members[self];
    const uint32_t rounds = collective.moves->rounds;
    const uint64_t base = member.exchanges * (rounds + 1);
    if (device.round < rounds) {
      publish(collective, group, self, base + device.round + 2);
      ++device.round;
      return beginRound(index);
    }
    // Until the last member has begun, a device waits; then it moves.
    double begun = device.begin;
    for (const Member &other : collective.groups[group].members)
      begun = std::max(begun, other.progress <= base
                                  ? now
                                  : other.begins[member.exchanges % std::size(other.begins)]);
    begun = std::min(begun, now);
    ++member.exchanges;
    note(device, Span::Waiting, device.begin, begun);
    note(device, Span::Moving, begun, now);
    ++device.next;
    go(index);
  }

  const SimulatorInput &input;
  LinkTimes links;
  const uint32_t runs;
  std::vector<Device> devices;
  std::vector<Collective> collectives;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  uint64_t order = 0;
  double now = 0;
  Simulated result;
};

} // namespace

Simulated simulate(const SimulatorInput &input, LinkTimes links, uint32_t runs) {
  return Simulator(input, std::move(links), runs).run();
}

uint64_t messagesOf(const SimulatorInput &input) {
  const auto moves = movesOf(input.collectives);
  std::vector<uint64_t> users(input.streams.size());
  for (uint32_t stream : input.streamOf)
    if (stream != kNone)
      ++users[stream];
  uint64_t messages = 0;
  for (size_t i = 0; i < input.streams.size(); ++i)
    for (const Operation &operation : input.streams[i])
      if (operation.kind == Operation::Exchange) {
        const GroupMoves &group = *moves[operation.collective];
        messages += users[i] * group.messages / std::max<size_t>(group.members.size(), 1);
      } else if (operation.kind == Operation::Receive) {
        messages += users[i];
      }
  return messages;
}

} // namespace ttrun
