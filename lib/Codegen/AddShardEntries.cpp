// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/Target.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ADDSHARDENTRIES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

class ShardEntryBuilder {
public:
  ShardEntryBuilder(ProgramOp program, OpBuilder &builder, int64_t l1Bytes)
      : program(program), builder(builder), loc(program.getLoc()), l1Bytes(l1Bytes),
        i64(builder.getI64Type()), pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  /// The workgroup's place in the grid, the last dimension running fastest.
  void decompose(Value workgroup) {
    ArrayRef<int64_t> grid = *program.getShards();
    index.resize(grid.size());
    for (size_t i = grid.size(); i-- > 0;) {
      index[i] = remainder(workgroup, grid[i]);
      workgroup = quotient(workgroup, grid[i]);
    }
  }

  /// The addresses of the workgroup's parts, laid out as the program's ABI has them.
  Value buildAddresses(Value operands) {
    unsigned count = program.getNumArguments() + program.getNumResults();
    Value array = LLVM::AllocaOp::create(builder, loc, pointer, i64, constant(count));
    for (unsigned i = 0; i < count; ++i) {
      Value address = LLVM::LoadOp::create(builder, loc, i64, slot(operands, i));
      if (ShardAttr shard = program.getShard(i))
        address = LLVM::AddOp::create(builder, loc, address, getOffset(shard));
      LLVM::StoreOp::create(builder, loc, address, slot(array, i));
    }
    return array;
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }

private:
  Value slot(Value array, unsigned i) {
    return LLVM::GEPOp::create(builder, loc, pointer, i64, array,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
  }
  Value quotient(Value value, int64_t by) {
    return by == 1 ? value : LLVM::UDivOp::create(builder, loc, value, constant(by)).getResult();
  }
  Value remainder(Value value, int64_t by) {
    return by == 1 ? constant(0) : LLVM::URemOp::create(builder, loc, value, constant(by));
  }

  /// Bytes from the operand's address to the workgroup's part. Along dimension d, the part is
  /// number t = index[partition[d]] of p; if the whole is sharded in q parts, each shard has p / q
  /// of these.
  Value getOffset(ShardAttr shard) {
    RankedTensorType whole = shard.getWhole();
    SmallVector<int64_t> parts = shard.getParts(*program.getShards());
    SmallVector<int64_t> shards = *getShardParts(whole);
    int64_t element = getTensorBytes(whole) / whole.getNumElements();
    // From the last dimension on: elements from one part to the next in its shard, cores.
    int64_t stride = 1, cores = 1;
    Value offset = constant(0);
    for (int64_t d = whole.getRank() - 1; d >= 0; --d) {
      int64_t size = whole.getDimSize(d), finer = parts[d] / shards[d];
      if (shard.getPartition()[d] >= 0) {
        Value part = index[shard.getPartition()[d]];
        offset = add(offset, remainder(part, finer), size / parts[d] * stride * element);
        offset = add(offset, quotient(part, finer), shards[d] == 1 ? 0 : cores * l1Bytes);
      }
      stride *= size / shards[d];
      cores *= shards[d];
    }
    return offset;
  }

  Value add(Value sum, Value count, int64_t bytes) {
    if (bytes == 0)
      return sum;
    Value product = LLVM::MulOp::create(builder, loc, count, constant(bytes));
    return LLVM::AddOp::create(builder, loc, sum, product);
  }

  ProgramOp program;
  OpBuilder &builder;
  Location loc;
  int64_t l1Bytes;
  Type i64, pointer;
  SmallVector<Value> index;
};

} // namespace

/// Makes a lowered program one on shards: the function with its name becomes one for a single part
/// with that many `workgroups`, after a new one that adds where the parts of a workgroup are.
static FailureOr<LLVM::LLVMFuncOp> addShardEntry(ProgramOp program, ModuleOp module,
                                                 LLVM::LLVMFuncOp part, int64_t workgroups) {
  FailureOr<TargetAttr> target = getTarget(program->getParentOfType<ModuleOp>());
  if (failed(target))
    return failure();
  Location loc = program.getLoc();
  if (failed(SymbolTable(module).rename(part, (program.getSymName() + ".part").str())))
    return failure();
  part.setLinkage(LLVM::Linkage::Internal);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, program.getSymName(), part.getFunctionType());
  StringAttr noBuiltins = builder.getStringAttr("no-builtins");
  entry.setPassthroughAttr(builder.getArrayAttr({noBuiltins}));
  // Specialised for its shapes exactly as without shards.
  part.setPassthroughAttr(builder.getArrayAttr({noBuiltins, builder.getStringAttr("noinline")}));

  Block *first = entry.addEntryBlock(builder);
  Value base = entry.getArgument(1), scratch = entry.getArgument(2);
  builder.setInsertionPointToStart(first);
  ShardEntryBuilder addresses(program, builder, target->getL1Bytes());
  addresses.decompose(entry.getArgument(3));
  Value operands = addresses.buildAddresses(entry.getArgument(0));
  Value zero = addresses.constant(0);
  if (workgroups == 1) {
    LLVM::CallOp::create(builder, loc, part, ValueRange{operands, base, scratch, zero});
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return entry;
  }
  // The workgroups that the part would have alone, one after the other.
  Value one = addresses.constant(1), count = addresses.constant(workgroups);
  Block *loop = builder.createBlock(&entry.getBody(), {}, builder.getI64Type(), loc);
  Value number = loop->getArgument(0);
  LLVM::CallOp::create(builder, loc, part, ValueRange{operands, base, scratch, number});
  Value next = LLVM::AddOp::create(builder, loc, number, one);
  Value isLast = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, next, count);
  Block *last = builder.createBlock(&entry.getBody());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPointToEnd(loop);
  LLVM::CondBrOp::create(builder, loc, isLast, last, ValueRange(), loop, ValueRange(next));
  builder.setInsertionPointToEnd(first);
  LLVM::BrOp::create(builder, loc, ValueRange(zero), loop);
  return entry;
}

namespace {
struct AddShardEntriesPass : mlir::ttc::impl::AddShardEntriesBase<AddShardEntriesPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ModuleOp module = getCodeModule(program);
    // A grid says that the entry is there.
    if (!module || !program.getShards() || program.getGrid())
      return;
    auto part = module.lookupSymbol<LLVM::LLVMFuncOp>(program.getSymName());
    if (!part) {
      program.emitOpError("expects an llvm.func of its name in its body, found none");
      return signalPassFailure();
    }
    FailureOr<int64_t> workgroups = getPassedInteger(
        part, kWorkgroupsAttrName, "--ttc-add-entries or --ttc-call-kernels", /*least=*/1);
    FailureOr<int64_t> scratch = getPassedInteger(
        part, kScratchBytesAttrName, "--ttc-add-entries or --ttc-call-kernels", /*least=*/0);
    if (failed(workgroups) || failed(scratch))
      return signalPassFailure();
    FailureOr<LLVM::LLVMFuncOp> entry = addShardEntry(program, module, part, *workgroups);
    if (failed(entry))
      return signalPassFailure();
    part->removeAttr(kWorkgroupsAttrName);
    part->removeAttr(kScratchBytesAttrName);
    int64_t grid = llvm::product_of(*program.getShards());
    setRequirements(program, *entry, grid, *scratch);
    program.setGrid(grid);
  }
};
} // namespace
