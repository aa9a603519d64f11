// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandGroup.h"
#include "ProgramBody.h"
#include "mlir/IR/IRMapping.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most ops of a function that is inlined, and of all of them together: code that is large
/// gains little, and takes time to compile.
static constexpr int64_t kMostInlinedOps = 300, kMostInlinedTogether = 4000;

/// The numbers of operands by the values that have their addresses: in an entry, each is the base
/// plus an offset, which is loaded from a list. Nothing if an argument is used in another way.
static std::optional<SmallVector<std::pair<LLVM::GEPOp, unsigned>>>
findAddresses(LLVM::LLVMFuncOp entry) {
  if (entry.isExternal() || entry.getNumArguments() != 4)
    return std::nullopt;
  Value list = entry.getArgument(0), base = entry.getArgument(1);
  SmallVector<std::pair<LLVM::GEPOp, unsigned>> addresses;
  auto addLoad = [&](LLVM::LoadOp load, unsigned index) {
    for (Operation *user : load->getUsers()) {
      auto address = dyn_cast<LLVM::GEPOp>(user);
      if (!address || address.getBase() != base || !address.getElemType().isInteger(8) ||
          address.getDynamicIndices().size() != 1 || address.getDynamicIndices()[0] != load)
        return false;
      addresses.push_back({address, index});
    }
    return true;
  };
  for (Operation *user : list.getUsers()) {
    if (auto load = dyn_cast<LLVM::LoadOp>(user)) { // of the first operand
      if (!addLoad(load, 0))
        return std::nullopt;
      continue;
    }
    auto slot = dyn_cast<LLVM::GEPOp>(user);
    if (!slot || !slot.getDynamicIndices().empty() || slot.getRawConstantIndices().size() != 1 ||
        !slot.getElemType().isInteger(64))
      return std::nullopt;
    for (Operation *reader : slot->getUsers())
      if (auto load = dyn_cast<LLVM::LoadOp>(reader);
          !load || !addLoad(load, slot.getRawConstantIndices()[0]))
        return std::nullopt;
  }
  for (Operation *user : base.getUsers())
    if (llvm::none_of(addresses, [&](auto &address) { return address.first == user; }))
      return std::nullopt;
  return addresses;
}

bool mlir::ttc::canBeCalled(ProgramOp program) {
  ModuleOp code = getCodeModule(program);
  auto entry = code ? code.lookupSymbol<LLVM::LLVMFuncOp>(program.getSymName()) : nullptr;
  return entry && findAddresses(entry);
}

FusedBody::FusedBody(ProgramOp program, Location loc, unsigned operands, int64_t scratchBytes)
    : program(program), builder(program.getContext()), loc(loc), scratchBytes(scratchBytes) {
  builder.setInsertionPointToStart(&program.getBody().front());
  code = ModuleOp::create(builder, loc);
  builder.setInsertionPointToStart(code.getBody());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types(operands, pointer);
  types.push_back(builder.getI64Type());
  if (scratchBytes > 0)
    types.push_back(pointer);
  body = LLVM::LLVMFuncOp::create(
      builder, loc, kBodyName,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), types));
  // All that is read is disjoint from all that is written: what is both has one pointer.
  for (auto [i, type] : llvm::enumerate(types))
    if (type == pointer)
      body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToStart(body.addEntryBlock(builder));
}

Value FusedBody::getOperand(unsigned index) { return body.getArgument(index); }

Value FusedBody::addLocal(int64_t bytes) {
  Value count = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(bytes));
  return LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                builder.getI8Type(), count, ttrt::kBufferAlignment);
}

Value FusedBody::getAddress(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

void FusedBody::beginWith(unsigned target, unsigned source, int64_t bytes) {
  Value to = getOperand(target), from = getOperand(source);
  // It may be the same memory, which all else accesses by the other pointer.
  body.removeArgAttr(source, LLVM::LLVMDialect::getNoAliasAttrName());
  auto toNumber = [&](Value pointer) {
    return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
  };
  Value isSame =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, toNumber(to), toNumber(from));
  Block *before = builder.getInsertionBlock(), *copy = new Block, *after = new Block;
  body.getBody().push_back(copy);
  body.getBody().push_back(after);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isSame, after, copy);
  builder.setInsertionPointToStart(copy);
  addCopy(to, from, bytes);
  LLVM::BrOp::create(builder, loc, after);
  builder.setInsertionPointToStart(after);
}

void FusedBody::beginLoop(int64_t times) {
  iterations = times;
  Value zero =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(0));
  Block *before = builder.getInsertionBlock();
  header = builder.createBlock(&body.getBody(), body.getBody().end(), builder.getI64Type(), loc);
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, zero, header);
  builder.setInsertionPointToStart(header);
}

void FusedBody::addCopy(Value target, Value source, int64_t bytes) {
  Value count = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(bytes));
  LLVM::MemcpyOp::create(builder, loc, target, source, count, /*isVolatile=*/false);
}

void FusedBody::addCall(ProgramOp callee, ArrayRef<Value> pointers) {
  LLVM::LLVMFuncOp function = adopt(callee);
  SmallVector<Value> arguments(pointers);
  if (scratchBytes > 0)
    arguments.push_back(body.getArguments().back());
  LLVM::CallOp::create(builder, loc, function, arguments);
}

