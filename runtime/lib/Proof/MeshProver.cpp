// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the moves of a collective on all devices of a group, round by round, on symbols instead
// of bytes. Vector clocks tell which rounds of other devices have happened before a round begins,
// by the rules in collectives.h alone. So what holds here holds for any speed of the devices.
//
// All rows of a collective are treated alike, so the walk needs only columns: bytes of one row.

#include "Proof/MeshProver.h"

#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>
#include <vector>

namespace ttrt {

using collectives::Move;
using collectives::Place;
using collectives::Shape;

namespace {

/// What some columns hold: the sum of the same columns, `shift` further on, of some inputs.
struct Value {
  uint64_t devices = 0; ///< sum of marks: of which inputs, each as often as it is added
  uint64_t order = 0;   ///< digest of the expression: in which order they are added
  uint64_t shift = 0;   ///< modulo 2^64
  uint32_t terms = 0;   ///< inputs that are added; 0: nothing
  uint32_t first = 0;   ///< the first one

  bool operator==(const Value &) const = default;
};

/// Readers are lists that only grow at their begin, so cells can share them.
struct Reader {
  uint32_t device, round;
  uint32_t next; ///< kNone: this is the last one
};
constexpr uint32_t kNone = ~0u;

/// Columns [begin, end) of an operand that were written at once, and who has read them since.
struct Cell {
  uint64_t begin, end;
  Value value;
  uint32_t round;   ///< of the device that has the operand
  uint32_t readers; ///< the first one, or kNone
};

struct Columns {
  uint64_t begin, end;
};

/// A move in columns.
struct Step {
  uint32_t round, peer;
  Place from, to;
  bool reduce;
  Columns source, target;
};

/// How an operand is divided: planes of `rows` rows of `width` columns.
struct Layout {
  uint64_t width, planes;
};

constexpr const char *kPlaces[] = {"input", "output", "scratch"};

uint64_t markOf(uint32_t device) { return dataflow::mix(device + 1); }

class MoveProver {
public:
  MoveProver(const Shape &shape, uint64_t elementBytes);
  std::string prove(const MoveSource &source);

private:
  void add(uint32_t device, const Move &move);
  Columns columnsOf(Place place, uint64_t offset, const Move &move, uint64_t pitch);
  void beginRound(uint32_t round);
  void make(uint32_t device, const Step &step);
  void read(uint32_t device, const Step &step, std::vector<Cell> &found);
  void write(uint32_t device, const Step &step);
  void add(uint32_t device, const Step &step);
  void splitAt(std::vector<Cell> &cells, uint64_t column) const;
  std::vector<Cell> &cellsOf(uint32_t device, Place place) {
    return cells[place == Place::Output ? device : devices + device];
  }
  void checkOutput(uint32_t device);
  Value promised(uint32_t device, uint64_t column, uint64_t &end) const;
  std::string describe(const Value &value, uint64_t begin, uint64_t end) const;

  template <typename... Args>
  void failAt(uint32_t device, uint32_t round, Pattern<Args...> pattern, const Args &...arguments) {
    if (problem.empty())
      problem = formatText("device {} of the group, round {}: {}", device, round,
                           formatText(pattern, arguments...));
  }

