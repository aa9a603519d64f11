// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are needed at no common time can share a buffer, as variables share a register. A
// value from outside of a loop that an iteration uses is needed up to the end of the loop. What a
// loop begins with and its results are copies of one moment, so the value that one of them copies
// may be in its home, and in no other.
#include "LoopHomes.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ttc;

LoopNest::LoopNest(Block &block) {
  int64_t position = 0, open = -1;
  for (Operation &op : block) {
    places[&op] = {position, open};
    if (LoopBeginOp::begins(&op)) {
      loops.push_back({position, -1, open, nullptr});
      open = loops.size() - 1;
    } else if (LoopBeginOp::ends(&op)) {
      loops[open].end = position;
      loops[open].last = &op;
      open = loops[open].around;
    }
    ++position;
  }
}

Operation *LoopNest::getLastUser(Operation *writer, Operation *user) const {
  const int64_t written = writer ? getPosition(writer) : -1;
  Operation *last = user;
  for (int64_t loop = places.lookup(user).loop; loop >= 0; loop = loops[loop].around)
    if (written < loops[loop].begin || written >= loops[loop].end)
      last = loops[loop].last;
  return last;
}

LogicalResult LoopHomes::run() {
  if (nest.isEmpty())
    return success();
  if (failed(measure()))
    return failure();
  join();
  addCopies();
  for (size_t home = 0; home < carried.size(); ++home)
    if (find(home) == home)
      homes.push_back(members[home]);
  return success();
}

//===--- when values are needed -------------------------------------------------------===//

LogicalResult LoopHomes::measure() {
  SmallVector<LoopBeginOp> open;
  for (Operation &op : trace.getBody().front()) {
    ops.push_back(&op);
    auto note = [&](Value value) -> LogicalResult {
      if (storages.get(value))
        return success();
      return op.emitError("expected an operand that is a strided range of one value, found a "
                          "view that is not");
    };
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op.getOperands()),
                                           SmallVector<Value>(op.getResults())))
      if (failed(note(value)))
        return failure();
    if (isa<DeviceWorkOpInterface>(op))
      for (Value result : op.getResults()) {
        Value root = storages.get(result)->root;
        if (firstWriters.try_emplace(root, &op).second)
          ranges[root] = {nest.getPosition(&op), nest.getPosition(&op)};
      }
    if (auto begin = dyn_cast<LoopBeginOp>(op)) {
      open.push_back(begin);
    } else if (auto end = dyn_cast<LoopEndOp>(op)) {
      LoopBeginOp begin = open.pop_back_val();
      for (unsigned i = 0; i < begin.getNumResults(); ++i)
        carried.push_back(
            {begin, end, i, getTensorBytes(cast<ShapedType>(begin.getResult(i).getType()))});
    }
  }
  // Uses in order, so the last one counts.
  for (Operation *op : ops)
    if (isa<DeviceWorkOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op->getOperands()) {
        Value root = storages.get(operand)->root;
        Operation *last = nest.getLastUser(firstWriters.lookup(root), op);
        int64_t &end = ranges[root].end;
        end = std::max(end, nest.getPosition(last));
      }
  return success();
}

//===--- homes ------------------------------------------------------------------------===//

size_t LoopHomes::find(size_t home) {
  while (parents[home] != home)
    home = parents[home];
  return home;
}

std::optional<size_t> LoopHomes::homeOf(Value value) {
  auto it = memberOf.find(storages.get(value)->root);
  return it == memberOf.end() ? std::nullopt : std::optional(find(it->second));
}

void LoopHomes::join() {
  for (size_t home = 0; home < carried.size(); ++home) {
    const Home &its = carried[home];
    parents.push_back(home);
    members.push_back(
        {LoopBeginOp(its.begin).getResult(its.index), LoopEndOp(its.end).getResult(its.index)});
    for (Value value : members.back())
      memberOf[value] = home;
  }
  // A large value is the first to do without a copy.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, carried.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-carried[a].bytes, a) < std::pair(-carried[b].bytes, b);
  });
  for (size_t home : order) {
    Home &its = carried[home];
    for (Value value : {its.end.getNext()[its.index], its.begin.getInputs()[its.index]})
      if (std::optional<ValueStorage> storage = storages.get(value); storage->isWhole())
        tryJoin(home, storage->root);
  }
  for (size_t home : order)
    joinChain(home);
}

bool LoopHomes::tryJoin(size_t home, Value root) {
  home = find(home);
  if (isa<BlockArgument>(root))
    return false;
  std::optional<size_t> other = homeOf(root);
  if (other == home)
    return true;
  SmallVector<Value> added = other ? members[*other] : SmallVector<Value>{root};
  for (Value a : members[home])
    for (Value b : added)
      if (!mayShare(a, b))
        return false;
  llvm::append_range(members[home], added);
  if (other)
    parents[*other] = home;
  else
    memberOf[root] = home;
  return true;
}

