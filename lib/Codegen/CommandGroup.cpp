// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandGroup.h"
#include "ProgramBody.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most memory of a program of its own, which is on the stack of a thread, and of one buffer.
static constexpr int64_t kMostLocalBytes = 32 << 10, kMostBytesOfLocal = 4 << 10;
/// The most bytes of a copy that becomes a part of a program.
static constexpr int64_t kMostCopied = 4 << 10;

namespace {
/// Bytes as disjoint intervals that do not touch, in ascending order.
class ByteSet {
public:
  using Interval = std::pair<int64_t, int64_t>;

  void add(int64_t begin, int64_t end) {
    SmallVector<Interval> next;
    for (const Interval &interval : intervals) {
      if (interval.second < begin || interval.first > end) {
        next.push_back(interval);
      } else {
        begin = std::min(begin, interval.first);
        end = std::max(end, interval.second);
      }
    }
    next.push_back({begin, end});
    llvm::sort(next);
    intervals = std::move(next);
  }

  /// Adds what of [begin, end) is not in `other`.
  void addMissing(int64_t begin, int64_t end, const ByteSet &other) {
    for (const Interval &interval : other.intervals) {
      if (interval.second <= begin || interval.first >= end)
        continue;
      if (interval.first > begin)
        add(begin, interval.first);
      begin = std::max(begin, interval.second);
    }
    if (begin < end)
      add(begin, end);
  }

  bool holds(int64_t begin, int64_t end) const {
    return llvm::any_of(intervals, [&](const Interval &interval) {
      return interval.first <= begin && end <= interval.second;
    });
  }

  ArrayRef<Interval> get() const { return intervals; }

private:
  SmallVector<Interval> intervals;
};
} // namespace

/// How often each buffer is accessed, and each program dispatched, by commands and steps. Each
/// other reference to a symbol counts, too.
static DenseMap<StringAttr, int64_t> countUses(ModuleOp module) {
  DenseMap<StringAttr, int64_t> uses;
  for (Operation &top : module.getOps()) {
    if (isa<ProgramOp>(top))
      continue;
    top.walk([&](Operation *op) {
      SmallVector<BufferAccess> accesses;
      llvm::SmallDenseSet<StringAttr> accessed;
      if (auto accessing = dyn_cast<BufferAccessOpInterface>(op))
        accessing.getAccesses(accesses);
      for (const BufferAccess &access : accesses) {
        accessed.insert(access.buffer.getAttr());
        ++uses[access.buffer.getAttr()];
      }
      op->getAttrDictionary().walk([&](SymbolRefAttr name) {
        if (!accessed.contains(name.getRootReference()))
          ++uses[name.getRootReference()];
      });
    });
  }
  return uses;
}

CommandGroups::CommandGroups(ModuleOp module)
    : module(module), table(module), uses(countUses(module)) {}

bool CommandGroups::isCandidate(Operation *op) {
  auto isInDram = [&](FlatSymbolRefAttr name) {
    auto buffer = table.lookup<BufferOp>(name.getAttr());
    return buffer && buffer.getMemory() == MemorySpace::Dram && !buffer.getShards();
  };
  if (auto copy = dyn_cast<CmdCopyOp>(op))
    return copy.getBytes() <= static_cast<uint64_t>(kMostCopied) &&
           copy.getWorkgroups(symbols) == 1 && isInDram(copy.getSourceAttr()) &&
           isInDram(copy.getTargetAttr());
  auto dispatch = dyn_cast<CmdDispatchOp>(op);
  if (!dispatch)
    return false;
  auto program = table.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
  if (!program || program.getGrid() != 1 || program.getShards() || program.getMarkers() ||
      program.getHostFunction() || !canBeCalled(program))
    return false;
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (program.getWithin(i))
      return false;
  return llvm::all_of(llvm::concat<const Attribute>(dispatch.getInputs(), dispatch.getOutputs()),
                      [&](Attribute name) { return isInDram(cast<FlatSymbolRefAttr>(name)); });
}

int64_t CommandGroups::countExecuted(ArrayRef<Operation *> commands) {
  int64_t count = 0;
  for (Operation *op : commands) {
    auto dispatch = dyn_cast<CmdDispatchOp>(op);
    const int64_t own = dispatch ? executed.lookup(dispatch.getProgramAttr().getAttr()) : 0;
    count += std::max<int64_t>(own, 1);
  }
  return count;
}

