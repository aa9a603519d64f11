// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MergePrograms.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <algorithm>
#include <map>
#include <optional>

using namespace mlir::ttc;

namespace {

/// More integers than this are not sizes alone, and would cost registers.
constexpr size_t kMostIntegers = 64;

/// An operand of an instruction.
struct Place {
  llvm::Instruction *inst;
  unsigned operand;
  bool operator<(const Place &other) const {
    return std::tie(inst, operand) < std::tie(other.inst, other.operand);
  }
};

/// The integer of a constant, or of all elements of a vector.
llvm::ConstantInt *getInteger(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return integer && integer->getBitWidth() <= 64 ? integer : nullptr;
}

/// Whether an operand may be a variable where it is a constant now.
bool canVary(llvm::Instruction &inst, unsigned operand) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst))
    return operand < call->arg_size() && !call->paramHasAttr(operand, llvm::Attribute::ImmArg);
  if (llvm::isa<llvm::GetElementPtrInst>(inst)) {
    if (operand == 0)
      return false;
    auto at = llvm::gep_type_begin(inst);
    std::advance(at, operand - 1);
    return !at.isStruct();
  }
  return llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::PHINode,
                   llvm::StoreInst, llvm::ReturnInst>(inst);
}

/// Walks two programs side by side, through all functions that only they call.
class Comparison {
public:
  /// The integers of `b` where they differ from those of `a`. Nothing if more differs.
  std::optional<std::map<Place, llvm::ConstantInt *>> run(llvm::Function *a, llvm::Function *b);

  /// The functions of `a` that were compared, in order.
  llvm::ArrayRef<std::pair<llvm::Function *, llvm::Function *>> getFunctions() const {
    return functions;
  }
  /// Pairs of instructions that do the same.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::Instruction *>> getInstructions() const {
    return instructions;
  }

private:
  bool compareFunctions(llvm::Function *a, llvm::Function *b);
  bool compareInstructions(llvm::Instruction &a, llvm::Instruction &b);
  bool compareConstants(llvm::Constant *a, llvm::Constant *b);
  bool enqueue(llvm::Function *a, llvm::Function *b);

  llvm::DenseMap<llvm::Value *, llvm::Value *> values;
  llvm::SmallVector<std::pair<llvm::Function *, llvm::Function *>> functions;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Instruction *>> instructions;
  std::map<Place, llvm::ConstantInt *> integers;
};

} // namespace

/// Functions that their programs alone call, directly: kernels' copies, and bodies.
static bool isOwn(llvm::Function &function) {
  return function.hasLocalLinkage() && !function.isDeclaration() &&
         llvm::all_of(function.users(), [&](llvm::User *user) {
           auto *call = llvm::dyn_cast<llvm::CallInst>(user);
           return call && call->getCalledFunction() == &function;
         });
}

bool Comparison::enqueue(llvm::Function *a, llvm::Function *b) {
  auto [it, isNew] = values.try_emplace(a, b);
  if (isNew)
    functions.push_back({a, b});
  return it->second == b;
}

bool Comparison::compareConstants(llvm::Constant *a, llvm::Constant *b) {
  if (a == b)
    return true;
  if (a->getType() != b->getType())
    return false;
  auto *left = llvm::dyn_cast<llvm::GlobalVariable>(a),
       *right = llvm::dyn_cast<llvm::GlobalVariable>(b);
  if (left && right)
    return left->isConstant() && right->isConstant() && left->hasInitializer() &&
           right->hasInitializer() && left->hasLocalLinkage() && right->hasLocalLinkage() &&
           left->getAlign() == right->getAlign() &&
           compareConstants(left->getInitializer(), right->getInitializer());
  auto *expr = llvm::dyn_cast<llvm::ConstantExpr>(a),
       *other = llvm::dyn_cast<llvm::ConstantExpr>(b);
  if (!expr || !other || expr->getOpcode() != other->getOpcode() ||
      expr->getNumOperands() != other->getNumOperands())
    return false;
  auto *gep = llvm::dyn_cast<llvm::GEPOperator>(a);
  if (gep &&
      gep->getSourceElementType() != llvm::cast<llvm::GEPOperator>(b)->getSourceElementType())
    return false;
  return llvm::all_of(llvm::zip_equal(expr->operands(), other->operands()), [&](auto pair) {
    return compareConstants(llvm::cast<llvm::Constant>(std::get<0>(pair)),
                            llvm::cast<llvm::Constant>(std::get<1>(pair)));
  });
}

