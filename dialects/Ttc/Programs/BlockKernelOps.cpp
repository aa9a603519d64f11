// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc.pack_blocks, and the kernel ops on what it packs.
#include "dialects/Ttc/Programs/BlockKernelOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "kernels/BlockPack.h"
#include "kernels/BlockParams.h"
#include "kernels/Budgets.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;
using kernels::BlockGatherParams;
using kernels::BlockMatmulParams;
using kernels::ExpertMatmulParams;

static_assert(static_cast<int64_t>(BlockFormat::BF16) == kernels::kBlockBF16 &&
              static_cast<int64_t>(BlockFormat::Q4_1) == kernels::kBlockQ4_1 &&
              static_cast<int64_t>(BlockFormat::Q8_0) == kernels::kBlockQ8_0 &&
              static_cast<int64_t>(BlockFormat::Q6_K) == kernels::kBlockQ6_K &&
              static_cast<int64_t>(BlockFormat::Q3_K) == kernels::kBlockQ3_K &&
              static_cast<int64_t>(BlockFormat::TQ2_0) == kernels::kBlockTQ2_0);

static int64_t toKernel(BlockFormat format) { return static_cast<int64_t>(format); }

/// Whether rows of `columns` are whole blocks.
static bool hasWholeBlocks(BlockFormat format, int64_t columns) {
  return columns > 0 && columns % kernels::getBlockLayout(toKernel(format)).columns == 0;
}

/// The shape of `rows` packed rows.
static SmallVector<int64_t> getPackedShape(BlockFormat format, int64_t rows, int64_t columns,
                                           bool gated) {
  const int64_t groups = llvm::divideCeilSigned(rows, kernels::kBlockRows) * (gated ? 2 : 1);
  return {groups, kernels::getPackedGroupBytes(toKernel(format), columns)};
}

//===----------------------------------------------------------------------===//
// ttc.pack_blocks
//===----------------------------------------------------------------------===//

LogicalResult PackBlocksOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                             ValueRange operands, DictionaryAttr attributes,
                                             OpaqueProperties properties, RegionRange regions,
                                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  const auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  const BlockFormat format = adaptor.getFormat();
  const int64_t columns = adaptor.getColumns(), parts = adaptor.getGated() ? 2 : 1;
  if (!hasWholeBlocks(format, columns) || columns / 8 > input.getNumElements())
    return emitOptionalError(
        location, "'ttc.pack_blocks' op (C1) expected columns in a positive multiple of ",
        kernels::getBlockLayout(toKernel(format)).columns, ", the block of ",
        stringifyBlockFormat(format), ", found ", columns);
  const int64_t bytes = kernels::getFileRowBytes(toKernel(format), columns) * parts;
  if (input.getRank() != 1 || input.getNumElements() == 0 || input.getNumElements() % bytes != 0)
    return emitOptionalError(location,
                             "'ttc.pack_blocks' op (C2) expected a vector of a positive "
                             "multiple of ",
                             bytes, " bytes, ", parts == 1 ? "a row" : "two rows", " of ", columns,
                             " columns in ", stringifyBlockFormat(format), ", found ", input);
  const int64_t rows = input.getNumElements() / bytes;
  types.push_back(RankedTensorType::get(getPackedShape(format, rows, columns, parts == 2),
                                        input.getElementType()));
  return success();
}

LogicalResult PackBlocksOp::evaluateConstant(ArrayRef<ArrayRef<char>> operands,
                                             MutableArrayRef<char> result) {
  const int64_t format = toKernel(getFormat()), columns = getColumns();
  const int64_t rowBytes = kernels::getFileRowBytes(format, columns);
  const int64_t groupBytes = kernels::getPackedGroupBytes(format, columns);
  const int64_t halves = getGated() ? 2 : 1;
  const int64_t rows = getInput().getType().getNumElements() / rowBytes / halves;
  parallelFor(getContext(), 0, getOutput().getType().getDimSize(0), [&](size_t group) {
    const int64_t first = group / halves * kernels::kBlockRows;
    const int64_t count = std::min(kernels::kBlockRows, rows - first);
    const char *from = operands[0].data() + (group % halves * rows + first) * rowBytes;
    kernels::packBlockRows(format, columns, reinterpret_cast<const uint8_t *>(from), count,
                           reinterpret_cast<uint8_t *>(result.data()) + group * groupBytes);
  });
  return success();
}

