// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_gemm against naive loops, over shapes with remainders, strides, padding, dilation and
// groups. Inputs are small whole numbers, so that results must agree exactly.
#include "KernelCases.h"
#include "ttc/Analysis/GemmPlan.h"

using namespace ttc::test;

namespace {

TEST(GemmKernel, Convolution) {
  const std::vector<Conv> all = {
      {1, 16, 16, {8, 8}, {1, 1}, {}, {}, {}},
      {1, 64, 64, {14, 14}, {3, 3}, {}, {1, 1, 1, 1}, {}},
      {1, 24, 40, {7, 7}, {3, 3}, {}, {1, 1, 1, 1}, {}},
      {2, 20, 21, {9, 11}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {}},
      {1, 32, 64, {14, 14}, {1, 1}, {2, 2}, {}, {}},
      {3, 17, 5, {5, 5}, {1, 1}, {}, {}, {}},
      {1, 3, 64, {32, 32}, {7, 7}, {2, 2}, {3, 3, 3, 3}, {}},
      {2, 3, 20, {17, 19}, {3, 3}, {1, 2}, {1, 0, 1, 2}, {}},
      {3, 1, 16, {28, 28}, {5, 5}, {}, {2, 2, 2, 2}, {}},
      {2, 4, 12, {13, 13}, {11, 3}, {4, 1}, {2, 0, 2, 0}, {}},
      {1, 3, 16, {16, 16}, {4, 4}, {4, 4}, {}, {}},
      {1, 16, 24, {10, 10}, {3, 3}, {}, {2, 2, 2, 2}, {2, 2}},
      {1, 60, 240, {6, 6}, {1, 1}, {}, {}, {}, 3},
      {1, 32, 32, {7, 7}, {3, 3}, {}, {1, 1, 1, 1}, {}, 4},
      {2, 12, 18, {7, 5}, {3, 2}, {2, 1}, {1, 0, 1, 1}, {}, 6},
      {1, 8, 16, {30}, {5}, {2}, {2, 2}, {}},
      {1, 3, 16, {30}, {5}, {2}, {2, 2}, {}},
      {1, 6, 10, {5, 6, 7}, {3, 3, 3}, {}, {1, 1, 1, 1, 1, 1}, {}},
      {2, 20, 17, {4, 6, 5}, {2, 3, 1}, {2, 1, 1}, {0, 1, 0, 1, 1, 0}, {}},
      // Transposed convolutions: dilated inputs, negative padding.
      {1, 16, 16, {5, 5}, {3, 3}, {}, {2, 2, 2, 2}, {}, 1, {2, 2}},
      {1, 6, 9, {4, 5}, {2, 2}, {}, {1, 1, 2, 1}, {}, 3, {3, 2}},
      {1, 16, 16, {6, 6}, {1, 1}, {}, {-1, -1, -1, -1}, {}, 1, {2, 2}},
      // Few outputs, many rows; a single row; a grid that splits both ways.
      {1, 64, 8, {40, 40}, {3, 3}, {}, {1, 1, 1, 1}, {}},
      {1, 256, 16, {1, 1}, {1, 1}, {}, {}, {}},
      {1, 512, 512, {7, 7}, {3, 3}, {}, {1, 1, 1, 1}, {}},
      // Through a shuffle: groups of its size, of another one, several taps, few rows, one group.
      {1, 60, 80, {6, 6}, {1, 1}, {}, {}, {}, 4, {}, 4},
      {1, 24, 40, {9, 5}, {1, 1}, {}, {}, {}, 4, {}, 4},
      {2, 24, 18, {5, 5}, {3, 3}, {2, 1}, {1, 1, 1, 1}, {}, 2, {}, 6},
      {1, 30, 100, {1, 3}, {1, 1}, {}, {}, {}, 5, {}, 3},
      {1, 12, 8, {4, 4}, {3, 3}, {}, {1, 1, 1, 1}, {}, 1, {}, 3},
      // Channels in planes.
      {1, 3, 24, {32, 32}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {}, 1, {}, 0, true},
      {2, 3, 64, {21, 18}, {7, 7}, {2, 2}, {3, 3, 3, 3}, {}, 1, {}, 0, true},
      {3, 5, 12, {9, 40}, {3, 2}, {1, 3}, {0, 2, 1, 0}, {2, 1}, 1, {}, 0, true},
      {2, 2, 9, {50}, {5}, {2}, {2, 2}, {}, 1, {}, 0, true},
      {2, 3, 16, {12, 12}, {4, 4}, {4, 4}, {}, {}, 1, {}, 0, true},
      {2, 15, 16, {6, 8}, {3, 3}, {}, {-1, -1, 1, -2}, {}, 1, {}, 0, true},
      // Lines that are longer than a block of rows: it copies parts of one or two of them.
      {1, 8, 8, {6000}, {7}, {}, {3, 3}, {}},
      {2, 4, 16, {9000}, {5}, {3}, {7, 1}, {}},
      {1, 15, 9, {4000}, {3}, {}, {-5, 40}, {}},
      {1, 8, 8, {5000}, {40}, {}, {60, 2500}, {}},
      {1, 3, 16, {6, 3000}, {3, 3}, {}, {1, 1, 1, 1}, {}},
      {2, 3, 9, {5, 2500}, {3, 5}, {2, 1}, {2, 2, 0, 2}, {2, 1}, 1, {}, 0, true},
      {3, 1, 5, {4, 2000}, {2, 9}, {1, 4}, {0, 30, 1, 0}, {}, 1, {}, 0, true},
      // A few columns: vectors along the depth.
      {1, 32, 3, {17, 19}, {5, 3}, {}, {2, 1, 2, 1}, {}},
      {2, 16, 1, {6, 7}, {3, 3}, {2, 1}, {1, 0, 1, 1}, {}},
      {1, 48, 4, {9, 11}, {3, 3}, {}, {2, 2, 2, 2}, {2, 2}},
      {1, 64, 2, {13, 5}, {1, 1}, {}, {}, {}},
      {3, 16, 2, {29}, {5}, {}, {2, 2}, {}},
      {1, 32, 3, {3, 4, 5}, {3, 3, 3}, {}, {1, 1, 1, 1, 1, 1}, {}},
      {1, 16, 3, {5, 6}, {3, 3}, {}, {2, 2, 2, 2}, {}, 1, {2, 2}},
  };
  const int64_t lanes = mlir::ttc::getVectorLength(host());
  auto chooseTile = [&](const Conv &v) {
    if (v.o <= 4 && v.c % 16 == 0)
      return mlir::ttc::GemmTile{lanes == 16 && v.o <= 3 ? 8 : 3, 1};
    return mlir::ttc::chooseGemmTile(lanes, product(v.out()), v.o / v.groups);
  };
  for (Tail tail : {Tail::none, Tail::position, Tail::calledPosition}) {
    // In the gate, each case has one of them.
    const std::vector<Conv> cases = casesOfRun(all, 3, static_cast<size_t>(tail) % 3);
    KernelSuite suite;
    for (const Conv &v : cases) {
      int64_t og = v.o / v.groups;
      auto tile = chooseTile(v);
      int64_t k = product(v.kernel) * v.c / v.groups;
      std::string attributes = v.attributes() + ", packed, groups = " + std::to_string(v.groups) +
                               " : i64, tile = " + array({tile.rows, tile.columns});
      if (!v.inputDilation.empty())
        attributes += ", input_dilation = " + array(v.inputDilation);
      if (v.shuffle != 0)
        attributes += ", shuffle = " + std::to_string(v.shuffle) + " : i64";
      std::vector<int64_t> shape = channelsLast(v.n, v.in, v.c);
      if (v.planes) {
        std::vector<int64_t> strides(shape.size(), 1);
        for (size_t i = shape.size() - 2; i > 1; --i)
          strides[i - 1] = strides[i] * shape[i];
        strides.back() = product(v.in);
        strides.front() = product(v.in) * v.c;
        attributes += ", a_view = #ttc.view<shape = [" + list(shape) + "], strides = [" +
                      list(strides) + "], offset = 0>";
        shape.insert(shape.begin() + 1, v.c);
        shape.pop_back();
      }
      suite.add("ttc.kernel.gemm %0, %1 {" + attributes + "}",
                {tensor(shape),
                 tensor({v.groups, (og + tile.columns - 1) / tile.columns, k, tile.columns})},
                tensor(channelsLast(v.n, v.out(), v.o)), tail);
    }
    ASSERT_TRUE(suite.compile(host()));
    for (auto [index, v] : llvm::enumerate(cases)) {
      int64_t cg = v.c / v.groups, og = v.o / v.groups, taps = product(v.kernel);
      int64_t nr = chooseTile(v).columns;
      int64_t panels = (og + nr - 1) / nr;
      Buffer x(v.n * product(v.in) * v.c), w(taps * cg * v.o);
      Buffer packed(v.groups * panels * taps * cg * nr);
      x.fillWhole(index);
      w.fillWhole(100 + index);
      auto weight = [&](int64_t tap, int64_t c, int64_t o) { return w[(tap * cg + c) * v.o + o]; };
      for (int64_t o = 0; o < v.o; ++o)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t c = 0; c < cg; ++c)
            packed[(((o / og) * panels + o % og / nr) * taps * cg + tap * cg + c) * nr +
                   o % og % nr] = weight(tap, c, o);
      int64_t rows = v.n * product(v.out());
      Buffer expected(rows * v.o), found(rows * v.o, 1e30f);
      naiveConv(v, x.data(), weight, expected.data());
      if (tail != Tail::none)
        for (int64_t i = 0; i < rows * v.o; ++i)
          expected[i] = atPosition(expected[i], i / v.o, i % v.o);
      Buffer stored = getStored(v, x);
      suite.program(index)({stored.data(), packed.data(), found.data()}, index % 2);
      expectEqual(expected, found, "convolution " + std::to_string(index));
    }
  }
}