bool Comparison::compareInstructions(llvm::Instruction &a, llvm::Instruction &b) {
  if (!a.isSameOperationAs(&b, llvm::Instruction::CompareIgnoringAlignment))
    return false;
  instructions.push_back({&a, &b});
  for (unsigned i = 0; i < a.getNumOperands(); ++i) {
    llvm::Value *left = a.getOperand(i), *right = b.getOperand(i);
    if (left == right)
      continue;
    llvm::ConstantInt *integer = getInteger(left), *other = getInteger(right);
    if (integer && other && left->getType() == right->getType()) {
      if (!canVary(a, i))
        return false;
      integers[{&a, i}] = other;
      continue;
    }
    auto *function = llvm::dyn_cast<llvm::Function>(left),
         *called = llvm::dyn_cast<llvm::Function>(right);
    if (function && called) {
      if (!isOwn(*function) || !isOwn(*called) || !enqueue(function, called))
        return false;
      continue;
    }
    if (llvm::isa<llvm::Constant>(left) || llvm::isa<llvm::Constant>(right)) {
      if (!llvm::isa<llvm::Constant>(left) || !llvm::isa<llvm::Constant>(right) ||
          !compareConstants(llvm::cast<llvm::Constant>(left), llvm::cast<llvm::Constant>(right)))
        return false;
      continue;
    }
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(a))
      continue; // a declares the scopes of its own instructions
    // Metadata of other intrinsics, and assembly.
    if (!llvm::isa<llvm::Instruction, llvm::Argument, llvm::BasicBlock>(left))
      return false;
    // A value of a later block is checked by this entry when it comes.
    auto [it, isNew] = values.try_emplace(left, right);
    if (it->second != right)
      return false;
  }
  auto [it, isNew] = values.try_emplace(&a, &b);
  return it->second == &b;
}

bool Comparison::compareFunctions(llvm::Function *a, llvm::Function *b) {
  if (a->getFunctionType() != b->getFunctionType() || a->size() != b->size() ||
      a->getCallingConv() != b->getCallingConv() ||
      !a->getAttributes().intersectWith(a->getContext(), b->getAttributes()))
    return false;
  for (auto [left, right] : llvm::zip_equal(a->args(), b->args()))
    values[&left] = &right;
  for (auto [left, right] : llvm::zip_equal(*a, *b)) {
    auto [it, isNew] = values.try_emplace(&left, &right);
    if (it->second != &right || left.size() != right.size())
      return false;
    for (auto [inst, other] : llvm::zip_equal(left, right))
      if (!compareInstructions(inst, other))
        return false;
    // Incoming blocks are no operands.
    for (auto [phi, other] : llvm::zip_equal(left.phis(), right.phis()))
      for (auto [from, otherFrom] : llvm::zip_equal(phi.blocks(), other.blocks())) {
        auto [block, isNewBlock] = values.try_emplace(from, otherFrom);
        if (block->second != otherFrom)
          return false;
      }
  }
  return true;
}

std::optional<std::map<Place, llvm::ConstantInt *>> Comparison::run(llvm::Function *a,
                                                                    llvm::Function *b) {
  functions.push_back({a, b});
  for (size_t i = 0; i < functions.size(); ++i)
    if (!compareFunctions(functions[i].first, functions[i].second))
      return std::nullopt;
  // No other program may need a function that goes.
  llvm::DenseSet<llvm::Function *> ours, others;
  for (auto [own, other] : functions) {
    ours.insert(own);
    others.insert(other);
  }
  auto isCalledFrom = [](llvm::Function *function,
                         const llvm::DenseSet<llvm::Function *> &callers) {
    return llvm::all_of(function->users(), [&](llvm::User *user) {
      return callers.contains(llvm::cast<llvm::CallInst>(user)->getFunction());
    });
  };
  for (auto [own, other] : llvm::drop_begin(functions))
    if (!isCalledFrom(own, ours) || !isCalledFrom(other, others))
      return std::nullopt;
  return integers;
}

//===--- merging ----------------------------------------------------------------------===//