bool PackBlocksOp::isAlwaysWorthEvaluating() { return true; }
int64_t PackBlocksOp::getOperationCount() { return 0; }

//===----------------------------------------------------------------------===//
// ttc.kernel.block_matmul
//===----------------------------------------------------------------------===//

/// Fails unless `w` is `rows` packed rows.
template <typename OpTy>
static LogicalResult verifyPacked(OpTy op, StringRef constraint, int64_t rows, int64_t columns,
                                  bool gated) {
  const SmallVector<int64_t> shape = getPackedShape(op.getFormat(), rows, columns, gated);
  if (op.getW().getType().getShape() == ArrayRef(shape))
    return success();
  return op.emitOpError() << constraint << " expected w of shape [" << ArrayRef(shape)
                          << "], found [" << op.getW().getType().getShape() << "]";
}

LogicalResult KernelBlockMatmulOp::verify() {
  const auto x = getX().getType(), result = getResult().getType();
  if (x.getRank() != 2 || x.getDimSize(0) < 1 || !hasWholeBlocks(getFormat(), x.getDimSize(1)))
    return emitOpError() << "(C1) expected x of [M, K], K a multiple of "
                         << kernels::getBlockLayout(toKernel(getFormat())).columns << ", found "
                         << x;
  const int64_t depth = x.getDimSize(1);
  if (result.getRank() != 2 || result.getDimSize(0) != x.getDimSize(0) || result.getDimSize(1) < 1)
    return emitOpError() << "(C2) expected a result of [" << x.getDimSize(0) << ", N], found "
                         << result;
  const int64_t columns = result.getDimSize(1);
  if (failed(verifyPacked(*this, "(C3)", columns, depth, getGated())))
    return failure();
  auto verifyShape = [&](StringRef name, Value value, ArrayRef<int64_t> shape) -> LogicalResult {
    if (!value || tensorType(value).getShape() == shape)
      return success();
    return emitOpError() << "(C4) expected '" << name << "' of shape [" << shape << "], found ["
                         << tensorType(value).getShape() << "]";
  };
  return success(succeeded(verifyShape("norm", getNorm(), depth)) &&
                 succeeded(verifyShape("bias", getBias(), columns)) &&
                 succeeded(verifyShape("count", getCount(), 1)) &&
                 succeeded(verifyShape("residual", getResidual(), result.getShape())));
}

/// What both kinds of products have. `sharing` rows use the same weights, or more do.
template <typename OpTy> static BlockMatmulParams getProductParams(OpTy op, int64_t sharing) {
  BlockMatmulParams p{};
  p.format = kernels::getPackedFormat(toKernel(op.getFormat()));
  p.dot = static_cast<int64_t>(op.getDot());
  p.m = op.getResult().getType().getDimSize(0);
  p.n = op.getResult().getType().getDimSize(1);
  p.k = op.getX().getType().getDimSize(1);
  p.hasBias = op.getBias() != nullptr;
  p.hasCount = op.getCount() != nullptr;
  p.gated = op.getGated();
  // Without an instruction for the products of bytes, products of f32 take less time than those of
  // three digits, once several rows use a group of weights as f32.
  const bool isInt8 = op.getActivations() == BlockActivations::Int8;
  const bool asFloats = !isInt8 && op.getDot() != ByteDot::vnni &&
                        sharing >= kernels::kBlockRowsForFloats &&
                        p.k * kernels::kBlockRows * 4 <= kernels::kBlockPanelBudget;
  p.digits = kernels::isPlainFormat(p.format) || asFloats ? 0 : isInt8 ? 1 : 3;
  return p;
}

