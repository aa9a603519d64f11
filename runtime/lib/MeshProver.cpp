// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the moves of a collective on all devices of a group, round by round, on symbols instead
// of bytes. Vector clocks tell which rounds of other devices have happened before a round begins,
// by the rules in collectives.h alone. So what holds here holds for any speed of the devices.
//
// All rows of a collective are treated alike, so the walk knows columns only: bytes of one row.

#include "MeshProver.h"

#include "Format.h"
#include "MeshTables.h"
#include "ttrt/dataflow.h"

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
  std::vector<Cell> read(uint32_t device, const Step &step);
  void write(uint32_t device, const Step &step, const std::vector<Cell> &values);
  std::vector<Cell> sumOf(uint32_t device, const Step &step, const std::vector<Cell> &terms);
  void splitAt(std::vector<Cell> &cells, uint64_t column) const;
  std::vector<Cell> &cellsOf(uint32_t device, Place place) {
    return (place == Place::Output ? outputs : scratches)[device];
  }
  void checkOutput(uint32_t device);
  Value promised(uint32_t device, uint64_t column, uint64_t &end) const;
  std::string describe(const Value &value, uint64_t begin, uint64_t end) const;

  template <typename... Args>
  void failAt(uint32_t device, uint32_t round, fmt::format_string<Args...> pattern,
              Args &&...arguments) {
    if (problem.empty())
      problem = formatText("device {} of the group, round {}: {}", device, round,
                           formatArguments(pattern, fmt::make_format_args(arguments...)));
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
  std::vector<std::vector<Cell>> outputs, scratches; ///< by device, by their begin
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
      steps(devices), next(devices), outputs(devices), scratches(devices),
      known(size_t(devices) * devices) {
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

/// Rows of a move are either one range of columns in all rows, or all bytes of some planes.
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
  if (!good || columns.end > planes * width || columns.begin >= columns.end)
    problem = formatText("a move of {} rows of {} bytes, {} apart, at {} of the {}, which has {} "
                         "rows of {} bytes",
                         move.rows, move.bytes, pitch, offset, kPlaces[static_cast<size_t>(place)],
                         rows * planes, width);
  return columns;
}

void MoveProver::add(uint32_t device, const Move &move) {
  if (!problem.empty())
    return;
  const uint32_t previous = steps[device].empty() ? 0 : steps[device].back().round;
  if (move.peer >= devices || move.to == Place::Input || move.round < previous ||
      move.round >= collectives::roundsOf(shape) || move.bytes == 0)
    return failAt(device, move.round,
                  "takes {} bytes from device {} into its {}; expected a device of {}, an output "
                  "or scratch, and ascending rounds below {}",
                  move.bytes, move.peer, kPlaces[static_cast<size_t>(move.to)], devices,
                  collectives::roundsOf(shape));
  const Columns source = columnsOf(move.from, move.fromOffset, move, move.fromPitch);
  const Columns target = columnsOf(move.to, move.toOffset, move, move.toPitch);
  if (!problem.empty())
    return;
  const bool whole =
      move.fromOffset % elementBytes == 0 && move.toOffset % elementBytes == 0 &&
      move.bytes % elementBytes == 0 &&
      (move.rows == 1 || (move.fromPitch % elementBytes == 0 && move.toPitch % elementBytes == 0));
  if ((move.reduce && !(reduces && whole)) ||
      source.end - source.begin != target.end - target.begin)
    return failAt(device, move.round, "adds {} bytes at {} to those at {}; expected whole elements",
                  move.bytes, move.fromOffset, move.toOffset);
  if (move.peer == device && move.from == move.to && source.begin < target.end &&
      target.begin < source.end)
    return failAt(device, move.round, "moves {} bytes of its {} over themselves", move.bytes,
                  kPlaces[static_cast<size_t>(move.to)]);
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

/// What the source's columns hold, as columns of the target.
std::vector<Cell> MoveProver::read(uint32_t device, const Step &step) {
  const uint64_t distance = step.source.begin - step.target.begin;
  if (step.from == Place::Input)
    return {{step.target.begin,
             step.target.end,
             {markOf(step.peer), markOf(step.peer), distance, 1, step.peer},
             0,
             kNone}};
  std::vector<Cell> found;
  std::vector<Cell> &cells = cellsOf(step.peer, step.from);
  splitAt(cells, step.source.begin);
  splitAt(cells, step.source.end);
  uint64_t next = step.source.begin;
  auto at = std::partition_point(cells.begin(), cells.end(),
                                 [&](const Cell &cell) { return cell.end <= step.source.begin; });
  for (; at != cells.end() && at->begin == next && next != step.source.end; ++at) {
    Cell &cell = *at;
    next = cell.end;
    if (step.peer != device) {
      if (cell.round >= step.round)
        failAt(device, step.round,
               "takes bytes {} to {} of the {} of device {}, which may still write them in its "
               "round {}",
               cell.begin, cell.end, kPlaces[static_cast<size_t>(step.from)], step.peer,
               cell.round);
      readers.push_back({device, step.round, cell.readers});
      cell.readers = static_cast<uint32_t>(readers.size() - 1);
    }
    Value value = cell.value;
    value.shift += distance;
    found.push_back({cell.begin - distance, cell.end - distance, value, 0, kNone});
  }
  if (next != step.source.end)
    failAt(device, step.round,
           "takes bytes {} to {} of the {} of device {}, which has not written "
           "those from {} on",
           step.source.begin, step.source.end, kPlaces[static_cast<size_t>(step.from)], step.peer,
           next);
  return found;
}

void MoveProver::write(uint32_t device, const Step &step, const std::vector<Cell> &values) {
  std::vector<Cell> &cells = cellsOf(device, step.to);
  splitAt(cells, step.target.begin);
  splitAt(cells, step.target.end);
  const auto first = std::partition_point(
      cells.begin(), cells.end(), [&](const Cell &cell) { return cell.end <= step.target.begin; });
  auto last = first;
  for (; last != cells.end() && last->begin < step.target.end; ++last)
    for (uint32_t i = last->readers; i != kNone; i = readers[i].next)
      if (const Reader &reader = readers[i];
          known[size_t(device) * devices + reader.device] <= reader.round)
        failAt(device, step.round,
               "overwrites bytes {} to {} of its {}, which device {} may still read in its round "
               "{}",
               last->begin, last->end, kPlaces[static_cast<size_t>(step.to)], reader.device,
               reader.round);
  const auto at = cells.erase(first, last);
  const auto inserted = cells.insert(at, values.begin(), values.end());
  for (auto it = inserted; it != inserted + static_cast<ptrdiff_t>(values.size()); ++it)
    it->round = step.round;
}

std::vector<Cell> MoveProver::sumOf(uint32_t device, const Step &step,
                                    const std::vector<Cell> &terms) {
  const Step own{step.round, device, step.to, step.to, false, step.target, step.target};
  const std::vector<Cell> sums = read(device, own);
  std::vector<Cell> all;
  size_t i = 0, j = 0;
  for (uint64_t column = step.target.begin; column < step.target.end && problem.empty();) {
    const Value &a = sums[i].value, &b = terms[j].value;
    const uint64_t end = std::min(sums[i].end, terms[j].end);
    if (a.shift != b.shift)
      failAt(device, step.round, "adds other elements to those at {} of its {}", column,
             kPlaces[static_cast<size_t>(step.to)]);
    all.push_back({column,
                   end,
                   {a.devices + b.devices, dataflow::combine(a.order, b.order), a.shift,
                    a.terms + b.terms, a.first},
                   0,
                   kNone});
    i += sums[i].end == end;
    j += terms[j].end == end;
    column = end;
  }
  return all;
}

void MoveProver::make(uint32_t device, const Step &step) {
  std::vector<Cell> values = read(device, step);
  if (step.reduce && problem.empty())
    values = sumOf(device, step, values);
  if (problem.empty())
    write(device, step, values);
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
  const std::vector<Cell> &cells = outputs[device];
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
    const std::vector<Cell> &others = outputs[0]; // complete: it was checked before
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
