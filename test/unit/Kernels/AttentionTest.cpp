// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of whole heads against naive loops, on random numbers.
#include "KernelCases.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace ttc::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Q [batch, heads, rows, depth] and V and K [batch, heads, columns, depth or values] are stored as
/// [batch, rows or columns, heads, ...] if `split`, as the products of an encoder store them; so is
/// the result.
struct Attention {
  int64_t batch, heads, rows, columns, depth, values;
  bool split = false;
  /// The dimensions of the mask; none without.
  std::vector<int64_t> mask = {};
  /// Whether an operand says how many keys count.
  bool hasKeys = false;

  std::vector<int64_t> stored(int64_t length, int64_t width) const {
    return split ? std::vector<int64_t>{batch, length, heads, width}
                 : std::vector<int64_t>{batch, heads, length, width};
  }
  /// Where element (b, h, i, j) is stored.
  int64_t at(int64_t b, int64_t h, int64_t i, int64_t j, int64_t length, int64_t width) const {
    return split ? ((b * length + i) * heads + h) * width + j
                 : ((b * heads + h) * length + i) * width + j;
  }
  std::string view(int64_t length, int64_t width, bool swapped) const {
    int64_t row = split ? heads * width : width, head = split ? width : length * width;
    std::vector<int64_t> shape{batch, heads, length, width};
    std::vector<int64_t> strides{batch == 1 ? 0 : length * heads * width, head, row, 1};
    if (swapped) {
      std::swap(shape[2], shape[3]);
      std::swap(strides[2], strides[3]);
    }
    return "#ttc.view<shape = [" + list(shape) + "], strides = [" + list(strides) +
           "], offset = 0>";
  }
  std::string op(const std::vector<int64_t> &tile) const {
    return "ttc.kernel.attention %0, %1, %2" + std::string(mask.empty() ? "" : ", %3") +
           (hasKeys ? " keys(%" + std::to_string(mask.empty() ? 3 : 4) + ")" : "") +
           " {scale = 2.500000e-01 : f32, tile = " + array(tile) +
           ", q_view = " + view(rows, depth, false) + ", k_view = " + view(columns, depth, true) +
           ", v_view = " + view(columns, values, false) +
           ", result_view = " + view(rows, values, false) + "}";
  }
  std::vector<std::string> operands() const {
    std::vector<std::string> types{tensor(stored(rows, depth)), tensor(stored(columns, depth)),
                                   tensor(stored(columns, values))};
    if (!mask.empty())
      types.push_back(tensor(mask));
    if (hasKeys)
      types.push_back("tensor<1xi32>");
    return types;
  }
  int64_t maskAt(int64_t b, int64_t h, int64_t i, int64_t j) const {
    std::vector<int64_t> index{b, h, i, j};
    index.erase(index.begin(), index.end() - mask.size());
    int64_t result = 0;
    for (size_t d = 0; d < mask.size(); ++d)
      result = result * mask[d] + (mask[d] == 1 ? 0 : index[d]);
    return result;
  }
};

/// In f64.
void naiveAttention(const Attention &a, const Buffer &q, const Buffer &k, const Buffer &v,
                    const Buffer &mask, Buffer &y) {
  std::vector<double> scores(a.columns);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t i = 0; i < a.rows; ++i) {
        double most = -kInfinity, sum = 0;
        for (int64_t j = 0; j < a.columns; ++j) {
          scores[j] = 0;
          for (int64_t d = 0; d < a.depth; ++d)
            scores[j] += double(q[a.at(b, h, i, d, a.rows, a.depth)]) *
                         k[a.at(b, h, j, d, a.columns, a.depth)];
          scores[j] = scores[j] * 0.25 + (a.mask.empty() ? 0 : mask[a.maskAt(b, h, i, j)]);
          most = std::max(most, scores[j]);
        }
        for (double &score : scores)
          sum += score = std::exp(score - most);
        for (int64_t e = 0; e < a.values; ++e) {
          double value = 0;
          for (int64_t j = 0; j < a.columns; ++j)
            value += scores[j] * v[a.at(b, h, j, e, a.columns, a.values)];
          y[a.at(b, h, i, e, a.rows, a.values)] = value / sum;
        }
      }
}

/// Rounding errors of the scores grow to relative errors of their exp. With NaN where NaN is
/// expected.
void expectNear(const Buffer &expected, const Buffer &found, const std::string &what) {
  ASSERT_TRUE(found.guardIntact()) << what << ": wrote beyond its result";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(found[i])) << what << " at " << i << ": found " << found[i];
    else
      ASSERT_NEAR(expected[i], found[i], 3e-6) << what << " at " << i;
  }
}

