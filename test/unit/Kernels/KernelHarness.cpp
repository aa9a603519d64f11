// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelHarness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Codegen/MachineCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace ttc::test;

struct KernelSuite::Entry {
  std::string symbol, name;
  llvm::SmallVector<int64_t> params;
  int64_t grid, scratchBytes, operands;
  Tail tail;
  KernelProgram program{};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

KernelSuite::KernelSuite() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::ttc::TtcDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
}

KernelSuite::~KernelSuite() {
  if (library)
    dlclose(library);
}

size_t KernelSuite::add(const std::string &op, const std::vector<std::string> &operandTypes,
                        const std::string &resultType, Tail tail) {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < operandTypes.size(); ++i)
    text += (i ? ", %" : "%") + std::to_string(i) + ": " + operandTypes[i];
  std::string types;
  for (size_t i = 0; i < operandTypes.size(); ++i)
    types += (i ? ", " : "") + operandTypes[i];
  // ttc.pack has one operand and prints its type bare.
  if (!llvm::StringRef(op).starts_with("ttc.pack"))
    types = "(" + types + ")";
  text += ") -> " + resultType + " {\n  %r = " + op + " : " + types + " -> " + resultType +
          "\n  return %r : " + resultType + "\n}\n";
  return addText(text, operandTypes.size() + 1 + (tail == Tail::biasRelu), tail);
}

size_t KernelSuite::addSeveral(const std::string &op, const std::vector<std::string> &operandTypes,
                               const std::vector<std::string> &resultTypes) {
  std::string arguments;
  for (size_t i = 0; i < operandTypes.size(); ++i)
    arguments += (i ? ", %" : "%") + std::to_string(i) + ": " + operandTypes[i];
  return addText("func.func @f(" + arguments + ") {\n  %r:" + std::to_string(resultTypes.size()) +
                     " = " + op + " : (" + llvm::join(operandTypes, ", ") + ") -> (" +
                     llvm::join(resultTypes, ", ") + ")\n  return\n}\n",
                 operandTypes.size() + resultTypes.size(), Tail::none);
}

size_t KernelSuite::addText(const std::string &text, size_t operands, Tail tail) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module) {
    llvm::errs() << text;
    std::abort();
  }
  Entry entry;
  module->walk([&](mlir::ttc::KernelOpInterface kernel) {
    if (auto gemm = llvm::dyn_cast<mlir::ttc::KernelGemmOp>(kernel.getOperation()))
      gemm.setPlanAttr(mlir::ttc::planGemm(gemm));
    entry.symbol = kernel.getKernelSymbol();
    kernel.getKernelParams(entry.params);
    entry.grid = kernel.getGrid();
    entry.scratchBytes = kernel.getScratchBytes();
  });
  entry.name = "program" + std::to_string(entries.size());
  entry.operands = operands;
  entry.tail = tail;
  entry.module = std::move(module);
  entries.push_back(std::move(entry));
  return entries.size() - 1;
}

