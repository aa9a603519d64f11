// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a bundle with a mesh and collectives, and nothing else: all that a transport
// reads.

#ifndef TTC_TEST_UNIT_MPI_MESHTABLES_H
#define TTC_TEST_UNIT_MPI_MESHTABLES_H

#include "ttrt/format/collectives.h"
#include "ttrt/transport.h"

#include <memory>
#include <string>
#include <vector>

namespace ttrt::test {

/// What varies of a collective; one group of all devices.
struct CollectiveCase {
  fb::CollectiveKind kind;
  fb::CollectiveAlgorithm algorithm;
  fb::DType dtype;
  fb::Reduction reduction;
  uint64_t bytes, rows;
  std::vector<uint32_t> devices; ///< the group

  collectives::Shape shape(const std::vector<uint32_t> &sources) const {
    return {kind,       algorithm,     static_cast<uint32_t>(devices.size()), bytes, rows,
            /*root=*/1, sources.data()};
  }
  /// Of Permute: each takes from the next; the last one only sends, to the one before.
  std::vector<uint32_t> sources() const {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < devices.size(); ++i)
      all.push_back(i + 1 < devices.size() ? i + 1 : kNoSource);
    return all;
  }
};

class MeshTables {
public:
  MeshTables(uint32_t devices, const std::vector<CollectiveCase> &cases) {
    fb::BundleT bundle;
    bundle.target = std::make_unique<fb::TargetT>();
    bundle.target->name = "cpu";
    bundle.mesh = std::make_unique<fb::MeshT>();
    auto axis = std::make_unique<fb::MeshAxisT>();
    axis->name = "x";
    axis->size = devices;
    bundle.mesh->axes.push_back(std::move(axis));
    for (const CollectiveCase &given : cases) {
      auto collective = std::make_unique<fb::CollectiveT>();
      const std::vector<uint32_t> sources = given.sources();
      const collectives::Shape shape = given.shape(sources);
      collective->name = "collective_" + std::to_string(bundle.collectives.size());
      collective->kind = given.kind;
      collective->algorithm = given.algorithm;
      collective->reduction = given.reduction;
      collective->dtype = given.dtype;
      auto group = std::make_unique<fb::DeviceGroupT>();
      group->devices = given.devices;
      collective->groups.push_back(std::move(group));
      collective->rows = given.rows;
      collective->root = shape.root;
      if (given.kind == fb::CollectiveKind::Permute)
        collective->sources = sources;
      for (uint64_t bytes :
           {given.bytes, collectives::outputBytes(shape), collectives::scratchBytes(shape)})
        if (bytes) {
          auto operand = std::make_unique<fb::OperandT>();
          operand->bytes = bytes;
          collective->operands.push_back(std::move(operand));
        }
      bundle.collectives.push_back(std::move(collective));
    }
    builder.ForceDefaults(false);
    builder.Finish(fb::Bundle::Pack(builder, &bundle));
  }

  ttrt_transport_plan plan(uint64_t hash, uint64_t dramBytes) const {
    return {sizeof(ttrt_transport_plan), builder.GetBufferPointer(), hash, 0, dramBytes};
  }

private:
  flatbuffers::FlatBufferBuilder builder;
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_MPI_MESHTABLES_H
