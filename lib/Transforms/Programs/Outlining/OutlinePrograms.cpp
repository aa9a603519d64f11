// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/HostOps.h"
#include "dialects/Ttc/Traces/QueueOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_OUTLINEPROGRAMS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// How many ops a program's name spells out.
constexpr size_t maxNamedOps = 3;

/// A hash under which equal bodies are equal. Operands are left out: the comparison that
/// follows looks at them.
size_t hashBody(FusionOp fusion) {
  llvm::hash_code hash = llvm::hash_combine(llvm::hash_combine_range(fusion.getInputs().getTypes()),
                                            fusion.getWithinAttr());
  for (Operation &op : fusion.getBody().front())
    hash = llvm::hash_combine(hash, op.getName(), op.getAttrDictionary(),
                              llvm::hash_combine_range(op.getResultTypes()));
  return hash;
}

/// The last part of an op's name: "ttc.kernel.gemm" -> "gemm".
StringRef getShortName(Operation *op) { return op->getName().getStringRef().rsplit('.').second; }

/// The shape of the first result: "_56x56x64".
std::string getShapeSuffix(TypeRange results) {
  if (results.empty())
    return "";
  // Leading ones (most often the batch) say nothing.
  auto shape = cast<RankedTensorType>(results[0]).getShape().drop_while([](int64_t size) {
    return size == 1;
  });
  if (shape.empty())
    return "_1";
  std::string suffix = "_";
  llvm::raw_string_ostream stream(suffix);
  llvm::interleave(shape, stream, "x");
  return suffix;
}

/// What the fusion does and the shape it makes: "gemm_add_relu_56x56x64".
std::string getProgramName(FusionOp fusion) {
  SmallVector<StringRef> ops;
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      ops.push_back(getShortName(&op));
  std::string name;
  if (ops.size() > maxNamedOps)
    // A long body is known by how it begins and how it ends.
    name = (ops.front() + "_" + Twine(ops.size() - 2) + "ops_" + ops.back()).str();
  else
    name = llvm::join(ops, "_");
  if (name.empty())
    name = "copy";
  return name + getShapeSuffix(fusion.getResultTypes());
}

/// "com_acme_Clip_64": a domain has dots, and an op any character.
std::string getProgramName(HostCallOp call) {
  std::string name = call.getFunction().getName().str();
  for (char &character : name)
    if (!llvm::isAlnum(character))
      character = '_';
  return name + getShapeSuffix(call.getResultTypes());
}

struct OutlinePrograms : impl::OutlineProgramsBase<OutlinePrograms> {
  PassCounter numDispatches{*this, "dispatches", "Fusions outlined"};
  PassCounter numPrograms{*this, "programs", "Programs made"};
  PassCounter numHostCalls{*this, "host-calls", "Calls of host functions outlined"};

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    /// Fusions that became programs, by the hash of their bodies.
    DenseMap<size_t, SmallVector<std::pair<FusionOp, ProgramOp>, 1>> programs;
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) { fusions.push_back(fusion); });

    for (FusionOp fusion : fusions) {
      auto &candidates = programs[hashBody(fusion)];
      auto *known = llvm::find_if(candidates, [&](auto &candidate) {
        return candidate.first.getWithinAttr() == fusion.getWithinAttr() &&
               OperationEquivalence::isRegionEquivalentTo(&candidate.first.getBody(),
                                                          &fusion.getBody(),
                                                          OperationEquivalence::IgnoreLocations);
      });
      if (known == candidates.end()) {
        candidates.emplace_back(fusion, outline(fusion, symbols));
        known = &candidates.back();
        ++numPrograms;
      }
      OpBuilder builder(fusion);
      auto dispatch = DispatchOp::create(builder, fusion.getLoc(), fusion.getResultTypes(),
                                         FlatSymbolRefAttr::get(known->second.getSymNameAttr()),
                                         fusion.getInputs());
      fusion.replaceAllUsesWith(dispatch.getResults());
      ++numDispatches;
    }
    // Only now: until here their bodies were what later ones are compared with.
    for (FusionOp fusion : fusions)
      fusion.erase();
    outlineHostCalls(symbols);
  }

  /// Equal functions on equal types are one program.
  void outlineHostCalls(SymbolTable &symbols) {
    SmallVector<HostCallOp> calls;
    getOperation().walk([&](HostCallOp call) { calls.push_back(call); });
    DenseMap<std::pair<Attribute, Type>, ProgramOp> programs;
    for (HostCallOp call : calls) {
      OpBuilder builder(call);
      auto type = builder.getFunctionType(call.getInputs().getTypes(), call.getResultTypes());
      ProgramOp &program = programs[{call.getFunction(), type}];
      if (!program) {
        OpBuilder nowhere(&getContext());
        program = ProgramOp::create(nowhere, call.getLoc(), getProgramName(call), type);
        program.setPrivate();
        program.setGrid(1);
        program.setScratchBytes(0);
        program.setHostFunctionAttr(call.getFunction());
        symbols.insert(program);
        ++numPrograms;
      }
      auto step = HostDispatchOp::create(builder, call.getLoc(), call.getResultTypes(),
                                         FlatSymbolRefAttr::get(program.getSymNameAttr()),
                                         call.getInputs());
      call.replaceAllUsesWith(step.getResults());
      call.erase();
      ++numHostCalls;
    }
  }

  /// Adds a program with the fusion's body to the end of the module.
  ProgramOp outline(FusionOp fusion, SymbolTable &symbols) {
    OpBuilder builder(&getContext());
    auto type = builder.getFunctionType(fusion.getInputs().getTypes(), fusion.getResultTypes());
    auto program = ProgramOp::create(builder, fusion.getLoc(), getProgramName(fusion), type);
    program.setPrivate();
    if (WithinAttr within = fusion.getWithinAttr())
      program.setResultAttr(0, kWithinAttrName, within);
    symbols.insert(program);
    IRMapping mapping;
    fusion.getBody().cloneInto(&program.getBody(), mapping);
    Operation &yield = program.getBody().front().back();
    builder.setInsertionPoint(&yield);
    ReturnOp::create(builder, yield.getLoc(), yield.getOperands());
    yield.erase();
    return program;
  }
};

} // namespace
} // namespace mlir::ttc
