// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Analysis/Lifetimes.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ENCODECOMMANDS
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Inserts the barriers of one stream.
class BarrierInserter {
public:
  /// `target` may be null if nothing is stored in L1.
  BarrierInserter(TargetAttr target, SymbolTableCollection &symbols)
      : target(target), symbols(symbols) {}

  void run(TraceOp trace) {
    for (Operation *op = &trace.getBody().front().front(); op; op = op->getNextNode()) {
      auto repeat = dyn_cast<CmdRepeatOp>(op);
      if (repeat && repeat.isSequential(symbols)) {
        op = addSequential(repeat);
        continue;
      }
      // In any other loop, cores wait for each other where iterations begin, and at the end.
      if (cast<CommandOpInterface>(op).isBarrier() || LoopBeginOp::isMark(op)) {
        clearPending();
        continue;
      }
      add(op, getAccesses(cast<CommandOpInterface>(op)));
    }
    clearPending();
  }

  int64_t getNumBarriers() const { return numBarriers; }

private:
  struct Access {
    MemorySpace memory;
    int64_t begin, end;
    int64_t row, pitch; ///< strided layout, in bytes
    bool write;
    bool single; ///< only by core 0: a command with one workgroup, or its part of scratch
    bool scratch = false;
    /// The number of workgroups, if workgroup k accesses only the L1 of core k.
    int64_t ownGrid = 0;
  };

  /// A loop that core 0 executes is a command of one workgroup. Returns its end.
  Operation *addSequential(CmdRepeatOp begin) {
    Operation *end = LoopBeginOp::findEnd(begin);
    SmallVector<Access> accesses;
    for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
      llvm::append_range(accesses, getAccesses(cast<CommandOpInterface>(op)));
    llvm::append_range(accesses, getAccesses(begin));
    for (Access &access : accesses)
      access.single = true;
    add(begin, accesses);
    return end;
  }

  /// Inserts a barrier before the command if it needs one.
  void add(Operation *op, ArrayRef<Access> accesses) {
    if (conflicts(accesses)) {
      OpBuilder builder(op);
      CmdBarrierOp::create(builder, op->getLoc());
      ++numBarriers;
      clearPending();
    }
    for (const Access &access : accesses)
      (access.single ? pendingOfSingle : pendingOfOthers).push_back(access);
  }

  /// L1 as one memory for interleaved and sharded buffers: bytes are numbered as in interleaved
  /// buffers, so the bytes at one offset in a range of cores form a strided range.
  Access inL1(int64_t core, int64_t cores, int64_t begin, int64_t end, bool write, bool single) {
    constexpr int64_t unit = ttrt::kBufferAlignment;
    int64_t pitch = getCores(target) * unit, row = cores * unit;
    int64_t first = begin / unit, last = llvm::divideCeil(end, unit);
    int64_t from = first * pitch + core * unit, to = from + (last - first - 1) * pitch + row;
    return {MemorySpace::L1, from, to, row == pitch ? to - from : row, pitch, write, single};
  }

  SmallVector<Access> getAccesses(CommandOpInterface command) {
    SmallVector<BufferAccess> buffers;
    command.getAccesses(buffers);
    bool single = command.getWorkgroups(symbols) == 1;
    SmallVector<Access> accesses;
    for (auto [i, access] : llvm::enumerate(buffers)) {
      auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(command, access.buffer);
      int64_t begin = buffer.getAddressAttr().getInt(), bytes = *buffer.getExtent();
      ByteSpan span = command.getSpan(i, symbols);
      if (span.bytes == 0)
        span = {0, bytes, bytes, bytes};
      if (buffer.getShards() && buffer.getMemory() == MemorySpace::L1) {
        // One row for each shard, or bytes of a single shard.
        int64_t l1 = target.getL1Bytes(), offset = begin + span.offset % l1;
        int64_t inCore = span.pitch == l1 ? span.row : span.bytes;
        accesses.push_back(inL1(span.offset / l1, (span.bytes - inCore) / l1 + 1, offset,
                                offset + inCore, access.write, single));
        accesses.back().ownGrid = span.perWorkgroup ? command.getWorkgroups(symbols) : 0;
        continue;
      }
      if (buffer.isInterleavedInL1())
        begin *= getCores(target);
      begin += span.offset;
      accesses.push_back({buffer.getMemory(), begin, begin + span.bytes, span.row, span.pitch,
                          access.write, single});
    }
    if (int64_t scratch = command.getScratchBytes(symbols); scratch > 0 && target) {
      // On each core that has work; with one workgroup, on core 0 only.
      accesses.push_back(inL1(0, 1, 0, scratch, /*write=*/true, /*single=*/true));
      accesses.back().scratch = true;
      if (int64_t others = getCores(target) - 1; !single && others > 0) {
        accesses.push_back(inL1(1, others, 0, scratch, /*write=*/true, /*single=*/false));
        accesses.back().scratch = true;
      }
    }
    return accesses;
  }