/// Scratch for `most` rows at a time, and its bytes. `copies`: whether floats are copied into it.
static int64_t placeScratch(BlockMatmulParams &p, int64_t most, bool copies) {
  const int64_t rowBytes = p.digits == 0 ? p.k * 4 : p.digits * p.k;
  const int64_t partDigits = p.digits == 0 ? 0 : kernels::getPartDigits(p.format, p.digits);
  const int64_t scaleBytes = 16 * partDigits * (p.k / kernels::kBlockColumns);
  const int64_t fit = kernels::kBlockActivationBudget / (rowBytes + scaleBytes);
  const int64_t block = std::clamp<int64_t>(fit, 1, 64);
  // Blocks of nearly equal size.
  p.blockRows = llvm::divideCeil(most, llvm::divideCeil(most, block));
  int64_t at = 0;
  auto reserve = [&](int64_t size) {
    const int64_t begin = at;
    at += llvm::alignTo(size, 64);
    return begin;
  };
  const bool hasPanel = p.digits == 0 && !kernels::isPlainFormat(p.format);
  p.bytesAt = reserve(p.digits == 0 && !copies ? 0 : p.blockRows * rowBytes);
  p.scalesAt = reserve(p.blockRows * scaleBytes);
  p.sumsAt = reserve(p.blockRows * kernels::kBlockRows * 4 * (p.gated ? 2 : 1));
  p.panelAt = reserve(hasPanel ? p.k * kernels::kBlockRows * 4 : 0);
  return at;
}

/// The products of a step of a workgroup's time.
static int64_t getRate(const BlockMatmulParams &p) {
  return p.digits == 1 ? kernels::kBlockProductsPerStep : 1;
}

/// The steps of all workgroups: one row of x, or a few, take the time that reading `bytes` of
/// weights takes; many take that of the products.
static int64_t getSteps(const BlockMatmulParams &p, int64_t bytes, int64_t products) {
  return std::max(bytes / kernels::kBlockBytesPerGroup * kernels::kWorkPerGroup,
                  products / getRate(p));
}

/// Everything, and the bytes of scratch.
static std::pair<BlockMatmulParams, int64_t> getParams(KernelBlockMatmulOp op) {
  BlockMatmulParams p = getProductParams(op, op.getX().getType().getDimSize(0));
  p.hasNorm = op.getNorm() != nullptr;
  p.hasResidual = op.getResidual() != nullptr;
  p.epsilon = static_cast<int64_t>(llvm::bit_cast<uint32_t>(op.getEpsilon().convertToFloat()));

  const int64_t units = llvm::divideCeil(p.n, kernels::kBlockRows);
  const int64_t products = p.m * units * kernels::kBlockRows * p.k * (p.gated ? 2 : 1);
  const int64_t wanted =
      chooseWorkgroups(op, getSteps(p, op.getW().getType().getNumElements(), products));
  // Parts of the rows prepare them once; parts of the groups prepare all rows, each for itself. An
  // even number of parts, as those of chooseWorkgroups().
  const int64_t least = p.digits ? kernels::kBlockRowsForWeights : kernels::kRowsForWeights;
  p.rowSplits =
      std::min<int64_t>(wanted, llvm::bit_floor<uint64_t>(std::max<int64_t>(p.m / least, 1)));
  const int64_t worth =
      p.m == 1 ? units : std::max<int64_t>(products / p.m / p.k / getRate(p) / 128, 1);
  p.groupSplits = std::min({wanted / p.rowSplits, kernels::getEvenGroups(worth), units});
  return {p, placeScratch(p, llvm::divideCeil(p.m, p.rowSplits), p.hasNorm)};
}