std::vector<Attention> getCases() {
  return {
      {1, 2, 128, 128, 64, 64, true, {1, 1, 128, 128}}, // BERT
      {1, 3, 128, 128, 32, 32, true, {1, 1, 1, 128}},   // MiniLM, one row of mask
      {1, 2, 197, 197, 64, 64, true},                   // ViT: no multiple of a tile
      {2, 3, 17, 33, 80, 80, true, {2, 1, 17, 33}},     // a mask for each batch
      {2, 2, 31, 50, 96, 40, false, {2, 31, 50}},       // a mask for each head
      {1, 1, 300, 65, 128, 128, false},                 // one head: its rows are split
      {3, 1, 8, 1, 5, 3, false},                        // less than a vector everywhere
      {1, 2, 16, 16, 32, 32, true, {16}},
      {2, 2, 40, 95, 7, 130, false, {95}},
      // Several blocks of keys, one of a key; values that are copied, and more rows than a group.
      {1, 1, 70, 253, 64, 64, true, {1, 1, 70, 253}},
      {1, 2, 33, 400, 16, 24, true, {1, 1, 1, 400}},
      {1, 1, 600, 600, 64, 64, true},
  };
}

void testCases(const mlir::ttc::CpuTarget &target, const std::vector<int64_t> &tile,
               const std::vector<Attention> &cases = getCases()) {
  KernelSuite suite;
  for (const Attention &a : cases) {
    std::string y = tensor(a.stored(a.rows, a.values));
    suite.add(a.op(tile), a.operands(), y);
    suite.add(a.op(tile), a.operands(), y, Tail::position);
  }
  ASSERT_TRUE(suite.compile(target));
  for (auto [index, a] : llvm::enumerate(cases)) {
    const std::string name = "case " + std::to_string(index);
    int64_t heads = a.batch * a.heads;
    Buffer q(heads * a.rows * a.depth), k(heads * a.columns * a.depth);
    Buffer v(heads * a.columns * a.values), mask(a.mask.empty() ? 1 : product(a.mask));
    q.fillRandom(index);
    k.fillRandom(20 + index);
    v.fillRandom(40 + index);
    mask.fillRandom(60 + index);
    // Some scores that do not count, but never all of a row.
    for (size_t i = 0; i + 1 < mask.size(); i += 3)
      mask[i] = i % 2 ? -kInfinity : -3e38f;
    Buffer expected(heads * a.rows * a.values);
    naiveAttention(a, q, k, v, mask, expected);
    std::vector<const float *> operands{q.data(), k.data(), v.data()};
    if (!a.mask.empty())
      operands.push_back(mask.data());
    for (bool reversed : {false, true}) {
      Buffer found(expected.size(), 1e30f);
      auto all = operands;
      all.push_back(found.data());
      suite.program(2 * index)(all, reversed);
      expectNear(expected, found, name);
    }
    // An epilogue sees the rows and columns of the result as it is stored.
    Buffer found(expected.size(), 1e30f);
    operands.push_back(found.data());
    suite.program(2 * index + 1)(operands);
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(atPosition(expected[i], i / a.values, i % a.values), found[i], 1e-4)
          << name << " at " << i;
  }
}

TEST(AttentionKernel, Host) {
  const int64_t lanes = mlir::ttc::getVectorLength(host());
  testCases(host(), lanes == 16 ? std::vector<int64_t>{14, 32} : std::vector<int64_t>{6, 16});
}

TEST(AttentionKernel, OtherTiles) {
  const std::vector<Attention> cases{{2, 3, 17, 33, 20, 50, true, {2, 1, 17, 33}},
                                     {1, 2, 9, 32, 16, 32, false}};
  testCases(host(), {3, 16}, cases);
  testCases(*mlir::ttc::getCpuTarget("x86-64-v3"), {4, 32}, cases); // four vectors of AVX2
}

// Any CPU that can run the tests can run AVX2's code.
TEST(AttentionKernel, Avx2) {
  testCases(*mlir::ttc::getCpuTarget("x86-64-v3"), {6, 16}, casesOfRun(getCases()));
}

