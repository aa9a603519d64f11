// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates as machine code in this process.
#ifndef TTC_LIB_TUNING_CANDIDATECODE_H
#define TTC_LIB_TUNING_CANDIDATECODE_H

#include "Measurement.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ttc/Support/Cpu.h"
#include <memory>

namespace mlir::ttc {

/// One op computed in one way: a module of its own, which becomes programs in the same passes as a
/// model does, with the choice as its only tuning entry. It is in a context of its own: a name that
/// a folded constant takes in a context remains taken, and the model's constants would get others.
class Candidate {
public:
  /// The candidate for an op on tensors and a choice of its kernel. Its constant operands are
  /// constants in the module, whose elements do not matter.
  static Candidate makeOfOp(Operation *op, KernelChoiceAttr choice);
  /// The candidate for a program with one gemm, as it is in the model, and the gemm's plan.
  static Candidate makeOfProgram(ProgramOp program, KernelGemmOp gemm, GemmPlanAttr plan);

  /// Lowers it to the LLVM dialect. False if that is not possible, or if its scratch exceeds L1.
  /// `number` makes the names of its programs unique.
  bool lower(unsigned number);

  Attribute getChoice() const { return choice; }

private:
  friend class CandidateCode;
  void takeFrom(ModuleOp model);
  LogicalResult makePrograms();
  LogicalResult lowerPrograms();
  void describe(unsigned number);

  Attribute choice; ///< in the model's context
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  bool isProgram = false;
  CandidateRun run;
  SmallVector<ProgramOp> programs; ///< of the steps
};

/// Candidates in a shared object that this process has loaded.
class CandidateCode {
public:
  CandidateCode() = default;
  CandidateCode(const CandidateCode &) = delete;
  CandidateCode &operator=(const CandidateCode &) = delete;
  ~CandidateCode();

  /// Compiles and loads them. Returns why that failed, or nothing.
  std::string load(ArrayRef<Candidate *> candidates, const CpuTarget &cpu);
  /// What each one runs.
  ArrayRef<const CandidateRun *> getRuns() const { return runs; }

private:
  void *library = nullptr;
  SmallVector<const CandidateRun *> runs;
};

} // namespace mlir::ttc

#endif // TTC_LIB_TUNING_CANDIDATECODE_H
