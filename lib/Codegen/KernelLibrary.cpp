// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelLibrary.h"
#include "kernels/KernelBitcode.h"
#include "ttrt/format/profile_log.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>

using namespace mlir::ttc;

static llvm::MemoryBufferRef bufferOf(std::string_view bytes, llvm::StringRef name) {
  return {llvm::StringRef(bytes.data(), bytes.size()), name};
}

llvm::Error mlir::ttc::linkKernels(llvm::Module &module, int64_t vectorLength) {
  auto kernels = llvm::getLazyBitcodeModule(
      bufferOf(::ttc::kernels::getKernelBitcode(vectorLength), "ttc-kernels"), module.getContext());
  if (!kernels)
    return kernels.takeError();
  (*kernels)->setTargetTriple(module.getTargetTriple());
  (*kernels)->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(*kernels), llvm::Linker::LinkOnlyNeeded))
    return llvm::createStringError("the kernel library does not link");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::ttc::loadKernelLibc(llvm::LLVMContext &context) {
  return llvm::parseBitcodeFile(bufferOf(::ttc::kernels::getLibcBitcode(), "ttc-libc"), context);
}

/// The epilogue that a call hands to a function of the kernels that is not always inlined; null for
/// other calls.
static llvm::Function *getEpilogueArgument(llvm::CallBase &call) {
  llvm::Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || !callee->hasFnAttribute(llvm::Attribute::NoInline))
    return nullptr;
  for (llvm::Value *argument : call.args())
    if (auto *epilogue = llvm::dyn_cast<llvm::Function>(argument))
      return epilogue;
  return nullptr;
}

static bool isInlined(llvm::CallBase &call) {
  auto isAlwaysInline = [](llvm::Function *function) {
    return function && !function->isDeclaration() &&
           function->hasFnAttribute(llvm::Attribute::AlwaysInline);
  };
  return isAlwaysInline(call.getCalledFunction()) || isAlwaysInline(getEpilogueArgument(call));
}

/// Inlines the calls that are there now, and those of `epilogue`; those that they bring in are for
/// the next round.
static bool inlineOneLevel(llvm::Function &function, llvm::Function *epilogue) {
  llvm::SmallVector<llvm::CallBase *> calls;
  for (llvm::Instruction &inst : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst))
      if (isInlined(*call) || (epilogue && call->getCalledFunction() == epilogue))
        calls.push_back(call);
  for (llvm::CallBase *call : calls) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info, /*MergeAttributes=*/true);
  }
  return !calls.empty();
}

namespace {
/// Copies of the kernels' functions that are called with an epilogue, for constant arguments.
class Specializer {
public:
  /// Makes the function's calls with an epilogue call copies. `inlineCalls` inlines the epilogue
  /// into a new copy.
  void run(llvm::Function &function,
           llvm::function_ref<void(llvm::Function &, llvm::Function *)> inlineCalls) {
    llvm::SmallVector<llvm::CallBase *> calls;
    for (llvm::Instruction &inst : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst); call && getEpilogueArgument(*call))
        calls.push_back(call);
    for (llvm::CallBase *call : calls) {
      llvm::Function *epilogue = getEpilogueArgument(*call);
      llvm::SmallVector<llvm::Value *> key{call->getCalledFunction()}, arguments;
      llvm::ValueToValueMapTy constants;
      for (auto [parameter, argument] :
           llvm::zip_equal(call->getCalledFunction()->args(), call->args())) {
        bool isConstant = llvm::isa<llvm::Constant>(argument);
        key.push_back(isConstant ? argument.get() : nullptr);
        if (isConstant)
          constants[&parameter] = argument;
        else
          arguments.push_back(argument);
      }
      llvm::Function *&copy = copies[key];
      if (!copy) {
        copy = llvm::CloneFunction(call->getCalledFunction(), constants);
        copy->setComdat(nullptr);
        copy->setLinkage(llvm::GlobalValue::InternalLinkage);
        inlineCalls(*copy, epilogue);
      }
      llvm::CallInst::Create(copy, arguments, "", call->getIterator());
      call->eraseFromParent();
    }
  }

private:
  std::map<llvm::SmallVector<llvm::Value *>, llvm::Function *> copies;
};
} // namespace

void mlir::ttc::specializeKernels(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);

  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(llvm::SimplifyCFGPass());
  auto inlineCalls = [&](llvm::Function &function, llvm::Function *epilogue) {
    while (inlineOneLevel(function, epilogue)) {
      fam.invalidate(function, llvm::PreservedAnalyses::none());
      simplify.run(function, fam);
    }
  };
  llvm::SmallVector<llvm::Function *> roots;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline))
      roots.push_back(&function);
  Specializer specializer;
  for (llvm::Function *function : roots) {
    inlineCalls(*function, /*epilogue=*/nullptr);
    specializer.run(*function, inlineCalls);
    fam.invalidate(*function, llvm::PreservedAnalyses::none());
  }
  llvm::GlobalDCEPass().run(module, mam);
}

llvm::Error mlir::ttc::resolveZoneNames(llvm::Module &module, std::set<std::string> &names) {
  llvm::Function *function = module.getFunction("ttc_zone_id");
  if (!function)
    return llvm::Error::success();
  for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    llvm::StringRef name;
    if (!call || !llvm::getConstantStringInfo(call->getArgOperand(0), name))
      return llvm::createStringError("expected zones with names that are string literals");
    names.insert(name.str());
    uint32_t hash = ttrt::profile::nameHash(name.data(), name.size());
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), hash));
    call->eraseFromParent();
  }
  function->eraseFromParent();
  return llvm::Error::success();
}

void mlir::ttc::setTarget(llvm::Module &module, llvm::TargetMachine &machine,
                          const CpuTarget &target) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    for (llvm::StringRef name : {"target-cpu", "tune-cpu", "target-features", "frame-pointer"})
      function.removeFnAttr(name);
    function.removeFnAttr(llvm::Attribute::UWTable);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", getVectorLength(target) == 16 ? "512" : "256");
  }
}