void CommandGroups::collectAccesses(ArrayRef<Operation *> commands,
                                    SmallVectorImpl<Access> &accesses) {
  for (auto [number, op] : llvm::enumerate(commands)) {
    const unsigned command = number;
    if (auto copy = dyn_cast<CmdCopyOp>(op)) {
      const auto bytes = static_cast<int64_t>(copy.getBytes());
      const Range range = {0, bytes, bytes, bytes};
      accesses.push_back({command, 0, copy.getSourceAttr(), range, false, {}, {}});
      accesses.push_back({command, 1, copy.getTargetAttr(), range, true, {}, {}});
      continue;
    }
    auto dispatch = cast<CmdDispatchOp>(op);
    auto program = table.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
    SmallVector<BufferAccess> buffers;
    dispatch.getAccesses(buffers);
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      const ByteSpan span = dispatch.getSpan(i, symbols);
      const Range range = {span.offset, span.offset + span.bytes, span.row, span.pitch};
      accesses.push_back({command, static_cast<unsigned>(i), buffer.buffer, range, buffer.write,
                          program.getOperandType(i), program.getStrided(i)});
    }
  }
}

/// How a contiguous operand is described that does not begin at a multiple of what buffers do.
StridedAttr CommandGroups::alignedRow(BufferOp buffer, const Range &range, int64_t elements) {
  const int64_t address = buffer.getAddressAttr().getInt() + range.begin;
  if (address % ttrt::kBufferAlignment == 0)
    return {};
  return StridedAttr::get(module.getContext(), elements, elements, address & -address);
}

bool CommandGroups::addBuffer(FlatSymbolRefAttr name, ArrayRef<const Access *> accesses,
                              bool isPrivate, int64_t &localBytes, Plan &plan) {
  auto buffer = table.lookup<BufferOp>(name.getAttr());
  // What is read before it is written, and what is written.
  ByteSet read, written, covered;
  bool hasGaps = false;
  for (const Access *access : accesses) {
    const Range &range = access->range;
    hasGaps |= range.hasGaps();
    if (!access->write) {
      read.addMissing(range.begin, range.end, covered);
    } else {
      written.add(range.begin, range.end);
      if (!range.hasGaps())
        covered.add(range.begin, range.end);
    }
  }
  const int64_t bytes = *buffer.getExtent();
  if (isPrivate && read.get().empty() && bytes <= kMostBytesOfLocal &&
      localBytes + bytes <= kMostLocalBytes) {
    localBytes += llvm::alignTo(bytes, ttrt::kBufferAlignment);
    plan.locals.insert({name.getAttr(), bytes});
    return true;
  }
  auto addOperand = [&](SmallVectorImpl<Operand> &operands, const Range &range) {
    const auto *exact = llvm::find_if(
        accesses, [&](const Access *access) { return access->type && access->range == range; });
    if (exact != accesses.end()) {
      operands.push_back({name, range, (*exact)->type, (*exact)->strided});
      return;
    }
    const int64_t count = range.end - range.begin;
    operands.push_back({name, range,
                        RankedTensorType::get({count}, IntegerType::get(module.getContext(), 8)),
                        alignedRow(buffer, range, count)});
  };
  if (hasGaps) {
    // Only one set of rows has a description.
    const Range &rows = accesses.front()->range;
    if (!llvm::all_of(accesses, [&](const Access *access) { return access->range == rows; }))
      return false;
    const bool isRead = !accesses.front()->write;
    if (isRead)
      addOperand(plan.inputs, rows);
    if (llvm::any_of(accesses, [](const Access *access) { return access->write; })) {
      addOperand(plan.outputs, rows);
      plan.inPlace.push_back(isRead ? plan.inputs.size() - 1 : -1);
    }
    return true;
  }
  // Each access has one operand's bytes, and operands share all of their bytes, or none.
  for (const Access *access : accesses)
    if (!read.holds(access->range.begin, access->range.end) &&
        !written.holds(access->range.begin, access->range.end))
      return false;
  auto toRange = [](ByteSet::Interval bytes) {
    const int64_t size = bytes.second - bytes.first;
    return Range{bytes.first, bytes.second, size, size};
  };
  const size_t firstInput = plan.inputs.size();
  for (ByteSet::Interval bytes : read.get())
    addOperand(plan.inputs, toRange(bytes));
  for (ByteSet::Interval bytes : written.get()) {
    int64_t inPlace = -1;
    for (auto [i, other] : llvm::enumerate(read.get())) {
      if (other == bytes)
        inPlace = static_cast<int64_t>(firstInput + i);
      else if (other.first < bytes.second && bytes.first < other.second)
        return false;
    }
    addOperand(plan.outputs, toRange(bytes));
    // The two have one description, as operands that may be in the same place.
    if (inPlace >= 0) {
      plan.outputs.back().type = plan.inputs[inPlace].type;
      plan.outputs.back().strided = plan.inputs[inPlace].strided;
    }
    plan.inPlace.push_back(inPlace);
  }
  return true;
}

