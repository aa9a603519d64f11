// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ElementProgram.h"
#include "dialects/Ttc/ConstantEvaluation/ElementNumbers.h"
#include "dialects/Ttc/Functions/MathApproximation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;

namespace {

using Instruction = ElementProgram::Instruction;

//===--- instructions -----------------------------------------------------------------===//

/// Builds instructions for the ops of a block.
class Compiler {
public:
  DenseMap<Value, unsigned> registers;
  std::vector<Instruction> instructions;

  unsigned addRegister(Value value) {
    unsigned index = registers.size();
    registers[value] = index;
    return index;
  }

  LogicalResult compile(Operation *op) {
    if (op->getNumResults() != 1 || !ElementProgram::isSupported(op->getResult(0).getType()))
      return failure();
    operands.clear();
    for (Value operand : op->getOperands()) {
      auto found = registers.find(operand);
      if (found == registers.end())
        return failure();
      operands.push_back(found->second);
    }
    out = addRegister(op->getResult(0));
    return success(compileConstant(op) || compileFloat(op) || compileInteger(op) ||
                   compileConversion(op));
  }

private:
  SmallVector<unsigned, 3> operands;
  unsigned out = 0;

  /// result = f(operands...), all of type T; the result is rounded to `type`.
  template <typename T, typename F> bool unary(F f, Type type) {
    instructions.push_back([f, type, a = operands[0], r = out](char *const *regs, size_t n) {
      const T *x = as<T>(regs[a]);
      T *y = as<T>(regs[r]);
      for (size_t i = 0; i < n; ++i)
        y[i] = f(x[i]);
      roundTo(type, y, n);
    });
    return true;
  }
  template <typename T, typename F> bool binary(F f, Type type) {
    instructions.push_back(
        [f, type, a = operands[0], b = operands[1], r = out](char *const *regs, size_t n) {
          const T *x = as<T>(regs[a]), *y = as<T>(regs[b]);
          T *z = as<T>(regs[r]);
          for (size_t i = 0; i < n; ++i)
            z[i] = f(x[i], y[i]);
          roundTo(type, z, n);
        });
    return true;
  }
  /// result = f(operands...), from type A to type R.
  template <typename R, typename A, typename F> bool convert(F f) {
    instructions.push_back([f, a = operands[0], r = out](char *const *regs, size_t n) {
      const A *x = as<A>(regs[a]);
      R *y = as<R>(regs[r]);
      for (size_t i = 0; i < n; ++i)
        y[i] = f(x[i]);
    });
    return true;
  }
  template <typename R, typename A, typename F> bool compare(F f) {
    instructions.push_back(
        [f, a = operands[0], b = operands[1], r = out](char *const *regs, size_t n) {
          const A *x = as<A>(regs[a]), *y = as<A>(regs[b]);
          R *z = as<R>(regs[r]);
          for (size_t i = 0; i < n; ++i)
            z[i] = f(x[i], y[i]);
        });
    return true;
  }
  /// The same, in the width of the type.
  template <typename F> bool floatUnary(Operation *op, F f) {
    Type type = op->getResult(0).getType();
    return type.isF64() ? unary<double>(f, type) : unary<float>(f, type);
  }
  template <typename F> bool floatBinary(Operation *op, F f) {
    Type type = op->getResult(0).getType();
    return type.isF64() ? binary<double>(f, type) : binary<float>(f, type);
  }
  template <typename F> bool intBinary(Operation *op, F f) {
    unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
    return binary<int64_t>([f, width](int64_t a, int64_t b) { return wrap(f(a, b, width), width); },
                           {});
  }

  bool compileConstant(Operation *op);
  bool compileFloat(Operation *op);
  bool compileInteger(Operation *op);
  bool compileConversion(Operation *op);
};

bool Compiler::compileConstant(Operation *op) {
  Attribute value;
  if (!matchPattern(op, m_Constant(&value)))
    return false;
  auto fill = [&](auto element) {
    instructions.push_back([element, r = out](char *const *regs, size_t n) {
      std::fill_n(as<decltype(element)>(regs[r]), n, element);
    });
    return true;
  };
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (number.getType().isF64())
      return fill(number.getValueAsDouble());
    return fill(float(number.getValueAsDouble()));
  }
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return fill(integer.getType().isInteger(1) ? int64_t(integer.getValue().getBoolValue())
                                               : integer.getValue().getSExtValue());
  return false;
}

