// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution, pooling and packing against naive loops.
#include "KernelCases.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include <cmath>
#include <limits>

using namespace ttc::test;

namespace {

TEST(WindowKernel, Depthwise) {
  std::vector<Conv> cases = {
      {1, 32, 32, {14, 14}, {3, 3}, {}, {1, 1, 1, 1}, {}, 32},
      {2, 19, 19, {9, 11}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {}, 19},
      {1, 144, 144, {7, 7}, {3, 3}, {}, {1, 1, 1, 1}, {}, 144},
      {1, 24, 24, {16, 16}, {7, 7}, {}, {3, 3, 3, 3}, {}, 24},
      {1, 8, 8, {12, 12}, {3, 3}, {}, {2, 2, 2, 2}, {2, 2}, 8},
      {1, 5, 5, {4, 4}, {5, 5}, {}, {2, 2, 2, 2}, {}, 5},
      {1, 40, 40, {25}, {5}, {}, {2, 2}, {}, 40},
      {1, 9, 9, {4, 6, 5}, {3, 3, 3}, {1, 2, 1}, {1, 1, 1, 1, 1, 1}, {}, 9},
      {1, 16, 16, {3, 2}, {1, 7}, {}, {0, 3, 0, 3}, {}, 16},
      {1, 512, 512, {28, 28}, {3, 3}, {}, {1, 1, 1, 1}, {}, 512},
      // Padding that is wider than a tile; windows that lie in it altogether; one that cuts off.
      {1, 16, 16, {3, 40}, {3, 3}, {}, {1, 12, 1, 12}, {1, 12}, 16},
      {1, 16, 16, {2, 3}, {1, 2}, {}, {0, 20, 0, 20}, {}, 16},
      {1, 24, 24, {3, 30}, {3, 3}, {}, {0, -1, 1, -2}, {}, 24},
  };
  // Long lines, in parts.
  cases.insert(cases.end(), {{1, 512, 512, {700}, {3}, {}, {8, 8}, {8}, 512},
                             {2, 40, 40, {2900}, {5}, {2}, {7, 1}, {}, 40},
                             {1, 200, 200, {3, 420}, {1, 3}, {}, {0, 1, 0, 1}, {}, 200},
                             {1, 35, 35, {2900}, {4}, {3}, {-9, 40}, {}, 35},
                             {1, 4100, 4100, {20}, {3}, {}, {1, 1}, {}, 4100}});
  // Lines of every number of tiles and widths of them.
  for (int64_t width = 1; width <= 26; ++width) {
    if (!ttrt::test::isInRun(width - 1) && width % 8 != 0)
      continue;
    cases.push_back({1, 17, 17, {2, width}, {3, 3}, {}, {1, 1, 1, 1}, {}, 17});
    cases.push_back({1, 16, 16, {1, width}, {1, 5}, {1, 2}, {0, 2, 0, 3}, {}, 16});
  }
  KernelSuite suite;
  for (Tail tail : {Tail::biasRelu, Tail::calledPosition})
    for (const Conv &v : cases)
      suite.add("ttc.kernel.depthwise_conv %0, %1 {" + v.attributes() + "}",
                {tensor(channelsLast(v.n, v.in, v.c)), tensor({product(v.kernel), v.c})},
                tensor(channelsLast(v.n, v.out(), v.c)), tail);
  ASSERT_TRUE(suite.compile(host()));
  for (auto [index, v] : llvm::enumerate(cases)) {
    int64_t rows = v.n * product(v.out());
    Buffer x(v.n * product(v.in) * v.c), w(product(v.kernel) * v.c), bias(v.c);
    Buffer expected(rows * v.c), found(rows * v.c, 1e30f);
    x.fillWhole(index);
    w.fillWhole(20 + index);
    bias.fillWhole(40 + index);
    naiveConv(
        v, x.data(), [&](int64_t tap, int64_t, int64_t o) { return w[tap * v.c + o]; },
        expected.data());
    Buffer called(rows * v.c), foundCalled(rows * v.c, 1e30f);
    for (int64_t i = 0; i < rows * v.c; ++i) {
      called[i] = atPosition(expected[i], i / v.c, i % v.c);
      expected[i] = std::max(expected[i] + bias[i % v.c], 0.0f);
    }
    suite.program(index)({x.data(), w.data(), found.data(), bias.data()}, index % 2);
    expectEqual(expected, found, "depthwise " + std::to_string(index));
    suite.program(cases.size() + index)({x.data(), w.data(), foundCalled.data()}, index % 2);
    expectEqual(called, foundCalled, "depthwise, called " + std::to_string(index));
  }
}

// A short epilogue is part of the kernel; a long one of a copy of what stores the results, which
// exists once for all its calls with the same constants.
TEST(WindowKernel, LongEpilogue) {
  for (Tail tail : {Tail::position, Tail::calledPosition}) {
    KernelSuite suite;
    suite.add("ttc.kernel.depthwise_conv %0, %1 {" +
                  Conv{1, 32, 32, {14, 14}, {3, 3}, {}, {1, 1, 1, 1}, {}, 32}.attributes() + "}",
              {tensor({1, 14, 14, 32}), tensor({9, 32})}, tensor({1, 14, 14, 32}), tail);
    std::string assembly = suite.assembly(host());
    EXPECT_EQ(assembly.find("epilogue") != std::string::npos, false);
    EXPECT_EQ(assembly.find("ttc_kernel_store_pixels") != std::string::npos,
              tail == Tail::calledPosition);
  }
}

struct Pool {
  std::string kind;
  int64_t n, c;
  std::vector<int64_t> in, out, kernel, stride, pads, dilation;
  bool countPad = false;
};

TEST(WindowKernel, Pool) {
  std::vector<Pool> cases = {
      {"max", 1, 64, {12, 12}, {6, 6}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {"max", 2, 21, {13, 13}, {6, 6}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
      // Ceil mode: the last window reaches past the input.
      {"max", 1, 16, {12, 12}, {6, 6}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
      {"max", 1, 8, {11}, {7}, {3}, {1}, {0, 0}, {2}},
      {"max", 1, 17, {5, 6, 7}, {3, 3, 4}, {2, 3, 2}, {2, 2, 2}, {1, 1, 1, 0, 1, 0}, {1, 1, 1}},
      {"average", 1, 40, {8, 8}, {8, 8}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {"average", 1, 40, {8, 8}, {8, 8}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, true},
      {"average", 1, 8, {12, 12}, {6, 6}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}, true},
      // Global pools.
      {"average", 2, 70, {7, 7}, {1, 1}, {7, 7}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
      {"average", 1, 2048, {7, 7}, {1, 1}, {7, 7}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
  };
  KernelSuite suite;
  for (const Pool &v : cases)
    suite.add("ttc.kernel.pool %0 {kind = #ttc.pool_kind<" + v.kind +
                  ">, kernel = " + array(v.kernel) + ", strides = " + array(v.stride) +
                  ", pads = " + array(v.pads) + ", dilations = " + array(v.dilation) +
                  (v.countPad ? ", count_include_pad" : "") + "}",
              {tensor(channelsLast(v.n, v.in, v.c))}, tensor(channelsLast(v.n, v.out, v.c)));
  ASSERT_TRUE(suite.compile(host()));
  for (auto [index, v] : llvm::enumerate(cases)) {
    size_t rank = v.in.size();
    Buffer x(v.n * product(v.in) * v.c), found(v.n * product(v.out) * v.c, 1e30f);
    x.fillWhole(index);
    // NaN is the largest element of each window that has one, wherever it is in the window.
    for (int64_t at = index; v.kind == "max" && at < v.n * product(v.in) * v.c; at += 53)
      x[at] = std::numeric_limits<float>::quiet_NaN();
    suite.program(index)({x.data(), found.data()}, index % 2);
    ASSERT_TRUE(found.guardIntact());
    auto unravel = [&](int64_t at, const std::vector<int64_t> &sizes) {
      std::vector<int64_t> indices(rank);
      for (size_t i = rank; i-- > 0; at /= sizes[i])
        indices[i] = at % sizes[i];
      return indices;
    };
    for (int64_t n = 0; n < v.n; ++n)
      for (int64_t pixel = 0; pixel < product(v.out); ++pixel)
        for (int64_t c = 0; c < v.c; ++c) {
          auto out = unravel(pixel, v.out);
          float sum = 0, most = -1e30f;
          int64_t count = 0;
          for (int64_t tap = 0; tap < product(v.kernel); ++tap) {
            auto k = unravel(tap, v.kernel);
            int64_t at = 0;
            bool inside = true, padded = true;
            for (size_t i = 0; i < rank; ++i) {
              int64_t position = out[i] * v.stride[i] - v.pads[i] + k[i] * v.dilation[i];
              inside &= position >= 0 && position < v.in[i];
              padded &= position < v.in[i] + v.pads[rank + i];
              at = at * v.in[i] + position;
            }
            if (inside) {
              float value = x[(n * product(v.in) + at) * v.c + c];
              sum += value;
              most = std::isnan(value) ? value : std::max(most, value); // a NaN in `most` stays
            }
            count += v.countPad ? padded : inside;
          }
          float expected = v.kind == "max" ? most : sum / static_cast<float>(count);
          float actual = found[(n * product(v.out) + pixel) * v.c + c];
          ASSERT_EQ(std::isnan(expected), std::isnan(actual))
              << "pool " << index << " pixel " << pixel << " channel " << c;
          if (std::isnan(expected))
            continue;
          ASSERT_NEAR(expected, actual, 1e-6f * std::abs(expected))
              << "pool " << index << " pixel " << pixel << " channel " << c;
        }
  }
}

/// The kernel and the compile-time evaluation agree with the definition, for every kind.
TEST(WindowKernel, Pack) {
  struct Pack {
    std::string kind;
    std::vector<int64_t> in, out;
    int64_t groups, nr;
  };
  std::vector<Pack> cases = {
      {"matmul", {37, 50}, {1, 4, 37, 16}, 1, 16},
      {"matmul_transposed", {50, 37}, {1, 4, 37, 16}, 1, 16},
      {"conv", {24, 5, 3, 2}, {2, 2, 30, 8}, 2, 8},
      {"conv_transpose", {6, 10, 2, 3}, {3, 1, 12, 16}, 3, 16},
      {"depthwise", {19, 1, 3, 3}, {9, 19}, 1, 1},
      {"matmul", {3000, 40}, {1, 3, 3000, 16}, 1, 16},
  };
  KernelSuite suite;
  for (const Pack &v : cases)
    suite.add("ttc.pack %0 {kind = #ttc.pack_kind<" + v.kind + ">, groups = " +
                  std::to_string(v.groups) + " : i64, nr = " + std::to_string(v.nr) + " : i64}",
              {tensor(v.in)}, tensor(v.out));
  ASSERT_TRUE(suite.compile(host()));
  for (auto [index, v] : llvm::enumerate(cases)) {
    Buffer x(product(v.in)), found(product(v.out), 1e30f), expected(product(v.out));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i + 1);
    suite.program(index)({x.data(), found.data()}, index % 2);
    int64_t taps = v.in.size() > 2 ? v.in[2] * v.in[3] : 1;
    if (v.kind == "depthwise") {
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t c = 0; c < v.in[0]; ++c)
          expected[tap * v.in[0] + c] = x[c * taps + tap];
      expectEqual(expected, found, v.kind);
      continue;
    }
    int64_t depth = v.out[2], chans = depth / taps;
    for (int64_t g = 0; g < v.out[0]; ++g)
      for (int64_t panel = 0; panel < v.out[1]; ++panel)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t j = 0; j < v.nr; ++j) {
            int64_t col = panel * v.nr + j, tap = k / chans, c = k % chans, cols, at;
            if (v.kind == "matmul") {
              cols = v.in[1];
              at = c * cols + col;
            } else if (v.kind == "matmul_transposed") {
              cols = v.in[0];
              at = col * chans + c;
            } else if (v.kind == "conv") {
              cols = v.in[0] / v.groups;
              at = ((g * cols + col) * chans + c) * taps + tap;
            } else {
              cols = v.in[1];
              at = ((g * chans + c) * cols + col) * taps + taps - 1 - tap;
            }
            expected[((g * v.out[1] + panel) * depth + k) * v.nr + j] = col < cols ? x[at] : 0.0f;
          }
    expectEqual(expected, found, v.kind);

    Buffer folded(product(v.out), 1e30f);
    suite.evaluate(index, {x.data(), x.size()}, {folded.data(), folded.size()});
    expectEqual(expected, folded, v.kind + " at compile time");
  }
}

} // namespace
