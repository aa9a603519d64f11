// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits, the same as those of XLA: counters are encrypted by Threefry-2x32 or Philox-4x32
// (J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3).
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// Words of ui32 and ui64.
class Words {
public:
  explicit Words(StablehloOp &op)
      : op(op), e(op), word(IntegerType::get(op.context(), 32, IntegerType::Unsigned)),
        wide(IntegerType::get(op.context(), 64, IntegerType::Unsigned)) {}

  Value number(Type type, uint64_t value) {
    return op.constant(DenseElementsAttr::get(RankedTensorType::get({}, type),
                                              APInt(type.getIntOrFloatBitWidth(), value)));
  }
  Value add(Value a, uint32_t b) { return e.add(a, number(word, b)); }
  Value exclusive(Value a, Value b) { return op.create<BitXorOp>({a, b}); }
  Value rotate(Value x, unsigned count) {
    return op.create<BitOrOp>({op.create<ShiftLeftOp>({x, number(word, count)}),
                               op.create<ShiftRightOp>({x, number(word, 32 - count)})});
  }
  Value low(Value x) { return e.cast(x, word); }
  Value high(Value x) { return e.cast(op.create<ShiftRightOp>({x, number(wide, 32)}), word); }
  Value join(Value lower, Value upper) {
    return op.create<BitOrOp>(
        {e.cast(lower, wide), op.create<ShiftLeftOp>({e.cast(upper, wide), number(wide, 32)})});
  }
  /// 0, 1, ..., count - 1.
  Value count(int64_t count) { return e.iota(count, wide); }

  std::array<Value, 2> threefry(std::array<Value, 2> counter, std::array<Value, 2> key);
  std::array<Value, 4> philox(std::array<Value, 4> counter, std::array<Value, 2> key);

private:
  StablehloOp &op;
  Expressions e;

public:
  IntegerType word, wide;
};
} // namespace

std::array<Value, 2> Words::threefry(std::array<Value, 2> x, std::array<Value, 2> key) {
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t parity = 0x1BD11BDA;
  const std::array<Value, 3> keys = {key[0], key[1],
                                     exclusive(exclusive(key[0], key[1]), number(word, parity))};
  x = {e.add(x[0], keys[0]), e.add(x[1], keys[1])};
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x[0] = e.add(x[0], x[1]);
      x[1] = exclusive(x[0], rotate(x[1], rotation));
    }
    x[0] = e.add(x[0], keys[(group + 1) % 3]);
    x[1] = e.add(x[1], add(keys[(group + 2) % 3], group + 1));
  }
  return x;
}

std::array<Value, 4> Words::philox(std::array<Value, 4> x, std::array<Value, 2> key) {
  constexpr unsigned rounds = 10;
  for (unsigned round = 0; round < rounds; ++round) {
    Value first = e.mul(e.cast(x[0], wide), number(wide, 0xD2511F53));
    Value second = e.mul(e.cast(x[2], wide), number(wide, 0xCD9E8D57));
    x = {exclusive(exclusive(high(second), x[1]), key[0]), low(second),
         exclusive(exclusive(high(first), x[3]), key[1]), low(first)};
    key = {add(key[0], 0x9E3779B9), add(key[1], 0xBB67AE85)};
  }
  return x;
}

//===----------------------------------------------------------------------===//
// The generator
//===----------------------------------------------------------------------===//

/// Words of 32 bits for that shape, and the number of counters that they use. The two words of a
/// counter stand beside each other in the first even dimension; if all are odd, in the largest one,
/// of which the last element is left out.
static std::pair<Value, int64_t> makeThreefryWords(StablehloOp &op, Words &words, Value key,
                                                   Value start, ArrayRef<int64_t> shape) {
  Expressions e(op);
  SmallVector<int64_t> half(shape), whole(shape);
  int64_t split = 0;
  if (shape.empty()) {
    half = {1};
  } else {
    const auto *even = llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
    split = (even != shape.end() ? even : llvm::max_element(shape)) - shape.begin();
    half[split] = llvm::divideCeil(half[split], 2);
    whole[split] = 2 * half[split];
  }
  const int64_t counters = llvm::product_of(half);
  Value counter = e.add(start, words.count(counters));
  std::array<Value, 2> made =
      words.threefry({words.low(counter), words.high(counter)}, {words.low(key), words.high(key)});
  if (shape.empty())
    return {e.reshape(made[0], {}), counters};
  half.insert(half.begin() + split + 1, 1);
  for (Value &value : made)
    value = e.reshape(value, half);
  Value joined = e.reshape(e.concat(made, split + 1), whole);
  return {e.slice(joined, split, 0, shape[split]), counters};
}

