// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CandidateCode.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/WinogradOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Analysis/Tuning.h"
#include "ttc/Codegen/MachineCode.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Codegen/Pipelines.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ttc;

static constexpr StringLiteral kFile = "the tuner";

/// An empty module for the same target.
static OwningOpRef<ModuleOp> makeModule(Operation *inModule) {
  auto from = inModule->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(inModule->getLoc());
  for (StringRef name : {StringRef(kTargetAttrName), StringRef(kMaxWorkgroupsAttrName)})
    if (Attribute value = from->getAttr(name))
      (*module)->setAttr(name, value);
  return module;
}

/// Moves a module from the model's context to the candidate's own.
void Candidate::takeFrom(ModuleOp made) {
  std::string text;
  llvm::raw_string_ostream(text) << made;
  context = std::make_unique<MLIRContext>(made->getContext()->getDialectRegistry(),
                                          MLIRContext::Threading::DISABLED);
  module = parseSourceString<ModuleOp>(text, context.get());
}

Candidate Candidate::makeOfOp(Operation *op, KernelChoiceAttr choice) {
  Candidate candidate;
  candidate.choice = choice;
  OwningOpRef<ModuleOp> made = makeModule(op);
  OpBuilder builder = OpBuilder::atBlockEnd(made->getBody());
  SmallVector<Type> inputs;
  for (Value operand : op->getOperands())
    if (!isConstantExpression(operand))
      inputs.push_back(operand.getType());
  auto function = func::FuncOp::create(builder, op->getLoc(), "main",
                                       builder.getFunctionType(inputs, op->getResultTypes()));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  unsigned argument = 0;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    if (!isConstantExpression(operand)) {
      mapping.map(operand, body->getArgument(argument++));
      continue;
    }
    auto type = tensorType(operand);
    auto elements = DenseElementsAttr::get(type, builder.getF32FloatAttr(0.5));
    mapping.map(operand, ConstantOp::create(builder, op->getLoc(), type, elements).getResult());
  }
  Operation *clone = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc(), clone->getResults());
  setTuning(*made, kFile, {builder.getNamedAttr(getTuningKey(clone), choice)});
  candidate.takeFrom(*made);
  return candidate;
}

Candidate Candidate::makeOfProgram(ProgramOp program, KernelGemmOp gemm, GemmPlanAttr plan) {
  Candidate candidate;
  candidate.choice = plan;
  candidate.isProgram = true;
  OwningOpRef<ModuleOp> made = makeModule(program);
  OpBuilder builder = OpBuilder::atBlockEnd(made->getBody());
  auto clone = cast<ProgramOp>(builder.clone(*program));
  // Zones would need memory that records them.
  clone.setMarkers(false);
  setTuning(*made, kFile, {builder.getNamedAttr(getTuningKey(gemm), plan)});
  candidate.takeFrom(*made);
  return candidate;
}

/// The function on tensors becomes dispatches of programs. Weights, which a model has packed while
/// it was compiled, become arguments.
LogicalResult Candidate::makePrograms() {
  PassManager choose(module->getContext());
  choose.addPass(createChooseKernels({/*winograd=*/true}));
  if (failed(choose.run(*module)))
    return failure();
  auto function = *module->getOps<func::FuncOp>().begin();
  SmallVector<Operation *> packs;
  function.walk([&](Operation *op) {
    if (isa<PackOp, PackWinogradOp>(op))
      packs.push_back(op);
  });
  for (Operation *pack : packs) {
    const unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, pack->getResult(0).getType(), {}, pack->getLoc())))
      return failure();
    pack->getResult(0).replaceAllUsesWith(function.getArgument(index));
    pack->erase();
  }
  PassManager outline(module->getContext());
  outline.addPass(createFuse());
  outline.addPass(createOutlinePrograms());
  return outline.run(*module);
}

/// The argument of a program that is its packed weights; -1 if there is none.
static int64_t findWeights(ProgramOp program) {
  int64_t index = -1;
  auto take = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      index = argument.getArgNumber();
  };
  program.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<KernelGemmOp>(op); gemm && gemm.getPacked())
      take(gemm.getB());
    else if (auto conv = dyn_cast<KernelWinogradConvOp>(op))
      take(conv.getW());
  });
  return index;
}

