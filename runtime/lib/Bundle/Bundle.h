// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An open bundle: the mapped file, its metadata, its decoded plan, and what was proved about it.

#ifndef TTRT_LIB_BUNDLE_BUNDLE_H
#define TTRT_LIB_BUNDLE_BUNDLE_H

#include "Bundle/HostFunction.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"
#include "ttrt/ttrt.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ttrt {

template <typename T> uint32_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// "" if it is absent. Not inlined: it stands in hundreds of messages.
[[gnu::noinline]] inline const char *text(const flatbuffers::String *string) {
  return string ? string->c_str() : "";
}

/// A part of the file. Absent: size 0.
struct SegmentView {
  const uint8_t *data = nullptr;
  uint64_t offset = 0; ///< in the file
  uint64_t size = 0;
  uint64_t address = 0; ///< flat device address
  /// What the bytes hashed to when the bundle was opened; none if they were not hashed.
  std::optional<uint64_t> hash{};
};

inline bool isInterleavedInL1(const fb::Buffer &buffer) {
  return buffer.space() == fb::MemorySpace::L1 && buffer.kind() != fb::BufferKind::Scratch &&
         buffer.shards() == 0;
}

/// Shards in DRAM have the addresses of a tensor without.
inline bool isShardedInL1(const fb::Buffer &buffer) {
  return buffer.space() == fb::MemorySpace::L1 && buffer.shards() != 0;
}

/// Owns a file descriptor and a read-only mapping of the whole file.
class MappedFile {
public:
  static constexpr int kNone = -2;
  /// Opens the file at `path` or, unless it is kNone, duplicates `descriptor`.
  explicit MappedFile(const char *path, int descriptor = kNone);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  int descriptor() const { return descriptor_; }
  const uint8_t *data() const { return data_; }
  uint64_t size() const { return size_; }
  /// As it was opened, or the name that the caller gave.
  const std::string &path() const { return path_; }

private:
  const std::string path_;
  int descriptor_ = -1;
  const uint8_t *data_ = nullptr;
  uint64_t size_ = 0;
};

struct PlacedPlan;

class OrderProofs;

/// What verifyMemory() and OrderProofs have looked at.
struct Proof {
  uint64_t schedules = 0;
  uint64_t steps = 0;      ///< of these
  uint64_t commands = 0;   ///< of all traces
  uint64_t iterations = 0; ///< of a body, until a fixpoint is reached; the most of all schedules
  uint64_t accesses = 0;   ///< by commands and steps, in all iterations
  uint64_t pairs = 0;      ///< of accesses to the same bytes
  uint64_t nanoseconds = 0;
};

/// A bundle that passed verification. What it contains is immutable; what is proved of it grows.
/// All functions are thread-safe.
class Bundle {
public:
  /// Throws Error.
  Bundle(const char *path, ttrt_verify verify, int descriptor = MappedFile::kNone);
  ~Bundle();

  const fb::Bundle &metadata() const { return *metadata_; }
  /// The flatbuffer in the file, and its hash.
  const uint8_t *metadataBegin() const { return file_.data() + header_.metadataOffset; }
  uint64_t metadataBytes() const { return header_.metadataSize; }
  uint64_t metadataHash() const { return header_.metadataHash; }
  const SegmentView &segment(fb::SegmentKind kind) const {
    return segments_[static_cast<size_t>(kind)];
  }
  /// The constants with shard `shard` (Mesh.shards); absent if there are none.
  const SegmentView &shard(uint32_t shard) const {
    static constexpr SegmentView kNone;
    return shard < shards_.size() ? shards_[shard] : kNone;
  }
  uint32_t shards() const { return static_cast<uint32_t>(shards_.size()); }
  /// The segment of the constants that only a device of a mesh has; absent if there are none.
  const SegmentView &shardOf(uint32_t device) const {
    const fb::Mesh *mesh = metadata_->mesh();
    const bool hasShard = mesh && device < count(mesh->shards());
    return shard(hasShard ? mesh->shards()->Get(device) : ~uint32_t(0));
  }
  const AddressMap &addresses() const { return addresses_; }
  const MappedFile &file() const { return file_; }
  /// Proves a schedule, unless that was done or left out. What ttrt_run() executes was proved when
  /// the bundle was opened; whoever wants to execute another one must ask first. Returns whether it
  /// may start again while its own epilogue is under way. Throws Error.
  bool prove(uint32_t entry, uint32_t schedule) const;
  /// Proves all schedules, or those that say what an entry point computes and those of ttrt_run().
  /// Returns what was looked at in all proofs; all zero if they were left out.
  Proof prove(bool all = true) const;
  /// The commands and steps, decoded once: for the proof or, where that was left out, by the first
  /// call. Throws Error then if the plan in space is wrong. Lives as long as the bundle.
  const PlacedPlan &plan() const;

  /// The programs that host functions compute, in the order of the table.
  const std::vector<HostFunction> &hostFunctions() const { return hostFunctions_; }

  /// The first command of a trace, in the mapped file.
  const uint8_t *stream(uint32_t trace) const;
  /// The flat address of a buffer; of a sharded one, in core 0.
  uint64_t address(const fb::Buffer &buffer) const;
  /// The number of consecutive bytes there; of a sharded buffer, those of one shard.
  uint64_t bytes(const fb::Buffer &buffer) const {
    return isInterleavedInL1(buffer) ? buffer.size() * addresses_.cores : buffer.size();
  }
  /// The name of a source op; "" if unknown.
  const char *location(uint32_t index) const;

private:
  void readHeader();
  void readMetadata();
  void readSegments(ttrt_verify verify);
  SegmentView &viewOf(const fb::Segment &segment);
  void readTarget();

  MappedFile file_;
  FileHeader header_;
  const fb::Bundle *metadata_ = nullptr;
  SegmentView segments_[3];
  std::vector<SegmentView> shards_; ///< of constants, by shard
  AddressMap addresses_;
  mutable std::mutex planMutex_; ///< of the next two
  mutable std::unique_ptr<const PlacedPlan> plan_;
  mutable std::unique_ptr<OrderProofs> proofs_; ///< none if they are left out
  std::vector<HostFunction> hostFunctions_;
};

/// Bytes of one element.
size_t sizeOf(fb::DType dtype);
/// Bytes of a dense tensor. Does not overflow for a port that verifyTables() has checked.
uint64_t sizeOf(const fb::Port &port);
/// The number of a port's slots, and the buffer of one of them.
inline uint32_t slotsOf(const fb::Port &port) { return 1 + count(port.ring()); }
inline uint32_t slotOf(const fb::Port &port, uint32_t slot) {
  return slot == 0 ? port.buffer() : port.ring()->Get(slot - 1);
}

} // namespace ttrt

/// The handle of the C API.
struct ttrt_bundle {
  std::shared_ptr<const ttrt::Bundle> bundle;
};

#endif // TTRT_LIB_BUNDLE_BUNDLE_H
