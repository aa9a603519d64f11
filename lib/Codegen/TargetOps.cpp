// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/TargetParser/Triple.h"
#include <numeric>

using namespace mlir::ttc;
using llvm::SmallVector;
using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

/// The bodies of one module's functions. Operands are as in kernels/TargetOps.h; `lanes` is the
/// number of lanes of i32.
class TargetOps {
public:
  TargetOps(llvm::Module &module, unsigned lanes) : b(module.getContext()), lanes(lanes) {}
  virtual ~TargetOps() = default;

  virtual llvm::Value *buildTime() = 0;
  virtual void buildRelease() = 0;
  virtual llvm::Value *buildDot(llvm::Value *acc, llvm::Value *x, llvm::Value *y) = 0;
  virtual llvm::Value *buildMultiplyHalves(llvm::Value *x, llvm::Value *y) = 0;
  virtual llvm::Value *buildMultiplyBytes(llvm::Value *x, llvm::Value *y) = 0;
  virtual llvm::Value *buildLookUp(llvm::Value *table, llvm::Value *indices) = 0;
  virtual llvm::Value *buildWithSigns(llvm::Value *y, llvm::Value *x) {
    llvm::Value *bytes = asBytes(y);
    llvm::Value *isNegative =
        b.CreateICmpSLT(asBytes(x), llvm::Constant::getNullValue(bytes->getType()));
    return asWords(b.CreateSelect(isNegative, b.CreateNeg(bytes), bytes));
  }

  llvm::IRBuilder<> b;

protected:
  llvm::Type *vectorOf(unsigned bits, unsigned count) {
    return llvm::FixedVectorType::get(b.getIntNTy(bits), count);
  }
  llvm::Value *asBytes(llvm::Value *value) {
    return b.CreateBitCast(value, vectorOf(8, 4 * lanes));
  }
  llvm::Value *asWords(llvm::Value *value) { return b.CreateBitCast(value, vectorOf(32, lanes)); }

  const unsigned lanes;
};

/// With 16 lanes, AVX-512; with 8, AVX2. The compiler asks for what the CPU has (chooseByteDot()).
class X86Ops : public TargetOps {
public:
  using TargetOps::TargetOps;

  llvm::Value *buildTime() override {
    return b.CreateIntrinsic(b.getInt64Ty(), llvm::Intrinsic::x86_rdtsc, {});
  }
  void buildRelease() override {
    std::string clobbers;
    for (unsigned i = 0; i < 2 * lanes; ++i)
      clobbers += "~{xmm" + std::to_string(i) + "},";
    clobbers += "~{dirflag},~{fpsr},~{flags}";
    b.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(b.getVoidTy(), false), "", clobbers,
                                      /*hasSideEffects=*/true));
  }
  llvm::Value *buildDot(llvm::Value *acc, llvm::Value *x, llvm::Value *y) override {
    return call(llvm::Intrinsic::x86_avx512_vpdpbusd_256, llvm::Intrinsic::x86_avx512_vpdpbusd_512,
                {acc, asBytes(x), asBytes(y)});
  }
  llvm::Value *buildMultiplyHalves(llvm::Value *x, llvm::Value *y) override {
    return call(llvm::Intrinsic::x86_avx2_pmadd_wd, llvm::Intrinsic::x86_avx512_pmaddw_d_512,
                {x, y});
  }
  llvm::Value *buildMultiplyBytes(llvm::Value *x, llvm::Value *y) override {
    return call(llvm::Intrinsic::x86_avx2_pmadd_ub_sw, llvm::Intrinsic::x86_avx512_pmaddubs_w_512,
                {asBytes(x), asBytes(y)});
  }
  llvm::Value *buildLookUp(llvm::Value *table, llvm::Value *indices) override {
    return asWords(call(llvm::Intrinsic::x86_avx2_pshuf_b, llvm::Intrinsic::x86_avx512_pshuf_b_512,
                        {asBytes(table), asBytes(indices)}));
  }
  llvm::Value *buildWithSigns(llvm::Value *y, llvm::Value *x) override {
    if (lanes == 16)
      return TargetOps::buildWithSigns(y, x);
    return asWords(
        b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_psign_b, {}, {asBytes(y), asBytes(x)}));
  }

