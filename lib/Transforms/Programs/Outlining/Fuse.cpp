// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FUSE
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// A program of its own, or part of one: an op on tensors that computes or moves something.
bool isFusable(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return isa<TtcDialect>(op->getDialect()) && op->getNumResults() > 0 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) && !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         // A reshape is another name for the same bytes.
         !isa<HostWorkOpInterface, DeviceWorkOpInterface, ReshapeOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isTensor) &&
         llvm::all_of(op->getResultTypes(), isTensor);
}

/// A splat constant, which can be embedded in the code.
bool isInlineConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || isa<ShardsAttr>(constant.getValue())) // programs are the same on all devices
    return false;
  return constant.getValue().isSplat() || constant.getValue().getNumElements() == 1;
}

/// Whether no program has ops of both sides: they run in different traces, or not equally often.
bool separates(Operation &op) {
  return TraceBoundaryOp::separates(&op) || LoopBeginOp::isMark(&op);
}

/// Groups the ops of one block, none across what separates them.
class BlockFuser {
public:
  explicit BlockFuser(Block &block) : block(block) {}

  void run() {
    for (begin = block.begin(); begin != block.end(); begin = end) {
      end = std::find_if(std::next(begin), block.end(), separates);
      group();
    }
    for (Group &group : groups) {
      llvm::sort(group, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      numOps += group.size();
    }
    for (Group &group : groups)
      build(group);
  }

  int64_t getNumFusions() const { return groups.size(); }
  int64_t getNumOps() const { return numOps; }

private:
  using Group = SmallVector<Operation *>;

  /// Groups the ops from `begin` to `end`.
  void group() {
    for (Operation &op : llvm::make_range(begin, end))
      if (isa<KernelOpInterface>(op) && isFusable(&op))
        fuseTail(cast<KernelOpInterface>(op));
    // Users first, so that a group grows towards its operands.
    for (Operation &op : llvm::reverse(llvm::make_range(begin, end)))
      if (isFusable(&op) && !groupOf.contains(&op))
        fuseProducers(&op);
  }

  /// Whether the op is from `begin` to `end`.
  bool isInReach(Operation *op) const {
    return op->getBlock() == &block && !op->isBeforeInBlock(&*begin) &&
           (end == block.end() || op->isBeforeInBlock(&*end));
  }

  void addGroup(Group group) {
    for (Operation *op : group)
      groupOf[op] = groups.size();
    groups.push_back(std::move(group));
  }

  //===--- kernels and their epilogues --------------------------------------------------===//

  /// How many elementwise ops after a kernel are considered.
  static constexpr size_t maxTail = 32;

  /// The longest tail such that only its last value is used by others, and of a type that the
  /// kernel can store.
  void fuseTail(KernelOpInterface anchor) {
    llvm::SmallSetVector<Operation *, 16> members;
    members.insert(anchor);
    size_t best = 1;
    if (anchor.hasEpilogue() && anchor->getNumResults() == 1) {
      while (members.size() < maxTail) {
        Operation *next = getNextTailOp(members, anchor);
        if (!next)
          break;
        for (Value operand : next->getOperands())
          if (Operation *producer = operand.getDefiningOp();
              producer && !members.contains(producer) && canRunBeside(producer, next, anchor))
            members.insert(producer);
        members.insert(next);
        if (onlyLastEscapes(members) &&
            anchor.canStore(tensorType(next->getResult(0)).getElementType()))
          best = members.size();
      }
    }
    addGroup(Group(members.getArrayRef().take_front(best)));
  }

  /// The first op of the block that could run after the members.
  Operation *getNextTailOp(const llvm::SmallSetVector<Operation *, 16> &members,
                           KernelOpInterface anchor) {
    Operation *next = nullptr;
    for (Operation *member : members)
      for (Operation *user : member->getUsers()) {
        if (members.contains(user) || !canRunInEpilogue(user, anchor))
          continue;
        if (!next || user->isBeforeInBlock(next))
          next = user;
      }
    return next;
  }

  /// Whether epilogues of the kernel can compute with elements of this type: one that stores bytes
  /// is given words and bytes, too.
  static bool canHandle(KernelOpInterface anchor, Type type) {
    return anchor.canStore(type) || type == getElementTypeOrSelf(anchor->getResult(0));
  }

  bool canRunInEpilogue(Operation *op, KernelOpInterface anchor) {
    auto type = tensorType(anchor->getResult(0));
    if (!isa<ElementwiseOpInterface>(op) || !isInReach(op) || groupOf.contains(op) ||
        tensorType(op->getResult(0)).getShape() != type.getShape() ||
        !canHandle(anchor, tensorType(op->getResult(0)).getElementType()))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      auto operandType = tensorType(operand);
      if (!canHandle(anchor, operandType.getElementType()))
        return false;
      if (operandType.getShape() == type.getShape() || operandType.getNumElements() == 1)
        return true;
      // A vector along the last dimension.
      auto shape = operandType.getShape();
      return operandType.getNumElements() == shape.back() && shape.back() == type.getShape().back();
    });
  }

  /// Whether the epilogue can compute an operand of one of its ops, which nothing else uses, from
  /// fewer bytes: the real numbers of another quantised tensor.
  bool canRunBeside(Operation *producer, Operation *user, KernelOpInterface anchor) {
    auto getBits = [](Value value) { return tensorType(value).getElementTypeBitWidth(); };
    return producer->getNumResults() == 1 && canRunInEpilogue(producer, anchor) &&
           isFusable(producer) &&
           llvm::all_of(producer->getUsers(), [&](Operation *other) { return other == user; }) &&
           llvm::all_of(producer->getOperands(), [&](Value operand) {
             return tensorType(operand).getNumElements() == 1 ||
                    getBits(operand) < getBits(producer->getResult(0));
           });
  }

  bool onlyLastEscapes(const llvm::SmallSetVector<Operation *, 16> &members) {
    return llvm::all_of(members.getArrayRef().drop_back(), [&](Operation *member) {
      return llvm::all_of(member->getUsers(),
                          [&](Operation *user) { return members.contains(user); });
    });
  }

  //===--- everything else --------------------------------------------------------------===//

  /// Whether an op takes the elementwise ops in front of it along: if it is one itself, or works
  /// along its dimensions and keeps the shape (softmax), so that a tile of its result needs the
  /// same tile of its operand, or whole rows of it.
  static bool takesProducers(Operation *op) {
    return isa<ElementwiseOpInterface>(op) ||
           (isa<PermutableOpInterface>(op) && op->getNumOperands() == 1 &&
            op->getOperandTypes() == op->getResultTypes());
  }

  /// The largest group, and the most tensors that one reads. A command has at most 64 operands and
  /// results, and compiling a program takes more than linear time.
  static constexpr size_t maxGroup = 128, maxInputs = 48;

  /// An op with the elementwise ops of its shape in front of it that only the group uses.
  void fuseProducers(Operation *root) {
    llvm::SmallSetVector<Operation *, 16> members;
    members.insert(root);
    llvm::SmallDenseSet<Value> inputs(root->operand_begin(), root->operand_end());
    auto fits = [&](Operation *producer) {
      size_t added = llvm::count_if(producer->getOperands(),
                                    [&](Value operand) { return !inputs.contains(operand); });
      return members.size() < maxGroup && inputs.size() + added <= maxInputs;
    };
    // Members are added while the list is walked.
    for (size_t i = 0; i < members.size() && takesProducers(root); ++i)
      for (Value operand : members[i]->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || !canJoin(producer, members, root) || !fits(producer) ||
            !members.insert(producer))
          continue;
        inputs.erase(producer->getResult(0));
        inputs.insert_range(producer->getOperands());
      }
    addGroup(members.takeVector());
  }

  bool canJoin(Operation *producer, const llvm::SmallSetVector<Operation *, 16> &members,
               Operation *root) {
    return isInReach(producer) && isa<ElementwiseOpInterface>(producer) && isFusable(producer) &&
           !groupOf.contains(producer) &&
           tensorType(producer->getResult(0)).getShape() ==
               tensorType(root->getResult(0)).getShape() &&
           llvm::all_of(producer->getUsers(),
                        [&](Operation *user) { return members.contains(user); });
  }

  //===--- building ---------------------------------------------------------------------===//

  /// Moves the ops of a group into a fusion at the position of the last one.
  void build(const Group &group) {
    Operation *last = group.back();
    DenseSet<Operation *> members(group.begin(), group.end());
    llvm::SetVector<Value> inputs;
    SmallVector<Value> inlined;
    for (Operation *op : group)
      for (Value operand : op->getOperands()) {
        if (operand.getDefiningOp() && members.contains(operand.getDefiningOp()))
          continue;
        if (isa<ElementwiseOpInterface>(op) && isInlineConstant(operand))
          inlined.push_back(operand);
        else
          inputs.insert(operand);
      }

    OpBuilder builder(last);
    SmallVector<Location> locations =
        llvm::map_to_vector(group, [](Operation *op) { return op->getLoc(); });
    Location loc = FusedLoc::get(builder.getContext(), locations);
    auto fusion = FusionOp::create(builder, loc, last->getResultTypes(), inputs.getArrayRef());
    Block &body = fusion.getBody().front();
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body.getArguments());
    builder.setInsertionPointToEnd(&body);
    DenseMap<Value, Value> constants;
    for (Value constant : inlined) {
      Value &clone = constants[constant];
      if (!clone)
        clone = builder.clone(*constant.getDefiningOp())->getResult(0);
    }
    for (Operation *op : group) {
      Operation *clone = builder.clone(*op, mapping);
      if (isa<ElementwiseOpInterface>(op))
        for (OpOperand &operand : op->getOpOperands())
          if (Value constant = constants.lookup(operand.get()))
            clone->setOperand(operand.getOperandNumber(), constant);
    }
    auto results = llvm::map_to_vector(last->getResults(),
                                       [&](Value result) { return mapping.lookup(result); });
    YieldOp::create(builder, loc, results);
    last->replaceAllUsesWith(fusion.getResults());
    for (Operation *op : llvm::reverse(group))
      op->erase();
  }

  Block &block;
  Block::iterator begin, end;
  std::vector<Group> groups;
  DenseMap<Operation *, size_t> groupOf;
  int64_t numOps = 0;
};

struct Fuse : impl::FuseBase<Fuse> {
  PassCounter numFusions{*this, "fusions", "Fusions made"};
  PassCounter numOps{*this, "ops", "Ops in fusions"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (isa<ProgramOp>(function))
        continue;
      for (Block &block : function.getFunctionBody()) {
        BlockFuser fuser(block);
        fuser.run();
        numFusions += fuser.getNumFusions();
        numOps += fuser.getNumOps();
      }
    }
    // Constants that moved into fusions.
    SmallVector<Operation *> dead;
    getOperation().walk([&](ConstantOp op) {
      if (op->use_empty())
        dead.push_back(op);
    });
    for (Operation *op : dead)
      op->erase();
  }
};

} // namespace
} // namespace mlir::ttc
