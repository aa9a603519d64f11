// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTPROGRAM_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTPROGRAM_H

#include "mlir/IR/Block.h"
#include <functional>
#include <vector>

namespace mlir::ttc {

/// Scalar arith and math ops, compiled to run on blocks of elements. A register holds a
/// block of one value: f16, bf16 and f32 as float, f64 as double, integers as int64_t,
/// sign-extended from their width (i1: 0 or 1).
class ElementProgram {
public:
  /// Elements of a block: registers stay in L1.
  static constexpr size_t blockSize = 512;
  using Instruction = std::function<void(char *const *registers, size_t count)>;

  /// Translates the ops of `block`, whose arguments are the inputs and which computes
  /// `result`. Fails for an unsupported op or type.
  static FailureOr<ElementProgram> compile(Block &block, Value result);

  size_t getNumRegisters() const { return numRegisters; }
  unsigned getResultRegister() const { return resultRegister; }

  /// Registers 0.. hold the inputs.
  void run(char *const *registers, size_t count) const {
    for (const Instruction &instruction : instructions)
      instruction(registers, count);
  }

  /// Converts between elements in memory and a register of this element type.
  static void load(Type type, const char *elements, char *reg, size_t count);
  static void store(Type type, const char *reg, char *elements, size_t count);
  static bool isSupported(Type type);

private:
  std::vector<Instruction> instructions;
  size_t numRegisters = 0;
  unsigned resultRegister = 0;
};

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_ELEMENTPROGRAM_H