private:
  llvm::Value *call(llvm::Intrinsic::ID of8Lanes, llvm::Intrinsic::ID of16Lanes,
                    llvm::ArrayRef<llvm::Value *> operands) {
    return b.CreateIntrinsic(lanes == 16 ? of16Lanes : of8Lanes, {}, operands);
  }
};

/// NEON: each vector is two registers.
class AArch64Ops : public TargetOps {
public:
  AArch64Ops(llvm::Module &module, unsigned lanes, bool hasMixedDot)
      : TargetOps(module, lanes), hasMixedDot(hasMixedDot) {}

  /// The virtual counter, which programs may read, unlike that of cycles.
  llvm::Value *buildTime() override {
    return b.CreateIntrinsic(b.getInt64Ty(), llvm::Intrinsic::readsteadycounter, {});
  }
  void buildRelease() override {
    std::string clobbers;
    for (unsigned i = 0; i < 32; ++i)
      clobbers += (i ? ",~{v" : "~{v") + std::to_string(i) + "}";
    b.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(b.getVoidTy(), false), "", clobbers,
                                      /*hasSideEffects=*/true));
  }
  /// Without an instruction for bytes of both kinds: x * y = (x - 128) * y + 128 * y. The second
  /// sum is that of all rows, which share y. Exact, as all is modulo 2^32.
  llvm::Value *buildDot(llvm::Value *acc, llvm::Value *x, llvm::Value *y) override {
    if (hasMixedDot)
      return perRegister(32, {acc, asBytes(x), asBytes(y)}, [&](llvm::ArrayRef<llvm::Value *> o) {
        return dot(llvm::Intrinsic::aarch64_neon_usdot, o[0], o[1], o[2]);
      });
    llvm::Value *centred = b.CreateXor(asBytes(x), splat(8, 4 * lanes, 0x80));
    return perRegister(32, {acc, centred, asBytes(y)}, [&](llvm::ArrayRef<llvm::Value *> o) {
      llvm::Value *zero = llvm::Constant::getNullValue(o[0]->getType());
      llvm::Value *sums =
          dot(llvm::Intrinsic::aarch64_neon_sdot, zero, splat(8, 16, uint8_t(-128)), o[2]);
      return b.CreateSub(dot(llvm::Intrinsic::aarch64_neon_sdot, o[0], o[1], o[2]), sums);
    });
  }
  llvm::Value *buildMultiplyHalves(llvm::Value *x, llvm::Value *y) override {
    llvm::Type *wide = vectorOf(32, 2 * lanes);
    return addPairs(b.CreateMul(b.CreateSExt(x, wide), b.CreateSExt(y, wide)), 2 * lanes);
  }
  llvm::Value *buildMultiplyBytes(llvm::Value *x, llvm::Value *y) override {
    llvm::Type *wide = vectorOf(16, 4 * lanes);
    return addPairs(b.CreateMul(b.CreateZExt(asBytes(x), wide), b.CreateSExt(asBytes(y), wide)),
                    4 * lanes);
  }
  llvm::Value *buildLookUp(llvm::Value *table, llvm::Value *indices) override {
    llvm::Value *bytes =
        perRegister(8, {asBytes(table), asBytes(indices)}, [&](llvm::ArrayRef<llvm::Value *> o) {
          return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_tbl1, {vectorOf(8, 16)},
                                   {o[0], o[1]});
        });
    return asWords(bytes);
  }

