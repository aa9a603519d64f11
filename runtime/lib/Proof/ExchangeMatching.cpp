// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First, every inference of every schedule of an entry point has the same meetings in the same
// order. Then one inference of all devices is executed, meeting by meeting. If all of them complete
// it, they complete any number: a meeting of an inference waits for earlier ones only.

#include "Proof/ExchangeMatching.h"

#include "Base/Format.h"
#include "Bundle/MeshTables.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ttrt {

static const char *verbOf(CollectiveRole role) {
  static constexpr const char *kVerbs[] = {"", "exchanges", "sends", "receives", "offers"};
  return kVerbs[static_cast<size_t>(role)];
}

static std::string describe(const Bundle &bundle, const Meeting &meeting) {
  return describeCommand(bundle, meeting.trace, meeting.command);
}

//===----------------------------------------------------------------------===//
// Inferences
//===----------------------------------------------------------------------===//

/// Each inference of a schedule has the meetings of the entry point in their order. Returns the
/// inferences of the body.
static uint64_t verifyInferences(const Bundle &bundle, const DecodedPlan &plan, uint32_t index,
                                 uint32_t number) {
  const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(index);
  const fb::Schedule &table = *entry.schedules()->Get(number);
  const DecodedSchedule &schedule = plan.schedules[index][number];
  const std::vector<Meeting> &expected = plan.meetings[index];
  const bool hasPorts = count(entry.inputs()) + count(entry.outputs()) != 0;
  const auto steps = static_cast<uint32_t>(schedule.steps.ops.size());
  uint64_t inBody = 0, outside = 0;
  size_t next = 0;
  forEachMeeting(plan, schedule, [&](const Meeting &meeting, uint32_t step) {
    if (expected.empty() || !meeting.isSame(expected[next]))
      failBad("schedule '{}' of entry point '{}': {} {} data; expected {}, as in the first "
              "inference of the default schedule",
              text(table.name()), text(entry.name()), describe(bundle, meeting),
              verbOf(meeting.role),
              expected.empty() ? "no exchange"
                               : formatText("{}, which {}", describe(bundle, expected[next]),
                                            verbOf(expected[next].role)));
    next = next + 1 == expected.size() ? 0 : next + 1;
    ++(step >= schedule.bodyBegin && step < schedule.bodyEnd ? inBody : outside);
  });
  const uint64_t each = expected.size();
  uint64_t body = countInferences(entry, schedule, schedule.bodyBegin, schedule.bodyEnd);
  uint64_t rest = countInferences(entry, schedule, 0, schedule.bodyBegin) +
                  countInferences(entry, schedule, schedule.bodyEnd, steps);
  if (!hasPorts && each) { // of such an entry point, meetings tell the inferences
    body = inBody / each;
    rest = outside / each;
  }
  if (each && (inBody != body * each || outside != rest * each || body == 0))
    failBad("schedule '{}' of entry point '{}': the body sends, receives and exchanges {} times in "
            "{} inferences, and prologue and epilogue {} times in {}; expected {} times in each",
            text(table.name()), text(entry.name()), inBody, body, outside, rest, each);
  return body;
}

/// Hosts execute schedules of one name, and end after the same inference: the bodies of all parts
/// have equally many. A part without outputs repeats its default schedule, so its host ends after
/// any inference, and others cannot continue to the end of a body.
static void verifyBodies(const Bundle &bundle, const std::vector<std::vector<uint64_t>> &bodies,
                         uint32_t a, uint32_t b) {
  const fb::EntryPoint &first = *bundle.metadata().entries()->Get(a);
  const fb::EntryPoint &second = *bundle.metadata().entries()->Get(b);
  for (uint32_t i = 0; i < bodies[a].size(); ++i)
    for (uint32_t j = 0; j < bodies[b].size(); ++j) {
      const char *name = text(first.schedules()->Get(i)->name());
      if (strcmp(name, text(second.schedules()->Get(j)->name())) == 0 &&
          bodies[a][i] != bodies[b][j])
        failBad("the body of schedule '{}' has {} inferences in entry point '{}' and {} in '{}'; "
                "expected equally many in all parts of '{}'",
                name, bodies[a][i], text(first.name()), bodies[b][j], text(second.name()),
                text(first.part_of()));
    }
  auto verifyFollower = [&](const fb::EntryPoint &entry, const std::vector<uint64_t> &inferences,
                            const fb::EntryPoint &other) {
    for (uint32_t i = 0; i < inferences.size(); ++i)
      if (inferences[i] > 1 && count(entry.outputs()) != 0 && count(other.outputs()) == 0)
        failBad("the body of schedule '{}' has {} inferences in entry point '{}'; expected one, "
                "because '{}', also part of '{}', has no outputs",
                text(entry.schedules()->Get(i)->name()), inferences[i], text(entry.name()),
                text(other.name()), text(entry.part_of()));
  };
  verifyFollower(first, bodies[a], second);
  verifyFollower(second, bodies[b], first);
}

