// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of a bundle do to memory: the common ground of the oracle and of the explorer.
// Read from the builder's tables, with no code of the runtime's.

#ifndef TTC_TEST_UNIT_PROOF_SCHEDULEMODEL_H
#define TTC_TEST_UNIT_PROOF_SCHEDULEMODEL_H

#include "test/unit/Support/BundleBuilder.h"

#include <cstring>
#include <map>

namespace ttrt::test {

/// Why a bundle is wrong.
struct Fault {
  std::string what;
  bool inTables = false; ///< of form or space: it need not happen to be wrong
};

/// One operand of one command.
struct Use {
  uint64_t address, end;
  bool read, write;
  uint32_t operand;
  std::vector<uint32_t> cells; ///< sorted
  int buffer = -1;             ///< by the timeline
  /// The cells of each workgroup, where workgroups have rows of their own; else none.
  std::vector<std::vector<uint32_t>> rows = {};
  /// Scratch of the command's program: in the L1 of each core that may have work, core by core;
  /// else none.
  std::vector<std::vector<uint32_t>> scratch = {};

  bool isScratch() const { return !scratch.empty(); }
  /// What one of `cores` cores may touch; workgroup w of g is done by core w * cores / g. Cores but
  /// the first stand for any others.
  std::vector<uint32_t> cellsOf(size_t core, size_t cores) const;
  /// The cells of scratch that a core, itself, may touch.
  const std::vector<uint32_t> &scratchOf(size_t core) const;
};

struct Command {
  Opcode kind = Opcode::Dispatch;
  bool single = true; ///< one workgroup
  uint64_t grid = 1;
  uint32_t event = 0;
  std::string name; ///< equal for what computes the same function of its operands
  const fb::ProgramT *program = nullptr;
  std::vector<Use> uses;

  /// Whether workgroups have rows of their own of some operand.
  bool hasRows() const;
};

/// One step of one iteration.
struct Instance {
  const fb::StepT *step;
  const std::vector<Command> *commands; ///< of the trace, or the step alone
  size_t queue;
  int64_t inference = -1;   ///< Write, Read: which one of its port
  std::vector<int> targets; ///< per command: the wait's record, -1: none; the signal's own
};

/// A schedule with its body repeated.
struct Unrolled {
  std::vector<Instance> instances;
  size_t records = 0;
};

class ScheduleModel {
public:
  explicit ScheduleModel(const BundleBuilder &builder);

  uint64_t addressOf(const fb::BufferT &buffer) const;
  /// Bytes that follow each other there.
  uint64_t sizeOf(const fb::BufferT &buffer) const;
  static bool isInterleaved(const fb::BufferT &buffer);
  /// Those of all shards.
  std::vector<uint32_t> cellsOf(const fb::BufferT &buffer) const;
  static uint64_t bytesOf(const fb::PortT &port);
  Use use(uint64_t address, uint64_t bytes, bool read, bool write, uint32_t operand) const;
  /// `runs`: how often prologue, bodies and epilogue are enqueued.
  Unrolled unroll(const fb::ScheduleT &schedule, uint32_t bodies, uint32_t runs = 1) const;

  const BundleBuilder &builder;
  const fb::BundleT &bundle;
  uint64_t dramBytes() const;
  uint64_t interleavedAddress() const;
  /// Memory as a chip has it: what lies in a core's L1 goes by its address in the interleaved view.
  /// Cut wherever any access or buffer begins or ends, and in the middle of every port.
  /// Cell i is [cuts[i], cuts[i + 1]).
  std::vector<uint64_t> cuts;
  std::vector<std::vector<Command>> traces;
  std::map<const fb::StepT *, std::vector<Command>> steps;

private:
  template <typename F> void forEachPart(F f) const;
  template <typename F> static void parts(const fb::OperandT &operand, uint64_t address, F f);
  template <typename F> static void forEachCommand(const StreamBuilder &stream, F f);
  void findCells();
  template <typename F> void onChip(uint64_t begin, uint64_t end, F f) const;
  template <typename F> void forEachScratch(const fb::ProgramT &program, F f) const;
  bool usesL1() const;
  void addCells(std::vector<uint32_t> &cells, uint64_t begin, uint64_t end) const;
  void addRows(Use &use, const fb::OperandT &operand, uint64_t grid) const;
  void addOperands(Command &command, uint32_t program, const uint64_t *addresses,
                   bool onHost = false) const;
  std::vector<Command> decode(const StreamBuilder &stream) const;
  Command decode(const fb::EntryPointT &entry, const fb::StepT &step) const;
};

bool shareCells(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_SCHEDULEMODEL_H
