// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory holds, without computing anything: bytes that a command writes are named by the
// command and by the names of all that it has read.

#ifndef TTC_TEST_UNIT_PROOF_CELLS_H
#define TTC_TEST_UNIT_PROOF_CELLS_H

#include "ScheduleModel.h"

#include <array>
#include <map>
#include <set>

namespace ttrt::test {

/// What a byte is: the byte at address a is number a - base of `name`.
struct Tag {
  uint64_t name = 0, base = 0;
  bool operator==(const Tag &) const = default;
};

/// The bytes of a device, cell by cell.
class Cells {
public:
  explicit Cells(const ScheduleModel &model);

  void fill(const Use &use, Tag tag) {
    for (uint32_t cell : use.cells)
      tags[cell] = tag;
  }
  /// The name of bytes [begin, end) of an operand: the same for equal bytes, however memory is cut.
  uint64_t nameOf(const ScheduleModel &model, const Use &use, uint64_t begin, uint64_t end) const;
  /// What a command makes of what it finds; one workgroup, where workgroups have rows of their own.
  uint64_t resultOf(const ScheduleModel &model, const Command &command, uint64_t workgroup) const;
  /// Executes a command; returns the names of its results, as resultOf() gives them.
  std::vector<uint64_t> execute(const ScheduleModel &model, const Command &command);
  /// Gives what state buffers hold the names that it had in the beginning.
  void resetState(const ScheduleModel &model);
  /// The names of what state buffers hold, in the order of the bundle's table.
  std::vector<uint64_t> stateNames(const ScheduleModel &model) const;
  bool operator==(const Cells &) const = default;

  std::vector<Tag> tags;
};

/// Which cells of a command's results one workgroup writes, with the operand's address.
std::vector<std::pair<uint32_t, uint64_t>> resultsOf(const Command &command, uint64_t workgroup);

/// The number of inferences whose outputs are read, or without outputs: whose inputs are written.
int64_t inferencesOf(const Unrolled &unrolled);

/// What the host writes.
uint64_t inputName(uint32_t input, int64_t inference);
/// Where half `piece` of a transfer begins; 2: its end.
uint64_t half(const Use &use, uint32_t piece);

/// What the first schedule of an entry point gives when everything is executed one after the other.
struct EntryReference {
  /// Names of the two halves of each output, per inference and output.
  std::vector<std::vector<std::array<uint64_t, 2>>> outputs;
  /// What each number of inferences leaves in state: Cells::stateNames().
  std::map<int64_t, std::vector<uint64_t>> states;
};
/// By entry point.
using Reference = std::vector<EntryReference>;
Reference referenceOf(const BundleBuilder &builder, uint32_t inferences);

/// Names of what a schedule computes, of each inference the same: what is read from state has the
/// name that it had in the beginning.
struct Computed {
  std::map<uint32_t, std::set<uint64_t>> outputs;      ///< what is read, by output
  std::map<uint64_t, std::vector<uint64_t>> stateUses; ///< in order, by the buffer's address
  uint64_t inferences = 0;
};
Computed computedBy(const ScheduleModel &model, const fb::ScheduleT &schedule, uint32_t bodies);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_CELLS_H
