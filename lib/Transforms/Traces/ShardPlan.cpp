// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShardPlan.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Support/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

static RankedTensorType withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

LayoutAttr mlir::ttc::getViewLayout(RankedTensorType source, ArrayRef<int64_t> shape) {
  LayoutAttr layout = getShardedLayout(source);
  if (!layout || shape.empty())
    return {};
  // Whole rows in order are the same bytes in any shape; columns only if the matrix is the same.
  bool sameMatrix = source.getRank() > 0 && shape.back() == source.getShape().back();
  if ((layout.getGrid()[1] != 1 && !sameMatrix) ||
      !getShardParts(shape, layout.getGrid()[0], layout.getGrid()[1]))
    return {};
  return layout;
}

ShardPlan::~ShardPlan() {
  for (auto &[key, program] : variants)
    if (program && !program->getBlock())
      program.erase();
}

//===--- values -----------------------------------------------------------------------===//

/// An op other than a dispatch or ttc.to_memory that uses the value or a view of it, or null.
static Operation *findOtherUser(Value value) {
  for (Operation *user : value.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (Operation *other = findOtherUser(view.getViewDest()))
        return other;
    } else if (!isa<DispatchOp, ToMemoryOp>(user)) {
      return user;
    }
  }
  return nullptr;
}

std::string ShardPlan::getObstacle(Value value) {
  auto dispatch = value.getDefiningOp<DispatchOp>();
  if (!dispatch || dispatch->getNumResults() != 1)
    return "expected the only result of its program, found one of several";
  Operation *other = findOtherUser(value);
  if (!other)
    return "";
  if (isa<YieldOp>(other))
    return "the trace returns it, and takes and returns whole tensors only";
  return ("it is used by " + other->getName().getStringRef() +
          ", which takes whole tensors only: it is stored as a part of another tensor, or read as "
          "one")
      .str();
}

void ShardPlan::request(Value root, LayoutAttr layout) {
  layouts[root] = layout;
  requested.insert(root);
}

LayoutAttr ShardPlan::getLayout(Value value) {
  auto view = value.getDefiningOp<ViewLikeOpInterface>();
  if (!view)
    return layouts.lookup(value);
  Value source = view.getViewSource();
  LayoutAttr layout = getLayout(source);
  return layout
             ? getViewLayout(withLayout(tensorType(source), layout), tensorType(value).getShape())
             : LayoutAttr();
}

SmallVector<LayoutAttr> ShardPlan::getPossibleLayouts(RankedTensorType type, Sharding kind) {
  SmallVector<LayoutAttr> found;
  int64_t cores = getCores(target);
  int64_t maxRows = kind == Sharding::HeightSharded  ? cores
                    : kind == Sharding::BlockSharded ? target.getGridRows()
                                                     : 1;
  int64_t maxCols = kind == Sharding::WidthSharded   ? cores
                    : kind == Sharding::BlockSharded ? target.getGridCols()
                                                     : 1;
  for (int64_t rows = maxRows; rows >= 1; --rows)
    for (int64_t cols = maxCols; cols >= 1; --cols)
      if (rows * cols > 1 && getShardParts(type.getShape(), rows, cols))
        found.push_back(LayoutAttr::get(type.getContext(), MemorySpace::L1, kind, {rows, cols}));
  llvm::sort(found, [](LayoutAttr a, LayoutAttr b) {
    return std::pair(a.getNumShards(), a.getGrid()[0]) >
           std::pair(b.getNumShards(), b.getGrid()[0]);
  });
  return found;
}

//===--- dispatches -------------------------------------------------------------------===//

/// The layout that splits a tensor into these parts, if there is one.
static LayoutAttr findLayout(RankedTensorType type, ArrayRef<int64_t> parts) {
  if (parts.empty())
    return {};
  int64_t cols = parts.back(), rows = llvm::product_of(parts.drop_back());
  std::optional<SmallVector<int64_t>> made = getShardParts(type.getShape(), rows, cols);
  if (rows * cols == 1 || !made || ArrayRef(*made) != parts)
    return {};
  Sharding kind = cols == 1   ? Sharding::HeightSharded
                  : rows == 1 ? Sharding::WidthSharded
                              : Sharding::BlockSharded;
  return LayoutAttr::get(type.getContext(), MemorySpace::L1, kind, {rows, cols});
}

