// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One command instead of several that follow each other on one core.
#ifndef TTC_LIB_CODEGEN_COMMANDGROUP_H
#define TTC_LIB_CODEGEN_COMMANDGROUP_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {

/// Replaces commands of a module that follow each other by one, which dispatches a program that
/// does what they do, in their order.
///
/// A buffer that only these commands access, and that they write before they read it, becomes
/// memory of the program's own, which LLVM may keep in registers. Of any other buffer, the operands
/// of the new program are the bytes that they read before they write them, and those that they
/// write: exactly, because the loader proves with them that each read sees what it should.
class CommandGroups {
public:
  explicit CommandGroups(ModuleOp module);

  /// Whether the command may become a part of another one: core 0 alone executes it, and its
  /// operands are in DRAM.
  bool isCandidate(Operation *op);

  /// The commands that a core would execute without what is fused already.
  int64_t countExecuted(ArrayRef<Operation *> commands);

  /// Replaces the commands, and with `loop` the loop whose body they are, by one command. Returns
  /// false and changes nothing if no program's operands describe what they access.
  bool fuse(ArrayRef<Operation *> commands, CmdRepeatOp loop);

  /// Erases the programs and buffers that no command uses any more.
  void eraseUnused();

  /// Bytes [begin, end) of a buffer; with gaps if rows do not follow each other.
  struct Range {
    int64_t begin = 0, end = 0, row = 0, pitch = 0;
    bool hasGaps() const { return row < end - begin; }
    friend bool operator==(const Range &a, const Range &b) {
      return a.begin == b.begin && a.end == b.end && a.row == b.row && a.pitch == b.pitch;
    }
  };

  struct Access {
    unsigned command; ///< its number in the group
    unsigned operand; ///< its number in the command: inputs, then outputs
    FlatSymbolRefAttr buffer;
    Range range;
    bool write;
    Type type; ///< of a dispatch's operand
    StridedAttr strided;
  };

  /// An operand of the new program.
  struct Operand {
    FlatSymbolRefAttr buffer;
    Range range;
    Type type;
    StridedAttr strided;
  };

  struct Plan {
    SmallVector<Access> accesses;
    SmallVector<Operand> inputs, outputs;
    /// For each output, the input of the same bytes, or -1.
    SmallVector<int64_t> inPlace;
    /// The buffers that become memory of the program, and their bytes.
    llvm::MapVector<StringAttr, int64_t> locals;
  };

private:
  void collectAccesses(ArrayRef<Operation *> commands, SmallVectorImpl<Access> &accesses);
  std::optional<Plan> makePlan(ArrayRef<Operation *> commands, CmdRepeatOp loop);
  bool addBuffer(FlatSymbolRefAttr name, ArrayRef<const Access *> accesses, bool isPrivate,
                 int64_t &localBytes, Plan &plan);
  StridedAttr alignedRow(BufferOp buffer, const Range &range, int64_t elements);
  ProgramOp makeProgram(ArrayRef<Operation *> commands, CmdRepeatOp loop, const Plan &plan);

  ModuleOp module;
  SymbolTable table;
  SymbolTableCollection symbols;
  /// How often each symbol is used.
  DenseMap<StringAttr, int64_t> uses;
  /// Of programs that were made here, the commands that they stand for.
  DenseMap<StringAttr, int64_t> executed;
  SmallVector<StringAttr> replaced; ///< programs and buffers that may be unused now
};

/// Adds the lowered body of a program that calls those of dispatches, and copies bytes.
class FusedBody {
public:
  /// `operands`: how many pointers the program gets.
  FusedBody(ProgramOp program, Location loc, unsigned operands, int64_t scratchBytes);

  /// The pointer that the program gets as operand `index`.
  Value getOperand(unsigned index);
  /// Begins with the bytes of one operand in another one, unless both are in one place.
  void beginWith(unsigned target, unsigned source, int64_t bytes);
  /// Memory of the program.
  Value addLocal(int64_t bytes);
  Value getAddress(Value base, int64_t offset);
  /// What follows is repeated.
  void beginLoop(int64_t iterations);
  void addCopy(Value target, Value source, int64_t bytes);
  /// Calls the program, which has one workgroup and can be called.
  void addCall(ProgramOp callee, ArrayRef<Value> pointers);
  LogicalResult finish();

private:
  /// Functions of a program that is called.
  struct Adopted {
    LLVM::LLVMFuncOp function; ///< what is called
    SmallVector<LLVM::LLVMFuncOp> inner;
    int64_t calls = 0;
  };

  LLVM::LLVMFuncOp adopt(ProgramOp callee);
  void inlineSmall();

  ProgramOp program;
  ModuleOp code;
  LLVM::LLVMFuncOp body;
  OpBuilder builder;
  Location loc;
  int64_t scratchBytes;
  int64_t iterations = 0;
  Block *header = nullptr;
  llvm::MapVector<Operation *, Adopted> adopted;
};

/// Whether FusedBody::addCall() can call the program: its entry has the form that --ttc-add-entries
/// and --ttc-call-kernels give it.
bool canBeCalled(ProgramOp program);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_COMMANDGROUP_H
