// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/Costs.h"

#include "Bundle/Access.h"
#include "Bundle/Verifier.h"
#include "Formats/Printing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace ttrun {

using namespace ttrt;

namespace {

/// Ranges of addresses, in any order and overlapping.
class Ranges {
public:
  void add(uint64_t begin, uint64_t end) { ranges.push_back({begin, end}); }
  /// The bytes that at least one of them holds.
  uint64_t bytes() {
    std::sort(ranges.begin(), ranges.end());
    uint64_t sum = 0, last = 0;
    for (auto [begin, end] : ranges) {
      sum += end > last ? end - std::max(begin, last) : 0;
      last = std::max(last, end);
    }
    return sum;
  }

private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
};

/// The caches of keys or of values of one layer.
struct Cache {
  std::string layer;                 ///< "12"
  uint64_t begin, end, groups, size; ///< addresses; G; D
  bool keys;
};

/// Finds the caches of a bundle that has the states of docs/gguf-import.md.
class Caches {
public:
  explicit Caches(const Bundle &bundle) {
    const auto *states = bundle.metadata().states();
    for (uint32_t i = 0; i < count(states); ++i)
      if (const fb::Port &state = *states->Get(i);
          text(state.name()) == std::string_view("history") && count(state.shape())) {
        context = extent(state, count(state.shape()) - 1);
        positions = sizeOf(state) / sizeof(int32_t);
      }
    for (uint32_t i = 0; positions && i < count(states); ++i)
      add(bundle, *states->Get(i));
  }

  const Cache *at(uint64_t address) const {
    for (const Cache &cache : caches)
      if (cache.begin <= address && address < cache.end)
        return &cache;
    return nullptr;
  }

  uint64_t context = 0;   ///< positions of a sequence
  uint64_t positions = 0; ///< of all sequences

private:
  static uint64_t extent(const fb::Port &state, uint32_t dim) {
    return static_cast<uint64_t>(state.shape()->Get(dim));
  }

  /// Keys are [G, T / 32, D, 32] and values [G, D / 32, T, 32], with the number of sequences in
  /// front if there are several; those of 8 bits have a sixteenth more in dimension 2 of the four,
  /// for scales.
  void add(const Bundle &bundle, const fb::Port &state) {
    const std::string name = text(state.name());
    const bool keys = name.starts_with("keys_");
    const uint32_t rank = count(state.shape());
    if ((!keys && !name.starts_with("values_")) || rank < 4 || rank > 5)
      return;
    const uint32_t first = rank - 4;
    uint64_t rows = extent(state, first + 2);
    if (state.dtype() == fb::DType::I8)
      rows = rows / 17 * 16;
    const uint64_t blocks = extent(state, first + 1) * extent(state, first + 3);
    if ((keys ? blocks : rows) != context)
      return;
    const uint64_t begin = bundle.address(*bundle.metadata().buffers()->Get(state.buffer()));
    caches.push_back({name.substr(name.find('_') + 1), begin, begin + sizeOf(state),
                      extent(state, first), keys ? rows : blocks, keys});
  }

  std::vector<Cache> caches;
};

/// Adds up the commands and steps of a run.
class Counter {
public:
  explicit Counter(const Bundle &bundle)
      : bundle(bundle), facts(findFacts(bundle.segment(fb::SegmentKind::Code))), caches(bundle) {
    const auto *buffers = bundle.metadata().buffers();
    for (uint32_t i = 0; i < count(buffers); ++i)
      if (const fb::Buffer &buffer = *buffers->Get(i); buffer.kind() == fb::BufferKind::State)
        states.push_back({bundle.address(buffer), bundle.address(buffer) + bundle.bytes(buffer)});
    std::sort(states.begin(), states.end());
  }

  void add(const fb::EntryPoint &entry, const Action &action) {
    if (action.info->role == OrderRole::Execute) {
      std::vector<uint64_t> loops; // how often the bodies around a command are executed in all
      forEachCommand(bundle.stream(action.index), [&](const CommandHeader &header) {
        const Action command = actionOf(header);
        if (command.info->role == OrderRole::EndRepeat)
          loops.pop_back();
        times = loops.empty() ? 1 : loops.back();
        // How long a flag is set is data; then one iteration counts.
        if (command.loop)
          loops.push_back(command.loop->flag == kNoFlag ? times * command.loop->iterations : times);
        add(entry, command);
      });
      times = 1;
      return;
    }
    if (action.info->table == IndexedTable::Program)
      addOperations(action);
    forEachAccess(bundle, &entry, action, [&](const Access &access) {
      if (access.read)
        for (uint64_t at = 0; at < access.bytes; at += access.pitch)
          addRead(access.address + at, access.address + at + access.row);
    });
  }