//===----------------------------------------------------------------------===//
// All devices
//===----------------------------------------------------------------------===//

namespace {
/// One inference of all devices that execute a part of the same entry point.
class Rendezvous {
public:
  Rendezvous(const Bundle &bundle, const DecodedPlan &plan, const std::vector<uint32_t> &parts);
  void verify();

private:
  /// Where a device is in a collective.
  struct Seat {
    const fb::DeviceGroup *group = nullptr;
    uint32_t self = 0;
  };
  struct Member {
    uint32_t entry = ~0u;
    const std::vector<Meeting> *meetings = nullptr;
    size_t next = 0;

    const Meeting *now() const {
      return meetings && next < meetings->size() ? &(*meetings)[next] : nullptr;
    }
  };
  void verifyCounts() const;
  bool isAt(uint32_t device, const Meeting &meeting) const;
  uint32_t peerOf(uint32_t device, const Meeting &meeting) const;
  void run();
  [[noreturn]] void failCircle(uint32_t device) const;
  /// Calls function(device) for the others that a device meets.
  template <typename Function>
  void forEachOther(uint32_t device, const Meeting &meeting, Function function) const {
    if (meeting.role != CollectiveRole::Exchange)
      return function(peerOf(device, meeting));
    if (const fb::DeviceGroup *group = seats[meeting.collective][device].group)
      for (uint32_t other : *group->devices())
        if (other != device)
          function(other);
  }

  const Bundle &bundle;
  const DecodedPlan &plan;
  const std::vector<uint32_t> &parts;
  std::vector<Member> members;          ///< by device
  std::vector<std::vector<Seat>> seats; ///< by collective and device; of those that are met
};
} // namespace

Rendezvous::Rendezvous(const Bundle &bundle, const DecodedPlan &plan,
                       const std::vector<uint32_t> &parts)
    : bundle(bundle), plan(plan), parts(parts), members(devicesOf(bundle.metadata())),
      seats(count(bundle.metadata().collectives())) {
  for (uint32_t part : parts) {
    for (uint32_t device : *bundle.metadata().entries()->Get(part)->devices())
      members[device] = {part, &plan.meetings[part]};
    for (const Meeting &meeting : plan.meetings[part]) {
      std::vector<Seat> &all = seats[meeting.collective];
      if (!all.empty())
        continue;
      all.resize(members.size());
      for (const fb::DeviceGroup *group :
           *bundle.metadata().collectives()->Get(meeting.collective)->groups())
        for (uint32_t i = 0; i < group->devices()->size(); ++i)
          all[group->devices()->Get(i)] = {group, i};
    }
  }
}

/// The other device of a send or receive.
uint32_t Rendezvous::peerOf(uint32_t device, const Meeting &meeting) const {
  const auto &[group, self] = seats[meeting.collective][device];
  const auto &sources = *bundle.metadata().collectives()->Get(meeting.collective)->sources();
  if (meeting.role == CollectiveRole::Receive)
    return group->devices()->Get(sources.Get(self));
  return group->devices()->Get(
      static_cast<uint32_t>(std::find(sources.begin(), sources.end(), self) - sources.begin()));
}

