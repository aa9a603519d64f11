// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandGroup.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "ttc/Analysis/Lifetimes.h"
#include "ttc/Codegen/Passes.h"
#include "ttrt/format/commands.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FUSECOMMANDS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

/// The most commands that become one, which bounds the time to compile it.
static constexpr size_t kMost = 128;
/// The most commands that a program executes which contains a loop: the device responds between
/// commands only.
static constexpr int64_t kMostInLoop = 1000000;

namespace {
struct FuseCommandsPass : mlir::ttc::impl::FuseCommandsBase<FuseCommandsPass> {
  PassCounter numFused{*this, "fused", "Commands that are part of another one now"};
  PassCounter numLoops{*this, "loops", "Loops that a program contains now"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CommandGroups groups(module);
    bool changed = false;
    for (auto trace : llvm::to_vector(module.getOps<TraceOp>())) {
      if (!trace.isEncoded())
        continue;
      // Inner loops first: they begin last.
      SmallVector<CmdRepeatOp> loops = llvm::to_vector(trace.getBody().getOps<CmdRepeatOp>());
      for (CmdRepeatOp loop : llvm::reverse(loops))
        changed |= fuseBody(groups, loop);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    groups.eraseUnused();
    restateLifetimes(module);
  }

private:
  /// Fuses the commands of a loop; those of the loops in it are fused already.
  bool fuseBody(CommandGroups &groups, CmdRepeatOp loop) {
    SmallVector<SmallVector<Operation *>> runs(1);
    size_t commands = 0;
    Operation *end = LoopBeginOp::findEnd(loop);
    for (Operation *op = loop->getNextNode(); op != end; op = op->getNextNode()) {
      ++commands;
      if (groups.isCandidate(op))
        runs.back().push_back(op);
      else
        runs.emplace_back();
      if (LoopBeginOp::begins(op))
        op = LoopBeginOp::findEnd(op);
    }
    // A loop of a known number of iterations, all of whose commands become one, is a part of it.
    if (!loop.getFlagAttr() && runs.size() == 1 && commands <= kMost) {
      const int64_t each = groups.countExecuted(runs.front());
      if (each <= kMostInLoop / static_cast<int64_t>(loop.getIterations()) &&
          groups.fuse(runs.front(), loop)) {
        numFused += commands - 1;
        ++numLoops;
        return true;
      }
    }
    bool changed = false;
    for (ArrayRef<Operation *> run : runs)
      changed |= fuseRun(groups, run);
    return changed;
  }

  bool fuseRun(CommandGroups &groups, ArrayRef<Operation *> run) {
    constexpr size_t fewest = 2;
    bool changed = false;
    while (run.size() >= fewest) {
      size_t count = std::min(run.size(), kMost);
      // Fewer, until they fit into one command.
      while (count >= fewest && !groups.fuse(run.take_front(count), nullptr))
        count = count * 3 / 4;
      if (count < fewest) {
        run = run.drop_front();
        continue;
      }
      numFused += count - 1;
      changed = true;
      run = run.drop_front(count);
    }
    return changed;
  }
};
} // namespace
