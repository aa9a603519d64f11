// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of some devices of a mesh: their tables, and what each device does in a collective.
// ExchangeMatching.cpp proves that all of them continue.

#include "Base/Format.h"
#include "Bundle/DecodedPlan.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ttrt {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static bool areParts(const fb::EntryPoint &a, const fb::EntryPoint &b) {
  return strcmp(text(a.part_of()), text(b.part_of())) == 0;
}

static void verifyDevices(const fb::Bundle &bundle, const fb::EntryPoint &entry) {
  const uint32_t devices = devicesOf(bundle), own = count(entry.devices());
  if ((own != 0) != (*text(entry.part_of()) != 0))
    failBad("entry point '{}' is of {} devices and part of '{}'; expected both or neither",
            text(entry.name()), own, text(entry.part_of()));
  for (uint32_t i = 0; i < own; ++i) {
    const uint32_t device = entry.devices()->Get(i);
    if (device >= devices || (i && device <= entry.devices()->Get(i - 1)))
      failBad("entry point '{}' is of device {}; expected ascending devices below {}",
              text(entry.name()), device, devices);
  }
}

/// The devices that have the parts of a divided tensor are all there.
static void verifyPortsOfPart(const fb::Bundle &bundle, const fb::EntryPoint &entry,
                              const char *what, const auto *ports) {
  const auto &axes = *bundle.mesh()->axes();
  for (uint32_t i = 0; i < count(ports); ++i) {
    const fb::Port &port = *ports->Get(i);
    for (uint32_t j = 0; j < count(port.sharding()); ++j)
      for (uint32_t k = 0; k < count(port.sharding()->Get(j)->axes()); ++k) {
        const uint32_t axis = port.sharding()->Get(j)->axes()->Get(k), size = axes[axis]->size();
        uint32_t stride = 1;
        for (uint32_t other = axis + 1; other < axes.size(); ++other)
          stride *= axes[other]->size();
        for (uint32_t device : *entry.devices())
          for (uint32_t place = 0; place < size; ++place)
            if (const uint32_t other = device - device / stride % size * stride + place * stride;
                !isExecutedBy(entry, other))
              failBad("{} '{}' of entry point '{}' is divided by axis '{}' of the mesh; device {} "
                      "executes the entry point, and device {}, which has another part, does not",
                      what, text(port.name()), text(entry.name()), text(axes[axis]->name()), device,
                      other);
      }
  }
}

/// The extent of a dimension on all devices together.
static uint64_t wholeExtent(const fb::Bundle &bundle, const fb::Port &port, uint32_t dimension) {
  uint64_t extent = static_cast<uint64_t>(port.shape()->Get(dimension));
  if (dimension < count(port.sharding()))
    for (uint32_t i = 0; i < count(port.sharding()->Get(dimension)->axes()); ++i)
      extent *= bundle.mesh()->axes()->Get(port.sharding()->Get(dimension)->axes()->Get(i))->size();
  return extent;
}

/// Two parts may have the same input, of one type, but not the same output.
static void verifyTwoParts(const fb::Bundle &bundle, const fb::EntryPoint &a,
                           const fb::EntryPoint &b) {
  const char *whole = text(a.part_of());
  for (uint32_t i = 0; i < count(b.devices()); ++i)
    if (isExecutedBy(a, b.devices()->Get(i)))
      failBad("device {} executes entry points '{}' and '{}', both part of '{}'; expected one",
              b.devices()->Get(i), text(a.name()), text(b.name()), whole);
  auto forEachTwin = [&](const auto *first, const auto *second, auto function) {
    for (uint32_t i = 0; i < count(first); ++i)
      for (uint32_t j = 0; j < count(second); ++j)
        if (strcmp(text(first->Get(i)->name()), text(second->Get(j)->name())) == 0)
          function(*first->Get(i), *second->Get(j));
  };
  forEachTwin(a.outputs(), b.outputs(), [&](const fb::Port &port, const fb::Port &) {
    failBad("output '{}' is of entry points '{}' and '{}', both part of '{}'; expected it once",
            text(port.name()), text(a.name()), text(b.name()), whole);
  });
  forEachTwin(a.inputs(), b.inputs(), [&](const fb::Port &x, const fb::Port &y) {
    bool same = x.dtype() == y.dtype() && count(x.shape()) == count(y.shape());
    for (uint32_t i = 0; same && i < count(x.shape()); ++i)
      same = wholeExtent(bundle, x, i) == wholeExtent(bundle, y, i);
    if (!same)
      failBad("input '{}' of entry points '{}' and '{}', both part of '{}', has two types; "
              "expected one",
              text(x.name()), text(a.name()), text(b.name()), whole);
  });
}

