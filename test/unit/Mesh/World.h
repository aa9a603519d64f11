// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes without a compiler: collectives, the tables with them, a device's memory, and what each
// collective has to compute, element by element.

#ifndef TTC_TEST_UNIT_MESH_WORLD_H
#define TTC_TEST_UNIT_MESH_WORLD_H

#include "ttrt/mesh.h"
#include "ttrt/ttc_bundle_generated.h"

#include <functional>
#include <string>
#include <vector>

namespace ttrt::test {

/// A collective, and where its operands are.
struct Case {
  fb::CollectiveKind kind = fb::CollectiveKind::AllReduce;
  fb::CollectiveAlgorithm algorithm = fb::CollectiveAlgorithm::Direct;
  fb::Reduction reduction = fb::Reduction::Sum;
  fb::DType dtype = fb::DType::F32;
  std::vector<std::vector<uint32_t>> groups;
  uint64_t bytes = 0; ///< of the input
  uint64_t rows = 1;
  uint32_t root = 0;
  std::vector<uint32_t> sources;
  uint64_t operands[3] = {};

  uint64_t outputBytes() const;
  uint64_t scratchBytes() const;
  std::string name() const;
};

/// All groups of `size` devices that follow each other, or that are `count / size` apart.
std::vector<std::vector<uint32_t>> groupsOf(uint32_t devices, uint32_t size, bool strided);

class World {
public:
  World(uint32_t devices, std::vector<Case> cases);

  const uint32_t devices;
  std::vector<Case> cases;
  std::vector<uint8_t> tables;
  uint64_t dramBytes = 0;

  /// Small whole numbers, of which sums are exact in every order; or, if `exact` is false, any.
  std::vector<uint8_t> input(const Case &one, uint32_t device, uint64_t iteration,
                             bool exact = true) const;
  /// What the output of a device must be; empty if it gets none.
  std::vector<uint8_t> expected(const Case &one, uint32_t device, uint64_t iteration) const;
};

/// A device of a world: memory, and a transport that is prepared and bound.
class Member {
public:
  /// Throws std::runtime_error with the transport's message.
  Member(const World &world, ttrt_transport *transport, uint64_t hash = 42);
  ~Member();

  /// Writes the input, takes part, and returns the output; empty if the exchange failed.
  std::vector<uint8_t> run(size_t index, uint64_t iteration, bool exact = true);
  /// Takes part in what is in memory already.
  int exchange(size_t index);
  uint8_t *at(uint64_t address) { return base_ + address; }

private:
  const World &world_;
  ttrt_transport *transport_;
  ttrt_transport_plan plan_;
  uint8_t *base_ = nullptr;
};

/// Children that have opened their transports: the mesh notices only those that die later.
class Arrivals {
public:
  Arrivals();
  ~Arrivals();
  void tell() const;                  ///< in a child
  void await(uint32_t devices) const; ///< in the parent, after it has forked all

private:
  int pipe_[2];
};

/// Runs function(device, transport) for each device, on threads or in processes; returns how many
/// devices returned false or did not end well.
uint32_t runThreads(uint32_t devices,
                    const std::function<bool(uint32_t, ttrt_transport *)> &function);
uint32_t runProcesses(uint32_t devices,
                      const std::function<bool(uint32_t, ttrt_transport *)> &function);
/// On threads, each with shared memory of processes.
uint32_t runSharedThreads(uint32_t devices,
                          const std::function<bool(uint32_t, ttrt_transport *)> &function);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_MESH_WORLD_H