namespace {

/// Programs that become one, with what differs from the first one.
struct Class {
  llvm::SmallVector<VariantProgram> members;
  llvm::SmallVector<std::map<Place, llvm::ConstantInt *>>
      integers;                                                  ///< of each member but the first
  llvm::SmallVector<llvm::Function *> functions;                 ///< of the first
  llvm::SmallVector<llvm::SmallVector<llvm::Function *>> others; ///< of each other member

  bool hasVariantOf(const VariantProgram &program) const {
    return llvm::any_of(members, [&](const VariantProgram &member) {
      return llvm::any_of(member.variants, [&](unsigned variant) {
        return llvm::is_contained(program.variants, variant);
      });
    });
  }
};

} // namespace

/// What both instructions promise. `a` then stands for both.
static void intersect(llvm::Instruction &a, llvm::Instruction &b) {
  a.andIRFlags(&b);
  a.dropUBImplyingAttrsAndUnknownMetadata(
      {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
       llvm::LLVMContext::MD_access_group, llvm::LLVMContext::MD_loop,
       llvm::LLVMContext::MD_invariant_load});
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&a))
    load->setAlignment(std::min(load->getAlign(), llvm::cast<llvm::LoadInst>(b).getAlign()));
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&a))
    store->setAlignment(std::min(store->getAlign(), llvm::cast<llvm::StoreInst>(b).getAlign()));
  if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&a))
    alloca->setAlignment(std::max(alloca->getAlign(), llvm::cast<llvm::AllocaInst>(b).getAlign()));
}

/// A copy of the function's declaration with one more argument, which gets the body.
static llvm::Function *addTable(llvm::Function &function, const llvm::Twine &name) {
  llvm::SmallVector<llvm::Type *> types(function.getFunctionType()->params());
  types.push_back(llvm::PointerType::getUnqual(function.getContext()));
  auto *type = llvm::FunctionType::get(function.getReturnType(), types, false);
  auto *copy =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, function.getParent());
  copy->setAttributes(function.getAttributes());
  copy->setCallingConv(function.getCallingConv());
  copy->splice(copy->begin(), &function);
  for (auto [old, argument] : llvm::zip(function.args(), copy->args())) {
    argument.takeName(&old);
    old.replaceAllUsesWith(&argument);
  }
  return copy;
}

