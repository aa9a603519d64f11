// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/RecurrentOps.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "kernels/Params.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using ::ttc::kernels::RecurrenceParams;

static_assert(static_cast<int64_t>(RecurrenceKind::Lstm) == ::ttc::kernels::kLstm);
static_assert(static_cast<int64_t>(RecurrenceKind::Gru) == ::ttc::kernels::kGru);
static_assert(static_cast<int64_t>(RecurrenceKind::GruResetFirst) ==
              ::ttc::kernels::kGruResetFirst);
static_assert(static_cast<int64_t>(RecurrenceKind::RnnTanh) == ::ttc::kernels::kRnnTanh);
static_assert(static_cast<int64_t>(RecurrenceKind::RnnRelu) == ::ttc::kernels::kRnnRelu);
static_assert(static_cast<int64_t>(RecurrenceKind::RnnRelu) < ::ttc::kernels::kLstmBytes);
static_assert(RecurrenceOp::kUnits == ::ttc::kernels::kRecurrenceUnits);

int64_t RecurrenceOp::getNumGates(RecurrenceKind kind) {
  switch (kind) {
  case RecurrenceKind::Lstm:
    return 4;
  case RecurrenceKind::Gru:
  case RecurrenceKind::GruResetFirst:
    return 3;
  case RecurrenceKind::RnnTanh:
  case RecurrenceKind::RnnRelu:
    return 1;
  }
  llvm_unreachable("unknown kind");
}

LogicalResult RecurrenceOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  const RecurrenceKind kind = adaptor.getKind();
  const bool isLstm = kind == RecurrenceKind::Lstm;
  const int64_t gates = getNumGates(kind);
  const int64_t states = isLstm ? 2 : 1;
  auto x = tensorType(adaptor.getX()), initial = tensorType(adaptor.getInitial());
  if (initial.getRank() != 4 || initial.getNumElements() == 0 || initial.getDimSize(0) != states ||
      initial.getDimSize(1) > 2)
    return scope.fail("(C1) expected 'initial' of [", states,
                      ", 1 or 2, batch, hidden] without a dimension of 0, found ", initial);
  const int64_t directions = initial.getDimSize(1), batch = initial.getDimSize(2),
                hidden = initial.getDimSize(3);
  const int64_t columns = directions * gates * hidden;
  if (x.getRank() != 3 || x.getDimSize(0) < 1 || x.getDimSize(1) != batch ||
      x.getDimSize(2) != columns)
    return scope.fail("(C2) expected 'x' of [steps, ", batch, ", ", columns,
                      "] with at least one step, found ", x);
  auto check = [&](StringRef constraint, StringRef name, Value value,
                   ArrayRef<int64_t> shape) -> LogicalResult {
    if (!value || tensorType(value).getShape() == shape)
      return success();
    return scope.fail("(", constraint, ") expected '", name, "' of ", toString(shape), ", found ",
                      value.getType());
  };
  const int64_t blocks = llvm::divideCeilSigned(hidden, kUnits);
  const bool hasBytes = tensorType(adaptor.getWeights()).getElementType().isInteger(8);
  SmallVector<int64_t, 6> ofWeights = {directions, blocks, hidden, gates, kUnits};
  if (hasBytes) {
    ofWeights[2] = llvm::divideCeilSigned(hidden, 4);
    ofWeights.push_back(4);
  }
  const std::array<int64_t, 2> ofColumns = {directions, gates * hidden};
  if (failed(check("C3", "weights", adaptor.getWeights(), ofWeights)) ||
      failed(check("C9", "scales", adaptor.getScales(), ofColumns)) ||
      failed(check("C9", "zeros", adaptor.getZeros(), ofColumns)) ||
      failed(check("C4", "bias", adaptor.getBias(), {directions, hidden})) ||
      failed(check("C5", "peepholes", adaptor.getPeepholes(), {directions, 3 * hidden})))
    return failure();
  if (adaptor.getBias() && kind != RecurrenceKind::Gru)
    return scope.fail("(C4) expected no 'bias' of kind '", stringifyRecurrenceKind(kind),
                      "', found ", adaptor.getBias().getType());
  if (adaptor.getPeepholes() && !isLstm)
    return scope.fail("(C5) expected no 'peepholes' of kind '", stringifyRecurrenceKind(kind),
                      "', found ", adaptor.getPeepholes().getType());
  if (Value lengths = adaptor.getLengths()) {
    auto type = tensorType(lengths);
    if (type.getRank() != 1 || (type.getDimSize(0) != 1 && type.getDimSize(0) != batch))
      return scope.fail("(C6) expected 'lengths' of [1] or [", batch, "], found ", type);
  }
  if (adaptor.getSequences() &&
      failed(scope.checkVector("C7", "sequences", adaptor.getSequences(), 1)))
    return failure();
  if (adaptor.getReverse() && directions > 1)
    return scope.fail("(C8) expected no 'reverse' of ", directions, " directions");
  if (hasBytes && !isLstm)
    return scope.fail("(C9) expected 'weights' of f32 of kind '", stringifyRecurrenceKind(kind),
                      "', found ", adaptor.getWeights().getType());
  for (Value value : {adaptor.getScales(), adaptor.getZeros()})
    if (hasBytes != static_cast<bool>(value))
      return scope.fail("(C9) expected 'scales' and 'zeros' of 'weights' of i8 only, found ",
                        hasBytes ? "one missing" : "one", " of ", adaptor.getWeights().getType());
  if (hasBytes && batch > kMostOfBytes)
    return scope.fail("(C10) expected at most ", kMostOfBytes,
                      " sequences of 'weights' of i8, found ", batch);
  if (hasBytes && adaptor.getLengths() && tensorType(adaptor.getLengths()).getDimSize(0) != 1)
    return scope.fail("(C10) expected 'lengths' of one element with 'weights' of i8, found ",
                      adaptor.getLengths().getType());
  types.push_back(x.clone({x.getDimSize(0), directions, batch, hidden}));
  types.push_back(initial);
  return success();
}