/// Copies the callee's functions into this program. Its entry takes pointers instead of offsets.
LLVM::LLVMFuncOp FusedBody::adopt(ProgramOp callee) {
  Adopted &own = adopted[callee];
  ++own.calls;
  LLVM::LLVMFuncOp &function = own.function;
  if (function)
    return function;
  const std::string prefix = "p" + std::to_string(adopted.size()) + ".";
  OwningOpRef<ModuleOp> copy = getCodeModule(callee).clone();
  SymbolTable symbols(*copy);
  OpBuilder::InsertionGuard guard(builder);
  for (Operation &op : llvm::make_early_inc_range(copy->getBody()->getOperations())) {
    auto inner = dyn_cast<LLVM::LLVMFuncOp>(op);
    StringAttr name = SymbolTable::getSymbolName(&op);
    if (inner && inner.isExternal()) { // of the kernel library
      if (code.lookupSymbol(name))
        continue;
    } else {
      const std::string renamed = (prefix + name.getValue()).str();
      [[maybe_unused]] LogicalResult done = symbols.rename(&op, renamed);
      assert(succeeded(done) && "expected a prefix that no name has");
    }
  }
  auto entry = copy->lookupSymbol<LLVM::LLVMFuncOp>((prefix + callee.getSymName()).str());
  auto addresses = findAddresses(entry);
  assert(addresses && "expected an entry that can be called");
  const unsigned operands = callee.getNumArguments() + callee.getNumResults();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types(operands + (scratchBytes > 0), pointer);
  builder.setInsertionPointToEnd(code.getBody());
  function = LLVM::LLVMFuncOp::create(
      builder, loc, (prefix + "call").c_str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), types),
      LLVM::Linkage::Internal);
  SmallVector<Attribute> attributes = {builder.getStringAttr("no-builtins")};
  // A kernel is one function for all of its calls.
  if (llvm::any_of(copy->getOps<LLVM::LLVMFuncOp>(),
                   [](LLVM::LLVMFuncOp inner) { return inner.isExternal(); }))
    attributes.push_back(builder.getStringAttr("noinline"));
  function.setPassthroughAttr(builder.getArrayAttr(attributes));
  function.getBody().takeBody(entry.getBody());
  Block &block = function.getBody().front();
  // Arguments: the list, the base, scratch and the workgroup; then the new ones.
  for (Type type : types)
    block.addArgument(type, loc);
  SmallVector<Operation *> unused;
  for (auto [address, index] : *addresses) {
    address.replaceAllUsesWith(block.getArgument(4 + index));
    unused.push_back(address);
  }
  for (Operation *user : block.getArgument(0).getUsers()) {
    if (isa<LLVM::GEPOp>(user))
      llvm::append_range(unused, user->getUsers());
    unused.push_back(user);
  }
  for (Operation *op : unused)
    op->erase();
  builder.setInsertionPointToStart(&block);
  Value workgroup =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(0));
  block.getArgument(3).replaceAllUsesWith(workgroup);
  if (scratchBytes > 0) {
    block.getArgument(2).replaceAllUsesWith(block.getArguments().back());
  } else if (!block.getArgument(2).use_empty()) { // passed on, and not used
    Value none = LLVM::ZeroOp::create(builder, loc, pointer);
    block.getArgument(2).replaceAllUsesWith(none);
  }
  block.eraseArguments(0, 4);
  entry.erase();
  for (Operation &op : llvm::make_early_inc_range(copy->getBody()->getOperations())) {
    auto inner = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (inner && inner.isExternal() && code.lookupSymbol(inner.getSymNameAttr()))
      continue;
    op.moveBefore(code.getBody(), code.getBody()->end());
    if (inner && !inner.isExternal())
      own.inner.push_back(inner);
  }
  return function;
}

/// What was kept apart from its caller is inlined after products are contracted, as far as it is
/// small.
void FusedBody::inlineSmall() {
  int64_t together = 0;
  for (auto &[callee, own] : adopted)
    for (LLVM::LLVMFuncOp inner : own.inner) {
      int64_t size = 0;
      inner.walk([&](Operation *) { ++size; });
      ArrayAttr attributes = inner.getPassthroughAttr();
      if (size > kMostInlinedOps || together + size * own.calls > kMostInlinedTogether ||
          !attributes || !llvm::is_contained(attributes, builder.getStringAttr("noinline")))
        continue;
      together += size * own.calls;
      SmallVector<Attribute> all(attributes.getValue());
      all.push_back(builder.getStringAttr(kInlineLastAttrName));
      inner.setPassthroughAttr(builder.getArrayAttr(all));
    }
}

LogicalResult FusedBody::finish() {
  inlineSmall();
  if (header) {
    Type i64 = builder.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
    };
    Value next = LLVM::AddOp::create(builder, loc, header->getArgument(0), constant(1));
    Value more =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, next, constant(iterations));
    Block *end = new Block;
    body.getBody().push_back(end);
    LLVM::CondBrOp::create(builder, loc, more, header, ValueRange(next), end, ValueRange());
    builder.setInsertionPointToStart(end);
  }
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  FailureOr<LLVM::LLVMFuncOp> entry = addEntry(program, code, body, scratchBytes);
  if (failed(entry))
    return failure();
  setRequirements(program, *entry, /*workgroups=*/1, scratchBytes);
  return success();
}