/// The epilogue function in the LLVM dialect; its signature is that of kernels/Kernel.h.
static std::string epilogue(Tail tail, int64_t lanes, int64_t biasOperand) {
  std::string vector = "vector<" + std::to_string(lanes) + "xf32>";
  std::string text =
      "llvm.func internal @epilogue(%acc: " + vector +
      ", %row: i64, %col: i64, %lanes: i64, %operands: !llvm.ptr) -> " + vector +
      (tail == Tail::calledPosition ? " attributes {passthrough = [\"noinline\"]}" : "") + " {\n";
  auto splat = [&](const std::string &result, const std::string &scalar) {
    text += "  %u" + result + " = llvm.mlir.undef : " + vector + "\n  %z" + result +
            " = llvm.mlir.constant(0 : i32) : i32\n  %i" + result + " = llvm.insertelement " +
            scalar + ", %u" + result + "[%z" + result + " : i32] : " + vector + "\n  %" + result +
            " = llvm.shufflevector %i" + result + ", %u" + result + " [";
    for (int64_t i = 0; i < lanes; ++i)
      text += i ? ", 0" : "0";
    text += "] : " + vector + "\n";
  };
  if (tail == Tail::none) {
    text += "  llvm.return %acc : " + vector + "\n}\n";
  } else if (tail == Tail::position || tail == Tail::calledPosition) {
    text += "  %quarter = llvm.mlir.constant(0.25 : f32) : f32\n"
            "  %eighth = llvm.mlir.constant(0.125 : f32) : f32\n"
            "  %rowf = llvm.sitofp %row : i64 to f32\n  %colf = llvm.sitofp %col : i64 to f32\n"
            "  %rq = llvm.fmul %rowf, %quarter : f32\n  %ce = llvm.fmul %colf, %eighth : f32\n"
            "  %sum = llvm.fadd %rq, %ce : f32\n  %lane = llvm.mlir.constant(dense<[";
    for (int64_t i = 0; i < lanes; ++i)
      text += (i ? ", " : "") + std::to_string(0.125 * static_cast<double>(i));
    text += "]> : " + vector + ") : " + vector + "\n";
    splat("s", "%sum");
    text += "  %0 = llvm.fadd %acc, %s : " + vector + "\n  %1 = llvm.fadd %0, %lane : " + vector +
            "\n  llvm.return %1 : " + vector + "\n}\n";
  } else {
    // Only `lanes` lanes of the bias exist: a masked load.
    text += "  %at = llvm.getelementptr %operands[" + std::to_string(biasOperand) +
            "] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n"
            "  %bias = llvm.load %at : !llvm.ptr -> !llvm.ptr\n"
            "  %from = llvm.getelementptr %bias[%col] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n";
    std::string index = "vector<" + std::to_string(lanes) + "xi32>";
    std::string mask = "vector<" + std::to_string(lanes) + "xi1>";
    std::string floats = "vector<" + std::to_string(lanes) + "xi32>";
    text += "  %lane = llvm.mlir.constant(dense<[";
    for (int64_t i = 0; i < lanes; ++i)
      text += (i ? ", " : "") + std::to_string(i);
    text += "]> : " + index + ") : " + index + "\n  %n = llvm.trunc %lanes : i64 to i32\n";
    std::string saved = vector;
    vector = index;
    splat("nv", "%n");
    vector = saved;
    text += "  %m = llvm.icmp \"slt\" %lane, %nv : " + index +
            "\n  %zero = llvm.mlir.constant(dense<0.0> : " + vector + ") : " + vector +
            "\n  %b = llvm.intr.masked.load %from, %m, %zero {alignment = 4 : i32} : "
            "(!llvm.ptr, " +
            mask + ", " + vector + ") -> " + vector + "\n  %0 = llvm.fadd %acc, %b : " + vector +
            "\n  %p = llvm.fcmp \"ogt\" %0, %zero : " + vector +
            "\n  %1 = llvm.select %p, %0, %zero : " + mask + ", " + vector +
            "\n  llvm.return %1 : " + vector + "\n}\n";
  }
  return text;
}

std::string KernelSuite::lower(const mlir::ttc::CpuTarget &target, bool markers) const {
  // The outer module is explicit: a single inner one would be parsed as the top.
  std::string text = "builtin.module {\n";
  int64_t lanes = mlir::ttc::getVectorLength(target);
  for (const Entry &entry : entries) {
    std::string array = "!llvm.array<" + std::to_string(entry.params.size()) + " x i64>";
    text += "builtin.module {\nllvm.mlir.global internal constant @params(dense<[";
    for (size_t i = 0; i < entry.params.size(); ++i)
      text += (i ? ", " : "") + std::to_string(entry.params[i]);
    text += "]> : tensor<" + std::to_string(entry.params.size()) +
            "xi64>) {addr_space = 0 : i32} : " + array + "\nllvm.func @" + entry.symbol +
            "(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)\n";
    text += epilogue(entry.tail, lanes, entry.operands - 1);
    text += "llvm.func @" + entry.name +
            "(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64) {\n"
            "  %params = llvm.mlir.addressof @params : !llvm.ptr\n"
            "  %epilogue = llvm.mlir.addressof @epilogue : !llvm.ptr\n"
            "  %null = llvm.mlir.zero : !llvm.ptr\n"
            "  %count = llvm.mlir.constant(" +
            std::to_string(entry.operands) +
            " : i64) : i64\n"
            "  %array = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr\n";
    for (int64_t i = 0; i < entry.operands; ++i) {
      std::string n = std::to_string(i);
      text += "  %f" + n + " = llvm.getelementptr %operands[" + n +
              "] : (!llvm.ptr) -> !llvm.ptr, i64\n  %o" + n + " = llvm.load %f" + n +
              " : !llvm.ptr -> i64\n  %p" + n + " = llvm.getelementptr %base[%o" + n +
              "] : (!llvm.ptr, i64) -> !llvm.ptr, i8\n  %s" + n + " = llvm.getelementptr %array[" +
              n + "] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  llvm.store %p" + n + ", %s" + n +
              " : !llvm.ptr, !llvm.ptr\n";
    }
    text +=
        "  llvm.call @" + entry.symbol + "(%array, %scratch, %workgroup, %params, %epilogue, " +
        (markers ? "%scratch" : "%null") +
        ") : "
        "(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()\n  llvm.return\n}\n}\n";
  }
  return text + "}\n";
}

