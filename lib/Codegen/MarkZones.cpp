// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where zones begin and end among the ops of a body on memory.
#include "ZoneCalls.h"
#include "dialects/Ttc/Programs/ZoneOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Automatic zones of fewer elements in a loop would record little but themselves.
constexpr int64_t kLeastWork = 256;

/// The zones that an op is in, outermost first.
struct Place {
  SmallVector<std::string> path;
  bool isAutomatic = false;
};

/// The zones of what an op computes; its own if that has none.
SmallVector<Attribute> getZones(Operation *op) {
  llvm::SetVector<Attribute> zones;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    for (Operation &nested : generic.getBody()->without_terminator())
      if (Attribute zone = getZone(nested.getLoc()); zone && !matchPattern(&nested, m_Constant()))
        zones.insert(zone);
  if (zones.empty())
    if (Attribute zone = getZone(op->getLoc()))
      zones.insert(zone);
  return zones.takeVector();
}

/// For fused ops of different zones: the zones that they share, and one with all names.
Place getPlace(Operation *op) {
  Place place;
  SmallVector<SmallVector<StringRef>> paths;
  for (Attribute zone : getZones(op)) {
    SmallVector<StringRef> &path = paths.emplace_back();
    if (auto name = dyn_cast<StringAttr>(zone)) {
      place.isAutomatic = true;
      path.push_back(name.getValue());
    } else {
      for (auto name : cast<ArrayAttr>(zone).getAsRange<StringAttr>())
        path.push_back(name.getValue());
    }
  }
  if (paths.empty())
    return place;
  for (size_t level = 0;; ++level) {
    llvm::SetVector<StringRef> names;
    for (ArrayRef<StringRef> path : paths)
      if (level < path.size())
        names.insert(path[level]);
    if (names.empty())
      return place;
    place.path.push_back(llvm::join(names, "+"));
    if (names.size() > 1)
      return place;
  }
}

/// The scalar op that gives the result.
StringRef getKind(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  Operation *last =
      generic ? generic.getBody()->getTerminator()->getOperand(0).getDefiningOp() : nullptr;
  return last ? last->getName().stripDialect() : "copy";
}

bool isWorthZone(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !op->getParentOfType<scf::ForOp>())
    return true;
  int64_t work = 1;
  for (int64_t extent : linalgOp.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent))
      return true;
    work *= extent;
  }
  return work >= kLeastWork;
}

/// Begins and ends zones in one block so that consecutive ops of a zone are in the same one.
class BlockMarker {
public:
  void visit(Operation *op, const Place &place) {
    // Several ops of an automatic zone are kinds of their own; those of others are one zone.
    size_t shared = 0;
    while (!place.isAutomatic && shared < open.size() && shared < place.path.size() &&
           open[shared].first == place.path[shared])
      ++shared;
    closeTo(shared);
    OpBuilder builder(op);
    for (const std::string &name : ArrayRef(place.path).drop_front(shared))
      open.emplace_back(name, ZoneBeginOp::create(builder, op->getLoc(), builder.getI32Type(),
                                                  builder.getStringAttr(name)));
    last = op;
  }

  void closeTo(size_t depth) {
    while (open.size() > depth) {
      OpBuilder builder(last->getContext());
      builder.setInsertionPointAfter(last);
      last = ZoneEndOp::create(builder, last->getLoc(), open.back().second);
      open.pop_back();
    }
  }

private:
  SmallVector<std::pair<std::string, Value>> open;
  Operation *last = nullptr;
};

} // namespace

void mlir::ttc::markZones(func::FuncOp body) {
  llvm::MapVector<Operation *, Place> places;
  llvm::StringMap<llvm::StringSet<>> kinds;
  body.walk([&](Operation *op) {
    if (!isa<linalg::LinalgOp, memref::CopyOp>(op))
      return;
    Place place = getPlace(op);
    if (place.isAutomatic && !isWorthZone(op))
      place.path.clear();
    else if (place.isAutomatic)
      kinds[place.path.front()].insert(getKind(op));
    places[op] = std::move(place);
  });
  for (auto &[op, place] : places)
    if (place.isAutomatic && !place.path.empty() && kinds[place.path.front()].size() > 1)
      place.path.front() += ("." + getKind(op)).str();

  body.walk([&](Block *block) {
    BlockMarker marker;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (auto found = places.find(&op); found != places.end())
        marker.visit(&op, found->second);
      else if (op.getNumRegions() != 0 || op.hasTrait<OpTrait::IsTerminator>())
        marker.closeTo(0);
    }
  });
}
