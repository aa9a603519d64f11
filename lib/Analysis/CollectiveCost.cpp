// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/CollectiveCost.h"
#include <map>

using namespace mlir;
using namespace mlir::ttc;
namespace collectives = ttrt::collectives;

namespace {

/// The links of a mesh, and what they carry in one round.
class Links {
public:
  explicit Links(MeshAttr mesh) : mesh(mesh) {}

  /// Sends bytes from one device to another.
  void send(int64_t from, int64_t to, int64_t bytes) {
    double latency = 0;
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
      const MeshAxisAttr links = mesh.getAxes()[axis];
      int64_t at = mesh.getCoordinate(from, axis);
      const int64_t target = mesh.getCoordinate(to, axis), size = links.getSize();
      while (at != target) {
        int64_t next = target;
        if (links.getTopology() == LinkTopology::Line)
          next = at + (target > at ? 1 : -1);
        if (links.getTopology() == LinkTopology::Ring)
          next = (at + ((target - at + size) % size * 2 <= size ? 1 : size - 1)) % size;
        const int64_t neighbour = from + (next - at) * getStride(axis);
        Load &load = loads[{from, neighbour}];
        load.bytes += bytes;
        load.bytesPerSecond = links.getLinkBytesPerSecond();
        latency += links.getLinkLatencyNs() * 1e-9;
        from = neighbour;
        at = next;
      }
    }
    longest = std::max(longest, latency);
  }

  /// Ends a round: adds what it takes.
  void finish(CollectiveCost &cost) {
    double busiest = 0;
    for (const auto &[ends, load] : loads) {
      if (load.bytesPerSecond > 0)
        busiest = std::max(busiest, static_cast<double>(load.bytes) / load.bytesPerSecond);
      total[ends] += load.bytes;
      cost.linkBytes = std::max(cost.linkBytes, total[ends]);
    }
    cost.seconds += longest + busiest;
    longest = 0;
    loads.clear();
  }

private:
  struct Load {
    int64_t bytes = 0, bytesPerSecond = 0;
  };

  /// Between the numbers of neighbours along an axis.
  int64_t getStride(unsigned axis) const {
    int64_t stride = 1;
    for (MeshAxisAttr later : mesh.getAxes().drop_front(axis + 1))
      stride *= later.getSize();
    return stride;
  }

  MeshAttr mesh;
  std::map<std::pair<int64_t, int64_t>, Load> loads; ///< by the devices at the ends of the link
  std::map<std::pair<int64_t, int64_t>, int64_t> total;
  double longest = 0;
};

} // namespace

CollectiveCost mlir::ttc::getCollectiveCost(const collectives::Shape &shape,
                                            ArrayRef<SmallVector<int64_t>> groups, MeshAttr mesh) {
  struct Message {
    int64_t from, to, bytes;
  };
  std::vector<std::vector<Message>> rounds(collectives::roundsOf(shape));
  CollectiveCost cost;
  for (ArrayRef<int64_t> group : groups)
    for (uint32_t self = 0; self < shape.devices; ++self)
      collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
        if (move.peer == self)
          return;
        const auto bytes = static_cast<int64_t>(move.bytes * move.rows);
        rounds[move.round].push_back({group[move.peer], group[self], bytes});
        cost.bytes += bytes;
      });
  Links links(mesh);
  for (const std::vector<Message> &round : rounds) {
    for (const Message &message : round)
      links.send(message.from, message.to, message.bytes);
    links.finish(cost);
  }
  return cost;
}
