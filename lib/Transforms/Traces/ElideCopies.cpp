// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concats and slices become statements about the storage of tensors. Works on traces after I/O has
// been hoisted: then it is known which values are bound to slots, and only dispatches access
// tensors.
#include "StridedOperands.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ELIDECOPIES
#include "ttc/Transforms/Passes.h.inc"

namespace {

//===--- programs that copy -----------------------------------------------------------===//

/// The only op of a program that copies elements, or null.
SubviewCopyOpInterface getMove(ProgramOp program) {
  if (!program.hasTensorBody())
    return {};
  Block &block = program.getBody().front();
  auto move = dyn_cast<SubviewCopyOpInterface>(block.front());
  if (!move || move->getNextNode() != block.getTerminator() ||
      block.getTerminator()->getOperands() != move->getResults() ||
      !llvm::all_of(move->getOperands(), llvm::IsaPred<BlockArgument>))
    return {};
  return move;
}

//===--- traces -----------------------------------------------------------------------===//

class CopyElider {
public:
  explicit CopyElider(SymbolTable &symbols) : symbols(symbols) {}

  void run(TraceOp elided) {
    trace = elided;
    findLoops();
    shareBeginnings();
    SmallVector<DispatchOp> dispatches(trace.getBody().front().getOps<DispatchOp>());
    // In reverse order: a concat is made a part of another one before its own parts are handled.
    for (DispatchOp dispatch : llvm::reverse(dispatches))
      if (SubviewCopyOpInterface move = getMove(getProgram(dispatch));
          move && move->getNumResults() == 1 && joins(move))
        elideJoin(dispatch, move);
    dispatches = llvm::to_vector(trace.getBody().front().getOps<DispatchOp>());
    // A split makes its results parts of its operand, and changes the storage of nothing else.
    Storages operands;
    for (DispatchOp dispatch : dispatches)
      if (SubviewCopyOpInterface move = getMove(getProgram(dispatch)); move && splits(move))
        elideSplit(dispatch, move, operands);
    Storages storages;
    for (DispatchOp dispatch : trace.getBody().front().getOps<DispatchOp>())
      fitProgram(dispatch, storages);
  }

  int64_t numElided = 0, elidedBytes = 0, numCopies = 0;

private:
  void findLoops() {
    loops.clear();
    SmallVector<Operation *> open{nullptr};
    for (Operation &op : trace.getBody().front()) {
      if (LoopBeginOp::begins(&op))
        open.push_back(&op);
      else if (LoopBeginOp::ends(&op))
        open.pop_back();
      else if (open.back())
        loops[&op] = open.back();
    }
  }

  ProgramOp getProgram(DispatchOp dispatch) {
    return symbols.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
  }

  static bool joins(SubviewCopyOpInterface move) {
    return move.getOperandsInResult() && tensorType(move->getResult(0)).getNumElements() > 0;
  }

  static bool splits(SubviewCopyOpInterface move) {
    return llvm::all_of(move->getResults(), [&](OpResult result) {
      return move.getResultInOperand(result.getResultNumber()).has_value() &&
             tensorType(result).getNumElements() > 0;
    });
  }

  /// Clones the op of a program into the trace, on the operands of the dispatch.
  static Operation *cloneIntoTrace(DispatchOp dispatch, Operation *move, ValueRange operands) {
    OpBuilder builder(dispatch);
    Operation *clone = builder.clone(*move);
    // An argument of the program may be used as several operands.
    clone->setOperands(operands);
    clone->setLoc(dispatch.getLoc());
    return clone;
  }

  /// The dispatch's operands in the order in which the program's op uses them.
  static SmallVector<Value> getMoved(DispatchOp dispatch, Operation *move) {
    return llvm::map_to_vector(move->getOperands(), [&](Value operand) {
      return dispatch.getInputs()[cast<BlockArgument>(operand).getArgNumber()];
    });
  }