  /// Whether the accesses, not both by core 0 alone, are ordered without a barrier. Each core has
  /// scratch of its own for one command at a time, while other cores may run earlier or later
  /// commands.
  static bool isOrdered(const Access &a, const Access &b) {
    if (a.scratch || b.scratch)
      return a.scratch && b.scratch;
    // Equal workgroups of equal grids run on the same core.
    return a.ownGrid != 0 && a.ownGrid == b.ownGrid;
  }

  /// Whether two accesses may share a byte. Interleaved rows of equal pitch do not.
  static bool mayMeet(const Access &a, const Access &b) {
    if (a.begin >= b.end || b.begin >= a.end)
      return false;
    bool aInRows = a.row < a.end - a.begin, bInRows = b.row < b.end - b.begin;
    int64_t pitch = aInRows ? a.pitch : b.pitch;
    if ((aInRows ? a.pitch : a.row) > pitch || (bInRows ? b.pitch : b.row) > pitch ||
        (aInRows && bInRows && a.pitch != b.pitch))
      return true;
    int64_t gap = ((b.begin - a.begin) % pitch + pitch) % pitch;
    return gap < a.row || gap + b.row > pitch;
  }

  static bool conflict(const Access &earlier, const Access &access) {
    return (earlier.write || access.write) && !isOrdered(earlier, access) &&
           earlier.memory == access.memory && mayMeet(earlier, access);
  }

  bool conflicts(ArrayRef<Access> accesses) {
    return llvm::any_of(accesses, [&](const Access &access) {
      auto meets = [&](const Access &earlier) { return conflict(earlier, access); };
      return llvm::any_of(pendingOfOthers, meets) ||
             (!access.single && llvm::any_of(pendingOfSingle, meets));
    });
  }

  void clearPending() {
    pendingOfSingle.clear();
    pendingOfOthers.clear();
  }

  TargetAttr target;
  SymbolTableCollection &symbols;
  /// The accesses of the commands since the last barrier. Those by core 0 alone are separate: it
  /// runs commands in order, so they need no barriers among themselves, and there can be thousands
  /// of them.
  SmallVector<Access> pendingOfSingle, pendingOfOthers;
  int64_t numBarriers = 0;
};

struct EncodeCommands : mlir::ttc::impl::EncodeCommandsBase<EncodeCommands> {
  PassCounter numCommands{*this, "commands", "Commands, barriers and ends included"};
  PassCounter numBarriers{*this, "barriers", "Barriers"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto buffer : module.getOps<BufferOp>())
      if (!buffer.isPlanned()) {
        buffer.emitError("expected every buffer to have an address, found none for @")
            << buffer.getSymName() << "; --ttc-preallocate gives it one";
        return signalPassFailure();
      }
    SymbolTableCollection symbols;
    auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
    for (auto buffer : module.getOps<BufferOp>())
      if (!buffer.getExtent()) {
        buffer.emitError("expected a module with a target (")
            << kTargetAttrName << "), which says on how many cores @" << buffer.getSymName()
            << " is stored, found none";
        return signalPassFailure();
      }
    BarrierInserter barriers(target, symbols);
    for (auto trace : module.getOps<TraceOp>()) {
      if (trace.isEncoded())
        continue;
      if (failed(encode(trace, symbols)))
        return signalPassFailure();
      barriers.run(trace);
      numCommands += std::distance(trace.getBody().front().begin(), trace.getBody().front().end());
    }
    numBarriers += barriers.getNumBarriers();
    restateLifetimes(module);
  }

