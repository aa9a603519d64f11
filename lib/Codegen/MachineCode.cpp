// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Codegen/MachineCode.h"
#include "KernelLibrary.h"
#include "MergePrograms.h"
#include "ProgramBody.h"
#include "SharedObject.h"
#include "TargetOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::ttc;

/// Programs in one LLVM module, at least: the bitcode is read once for them. A constant, so that
/// the bytes of a bundle never depend on the compiling machine's cores.
static constexpr size_t kShardSize = 4;

namespace {
/// Errors of LLVM while a shard is compiled; warnings and remarks are of no use to the user here.
struct ErrorCollector : llvm::DiagnosticHandler {
  std::string &errors;
  explicit ErrorCollector(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      stream << "; ";
    }
    return true;
  }
};
} // namespace

static std::unique_ptr<llvm::TargetMachine> createMachine(const CpuTarget &target,
                                                          std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
  llvm::Triple triple(target.triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  llvm::TargetOptions options;
  options.FunctionSections = options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(
      backend->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

/// The operand of a sum that is a product which only the sum uses; null if there is none.
static llvm::BinaryOperator *getProduct(llvm::Value *operand) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(operand);
  bool fuses = product && product->getOpcode() == llvm::Instruction::FMul &&
               product->hasAllowContract() && product->hasOneUse();
  return fuses ? product : nullptr;
}

/// Makes every sum of a product that may be contracted an llvm.fmuladd. Left to the code generator,
/// contraction depends on what else becomes of the code: the scalars that remain of a vector lose
/// the permission, and their lanes would have other bits.
static void contractProducts(llvm::Function &function) {
  SmallVector<llvm::Instruction *> contracted;
  for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
    bool isDifference = sum && sum->getOpcode() == llvm::Instruction::FSub;
    if (!sum || !(isDifference || sum->getOpcode() == llvm::Instruction::FAdd) ||
        !sum->hasAllowContract())
      continue;
    llvm::BinaryOperator *left = getProduct(sum->getOperand(0));
    llvm::BinaryOperator *product = left ? left : getProduct(sum->getOperand(1));
    if (!product)
      continue;
    llvm::IRBuilder<> builder(sum);
    builder.setFastMathFlags(sum->getFastMathFlags());
    llvm::Value *a = product->getOperand(0), *b = product->getOperand(1);
    llvm::Value *addend = sum->getOperand(left ? 1 : 0);
    if (isDifference)
      (left ? addend : a) = builder.CreateFNeg(left ? addend : a);
    llvm::Value *fused =
        builder.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum->getType()}, {a, b, addend}, sum);
    sum->replaceAllUsesWith(fused);
    product->replaceAllUsesWith(llvm::PoisonValue::get(product->getType()));
    contracted.append({sum, product});
  }
  for (llvm::Instruction *inst : contracted)
    inst->eraseFromParent();
  for (llvm::Instruction &inst : llvm::instructions(function))
    if (llvm::isa<llvm::FPMathOperator>(inst))
      inst.setHasAllowContract(false);
}

/// The O3 pipeline; without libc, no loop becomes a call.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  fam.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, mam);
}

static llvm::Expected<SmallVector<char, 0>> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                                 bool assembly) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  assembly ? llvm::CodeGenFileType::AssemblyFile
                                           : llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the target emits no object files");
  passes.run(module);
  return bytes;
}

/// Translates one program; everything but its entry becomes internal.
static std::unique_ptr<llvm::Module> translateProgram(const LoweredProgram &program,
                                                      llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(program.module, context);
  if (!module)
    return nullptr;
  llvm::internalizeModule(
      *module, [&](const llvm::GlobalValue &value) { return value.getName() == program.symbol; });
  for (llvm::Function &function : *module)
    if (function.hasLocalLinkage() && !function.hasFnAttribute(llvm::Attribute::NoInline))
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  return module;
}