/// Rows of four words, and the new counter.
static std::pair<std::array<Value, 4>, std::array<Value, 2>>
makePhiloxWords(StablehloOp &op, Words &words, Value key, std::array<Value, 2> counter,
                int64_t count) {
  Expressions e(op);
  // The counter has 128 bits.
  auto advance = [&](Value by) -> std::array<Value, 2> {
    Value lower = e.add(counter[0], by);
    Value carries = e.compare(ComparePredicate::LT, lower, counter[0]);
    return {lower, e.where(carries, e.add(counter[1], 1.0), counter[1])};
  };
  auto [lower, upper] = advance(words.count(count));
  std::array<Value, 4> made =
      words.philox({words.low(lower), words.high(lower), words.low(upper), words.high(upper)},
                   {words.low(key), words.high(key)});
  return {made, advance(words.number(words.wide, count))};
}

static LogicalResult importBitGenerator(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  StringRef algorithm = op.getEnum("rng_algorithm", "rng_algorithm");
  if (op.hasFailed())
    return failure();
  if (op.numResults() != 2)
    return op.error() << "expected two results, found " << op.numResults();
  Value state = op.operand(0);
  Expressions e(op);
  Words words(op);
  const bool isThreefry = algorithm == "THREE_FRY";
  if (!isThreefry && algorithm != "PHILOX" && algorithm != "DEFAULT")
    return op.error() << "expected rng_algorithm to be DEFAULT, THREE_FRY or PHILOX, found "
                      << algorithm;
  const int64_t most = isThreefry ? 2 : 3;
  if (rankOf(state) != 1 || elementTypeOf(state) != words.wide || shapeOf(state)[0] < 2 ||
      shapeOf(state)[0] > most)
    return op.error() << "(C2) expected a state of 2" << (isThreefry ? "" : " or 3")
                      << " numbers of ui64, found " << state.getType();
  RankedTensorType type = op.resultType(1);
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer || integer.getWidth() < 8)
    return op.error() << "expected random bits as integers of 8 to 64 bits, found " << type;
  const int64_t size = type.getNumElements();
  if (size == 0)
    return op.results({state, e.splat(type.getShape(), integer, 0)});

  const bool isWide = integer.getWidth() == 64;
  Value key = e.take(state, 0, 0), counter = e.take(state, 0, 1);
  Value bits;
  SmallVector<Value> next = {e.unsqueeze(key, 0)};
  if (isThreefry) {
    int64_t counters = size;
    if (isWide) {
      Value each = e.add(counter, words.count(size));
      auto [lower, upper] =
          words.threefry({words.low(each), words.high(each)}, {words.low(key), words.high(key)});
      bits = e.reshape(words.join(lower, upper), type.getShape());
    } else {
      std::tie(bits, counters) = makeThreefryWords(op, words, key, counter, type.getShape());
    }
    next.push_back(e.unsqueeze(e.add(counter, words.number(words.wide, counters)), 0));
  } else {
    const bool isShort = shapeOf(state)[0] == 2;
    const int64_t group = isWide ? 2 : 4;
    const int64_t groups = llvm::divideCeil(size, group);
    // A state of two numbers has no upper half of the counter: the key takes its place.
    auto [made, advanced] =
        makePhiloxWords(op, words, key, {counter, isShort ? key : e.take(state, 0, 2)}, groups);
    SmallVector<Value> columns(made.begin(), made.end());
    if (isWide)
      columns = {words.join(made[0], made[1]), words.join(made[2], made[3])};
    for (Value &column : columns)
      column = e.unsqueeze(column, 1);
    Value all = e.reshape(e.concat(columns, 1), groups * group);
    bits = e.reshape(e.slice(all, 0, 0, size), type.getShape());
    next.push_back(e.unsqueeze(advanced[0], 0));
    if (!isShort)
      next.push_back(e.unsqueeze(advanced[1], 0));
  }
  return op.results({e.concat(next, 0), e.cast(bits, integer)});
}

static LogicalResult importRng(StablehloOp &op) {
  return op.error() << "cannot be imported: its numbers depend on a hidden state of the device; "
                       "pass a key and use jax.random, or rng_bit_generator";
}

void mlir::ttc::registerStablehloRandomOps(StablehloRegistry &registry) {
  registry.add("rng", importRng, OnComplex::Handled, "always: it has a hidden state");
  registry.add("rng_bit_generator", importBitGenerator, OnComplex::Refused, "random floats");
}
