// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a cache, against attention in f64 over plain arrays: steps, prompts, positions
// that are not within the cache, caches that are updated in place and that are copied.
#include "KernelCases.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace ttc::test;

namespace {

enum class Rope { none, halves, pairs };

struct Case {
  int64_t rows, heads, groups, depth, context;
  bool narrow;
  Rope rope;
  bool hasCount;
  int64_t splits = 1;

  int64_t width() const { return (heads + 2 * groups) * depth; }
  int64_t cacheElements() const { return groups * context * depth; }
  int64_t partialRow() const { return depth + 16; }
  std::string type(const std::vector<int64_t> &shape) const {
    std::string text = tensor(shape);
    return narrow ? text.substr(0, text.size() - 4) + "f16>" : text;
  }
  std::string keysType() const { return type({groups, context / 32, depth, 32}); }
  std::string valuesType() const { return type({groups, depth / 32, context, 32}); }
  std::vector<std::string> operandTypes() const {
    std::vector<std::string> types{tensor({rows, width()}), keysType(), valuesType(),
                                   "tensor<1xi32>"};
    if (rope != Rope::none)
      types.push_back(tensor({context, depth}));
    if (hasCount)
      types.push_back("tensor<1xi32>");
    return types;
  }
  std::string op(const std::string &name) const {
    std::string text = "ttc.kernel." + name + " %0, %1, %2, %3";
    if (rope != Rope::none)
      text += " cos_sin %4";
    if (hasCount)
      text += rope != Rope::none ? " count %5" : " count %4";
    if (rope != Rope::none)
      text += rope == Rope::halves ? " rope halves" : " rope pairs";
    return text + " {heads = " + std::to_string(heads) +
           " : i64, kv_heads = " + std::to_string(groups) + " : i64, scale = 1.250000e-01 : f32" +
           (name == "decode_attention" ? ", splits = " + std::to_string(splits) + " : i64}" : "}");
  }
};

/// Elements of a cache as numbers.
class Cache {
public:
  Cache(int64_t elements, bool narrow)
      : narrow(narrow), storage(narrow ? (elements + 1) / 2 : elements, 7.0f) {}
  double operator[](int64_t i) const {
    if (!narrow)
      return storage[i];
    _Float16 value;
    std::memcpy(&value, reinterpret_cast<const char *>(storage.data()) + 2 * i, 2);
    return static_cast<double>(value);
  }
  void set(int64_t i, double value) {
    if (!narrow) {
      storage[i] = static_cast<float>(value);
      return;
    }
    const auto half = static_cast<_Float16>(static_cast<float>(value));
    std::memcpy(reinterpret_cast<char *>(storage.data()) + 2 * i, &half, 2);
  }
  const float *data() const { return storage.data(); }
  bool guardIntact() const { return storage.guardIntact(); }
  bool operator==(const Cache &other) const {
    return std::memcmp(storage.data(), other.storage.data(), storage.size() * 4) == 0;
  }

private:
  bool narrow;
  Buffer storage;
};

int64_t keyAt(const Case &c, int64_t group, int64_t position, int64_t d) {
  return ((group * (c.context / 32) + position / 32) * c.depth + d) * 32 + position % 32;
}
int64_t valueAt(const Case &c, int64_t group, int64_t position, int64_t d) {
  return ((group * (c.depth / 32) + d / 32) * c.context + position) * 32 + d % 32;
}

/// Operands, and what they become.
struct Data {
  Buffer qkv, table, y;
  Cache keys, values;
  Buffer position{1}, count{1};

  Data(const Case &c, int64_t at, int64_t valid, unsigned seed)
      : qkv(c.rows * c.width()), table(c.context * c.depth), y(c.rows * c.heads * c.depth),
        keys(c.cacheElements(), c.narrow), values(c.cacheElements(), c.narrow) {
    qkv.fillRandom(seed);
    for (size_t i = 0; i < qkv.size(); ++i)
      qkv[i] *= 3;
    for (int64_t p = 0; p < c.context; ++p)
      for (int64_t i = 0; i < c.depth / 2; ++i) {
        const double angle = static_cast<double>(p) * std::pow(1e4, -2.0 * i / c.depth);
        table[p * c.depth + i] = static_cast<float>(std::cos(angle));
        table[p * c.depth + c.depth / 2 + i] = static_cast<float>(std::sin(angle));
      }
    // What is not in use must not matter: not even if it is not a number.
    Buffer random(c.cacheElements());
    random.fillRandom(seed + 1);
    for (int64_t g = 0; g < c.groups; ++g)
      for (int64_t p = 0; p < c.context; ++p)
        for (int64_t d = 0; d < c.depth; ++d) {
          const float value = random[(g * c.context + p) * c.depth + d];
          keys.set(keyAt(c, g, p, d), p < at ? 2 * value : NAN);
          values.set(valueAt(c, g, p, d), p < at ? value : NAN);
        }
    position[0] = std::bit_cast<float>(static_cast<int32_t>(at));
    count[0] = std::bit_cast<float>(static_cast<int32_t>(valid));
  }

