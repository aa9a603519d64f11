// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes as text, a naive convolution, and comparisons: what the kernels' tests share.
#ifndef TTC_TEST_UNIT_KERNELS_KERNELCASES_H
#define TTC_TEST_UNIT_KERNELS_KERNELCASES_H

#include "KernelHarness.h"
#include "test/unit/Support/Rounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Parallel.h"
#include <gtest/gtest.h>

#include <functional>

namespace ttc::test {

inline std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text;
}
inline std::string array(const std::vector<int64_t> &values) {
  return "array<i64: " + list(values) + ">";
}
inline std::string tensor(const std::vector<int64_t> &shape, const char *type = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

/// The cases of the run (isInRun()), in their order.
template <typename Case>
std::vector<Case> casesOfRun(std::vector<Case> cases, size_t step = 3, size_t first = 0) {
  std::vector<Case> kept;
  for (size_t i = 0; i < cases.size(); ++i)
    if (ttrt::test::isInRun(i + step - first, step))
      kept.push_back(cases[i]);
  return kept;
}

inline mlir::ttc::CpuTarget host() { return *mlir::ttc::getCpuTarget("native"); }

/// The epilogue that Tail::position stands for.
inline float atPosition(float value, int64_t row, int64_t col) {
  return value + static_cast<float>(row) * 0.25f + static_cast<float>(col) * 0.125f;
}

struct Conv {
  int64_t n, c, o;
  std::vector<int64_t> in, kernel, stride, pads, dilation;
  int64_t groups = 1;
  std::vector<int64_t> inputDilation = {};
  /// The groups of the shuffle that x is read through, or 0.
  int64_t shuffle = 0;
  /// Whether x has its channels in planes.
  bool planes = false;

  int64_t value(const std::vector<int64_t> &values, size_t i, int64_t other) const {
    return i < values.size() ? values[i] : other;
  }
  std::vector<int64_t> out() const {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < in.size(); ++i) {
      int64_t size = (in[i] - 1) * value(inputDilation, i, 1) + 1 + value(pads, i, 0) +
                     value(pads, i + in.size(), 0);
      sizes.push_back((size - (kernel[i] - 1) * value(dilation, i, 1) - 1) / value(stride, i, 1) +
                      1);
    }
    return sizes;
  }
  std::string attributes() const {
    std::string text = "kernel = " + array(kernel);
    if (!stride.empty())
      text += ", strides = " + array(stride);
    if (!pads.empty())
      text += ", pads = " + array(pads);
    if (!dilation.empty())
      text += ", dilations = " + array(dilation);
    return text;
  }
};

/// x as the kernel sees it, channels-last, in the order in which it is stored.
inline Buffer getStored(const Conv &v, const Buffer &x) {
  int64_t pixels = x.size() / v.n / v.c;
  Buffer stored(x.size());
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
    int64_t c = i % v.c, pixel = i / v.c % pixels, n = i / v.c / pixels;
    if (v.shuffle != 0)
      c = c % v.shuffle * (v.c / v.shuffle) + c / v.shuffle;
    stored[v.planes ? (n * v.c + c) * pixels + pixel : (n * pixels + pixel) * v.c + c] = x[i];
  }
  return stored;
}

/// x channels-last, w[tap][c / groups][o], as three spatial dimensions.
inline void naiveConv(const Conv &v, const float *x,
                      const std::function<float(int64_t, int64_t, int64_t)> &w, float *y) {
  auto pad3 = [&](std::vector<int64_t> values, int64_t other) {
    values.insert(values.begin(), 3 - values.size(), other);
    return values;
  };
  std::vector<int64_t> none(v.in.size(), 1), zero(v.in.size(), 0);
  auto in = pad3(v.in, 1), out = pad3(v.out(), 1), kernel = pad3(v.kernel, 1);
  auto stride = pad3(v.stride.empty() ? none : v.stride, 1);
  auto dilation = pad3(v.dilation.empty() ? none : v.dilation, 1);
  auto idil = pad3(v.inputDilation.empty() ? none : v.inputDilation, 1);
  auto pad = pad3(
      v.pads.empty() ? zero : std::vector<int64_t>(v.pads.begin(), v.pads.begin() + v.in.size()),
      0);
  int64_t cg = v.c / v.groups, og = v.o / v.groups;
  llvm::parallelFor(0, v.n * out[0] * out[1], [&](size_t line) {
    int64_t h = line % out[1], d = line / out[1] % out[0], n = line / out[1] / out[0];
    for (int64_t col = 0; col < out[2]; ++col)
      for (int64_t o = 0; o < v.o; ++o) {
        float sum = 0;
        int64_t tap = 0;
        for (int64_t kd = 0; kd < kernel[0]; ++kd)
          for (int64_t kh = 0; kh < kernel[1]; ++kh)
            for (int64_t kw = 0; kw < kernel[2]; ++kw, ++tap) {
              int64_t at[3] = {d * stride[0] - pad[0] + kd * dilation[0],
                               h * stride[1] - pad[1] + kh * dilation[1],
                               col * stride[2] - pad[2] + kw * dilation[2]};
              bool inside = true;
              for (int i = 0; i < 3; ++i) {
                inside &= at[i] >= 0 && at[i] % idil[i] == 0 && at[i] / idil[i] < in[i];
                at[i] /= idil[i];
              }
              if (!inside)
                continue;
              const float *pixel =
                  x + (((n * in[0] + at[0]) * in[1] + at[1]) * in[2] + at[2]) * v.c + o / og * cg;
              for (int64_t c = 0; c < cg; ++c)
                sum += pixel[c] * w(tap, c, o);
            }
        y[(line * out[2] + col) * v.o + o] = sum;
      }
  });
}

inline std::vector<int64_t> channelsLast(int64_t n, const std::vector<int64_t> &spatial,
                                         int64_t c) {
  std::vector<int64_t> shape{n};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(c);
  return shape;
}
inline int64_t product(const std::vector<int64_t> &values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

inline void expectEqual(const Buffer &expected, const Buffer &found, const std::string &what) {
  ASSERT_TRUE(found.guardIntact()) << what << ": wrote beyond its result";
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(expected[i], found[i]) << what << " at " << i;
}

} // namespace ttc::test

#endif // TTC_TEST_UNIT_KERNELS_KERNELCASES_H
