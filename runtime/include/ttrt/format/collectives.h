// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the devices of a group do in a collective: the moves of bytes of each algorithm
// (docs/mesh.md). The compiler chooses the algorithm; transports make the moves; the loader checks
// that they give what the collective promises. All call forEachMove(), so there is one definition
// of the order of sums, and the same bits on every transport.
//
// Moves are made in rounds. A move of round k reads what the peer has after its own rounds below k:
//
//   - a device begins round k when every peer that it takes from in round k has completed round
//     k - 1 (for round 0: has begun the exchange);
//   - an exchange is complete on a device when its last round is, and when every peer that takes
//     from it has made those moves.
//
// Within a round, a device makes its moves in order. Header only; nothing here allocates or throws.

#ifndef TTRT_FORMAT_COLLECTIVES_H
#define TTRT_FORMAT_COLLECTIVES_H

#include "ttrt/format/bundle_format.h"
#include "ttrt/ttc_bundle_generated.h"

#include <cstdint>

namespace ttrt::collectives {

/// An operand of a collective; also its index in Collective.operands.
enum class Place : uint8_t { Input = 0, Output, Scratch };

/// Rows of bytes that a device copies or combines into its own memory.
struct Move {
  uint32_t round;
  uint32_t peer; ///< index in the group of the device that has the source; may be the device itself
  Place from, to;
  bool reduce;                   ///< `to` becomes `to` (+) `from`, by elements; otherwise a copy
  uint64_t fromOffset, toOffset; ///< in bytes, in the operands
  uint64_t bytes;                ///< of one row
  uint64_t rows;                 ///< at least 1
  uint64_t fromPitch, toPitch;   ///< bytes between the beginnings of rows
};

/// What the moves depend on.
struct Shape {
  fb::CollectiveKind kind;
  fb::CollectiveAlgorithm algorithm;
  uint32_t devices;        ///< of the group
  uint64_t bytes;          ///< of the input; of the output if a device only receives
  uint64_t rows;           ///< that divide the bytes (Collective.rows)
  uint32_t root;           ///< Broadcast: index in the group
  const uint32_t *sources; ///< Permute: by index in the group
};

/// Up to this size, every device of a direct all_reduce sums the whole tensor: reading more costs
/// less than another round.
inline constexpr uint64_t kOneRoundBytes = 8 * 1024;
/// Chunks of sums begin at multiples of this.
inline constexpr uint64_t kChunkAlignment = 64;

constexpr bool isPowerOfTwo(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// Whether the algorithm is defined for the kind and the number of devices.
constexpr bool isDefined(fb::CollectiveKind kind, fb::CollectiveAlgorithm algorithm,
                         uint32_t devices) {
  switch (algorithm) {
  case fb::CollectiveAlgorithm::Direct:
    return true;
  case fb::CollectiveAlgorithm::Ring:
    return kind == fb::CollectiveKind::AllReduce || kind == fb::CollectiveKind::AllGather ||
           kind == fb::CollectiveKind::ReduceScatter;
  case fb::CollectiveAlgorithm::Halving:
    return (kind == fb::CollectiveKind::AllReduce || kind == fb::CollectiveKind::AllGather) &&
           isPowerOfTwo(devices);
  }
  return false;
}

/// Bytes of the output.
constexpr uint64_t outputBytes(const Shape &shape) {
  switch (shape.kind) {
  case fb::CollectiveKind::AllGather:
    return shape.bytes * shape.devices;
  case fb::CollectiveKind::ReduceScatter:
    return shape.bytes / shape.devices;
  default:
    return shape.bytes;
  }
}

/// Bytes of scratch; 0: the collective has no such operand.
constexpr uint64_t scratchBytes(const Shape &shape) {
  return shape.kind == fb::CollectiveKind::ReduceScatter &&
                 shape.algorithm == fb::CollectiveAlgorithm::Ring && shape.devices > 2
             ? (shape.devices - 2) * (shape.bytes / shape.devices)
             : 0;
}

/// Where chunk `chunk` of a sum begins; `chunk == devices` gives the end.
constexpr uint64_t chunkBegin(const Shape &shape, uint64_t chunk) {
  if (chunk >= shape.devices)
    return shape.bytes;
  const uint64_t units = shape.bytes / kChunkAlignment;
  return units * chunk / shape.devices * kChunkAlignment;
}

/// The number of rounds; at least 1.
constexpr uint32_t roundsOf(const Shape &shape) {
  const uint32_t devices = shape.devices;
  if (devices <= 1)
    return 1;
  const bool reduces = shape.kind == fb::CollectiveKind::AllReduce;
  switch (shape.algorithm) {
  case fb::CollectiveAlgorithm::Direct:
    return reduces && shape.bytes > kOneRoundBytes ? 2 : 1;
  case fb::CollectiveAlgorithm::Ring:
    return (devices - 1) * (reduces ? 2 : 1);
  case fb::CollectiveAlgorithm::Halving: {
    uint32_t steps = 0;
    while ((uint32_t(1) << steps) < devices)
      ++steps;
    return steps * (reduces ? 2 : 1);
  }
  }
  return 1;
}

namespace detail {

/// Makes the moves of one device.
template <typename Function> class Mover {
public:
  Mover(const Shape &shape, uint32_t self, Function &function)
      : shape(shape), devices(shape.devices), self(self), function(function) {}

  void run() {
    switch (shape.kind) {
    case fb::CollectiveKind::AllReduce:
      return allReduce();
    case fb::CollectiveKind::AllGather:
      return allGather();
    case fb::CollectiveKind::ReduceScatter:
      return reduceScatter();
    case fb::CollectiveKind::AllToAll:
      for (uint32_t i = 0; i < devices; ++i)
        part(0, i, self, i, /*ofInput=*/true);
      return;
    case fb::CollectiveKind::Broadcast:
      return range(0, shape.root, Place::Input, 0, shape.bytes, false);
    case fb::CollectiveKind::Permute:
      if (shape.sources[self] != kNoSource)
        range(0, shape.sources[self], Place::Input, 0, shape.bytes, false);
      return;
    }
  }

private:
  /// Bytes [begin, end) of an operand to the same bytes of the output.
  void range(uint32_t round, uint32_t peer, Place from, uint64_t begin, uint64_t end, bool reduce) {
    if (begin < end)
      function(Move{round, peer, from, Place::Output, reduce, begin, begin, end - begin, 1,
                    end - begin, end - begin});
  }
  void chunk(uint32_t round, uint32_t peer, Place from, uint32_t index, bool reduce) {
    range(round, peer, from, chunkBegin(shape, index), chunkBegin(shape, index + 1), reduce);
  }
  /// Part `from` of each row of the peer's input, or the whole row, to part `to` of each row of the
  /// output.
  void part(uint32_t round, uint32_t peer, uint32_t from, uint32_t to, bool ofInput) {
    const uint64_t row = shape.bytes / shape.rows, bytes = ofInput ? row / devices : row;
    const uint64_t toRow = bytes * devices;
    function(Move{round, peer, Place::Input, Place::Output, false, ofInput ? from * bytes : 0,
                  to * bytes, bytes, shape.rows, row, toRow});
  }
  uint32_t ring(uint64_t index) const { return static_cast<uint32_t>(index % devices); }
  uint32_t left() const { return ring(self + devices - 1); }

  void allReduce() {
    if (devices == 1)
      return range(0, 0, Place::Input, 0, shape.bytes, false);
    switch (shape.algorithm) {
    case fb::CollectiveAlgorithm::Direct:
      if (shape.bytes <= kOneRoundBytes) {
        for (uint32_t i = 0; i < devices; ++i)
          range(0, i, Place::Input, 0, shape.bytes, i > 0);
        return;
      }
      for (uint32_t i = 0; i < devices; ++i)
        chunk(0, i, Place::Input, self, i > 0);
      for (uint32_t i = 1; i < devices; ++i)
        chunk(1, ring(self + i), Place::Output, ring(self + i), false);
      return;
    case fb::CollectiveAlgorithm::Ring:
      for (uint32_t k = 0; k + 1 < devices; ++k) {
        const uint32_t index = ring(self + 2 * uint64_t(devices) - k - 1);
        chunk(k, left(), k == 0 ? Place::Input : Place::Output, index, false);
        chunk(k, self, Place::Input, index, true);
      }
      for (uint32_t k = 0; k + 1 < devices; ++k)
        chunk(devices - 1 + k, left(), Place::Output, ring(self + uint64_t(devices) - k), false);
      return;
    case fb::CollectiveAlgorithm::Halving:
      return halve();
    }
  }

  /// Chunks [begin, end) of a sum.
  void chunks(uint32_t round, uint32_t peer, Place from, uint32_t begin, uint32_t end,
              bool reduce) {
    range(round, peer, from, chunkBegin(shape, begin), chunkBegin(shape, end), reduce);
  }

  /// Each round halves the chunks that a device sums; then each round doubles those that it has.
  void halve() {
    uint32_t round = 0;
    for (uint32_t distance = devices / 2; distance > 0; distance /= 2, ++round) {
      const uint32_t begin = self / distance * distance, end = begin + distance;
      const Place from = round == 0 ? Place::Input : Place::Output;
      if (round == 0)
        chunks(round, self, from, begin, end, false);
      chunks(round, self ^ distance, from, begin, end, true);
    }
    for (uint32_t distance = 1; distance < devices; distance *= 2, ++round) {
      const uint32_t peer = self ^ distance, begin = peer / distance * distance;
      chunks(round, peer, Place::Output, begin, begin + distance, false);
    }
  }

  /// Part `index` of the output from the same part of the peer's.
  void outputPart(uint32_t round, uint32_t peer, uint32_t index, uint32_t parts) {
    const uint64_t row = shape.bytes / shape.rows, whole = row * devices;
    function(Move{round, peer, Place::Output, Place::Output, false, index * row, index * row,
                  parts * row, shape.rows, whole, whole});
  }

  void allGather() {
    switch (shape.algorithm) {
    case fb::CollectiveAlgorithm::Direct:
      for (uint32_t i = 0; i < devices; ++i)
        part(0, i, 0, i, /*ofInput=*/false);
      return;
    case fb::CollectiveAlgorithm::Ring:
      part(0, self, 0, self, /*ofInput=*/false);
      for (uint32_t k = 0; k + 1 < devices; ++k) {
        const uint32_t index = ring(self + uint64_t(devices) - k - 1);
        if (k == 0)
          part(0, left(), 0, index, /*ofInput=*/false);
        else
          outputPart(k, left(), index, 1);
      }
      return;
    case fb::CollectiveAlgorithm::Halving: {
      part(0, self, 0, self, /*ofInput=*/false);
      uint32_t round = 0;
      for (uint32_t distance = 1; distance < devices; distance *= 2, ++round) {
        const uint32_t peer = self ^ distance;
        if (round == 0)
          part(0, peer, 0, peer, /*ofInput=*/false);
        else
          outputPart(round, peer, peer / distance * distance, distance);
      }
      return;
    }
    }
  }

  void reduceScatter() {
    const uint64_t bytes = shape.bytes / shape.rows / devices, row = bytes * devices;
    const uint64_t whole = bytes * shape.rows;
    // Part `index` of every row of an input, contiguous in the result.
    auto input = [&](uint32_t round, uint32_t peer, uint32_t index, Place to, uint64_t toOffset,
                     bool reduce) {
      function(Move{round, peer, Place::Input, to, reduce, index * bytes, toOffset, bytes,
                    shape.rows, row, bytes});
    };
    if (shape.algorithm == fb::CollectiveAlgorithm::Direct || devices == 1) {
      for (uint32_t i = 0; i < devices; ++i)
        input(0, i, self, Place::Output, 0, i > 0);
      return;
    }
    // The sum of part p begins with device p + 1 and travels around the ring to p. Each round has
    // its own scratch, because the neighbour may still read that of the round before.
    for (uint32_t k = 0; k + 1 < devices; ++k) {
      const uint32_t index = ring(self + uint64_t(devices) - 2 - k);
      const bool last = k + 2 == devices;
      const Place to = last ? Place::Output : Place::Scratch;
      const uint64_t at = last ? 0 : k * whole;
      if (k == 0)
        input(k, left(), index, to, at, false);
      else
        function(Move{k, left(), Place::Scratch, to, false, (k - 1) * whole, at, whole, 1, whole,
                      whole});
      input(k, self, index, to, at, true);
    }
  }

  const Shape &shape;
  const uint32_t devices, self;
  Function &function;
};

} // namespace detail

/// Calls function(const Move &) for the moves of the group's device `self`, round by round. The
/// shape is of a defined algorithm (isDefined()), and its rows and parts divide the bytes.
template <typename Function>
void forEachMove(const Shape &shape, uint32_t self, Function function) {
  detail::Mover<Function>(shape, self, function).run();
}

} // namespace ttrt::collectives

#endif // TTRT_FORMAT_COLLECTIVES_H