bool Compiler::compileFloat(Operation *op) {
  using namespace arith;
  using namespace math;
  auto fmod = [](auto x, auto y) { return std::fmod(x, y); };
  // As --arith-expand has them: NaN wins, and of two zeros the second operand.
  auto maximum = [](auto x, auto y) { return y != y ? y : x <= y ? y : x; };
  auto minimum = [](auto x, auto y) { return y != y ? y : x >= y ? y : x; };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](AddFOp) { return floatBinary(op, [](auto x, auto y) { return x + y; }); })
      .Case([&](SubFOp) { return floatBinary(op, [](auto x, auto y) { return x - y; }); })
      .Case([&](MulFOp) { return floatBinary(op, [](auto x, auto y) { return x * y; }); })
      .Case([&](DivFOp) { return floatBinary(op, [](auto x, auto y) { return x / y; }); })
      .Case([&](RemFOp) { return floatBinary(op, fmod); })
      .Case([&](MaximumFOp) { return floatBinary(op, maximum); })
      .Case([&](MinimumFOp) { return floatBinary(op, minimum); })
      .Case([&](CopySignOp) {
        return floatBinary(op, [](auto x, auto y) { return std::copysign(x, y); });
      })
      .Case([&](NegFOp) { return floatUnary(op, [](auto x) { return -x; }); })
      .Case([&](AbsFOp) { return floatUnary(op, [](auto x) { return std::fabs(x); }); })
      .Case([&](math::SqrtOp) { return floatUnary(op, [](auto x) { return std::sqrt(x); }); })
      .Case([&](FmaOp) {
        auto fma = [type = op->getResult(0).getType(), a = operands[0], b = operands[1],
                    c = operands[2], r = out]<typename T>(char *const *regs, size_t n, T) {
          for (size_t i = 0; i < n; ++i)
            as<T>(regs[r])[i] = std::fma(as<T>(regs[a])[i], as<T>(regs[b])[i], as<T>(regs[c])[i]);
          roundTo(type, as<T>(regs[r]), n);
        };
        if (op->getResult(0).getType().isF64())
          instructions.push_back([fma](char *const *regs, size_t n) { fma(regs, n, double()); });
        else
          instructions.push_back([fma](char *const *regs, size_t n) { fma(regs, n, float()); });
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool Compiler::compileInteger(Operation *op) {
  using namespace arith;
  // Wraps around like the op; signed overflow in C++ would be undefined behavior. Division
  // by zero, undefined in arith, gives 0.
  auto divide = [](int64_t a, int64_t b) {
    return b == 0 ? 0 : b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
  };
  auto remainder = [](int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](AddIOp) {
        return intBinary(op, [](uint64_t a, uint64_t b, unsigned) { return int64_t(a + b); });
      })
      .Case([&](SubIOp) {
        return intBinary(op, [](uint64_t a, uint64_t b, unsigned) { return int64_t(a - b); });
      })
      .Case([&](MulIOp) {
        return intBinary(op, [](uint64_t a, uint64_t b, unsigned) { return int64_t(a * b); });
      })
      .Case([&](DivSIOp) {
        return intBinary(op, [=](int64_t a, int64_t b, unsigned) { return divide(a, b); });
      })
      .Case([&](RemSIOp) {
        return intBinary(op, [=](int64_t a, int64_t b, unsigned) { return remainder(a, b); });
      })
      .Case([&](FloorDivSIOp) {
        return intBinary(op, [=](int64_t a, int64_t b, unsigned) {
          int64_t r = remainder(a, b);
          return divide(a, b) - (r != 0 && (r < 0) != (b < 0));
        });
      })
      .Case([&](DivUIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return b == 0 ? 0 : int64_t(zeroExtend(a, width) / zeroExtend(b, width));
        });
      })
      .Case([&](RemUIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return b == 0 ? 0 : int64_t(zeroExtend(a, width) % zeroExtend(b, width));
        });
      })
      .Case([&](MaxSIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) { return std::max(a, b); });
      })
      .Case([&](MinSIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) { return std::min(a, b); });
      })
      .Case([&](MaxUIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return int64_t(std::max(zeroExtend(a, width), zeroExtend(b, width)));
        });
      })
      .Case([&](MinUIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return int64_t(std::min(zeroExtend(a, width), zeroExtend(b, width)));
        });
      })
      .Case([&](AndIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) { return a & b; });
      })
      .Case([&](OrIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) { return a | b; });
      })
      .Case([&](XOrIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) { return a ^ b; });
      })
      .Case([&](ShLIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return uint64_t(b) >= width ? 0 : int64_t(uint64_t(a) << b);
        });
      })
      .Case([&](ShRSIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return a >> std::min<uint64_t>(b, width - 1);
        });
      })
      .Case([&](ShRUIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned width) {
          return uint64_t(b) >= width ? 0 : int64_t(zeroExtend(a, width) >> b);
        });
      })
      .Case([&](math::AbsIOp) {
        unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
        return unary<int64_t>(
            [width](int64_t a) { return wrap(a < 0 ? int64_t(0 - uint64_t(a)) : a, width); }, {});
      })
      .Case([&](math::IPowIOp) {
        return intBinary(op, [](int64_t a, int64_t b, unsigned) {
          if (b < 0)
            return a == 1 ? int64_t(1) : a == -1 ? (b % 2 ? int64_t(-1) : int64_t(1)) : int64_t(0);
          uint64_t result = 1, base = a;
          for (; b; b >>= 1, base *= base)
            if (b & 1)
              result *= base;
          return int64_t(result);
        });
      })
      .Default([](Operation *) { return false; });
}