StringRef KernelBlockMatmulOp::getKernelSymbol() { return "ttc_kernel_block_matmul"; }
bool KernelBlockMatmulOp::hasEpilogue() { return false; }
bool KernelBlockMatmulOp::acceptsStrided(unsigned, const StridedRange &) { return false; }
void KernelBlockMatmulOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}
int64_t KernelBlockMatmulOp::getGrid() {
  const BlockMatmulParams p = getParams(*this).first;
  return p.rowSplits * p.groupSplits;
}
int64_t KernelBlockMatmulOp::getScratchBytes() { return getParams(*this).second; }

/// As ttc.block_matmul counts it.
int64_t KernelBlockMatmulOp::getOperationCount() {
  using namespace mlir::ttc::detail;
  const int64_t ofResult =
      plus(times(2, getX().getType().getDimSize(1), getGated() ? 2 : 1),
           getGated() ? kFunction + kDivision + 2 : 0, getBias() ? 1 : 0, getResidual() ? 1 : 0);
  return plus(times(elementsOf(getResult()), ofResult),
              getNorm() ? times(4, elementsOf(getX())) : 0);
}

//===----------------------------------------------------------------------===//
// ttc.kernel.expert_matmul
//===----------------------------------------------------------------------===//

LogicalResult KernelExpertMatmulOp::verify() {
  const auto x = getX().getType(), result = getResult().getType();
  const auto experts = getExperts().getType();
  if (x.getRank() != 2 || x.getDimSize(0) < 1 || !hasWholeBlocks(getFormat(), x.getDimSize(1)))
    return emitOpError() << "(C1) expected x of [R, K], K a multiple of "
                         << kernels::getBlockLayout(toKernel(getFormat())).columns << ", found "
                         << x;
  if (experts.getRank() != 1 || experts.getDimSize(0) < 1 ||
      experts.getDimSize(0) % x.getDimSize(0) != 0 || result.getRank() != 2 ||
      result.getDimSize(0) != experts.getDimSize(0) || result.getDimSize(1) < 1 ||
      result.getDimSize(1) % kernels::kBlockRows != 0)
    return emitOpError() << "(C2) expected experts of [M] and a result of [M, N], M a multiple of "
                         << x.getDimSize(0) << " and N of " << kernels::kBlockRows << ", found "
                         << experts << " and " << result;
  const int64_t columns = result.getDimSize(1), count = getExpertCount();
  // `w` has more bytes than there are rows.
  if (count < 1 || count > getW().getType().getNumElements() / columns)
    return emitOpError() << "(C3) expected from 1 expert to as many as 'w' has, found " << count;
  if (failed(verifyPacked(*this, "(C3)", count * columns, x.getDimSize(1), getGated())))
    return failure();
  if (getBias() && (getGated() || tensorType(getBias()).getShape() != ArrayRef(count * columns)))
    return emitOpError() << "(C4) expected a bias of shape [" << count * columns
                         << "] and products that are not gated, found ["
                         << tensorType(getBias()).getShape() << "]"
                         << (getGated() ? " and gated ones" : "");
  if (getCount() && tensorType(getCount()).getShape() != ArrayRef<int64_t>(1))
    return emitOpError() << "(C4) expected 'count' of shape [1], found ["
                         << tensorType(getCount()).getShape() << "]";
  return success();
}

/// Everything, and the bytes of scratch.
static std::pair<ExpertMatmulParams, int64_t> getParams(KernelExpertMatmulOp op) {
  ExpertMatmulParams e{};
  e.experts = op.getExpertCount();
  e.uses = op.getExperts().getType().getDimSize(0) / op.getX().getType().getDimSize(0);
  const int64_t rows = op.getExperts().getType().getDimSize(0);
  // Of rows that choose evenly, as many share an expert.
  const int64_t sharing = llvm::divideCeilSigned(rows, e.experts);
  BlockMatmulParams &p = e.product = getProductParams(op, sharing);
  const int64_t units = p.n / kernels::kBlockRows;
  const int64_t products = p.m * p.n * p.k * (p.gated ? 2 : 1);
  const int64_t bytes = op.getW().getType().getNumElements() / e.experts * std::min(p.m, e.experts);
  p.rowSplits = 1;
  p.groupSplits = std::min(chooseWorkgroups(op, getSteps(p, bytes, products)), units);
  int64_t scratch = placeScratch(p, p.m, /*copies=*/p.m > 1);
  e.orderAt = scratch;
  scratch += llvm::alignTo(4 * (p.m + e.experts), 64);
  return {e, scratch};
}