static bool isWhole(ArrayRef<int64_t> parts) {
  return llvm::all_of(parts, [](int64_t count) { return count == 1; });
}

/// The type that an operand must have if each workgroup needs one of `parts`; null if there is
/// none.
RankedTensorType ShardPlan::chooseWhole(Value operand, ArrayRef<int64_t> parts) {
  RankedTensorType type = tensorType(operand);
  if (LayoutAttr layout = getLayout(operand)) {
    RankedTensorType sharded = withLayout(type, layout);
    // One core stores all that the workgroup needs.
    bool isInOne = llvm::all_of(llvm::zip_equal(parts, *getShardParts(sharded)), [](auto pair) {
      return std::get<0>(pair) % std::get<1>(pair) == 0;
    });
    if (isInOne)
      return sharded;
    LayoutAttr wanted = findLayout(type, parts);
    return wanted ? withLayout(type, wanted) : type;
  }
  if (isWhole(parts) || layouts.contains(getViewRoot(operand)))
    return type;
  // A slice of a contiguous value.
  std::optional<ValueStorage> storage = getStorage(operand);
  return storage && storage->isWhole() ? type : RankedTensorType();
}

ProgramOp ShardPlan::getVariant(ProgramOp program, const ProgramPartition &partition,
                                ArrayRef<RankedTensorType> wholes) {
  Builder builder(program.getContext());
  SmallVector<Attribute> key{program.getSymNameAttr(),
                             builder.getDenseI64ArrayAttr(partition.parts)};
  for (RankedTensorType whole : wholes)
    key.push_back(TypeAttr::get(whole));
  auto [it, isNew] = variants.try_emplace(builder.getArrayAttr(key));
  if (isNew)
    it->second = makePartProgram(program, partition, wholes);
  return it->second;
}

ShardedDispatch ShardPlan::tryParts(DispatchOp dispatch, ArrayRef<int64_t> parts) {
  auto program = symbols.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
  std::optional<ProgramPartition> partition = partitionProgram(program, parts);
  if (!partition)
    return {};
  ShardedDispatch sharded;
  for (auto [i, operand] : llvm::enumerate(dispatch.getInputs())) {
    RankedTensorType whole = chooseWhole(operand, partition->getParts(i));
    if (!whole)
      return {};
    sharded.wholes.push_back(whole);
  }
  Value result = dispatch->getResult(0);
  LayoutAttr layout = getLayout(result);
  // Without shards, workgroups write slices of it.
  std::optional<ValueStorage> storage = getStorage(result);
  if (!layout && !(storage && storage->isWhole()))
    return {};
  sharded.wholes.push_back(layout ? withLayout(tensorType(result), layout) : tensorType(result));
  sharded.program = getVariant(program, *partition, sharded.wholes);
  return sharded;
}

ShardedDispatch ShardPlan::getDispatch(DispatchOp dispatch) {
  if (dispatch->getNumResults() != 1)
    return {};
  Value result = dispatch->getResult(0);
  RankedTensorType type = tensorType(result);
  if (LayoutAttr layout = getLayout(result))
    return tryParts(dispatch, *getShardParts(withLayout(type, layout)));
  // Split like the first sharded operand.
  for (auto [i, operand] : llvm::enumerate(dispatch.getInputs()))
    if (LayoutAttr layout = getLayout(operand))
      if (auto parts = getShardParts(type.getShape(), layout.getGrid()[0], layout.getGrid()[1])) {
        ShardedDispatch sharded = tryParts(dispatch, *parts);
        if (sharded.program && getShardedLayout(sharded.wholes[i]) == layout)
          return sharded;
      }
  return {};
}

int64_t ShardPlan::countOwnOperands(DispatchOp dispatch) {
  ShardedDispatch sharded = getDispatch(dispatch);
  if (!sharded.program)
    return -1;
  int64_t count = 0;
  for (unsigned i = 0; i < dispatch.getInputs().size(); ++i)
    if (ShardAttr shard = sharded.program.getShard(i))
      count += readsShards(dispatch, i) && shard.isOwn(*sharded.program.getShards());
  return count;
}

bool ShardPlan::readsShards(DispatchOp dispatch, unsigned index) {
  ShardedDispatch sharded = getDispatch(dispatch);
  LayoutAttr layout = getLayout(dispatch.getInputs()[index]);
  return sharded.program && layout && getShardedLayout(sharded.wholes[index]) == layout;
}