/// What is not a number, or infinite, is so in the rows that it belongs to, and in no other.
void testSpecialNumbers(int64_t columns, const std::vector<int64_t> &tile) {
  Attention a{1, 1, 40, columns, 16, 16, false, {40, columns}};
  KernelSuite suite;
  suite.add(a.op(tile), a.operands(), tensor(a.stored(a.rows, a.values)));
  ASSERT_TRUE(suite.compile(host()));
  Buffer q(a.rows * a.depth), k(a.columns * a.depth), v(a.columns * a.values);
  Buffer mask(a.rows * a.columns), expected(a.rows * a.values), found(a.rows * a.values);
  q.fillRandom(1);
  k.fillRandom(2);
  v.fillRandom(3);
  const int64_t last = columns - 1;
  for (int64_t j = 0; j < a.columns; ++j) {
    mask[3 * a.columns + j] = -kInfinity;                        // nothing counts: NaN
    mask[4 * a.columns + j] = j == last ? 0 : -kInfinity;        // only the last one
    mask[5 * a.columns + j] = -3e38f;                            // all equally far away
    mask[6 * a.columns + j] = j == 7 ? 3e38f : -3e38f;           // the largest distance
    mask[8 * a.columns + j] = j % 2 == 0 ? 100.0f : -100.0f;     // results are far below 1
    mask[11 * a.columns + j] = j < columns / 2 ? -kInfinity : 0; // nothing at first
    mask[12 * a.columns + j] = j > 2 ? -kInfinity : 0;           // nothing at last
  }
  mask[7 * a.columns + 9] = NAN;
  mask[13 * a.columns + last] = NAN;
  q[10 * a.depth] = kInfinity; // +-infinity, by the sign of K
  naiveAttention(a, q, k, v, mask, expected);
  for (int64_t row : {3, 7, 10, 13})
    for (int64_t e = 0; e < a.values; ++e)
      expected[row * a.values + e] = NAN;
  suite.program(0)({q.data(), k.data(), v.data(), mask.data(), found.data()});
  expectNear(expected, found, "special numbers");
  for (int64_t e = 0; e < a.values; ++e)
    EXPECT_EQ(found[4 * a.values + e], v[last * a.values + e]);
}

TEST(AttentionKernel, SpecialNumbers) {
  const bool isWide = mlir::ttc::getVectorLength(host()) == 16;
  for (int64_t columns : {37, 400}) {
    testSpecialNumbers(columns, {6, 16});
    testSpecialNumbers(columns, {isWide ? 14 : 6, isWide ? 32 : 16});
  }
}

/// Masks that leave whole blocks no key: the triangle of a decoder, from above and from below, a
/// window, and the first keys; with the numbers that exporters write. What is not finite in a key
/// or a value that a mask of -infinity excludes makes a row NaN, as in a softmax.
TEST(AttentionKernel, MasksOfBlocks) {
  const bool isWide = mlir::ttc::getVectorLength(host()) == 16;
  Attention a{1, 1, 300, 390, 24, 32, false, {300, 390}};
  KernelSuite suite;
  suite.add(a.op({isWide ? 14 : 6, isWide ? 32 : 16}), a.operands(),
            tensor(a.stored(a.rows, a.values)));
  ASSERT_TRUE(suite.compile(host()));
  const auto counts = [](int kind, int64_t i, int64_t j) {
    return kind == 0   ? j <= i + 90
           : kind == 1 ? j >= i
           : kind == 2 ? j <= i + 90 && j > i - 40
                       : j < 130;
  };
  for (int kind = 0; kind < 4; ++kind)
    for (float low : {-kInfinity, std::numeric_limits<float>::lowest(), -1e9f, -1e4f, -50.0f})
      for (int special = 0; special < 3; ++special) {
        Buffer q(a.rows * a.depth), k(a.columns * a.depth), v(a.columns * a.values);
        Buffer mask(a.rows * a.columns), expected(a.rows * a.values), found(a.rows * a.values);
        q.fillRandom(1);
        k.fillRandom(2);
        v.fillRandom(3);
        for (size_t i = 0; i < q.size(); ++i)
          q[i] *= 8; // weights that differ
        for (int64_t i = 0; i < a.rows; ++i)
          for (int64_t j = 0; j < a.columns; ++j)
            mask[i * a.columns + j] = counts(kind, i, j) ? 0 : low;
        if (special == 1)
          k[389 * a.depth + 3] = NAN;
        if (special == 2)
          k[389 * a.depth + 3] = 1e5f; // as large a score as a mask
        naiveAttention(a, q, k, v, mask, expected);
        suite.program(0)({q.data(), k.data(), v.data(), mask.data(), found.data()});
        expectNear(expected, found,
                   std::to_string(kind) + " " + std::to_string(low) + " " +
                       std::to_string(special));
      }
}