bool Compiler::compileConversion(Operation *op) {
  using namespace arith;
  Type to = op->getResult(0).getType();
  auto isDouble = [](Type type) { return type.isF64(); };
  Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  unsigned fromWidth = from && from.isIntOrFloat() ? from.getIntOrFloatBitWidth() : 0;
  unsigned toWidth = to.getIntOrFloatBitWidth();
  /// From integers, extended by `extend`, to the float type.
  auto toFloat = [&](auto extend) {
    if (isDouble(to))
      return convert<double, int64_t>([=](int64_t x) { return double(extend(x)); });
    convert<float, int64_t>([=](int64_t x) { return float(extend(x)); });
    instructions.push_back(
        [to, r = out](char *const *regs, size_t n) { roundTo(to, as<float>(regs[r]), n); });
    return true;
  };
  /// From floats to integers. What arith leaves undefined becomes the least integer.
  auto toInteger = [&] {
    const double end = std::ldexp(1.0, toWidth - 1);
    auto cut = [=](auto x) {
      double whole = std::trunc(double(x));
      return whole >= -end && whole < end ? int64_t(whole) : llvm::minIntN(toWidth);
    };
    return isDouble(from) ? convert<int64_t, double>(cut) : convert<int64_t, float>(cut);
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](SIToFPOp) { return toFloat([=](int64_t x) { return signExtend(x, fromWidth); }); })
      .Case([&](UIToFPOp) { return toFloat([=](int64_t x) { return zeroExtend(x, fromWidth); }); })
      .Case([&](FPToSIOp) { return toInteger(); })
      .Case([&](ExtSIOp) {
        return unary<int64_t>([=](int64_t x) { return signExtend(x, fromWidth); }, {});
      })
      .Case([&](ExtUIOp) {
        return unary<int64_t>([=](int64_t x) { return int64_t(zeroExtend(x, fromWidth)); }, {});
      })
      .Case(
          [&](TruncIOp) { return unary<int64_t>([=](int64_t x) { return wrap(x, toWidth); }, {}); })
      .Case<ExtFOp, TruncFOp>([&](auto) {
        if (isDouble(from) && isDouble(to))
          return false;
        if (isDouble(to))
          return convert<double, float>([](float x) { return double(x); });
        if (isDouble(from))
          convert<float, double>([](double x) { return float(x); });
        else
          convert<float, float>([](float x) { return x; });
        instructions.push_back(
            [to, r = out](char *const *regs, size_t n) { roundTo(to, as<float>(regs[r]), n); });
        return true;
      })
      .Case([&](arith::BitcastOp) {
        if (from.isF32() && to.isInteger(32))
          return convert<int64_t, float>(
              [](float x) { return int64_t(std::bit_cast<int32_t>(x)); });
        if (from.isInteger(32) && to.isF32())
          return convert<float, int64_t>(
              [](int64_t x) { return std::bit_cast<float>(int32_t(x)); });
        if (from.isF64() && to.isInteger(64))
          return convert<int64_t, double>([](double x) { return std::bit_cast<int64_t>(x); });
        if (from.isInteger(64) && to.isF64())
          return convert<double, int64_t>([](int64_t x) { return std::bit_cast<double>(x); });
        return false;
      })
      .Case([&](CmpFOp cmp) {
        auto test = [predicate = cmp.getPredicate()](auto x, auto y) -> int64_t {
          bool unordered = x != x || y != y;
          switch (predicate) {
          case CmpFPredicate::AlwaysFalse:
            return false;
          case CmpFPredicate::AlwaysTrue:
            return true;
          case CmpFPredicate::ORD:
            return !unordered;
          case CmpFPredicate::UNO:
            return unordered;
          case CmpFPredicate::OEQ:
            return x == y;
          case CmpFPredicate::OGT:
            return x > y;
          case CmpFPredicate::OGE:
            return x >= y;
          case CmpFPredicate::OLT:
            return x < y;
          case CmpFPredicate::OLE:
            return x <= y;
          case CmpFPredicate::ONE:
            return !unordered && x != y;
          case CmpFPredicate::UEQ:
            return unordered || x == y;
          case CmpFPredicate::UGT:
            return unordered || x > y;
          case CmpFPredicate::UGE:
            return unordered || x >= y;
          case CmpFPredicate::ULT:
            return unordered || x < y;
          case CmpFPredicate::ULE:
            return unordered || x <= y;
          case CmpFPredicate::UNE:
            return unordered || x != y;
          }
          return false;
        };
        return isDouble(from) ? compare<int64_t, double>(test) : compare<int64_t, float>(test);
      })
      .Case([&](CmpIOp cmp) {
        return compare<int64_t, int64_t>(
            [predicate = cmp.getPredicate(), fromWidth](int64_t x, int64_t y) -> int64_t {
              unsigned bits = std::max(fromWidth, 1u);
              return applyCmpPredicate(predicate, APInt(bits, zeroExtend(x, bits)),
                                       APInt(bits, zeroExtend(y, bits)));
            });
      })
      .Case([&](SelectOp) {
        if (!op->getOperand(0).getType().isInteger(1))
          return false;
        auto select = [c = operands[0], a = operands[1], b = operands[2],
                       r = out]<typename T>(char *const *regs, size_t n, T) {
          for (size_t i = 0; i < n; ++i)
            as<T>(regs[r])[i] = as<int64_t>(regs[c])[i] ? as<T>(regs[a])[i] : as<T>(regs[b])[i];
        };
        if (isa<IntegerType, IndexType>(to))
          instructions.push_back([=](char *const *regs, size_t n) { select(regs, n, int64_t()); });
        else if (isDouble(to))
          instructions.push_back([=](char *const *regs, size_t n) { select(regs, n, double()); });
        else
          instructions.push_back([=](char *const *regs, size_t n) { select(regs, n, float()); });
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace

FailureOr<ElementProgram> ElementProgram::compile(Block &block, Value result) {
  Compiler compiler;
  for (BlockArgument argument : block.getArguments()) {
    if (!isSupported(argument.getType()))
      return failure();
    compiler.addRegister(argument);
  }
  // What programs compute: not the functions of this machine's library, whose last bits differ.
  IRRewriter rewriter(result.getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Value expanded = expandFunction(rewriter, &op);
    if (!expanded)
      continue;
    if (op.getResult(0) == result)
      result = expanded;
    rewriter.replaceOp(&op, expanded);
  }
  for (Operation &op : block)
    if (failed(compiler.compile(&op)))
      return failure();
  ElementProgram program;
  program.instructions = std::move(compiler.instructions);
  program.numRegisters = compiler.registers.size();
  auto found = compiler.registers.find(result);
  if (found == compiler.registers.end())
    return failure();
  program.resultRegister = found->second;
  return program;
}