/// Programs as one module, with the kernels that they call.
static llvm::Expected<std::unique_ptr<llvm::Module>>
linkPrograms(ArrayRef<LoweredProgram> programs, const CpuTarget &target,
             llvm::TargetMachine &machine, llvm::LLVMContext &context, const std::string &errors,
             MachineCodeFacts &facts) {
  auto shard = std::make_unique<llvm::Module>("programs", context);
  shard->setTargetTriple(machine.getTargetTriple());
  shard->setDataLayout(machine.createDataLayout());
  for (const LoweredProgram &program : programs) {
    std::unique_ptr<llvm::Module> module = translateProgram(program, context);
    if (!module)
      return llvm::createStringError("program " + program.symbol.str() +
                                     " does not translate to LLVM IR; " + errors);
    module->setTargetTriple(shard->getTargetTriple());
    module->setDataLayout(shard->getDataLayout());
    if (llvm::Linker::linkModules(*shard, std::move(module)))
      return llvm::createStringError("program " + program.symbol.str() +
                                     " does not link: " + errors);
  }
  if (llvm::Error error = linkKernels(*shard, getVectorLength(target)))
    return error;
  defineTargetOps(*shard, target);
  setTarget(*shard, machine, target);
  llvm::internalizeModule(*shard, [&](const llvm::GlobalValue &value) {
    return llvm::any_of(
        programs, [&](const LoweredProgram &program) { return program.symbol == value.getName(); });
  });
  specializeKernels(*shard, machine);
  if (llvm::Error error = resolveZoneNames(*shard, facts.zoneNames))
    return error;
  SmallVector<VariantProgram> functions;
  for (const LoweredProgram &program : programs)
    functions.push_back({shard->getFunction(program.symbol), program.variants});
  facts.merged += mergePrograms(functions);
  return shard;
}

/// The functions of libc that are needed, without all others.
static llvm::Expected<std::unique_ptr<llvm::Module>> getLibc(const std::set<std::string> &needed,
                                                             const CpuTarget &target,
                                                             llvm::TargetMachine &machine,
                                                             llvm::LLVMContext &context) {
  auto library = loadKernelLibc(context);
  if (!library)
    return library;
  setTarget(**library, machine, target);
  llvm::internalizeModule(**library, [&](const llvm::GlobalValue &value) {
    return needed.contains(value.getName().str());
  });
  return library;
}

/// Compiles what `getModule(machine, context, errors)` returns.
static llvm::Expected<SmallVector<char, 0>>
compileModule(const MachineCodeOptions &options,
              llvm::function_ref<llvm::Expected<std::unique_ptr<llvm::Module>>(
                  llvm::TargetMachine &, llvm::LLVMContext &, const std::string &)>
                  getModule) {
  std::string errors;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(options.target, errors);
  if (!machine)
    return llvm::createStringError(errors);
  auto module = getModule(*machine, context, errors);
  if (!module)
    return module.takeError();
  // No source path of the kernels or the compiler in the object.
  (*module)->setSourceFileName("ttc");
  (*module)->setModuleIdentifier("ttc");
  for (llvm::Function &function : **module) {
    contractProducts(function);
    if (function.hasFnAttribute(kInlineLastAttrName)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
  optimize(**module, *machine);
  auto bytes = emit(**module, *machine, options.assembly);
  if (bytes && !errors.empty())
    return llvm::createStringError(errors);
  return bytes;
}

/// Adds the symbols that an object needs and does not define.
static llvm::Error addUndefined(ArrayRef<char> object, std::set<std::string> &names) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      {StringRef(object.data(), object.size()), "programs"});
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*flags & llvm::object::SymbolRef::SF_Undefined && !name->empty())
      names.insert(name->str());
  }
  return llvm::Error::success();
}

/// Adds an object with what the others need of libc. Compiling all of it would take longer than
/// compiling a small model; the linker would remove the rest.
static llvm::Error addLibc(SmallVectorImpl<SmallVector<char, 0>> &objects,
                           const MachineCodeOptions &options) {
  std::set<std::string> needed;
  for (ArrayRef<char> object : objects)
    if (llvm::Error error = addUndefined(object, needed))
      return error;
  // What is compiled may need more: again until it does not.
  for (size_t number = 0; number != needed.size();) {
    number = needed.size();
    auto object = compileModule(options, [&](llvm::TargetMachine &machine,
                                             llvm::LLVMContext &context, const std::string &) {
      return getLibc(needed, options.target, machine, context);
    });
    if (!object)
      return object.takeError();
    if (llvm::Error error = addUndefined(*object, needed))
      return error;
    if (number == needed.size())
      objects.push_back(std::move(*object));
  }
  return llvm::Error::success();
}