private:
  /// Verifies that operands and results have the layouts that the work expects.
  static LogicalResult verifyRows(DeviceWorkOpInterface work, SymbolTableCollection &symbols,
                                  Storages &storages) {
    SmallVector<Value> values(work->getOperands());
    llvm::append_range(values, work->getResults());
    for (auto [i, value] : llvm::enumerate(values)) {
      StridedRange found = storages.get(value)->rows;
      std::optional<StridedRange> expected = work.getStridedRange(i, symbols);
      if (LayoutAttr layout = getShardedLayout(value.getType());
          layout && !work.takesShards(i, symbols))
        return work->emitError("expected ")
               << (i < work->getNumOperands() ? "an operand" : "a result")
               << " without shards, found " << layout
               << "; --ttc-shard-tensors makes programs on shards";
      if (found.isContiguous()
              ? expected && !expected->isContiguous()
              : !expected || expected->row != found.row || expected->pitch != found.pitch)
        return work->emitError("expected ")
               << (i < work->getNumOperands() ? "an operand" : "a result") << " in rows of "
               << (expected ? expected->row : found.count) << " elements, "
               << (expected ? expected->pitch : found.count) << " apart, found rows of "
               << found.row << ", " << found.pitch
               << " apart; --ttc-elide-copies makes programs that fit";
    }
    return success();
  }

  /// The exchanges to offer, by the op after whose commands their input is complete and the
  /// exchange before it, of the same collective, is done; null: from the beginning on.
  static DenseMap<Operation *, SmallVector<ExchangeOp>> findOffers(TraceOp trace,
                                                                   Storages &storages) {
    DenseMap<Operation *, SmallVector<ExchangeOp>> offers;
    DenseMap<Attribute, Operation *> writers, exchanges;
    Operation *previous = nullptr;
    auto isAfter = [](Operation *a, Operation *b) { return a && (!b || b->isBeforeInBlock(a)); };
    for (Operation &op : trace.getBody().front()) {
      if (!isa<DeviceWorkOpInterface>(op))
        continue;
      if (auto exchange = dyn_cast<ExchangeOp>(op)) {
        Operation *after = writers.lookup(storages.getBoundBuffer(exchange.getInput()));
        Operation *&before = exchanges[exchange.getCollectiveAttr()];
        after = isAfter(before, after) ? before : after;
        if (exchange->hasAttr("offer") && after != previous)
          offers[after].push_back(exchange);
        before = exchange;
      }
      for (Value result : op.getResults())
        writers[storages.getBoundBuffer(result)] = &op;
      previous = &op;
    }
    return offers;
  }

  static void encodeOffers(OpBuilder &builder, ArrayRef<ExchangeOp> exchanges) {
    for (ExchangeOp exchange : exchanges) {
      BufferRef input = getBoundPlace(exchange.getInput());
      CmdOfferOp::create(builder, exchange.getLoc(), exchange.getCollectiveAttr(), input.buffer,
                         builder.getI64IntegerAttr(input.offset));
    }
  }

  /// Replaces the ops of the body by commands.
  static LogicalResult encode(TraceOp trace, SymbolTableCollection &symbols) {
    Block &body = trace.getBody().front();
    Operation *terminator = body.getTerminator();
    Storages storages;
    OpBuilder builder(trace.getContext());
    SmallVector<Operation *> ops; // collected first: commands are appended to the body
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    DenseMap<Operation *, SmallVector<ExchangeOp>> offers = findOffers(trace, storages);
    builder.setInsertionPoint(terminator);
    encodeOffers(builder, offers.lookup(nullptr));
    for (Operation *source : ops) {
      auto work = dyn_cast<DeviceWorkOpInterface>(source);
      if (!work)
        continue; // a view
      Operation &op = *source;
      if (LoopBeginOp::begins(source) && op.getNumResults() > ttrt::kMaxCarried)
        return op.emitError("expected a loop that hands on at most ")
               << ttrt::kMaxCarried << " values, found " << op.getNumResults();
      if (!LoopBeginOp::isMark(source) &&
          op.getNumOperands() + op.getNumResults() > ttrt::kMaxOperands)
        return op.emitError("expected at most ")
               << ttrt::kMaxOperands << " operands and results in a command, found "
               << op.getNumOperands() + op.getNumResults();
      auto getBuffers = [&](ValueRange values) {
        return llvm::map_to_vector(values,
                                   [&](Value value) { return storages.getBoundPlace(value); });
      };
      SmallVector<BufferRef> inputs = getBuffers(op.getOperands());
      SmallVector<BufferRef> outputs = getBuffers(op.getResults());
      auto isUnbound = [](const BufferRef &place) { return !place.buffer; };
      if (llvm::any_of(inputs, isUnbound) || llvm::any_of(outputs, isUnbound))
        return op.emitError("expected operands and results that are bound to buffers; "
                            "--ttc-bind-buffers binds them");
      if (failed(verifyRows(work, symbols, storages)))
        return failure();
      builder.setInsertionPoint(terminator);
      work.encode(builder, inputs, outputs);
      encodeOffers(builder, offers.lookup(source));
    }
    CmdEndOp::create(builder, terminator->getLoc());
    terminator->erase();
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    body.eraseArguments([](BlockArgument) { return true; });
    trace.setFunctionType(builder.getFunctionType({}, {}));
    trace.removeArgAttrsAttr();
    trace.removeResAttrsAttr();
    return success();
  }
};

} // namespace
