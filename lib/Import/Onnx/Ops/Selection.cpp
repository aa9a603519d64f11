// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Selection.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::along(OnnxNode &node, Value vector, int64_t axis, int64_t rank) {
  if (!vector)
    return {};
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = tensorType(vector).getNumElements();
  return node.reshape(vector, shape);
}

std::optional<int64_t> mlir::ttc::constantInteger(Value value) {
  DenseElementsAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)) || attr.getNumElements() != 1 ||
      !isa<IntegerType>(attr.getElementType()))
    return std::nullopt;
  return (*attr.value_begin<APInt>()).getSExtValue();
}

Value mlir::ttc::countUpTo(OnnxNode &node, Value bools) {
  return node.create<CumulativeOp>(
      node.cast(bools, node.getBuilder().getI64Type()),
      {node.attr("kind", CumulativeKindAttr::get(node.context(), CumulativeKind::Sum)),
       node.i64("axis", 0)});
}

Selection mlir::ttc::select(OnnxNode &node, Value bools, std::optional<int64_t> declared,
                            StringRef padding) {
  if (!bools)
    return {};
  Expressions e(node);
  int64_t total = tensorType(bools).getNumElements();
  Type i64 = node.getBuilder().getI64Type();
  if (total == 0)
    return {e.ints({}), e.ints({0}), 0};
  // The running count of bools is one more than the place of each selected index in the result.
  Value counts = countUpTo(node, bools);
  Selection selection;
  selection.count = e.slice(counts, 0, total - 1, 1);
  std::optional<int64_t> known = constantInteger(selection.count);
  if (!known && declared) {
    known = declared;
    node.require(e.compare(ComparePredicate::LE, node.reshape(selection.count, {}),
                           static_cast<double>(*declared)),
                 "selects more elements than the declared " + Twine(*declared));
  }
  if (!known) {
    node.error()
        << "the size of the output depends on data that is computed at run time: expected a "
           "declared size, found none (declare one of at most "
        << total << " entries in the model or by --value-shape; unused entries are " << padding
        << ")";
    return {};
  }
  selection.size = *known;
  if (selection.size == 0) {
    selection.places = e.ints({});
    return selection;
  }
  // A place out of range: scatter leaves it out.
  Value nowhere = e.number(counts, static_cast<double>(selection.size));
  Value place = e.where(bools, e.sub(counts, 1), nowhere);
  Value unused = e.splat(selection.size, i64, static_cast<double>(total));
  auto none = ScatterReductionAttr::get(node.context(), ScatterReduction::None);
  selection.places = node.create<ScatterElementsOp>(
      {unused, place, e.iota(total, i64)}, {node.i64("axis", 0), node.attr("reduction", none)});
  return selection;
}