  const Shape &shape;
  const uint64_t elementBytes;
  const uint32_t devices;
  const uint64_t rows; ///< that are treated alike
  const bool reduces;
  Layout layouts[3];
  uint64_t allMarks = 0;
  std::vector<std::vector<Step>> steps; ///< by device, in order
  std::vector<size_t> next;             ///< by device: the first of the steps that are left
  /// Cells of all outputs, then of all scratch, by device; by their begin.
  std::vector<std::vector<Cell>> cells;
  std::vector<Cell> values, sums; ///< what a step moves, and what it adds to
  std::vector<Reader> readers;
  /// known[d * devices + e]: how many rounds of e have happened before what d does now.
  std::vector<uint16_t> known, before;
  std::string problem;
};

} // namespace

static bool hasRows(fb::CollectiveKind kind) {
  return kind == fb::CollectiveKind::AllGather || kind == fb::CollectiveKind::ReduceScatter ||
         kind == fb::CollectiveKind::AllToAll;
}

MoveProver::MoveProver(const Shape &shape, uint64_t elementBytes)
    : shape(shape), elementBytes(elementBytes), devices(shape.devices),
      rows(hasRows(shape.kind) ? shape.rows : 1),
      reduces(shape.kind == fb::CollectiveKind::AllReduce ||
              shape.kind == fb::CollectiveKind::ReduceScatter),
      steps(devices), next(devices), cells(size_t(devices) * 2), known(size_t(devices) * devices) {
  layouts[0] = {shape.bytes / rows, 1};
  layouts[1] = {collectives::outputBytes(shape) / rows, 1};
  const uint64_t scratch = collectives::scratchBytes(shape);
  layouts[2] = {layouts[1].width, scratch ? devices - 2 : 0};
  for (uint32_t device = 0; device < devices; ++device)
    allMarks += markOf(device);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Rows of a move are either one range of columns in all rows, or all bytes of some planes. Empty
/// if they are neither.
Columns MoveProver::columnsOf(Place place, uint64_t offset, const Move &move, uint64_t pitch) {
  const auto [width, planes] = layouts[static_cast<size_t>(place)];
  const uint64_t plane = width * rows, first = plane ? offset / plane : 0;
  Columns columns{offset, offset + move.bytes};
  bool good = true;
  if (rows > 1 && move.rows == 1) {
    good = plane && offset % plane == 0 && move.bytes % plane == 0;
    columns = {first * width, (first + move.bytes / std::max<uint64_t>(plane, 1)) * width};
  } else if (rows > 1) {
    const uint64_t begin = plane ? offset % plane : 0;
    good = plane && move.rows == rows && pitch == width && begin + move.bytes <= width;
    columns = {first * width + begin, first * width + begin + move.bytes};
  }
  if (!good || columns.end > planes * width)
    return {0, 0};
  return columns;
}

void MoveProver::add(uint32_t device, const Move &move) {
  const Columns source = columnsOf(move.from, move.fromOffset, move, move.fromPitch);
  const Columns target = columnsOf(move.to, move.toOffset, move, move.toPitch);
  const uint64_t bits = move.fromOffset | move.toOffset | move.bytes |
                        (move.rows > 1 ? move.fromPitch | move.toPitch : 0);
  const bool overItself = move.peer == device && move.from == move.to &&
                          source.begin < target.end && target.begin < source.end;
  // Elements have a power of two of bytes.
  if (move.peer >= devices || move.to == Place::Input ||
      move.round < (steps[device].empty() ? 0 : steps[device].back().round) ||
      move.round >= collectives::roundsOf(shape) || source.begin >= source.end ||
      source.end - source.begin != target.end - target.begin || overItself ||
      (move.reduce && !(reduces && bits % elementBytes == 0)))
    return failAt(device, move.round,
                  "moves {} bytes from device {}; expected whole rows and elements, and ascending "
                  "rounds",
                  move.bytes, move.peer);
  steps[device].push_back({move.round, move.peer, move.from, move.to, move.reduce, source, target});
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// A device begins a round when every device that it takes from has completed the round before.
void MoveProver::beginRound(uint32_t round) {
  before = known;
  for (uint32_t device = 0; device < devices; ++device) {
    uint16_t *mine = &known[size_t(device) * devices];
    mine[device] = static_cast<uint16_t>(round);
    for (size_t i = next[device]; i < steps[device].size() && steps[device][i].round == round;
         ++i) {
      const Step &step = steps[device][i];
      if (step.peer == device)
        continue;
      const uint16_t *theirs = &before[size_t(step.peer) * devices];
      for (uint32_t other = 0; other < devices; ++other)
        mine[other] = std::max(mine[other], theirs[other]);
      mine[step.peer] = std::max(mine[step.peer], static_cast<uint16_t>(round));
    }
  }
}

/// One cell becomes two at this column.
void MoveProver::splitAt(std::vector<Cell> &cells, uint64_t column) const {
  auto at = std::partition_point(cells.begin(), cells.end(),
                                 [&](const Cell &cell) { return cell.end <= column; });
  if (at == cells.end() || at->begin >= column)
    return;
  Cell rest = *at;
  at->end = rest.begin = column;
  cells.insert(at + 1, rest);
}

/// Appends what the source's columns hold, as columns of the target.
void MoveProver::read(uint32_t device, const Step &step, std::vector<Cell> &found) {
  found.clear();
  const uint64_t distance = step.source.begin - step.target.begin;
  if (step.from == Place::Input) {
    const uint64_t mark = markOf(step.peer);
    found.push_back(
        {step.target.begin, step.target.end, {mark, mark, distance, 1, step.peer}, 0, kNone});
    return;
  }
  const char *place = kPlaces[static_cast<size_t>(step.from)];
  std::vector<Cell> &source = cellsOf(step.peer, step.from);
  splitAt(source, step.source.begin);
  splitAt(source, step.source.end);
  uint64_t next = step.source.begin;
  auto at = std::partition_point(source.begin(), source.end(),
                                 [&](const Cell &cell) { return cell.end <= next; });
  for (; at != source.end() && at->begin == next && next != step.source.end; ++at) {
    next = at->end;
    if (step.peer != device) {
      if (at->round >= step.round)
        failAt(device, step.round,
               "takes bytes {} to {} of the {} of device {}, which may still write them in its "
               "round {}",
               at->begin, at->end, place, step.peer, at->round);
      readers.push_back({device, step.round, at->readers});
      at->readers = static_cast<uint32_t>(readers.size() - 1);
    }
    found.push_back(*at);
    found.back().begin -= distance;
    found.back().end -= distance;
    found.back().value.shift += distance;
  }
  if (next != step.source.end)
    failAt(device, step.round,
           "takes bytes {} to {} of the {} of device {}, which has not written those from {} on",
           step.source.begin, step.source.end, place, step.peer, next);
}

/// Stores `values`.
void MoveProver::write(uint32_t device, const Step &step) {
  std::vector<Cell> &target = cellsOf(device, step.to);
  splitAt(target, step.target.begin);
  splitAt(target, step.target.end);
  const auto first = std::partition_point(target.begin(), target.end(), [&](const Cell &cell) {
    return cell.end <= step.target.begin;
  });
  auto last = first;
  for (; last != target.end() && last->begin < step.target.end; ++last)
    for (uint32_t i = last->readers; i != kNone; i = readers[i].next)
      if (const Reader &reader = readers[i];
          known[size_t(device) * devices + reader.device] <= reader.round)
        failAt(device, step.round,
               "overwrites bytes {} to {} of its {}, which device {} may still read in its round "
               "{}",
               last->begin, last->end, kPlaces[static_cast<size_t>(step.to)], reader.device,
               reader.round);
  for (Cell &cell : values) {
    cell.round = step.round;
    cell.readers = kNone;
  }
  target.insert(target.erase(first, last), values.begin(), values.end());
}

/// `values` become what they are added to, and they.
void MoveProver::add(uint32_t device, const Step &step) {
  read(device, {step.round, device, step.to, step.to, false, step.target, step.target}, sums);
  for (const Cell &cell : sums)
    splitAt(values, cell.begin);
  for (const Cell &cell : values)
    splitAt(sums, cell.begin);
  for (size_t i = 0; i < values.size() && problem.empty(); ++i) {
    Value &sum = values[i].value;
    const Value &to = sums[i].value;
    if (to.shift != sum.shift)
      failAt(device, step.round, "adds other elements to those at {} of its {}", values[i].begin,
             kPlaces[static_cast<size_t>(step.to)]);
    sum = {to.devices + sum.devices, dataflow::combine(to.order, sum.order), to.shift,
           to.terms + sum.terms, to.first};
  }
}

void MoveProver::make(uint32_t device, const Step &step) {
  read(device, step, values);
  if (step.reduce && problem.empty())
    add(device, step);
  if (problem.empty())
    write(device, step);
}

//===----------------------------------------------------------------------===//
// The promise
//===----------------------------------------------------------------------===//

/// What a column of a device's output must hold; the same up to column `end`.
Value MoveProver::promised(uint32_t device, uint64_t column, uint64_t &end) const {
  const uint64_t in = layouts[0].width, part = in / devices;
  auto input = [&](uint32_t from, uint64_t shift) {
    return Value{markOf(from), markOf(from), shift, 1, from};
  };
  end = layouts[1].width;
  switch (shape.kind) {
  case fb::CollectiveKind::AllReduce:
    return {allMarks, 0, 0, devices, 0};
  case fb::CollectiveKind::ReduceScatter:
    return {allMarks, 0, device * part, devices, 0};
  case fb::CollectiveKind::AllGather: {
    const auto from = static_cast<uint32_t>(column / in);
    end = (from + 1) * in;
    return input(from, 0 - from * in);
  }
  case fb::CollectiveKind::AllToAll: {
    const auto from = static_cast<uint32_t>(column / part);
    end = (from + 1) * part;
    return input(from, device * part - from * part);
  }
  case fb::CollectiveKind::Broadcast:
    return input(shape.root, 0);
  case fb::CollectiveKind::Permute:
    return shape.sources[device] == kNoSource ? Value{} : input(shape.sources[device], 0);
  }
  return {};
}

std::string MoveProver::describe(const Value &value, uint64_t begin, uint64_t end) const {
  if (value.terms == 0)
    return "nothing";
  const std::string range = formatText("bytes {} to {} of", begin + value.shift, end + value.shift);
  if (value.terms == 1)
    return formatText("{} the input of device {}", range, value.first);
  return formatText("{} the sum of {} inputs{}", range, value.terms,
                    value.devices == allMarks ? ", of each device" : "");
}

/// The output holds what the kind promises, and copies of a sum are sums in the same order.
void MoveProver::checkOutput(uint32_t device) {
  const uint32_t last = collectives::roundsOf(shape) - 1;
  const std::vector<Cell> &cells = cellsOf(device, Place::Output);
  const uint64_t width = layouts[1].width;
  const bool copies = shape.kind == fb::CollectiveKind::AllReduce;
  size_t i = 0, twin = 0;
  for (uint64_t column = 0, end; column < width && problem.empty(); column = end) {
    const Value wanted = promised(device, column, end);
    while (i < cells.size() && cells[i].end <= column)
      ++i;
    Value found;
    if (i < cells.size() && cells[i].begin <= column) {
      found = cells[i].value;
      end = std::min(end, cells[i].end);
    } else if (i < cells.size()) {
      end = std::min(end, cells[i].begin);
    }
    if (found.devices != wanted.devices || found.terms != wanted.terms ||
        found.shift != wanted.shift)
      return failAt(device, last, "bytes {} to {} of the output hold {}; expected {}", column, end,
                    describe(found, column, end), describe(wanted, column, end));
    if (!copies || device == 0)
      continue;
    const std::vector<Cell> &others = cellsOf(0, Place::Output); // complete: it was checked before
    while (others[twin].end <= column)
      ++twin;
    end = std::min(end, others[twin].end);
    if (found.order != others[twin].value.order)
      return failAt(device, last,
                    "bytes {} to {} of the output are added in another order than on device 0",
                    column, end);
  }
}

std::string MoveProver::prove(const MoveSource &source) {
  struct Context {
    MoveProver &prover;
    uint32_t device;
  };
  for (uint32_t device = 0; device < devices && problem.empty(); ++device) {
    Context context{*this, device};
    source.forEachMove(
        shape, device,
        [](void *context, const Move &move) {
          auto &[prover, device] = *static_cast<Context *>(context);
          prover.add(device, move);
        },
        &context);
  }
  const uint32_t rounds = collectives::roundsOf(shape);
  for (uint32_t round = 0; round < rounds && problem.empty(); ++round) {
    beginRound(round);
    for (uint32_t device = 0; device < devices; ++device)
      for (size_t &i = next[device];
           i < steps[device].size() && steps[device][i].round == round && problem.empty(); ++i)
        make(device, steps[device][i]);
  }
  for (uint32_t device = 0; device < devices && problem.empty(); ++device)
    checkOutput(device);
  return problem;
}

std::string findMoveProblem(const Shape &shape, uint64_t elementBytes, const MoveSource &source) {
  return MoveProver(shape, elementBytes).prove(source);
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static bool haveEqualMoves(const fb::Collective &a, const fb::Collective &b) {
  const Shape x = shapeOf(a), y = shapeOf(b);
  if (x.kind != y.kind || x.algorithm != y.algorithm || x.devices != y.devices ||
      x.bytes != y.bytes || x.rows != y.rows || x.root != y.root ||
      sizeOf(a.dtype()) != sizeOf(b.dtype()) || count(a.sources()) != count(b.sources()))
    return false;
  for (uint32_t i = 0; i < count(a.sources()); ++i)
    if (a.sources()->Get(i) != b.sources()->Get(i))
      return false;
  return true;
}

void verifyCollectiveMoves(const Bundle &bundle) {
  const auto *collectives = bundle.metadata().collectives();
  std::vector<const fb::Collective *> proved;
  for (uint32_t i = 0; i < count(collectives); ++i) {
    const fb::Collective &table = *collectives->Get(i);
    if (std::any_of(proved.begin(), proved.end(),
                    [&](const fb::Collective *other) { return haveEqualMoves(table, *other); }))
      continue;
    proved.push_back(&table);
    const Shape shape = shapeOf(table);
    std::string problem =
        shape.devices > kMaxProvedDevices
            ? formatText("the group has more devices than the {} that this runtime proves",
                         kMaxProvedDevices)
            : findMoveProblem(shape, sizeOf(table.dtype()));
    if (!problem.empty())
      failBad("collective '{}' ({} by algorithm {}, {} devices, {} bytes in {} rows){}: {}",
              text(table.name()), nameOf(table.kind()), nameOf(table.algorithm()), shape.devices,
              shape.bytes, shape.rows, describeUse(bundle, i), problem);
  }
}

} // namespace ttrt