void verifyParts(const fb::Bundle &bundle) {
  const auto &entries = *bundle.entries();
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const fb::EntryPoint &entry = *entries.Get(i);
    verifyDevices(bundle, entry);
    if (count(entry.devices()) == 0)
      continue;
    verifyPortsOfPart(bundle, entry, "input", entry.inputs());
    verifyPortsOfPart(bundle, entry, "output", entry.outputs());
    for (uint32_t j = 0; j < entries.size(); ++j) {
      const fb::EntryPoint &other = *entries.Get(j);
      if (count(other.devices()) == 0 && strcmp(text(other.name()), text(entry.part_of())) == 0)
        failBad("entry point '{}' is part of '{}', which is an entry point of all devices; "
                "expected another name",
                text(entry.name()), text(other.name()));
      if (j < i && areParts(entry, other))
        verifyTwoParts(bundle, other, entry);
    }
  }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {
/// Checks the commands of one trace for one entry point that executes it.
class RoleVerifier {
public:
  RoleVerifier(const Bundle &bundle, const fb::EntryPoint &entry, uint32_t trace,
               std::vector<CollectiveRole> &uses, std::vector<uint8_t> &seen)
      : bundle(bundle), entry(entry), trace(trace), uses(uses), seen(seen) {}

  void verify() {
    forEachCommand(bundle.stream(trace), [&](const CommandHeader &header) {
      const Action action = actionOf(header);
      if (action.info->inCollective != CollectiveRole::None) {
        table = bundle.metadata().collectives()->Get(action.index);
        verify(action);
      }
      ++command;
    });
  }

private:
  template <typename... Args>
  [[noreturn, gnu::always_inline]] void failHere(Pattern<Args...> pattern,
                                                 const Args &...arguments) const {
    failWith(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
  }
  [[noreturn, gnu::cold]] void failWith(uint64_t kinds, const char *pattern, ...) const {
    va_list arguments;
    va_start(arguments, pattern);
    const std::string problem = formatList(kinds, pattern, arguments);
    va_end(arguments);
    failBad("{}, on {} (entry point '{}'): {}", describeCommand(bundle, trace, command),
            describeDevices(entry), text(entry.name()), problem);
  }
  void verify(const Action &action);
  void verifyExchange() const;
  void verifySide(bool sends) const;
  /// The device's group and its index there; null if it is in none.
  const fb::DeviceGroup *groupOf(uint32_t device, uint32_t &self) const;

  const Bundle &bundle;
  const fb::EntryPoint &entry;
  const uint32_t trace;
  std::vector<CollectiveRole> &uses; ///< Exchange or Send, by collective
  std::vector<uint8_t> &seen;        ///< roles of the entry point, by collective: a bit for each
  const fb::Collective *table = nullptr;
  uint32_t command = 0;
};
} // namespace

const fb::DeviceGroup *RoleVerifier::groupOf(uint32_t device, uint32_t &self) const {
  for (const fb::DeviceGroup *group : *table->groups())
    for (self = 0; self < group->devices()->size(); ++self)
      if (group->devices()->Get(self) == device)
        return group;
  return nullptr;
}

void RoleVerifier::verify(const Action &action) {
  const CollectiveRole role = action.info->inCollective;
  const bool isSide = role == CollectiveRole::Send || role == CollectiveRole::Receive;
  CollectiveRole &use = uses[action.index];
  const CollectiveRole wanted = isSide ? CollectiveRole::Send : CollectiveRole::Exchange;
  if (use != CollectiveRole::None && use != wanted)
    failHere("{} it, and other commands {} it; expected one of both",
             isSide ? "sends or receives" : "exchanges", isSide ? "exchange" : "send or receive");
  use = wanted;
  const auto bit = static_cast<uint8_t>(1 << static_cast<unsigned>(role));
  if (seen[action.index] & bit)
    return;
  seen[action.index] |= bit;
  if (isSide)
    verifySide(role == CollectiveRole::Send);
  else
    verifyExchange();
}

/// Groups are inside the entry point's devices, or outside. What is only written is so on each.
void RoleVerifier::verifyExchange() const {
  std::vector<uint8_t> members(devicesOf(bundle.metadata()));
  for (const fb::DeviceGroup *group : *table->groups()) {
    const uint32_t first = group->devices()->Get(0);
    for (uint32_t i = 0; i < group->devices()->size(); ++i) {
      const uint32_t device = group->devices()->Get(i);
      if (isExecutedBy(entry, device) != isExecutedBy(entry, first))
        failHere("devices {} and {} are in one group; expected both among those that execute it, "
                 "or neither",
                 first, device);
      members[device] =
          count(table->sources()) == 0 || table->sources()->Get(i) != kNoSource ? 1 : 0;
    }
  }
  if (table->operands()->Get(1)->access() == fb::Access::Write)
    forEachDevice(bundle.metadata(), entry, [&](uint32_t device) {
      if (!members[device])
        failHere("device {} gets nothing, and operand 1, the output, is written; expected that it "
                 "is read and written",
                 device);
    });
}

/// Each device is the side that the sources say, and the other side is in another part.
void RoleVerifier::verifySide(bool sends) const {
  const char *verb = sends ? "sends" : "receives";
  if (table->kind() != fb::CollectiveKind::Permute)
    failHere("{} a collective of kind {}; expected a permute", verb, nameOf(table->kind()));
  if (count(entry.devices()) == 0)
    failHere("{} data of the devices of other entry points; expected an entry point of some "
             "devices",
             verb);
  const auto &sources = *table->sources();
  for (uint32_t device : *entry.devices()) {
    uint32_t self = 0;
    const fb::DeviceGroup *group = groupOf(device, self);
    if (!group)
      failHere("device {} {}, and is in no group of the collective", device, verb);
    const uint32_t taker =
        static_cast<uint32_t>(std::find(sources.begin(), sources.end(), self) - sources.begin());
    const bool takes = sources.Get(self) != kNoSource, gives = taker != sources.size();
    if (takes == sends || gives != sends)
      failHere("device {} {}; by the sources of the collective, it {}", device, verb,
               takes && gives ? "sends and receives"
               : takes        ? "receives"
               : gives        ? "sends"
                              : "does neither");
    const uint32_t peer = group->devices()->Get(sends ? taker : sources.Get(self));
    bool isThere = false;
    for (const fb::EntryPoint *other : *bundle.metadata().entries())
      isThere |= other != &entry && areParts(*other, entry) && isExecutedBy(*other, peer);
    if (!isThere)
      failHere("device {} {} device {}, which executes no other part of '{}'", device,
               sends ? "sends to" : "receives from", peer, text(entry.part_of()));
  }
}

/// The next exchange of the collective has the input that was offered, and nothing writes it in
/// between.
static void verifyOffers(const Bundle &bundle, uint32_t trace) {
  struct Offer {
    uint32_t collective, command;
    uint64_t input, bytes;
  };
  std::vector<Offer> open;
  uint32_t command = 0;
  forEachCommand(bundle.stream(trace), [&](const CommandHeader &header) {
    const Action action = actionOf(header);
    const CollectiveRole role = action.info->inCollective;
    const auto offer = std::find_if(open.begin(), open.end(), [&](const Offer &candidate) {
      return role != CollectiveRole::None && candidate.collective == action.index;
    });
    if (offer != open.end() && role != CollectiveRole::Exchange)
      failBad("{} follows {}, an offer of the same collective; expected its exchange",
              describeCommand(bundle, trace, command),
              describeCommand(bundle, trace, offer->command));
    if (offer != open.end() && action.operands[0] != offer->input)
      failBad("{} exchanges the input at {:#x}; {} has offered that at {:#x}",
              describeCommand(bundle, trace, command), action.operands[0],
              describeCommand(bundle, trace, offer->command), offer->input);
    if (offer != open.end())
      open.erase(offer);
    if (!open.empty())
      forEachAccess(bundle, header, [&](const Access &access) {
        for (const Offer &other : open)
          if (access.write &&
              mayShareBytes(access, Access{other.input, other.bytes, true, false, 0}))
            failBad("{} writes {:#x} + {} bytes, operand {}, where other devices may read what {} "
                    "has offered: {:#x} + {} bytes, until they are exchanged",
                    describeCommand(bundle, trace, command), access.address, access.bytes,
                    access.operand, describeCommand(bundle, trace, other.command), other.input,
                    other.bytes);
      });
    if (role == CollectiveRole::Offer)
      open.push_back({action.index, command, action.operands[0],
                      operandsOf(bundle.metadata(), action)[0].bytes()});
    ++command;
  });
  if (!open.empty())
    failBad("{} offers the input of an exchange; expected that exchange after it in the trace",
            describeCommand(bundle, trace, open[0].command));
}

void verifyRoles(const Bundle &bundle) {
  const fb::Bundle &tables = bundle.metadata();
  if (count(tables.collectives()) == 0)
    return;
  for (uint32_t i = 0; i < count(tables.traces()); ++i)
    verifyOffers(bundle, i);
  std::vector<CollectiveRole> uses(count(tables.collectives()));
  for (const fb::EntryPoint *entry : *tables.entries()) {
    std::vector<uint8_t> seen(count(tables.traces())), roles(uses.size());
    for (const fb::Schedule *schedule : *entry->schedules())
      forEachStep(*schedule, [&](const fb::Step &step) {
        if (infoOf(step.kind()).role == OrderRole::Execute && !seen[step.index()]) {
          seen[step.index()] = 1;
          RoleVerifier(bundle, *entry, step.index(), uses, roles).verify();
        }
      });
  }
}

} // namespace ttrt
