// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digests of what is computed: 64-bit numbers that stand for values. Equal digests mean, but for
// collisions, that the same programs computed the values from the same inputs, constants and state,
// whatever the addresses, the order and the schedule. The compiler writes the digests of an entry
// point to the bundle (fb::Dataflow); the loader derives them from every schedule, and compares.
//
//   value   what a command or step computes: a digest of what it is (a program, a copy, a fill with
//           its pattern, a write of an input, a read of an output) and of the contents of all that
//           it reads, in order
//   write   one operand that it writes: a digest of the value and of the operand's number
//   content what an operand reads. Its bytes may come from several writes. Content is a sum over
//           bytes, so it does not depend on how they are divided: each byte counts with its
//           position in the operand, and with its write and the distance between the operands'
//           addresses. The content of a constant is a digest of its place in the segment and of the
//           segment's hash; of a constant that each device has its own of, of digestOfShards()
//           instead of the hash. That of state is a digest of its place and of the number of the
//           access in the inference
//
// Loops. A repeat reads each range that it carries, and writes it: what an iteration finds there
// has a digest of its own. So the values of one iteration, in which that digest stands for what is
// carried, say what all of them compute. The values of a body depend on the loop: what a command
// in it is, is combined with the value of the innermost repeat around it. An end_repeat is
// digestOf(LoopEnd, value of the repeat); it reads and writes the same ranges. Range k has number
// k.
//
// docs/bundle-format.md defines each of them. The compiler and the loader compute them with the
// functions of this file.
//
// Positions and distances are those of the interleaved view of L1 for operands in both views
// (forEachSpan).

#ifndef TTRT_FORMAT_DATAFLOW_H
#define TTRT_FORMAT_DATAFLOW_H

#include "ttrt/format/bundle_format.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace ttrt::dataflow {

/// What a digest is of; the first argument of combine().
enum class Kind : uint64_t {
  Input = 1,
  Program,
  Copy,
  Fill,
  Output,
  Constant,
  Write,
  Source,
  StateRead,
  StateWrite,
  Port,
  HostFunction,
  Collective,
  Shards,
  Send,
  Receive,
  Loop,
  LoopEnd,
};

/// A bijection of 64-bit numbers in which every bit of the result depends on every bit of `x`.
[[gnu::always_inline]] constexpr uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return x;
}

constexpr uint64_t combine(uint64_t digest, uint64_t next) {
  return mix(digest * 0x9e3779b97f4a7c15u + next + 0x632be59bd9b4e019u);
}
template <typename... Rest>
constexpr uint64_t combine(uint64_t digest, uint64_t next, Rest... rest) {
  return combine(combine(digest, next), rest...);
}
/// A digest of a kind alone, which the compiler computes.
template <Kind kind> inline constexpr uint64_t kDigestOf = combine(0, static_cast<uint64_t>(kind));
template <typename... Parts> constexpr uint64_t digestOf(Kind kind, Parts... parts) {
  return combine(0, static_cast<uint64_t>(kind), static_cast<uint64_t>(parts)...);
}

/// What stands for constants that each device has its own of, where a segment's hash does for those
/// of all devices: hashOf(device) is the hash of the segment that the device maps.
template <typename HashOf> constexpr uint64_t digestOfShards(uint32_t devices, HashOf hashOf) {
  uint64_t digest = digestOf(Kind::Shards, devices);
  for (uint32_t device = 0; device < devices; ++device)
    digest = combine(digest, hashOf(device));
  return digest;
}

/// What a send or receive is: `collective` is the digest of its collective, `number` counts those
/// of the collective in one inference, from 0. A receive has the value of this digest. A send
/// computes this digest with the content of what it sends, and writes nothing.
constexpr uint64_t digestOfMessage(bool sends, uint64_t collective, uint64_t number) {
  return digestOf(sends ? Kind::Send : Kind::Receive, collective, number);
}

/// What a loop is, apart from the contents of what it carries. With a flag, `flagRange` is the
/// number of the carried range with it, and `flagOffset` its place there; else both are ~0.
constexpr uint32_t detailOfLoop(uint64_t iterations, uint64_t options, uint64_t ranges,
                                uint64_t flagRange, uint64_t flagOffset) {
  return static_cast<uint32_t>(
      mix(digestOf(Kind::Loop, iterations, options, ranges, flagRange, flagOffset)));
}
constexpr uint64_t digestOfLoop(uint32_t detail) { return digestOf(Kind::Loop, detail); }

/// The digest of an input or output: the names of its entry point and its own, its element type and
/// its shape.
constexpr uint64_t digestOfPort(std::string_view entry, std::string_view name, uint64_t dtype,
                                const int64_t *shape, size_t rank) {
  uint64_t digest = digestOf(Kind::Port, dtype, entry.size(), name.size());
  for (std::string_view text : {entry, name})
    for (char character : text)
      digest = combine(digest, static_cast<unsigned char>(character));
  for (size_t i = 0; i < rank; ++i)
    digest = combine(digest, static_cast<uint64_t>(shape[i]));
  return digest;
}