/// Whether the two roots, neither of which is an argument, may have one buffer.
bool LoopHomes::mayShare(Value a, Value b) {
  Range first = ranges[a], second = ranges[b];
  if (getTensorBytes(cast<ShapedType>(a.getType())) !=
          getTensorBytes(cast<ShapedType>(b.getType())) ||
      cast<RankedTensorType>(a.getType()).getEncoding() ||
      cast<RankedTensorType>(b.getType()).getEncoding())
    return false;
  if (second.begin < first.begin) {
    std::swap(first, second);
    std::swap(a, b);
  }
  if (first.begin == second.begin)
    return false;
  if (first.end != second.begin)
    return first.end < second.begin;
  Operation *op = ops[second.begin];
  if (LoopBeginOp::isMark(op)) {
    // Only as the same value of the loop.
    bool isOperand = false;
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      if (std::optional<ValueStorage> storage = storages.get(operand); storage->root == a) {
        isOperand = true;
        if (result != b || !storage->isWhole())
          return false;
      }
    return isOperand;
  }
  auto work = cast<DeviceWorkOpInterface>(op);
  SmallVector<unsigned> operands;
  for (OpResult result : work->getResults()) {
    std::optional<ValueStorage> storage = storages.get(result);
    if (storage->root == b && storage->isWhole())
      work.getInPlaceOperands(result.getResultNumber(), symbols, operands);
  }
  return llvm::all_of(work->getOpOperands(), [&](OpOperand &operand) {
    std::optional<ValueStorage> storage = storages.get(operand.get());
    return storage->root != a ||
           (storage->isWhole() && llvm::is_contained(operands, operand.getOperandNumber()));
  });
}

/// What becomes the next value by one update after the other is in the home between them, too.
void LoopHomes::joinChain(size_t home) {
  Home &its = carried[home];
  Value value = storages.get(its.end.getNext()[its.index])->root;
  while (homeOf(value) == find(home) && value != its.begin.getResult(its.index)) {
    auto work = dyn_cast_if_present<DeviceWorkOpInterface>(firstWriters.lookup(value));
    auto result = dyn_cast<OpResult>(value);
    if (!work || LoopBeginOp::isMark(work) || !result || result.getOwner() != work)
      return;
    SmallVector<unsigned> operands;
    work.getInPlaceOperands(result.getResultNumber(), symbols, operands);
    Value before;
    for (unsigned operand : operands) {
      std::optional<ValueStorage> storage = storages.get(work->getOperand(operand));
      if (!before && storage->isWhole() && tryJoin(home, storage->root))
        before = storage->root;
    }
    if (!before)
      return;
    value = before;
  }
}

//===--- copies -----------------------------------------------------------------------===//

Value LoopHomes::copy(Operation *before, Value value) {
  ++numCopies;
  OpBuilder builder(before);
  return CopyOp::create(builder, before->getLoc(), value.getType(), value);
}

void LoopHomes::addCopies() {
  // Whether the value is in the home, as what the loop takes from there.
  auto isThere = [&](size_t home, Value value) {
    return storages.get(value)->isWhole() && homeOf(value) == find(home);
  };
  for (size_t first = 0, last; first < carried.size(); first = last) {
    LoopBeginOp begin = carried[first].begin;
    LoopEndOp end = carried[first].end;
    last = first + begin.getNumResults();
    SmallVector<size_t> copied;
    for (size_t home = first; home < last; ++home) {
      const unsigned i = carried[home].index;
      if (!isThere(home, begin.getInputs()[i])) {
        Value value = copy(begin, begin.getInputs()[i]);
        begin->setOperand(i, value);
        memberOf[value] = find(home);
        members[find(home)].push_back(value);
      }
      if (!isThere(home, end.getNext()[i]))
        copied.push_back(home);
    }
    // A value in a home that is written now is set aside first.
    for (size_t home : copied) {
      const unsigned i = carried[home].index;
      std::optional<size_t> there = homeOf(end.getNext()[i]);
      if (there && llvm::any_of(copied, [&](size_t other) { return find(other) == *there; }))
        end->setOperand(i, copy(end, end.getNext()[i]));
    }
    for (size_t home : copied) {
      const unsigned i = carried[home].index;
      Value value = copy(end, end.getNext()[i]);
      end->setOperand(i, value);
      memberOf[value] = find(home);
      members[find(home)].push_back(value);
    }
  }
}