//===--- as a program -----------------------------------------------------------------===//

/// The sequences whose states a workgroup has in scratch: enough to use a weight often.
static constexpr int64_t kMostRows = 32;
static_assert(RecurrenceOp::kMostOfBytes <= kMostRows);

static RecurrenceParams getRecurrenceParams(RecurrenceOp op) {
  RecurrenceParams p{};
  auto shape = op.getX().getType().getShape();
  p.kind = op.hasBytes() ? static_cast<int64_t>(::ttc::kernels::kLstmBytes)
                         : static_cast<int64_t>(op.getKind());
  p.steps = shape[0];
  p.batch = shape[1];
  p.directions = op.getY().getType().getDimSize(1);
  p.hidden = op.getHidden();
  p.reverse = op.getReverse();
  p.hasBias = op.getBias() ? 1 : 0;
  p.hasPeepholes = op.getPeepholes() ? 1 : 0;
  p.lengths = op.getLengths() ? op.getLengths().getType().getDimSize(0) : 0;
  p.hasSequences = op.getSequences() ? 1 : 0;
  p.row = llvm::alignTo(p.hidden, RecurrenceOp::kUnits);
  // Fewer sequences at once would read the weights as often, for fewer products.
  p.splits = op.hasBytes() ? 1
                           : std::min(llvm::divideCeilSigned(p.batch, RecurrenceOp::kSequences),
                                      getMaxWorkgroups(op));
  p.dot = static_cast<int64_t>(op.getDot().value_or(ByteDot::plain));
  p.rows = std::min(llvm::divideCeilSigned(p.batch, p.splits), kMostRows);
  return p;
}