  /// Whether all users of the value, or of a view of it, support its strided layout. `except` is a
  /// user that will be erased.
  bool canBeRead(Value value, const StridedRange &rows, Operation *except) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      if (use.getOwner() == except)
        return true;
      if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
        return canBeRead(view.getViewDest(), rows, except);
      auto dispatch = dyn_cast<DispatchOp>(use.getOwner());
      return dispatch && acceptsStrided(getProgram(dispatch), use.getOperandNumber(), rows);
    });
  }

  //===--- concats ----------------------------------------------------------------------===//

  /// The value that `part`, an operand of the dispatch, is a view of, if this trace produces it and
  /// it can be stored as the range `rows` of another value. A value from outside of a loop is
  /// needed in every iteration, and perhaps after the loop; what it would be a part of is not.
  Value getMovable(Value part, const StridedRange &rows, DispatchOp join) {
    Value source = getViewRoot(part);
    auto producer = source.getDefiningOp<DispatchOp>();
    if (!producer || loops.lookup(producer) != loops.lookup(join) || findJoin(source) ||
        !canBeRead(source, rows, join) ||
        !acceptsStrided(getProgram(producer),
                        producer.getInputs().size() + cast<OpResult>(source).getResultNumber(),
                        rows))
      return {};
    return source;
  }

  void elideJoin(DispatchOp dispatch, SubviewCopyOpInterface move) {
    std::optional<ValueStorage> whole = getStorage(dispatch->getResult(0));
    SmallVector<Value> operands = getMoved(dispatch, move);
    const SmallVector<StridedRange> parts = *move.getOperandsInResult();
    SmallVector<bool> isPart(operands.size());
    DenseSet<Value> taken;
    int64_t bytes = 0;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      std::optional<StridedRange> rows = parts[i].in(whole->rows);
      Value source = rows ? getMovable(operand, *rows, dispatch) : Value();
      // A value has only one storage.
      isPart[i] = source && rows->count > 0 && taken.insert(source).second;
      if (isPart[i])
        bytes += getTensorBytes(tensorType(operand));
    }
    if (auto concat = dyn_cast<ConcatOp>(move.getOperation());
        bytes == 0 && concat && operands.size() > mostParts)
      return divideJoin(dispatch, concat, operands);
    if (bytes == 0)
      return;
    for (auto [i, operand] : llvm::enumerate(operands))
      if (!isPart[i])
        operand = copy(dispatch, operand);
    if (auto concat = dyn_cast<ConcatOp>(move.getOperation()))
      operands = joinInTrace(dispatch, concat, operands);
    Operation *clone = cloneIntoTrace(dispatch, move, operands);
    dispatch->replaceAllUsesWith(clone->getResults());
    dispatch.erase();
    ++numElided;
    elidedBytes += bytes;
  }

  /// Makes a concat of many parts one of concats. Where a part is stored depends on all parts
  /// before it, and many passes ask.
  static SmallVector<Value> joinInTrace(DispatchOp before, ConcatOp concat,
                                        SmallVector<Value> parts) {
    OpBuilder builder(before);
    while (parts.size() > mostParts) {
      SmallVector<Value> groups;
      for (ArrayRef<Value> rest = parts; !rest.empty();
           rest = rest.drop_front(std::min(rest.size(), mostParts)))
        groups.push_back(ConcatOp::create(builder, before.getLoc(), rest.take_front(mostParts),
                                          concat.getAxis()));
      parts = std::move(groups);
    }
    return parts;
  }

  /// A copy, of the elements that anything depends on.
  Value copy(DispatchOp before, Value value) {
    OpBuilder builder(before);
    SmallVector<Value> inputs{value};
    WithinAttr within;
    if (auto producer = value.getDefiningOp<DispatchOp>())
      within = getProgram(producer).getWithin(cast<OpResult>(value).getResultNumber());
    if (within)
      inputs.push_back(value.getDefiningOp<DispatchOp>().getInputs()[within.getArgument()]);
    FlatSymbolRefAttr &program = copies[{value.getType(), within}];
    if (!program) {
      ProgramOp made = makeCopyProgram(before.getLoc(), "copy", tensorType(value), within,
                                       inputs.back().getType());
      symbols.insert(made);
      program = FlatSymbolRefAttr::get(made.getSymNameAttr());
    }
    ++numCopies;
    auto made = DispatchOp::create(builder, before.getLoc(), value.getType(), program, inputs);
    loops[made] = loops.lookup(before);
    return made->getResult(0);
  }

  /// Nests concats: if the operands of a concat begin with those of an earlier one, the result of
  /// the earlier one replaces them. A value can be a part of only one other value, which may itself
  /// be a part.
  void shareBeginnings() {
    // With all original operands, even if some of them have been replaced.
    SmallVector<std::pair<DispatchOp, SmallVector<Value>>> earlier;
    for (DispatchOp dispatch : llvm::to_vector(trace.getBody().front().getOps<DispatchOp>())) {
      auto concat = dyn_cast_or_null<ConcatOp>(getMove(getProgram(dispatch)).getOperation());
      if (!concat)
        continue;
      SmallVector<Value> operands = getMoved(dispatch, concat);
      // The longest common beginning is used.
      DispatchOp best;
      size_t length = 1;
      for (auto &[other, begin] : earlier) {
        auto otherConcat = cast<ConcatOp>(getMove(getProgram(other)).getOperation());
        if (otherConcat.getAxis() == concat.getAxis() && begin.size() > length &&
            begin.size() < operands.size() &&
            ArrayRef(operands).take_front(begin.size()) == ArrayRef(begin)) {
          best = other;
          length = begin.size();
        }
      }
      earlier.emplace_back(best ? extend(best, length, dispatch, concat, operands) : dispatch,
                           operands);
    }
  }

  DispatchOp extend(DispatchOp begin, size_t length, DispatchOp dispatch, ConcatOp concat,
                    ArrayRef<Value> operands) {
    SmallVector<Value> shorter{begin->getResult(0)};
    llvm::append_range(shorter, operands.drop_front(length));
    DispatchOp extended = join(dispatch, concat, shorter);
    dispatch->replaceAllUsesWith(extended->getResults());
    dispatch.erase();
    return extended;
  }

  /// A dispatch that joins other values along the same axis.
  DispatchOp join(DispatchOp before, ConcatOp concat, ValueRange values) {
    OpBuilder body(before.getContext());
    SmallVector<Attribute> key{concat.getAxisAttr()};
    for (Type type : values.getTypes())
      key.push_back(TypeAttr::get(type));
    FlatSymbolRefAttr &made = concats[body.getArrayAttr(key)];
    if (!made) {
      auto program = ProgramOp::create(body, before.getLoc(), "concat",
                                       body.getFunctionType(values.getTypes(), {}));
      program.setPrivate();
      program.addEntryBlock();
      Block &block = program.getBody().front();
      body.setInsertionPointToStart(&block);
      auto joined = ConcatOp::create(body, concat.getLoc(), block.getArguments(), concat.getAxis());
      ReturnOp::create(body, concat.getLoc(), joined->getResults());
      program.setFunctionType(body.getFunctionType(values.getTypes(), joined->getResultTypes()));
      symbols.insert(program);
      made = FlatSymbolRefAttr::get(program.getSymNameAttr());
    }
    Type type = symbols.lookup<ProgramOp>(made.getAttr()).getResultTypes().front();
    OpBuilder builder(before);
    auto dispatch = DispatchOp::create(builder, before.getLoc(), type, made, values);
    loops[dispatch] = loops.lookup(before);
    return dispatch;
  }

  /// A concat of many parts that must be copied becomes one of concats, whose results can be stored
  /// in place: compiling a program takes more than linear time, and a command has few operands.
  void divideJoin(DispatchOp dispatch, ConcatOp concat, ArrayRef<Value> parts) {
    SmallVector<Value> groups;
    for (; !parts.empty(); parts = parts.drop_front(std::min(parts.size(), mostParts)))
      groups.push_back(join(dispatch, concat, parts.take_front(mostParts))->getResult(0));
    DispatchOp outer = join(dispatch, concat, groups);
    dispatch->replaceAllUsesWith(outer->getResults());
    dispatch.erase();
    elideJoin(outer, getMove(getProgram(outer)));
  }

  //===--- slices -----------------------------------------------------------------------===//

  void elideSplit(DispatchOp dispatch, SubviewCopyOpInterface move, Storages &storages) {
    SmallVector<Value> operands = getMoved(dispatch, move);
    std::optional<ValueStorage> whole = storages.get(operands[0]);
    int64_t bytes = 0;
    for (OpResult result : dispatch->getResults()) {
      std::optional<StridedRange> rows =
          move.getResultInOperand(result.getResultNumber())->in(whole->rows);
      if (!rows || findJoin(result) || !canBeRead(result, *rows, nullptr))
        return;
      bytes += getTensorBytes(tensorType(result));
    }
    Operation *clone = cloneIntoTrace(dispatch, move, operands);
    dispatch->replaceAllUsesWith(clone->getResults());
    dispatch.erase();
    ++numElided;
    elidedBytes += bytes;
  }

  //===--- programs ---------------------------------------------------------------------===//

  /// `ttc.strided` for a value; null if it is contiguous and aligned like a buffer.
  static StridedAttr getStridedAttr(Value value, Storages &storages) {
    StridedRange rows = storages.get(value)->rows;
    if (rows.count == 0)
      return {};
    int64_t element = getTensorBytes(tensorType(value)) / rows.count;
    int64_t bits = rows.offset * element | static_cast<int64_t>(ttrt::kBufferAlignment);
    if (!rows.isContiguous())
      bits |= rows.pitch * element;
    int64_t alignment = bits & -bits;
    if (rows.isContiguous() && alignment == static_cast<int64_t>(ttrt::kBufferAlignment))
      return {};
    return StridedAttr::get(value.getContext(), rows.row, rows.pitch, alignment);
  }

  /// Makes the dispatch run the variant of its program for the layouts of its operands.
  void fitProgram(DispatchOp dispatch, Storages &storages) {
    SmallVector<Value> values(dispatch.getInputs());
    llvm::append_range(values, dispatch.getOutputs());
    SmallVector<Attribute> key{dispatch.getProgramAttr()};
    bool isPlain = true;
    for (Value value : values) {
      StridedAttr rows = getStridedAttr(value, storages);
      isPlain &= !rows;
      key.push_back(rows);
    }
    if (isPlain)
      return;
    OpBuilder builder(dispatch.getContext());
    FlatSymbolRefAttr &variant = variants[builder.getArrayAttr(llvm::map_to_vector(
        key, [&](Attribute attr) { return attr ? attr : builder.getUnitAttr(); }))];
    if (!variant) {
      ProgramOp program = getProgram(dispatch).clone();
      for (auto [i, rows] : llvm::enumerate(ArrayRef(key).drop_front())) {
        if (rows && i < dispatch.getInputs().size())
          program.setArgAttr(i, ProgramOp::getStridedAttrName(), rows);
        else if (rows)
          program.setResultAttr(i - dispatch.getInputs().size(), ProgramOp::getStridedAttrName(),
                                rows);
      }
      symbols.insert(program);
      variant = FlatSymbolRefAttr::get(program.getSymNameAttr());
    }
    dispatch.setProgramAttr(variant);
  }

  /// The most parts that a program copies.
  static constexpr size_t mostParts = 32;

  TraceOp trace;
  SymbolTable &symbols;
  DenseMap<std::pair<Type, Attribute>, FlatSymbolRefAttr> copies;
  DenseMap<Attribute, FlatSymbolRefAttr> concats; ///< by axis and types
  DenseMap<Attribute, FlatSymbolRefAttr> variants;
  DenseMap<Operation *, Operation *> loops; ///< the beginning of the innermost loop around an op
};

struct ElideCopies : impl::ElideCopiesBase<ElideCopies> {
  PassCounter numElided{*this, "elided", "Dispatches of copies that were elided"};
  PassCounter elidedBytes{*this, "elided-bytes", "Bytes that these no longer write"};
  PassCounter numCopies{*this, "copies", "Parts that are still copied into place"};
  PassCounter numVariants{*this, "variants", "Program variants for strided operands"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    DenseSet<Operation *> before;
    for (auto program : module.getOps<ProgramOp>())
      before.insert(program);
    CopyElider elider(symbols);
    for (auto trace : module.getOps<TraceOp>())
      if (!trace.isEncoded())
        elider.run(trace);
    numElided += elider.numElided;
    elidedBytes += elider.elidedBytes;
    numCopies += elider.numCopies;
    // Unused programs are not compiled.
    eraseUnusedPrograms(module, symbols);
    numVariants += llvm::count_if(module.getOps<ProgramOp>(),
                                  [&](ProgramOp program) { return !before.contains(program); });
  }
};

} // namespace
} // namespace mlir::ttc
