// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one program of a bundle alone, on operands in guarded memory. For a process that does
// nothing else: it handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP.

#ifndef TTC_TOOLING_CHECK_PROGRAMRUNNER_H
#define TTC_TOOLING_CHECK_PROGRAMRUNNER_H

#include "Check/GuardedRows.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace ttrun {

/// The order in which workgroups run.
enum class Order { Forwards, Backwards, Scattered };

/// Everything that must not change a program's results.
struct Circumstances {
  Edge edge = Edge::Back;
  Order order = Order::Forwards;
  uint8_t outputs = 0xa5;   ///< what outputs hold before
  uint8_t scratch = 0xa5;   ///< what scratch holds before
  uint8_t unrelated = 0xa5; ///< bytes between the rows of inputs, and after them
  bool record = false;      ///< programs with markers have room for them
};

/// What inputs hold.
enum class Values {
  /// In [-2, 2). As integers they are far beyond the extents of a tensor, so that an index that is
  /// not checked leads outside of it.
  Floats,
  /// Integers from -4 to 59, of 32 and of 64 bits: indices that are inside of most tensors.
  SmallIntegers
};

/// The packed rows of each written operand; empty for an operand that is only read.
using Results = std::vector<std::vector<uint8_t>>;

/// A program does what its table entry excludes. The message names operand, workgroup and address.
struct Violation {
  std::string message;
};

class ProgramRunner {
public:
  /// `seed` determines the contents of inputs. Throws std::bad_alloc.
  ProgramRunner(const ttrt::fb::Program &program, ttrt::ProgramFunction *function, uint64_t seed);

  const ttrt::fb::Program &program() const { return program_; }
  uint32_t operands() const { return static_cast<uint32_t>(memory_.size()); }
  const ttrt::fb::Operand &operand(uint32_t index) const {
    return *program_.operands()->Get(index);
  }
  bool reads(uint32_t operand) const;
  bool writes(uint32_t operand) const;
  const Rows &rows(uint32_t operand) const { return memory_[operand]->rows(); }
  /// "operand 2 (out, 4096 bytes)"
  std::string describe(uint32_t operand) const;

  /// Stores operand `index` in the memory of operand `at`, which has equal rows; `at` == `index`
  /// undoes that.
  void storeAt(uint32_t index, uint32_t at) { stored_[index] = at; }

  /// Values::Floats at first.
  void setInputs(Values values);

  /// Runs all workgroups. Throws Violation.
  Results run(const Circumstances &circumstances);

  /// Runs single workgroups after begin(), which has the memory ready. Outputs hold
  /// `circumstances.outputs` before each one. In an operand per workgroup, only the row of this
  /// workgroup can be accessed, where rows have their own pages, and the other rows hold nothing.
  void beginAlone(const Circumstances &circumstances);
  /// Throws Violation, also if a byte that it writes differs from `expected` or has been written by
  /// another workgroup. Returns whether it writes anything.
  bool runAlone(uint64_t workgroup, const Results &expected);

private:
  GuardedRows &memory(uint32_t operand) { return *memory_[stored_[operand]]; }
  void prepare(const Circumstances &circumstances);
  void fillScratch();
  void call(uint64_t first, uint64_t step, uint64_t count);
  [[noreturn]] void explainFault(uint64_t workgroup);
  void checkOutside();
  void checkOnly(uint32_t operand, uint64_t workgroup, const std::vector<uint8_t> &expected);
  bool collectAlone(uint32_t operand, uint64_t workgroup, const std::vector<uint8_t> &expected);

  const ttrt::fb::Program &program_;
  ttrt::ProgramFunction *const function_;
  const uint64_t seed_;
  std::vector<std::unique_ptr<GuardedRows>> memory_;
  std::vector<std::vector<uint8_t>> contents_; ///< of operands that are read
  std::vector<uint32_t> stored_;
  std::vector<std::vector<bool>> written_; ///< of each written operand: by a single workgroup
  std::unique_ptr<GuardedRows> scratch_;
  std::unique_ptr<GuardedRows> table_; ///< the operands' addresses
  Circumstances circumstances_;
};

} // namespace ttrun

#endif // TTC_TOOLING_CHECK_PROGRAMRUNNER_H