private:
  llvm::Value *splat(unsigned bits, unsigned count, uint64_t number) {
    return llvm::ConstantInt::get(vectorOf(bits, count), number);
  }
  llvm::Value *dot(llvm::Intrinsic::ID id, llvm::Value *acc, llvm::Value *x, llvm::Value *y) {
    return b.CreateIntrinsic(id, {acc->getType(), x->getType()}, {acc, x, y});
  }
  llvm::Value *slice(llvm::Value *vector, unsigned first, unsigned step, unsigned count) {
    llvm::SmallVector<int> mask(count);
    for (unsigned i = 0; i < count; ++i)
      mask[i] = static_cast<int>(first + i * step);
    return b.CreateShuffleVector(vector, mask);
  }
  /// The sums of neighbours among `count` numbers.
  llvm::Value *addPairs(llvm::Value *numbers, unsigned count) {
    return b.CreateAdd(slice(numbers, 0, 2, count / 2), slice(numbers, 1, 2, count / 2));
  }
  /// `build` for each 128 bits of the operands; its results, of numbers of `bits`, as one vector.
  llvm::Value *perRegister(unsigned bits, llvm::ArrayRef<llvm::Value *> operands,
                           llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> build) {
    const unsigned registers = lanes / 4;
    llvm::Value *whole = nullptr;
    for (unsigned i = 0; i < registers; ++i) {
      llvm::SmallVector<llvm::Value *> parts;
      for (llvm::Value *operand : operands) {
        const unsigned count =
            llvm::cast<llvm::FixedVectorType>(operand->getType())->getNumElements() / registers;
        parts.push_back(slice(operand, i * count, 1, count));
      }
      llvm::Value *part = build(parts);
      llvm::SmallVector<int> both(2 * 128 / bits * std::max(i, 1u));
      std::iota(both.begin(), both.end(), 0);
      whole = whole ? b.CreateShuffleVector(whole, part, both) : part;
    }
    return whole;
  }

  const bool hasMixedDot;
};

std::unique_ptr<TargetOps> createTargetOps(llvm::Module &module, const CpuTarget &target) {
  const auto lanes = static_cast<unsigned>(getVectorLength(target));
  if (llvm::Triple(target.triple).isAArch64())
    return std::make_unique<AArch64Ops>(module, lanes,
                                        llvm::is_contained(getNeededFeatures(target), "i8mm"));
  return std::make_unique<X86Ops>(module, lanes);
}

} // namespace

void mlir::ttc::defineTargetOps(llvm::Module &module, const CpuTarget &target) {
  std::unique_ptr<TargetOps> ops = createTargetOps(module, target);
  auto define = [&](llvm::StringRef name,
                    llvm::function_ref<llvm::Value *(llvm::Argument *)> build) {
    llvm::Function *function = module.getFunction(name);
    if (!function)
      return;
    ops->b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
    llvm::Value *result = build(function->arg_begin());
    result ? ops->b.CreateRet(result) : ops->b.CreateRetVoid();
    function->addFnAttr(llvm::Attribute::AlwaysInline);
  };
  define("ttc_target_time", [&](llvm::Argument *) { return ops->buildTime(); });
  define("ttc_target_release_vectors", [&](llvm::Argument *) -> llvm::Value * {
    ops->buildRelease();
    return nullptr;
  });
  define("ttc_target_dot", [&](llvm::Argument *o) { return ops->buildDot(&o[0], &o[1], &o[2]); });
  define("ttc_target_multiply_halves",
         [&](llvm::Argument *o) { return ops->buildMultiplyHalves(&o[0], &o[1]); });
  define("ttc_target_multiply_bytes",
         [&](llvm::Argument *o) { return ops->buildMultiplyBytes(&o[0], &o[1]); });
  define("ttc_target_look_up", [&](llvm::Argument *o) { return ops->buildLookUp(&o[0], &o[1]); });
  define("ttc_target_with_signs",
         [&](llvm::Argument *o) { return ops->buildWithSigns(&o[0], &o[1]); });
}