  std::vector<const float *> operands(const Case &c) const {
    std::vector<const float *> result{qkv.data(), keys.data(), values.data(), position.data()};
    if (c.rope != Rope::none)
      result.push_back(table.data());
    if (c.hasCount)
      result.push_back(count.data());
    return result;
  }
};

std::vector<double> rotate(const Case &c, const Data &data, const float *x, int64_t position) {
  std::vector<double> y(x, x + c.depth);
  if (c.rope == Rope::none)
    return y;
  for (int64_t i = 0; i < c.depth / 2; ++i) {
    const int64_t a = c.rope == Rope::pairs ? 2 * i : i;
    const int64_t b = c.rope == Rope::pairs ? 2 * i + 1 : i + c.depth / 2;
    const double cosine = data.table[position * c.depth + i];
    const double sine = data.table[position * c.depth + c.depth / 2 + i];
    y[a] = x[a] * cosine - x[b] * sine;
    y[b] = x[b] * cosine + x[a] * sine;
  }
  return y;
}

/// In f64, on the elements as the cache rounds them. Replaces the caches and y.
void naiveAttention(const Case &c, Data &data, int64_t position, int64_t count) {
  for (size_t i = 0; i < data.y.size(); ++i)
    data.y[i] = 0;
  if (position < 0)
    return;
  const int64_t rows = std::min({c.hasCount ? count : c.rows, c.rows, c.context - position});
  for (int64_t m = 0; m < rows; ++m) {
    const float *row = data.qkv.data() + m * c.width();
    const int64_t p = position + m;
    for (int64_t g = 0; g < c.groups; ++g) {
      std::vector<double> key = rotate(c, data, row + (c.heads + g) * c.depth, p);
      for (int64_t d = 0; d < c.depth; ++d) {
        data.keys.set(keyAt(c, g, p, d), key[d]);
        data.values.set(valueAt(c, g, p, d), row[(c.heads + c.groups + g) * c.depth + d]);
      }
    }
    for (int64_t h = 0; h < c.heads; ++h) {
      const int64_t g = h / (c.heads / c.groups);
      std::vector<double> query = rotate(c, data, row + h * c.depth, p), scores(p + 1);
      double most = -INFINITY, sum = 0;
      for (int64_t j = 0; j <= p; ++j) {
        for (int64_t d = 0; d < c.depth; ++d)
          scores[j] += query[d] * data.keys[keyAt(c, g, j, d)];
        scores[j] *= 0.125;
        most = std::max(most, scores[j]);
      }
      for (double &score : scores)
        sum += score = std::exp(score - most);
      for (int64_t d = 0; d < c.depth; ++d) {
        double value = 0;
        for (int64_t j = 0; j <= p; ++j)
          value += scores[j] * data.values[valueAt(c, g, j, d)];
        data.y[(m * c.heads + h) * c.depth + d] = static_cast<float>(value / sum);
      }
    }
  }
}

/// Keys are rounded after a rotation in f32 or f64, which may differ by one unit.
void expectCaches(const Case &c, const Data &expected, const Cache &keys, const Cache &values,
                  const Data &before, const std::string &what) {
  ASSERT_TRUE(keys.guardIntact() && values.guardIntact()) << what;
  ASSERT_TRUE(values == expected.values) << what;
  for (int64_t i = 0; i < c.cacheElements(); ++i) {
    const double wanted = expected.keys[i], found = keys[i];
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(found)) << what << ": wrote key " << i;
    else if (wanted == before.keys[i])
      ASSERT_EQ(wanted, found) << what << ": wrote key " << i;
    else
      ASSERT_NEAR(wanted, found, std::abs(wanted) * (c.narrow ? 1e-3 : 1e-6) + 1e-6) << what;
  }
}

