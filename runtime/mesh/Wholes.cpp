// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Wholes.h"

#include "Ports.h"
#include "Support.h"
#include "ttrt/mesh.h"

#include <algorithm>
#include <cstring>

namespace ttrt::mesh {

/// Executed by some devices.
static bool isOfSome(const fb::EntryPoint &entry) {
  return entry.devices() && entry.devices()->size() != 0;
}

static bool areOneWhole(const fb::EntryPoint &a, const fb::EntryPoint &b) {
  return &a == &b ||
         (isOfSome(a) && isOfSome(b) && strcmp(a.part_of()->c_str(), b.part_of()->c_str()) == 0);
}

static bool isFirstPart(const fb::Bundle &tables, uint32_t entry) {
  const auto &entries = *tables.entries();
  for (uint32_t i = 0; i < entry; ++i)
    if (areOneWhole(*entries.Get(i), *entries.Get(entry)))
      return false;
  return true;
}

Whole::Whole(const fb::Bundle &tables, uint32_t number) : tables_(tables), first_(0) {
  uint32_t found = 0;
  for (; first_ < tables.entries()->size(); ++first_)
    if (isFirstPart(tables, first_) && found++ == number)
      return;
  fail(TTRT_INVALID_ARGUMENT, "entry point %u; the bundle has %u", number, found);
}

uint32_t Whole::count(const fb::Bundle &tables) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < tables.entries()->size(); ++i)
    count += isFirstPart(tables, i);
  return count;
}

const char *Whole::name() const {
  const fb::EntryPoint &first = *tables_.entries()->Get(first_);
  return (isOfSome(first) ? first.part_of() : first.name())->c_str();
}

bool Whole::isPart(uint32_t entry) const {
  return areOneWhole(*tables_.entries()->Get(first_), *tables_.entries()->Get(entry));
}

uint32_t Whole::partOf(uint32_t device) const {
  for (uint32_t i = first_; i < tables_.entries()->size(); ++i) {
    if (!isPart(i))
      continue;
    const auto *devices = tables_.entries()->Get(i)->devices();
    if (!isOfSome(*tables_.entries()->Get(i)) ||
        std::binary_search(devices->begin(), devices->end(), device))
      return i;
  }
  return kNone;
}

static const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *
portsOf(const fb::EntryPoint &entry, bool isInput) {
  return isInput ? entry.inputs() : entry.outputs();
}

static uint32_t numberOf(const fb::EntryPoint &entry, const char *name, bool isInput) {
  const auto *ports = portsOf(entry, isInput);
  for (uint32_t i = 0; ports && i < ports->size(); ++i)
    if (strcmp(ports->Get(i)->name()->c_str(), name) == 0)
      return i;
  return kNone;
}

/// Calls function(entry, number in it) for each port until it returns true, and says whether it
/// has.
template <typename Function> bool Whole::forEachPort(bool isInput, Function function) const {
  const auto &entries = *tables_.entries();
  for (uint32_t i = first_; i < entries.size(); ++i) {
    const auto *ports = isPart(i) ? portsOf(*entries.Get(i), isInput) : nullptr;
    for (uint32_t j = 0; ports && j < ports->size(); ++j) {
      bool isKnown = false;
      for (uint32_t k = first_; k < i && !isKnown; ++k)
        isKnown = isPart(k) &&
                  numberOf(*entries.Get(k), ports->Get(j)->name()->c_str(), isInput) != kNone;
      if (!isKnown && function(i, j))
        return true;
    }
  }
  return false;
}

uint32_t Whole::ports(bool isInput) const {
  uint32_t count = 0;
  forEachPort(isInput, [&](uint32_t, uint32_t) { return ++count == kNone; });
  return count;
}

Whole::Place Whole::find(uint32_t index, bool isInput) const {
  Place found{};
  uint32_t count = 0;
  if (!forEachPort(isInput, [&](uint32_t entry, uint32_t number) {
        found = {entry, number};
        return count++ == index;
      }))
    fail(TTRT_INVALID_ARGUMENT, "%s %u; entry point '%s' has %u", isInput ? "input" : "output",
         index, name(), count);
  return found;
}

uint32_t Whole::numberOn(uint32_t device, uint32_t index, bool isInput) const {
  const uint32_t part = partOf(device);
  if (part == kNone)
    return kNone;
  const Place place = find(index, isInput);
  const auto &entries = *tables_.entries();
  return numberOf(*entries.Get(part),
                  portsOf(*entries.Get(place.entry), isInput)->Get(place.index)->name()->c_str(),
                  isInput);
}

} // namespace ttrt::mesh

using namespace ttrt::mesh;

static ttrt_status findNumber(const ttrt_bundle *bundle, uint32_t entry, uint32_t index,
                              uint32_t device, bool isInput, uint32_t *number, ttrt_error *error) {
  return guarded(error, [&] {
    require(number != nullptr, "number is NULL");
    const Whole whole(tablesOf(bundle), entry);
    *number = whole.numberOn(device, index, isInput);
    if (*number == kNone)
      fail(TTRT_NOT_FOUND, "device %u does not have %s %u of entry point '%s'", device,
           isInput ? "input" : "output", index, whole.name());
  });
}

extern "C" {

uint32_t ttrt_mesh_entries(const ttrt_bundle *bundle) {
  return bundle ? Whole::count(tablesOf(bundle)) : 0;
}

ttrt_status ttrt_mesh_entry(const ttrt_bundle *bundle, uint32_t entry, ttrt_entry *info,
                            ttrt_error *error) {
  return guarded(error, [&] {
    require(info != nullptr, "info is NULL");
    const Whole whole(tablesOf(bundle), entry);
    const ttrt_entry found = {sizeof(ttrt_entry), whole.name(), whole.ports(true),
                              whole.ports(false)};
    writeResult(info, found, "ttrt_entry");
  });
}

ttrt_status ttrt_mesh_find_entry(const ttrt_bundle *bundle, const char *name, uint32_t *entry,
                                 ttrt_error *error) {
  return guarded(error, [&] {
    require(name && entry, "name or entry is NULL");
    const auto &tables = tablesOf(bundle);
    std::string known;
    for (uint32_t i = 0; i < Whole::count(tables); ++i) {
      const char *candidate = Whole(tables, i).name();
      if (strcmp(candidate, name) == 0) {
        *entry = i;
        return;
      }
      known += (i ? ", " : "") + std::string(candidate);
    }
    fail(TTRT_NOT_FOUND, "no entry point '%s'; the bundle has: %s", name, known.c_str());
  });
}

ttrt_status ttrt_mesh_part(const ttrt_bundle *bundle, uint32_t entry, uint32_t device,
                           uint32_t *part, ttrt_error *error) {
  return guarded(error, [&] {
    require(part != nullptr, "part is NULL");
    const Whole whole(tablesOf(bundle), entry);
    *part = whole.partOf(device);
    if (*part == kNone)
      fail(TTRT_NOT_FOUND, "device %u has no part of entry point '%s'", device, whole.name());
  });
}

ttrt_status ttrt_mesh_part_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                                 uint32_t device, uint32_t *number, ttrt_error *error) {
  return findNumber(bundle, entry, input, device, /*isInput=*/true, number, error);
}

ttrt_status ttrt_mesh_part_output(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                                  uint32_t device, uint32_t *number, ttrt_error *error) {
  return findNumber(bundle, entry, output, device, /*isInput=*/false, number, error);
}

} // extern "C"