StringRef KernelExpertMatmulOp::getKernelSymbol() { return "ttc_kernel_expert_matmul"; }
bool KernelExpertMatmulOp::hasEpilogue() { return false; }
bool KernelExpertMatmulOp::acceptsStrided(unsigned, const StridedRange &) { return false; }
void KernelExpertMatmulOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}
int64_t KernelExpertMatmulOp::getGrid() { return getParams(*this).first.product.groupSplits; }
int64_t KernelExpertMatmulOp::getScratchBytes() { return getParams(*this).second; }

/// As ttc.expert_matmul counts it.
int64_t KernelExpertMatmulOp::getOperationCount() {
  using namespace mlir::ttc::detail;
  const int64_t ofResult = plus(times(2, getX().getType().getDimSize(1), getGated() ? 2 : 1),
                                getGated() ? kFunction + kDivision + 2 : 0, getBias() ? 1 : 0);
  return times(elementsOf(getResult()), ofResult);
}

//===----------------------------------------------------------------------===//
// ttc.kernel.block_gather
//===----------------------------------------------------------------------===//

LogicalResult KernelBlockGatherOp::verify() {
  const auto tokens = getTokens().getType(), result = getResult().getType();
  if (tokens.getRank() != 1 || result.getRank() != 2 ||
      result.getDimSize(0) != tokens.getDimSize(0))
    return emitOpError() << "(C1) expected a result of [M, K] for M tokens in a vector, found "
                         << result << " and " << tokens;
  if (!hasWholeBlocks(getFormat(), result.getDimSize(1)))
    return emitOpError() << "(C2) expected K in a positive multiple of "
                         << kernels::getBlockLayout(toKernel(getFormat())).columns << ", found "
                         << result.getDimSize(1);
  const int64_t rows = getRows();
  if (rows < 1 || rows > getW().getType().getNumElements())
    return emitOpError() << "(C3) expected from 1 row to as many as 'w' has, found " << rows;
  return verifyPacked(*this, "(C3)", rows, result.getDimSize(1), /*gated=*/false);
}

static BlockGatherParams getParams(KernelBlockGatherOp op) {
  BlockGatherParams p{};
  p.format = kernels::getPackedFormat(toKernel(op.getFormat()));
  p.rows = op.getRows();
  p.columns = op.getResult().getType().getDimSize(1);
  p.tokens = op.getTokens().getType().getDimSize(0);
  // An element costs about as much as eight multiply-adds.
  p.splits = std::clamp<int64_t>(chooseWorkgroups(op, 8 * p.tokens * p.columns), 1,
                                 std::max<int64_t>(p.tokens, 1));
  return p;
}

StringRef KernelBlockGatherOp::getKernelSymbol() { return "ttc_kernel_block_gather"; }
bool KernelBlockGatherOp::hasEpilogue() { return false; }
bool KernelBlockGatherOp::acceptsStrided(unsigned, const StridedRange &) { return false; }
void KernelBlockGatherOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this), params);
}
int64_t KernelBlockGatherOp::getGrid() { return getParams(*this).splits; }
int64_t KernelBlockGatherOp::getScratchBytes() { return 0; }

/// As ttc.block_gather counts it.
int64_t KernelBlockGatherOp::getOperationCount() {
  using namespace mlir::ttc::detail;
  return kernels::isPlainFormat(toKernel(getFormat())) ? 0 : times(2, elementsOf(getResult()));
}
