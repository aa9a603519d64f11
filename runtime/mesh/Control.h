// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the devices of a mesh share: who is there, how far each one is, small messages, and whether
// the mesh has failed. It is at the beginning of the shared memory, and all zero at first; a board
// of each device follows, then each device's DRAM. Several processes map it, so it has no pointers
// except `base` and `board`, which only threads use.

#ifndef TTRT_MESH_CONTROL_H
#define TTRT_MESH_CONTROL_H

#include "ttrt/format/bundle_format.h"

#include <atomic>
#include <cstdint>

namespace ttrt::mesh {

/// The version of the layout below, and of the moves that devices make.
inline constexpr uint32_t kControlVersion = 2;
/// Bytes of a small message, which goes through a slot.
inline constexpr uint64_t kSlotBytes = 8 * 1024;
/// Slots of a device for a collective, used in turn.
inline constexpr uint32_t kSlots = 2;
inline constexpr uint64_t kMessageBytes = 900;

struct Header {
  std::atomic<uint32_t> version; ///< 0 until the first device has come
  std::atomic<uint32_t> devices;
  /// Of `message`: nothing, someone writes, written.
  enum : uint32_t { kGood = 0, kFailing, kFailed };
  alignas(64) std::atomic<uint32_t> failure;
  alignas(64) char message[kMessageBytes];
};

/// A device as the others see it, while they meet. Written before `arrived` is raised.
struct alignas(64) Member {
  std::atomic<uint32_t> taken; ///< a transport is open
  std::atomic<int32_t> pid;
  std::atomic<uint32_t> arrived; ///< meetings so far (a futex)
  std::atomic<uint32_t> closed;  ///< the device is closed: it takes part in nothing any more
  std::atomic<uint32_t> inside;  ///< of an exchange: reads others' memory
  uint64_t hash;
  uint64_t dramBegin, dramEnd; ///< flat addresses
  uint64_t base, board;        ///< flat address 0, and the board, in its process
  uint64_t cpus[16];           ///< that its process may use, a bit each
};

/// How far a device is with a collective. Devices execute the same exchanges of one collective, but
/// perhaps not of all: those of another stage have others between. So each collective is counted
/// for itself. The lowest bit says that a thread sleeps until the word is raised; the lower half is
/// a futex. On two cache lines, which processors fetch together.
struct alignas(128) Progress {
  std::atomic<uint64_t> word;
  uint64_t input; ///< send: its flat address; written before the word
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// Offsets in the shared memory.
struct Layout {
  explicit Layout(uint64_t devices)
      : members(kPageSize), slots(alignUp(members + devices * sizeof(Member), kPageSize)),
        boards(slots + devices * kSlots * kSlotBytes) {}

  uint64_t members;
  uint64_t slots; ///< for gather()
  uint64_t boards;
};

/// Offsets in a device's board: its progress in each collective, then slots for those that are
/// small.
struct BoardLayout {
  BoardLayout(uint64_t collectives, uint64_t small)
      : slots(alignUp(collectives * sizeof(Progress), kPageSize)),
        bytes(slots + small * kSlots * kSlotBytes) {}

  uint64_t slots, bytes;
};
static_assert(sizeof(Header) <= kPageSize && sizeof(Member) % 64 == 0);

} // namespace ttrt::mesh

#endif // TTRT_MESH_CONTROL_H
