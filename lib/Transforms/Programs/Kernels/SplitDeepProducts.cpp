// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of activations over many elements, such as Gram matrices and linear attention: a part of
// --ttc-choose-kernels.
#include "SplitDeepProducts.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

/// The depth of which a panel of 48 columns, the widest one, fits into 512 KiB of scratch. It is
/// the same for all CPUs, so that sums have one order.
static constexpr int64_t kMostDepth = 2560;

static Value sliceDim(OpBuilder &builder, Value x, int64_t dim, int64_t start, int64_t size) {
  SmallVector<int64_t> sizes(tensorType(x).getShape()), starts(sizes.size(), 0);
  starts[dim] = start;
  sizes[dim] = size;
  return SliceOp::create(builder, x.getLoc(), x, starts, sizes,
                         SmallVector<int64_t>(sizes.size(), 1));
}

static void split(MatmulOp op, int64_t aDim, int64_t bDim) {
  OpBuilder builder(op);
  const int64_t depth = tensorType(op.getA()).getDimSize(aDim);
  const int64_t parts = llvm::divideCeilSigned(depth, kMostDepth);
  Value sum;
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t start = depth * i / parts, size = depth * (i + 1) / parts - start;
    Value operands[] = {sliceDim(builder, op.getA(), aDim, start, size),
                        sliceDim(builder, op.getB(), bDim, start, size)};
    Value product = MatmulOp::create(builder, op.getLoc(), TypeRange{op.getY().getType()},
                                     ValueRange(operands), op->getAttrs());
    sum = sum ? AddOp::create(builder, op.getLoc(), sum, product).getResult() : product;
  }
  if (op.getBias())
    sum = AddOp::create(builder, op.getLoc(), sum, op.getBias());
  op.getY().replaceAllUsesWith(sum);
  op.erase();
}

void mlir::ttc::splitDeepProducts(Operation *root, llvm::function_ref<bool(Value)> isPacked) {
  SmallVector<MatmulOp> deep;
  auto aDim = [](MatmulOp op) {
    return tensorType(op.getA()).getRank() - (op.getTransposeA() ? 2 : 1);
  };
  root->walk([&](MatmulOp op) {
    if (tensorType(op.getA()).getElementType().isF32() && !isPacked(op.getB()) &&
        tensorType(op.getA()).getDimSize(aDim(op)) > kMostDepth)
      deep.push_back(op);
  });
  for (MatmulOp op : deep)
    split(op, aDim(op), tensorType(op.getB()).getRank() - (op.getTransposeB() ? 1 : 2));
}