std::optional<CommandGroups::Plan> CommandGroups::makePlan(ArrayRef<Operation *> commands,
                                                           CmdRepeatOp loop) {
  Plan plan;
  collectAccesses(commands, plan.accesses);
  llvm::MapVector<StringAttr, SmallVector<const Access *>> byBuffer;
  for (const Access &access : plan.accesses)
    byBuffer[access.buffer.getAttr()].push_back(&access);
  int64_t localBytes = 0;
  SmallVector<std::pair<int64_t, int64_t>> extents; // of the buffers that are not local
  for (auto &[name, accesses] : byBuffer) {
    auto buffer = table.lookup<BufferOp>(name);
    const bool isPrivate = buffer.getKind() == BufferKind::Activation &&
                           uses.lookup(name) == static_cast<int64_t>(accesses.size());
    if (!addBuffer(FlatSymbolRefAttr::get(name), accesses, isPrivate, localBytes, plan))
      return std::nullopt;
    const int64_t begin = buffer.getAddressAttr().getInt();
    if (!plan.locals.contains(name))
      extents.push_back({begin, begin + *buffer.getExtent()});
  }
  // One command needs all of them at the same time.
  llvm::sort(extents);
  for (size_t i = 1; i < extents.size(); ++i)
    if (extents[i].first < extents[i - 1].second)
      return std::nullopt;
  if (plan.outputs.empty() || plan.inputs.size() + plan.outputs.size() > ttrt::kMaxOperands)
    return std::nullopt;
  return plan;
}

/// What the new program is called: as those that it calls, in their order.
static std::string joinNames(ArrayRef<Operation *> commands, CmdRepeatOp loop) {
  constexpr size_t kLongest = 96;
  std::string name = loop ? "loop_" + std::to_string(loop.getIterations()) : "";
  size_t more = 0;
  StringRef last;
  for (Operation *op : commands) {
    auto dispatch = dyn_cast<CmdDispatchOp>(op);
    StringRef next = dispatch ? dispatch.getProgram() : "copy";
    if (next == last)
      continue;
    last = next;
    if (name.size() + next.size() < kLongest)
      name += (name.empty() ? "" : "_") + next.str();
    else
      ++more;
  }
  return more ? name + "_and_" + std::to_string(more) + "_more" : name;
}