static bool callsKernels(const LoweredProgram &program) {
  return llvm::any_of(
      cast<ModuleOp>(program.module).getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function.isExternal() && function.getSymName().starts_with("ttc_kernel_");
      });
}

/// Programs with equal sketches may differ in sizes only: ops and types, without constants.
static std::vector<const void *> getSketch(const LoweredProgram &program) {
  std::vector<const void *> sketch;
  program.module->walk([&](Operation *op) {
    if (isa<LLVM::ConstantOp>(op))
      return;
    sketch.push_back(op->getName().getAsOpaquePointer());
    for (Type type : op->getResultTypes())
      sketch.push_back(type.getAsOpaquePointer());
  });
  return sketch;
}

/// Programs to compile together: with the kernels, which are read once, or without them, and those
/// of variants that may share their code.
static std::vector<SmallVector<LoweredProgram>> makeShards(ArrayRef<LoweredProgram> programs) {
  // In the order of the list, which is all that the bytes may depend on.
  std::vector<SmallVector<LoweredProgram>> shards;
  for (bool withKernels : {true, false}) {
    std::vector<SmallVector<LoweredProgram>> families;
    std::map<std::pair<std::vector<const void *>, size_t>, size_t> numbers;
    // How many programs of a sketch each variant has had.
    std::map<std::pair<std::vector<const void *>, unsigned>, size_t> counts;
    for (const LoweredProgram &program : programs) {
      if (callsKernels(program) != withKernels)
        continue;
      size_t number = families.size();
      if (!program.variants.empty()) {
        // Variants have the same ops in the same order, so a few of each keep each other's company.
        std::vector<const void *> sketch = getSketch(program);
        const size_t place = counts[{sketch, program.variants.front()}]++ / kShardSize;
        number = numbers.insert({{std::move(sketch), place}, number}).first->second;
      }
      if (number == families.size())
        families.emplace_back();
      families[number].push_back(program);
    }
    bool isFull = true;
    for (const SmallVector<LoweredProgram> &family : families) {
      if (isFull)
        shards.emplace_back();
      shards.back().append(family);
      isFull = shards.back().size() >= kShardSize;
    }
  }
  return shards;
}

FailureOr<SmallVector<char, 0>> mlir::ttc::compilePrograms(ArrayRef<LoweredProgram> programs,
                                                           const MachineCodeOptions &options,
                                                           MachineCodeFacts *facts) {
  assert(!programs.empty() && "expected programs to compile");
  MLIRContext *context = programs.front().module->getContext();
  const std::vector<SmallVector<LoweredProgram>> shards = makeShards(programs);
  SmallVector<SmallVector<char, 0>> objects(shards.size());
  SmallVector<std::string> errors(shards.size());
  std::mutex mutex;
  size_t done = 0;
  parallelFor(context, 0, shards.size(), [&](size_t shard) {
    ArrayRef<LoweredProgram> members = shards[shard];
    MachineCodeFacts own;
    auto object =
        compileModule(options, [&](llvm::TargetMachine &machine, llvm::LLVMContext &context,
                                   const std::string &messages) {
          return linkPrograms(members, options.target, machine, context, messages, own);
        });
    if (object)
      objects[shard] = std::move(*object);
    else
      errors[shard] = llvm::toString(object.takeError());
    std::lock_guard<std::mutex> lock(mutex);
    if (facts) {
      facts->zoneNames.merge(own.zoneNames);
      facts->merged += own.merged;
    }
    done += members.size();
    if (options.progress)
      options.progress(done, programs.size());
  });

  for (auto [shard, error] : llvm::enumerate(errors))
    if (!error.empty())
      return emitError(shards[shard].front().module->getLoc())
             << "compiling the programs failed: " << error;
  if (options.assembly) {
    SmallVector<char, 0> text;
    for (ArrayRef<char> part : objects)
      text.append(part.begin(), part.end());
    return text;
  }
  Location loc = programs.front().module->getLoc();
  if (llvm::Error error = addLibc(objects, options))
    return emitError(loc) << "compiling the programs failed: " << llvm::toString(std::move(error));
  auto linked = linkSharedObject(objects);
  if (!linked)
    return emitError(loc) << llvm::toString(linked.takeError());
  return std::move(*linked);
}