/// In each collective, a device sends as often as the other one receives.
void Rendezvous::verifyCounts() const {
  // By entry point and collective.
  std::vector<std::vector<uint32_t>> times(plan.meetings.size());
  for (uint32_t part : parts) {
    times[part].resize(seats.size());
    for (const Meeting &meeting : plan.meetings[part])
      ++times[part][meeting.collective];
  }
  for (uint32_t part : parts)
    for (const Meeting &meeting : plan.meetings[part]) {
      if (meeting.role == CollectiveRole::Exchange || meeting.number != 0)
        continue;
      const bool sends = meeting.role == CollectiveRole::Send;
      for (uint32_t device : *bundle.metadata().entries()->Get(part)->devices()) {
        const uint32_t peer = peerOf(device, meeting);
        const uint32_t own = times[part][meeting.collective],
                       theirs = times[members[peer].entry][meeting.collective];
        if (own != theirs)
          failBad("{}: device {} {} device {} {} times in an inference of entry point '{}', which "
                  "{} {} times in '{}'; expected equally often",
                  describe(bundle, meeting), device, sends ? "sends to" : "receives from", peer,
                  own, text(bundle.metadata().entries()->Get(part)->name()),
                  sends ? "receives" : "sends", theirs,
                  text(bundle.metadata().entries()->Get(members[peer].entry)->name()));
      }
    }
}

/// Whether a device has come to the meeting of another one.
bool Rendezvous::isAt(uint32_t device, const Meeting &meeting) const {
  const Meeting *own = members[device].now();
  return own && own->collective == meeting.collective && own->number == meeting.number;
}

/// The last device that comes to a meeting completes it. None of them waits any more if it is over.
void Rendezvous::run() {
  std::vector<uint32_t> moving;
  for (uint32_t device = 0; device < members.size(); ++device)
    moving.push_back(device);
  while (!moving.empty()) {
    const uint32_t device = moving.back();
    moving.pop_back();
    const Meeting *meeting = members[device].now();
    bool isComplete = meeting != nullptr;
    if (meeting)
      forEachOther(device, *meeting, [&](uint32_t other) { isComplete &= isAt(other, *meeting); });
    if (!isComplete)
      continue;
    forEachOther(device, *meeting, [&](uint32_t other) {
      ++members[other].next;
      moving.push_back(other);
    });
    ++members[device].next;
    moving.push_back(device);
  }
}

/// The device waits. So does one that it waits for, and so on, until one of them occurs again.
void Rendezvous::failCircle(uint32_t device) const {
  std::vector<uint32_t> path;
  while (std::find(path.begin(), path.end(), device) == path.end()) {
    path.push_back(device);
    const Meeting &meeting = *members[device].now();
    uint32_t awaited = device;
    forEachOther(device, meeting,
                 [&](uint32_t other) { awaited = isAt(other, meeting) ? awaited : other; });
    device = awaited;
  }
  std::string circle;
  for (size_t i = static_cast<size_t>(std::find(path.begin(), path.end(), device) - path.begin());
       i < path.size(); ++i)
    circle += formatText("{}device {} waits in {} for device {}", circle.empty() ? "" : ", ",
                         path[i], describe(bundle, *members[path[i]].now()),
                         i + 1 < path.size() ? path[i + 1] : device);
  failBad("devices that execute '{}' wait for each other in a cycle: {}",
          text(bundle.metadata().entries()->Get(parts[0])->part_of()), circle);
}

void Rendezvous::verify() {
  verifyCounts();
  run();
  for (uint32_t device = 0; device < members.size(); ++device)
    if (members[device].now())
      failCircle(device);
}

void verifyExchangesMatch(const Bundle &bundle, const DecodedPlan &plan) {
  const auto &entries = *bundle.metadata().entries();
  std::vector<std::vector<uint64_t>> bodies(entries.size());
  std::vector<uint8_t> seen(entries.size());
  for (uint32_t i = 0; i < entries.size(); ++i)
    for (uint32_t j = 0; count(entries.Get(i)->devices()) && j < plan.schedules[i].size(); ++j)
      bodies[i].push_back(verifyInferences(bundle, plan, i, j));
  for (uint32_t i = 0; i < entries.size(); ++i) {
    if (bodies[i].empty() || seen[i])
      continue;
    std::vector<uint32_t> parts;
    for (uint32_t j = i; j < entries.size(); ++j)
      if (strcmp(text(entries.Get(i)->part_of()), text(entries.Get(j)->part_of())) == 0) {
        seen[j] = 1;
        parts.push_back(j);
        verifyBodies(bundle, bodies, i, j);
      }
    Rendezvous(bundle, plan, parts).verify();
  }
}

} // namespace ttrt