/// Fewer keys than columns, at every number: what is not a number reaches nothing from the others,
/// and results have the bits of a kernel of just these keys, for each number in `compared`.
void testKeys(const mlir::ttc::CpuTarget &target, const std::vector<int64_t> &tile, Attention most,
              const std::vector<int64_t> &compared) {
  most.hasKeys = true;
  auto withColumns = [&](int64_t columns) {
    Attention a = most;
    a.hasKeys = false;
    a.columns = columns;
    if (!a.mask.empty())
      a.mask.back() = columns;
    return a;
  };
  KernelSuite suite;
  const std::string type = tensor(most.stored(most.rows, most.values));
  suite.add(most.op(tile), most.operands(), type);
  for (int64_t n : compared)
    suite.add(withColumns(n).op(tile), withColumns(n).operands(), type);
  ASSERT_TRUE(suite.compile(target));
  const int64_t heads = most.batch * most.heads;
  Buffer q(heads * most.rows * most.depth), number(1);
  q.fillRandom(1);
  for (int64_t n = 1; n <= most.columns; ++n) {
    const Attention a = withColumns(n);
    Buffer k(heads * n * a.depth), v(heads * n * a.values);
    Buffer mask(a.mask.empty() ? 1 : product(a.mask));
    k.fillRandom(2);
    v.fillRandom(3);
    mask.fillRandom(4);
    Buffer allK(heads * most.columns * a.depth, NAN), allV(heads * most.columns * a.values, NAN);
    Buffer allMask(a.mask.empty() ? 1 : product(most.mask), NAN);
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t h = 0; h < a.heads; ++h)
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t d = 0; d < a.depth; ++d)
            allK[most.at(b, h, j, d, most.columns, a.depth)] = k[a.at(b, h, j, d, n, a.depth)];
          for (int64_t e = 0; e < a.values; ++e)
            allV[most.at(b, h, j, e, most.columns, a.values)] = v[a.at(b, h, j, e, n, a.values)];
        }
    for (size_t i = 0; !a.mask.empty() && i < mask.size(); ++i)
      allMask[i / n * most.columns + i % n] = mask[i];
    Buffer expected(heads * a.rows * a.values), found(expected.size(), 1e30f);
    naiveAttention(a, q, k, v, mask, expected);
    std::vector<const float *> few{q.data(), k.data(), v.data()};
    std::vector<const float *> all{q.data(), allK.data(), allV.data()};
    if (!a.mask.empty()) {
      few.push_back(mask.data());
      all.push_back(allMask.data());
    }
    auto keys = static_cast<int32_t>(n);
    std::memcpy(number.data(), &keys, sizeof(keys));
    all.push_back(number.data());
    few.push_back(expected.data());
    all.push_back(found.data());
    suite.program(0)(all);
    expectNear(expected, found, std::to_string(n) + " keys");
    if (auto at = llvm::find(compared, n); at != compared.end()) {
      suite.program(at - compared.begin() + 1)(few);
      expectEqual(expected, found, std::to_string(n) + " keys");
    }
  }
  // Other numbers stay within the operands.
  Buffer k(heads * most.columns * most.depth), v(heads * most.columns * most.values);
  Buffer mask(most.mask.empty() ? 1 : product(most.mask));
  for (auto [keys, meant] : {std::pair<int32_t, int32_t>(INT32_MAX, most.columns),
                             {most.columns + 1, most.columns},
                             {0, 1},
                             {INT32_MIN, 1}}) {
    std::vector<Buffer> found;
    for (int32_t value : {keys, meant}) {
      std::memcpy(number.data(), &value, sizeof(value));
      std::vector<const float *> all{q.data(), k.data(), v.data()};
      if (!most.mask.empty())
        all.push_back(mask.data());
      found.emplace_back(heads * most.rows * most.values, 1e30f);
      all.insert(all.end(), {number.data(), found.back().data()});
      suite.program(0)(all);
    }
    expectEqual(found[1], found[0], std::to_string(keys) + " keys");
  }
}

TEST(AttentionKernel, Keys) {
  const bool isWide = mlir::ttc::getVectorLength(host()) == 16;
  const std::vector<int64_t> tile{isWide ? 14 : 6, isWide ? 32 : 16};
  testKeys(host(), tile, {1, 2, 20, 67, 16, 24, true, {1, 1, 1, 67}}, {1, 15, 32, 33, 48, 66});
  testKeys(host(), tile, {2, 1, 9, 34, 12, 40, false}, {16, 17});
  testKeys(host(), tile, {1, 1, 18, 270, 16, 32, true, {18, 270}}, {125, 126, 127, 252, 253});
}

TEST(AttentionKernel, KeysAvx2) {
  const mlir::ttc::CpuTarget target = *mlir::ttc::getCpuTarget("x86-64-v3");
  testKeys(target, {6, 16}, {1, 1, 13, 35, 16, 16, true, {13, 35}}, {7, 8, 9, 17});
  testKeys(target, {4, 32}, {1, 2, 8, 66, 8, 8, true}, {16, 25, 40});
  testKeys(target, {6, 16}, {1, 1, 18, 270, 16, 32, true, {18, 270}}, {125, 126, 127, 252, 253});
}

} // namespace