static llvm::FailureOr<llvm::SmallVector<char, 0>> compileText(mlir::MLIRContext *context,
                                                               const std::string &text,
                                                               const mlir::ttc::CpuTarget &target,
                                                               bool assembly) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
  if (!module) {
    llvm::errs() << text;
    std::abort();
  }
  std::vector<std::string> names;
  llvm::SmallVector<mlir::ttc::LoweredProgram> programs;
  for ([[maybe_unused]] auto inner : module->getOps<mlir::ModuleOp>())
    names.push_back("program" + std::to_string(names.size()));
  for (auto [inner, name] : llvm::zip(module->getOps<mlir::ModuleOp>(), names))
    programs.push_back({inner, name});
  mlir::ttc::MachineCodeOptions options;
  options.target = target;
  options.assembly = assembly;
  return mlir::ttc::compilePrograms(programs, options);
}

bool KernelSuite::compile(const mlir::ttc::CpuTarget &target) {
  auto code = compileText(context.get(), lower(target), target, /*assembly=*/false);
  if (failed(code))
    return false;
  bytes.assign(code->begin(), code->end());
  int file = memfd_create("kernels", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return false;
  library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!library) {
    llvm::errs() << dlerror() << '\n';
    return false;
  }
  for (Entry &entry : entries)
    entry.program = {
        entry.grid, entry.scratchBytes,
        reinterpret_cast<decltype(KernelProgram::run)>(dlsym(library, entry.name.c_str()))};
  return true;
}

std::string KernelSuite::assembly(const mlir::ttc::CpuTarget &target, bool markers) {
  auto text = compileText(context.get(), lower(target, markers), target, /*assembly=*/true);
  return failed(text) ? std::string() : std::string(text->begin(), text->end());
}

KernelProgram KernelSuite::program(size_t index) const { return entries[index].program; }

bool KernelSuite::evaluate(size_t index, std::span<const float> input,
                           std::span<float> output) const {
  bool evaluated = false;
  const Entry &entry = entries[index];
  mlir::ModuleOp(*entry.module).walk([&](mlir::ttc::ConstantEvaluableOpInterface op) {
    llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(input.data()), input.size_bytes());
    evaluated = succeeded(
        op.evaluateConstant(bytes, {reinterpret_cast<char *>(output.data()), output.size_bytes()}));
  });
  return evaluated;
}

void KernelProgram::operator()(const std::vector<const float *> &operands, bool reversed) const {
  // Base is null: an operand's offset is then its address.
  std::vector<uint64_t> offsets;
  for (const float *operand : operands)
    offsets.push_back(reinterpret_cast<uint64_t>(operand));
  // Poisoned: what a workgroup leaves in scratch must not matter to the next one.
  Buffer scratch(scratchBytes / 4 + 16, __builtin_nanf(""));
  for (int64_t i = 0; i < grid; ++i)
    run(offsets.data(), nullptr, reinterpret_cast<uint8_t *>(scratch.data()),
        reversed ? grid - 1 - i : i);
  if (!scratch.guardIntact()) {
    llvm::errs() << "scratch of " << scratchBytes << " bytes overrun\n";
    std::abort();
  }
}

static constexpr size_t kGuard = 256;
static constexpr float kCanary = -12345.5f;

Buffer::Buffer(size_t elements, float fill) : count(elements) {
  storage.reset(new char[(elements + kGuard) * 4 + 64]);
  values = reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(storage.get()) + 63) & ~63ull);
  std::fill(values, values + elements, fill);
  std::fill(values + elements, values + elements + kGuard, kCanary);
}

void Buffer::fillWhole(unsigned seed) {
  std::minstd_rand engine(seed);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<int>(engine() % 9) - 4);
}

void Buffer::fillRandom(unsigned seed) {
  std::minstd_rand engine(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  for (size_t i = 0; i < count; ++i)
    values[i] = uniform(engine);
}

bool Buffer::guardIntact() const {
  for (size_t i = 0; i < kGuard; ++i)
    if (values[count + i] != kCanary)
      return false;
  return true;
}