/// The steps with their places in memory, and unique names of the programs.
void Candidate::describe(unsigned number) {
  auto reserve = [&](int64_t bytes) {
    const int64_t at = run.activationBytes;
    run.activationBytes += llvm::alignTo(std::max<int64_t>(bytes, 1), 64);
    return at;
  };
  auto addStep = [&](ProgramOp program) -> CandidateStep & {
    programs.push_back(program);
    CandidateStep &step = run.steps.emplace_back();
    step.weights = findWeights(program);
    if (step.weights >= 0)
      step.weightBytes = program.getSpan(step.weights).bytes;
    return step;
  };
  if (isProgram) {
    auto program = *module->getOps<ProgramOp>().begin();
    CandidateStep &step = addStep(program);
    for (unsigned i = 0; i < program.getNumArguments() + program.getNumResults(); ++i)
      step.operands.push_back(int64_t(i) == step.weights ? 0 : reserve(program.getSpan(i).bytes));
  } else {
    // Values that several dispatches use have one place.
    DenseMap<Value, int64_t> places;
    SymbolTable symbols(*module);
    module->walk([&](DispatchOp dispatch) {
      auto program = symbols.lookup<ProgramOp>(dispatch.getProgram());
      CandidateStep &step = addStep(program);
      unsigned index = 0;
      auto addOperand = [&](Value value) {
        const int64_t bytes = program.getSpan(index).bytes;
        if (int64_t(index++) == step.weights) {
          step.operands.push_back(0);
          return;
        }
        auto [place, isNew] = places.try_emplace(getViewRoot(value), 0);
        if (isNew)
          place->second = reserve(bytes);
        step.operands.push_back(place->second);
      };
      for (Value input : dispatch.getInputs())
        addOperand(input);
      for (Value output : dispatch.getOutputs())
        addOperand(output);
    });
    // What calls the programs is not compiled.
    for (auto function : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
      function.erase();
  }
  llvm::SmallPtrSet<Operation *, 4> named;
  for (ProgramOp program : programs)
    if (named.insert(program).second)
      program.setSymName(("candidate_" + Twine(number) + "_" + Twine(named.size())).str());
}

LogicalResult Candidate::lowerPrograms() {
  PassManager manager(module->getContext());
  manager.addPass(createPlanGemms());
  buildLowerProgramsPipeline(manager);
  return manager.run(*module);
}

bool Candidate::lower(unsigned number) {
  if (!module)
    return false;
  // What cannot be computed in this way is no candidate.
  ScopedDiagnosticHandler quiet(module->getContext(), [](Diagnostic &) { return success(); });
  if (!isProgram && failed(makePrograms()))
    return false;
  describe(number);
  if (programs.empty() || failed(lowerPrograms()))
    return false;
  auto target = (*module)->getAttrOfType<TargetAttr>(kTargetAttrName);
  for (auto [program, step] : llvm::zip_equal(programs, run.steps)) {
    step.grid = program.getGrid().value_or(0);
    run.scratchBytes = std::max<int64_t>(run.scratchBytes, program.getScratchBytes().value_or(0));
  }
  return !target || run.scratchBytes <= target.getL1Bytes();
}

CandidateCode::~CandidateCode() {
  if (library)
    dlclose(library);
}

std::string CandidateCode::load(ArrayRef<Candidate *> candidates, const CpuTarget &cpu) {
  SmallVector<LoweredProgram> lowered;
  for (Candidate *candidate : candidates)
    for (auto program : candidate->module->getOps<ProgramOp>())
      lowered.push_back(
          {(*program.getBody().getOps<ModuleOp>().begin()).getOperation(), program.getSymName()});
  MachineCodeOptions options;
  options.target = cpu;
  FailureOr<SmallVector<char, 0>> code = compilePrograms(lowered, options);
  if (failed(code))
    return "the candidates are not compiled";
  const int file = memfd_create("candidates", MFD_CLOEXEC);
  if (file < 0)
    return std::string("cannot make a file in memory: ") + strerror(errno);
  for (size_t at = 0; at < code->size();) {
    const ssize_t written = write(file, code->data() + at, code->size() - at);
    if (written <= 0) {
      const std::string reason = strerror(errno);
      close(file);
      return "cannot write a file in memory: " + reason;
    }
    at += written;
  }
  library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!library)
    return std::string("cannot load code: ") + dlerror();
  for (Candidate *candidate : candidates) {
    for (auto [program, step] : llvm::zip_equal(candidate->programs, candidate->run.steps)) {
      step.run = reinterpret_cast<CandidateStep::Function *>(
          dlsym(library, program.getSymName().str().c_str()));
      if (!step.run)
        return "the code has no " + program.getSymName().str();
    }
    runs.push_back(&candidate->run);
  }
  return "";
}