struct Matmul {
  std::vector<int64_t> aBatch, bBatch, outBatch;
  int64_t m, k, n;
  bool packed;
};

TEST(GemmKernel, Matmul) {
  std::vector<Matmul> cases = {
      {{}, {}, {}, 6, 16, 16, true},
      {{}, {}, {}, 1, 300, 1000, true},
      {{}, {}, {}, 128, 64, 96, true},
      {{1}, {}, {1}, 49, 33, 100, true},
      {{3}, {}, {3}, 7, 18, 40, true},
      {{}, {}, {}, 2, 301, 17, true},
      {{}, {}, {}, 3, 77, 5, true},
      {{}, {}, {}, 197, 768, 64, true},
      {{}, {}, {}, 1, 9216, 64, true},
      {{}, {}, {}, 64, 2048, 48, true},
      // In parts of the depth; the last one is shorter.
      {{}, {}, {}, 61, 1999, 100, true},
      {{3}, {}, {3}, 50, 1025, 17, true},
      {{2, 3}, {2, 3}, {2, 3}, 16, 24, 20, false},
      {{5}, {1}, {5}, 13, 9, 33, false},
      {{}, {4}, {4}, 13, 9, 33, false},
      {{2, 1, 3}, {1, 4, 1}, {2, 4, 3}, 5, 6, 7, false},
      {{}, {}, {}, 1, 64, 50, false},
      {{12}, {12}, {12}, 128, 64, 128, false},
      {{}, {}, {}, 50, 600, 16, false},
  };
  KernelSuite suite;
  int64_t lanes = mlir::ttc::getVectorLength(host());
  auto shape = [](std::vector<int64_t> batch, int64_t rows, int64_t cols) {
    batch.push_back(rows);
    batch.push_back(cols);
    return batch;
  };
  for (const Matmul &v : cases) {
    auto tile = mlir::ttc::chooseGemmTile(lanes, v.m, v.n);
    std::string b = v.packed
                        ? tensor({1, (v.n + tile.columns - 1) / tile.columns, v.k, tile.columns})
                        : tensor(shape(v.bBatch, v.k, v.n));
    suite.add(std::string("ttc.kernel.gemm %0, %1 {") + (v.packed ? "packed, " : "") +
                  "tile = " + array({tile.rows, tile.columns}) + "}",
              {tensor(shape(v.aBatch, v.m, v.k)), b}, tensor(shape(v.outBatch, v.m, v.n)),
              Tail::position);
  }
  ASSERT_TRUE(suite.compile(host()));
  for (auto [index, v] : llvm::enumerate(cases)) {
    Buffer a(product(v.aBatch) * v.m * v.k), b(product(v.bBatch) * v.k * v.n);
    a.fillWhole(index);
    b.fillWhole(index + 50);
    int64_t nr = mlir::ttc::chooseGemmTile(lanes, v.m, v.n).columns, panels = (v.n + nr - 1) / nr;
    Buffer packed(panels * v.k * nr);
    for (int64_t k = 0; k < v.k; ++k)
      for (int64_t n = 0; n < v.n; ++n)
        packed[(n / nr * v.k + k) * nr + n % nr] = b[k * v.n + n];
    int64_t batches = product(v.outBatch);
    Buffer expected(batches * v.m * v.n), found(batches * v.m * v.n, 1e30f);
    for (int64_t batch = 0; batch < batches; ++batch) {
      auto offset = [&](const std::vector<int64_t> &sizes) {
        int64_t at = 0, stride = 1, rest = batch;
        for (size_t i = 0; i < v.outBatch.size(); ++i) {
          int64_t index = rest % v.outBatch[v.outBatch.size() - 1 - i];
          rest /= v.outBatch[v.outBatch.size() - 1 - i];
          if (i < sizes.size()) {
            int64_t size = sizes[sizes.size() - 1 - i];
            at += (size == 1 ? 0 : index) * stride;
            stride *= size;
          }
        }
        return at;
      };
      const float *x = a.data() + offset(v.aBatch) * v.m * v.k;
      const float *y = b.data() + offset(v.bBatch) * v.k * v.n;
      for (int64_t m = 0; m < v.m; ++m)
        for (int64_t n = 0; n < v.n; ++n) {
          float sum = 0;
          for (int64_t k = 0; k < v.k; ++k)
            sum += x[m * v.k + k] * y[k * v.n + n];
          expected[(batch * v.m + m) * v.n + n] = atPosition(sum, batch * v.m + m, n);
        }
    }
    suite.program(index)({a.data(), v.packed ? packed.data() : b.data(), found.data()}, index % 2);
    expectEqual(expected, found, "matmul " + std::to_string(index));
  }
}