/// The programs of a case in a suite.
struct Programs {
  Case c;
  size_t first, second;

  Programs(KernelSuite &suite, const Case &c) : c(c) {
    std::string y = tensor({c.rows, c.heads * c.depth});
    std::vector<std::string> caches{c.keysType(), c.valuesType()};
    if (c.rows > 1) {
      first = suite.addSeveral(c.op("update_cache"), c.operandTypes(), caches);
      second = suite.add(c.op("prefill_attention"), c.operandTypes(), y);
      return;
    }
    std::string partials = tensor({c.splits, c.heads, c.partialRow()});
    first = suite.addSeveral(c.op("decode_attention"), c.operandTypes(),
                             {c.splits == 1 ? y : partials, caches[0], caches[1]});
    if (c.splits > 1)
      second = suite.add("ttc.kernel.combine_attention %0", {partials}, y);
  }

  /// `keys` and `values` are where the new caches are stored, which may be where the old ones are.
  void run(const KernelSuite &suite, const Data &data, const Cache &keys, const Cache &values,
           const Buffer &y, bool reversed) const {
    auto operands = data.operands(c);
    if (c.rows > 1) {
      operands.insert(operands.end(), {keys.data(), values.data()});
      suite.program(first)(operands, reversed);
      operands = data.operands(c);
      operands[1] = keys.data();
      operands[2] = values.data();
      operands.push_back(y.data());
      suite.program(second)(operands, reversed);
      return;
    }
    Buffer partials(c.splits * c.heads * c.partialRow(), NAN);
    operands.insert(operands.end(),
                    {c.splits == 1 ? y.data() : partials.data(), keys.data(), values.data()});
    suite.program(first)(operands, reversed);
    ASSERT_TRUE(partials.guardIntact());
    if (c.splits > 1)
      suite.program(second)({partials.data(), y.data()});
  }
};

void testCase(const KernelSuite &suite, const Programs &programs, int64_t position, int64_t count,
              unsigned seed) {
  const Case &c = programs.c;
  const std::string what = std::to_string(c.rows) + " rows, " + std::to_string(c.heads) + "/" +
                           std::to_string(c.groups) + " heads of " + std::to_string(c.depth) +
                           ", position " + std::to_string(position) + ", count " +
                           std::to_string(count);
  const Data before(c, position, count, seed);
  Data expected(c, position, count, seed);
  naiveAttention(c, expected, position, count);
  std::vector<float> bits;
  for (bool inPlace : {true, false})
    for (bool reversed : {false, true}) {
      const Data data(c, position, count, seed);
      const Cache keys(c.cacheElements(), c.narrow), values(c.cacheElements(), c.narrow);
      const Buffer y(c.rows * c.heads * c.depth, NAN);
      const Cache &newKeys = inPlace ? data.keys : keys;
      const Cache &newValues = inPlace ? data.values : values;
      programs.run(suite, data, newKeys, newValues, y, reversed);
      ASSERT_TRUE(y.guardIntact()) << what;
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(expected.y[i], y[i], c.narrow ? 2e-3 : 5e-6) << what << " at " << i;
      expectCaches(c, expected, newKeys, newValues, before,
                   what + (inPlace ? ", in place" : ", copied"));
      // Neither the order of workgroups nor the place of the caches changes a bit.
      std::vector<float> found(y.data(), y.data() + y.size());
      if (bits.empty())
        bits = found;
      ASSERT_EQ(std::memcmp(bits.data(), found.data(), bits.size() * 4), 0) << what;
    }
}

std::vector<Case> getCases() {
  return {
      {1, 9, 3, 64, 256, true, Rope::pairs, false, 4}, // SmolLM2
      {1, 9, 3, 64, 256, false, Rope::pairs, true, 4},
      {1, 14, 2, 64, 128, true, Rope::halves, false, 2}, // Qwen2
      {1, 4, 4, 96, 96, false, Rope::halves, false, 3},  // a group for each head
      {1, 6, 1, 32, 64, true, Rope::none, true, 1},      // one group, no parts
      {1, 32, 2, 128, 64, false, Rope::pairs, false, 1}, // more heads than registers
      {16, 9, 3, 64, 128, true, Rope::pairs, true},
      {16, 9, 3, 64, 128, false, Rope::halves, false},
      {5, 4, 2, 32, 64, false, Rope::none, true}, // no whole tile
      {64, 3, 1, 64, 640, true, Rope::pairs, true},
      {256, 2, 2, 32, 320, false, Rope::halves, true},
  };
}

