// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/ConstantEvaluation/ElementProgram.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Elements that one task computes: enough to make its start-up cost negligible.
constexpr size_t taskSize = size_t(1) << 16;

/// Reads an operand in the row-major order of the result, with NumPy's broadcasting rules: maps
/// elements of the result to elements of the operand.
class BroadcastReader {
public:
  BroadcastReader(const ConstantTensor &operand, ArrayRef<int64_t> resultShape, Type elementType)
      : operand(operand), elementType(elementType), elementSize(operand.getElementSize()) {
    constant = operand.isSplat() || operand.getNumElements() == 1;
    contiguous = !constant && operand.getShape() == resultShape;
    if (constant || contiguous)
      return;
    size_t missing = resultShape.size() - operand.getShape().size();
    int64_t stride = 1;
    // Merges adjacent dimensions that have the same step between their elements.
    for (size_t i = resultShape.size(); i-- > 0;) {
      int64_t size = i < missing ? 1 : operand.getShape()[i - missing];
      int64_t step = size == 1 ? 0 : stride;
      stride *= size;
      if (resultShape[i] == 1)
        continue;
      if (!sizes.empty() && step == steps.back() * sizes.back())
        sizes.back() *= resultShape[i];
      else
        sizes.push_back(resultShape[i]), steps.push_back(step);
    }
  }

  /// Loads the operand's elements for `count` result elements from `begin` on.
  void load(size_t begin, size_t count, char *reg) const {
    const char *data = operand.getBytes().data();
    if (contiguous)
      return ElementProgram::load(elementType, data + begin * elementSize, reg, count);
    char gathered[ElementProgram::blockSize * 8];
    if (constant) {
      for (size_t i = 0; i < count; ++i)
        std::memcpy(gathered + i * elementSize, data, elementSize);
      return ElementProgram::load(elementType, gathered, reg, count);
    }
    for (size_t done = 0; done < count;) {
      // The innermost run: its elements are `steps[0]` apart.
      size_t index = begin + done, inner = index % sizes[0], outer = index / sizes[0];
      size_t run = std::min<size_t>(sizes[0] - inner, count - done);
      size_t source = inner * steps[0];
      for (size_t d = 1; d < sizes.size(); ++d) {
        source += (outer % sizes[d]) * steps[d];
        outer /= sizes[d];
      }
      const char *from = data + source * elementSize;
      char *to = gathered + done * elementSize;
      if (steps[0] == 1)
        std::memcpy(to, from, run * elementSize);
      else
        for (size_t i = 0; i < run; ++i)
          std::memcpy(to + i * elementSize, from + i * steps[0] * elementSize, elementSize);
      done += run;
    }
    ElementProgram::load(elementType, gathered, reg, count);
  }

private:
  const ConstantTensor &operand;
  Type elementType;
  size_t elementSize;
  bool constant = false, contiguous = false;
  /// Sizes and steps of the dimensions, innermost first.
  SmallVector<int64_t> sizes, steps;
};

/// The type of emitElement()'s scalars: integers are signless, and narrow elements are bytes.
Type getScalarType(Type elementType) {
  elementType = getStorageType(elementType);
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(integer.getContext(), integer.getWidth());
  return elementType;
}

} // namespace

LogicalResult mlir::ttc::evaluateElementwise(Operation *op, ArrayRef<ConstantTensor> operands,
                                             ConstantTensor &result) {
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  if (!elementwise)
    return failure();
  MLIRContext *context = op->getContext();
  context->getOrLoadDialect<arith::ArithDialect>();
  context->getOrLoadDialect<math::MathDialect>();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());

  Block block;
  for (Value operand : op->getOperands())
    block.addArgument(getScalarType(getElementTypeOrSelf(operand)), op->getLoc());
  // The block has no parent op; it only needs to outlive the compilation of the program.
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  Value element = elementwise.emitElement(builder, op->getLoc(), block.getArguments());
  if (!element)
    return failure();
  FailureOr<ElementProgram> program = ElementProgram::compile(block, element);
  if (failed(program))
    return failure();

  // If all operands are splats, one element is enough.
  bool splat = llvm::all_of(operands, [](const ConstantTensor &operand) {
    return operand.isSplat() || operand.getNumElements() == 1;
  });
  splat &= type.getNumElements() > 1;
  result = splat ? ConstantTensor::allocateSplat(type) : ConstantTensor::allocate(type);
  SmallVector<BroadcastReader> readers;
  for (const ConstantTensor &operand : operands)
    readers.emplace_back(operand, type.getShape(), operand.getType().getElementType());

  size_t total = splat ? 1 : type.getNumElements();
  size_t elementSize = result.getElementSize();
  char *out = result.getMutableBytes().data();
  auto runTask = [&](size_t task) {
    constexpr size_t blockSize = ElementProgram::blockSize;
    // uint64_t aligns the registers.
    std::vector<uint64_t> storage(program->getNumRegisters() * blockSize);
    SmallVector<char *> registers;
    for (size_t i = 0; i < program->getNumRegisters(); ++i)
      registers.push_back(reinterpret_cast<char *>(storage.data() + i * blockSize));
    size_t end = std::min(total, (task + 1) * taskSize);
    for (size_t begin = task * taskSize; begin < end; begin += blockSize) {
      size_t count = std::min(blockSize, end - begin);
      for (auto [i, reader] : llvm::enumerate(readers))
        reader.load(begin, count, registers[i]);
      program->run(registers.data(), count);
      ElementProgram::store(type.getElementType(), registers[program->getResultRegister()],
                            out + begin * elementSize, count);
    }
  };
  size_t tasks = llvm::divideCeil(total, taskSize);
  if (tasks == 1)
    runTask(0);
  else
    parallelFor(context, 0, tasks, runTask);
  return success();
}

bool mlir::ttc::isConstantEvaluable(Operation *op) {
  return isa<ElementwiseOpInterface, ConstantEvaluableOpInterface>(op);
}

bool mlir::ttc::isConstantExpression(Value value) {
  // Bounds the search: expressions over weights are short.
  constexpr size_t mostOps = 64;
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op)
      return false;
    if (isa<ConstantOp>(op) || !seen.insert(op).second)
      continue;
    if (seen.size() > mostOps || op->getNumResults() != 1 || !isConstantEvaluable(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

FailureOr<ConstantTensor> mlir::ttc::evaluateConstant(Operation *op,
                                                      ArrayRef<ConstantTensor> operands) {
  ConstantTensor result;
  auto evaluable = dyn_cast<ConstantEvaluableOpInterface>(op);
  if (!evaluable) {
    if (failed(evaluateElementwise(op, operands, result)))
      return failure();
    return result;
  }
  SmallVector<ConstantTensor> expanded;
  SmallVector<ArrayRef<char>> bytes;
  for (const ConstantTensor &operand : operands)
    bytes.push_back(expanded.emplace_back(operand.expanded()).getBytes());
  result = ConstantTensor::allocate(cast<RankedTensorType>(op->getResult(0).getType()));
  if (failed(evaluable.evaluateConstant(bytes, result.getMutableBytes())))
    return failure();
  return result;
}