/// Writes the class as one function with a table for each member.
static void merge(const Class &merged) {
  llvm::Function &first = *merged.members.front().function;
  llvm::Module &module = *first.getParent();
  llvm::LLVMContext &context = module.getContext();
  // A column of the table for each list of integers that some operand has.
  std::map<Place, size_t> columns;
  llvm::MapVector<llvm::SmallVector<int64_t>, size_t> rows;
  // In the order of the code, so that the table does not depend on addresses.
  for (llvm::Function *function : merged.functions)
    for (llvm::Instruction &inst : llvm::instructions(*function))
      for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
        const Place place{&inst, i};
        if (llvm::none_of(merged.integers, [&](auto &own) { return own.count(place) != 0; }))
          continue;
        llvm::ConstantInt *own = getInteger(inst.getOperand(i));
        llvm::SmallVector<int64_t> numbers = {own->getSExtValue()};
        for (const auto &integers : merged.integers) {
          auto it = integers.find(place);
          numbers.push_back((it == integers.end() ? own : it->second)->getSExtValue());
        }
        columns[place] = rows.insert({numbers, rows.size()}).first->second;
      }

  llvm::DenseMap<llvm::Function *, llvm::Function *> copies;
  for (llvm::Function *function : merged.functions)
    copies[function] = addTable(*function, function->getName() + ".sizes");
  for (llvm::Function *function : merged.functions) {
    llvm::Function *copy = copies[function];
    llvm::Argument *table = copy->getArg(copy->arg_size() - 1);
    llvm::BasicBlock &entry = copy->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    // One load for each integer and type that the function uses.
    std::map<std::pair<size_t, llvm::Type *>, llvm::Value *> loaded;
    for (llvm::Instruction &inst : llvm::instructions(*copy))
      for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
        auto it = columns.find({&inst, i});
        if (it == columns.end())
          continue;
        llvm::Type *type = inst.getOperand(i)->getType();
        llvm::Value *&value = loaded[{it->second, type}];
        if (!value) {
          llvm::Value *at =
              builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), table, it->second);
          auto *load = builder.CreateLoad(builder.getInt64Ty(), at);
          load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
          value = builder.CreateTrunc(load, type->getScalarType());
          if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
            value = builder.CreateVectorSplat(vector->getElementCount(), value);
        }
        inst.setOperand(i, value);
      }
    // Calls among these functions pass the table on.
    for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(*copy))) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&inst);
      llvm::Function *callee = call ? copies.lookup(call->getCalledFunction()) : nullptr;
      if (!callee)
        continue;
      llvm::SmallVector<llvm::Value *> arguments(call->args());
      arguments.push_back(table);
      auto *passing = llvm::CallInst::Create(callee, arguments, "", call->getIterator());
      passing->setAttributes(call->getAttributes());
      passing->setCallingConv(call->getCallingConv());
      call->replaceAllUsesWith(passing);
      call->eraseFromParent();
    }
  }
  llvm::Function *body = copies[&first];
  body->removeFnAttr(llvm::Attribute::AlwaysInline);
  body->addFnAttr(llvm::Attribute::NoInline);

  for (auto [number, member] : llvm::enumerate(merged.members)) {
    llvm::Function &function = *member.function;
    llvm::SmallVector<uint64_t> integers;
    for (const auto &row : rows)
      integers.push_back(static_cast<uint64_t>(row.first[number]));
    auto *values = llvm::ConstantDataArray::get(context, integers);
    auto *table = new llvm::GlobalVariable(module, values->getType(), /*isConstant=*/true,
                                           llvm::GlobalValue::InternalLinkage, values,
                                           function.getName() + ".table");
    if (number > 0)
      function.deleteBody();
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    auto *block = llvm::BasicBlock::Create(context, "", &function);
    llvm::IRBuilder<> builder(block);
    llvm::SmallVector<llvm::Value *> arguments(llvm::make_pointer_range(function.args()));
    arguments.push_back(table);
    auto *call = builder.CreateCall(body, arguments);
    call->setCallingConv(body->getCallingConv());
    call->setTailCall();
    builder.CreateRetVoid();
  }
  for (llvm::Function *function : llvm::drop_begin(merged.functions))
    function->eraseFromParent();
  for (const auto &functions : merged.others) {
    for (llvm::Function *function : functions)
      function->deleteBody();
    for (llvm::Function *function : functions)
      function->eraseFromParent();
  }
}

unsigned mlir::ttc::mergePrograms(llvm::ArrayRef<VariantProgram> programs) {
  std::vector<Class> classes;
  for (const VariantProgram &program : programs) {
    if (program.variants.empty() || !program.function->getReturnType()->isVoidTy())
      continue;
    // The one with the fewest differences.
    Class *best = nullptr;
    std::map<Place, llvm::ConstantInt *> integers;
    llvm::SmallVector<llvm::Function *> functions;
    for (Class &other : classes) {
      if (other.hasVariantOf(program))
        continue;
      Comparison comparison;
      auto found = comparison.run(other.members.front().function, program.function);
      if (!found || found->size() > kMostIntegers || (best && found->size() >= integers.size()))
        continue;
      best = &other;
      integers = std::move(*found);
      functions.clear();
      for (auto [own, others] : llvm::drop_begin(comparison.getFunctions()))
        functions.push_back(others);
    }
    if (!best) {
      classes.push_back({{program}, {}, {}, {}});
      continue;
    }
    best->members.push_back(program);
    best->integers.push_back(std::move(integers));
    best->others.push_back(std::move(functions));
  }
  unsigned count = 0;
  for (Class &merged : classes) {
    if (merged.members.size() == 1)
      continue;
    for (const VariantProgram &member : llvm::drop_begin(merged.members)) {
      Comparison comparison;
      comparison.run(merged.members.front().function, member.function);
      if (merged.functions.empty())
        for (auto [own, others] : comparison.getFunctions())
          merged.functions.push_back(own);
      for (auto [own, others] : comparison.getFunctions())
        own->setAttributes(
            *own->getAttributes().intersectWith(own->getContext(), others->getAttributes()));
      for (auto [own, others] : comparison.getInstructions())
        intersect(*own, *others);
    }
    merge(merged);
    count += merged.members.size() - 1;
  }
  return count;
}
