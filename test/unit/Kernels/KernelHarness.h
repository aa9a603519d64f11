// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single kernel ops the way a bundle would: each op becomes a program that calls the kernel
// with its parameters as constants, all programs are compiled into one shared object, and that is
// loaded. Used by the kernels' tests and by benchmarks/kernels.
#ifndef TTC_TEST_UNIT_KERNELS_KERNELHARNESS_H
#define TTC_TEST_UNIT_KERNELS_KERNELHARNESS_H

#include "ttc/Support/Cpu.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace ttc::test {

/// What the epilogue of a program computes.
enum class Tail {
  none,
  /// acc + row / 4 + (col + lane) / 8: wrong rows, columns or lanes show.
  position,
  /// The same, as a long epilogue that is not inlined into the kernel.
  calledPosition,
  /// max(acc + bias[col + lane], 0), the bias being the operand after the result.
  biasRelu,
};

struct KernelProgram {
  int64_t grid, scratchBytes;
  void (*run)(const uint64_t *operands, uint8_t *base, uint8_t *scratch, uint64_t workgroup);

  /// Runs all workgroups on this thread; operands in the kernel's order, the result last, then
  /// what the tail reads. With `reversed`, workgroups run backwards: none may depend on another.
  void operator()(const std::vector<const float *> &operands, bool reversed = false) const;
};

class KernelSuite {
public:
  KernelSuite();
  ~KernelSuite();

  /// Adds one op, as `"ttc.kernel...(%0, %1) {...} : (...) -> ..."` over block arguments of the
  /// given types; returns its index. On malformed IR the test program ends with the diagnostic.
  size_t add(const std::string &op, const std::vector<std::string> &operandTypes,
             const std::string &resultType, Tail tail = Tail::none);
  /// The same for an op of several results. The program's operands are the op's, then all results.
  size_t addSeveral(const std::string &op, const std::vector<std::string> &operandTypes,
                    const std::vector<std::string> &resultTypes);

  /// Compiles everything for `target`; programs can then be called if this machine can run it.
  bool compile(const mlir::ttc::CpuTarget &target);
  /// With `markers`, the kernels record zones in scratch.
  std::string assembly(const mlir::ttc::CpuTarget &target, bool markers = false);
  KernelProgram program(size_t index) const;
  /// The op's value as the compiler folds it.
  bool evaluate(size_t index, std::span<const float> input, std::span<float> output) const;
  const std::vector<char> &code() const { return bytes; }

private:
  struct Entry;
  size_t addText(const std::string &text, size_t operands, Tail tail);
  /// The lowered programs, with epilogues of the target's vector length.
  std::string lower(const mlir::ttc::CpuTarget &target, bool markers = false) const;

  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<Entry> entries;
  std::vector<char> bytes;
  void *library = nullptr;
};

/// A 64-byte aligned buffer with a guard of canaries after it.
class Buffer {
public:
  explicit Buffer(size_t elements, float fill = 0.0f);
  float *data() { return values; }
  const float *data() const { return values; }
  float &operator[](size_t i) { return values[i]; }
  float operator[](size_t i) const { return values[i]; }
  size_t size() const { return count; }
  /// Small whole numbers: sums of products are exact whatever the order.
  void fillWhole(unsigned seed);
  void fillRandom(unsigned seed);
  bool guardIntact() const;

private:
  std::unique_ptr<char[]> storage;
  float *values;
  size_t count;
};

} // namespace ttc::test

#endif // TTC_TEST_UNIT_KERNELS_KERNELHARNESS_H