StringRef RecurrenceOp::getKernelSymbol() { return "ttc_kernel_recurrence"; }
void RecurrenceOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getRecurrenceParams(*this), params);
}
int64_t RecurrenceOp::getGrid() {
  const RecurrenceParams p = getRecurrenceParams(*this);
  return p.directions * p.splits;
}
int64_t RecurrenceOp::getScratchBytes() {
  const RecurrenceParams p = getRecurrenceParams(*this);
  // The state before and after a step, and the cells, or the gates of the first product.
  const int64_t states = getKind() == RecurrenceKind::Lstm            ? 3
                         : getKind() == RecurrenceKind::GruResetFirst ? 4
                                                                      : 2;
  // The offsets of all columns, and the sums and bytes of the states.
  const int64_t ofBytes =
      hasBytes() ? getNumGates(getKind()) * p.row * 4 + p.rows * (4 + p.row) : 0;
  return states * p.rows * p.row * 4 + ofBytes;
}
bool RecurrenceOp::hasEpilogue() { return false; }

/// The products, and for each unit the functions and sums of its gates.
int64_t RecurrenceOp::getOperationCount() {
  const int64_t hidden = getHidden(), gates = getNumGates(getKind());
  const int64_t cells = getY().getType().getNumElements();
  const int64_t ofCell = getKind() == RecurrenceKind::RnnRelu
                             ? 1
                             : gates * (kFunction + kDivision + 2) +
                                   (getKind() == RecurrenceKind::Lstm ? kFunction + kDivision : 0);
  return times(cells, plus(times(2, gates, hidden), ofCell + (getPeepholes() ? 6 : 0)));
}

//===--- dimensions -------------------------------------------------------------------===//

/// Sequences are independent, unless they are quantised together; steps are not, nor are units.
void RecurrenceOp::describeDimensions(DimensionMap &map) {
  const unsigned y = map.getResult();
  const int steps = map.addWhole(), batch = hasBytes() ? map.addWhole() : map.addParallel();
  map.set(0, 0, steps);
  map.set(0, 1, batch);
  map.set(2, 2, batch);
  if (getLengths()) {
    const unsigned lengths = getLengthsMutable().begin()->getOperandNumber();
    map.set(lengths, 0, batch);
    if (tensorType(getLengths()).getNumElements() == 1)
      map.setExtent(steps, static_cast<int>(lengths));
  }
  if (getSequences())
    map.setExtent(batch, static_cast<int>(getSequencesMutable().begin()->getOperandNumber()));
  map.set(y, 2, batch);
  map.set(y + 1, 2, batch);
}

/// Steps beyond the extent are those that no sequence has, and sequences beyond it have none.
FailureOr<bool> RecurrenceOp::followExtents(OpBuilder &, ExtentScope &scope) {
  // Sequences beyond the extent would have a share in the range of those within.
  SmallVector<int64_t, 2> own = {0};
  if (hasBytes())
    own.push_back(1);
  if (failed(followOtherLoops(*this, scope, /*operand=*/0, own)))
    return failure();
  if (scope.isPadded(getX(), 0)) {
    FailureOr<Extent> extent = getValidExtent(*this, scope, getX(), 0);
    if (failed(extent))
      return failure();
    if (!getLengths())
      getLengthsMutable().assign(scope.getExtentValue(*extent));
    scope.setPadding(getY(), 0, scope.getPadding(getX(), 0));
    scope.setFilled(getY(), 0, Fill::Zero);
  }
  for (auto [value, dim] : {std::pair<Value, int64_t>(getX(), 1), {getInitial(), 2}})
    if (hasBytes() && scope.isPadded(value, dim)) {
      FailureOr<Extent> sequences = getValidExtent(*this, scope, value, dim);
      if (failed(sequences))
        return failure();
      if (!getSequences())
        getSequencesMutable().assign(scope.getExtentValue(*sequences));
      for (Value result : getResults())
        scope.setPadding(result, 2, scope.getPadding(value, dim));
    }
  // Merged dimensions keep all their sequences.
  if (scope.isPadded(getX(), 1) && !getSequences())
    if (std::optional<Extent> sequences = scope.getExtent(getX(), 1))
      getSequencesMutable().assign(scope.getExtentValue(*sequences));
  return false;
}