ProgramOp CommandGroups::makeProgram(ArrayRef<Operation *> commands, CmdRepeatOp loop,
                                     const Plan &plan) {
  SmallVector<Location> locations;
  int64_t scratch = 0, flops = 0;
  bool hasFlops = false;
  for (Operation *op : commands) {
    locations.push_back(op->getLoc());
    auto dispatch = dyn_cast<CmdDispatchOp>(op);
    if (!dispatch)
      continue;
    auto program = table.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
    scratch = std::max(scratch, static_cast<int64_t>(program.getScratchBytes().value_or(0)));
    hasFlops |= program.getFlops().has_value();
    flops += static_cast<int64_t>(program.getFlops().value_or(0));
  }
  Location loc = FusedLoc::get(module.getContext(), locations);
  OpBuilder builder(module.getContext());
  auto typesOf = [](ArrayRef<Operand> operands) {
    return llvm::map_to_vector(operands, [](const Operand &operand) { return operand.type; });
  };
  auto type = builder.getFunctionType(typesOf(plan.inputs), typesOf(plan.outputs));
  auto program = ProgramOp::create(builder, loc, joinNames(commands, loop), type);
  program.setPrivate();
  program.addEntryBlock();
  if (hasFlops)
    program.setFlops(flops * (loop ? static_cast<int64_t>(loop.getIterations()) : 1));
  const unsigned inputs = plan.inputs.size();
  for (auto [i, operand] : llvm::enumerate(plan.inputs))
    if (operand.strided)
      program.setStrided(i, operand.strided);
  for (auto [i, operand] : llvm::enumerate(plan.outputs)) {
    if (operand.strided)
      program.setStrided(inputs + i, operand.strided);
    if (plan.inPlace[i] >= 0)
      program.setResultAttr(i, ProgramOp::getInPlaceAttrName(),
                            builder.getDenseI64ArrayAttr({plan.inPlace[i]}));
  }
  Operation *first = loop ? loop.getOperation() : commands.front();
  table.insert(program, std::next(first->getParentOfType<TraceOp>()->getIterator()));

  FusedBody body(program, loc, inputs + plan.outputs.size(), scratch);
  DenseMap<StringAttr, Value> locals;
  for (const auto &[name, bytes] : plan.locals)
    locals[name] = body.addLocal(bytes);
  for (auto [i, operand] : llvm::enumerate(plan.outputs))
    if (plan.inPlace[i] >= 0)
      body.beginWith(inputs + i, plan.inPlace[i], operand.range.end - operand.range.begin);
  if (loop)
    body.beginLoop(loop.getIterations());
  auto getPointer = [&](const Access &access) {
    if (Value local = locals.lookup(access.buffer.getAttr()))
      return body.getAddress(local, access.range.begin);
    // An output first: what is written has one pointer, by which it is also read.
    auto find = [&](ArrayRef<Operand> operands) {
      return llvm::find_if(operands, [&](const Operand &operand) {
        return operand.buffer == access.buffer && operand.range.begin <= access.range.begin &&
               access.range.end <= operand.range.end;
      });
    };
    const auto *output = find(plan.outputs);
    const bool isOutput = output != plan.outputs.end();
    const auto *operand = isOutput ? output : find(plan.inputs);
    const unsigned index = isOutput ? inputs + (operand - plan.outputs.begin())
                                    : static_cast<unsigned>(operand - plan.inputs.begin());
    return body.getAddress(body.getOperand(index), access.range.begin - operand->range.begin);
  };
  const auto *next = plan.accesses.begin();
  for (auto [number, op] : llvm::enumerate(commands)) {
    SmallVector<Value> pointers;
    for (; next != plan.accesses.end() && next->command == number; ++next)
      pointers.push_back(getPointer(*next));
    if (auto copy = dyn_cast<CmdCopyOp>(op))
      body.addCopy(pointers[1], pointers[0], static_cast<int64_t>(copy.getBytes()));
    else
      body.addCall(table.lookup<ProgramOp>(cast<CmdDispatchOp>(op).getProgramAttr().getAttr()),
                   pointers);
  }
  if (failed(body.finish()))
    return nullptr;
  return program;
}

bool CommandGroups::fuse(ArrayRef<Operation *> commands, CmdRepeatOp loop) {
  std::optional<Plan> plan = makePlan(commands, loop);
  if (!plan)
    return false;
  const int64_t count =
      countExecuted(commands) * (loop ? static_cast<int64_t>(loop.getIterations()) : 1);
  ProgramOp program = makeProgram(commands, loop, *plan);
  if (!program)
    return false;
  executed[program.getSymNameAttr()] = count;
  auto toRefs = [](ArrayRef<Operand> operands) {
    return llvm::map_to_vector(operands, [](const Operand &operand) {
      return BufferRef{operand.buffer, operand.range.begin};
    });
  };
  Operation *first = loop ? loop.getOperation() : commands.front();
  OpBuilder builder(first);
  CmdDispatchOp::create(builder, program.getLoc(), FlatSymbolRefAttr::get(program.getSymNameAttr()),
                        toRefs(plan->inputs), toRefs(plan->outputs));
  for (const auto &[name, bytes] : plan->locals)
    replaced.push_back(name);
  for (Operation *op : commands)
    if (auto dispatch = dyn_cast<CmdDispatchOp>(op))
      replaced.push_back(dispatch.getProgramAttr().getAttr());
  if (loop) {
    LoopBeginOp::findEnd(loop)->erase();
    loop.erase();
  }
  for (Operation *op : commands)
    op->erase();
  uses = countUses(module);
  return true;
}

void CommandGroups::eraseUnused() {
  uses = countUses(module);
  for (StringAttr name : replaced)
    if (Operation *op = table.lookup(name); op && uses.lookup(name) == 0)
      table.erase(op);
}