void testCases(const mlir::ttc::CpuTarget &target) {
  KernelSuite suite;
  std::vector<Programs> programs;
  for (const Case &c : getCases())
    programs.emplace_back(suite, c);
  ASSERT_TRUE(suite.compile(target));
  unsigned seed = 0;
  for (const Programs &program : programs) {
    const Case &c = program.c;
    std::vector<int64_t> positions{
        0, 1, 31, 32, 33, c.context - c.rows - 1, c.context - c.rows, c.context - 1};
    for (int64_t position : positions) {
      if (position < 0)
        continue;
      testCase(suite, program, position, c.rows, seed += 10);
      if (testing::Test::HasFatalFailure())
        return;
      if (c.hasCount)
        for (int64_t count : {int64_t(0), c.rows / 2, c.rows + 5})
          testCase(suite, program, position, count, seed += 10);
    }
  }
}

TEST(CachedAttentionKernel, Host) { testCases(host()); }

// Any CPU that can run the tests can run AVX2's code.
TEST(CachedAttentionKernel, Avx2) { testCases(*mlir::ttc::getCpuTarget("x86-64-v3")); }

// Whatever the bytes of position and count are, nothing is written that does not exist.
TEST(CachedAttentionKernel, PositionsOutside) {
  KernelSuite suite;
  std::vector<Programs> programs;
  for (const Case &c : {Case{1, 9, 3, 64, 256, true, Rope::pairs, true, 4},
                        Case{1, 4, 2, 32, 64, false, Rope::none, true, 1},
                        Case{16, 9, 3, 64, 128, true, Rope::halves, true}})
    programs.emplace_back(suite, c);
  ASSERT_TRUE(suite.compile(host()));
  for (const Programs &program : programs)
    for (int64_t position : {int64_t(-1), program.c.context, program.c.context + 1,
                             int64_t(INT32_MAX), int64_t(INT32_MIN)})
      for (int64_t count : {int64_t(1), int64_t(-1), int64_t(INT32_MIN), int64_t(INT32_MAX)}) {
        const Case &c = program.c;
        const Data before(c, position, count, 5), data(c, position, count, 5);
        const Buffer y(c.rows * c.heads * c.depth, NAN);
        program.run(suite, data, data.keys, data.values, y, /*reversed=*/false);
        ASSERT_TRUE(data.keys == before.keys && data.values == before.values);
        for (size_t i = 0; i < y.size(); ++i)
          ASSERT_EQ(y[i], 0.0f) << "position " << position << ", count " << count;
      }
  // Negative counts are none.
  const Programs &program = programs[0];
  for (int64_t count : {int64_t(-1), int64_t(INT32_MIN)})
    testCase(suite, program, 40, count, 7);
}

// A prompt at once leaves what its tokens leave one after the other.
TEST(CachedAttentionKernel, PromptIsSteps) {
  const Case prompt{16, 9, 3, 64, 128, true, Rope::pairs, false};
  Case step = prompt;
  step.rows = 1;
  step.splits = 4;
  KernelSuite suite;
  const Programs together(suite, prompt), alone(suite, step);
  ASSERT_TRUE(suite.compile(host()));
  const Data data(prompt, 25, 16, 3);
  Data steps(prompt, 25, 16, 3);
  const Buffer y(data.y.size());
  together.run(suite, data, data.keys, data.values, y, false);
  for (int64_t m = 0; m < prompt.rows; ++m) {
    Data one(step, 25 + m, 1, 0);
    std::copy_n(steps.qkv.data() + m * step.width(), step.width(), one.qkv.data());
    one.keys = std::move(steps.keys);
    one.values = std::move(steps.values);
    const Buffer row(step.heads * step.depth);
    alone.run(suite, one, one.keys, one.values, row, false);
    for (size_t i = 0; i < row.size(); ++i)
      ASSERT_NEAR(row[i], y[m * row.size() + i], 2e-6) << "token " << m;
    steps.keys = std::move(one.keys);
    steps.values = std::move(one.values);
  }
  EXPECT_TRUE(steps.keys == data.keys && steps.values == data.values);
}

} // namespace
