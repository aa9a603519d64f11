// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file around the flatbuffer (docs/bundle-format.md): header, alignment, hashes, address map.
// Shared by the compiler's writer and the runtime's loader.

#ifndef TTRT_FORMAT_BUNDLE_FORMAT_H
#define TTRT_FORMAT_BUNDLE_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace ttrt {

inline constexpr uint8_t kFileMagic[8] = {'T', 'T', 'C', 'B', '\r', '\n', 0x1a, '\n'};
/// Readers accept exactly this version.
inline constexpr uint32_t kFormatVersion = 2;
/// Segments start at a multiple of this in the file (streams: see Segment::address), and so does
/// every mapped range of device memory.
inline constexpr uint64_t kPageSize = 4096;
/// The required feature of a bundle with host functions.
inline constexpr char kHostFunctionsFeature[] = "host-functions";
/// Programs with markers, which must be emptied before each command (program_markers.h).
inline constexpr char kProgramMarkersFeature[] = "program-markers";
/// Loops in streams (RepeatCommand): a runtime without them would execute each body once.
inline constexpr char kLoopsFeature[] = "loops";
/// A mesh of more than one device: a device of it needs a transport (transport.h).
inline constexpr char kMeshFeature[] = "mesh";

/// Mesh.shards of a device without constants of its own.
inline constexpr uint32_t kNoShard = ~uint32_t(0);
/// Collective.sources of a device that receives nothing.
inline constexpr uint32_t kNoSource = ~uint32_t(0);
/// Devices that a mesh can have.
inline constexpr uint32_t kMaxDevices = 4096;

/// Every buffer's address and size is a multiple of this.
inline constexpr uint64_t kBufferAlignment = 64;
/// Command queues that a device can have.
inline constexpr uint32_t kMaxQueues = 2;
/// Cores, and DRAM banks, that a target can have.
inline constexpr uint32_t kMaxUnits = 65536;
/// Bytes of DRAM, and of all L1s together, that a target can have: half of a process's address
/// space.
inline constexpr uint64_t kMaxDeviceBytes = uint64_t(1) << 46;
/// Segments are hashed in pieces of this size, so that several threads can share the work.
inline constexpr uint64_t kHashChunk = 1024 * 1024;

/// Little-endian, at offset 0 of the file.
struct FileHeader {
  uint8_t magic[8];
  uint32_t version;
  uint32_t headerSize; ///< sizeof(FileHeader)
  uint64_t fileSize;
  uint64_t metadataOffset; ///< of the flatbuffer, 64-byte aligned
  uint64_t metadataSize;
  uint64_t metadataHash; ///< hashBytes() of the flatbuffer
  uint64_t reserved;     ///< zero
  uint64_t headerHash;   ///< hashBytes() of the 56 bytes before
};
static_assert(sizeof(FileHeader) == 64);

inline constexpr uint8_t kFactsMagic[8] = {'T', 'T', 'C', 'F', 'A', 'C', 'T', 'S'};

/// The last bytes of the code segment. The shared object comes first; then, at a multiple of 8, the
/// flatbuffer with the facts (fb::Facts), which ends where the trailer begins.
struct FactsTrailer {
  uint64_t size; ///< of the flatbuffer, a multiple of 8
  uint8_t magic[8];
};
static_assert(sizeof(FactsTrailer) == 16);

constexpr uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The device's flat address range: all DRAM banks, then each core's L1, then host staging memory,
/// then the L1s once more, interleaved. On a chip, both views of L1 are the same memory: counted in
/// units of `kBufferAlignment` bytes, unit u of core k is unit u * cores + k of the other view.
/// This runtime stores the two views separately. The results are the same, because each buffer is
/// accessed in one view only, and the proof treats both views as one memory.
struct AddressMap {
  uint64_t dramBytes = 0; ///< banks x bytes of a bank
  uint64_t l1Bytes = 0;   ///< of one core
  uint64_t cores = 0;
  uint64_t hostBytes = 0;

  constexpr uint64_t l1Address(uint64_t core) const { return dramBytes + core * l1Bytes; }
  constexpr uint64_t hostAddress() const { return l1Address(cores); }
  constexpr uint64_t interleavedAddress() const { return hostAddress() + hostBytes; }
  constexpr uint64_t size() const { return l1Address(cores) + hostBytes + cores * l1Bytes; }

  /// Whether the address is in some core's L1, not interleaved.
  constexpr bool isInCore(uint64_t address) const {
    return address >= dramBytes && address < hostAddress();
  }
  /// Where buffers are planned, L1 is one core's: the address of the same offset in core 0, from
  /// either view of L1; any other address itself.
  constexpr uint64_t plannedAddress(uint64_t address) const {
    if (address >= interleavedAddress())
      return dramBytes + (address - interleavedAddress()) / cores;
    return isInCore(address) ? dramBytes + (address - dramBytes) % l1Bytes : address;
  }
};

/// XXH3, 64 bits, seed 0.
uint64_t hashBytes(const void *data, size_t size);

/// hashBytes() over the hashes of the segment's chunks (kHashChunk bytes each, the last one may be
/// shorter) as little-endian 64-bit numbers in order. An empty segment has no chunks.
uint64_t hashSegment(const void *data, size_t size);

} // namespace ttrt

#endif // TTRT_FORMAT_BUNDLE_FORMAT_H