/// The digest of a port of which axis `axis` of a mesh divides dimension `dimension`, from its
/// digest without that; sizeOf(i) is the size of axis i of `axes`. Axes are added in the order of
/// the dimensions and of their lists.
template <typename SizeOf>
constexpr uint64_t digestOfDivision(uint64_t port, uint64_t dimension, uint32_t axis, uint32_t axes,
                                    SizeOf sizeOf) {
  uint64_t stride = 1; // between devices that are neighbours along the axis
  for (uint32_t i = axis + 1; i < axes; ++i)
    stride *= sizeOf(i);
  return combine(port, dimension, static_cast<uint64_t>(sizeOf(axis)), stride);
}

/// The sums of p^0, p^1 and p^2 over some byte positions p, modulo 2^64.
struct Moments {
  uint64_t count = 0, sum = 0, squares = 0;
};

/// Of [0, n).
[[gnu::always_inline]] constexpr Moments momentsBelow(uint64_t n) {
  const uint64_t pairs = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
  // n (n - 1) / 2 * (2 n - 1) / 3. Modulo 2^64, where 3 has an inverse, that division is a product.
  constexpr uint64_t third = 0xaaaaaaaaaaaaaaab;
  static_assert(third * 3 == 1);
  return {n, pairs, pairs * (n * 2 - 1) * third};
}

/// The moments of the positions of `rows` rows: row k is [first + k * pitch, first + k * pitch +
/// bytes).
[[gnu::always_inline]] constexpr Moments momentsOf(uint64_t first, uint64_t bytes, uint64_t rows,
                                                   uint64_t pitch) {
  const Moments column = momentsBelow(bytes);
  const Moments row = rows == 1 ? Moments{1, 0, 0} : momentsBelow(rows);
  // p = first + k * pitch + c
  const uint64_t count = rows * bytes;
  const uint64_t offsets = pitch * row.sum * bytes + rows * column.sum; // sum of k * pitch + c
  const uint64_t offsetSquares = pitch * pitch * row.squares * bytes +
                                 2 * pitch * row.sum * column.sum + rows * column.squares;
  return {count, first * count + offsets,
          first * first * count + 2 * first * offsets + offsetSquares};
}

/// What some bytes of an operand contribute to its content: `write` is the digest of the write that
/// stored them, `distance` the address of the written operand minus that of the one that is read,
/// and `at` the moments of their positions in the latter.
[[gnu::always_inline]] constexpr uint64_t contribution(uint64_t write, uint64_t distance,
                                                       const Moments &at) {
  const uint64_t source = combine(kDigestOf<Kind::Source>, write, distance);
  return source * at.count + mix(source) * at.sum + mix(source + 1) * at.squares;
}

/// Rows of bytes in the device's flat addresses: row k is [address + k * pitch, ... + row).
struct Rows {
  uint64_t address;
  uint64_t bytes; ///< from the first row to the end of the last
  uint64_t row;   ///< `bytes` if there is one row
  uint64_t pitch;
  uint64_t phase; ///< rows of the whole tensor begin at addresses that equal this modulo pitch
};

/// Calls function(const Rows &) for the bytes of an operand, in order, with L1 as one memory: bytes
/// in the cores' own views are mapped to the interleaved view. Units of kBufferAlignment bytes at
/// the same offset of neighbouring cores are adjacent there, so shards and scratch become rows. An
/// incomplete unit at either end makes rows of its own.
template <typename Function>
void forEachSpan(const AddressMap &map, const Rows &operand, Function function) {
  if (!map.isInCore(operand.address))
    return function(operand);
  constexpr uint64_t unit = kBufferAlignment;
  const uint64_t inCore = operand.pitch == map.l1Bytes ? operand.row : operand.bytes;
  const uint64_t pitch = unit * map.cores;
  const uint64_t shards = (operand.bytes - inCore) / map.l1Bytes + 1;
  const uint64_t core = (operand.address - map.dramBytes) / map.l1Bytes;
  uint64_t begin = (operand.address - map.dramBytes) % map.l1Bytes;
  for (const uint64_t end = begin + inCore; begin < end;) {
    const uint64_t left = end - begin, lead = begin % unit;
    const uint64_t first = map.interleavedAddress() + begin / unit * pitch + core * unit + lead;
    uint64_t bytes = left / unit * unit;
    if (lead || !bytes) {
      bytes = std::min(left, unit - lead);
      function(Rows{first, (shards - 1) * unit + bytes, bytes, unit, first});
    } else {
      const uint64_t row = unit * shards, all = (bytes / unit - 1) * pitch + row;
      function(Rows{first, all, row < pitch ? row : all, pitch, first - core * unit});
    }
    begin += bytes;
  }
}

/// The address of the first of these bytes.
constexpr uint64_t mappedAddress(const AddressMap &map, uint64_t address) {
  if (!map.isInCore(address))
    return address;
  constexpr uint64_t unit = kBufferAlignment;
  const uint64_t core = (address - map.dramBytes) / map.l1Bytes;
  const uint64_t offset = (address - map.dramBytes) % map.l1Bytes;
  return map.interleavedAddress() + offset / unit * unit * map.cores + core * unit + offset % unit;
}

} // namespace ttrt::dataflow

#endif // TTRT_FORMAT_DATAFLOW_H
