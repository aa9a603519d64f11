// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shares no code with planning and encoding: it looks at nothing but the planned module.
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace mlir::ttc {
#define GEN_PASS_DEF_VERIFYPLAN
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A buffer as the plan states it.
struct Placed {
  mutable BufferOp op;          // accessors of ops are not const
  int64_t begin = 0, end = 0;   // addresses; in L1 those of each core
  int64_t lower = 0, upper = 0; // lifetime
  bool always = false;          // no lifetime: alive at every point
  bool written = false;         // so far, in the order of the timeline

  bool isAlive(int64_t time) const { return always || (lower <= time && time < upper); }
};

std::string range(int64_t begin, int64_t end) {
  return llvm::formatv("[{0:x}, {1:x})", begin, end);
}

class PlanVerifier {
public:
  PlanVerifier(ModuleOp module, TargetAttr target)
      : module(module), symbols(collection.getSymbolTable(module)), dramBytes(getDramBytes(target)),
        traceBegin(dramBytes), l1Bytes(target.getL1Bytes()), cores(getCores(target)),
        banks(target.getDramBanks()), interleavesL1(target.getInterleavedL1()) {}

  LogicalResult run() {
    if (failed(readBuffers()) || failed(verifyStreams()) || failed(verifyPlaces()) ||
        failed(verifyOverlaps()))
      return failure();
    for (auto entry : module.getOps<EntryOp>())
      if (failed(verifyEntry(entry)))
        return failure();
    // Streams of other schedules have no points of their own, but barriers.
    for (auto trace : module.getOps<TraceOp>())
      if (!executed.contains(trace) && failed(verifyTrace(trace, /*onTimeline=*/false)))
        return failure();
    return success();
  }

private:
  LogicalResult readBuffers() {
    for (auto op : module.getOps<BufferOp>()) {
      if (!op.getAddressAttr() || !op.getSizeAttr())
        return op.emitError("expected @") << op.getSymName() << " to have an address, found none";
      Placed placed;
      placed.op = op;
      placed.begin = op.getAddressAttr().getInt();
      placed.end = placed.begin + op.getSizeAttr().getInt();
      placed.always = !op.getLiveBeginAttr();
      if (!placed.always) {
        placed.lower = op.getLiveBeginAttr().getInt();
        placed.upper = op.getLiveEndAttr().getInt();
      }
      placed.written = op.getKind() == BufferKind::Constant || op.getKind() == BufferKind::State;
      index[op.getSymNameAttr()] = buffers.size();
      if (op.getMemory() == MemorySpace::L1)
        inL1.push_back(buffers.size());
      buffers.push_back(placed);
    }
    return success();
  }

  /// The streams fill the top of DRAM without gaps.
  LogicalResult verifyStreams() {
    std::map<int64_t, TraceOp> streams;
    for (auto trace : module.getOps<TraceOp>()) {
      if (!trace.getRegionAddressAttr())
        return trace.emitError("expected @")
               << trace.getSymName() << " to have a place in the trace region, found none";
      int64_t address = trace.getRegionAddressAttr().getInt();
      if (address % static_cast<int64_t>(ttrt::kStreamAlignment) != 0)
        return trace.emitError("expected a stream address that is a multiple of ")
               << ttrt::kStreamAlignment << ", found " << address;
      if (auto [it, isNew] = streams.emplace(address, trace); !isNew)
        return trace.emitError("expected a stream address of its own, found that of @")
               << it->second.getSymName();
    }
    int64_t expected = dramBytes;
    for (auto &[address, trace] : llvm::reverse(streams)) {
      int64_t size = trace.getRegionSizeAttr().getInt();
      int64_t padded =
          (size + ttrt::kStreamAlignment - 1) / ttrt::kStreamAlignment * ttrt::kStreamAlignment;
      if (address + padded != expected)
        return trace.emitError("expected the stream to end at ")
               << llvm::formatv("{0:x}", expected).str() << ", found "
               << llvm::formatv("{0:x}", address + padded).str();
      expected = address;
    }
    traceBegin = expected;
    if (auto reserved = module->getAttrOfType<IntegerAttr>(kTraceRegionAttrName)) {
      if (reserved.getInt() < dramBytes - expected || reserved.getInt() > dramBytes ||
          reserved.getInt() % static_cast<int64_t>(ttrt::kStreamAlignment) != 0)
        return emitError(module.getLoc(), "expected ")
               << kTraceRegionAttrName << " to be a multiple of " << ttrt::kStreamAlignment
               << " from the streams' " << dramBytes - expected << " bytes up to DRAM's "
               << dramBytes << ", found " << reserved.getInt();
      traceBegin = dramBytes - reserved.getInt();
    }
    return success();
  }

  LogicalResult verifyPlaces() {
    constexpr int64_t alignment = ttrt::kBufferAlignment, page = ttrt::kPageSize;
    int64_t constantsEnd = 0;
    for (const Placed &buffer : buffers)
      if (buffer.op.getKind() == BufferKind::Constant)
        constantsEnd = std::max(constantsEnd, (buffer.end + page - 1) / page * page);
    int64_t limit = traceBegin / page * page;
    for (Placed &buffer : buffers) {
      BufferOp op = buffer.op;
      if (buffer.begin < 0 || buffer.begin % alignment != 0 || buffer.end % alignment != 0 ||
          buffer.end <= buffer.begin)
        return op.emitError("expected @")
               << op.getSymName() << " to take some bytes at multiples of " << alignment
               << ", found " << range(buffer.begin, buffer.end);
      if (op.getMemory() == MemorySpace::L1 && buffer.end > l1Bytes)
        return op.emitError("expected @")
               << op.getSymName() << " to end inside the L1 of " << l1Bytes << " bytes, found "
               << range(buffer.begin, buffer.end);
      if (IntegerAttr shards = op.getShardsAttr()) {
        const bool isInL1 = op.getMemory() == MemorySpace::L1;
        const int64_t most = isInL1 ? cores : banks;
        if (shards.getInt() > most)
          return op.emitError("expected @")
                 << op.getSymName() << " to have a shard " << (isInL1 ? "on" : "in")
                 << " each of up to " << most << (isInL1 ? " cores" : " banks of DRAM")
                 << ", found " << shards.getInt();
      }
      if (op.isInterleavedInL1() && !interleavesL1)
        return op.emitError("expected a target that interleaves over L1, where @")
               << op.getSymName() << " is stored, found one that does not";
      if (op.getMemory() != MemorySpace::Dram)
        continue;
      if (buffer.end > limit)
        return op.emitError("expected @")
               << op.getSymName() << " to end below the pages of the trace region at "
               << llvm::formatv("{0:x}", limit).str() << ", found "
               << range(buffer.begin, buffer.end);
      if (op.getKind() != BufferKind::Constant && buffer.begin < constantsEnd)
        return op.emitError("expected @")
               << op.getSymName() << " to be above the pages of the constants, which end at "
               << llvm::formatv("{0:x}", constantsEnd).str() << ", found "
               << range(buffer.begin, buffer.end);
    }
    return success();
  }

  /// Walks through time with the set of bytes that are taken in each memory.
  LogicalResult verifyOverlaps() {
    struct Change {
      int64_t time;
      bool starts;
      size_t buffer;
      bool operator<(const Change &other) const {
        return std::tie(time, starts, buffer) < std::tie(other.time, other.starts, other.buffer);
      }
    };
    std::vector<Change> changes;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      changes.push_back({buffer.always ? INT64_MIN : buffer.lower, true, i});
      if (!buffer.always)
        changes.push_back({buffer.upper, false, i});
    }
    llvm::sort(changes);
    std::map<std::pair<MemorySpace, int64_t>, size_t> taken;
    for (const Change &change : changes) {
      const Placed &buffer = buffers[change.buffer];
      std::pair key(buffer.op.getMemory(), buffer.begin);
      if (!change.starts) {
        taken.erase(key);
        continue;
      }
      auto above = taken.lower_bound(key);
      for (auto it : {above, above == taken.begin() ? taken.end() : std::prev(above)}) {
        if (it == taken.end() || it->first.first != key.first)
          continue;
        const Placed &other = buffers[it->second];
        if (buffer.begin < other.end && other.begin < buffer.end)
          return reportOverlap(other, buffer);
      }
      taken.emplace(key, change.buffer);
    }
    return success();
  }

  static std::string describe(const Placed &buffer) {
    std::string time = "always";
    if (!buffer.always)
      time = llvm::formatv("in [{0}, {1})", buffer.lower, buffer.upper);
    return range(buffer.begin, buffer.end) + ", alive " + time;
  }

  static LogicalResult reportOverlap(const Placed &first, const Placed &second) {
    BufferOp a = first.op, b = second.op;
    InFlightDiagnostic error = b.emitError("expected buffers that are alive at one time to be "
                                           "apart, found @")
                               << a.getSymName() << " (" << describe(first) << ") and @"
                               << b.getSymName() << " (" << describe(second) << ")";
    error.attachNote(a.getLoc()) << "the other buffer";
    return error;
  }

  //===--- the timeline -----------------------------------------------------------------===//

  LogicalResult verifyEntry(EntryOp entry) {
    auto schedules = entry.getBody().getOps<ScheduleOp>();
    for (Region &region : (*(*schedules.begin()).getOperation()).getRegions())
      for (Operation &op : region.getOps()) {
        auto step = cast<StepOpInterface>(op);
        if (FlatSymbolRefAttr name = step.getExecutedTrace()) {
          auto trace = symbols.lookup<TraceOp>(name.getAttr());
          executed.insert(trace);
          if (failed(verifyTrace(trace, /*onTimeline=*/true)))
            return failure();
          continue;
        }
        if (failed(verifyPoint(&op)))
          return failure();
      }
    return success();
  }

  /// One access of the commands between two barriers.
  struct PhaseAccess {
    Operation *command;
    const Placed *buffer;           ///< null: scratch
    int64_t begin, end, row, pitch; ///< addresses; strided layout in bytes
    bool write;
    bool single;                      ///< only core 0 does it
    int64_t firstCore = 0, cores = 0; ///< in L1: on which; addresses are those in each
    bool wholeCores = false;          ///< in L1, not interleaved
    int64_t ownGrid = 0; ///< workgroups, if workgroup k touches nothing but its core's, k's, part
    int64_t number = 0;  ///< of the command, each time that it is executed

    bool isInL1() const { return !buffer || buffer->op.getMemory() == MemorySpace::L1; }
  };

  /// The accesses since the last barrier. Those of commands with one workgroup are apart: among
  /// themselves they are in order, and a phase can have thousands of them.
  struct Phase {
    std::vector<PhaseAccess> ofSingle, ofOthers;

    void add(const PhaseAccess &access) { (access.single ? ofSingle : ofOthers).push_back(access); }
  };

  /// The bytes that a command touches in a buffer.
  PhaseAccess makeAccess(Operation *op, const Placed &buffer, ByteSpan span, bool write,
                         bool single) {
    if (span.bytes == 0)
      span.bytes = span.row = span.pitch = *buffer.op.getExtent() - span.offset;
    PhaseAccess access{op,       &buffer,    span.offset, span.offset + span.bytes,
                       span.row, span.pitch, write,       single};
    if (buffer.op.getShards() && access.isInL1()) {
      int64_t perCore = span.pitch == l1Bytes ? span.row : span.bytes;
      access.firstCore = span.offset / l1Bytes;
      access.cores = (span.bytes - perCore) / l1Bytes + 1;
      access.begin = buffer.begin + span.offset % l1Bytes;
      access.end = access.begin + perCore;
      access.row = access.pitch = perCore;
      access.wholeCores = true;
    } else if (access.isInL1()) {
      // From here on counted over all cores.
      access.begin += buffer.begin * cores;
      access.end += buffer.begin * cores;
      access.cores = cores;
    } else {
      access.begin += buffer.begin;
      access.end += buffer.begin;
    }
    return access;
  }

  bool isInsideBuffer(const PhaseAccess &access) const {
    const Placed &buffer = *access.buffer;
    if (access.wholeCores)
      return access.end <= buffer.end &&
             access.firstCore + access.cores <= buffer.op.getShardsAttr().getInt();
    return access.end <= (access.isInL1() ? buffer.end * cores : buffer.end);
  }

  LogicalResult verifyTrace(TraceOp trace, bool onTimeline) {
    Phase phase;
    for (Operation *op = &trace.getBody().front().front(); op; op = op->getNextNode()) {
      if (onTimeline && failed(verifyPoint(op)))
        return failure();
      auto begin = dyn_cast<CmdRepeatOp>(op);
      if (!begin) {
        if (failed(verifyCommand(op, phase)))
          return failure();
        continue;
      }
      Operation *end = LoopBeginOp::findEnd(begin);
      const int64_t beginTime = time - 1;
      if (failed(verifyLoop(begin, end, phase)))
        return failure();
      for (op = begin->getNextNode(); onTimeline; op = op->getNextNode()) {
        if (failed(verifyPoint(op)))
          return failure();
        if (op == end)
          break;
      }
      op = end;
      if (onTimeline && failed(verifyLifetimes(begin, end, beginTime)))
        return failure();
    }
    return success();
  }

  /// Verifies the order of the commands of a loop, twice: the second iteration follows the first
  /// one as each other one follows the one before it.
  LogicalResult verifyLoop(CmdRepeatOp begin, Operation *end, Phase &phase) {
    // Core 0 executes a loop of commands of one workgroup; in others, cores wait for each other
    // where iterations begin and at the end.
    const bool isSequential = begin.isSequential(collection);
    for (int iteration = 0; iteration < 2; ++iteration) {
      if (!isSequential)
        phase = {};
      for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode()) {
        auto inner = dyn_cast<CmdRepeatOp>(op);
        if (inner)
          op = LoopBeginOp::findEnd(inner);
        if (failed(inner ? verifyLoop(inner, op, phase) : verifyCommand(op, phase)))
          return failure();
      }
    }
    if (!isSequential)
      phase = {};
    return success();
  }

  /// What is alive when a loop begins, and accessed in it, is alive at its end: further iterations
  /// access it. What they write elsewhere than in carried buffers is not used after the loop.
  LogicalResult verifyLifetimes(CmdRepeatOp begin, Operation *end, int64_t beginTime) {
    DenseSet<Attribute> carried(begin.getCarried().begin(), begin.getCarried().end());
    SmallVector<BufferAccess> accesses;
    const int64_t endTime = beginTime + std::distance(begin->getIterator(), end->getIterator());
    int64_t at = beginTime;
    for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode()) {
      ++at;
      if (auto inner = dyn_cast<CmdRepeatOp>(op);
          inner && failed(verifyLifetimes(inner, LoopBeginOp::findEnd(inner), at)))
        return failure();
      accesses.clear();
      cast<BufferAccessOpInterface>(op).getAccesses(accesses);
      for (const BufferAccess &access : accesses) {
        Placed &buffer = buffers[index.lookup(access.buffer.getAttr())];
        if (buffer.isAlive(beginTime) && !buffer.isAlive(endTime))
          return op->emitError("expected ")
                 << access.buffer << ", which is alive when the loop begins, to be alive at its "
                 << "end, at point " << endTime << " of the timeline, found it "
                 << describe(buffer);
        if (buffer.op.getKind() == BufferKind::State)
          return op->emitError("expected no access to a state in a loop, found one to ")
                 << access.buffer;
        if (access.write && !carried.contains(access.buffer))
          buffer.written = false;
      }
    }
    return success();
  }

  LogicalResult verifyCommand(Operation *op, Phase &phase) {
    auto command = cast<CommandOpInterface>(op);
    ++executions;
    if (command.isBarrier())
      phase = {};
    SmallVector<BufferAccess> accesses;
    command.getAccesses(accesses);
    bool single = command.getWorkgroups(collection) == 1;
    for (auto [i, access] : llvm::enumerate(accesses)) {
      const Placed *buffer = &buffers[index.lookup(access.buffer.getAttr())];
      PhaseAccess current =
          makeAccess(op, *buffer, command.getSpan(i, collection), access.write, single);
      current.number = executions;
      if (command.getSpan(i, collection).perWorkgroup && current.firstCore == 0)
        current.ownGrid = command.getWorkgroups(collection);
      if (!isInsideBuffer(current))
        return op->emitError("expected ")
               << access.buffer << " at " << range(buffer->begin, buffer->end)
               << " to hold what the command accesses, found " << range(current.begin, current.end);
      if (failed(verifyConflicts(current, phase)))
        return failure();
      phase.add(current);
    }
    if (int64_t scratch = command.getScratchBytes(collection); scratch > 0) {
      // Core 0's, and that of all others unless one workgroup is all there is.
      for (int64_t first = 0, last = single ? 1 : std::min<int64_t>(cores, 2); first < last;
           ++first) {
        PhaseAccess current{op,      nullptr, 0,          scratch, scratch,
                            scratch, true,    first == 0, first,   first ? cores - 1 : 1,
                            true};
        current.number = executions;
        if (failed(verifyConflicts(current, phase)))
          return failure();
        phase.add(current);
      }
    }
    return success();
  }

  /// Verifies that nothing since the last barrier conflicts with the access.
  LogicalResult verifyConflicts(const PhaseAccess &current, const Phase &phase) {
    for (const PhaseAccess &earlier : phase.ofOthers)
      if (failed(verifyConflict(current, earlier)))
        return failure();
    for (const PhaseAccess &earlier : llvm::reverse(phase.ofSingle)) {
      // The command's own accesses are the last.
      if (current.single && earlier.number != current.number)
        break;
      if (failed(verifyConflict(current, earlier)))
        return failure();
    }
    return success();
  }

  LogicalResult verifyConflict(const PhaseAccess &current, const PhaseAccess &earlier) {
    bool isScratch = !current.buffer, wasScratch = !earlier.buffer;
    if (!(current.write || earlier.write) || (isScratch && wasScratch) || !share(current, earlier))
      return success();
    // One core does the work of one workgroup in its order, with its scratch, and so that of
    // equal workgroups of equal grids.
    bool inOrder = (current.single && earlier.single) ||
                   (current.ownGrid != 0 && current.ownGrid == earlier.ownGrid &&
                    current.cores == current.ownGrid && earlier.cores == earlier.ownGrid);
    if (earlier.number == current.number ? !isInPlace(*current.command, earlier, current)
                                         : !inOrder)
      return reportConflict(earlier, current);
    return success();
  }

  /// Whether one buffer unit of a core belongs to both: to bytes at one offset of some cores, and
  /// to a range of bytes that are interleaved over all of them.
  bool meet(const PhaseAccess &inCores, const PhaseAccess &interleaved) const {
    constexpr int64_t unit = ttrt::kBufferAlignment;
    int64_t begin = interleaved.begin / unit, end = (interleaved.end + unit - 1) / unit;
    int64_t first = std::max(inCores.begin / unit, begin / cores);
    int64_t last = std::min((inCores.end + unit - 1) / unit, (end + cores - 1) / cores);
    // All but the first and the last of these rows are the range's as a whole.
    for (int64_t row = first; row < last; ++row)
      if (row * cores + inCores.firstCore < end &&
          begin < row * cores + inCores.firstCore + inCores.cores)
        return true;
    return false;
  }

  /// Whether a range of bytes, which begins before the last of the rows ends, is not in the gap
  /// between two of them.
  static bool touches(const PhaseAccess &rows, const PhaseAccess &range) {
    int64_t last = std::min(range.end, rows.end) - 1 - rows.begin;
    return rows.begin + last / rows.pitch * rows.pitch + rows.row > range.begin;
  }

  bool share(const PhaseAccess &a, const PhaseAccess &b) const {
    if (a.isInL1() != b.isInL1() ||
        (!a.isInL1() && a.buffer->op.getMemory() != b.buffer->op.getMemory()))
      return false;
    if (a.isInL1() && a.wholeCores != b.wholeCores)
      return a.wholeCores ? meet(a, b) : meet(b, a);
    if (a.isInL1() && a.wholeCores)
      return a.begin < b.end && b.begin < a.end && a.firstCore < b.firstCore + b.cores &&
             b.firstCore < a.firstCore + a.cores;
    if (a.begin >= b.end || b.begin >= a.end)
      return false;
    if (bool aInRows = a.row != a.end - a.begin; aInRows != (b.row != b.end - b.begin))
      return aInRows ? touches(a, b) : touches(b, a);
    // Strips of one grid of rows: apart if they take different columns of it.
    auto columns = [](const PhaseAccess &access, int64_t pitch) {
      int64_t first = access.begin % pitch;
      return std::pair(first, first + access.row);
    };
    if (a.pitch != b.pitch || a.row == a.end - a.begin || b.row == b.end - b.begin)
      return true;
    auto [aFirst, aLast] = columns(a, a.pitch);
    auto [bFirst, bLast] = columns(b, a.pitch);
    return (aFirst < bLast && bFirst < aLast) || (aLast > a.pitch && bFirst < aLast - a.pitch) ||
           (bLast > a.pitch && aFirst < bLast - a.pitch);
  }

  /// Whether a command may write exactly over what it reads: its program says so (`ttc.in_place`).
  bool isInPlace(Operation &op, const PhaseAccess &input, const PhaseAccess &output) {
    auto dispatch = dyn_cast<CmdDispatchOp>(op);
    if (!dispatch || !input.buffer || !output.buffer || input.write || !output.write ||
        input.begin != output.begin || input.end != output.end || input.row != output.row ||
        input.pitch != output.pitch)
      return false;
    auto program = symbols.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
    for (auto [result, name] : llvm::enumerate(dispatch.getOutputs()))
      for (int64_t argument : program.getInPlace(result))
        if (name == FlatSymbolRefAttr::get(output.buffer->op.getSymNameAttr()) &&
            dispatch.getInputs()[argument] ==
                FlatSymbolRefAttr::get(input.buffer->op.getSymNameAttr()))
          return true;
    return false;
  }

  static std::string nameOf(const PhaseAccess &access) {
    return access.buffer ? ("@" + BufferOp(access.buffer->op).getSymName()).str() : "scratch";
  }

  static LogicalResult reportConflict(const PhaseAccess &earlier, const PhaseAccess &current) {
    InFlightDiagnostic error = current.command->emitError();
    if (earlier.number == current.number)
      return error << "expected a command to write nothing else that it accesses, found "
                   << nameOf(current) << " and " << nameOf(earlier) << " to share bytes";
    auto describeAccess = [](const PhaseAccess &access) {
      std::string where = access.buffer ? range(access.buffer->begin, access.buffer->end)
                                        : range(access.begin, access.end);
      return (access.write ? "writes " : "reads ") + nameOf(access) + " at " + where;
    };
    error << "expected a barrier between this command, which " << describeAccess(current)
          << ", and an earlier one, which " << describeAccess(earlier);
    error.attachNote(earlier.command->getLoc()) << "the earlier command";
    return error;
  }

  /// Every access is to a buffer that is alive, every read finds something written, every wait
  /// something recorded.
  LogicalResult verifyPoint(Operation *op) {
    SmallVector<BufferAccess> accesses;
    cast<BufferAccessOpInterface>(op).getAccesses(accesses);
    for (const BufferAccess &access : accesses) {
      Placed &buffer = buffers[index.lookup(access.buffer.getAttr())];
      if (!buffer.isAlive(time))
        return op->emitError("expected ") << access.buffer << " to be alive at point " << time
                                          << " of the timeline, found it " << describe(buffer);
      if (access.write && buffer.op.getKind() == BufferKind::Constant)
        return op->emitError("expected only reads of the constant ")
               << access.buffer << ", found a write";
      if (!access.write && !buffer.written && buffer.op.getTensorBytes() > 0)
        return op->emitError("expected ")
               << access.buffer << " to be written before it is read, found no write";
    }
    if (int64_t scratch = cast<BufferAccessOpInterface>(op).getScratchBytes(collection))
      for (size_t i : inL1)
        if (const Placed &buffer = buffers[i]; buffer.isAlive(time) &&
                                               buffer.op.getKind() != BufferKind::Scratch &&
                                               buffer.begin < scratch)
          return op->emitError("expected the scratch of ")
                 << scratch << " bytes to be apart from buffers alive at point " << time
                 << " of the timeline, found @" << BufferOp(buffer.op).getSymName() << " at "
                 << range(buffer.begin, buffer.end);
    for (const BufferAccess &access : accesses)
      if (access.write)
        buffers[index.lookup(access.buffer.getAttr())].written = true;
    if (auto event = dyn_cast<EventOpInterface>(op)) {
      if (!event.isWait())
        recorded.insert(event.getEventName());
      else if (!recorded.contains(event.getEventName()))
        return op->emitError("expected ")
               << event.getEventName()
               << " to be recorded before it is waited for, found no record";
    }
    ++time;
    return success();
  }

  ModuleOp module;
  SymbolTableCollection collection; // the module does not change
  SymbolTable &symbols;
  int64_t dramBytes, traceBegin, l1Bytes, cores, banks;
  bool interleavesL1;
  std::vector<Placed> buffers;
  std::vector<size_t> inL1; ///< indices into `buffers`
  DenseMap<StringAttr, size_t> index;
  DenseSet<Attribute> recorded;
  DenseSet<Operation *> executed; ///< traces on the timeline
  int64_t time = 0, executions = 0;
};

struct VerifyPlan : mlir::ttc::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target) || failed(PlanVerifier(getOperation(), *target).run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
