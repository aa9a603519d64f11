// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links slower than memory, for tests and benchmarks: with TTRT_EMULATE_LINKS=1, what processes of
// a host take from each other arrives when the links of the bundle's mesh would bring it
// (docs/mesh.md). A message takes the shortest way, axis by axis. A link carries the bytes of one
// message after another; a message is there when the last of its links has carried it, and the
// latency of each link has passed.

#ifndef TTRT_MESH_SLOWLINKS_H
#define TTRT_MESH_SLOWLINKS_H

#include "Peers.h"
#include "ttrt/ttc_bundle_generated.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ttrt::mesh {

class SlowLinks {
public:
  /// Bytes of shared memory for the links; 0 unless the environment asks for them.
  static uint64_t bytesFor(uint32_t devices);
  /// Null unless the environment asks for it. The links' memory begins at `end`. Throws Error.
  static std::unique_ptr<SlowLinks> create(const fb::Bundle &bundle, Peers &peers, int descriptor,
                                           uint64_t end);
  SlowLinks(const fb::Bundle &bundle, Peers &peers, int descriptor, uint64_t end);

  /// Before a round of a collective, in which this device takes from `peers`: what each of them has
  /// for it leaves as soon as isReady(peer). Returns when all has left, or so late that the caller
  /// should look whether they live.
  template <typename IsReady>
  void depart(size_t collective, uint32_t round, const uint32_t *peers, uint32_t count,
              IsReady isReady) noexcept {
    std::fill(hasLeft_.begin(), hasLeft_.end(), false);
    uint32_t left = 0;
    for (int look = 0; left < count && look < kLooks && !peers_.hasFailed(); ++look) {
      if (look > 0)
        pause();
      for (uint32_t i = 0; i < count; ++i)
        if (!hasLeft_[peers[i]] && isReady(peers[i])) {
          hasLeft_[peers[i]] = true;
          ++left;
          send(collective, round, peers[i]);
        }
    }
  }
  /// Returns when all that has left is here, or when the mesh has failed.
  void arrive() noexcept;

private:
  struct Message {
    uint32_t round, device;
    uint64_t bytes;
  };
  struct Hop {
    uint64_t link;
    double secondsPerByte;
  };
  struct Way {
    std::vector<Hop> hops;
    uint64_t latencyNs = 0;
  };
  static constexpr int kLooks = 10000; ///< for about a second
  static void pause() noexcept;
  void send(size_t collective, uint32_t round, uint32_t peer) noexcept;
  void addMessages(const fb::Collective &collective);
  Way findWay(const fb::Mesh &mesh, uint32_t from) const;

  Peers &peers_;
  std::unique_ptr<Mapping> memory_; ///< until when each link is busy, in ns of the steady clock
  std::vector<std::vector<Message>> messages_; ///< by collective
  std::vector<Way> ways_;                      ///< by the device that they come from
  std::vector<bool> hasLeft_;                  ///< by device
  uint64_t arrival_ = 0;
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_SLOWLINKS_H