/// Attention on [token, head, dh] without a transpose: views of a, b and the result.
TEST(GemmKernel, MatmulThroughViews) {
  constexpr int64_t T = 21, H = 3, D = 16;
  std::string tile = "tile = array<i64: 6, 16>";
  auto view = [](const std::string &name, const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &strides, int64_t offset) {
    return ", " + name + " = #ttc.view<shape = [" + list(shape) + "], strides = [" + list(strides) +
           "], offset = " + std::to_string(offset) + ">";
  };
  // Q, K and V are stored side by side in [token, 3, head, dh].
  std::string qkv = tensor({T, 3, H, D});
  KernelSuite suite;
  suite.add("ttc.kernel.gemm %0, %1 {" + tile + view("a_view", {H, T, D}, {D, 3 * H * D, 1}, 0) +
                view("b_view", {H, D, T}, {D, 1, 3 * H * D}, H * D) + "}",
            {qkv, qkv}, tensor({H, T, T}), Tail::position);
  suite.add("ttc.kernel.gemm %0, %1 {" + tile +
                view("b_view", {H, T, D}, {D, 3 * H * D, 1}, 2 * H * D) +
                view("result_view", {H, T, D}, {D, H * D, 1}, 0) + "}",
            {tensor({H, T, T}), qkv}, tensor({T, H, D}), Tail::position);
  // A transposed a: its rows are consecutive, its depth is strided.
  suite.add("ttc.kernel.gemm %0, %1 {" + tile + view("a_view", {T, D}, {1, T}, 0) + "}",
            {tensor({D, T}), tensor({D, 40})}, tensor({T, 40}), Tail::position);
  ASSERT_TRUE(suite.compile(host()));
  Buffer x(T * 3 * H * D), scores(H * T * T), expected(H * T * T);
  x.fillWhole(1);
  auto at = [&](int64_t t, int64_t which, int64_t h, int64_t d) {
    return x[((t * 3 + which) * H + h) * D + d];
  };
  for (int64_t h = 0; h < H; ++h)
    for (int64_t i = 0; i < T; ++i)
      for (int64_t j = 0; j < T; ++j) {
        float sum = 0;
        for (int64_t d = 0; d < D; ++d)
          sum += at(i, 0, h, d) * at(j, 1, h, d);
        expected[(h * T + i) * T + j] = atPosition(sum, h * T + i, j);
      }
  suite.program(0)({x.data(), x.data(), scores.data()});
  expectEqual(expected, scores, "scores");

  Buffer p(H * T * T), values(T * H * D), want(T * H * D);
  p.fillWhole(2);
  for (int64_t h = 0; h < H; ++h)
    for (int64_t i = 0; i < T; ++i)
      for (int64_t d = 0; d < D; ++d) {
        float sum = 0;
        for (int64_t j = 0; j < T; ++j)
          sum += p[(h * T + i) * T + j] * at(j, 2, h, d);
        want[(i * H + h) * D + d] = atPosition(sum, i * H + h, d);
      }
  suite.program(1)({p.data(), x.data(), values.data()});
  expectEqual(want, values, "values");

  Buffer a(D * T), b(D * 40), c(T * 40), product(T * 40);
  a.fillWhole(3);
  b.fillWhole(4);
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = 0; j < 40; ++j) {
      float sum = 0;
      for (int64_t d = 0; d < D; ++d)
        sum += a[d * T + i] * b[d * 40 + j];
      product[i * 40 + j] = atPosition(sum, i, j);
    }
  suite.program(2)({a.data(), b.data(), c.data()});
  expectEqual(product, c, "transposed a");
}

} // namespace