  EntryCosts finish() {
    costs.constants = constants.bytes();
    costs.states = read.bytes();
    costs.caches = cached.bytes();
    costs.cachesPerPosition = caches.positions ? costs.caches / caches.positions : 0;
    return costs;
  }

private:
  void addRead(uint64_t begin, uint64_t end) {
    const SegmentView &segment = bundle.segment(fb::SegmentKind::Constants);
    if (segment.size && begin - segment.address < segment.size)
      return constants.add(begin, end);
    if (caches.at(begin))
      return cached.add(begin, end);
    const auto next =
        std::upper_bound(states.begin(), states.end(), std::pair(begin, ~uint64_t(0)));
    if (next != states.begin() && begin < std::prev(next)->second)
      read.add(begin, end);
  }

  void addOperations(const Action &action) {
    const uint64_t flops = bundle.metadata().programs()->Get(action.index)->flops();
    costs.operations += flops * times;
    if (flops)
      return;
    if (const std::optional<uint64_t> attention = attentionOf(action))
      costs.operationsPerPosition += *attention * times;
    else
      ++costs.notCounted;
  }

  /// Operations for each position in use of a program that reads rows of queries, keys and values
  /// and the caches of a layer: for each row and head, D products and sums for the score, and D for
  /// the weighted value. One that only updates the caches has none. Nothing if it is another
  /// program.
  std::optional<uint64_t> attentionOf(const Action &action) const {
    const auto *programs = facts ? facts->programs() : nullptr;
    if (action.operandCount < 3 || action.index >= count(programs))
      return std::nullopt;
    const Cache *keys = caches.at(action.operands[1]), *values = caches.at(action.operands[2]);
    if (!keys || !values || !keys->keys || values->keys || keys->layer != values->layer)
      return std::nullopt;
    const auto &operands = *programs->Get(action.index)->operands();
    const auto *shape = operands.Get(0)->shape();
    if (count(shape) != 2)
      return std::nullopt;
    bool attends = false;
    for (uint32_t i = 3; i < operands.size() && i < action.operandCount; ++i)
      attends |= operands.Get(i)->access() != fb::Access::Read && !caches.at(action.operands[i]);
    if (!attends)
      return 0;
    const auto rows = static_cast<uint64_t>(shape->Get(0));
    const uint64_t columns = static_cast<uint64_t>(shape->Get(1)),
                   own = 2 * keys->groups * keys->size;
    if (columns <= own)
      return std::nullopt;
    return 4 * rows * (columns - own);
  }

  const Bundle &bundle;
  const fb::Facts *facts;
  const Caches caches;
  std::vector<std::pair<uint64_t, uint64_t>> states;
  Ranges constants, read, cached;
  EntryCosts costs;
  uint64_t times = 1; ///< that the command that is added is executed in a run
};

} // namespace

EntryCosts costsOf(const Bundle &bundle, const fb::EntryPoint &entry) {
  Counter counter(bundle);
  forEachStep(*entry.schedules()->Get(0),
              [&](const fb::Step &step) { counter.add(entry, actionOf(step)); });
  return counter.finish();
}

std::string costsText(const EntryCosts &costs) {
  std::vector<std::string> read;
  if (costs.constants)
    read.push_back(fmt::format("{} of constants", bytesText(costs.constants)));
  if (costs.states)
    read.push_back(fmt::format("{} of states", bytesText(costs.states)));
  if (costs.cachesPerPosition)
    read.push_back(
        fmt::format("{} of caches for each position in use", bytesText(costs.cachesPerPosition)));
  std::string line;
  for (size_t i = 0; i < read.size(); ++i)
    line += (i == 0 ? "reads " : i + 1 < read.size() ? ", " : " and ") + read[i];
  line += fmt::format("{}computes {} operation{}", line.empty() ? "" : "; ", costs.operations,
                      plural(costs.operations));
  if (costs.operationsPerPosition)
    line += fmt::format(" and {} for each position in use", costs.operationsPerPosition);
  if (costs.notCounted)
    line += fmt::format(", {} dispatch{} not counted", costs.notCounted,
                        costs.notCounted == 1 ? "" : "es");
  return line;
}

} // namespace ttrun
