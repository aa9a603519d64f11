// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/Endian.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PREPARELOOPS
#include "ttc/Transforms/Passes.h.inc"

namespace {

struct PrepareLoops : impl::PrepareLoopsBase<PrepareLoops> {
  PassCounter numHoisted{*this, "hoisted", "Ops moved out of loops"};
  PassCounter numFills{*this, "fills", "Initial values of equal elements that become fills"};
  PassCounter numUpdates{*this, "updates", "Small updates limited to one workgroup"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      for (Block &block : function.getFunctionBody()) {
        // An inner loop ends before the loop around it does.
        auto ends = llvm::to_vector(block.getOps<LoopEndOp>());
        for (LoopEndOp end : ends)
          if (LoopBeginOp begin = end.getBegin()) {
            hoist(begin, end);
            limitUpdates(begin, end);
            fill(begin);
          }
      }
  }

private:
  /// Whether the op computes the same from the same operands, wherever it stands.
  static bool isMovable(Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           !isa<HostWorkOpInterface, DeviceWorkOpInterface>(op);
  }

  /// Moves ops in order, so that what depends on moved ones alone is moved, too. Of a choice, a
  /// loop of at most one iteration, only what is used elsewhere.
  void hoist(LoopBeginOp begin, LoopEndOp end) {
    DenseSet<Operation *> staying;
    if (begin.getIterations() == 1)
      for (Operation *op = end->getPrevNode(); op != begin; op = op->getPrevNode())
        if (llvm::all_of(op->getUsers(), [&](Operation *user) {
              return user == end ||
                     (user->getBlock() == end->getBlock() && user->isBeforeInBlock(end) &&
                      (staying.contains(user) || LoopBeginOp::isMark(user)));
            }))
          staying.insert(op);
    for (Operation *op = begin->getNextNode(), *next; op != end; op = next) {
      next = op->getNextNode();
      auto isBefore = [&](Value value) {
        Operation *made = value.getDefiningOp();
        return !made || made->getBlock() != begin->getBlock() || made->isBeforeInBlock(begin);
      };
      if (!isMovable(op) || staying.contains(op) || !llvm::all_of(op->getOperands(), isBefore))
        continue;
      op->moveBefore(begin);
      ++numHoisted;
    }
  }

  /// Constants of fewer bytes stay: a copy is as fast.
  static constexpr int64_t kFewBytes = 64;

  /// The eight bytes that the constant repeats, if it does.
  static std::optional<int64_t> getPattern(ElementsAttr value) {
    constexpr int64_t width = sizeof(uint64_t);
    auto type = cast<RankedTensorType>(value.getShapedType());
    const int64_t bytes = getTensorBytes(type), size = bytes / type.getNumElements();
    auto read = [](const char *from) {
      return static_cast<int64_t>(llvm::support::endian::read64le(from));
    };
    if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.isSplat()) {
      if (size > width)
        return std::nullopt;
      return read(
          getConstantBytes(dense.resizeSplat(type.clone(ArrayRef<int64_t>{width / size}))).data());
    }
    std::optional<ArrayRef<char>> view =
        isa<ShardsAttr>(value) ? std::nullopt : viewConstantBytes(value);
    if (!view || view->size() < width ||
        memcmp(view->data(), view->data() + width, view->size() - width) != 0)
      return std::nullopt;
    return read(view->data());
  }

  /// Where the elements come from that the operand has and that ops before the loop have not
  /// changed where they stand.
  static OpOperand &findUnchanged(OpOperand &operand) {
    OpOperand *found = &operand;
    while (found->get().hasOneUse()) {
      Operation *made = found->get().getDefiningOp();
      auto kernel = dyn_cast_if_present<KernelOpInterface>(made);
      std::optional<unsigned> updated = kernel ? kernel.getUpdatedOperand(0) : std::nullopt;
      if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(made))
        found = &made->getOpOperand(0);
      else if (updated)
        found = &made->getOpOperand(*updated);
      else
        break;
    }
    return *found;
  }

  void fill(LoopBeginOp begin) {
    for (OpOperand &initial : begin->getOpOperands()) {
      OpOperand &operand = findUnchanged(initial);
      ElementsAttr value;
      if (getTensorBytes(tensorType(operand.get())) <= kFewBytes ||
          !matchPattern(operand.get(), m_Constant(&value)))
        continue;
      std::optional<int64_t> pattern = getPattern(value);
      if (!pattern)
        continue;
      OpBuilder builder(operand.getOwner());
      operand.set(FillOp::create(builder, operand.get().getLoc(), operand.get().getType(),
                                 builder.getI64IntegerAttr(*pattern)));
      ++numFills;
    }
  }

  /// An update is small if what it reads, apart from what it changes, is at most this part of that.
  static constexpr int64_t kSmall = 16;

  void limitUpdates(LoopBeginOp begin, LoopEndOp end) {
    DenseSet<Value> handedOn(begin.getValues().begin(), begin.getValues().end());
    for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
        if (handedOn.contains(view.getViewSource()))
          handedOn.insert(view.getViewDest());
        continue;
      }
      auto kernel = dyn_cast<KernelOpInterface>(op);
      std::optional<unsigned> updated = kernel ? kernel.getUpdatedOperand(0) : std::nullopt;
      if (!updated || !handedOn.contains(op->getOperand(*updated)))
        continue;
      handedOn.insert(op->getResult(0));
      int64_t others = 0;
      for (OpOperand &operand : op->getOpOperands())
        if (operand.getOperandNumber() != *updated)
          others += tensorType(operand.get()).getNumElements();
      if (others > tensorType(op->getOperand(*updated)).getNumElements() / kSmall)
        continue;
      op->setAttr(kMaxWorkgroupsAttrName, Builder(op->getContext()).getI64IntegerAttr(1));
      ++numUpdates;
    }
  }
};

} // namespace
} // namespace mlir::ttc
