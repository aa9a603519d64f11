// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times single kernels at the layer shapes of known models on one core, between runs of a
// register-only loop of multiply-adds: the clock drifts, so only ratios within a run mean
// anything. Prints one JSON object per line.
#include "KernelHarness.h"
#include "ttc/Analysis/GemmPlan.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>

using namespace ttc::test;

namespace {

struct Layer {
  std::string name, op;
  std::vector<std::string> operands;
  std::string result;
  std::vector<int64_t> sizes; // elements of each operand, then of the result
  double flops;
};

std::string tensor(std::vector<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}
std::string tileOf(int64_t rows, int64_t columns, int64_t &nr) {
  int64_t lanes = mlir::ttc::getVectorLength(*mlir::ttc::getCpuTarget("native"));
  auto tile = mlir::ttc::chooseGemmTile(lanes, rows, columns);
  nr = tile.columns;
  return "tile = array<i64: " + std::to_string(tile.rows) + ", " + std::to_string(nr) + ">";
}

Layer conv(const std::string &name, int64_t in, int64_t c, int64_t o, int64_t k, int64_t stride,
           int64_t pad) {
  int64_t out = (in + 2 * pad - k) / stride + 1, nr;
  auto two = [](int64_t v) {
    return "array<i64: " + std::to_string(v) + ", " + std::to_string(v) + ">";
  };
  std::string p = std::to_string(pad);
  Layer layer{name, "", {tensor({1, in, in, c})}, tensor({1, out, out, o}), {}, 0};
  layer.op = "ttc.kernel.gemm %0, %1 {packed, kernel = " + two(k) + ", strides = " + two(stride) +
             ", pads = array<i64: " + p + ", " + p + ", " + p + ", " + p + ">, " +
             tileOf(out * out, o, nr) + "}";
  int64_t panels = (o + nr - 1) / nr;
  layer.operands.push_back(tensor({1, panels, k * k * c, nr}));
  layer.sizes = {in * in * c, panels * k * k * c * nr, out * out * o};
  layer.flops = 2.0 * out * out * o * k * k * c;
  return layer;
}

Layer matmul(const std::string &name, int64_t m, int64_t k, int64_t n) {
  int64_t nr;
  Layer layer{name, "", {tensor({m, k})}, tensor({m, n}), {}, 2.0 * m * k * n};
  layer.op = "ttc.kernel.gemm %0, %1 {packed, " + tileOf(m, n, nr) + "}";
  int64_t panels = (n + nr - 1) / nr;
  layer.operands.push_back(tensor({1, panels, k, nr}));
  layer.sizes = {m * k, panels * k * nr, m * n};
  return layer;
}

/// Attention's products: a run-time B for each head, transposed for the scores.
Layer heads(const std::string &name, int64_t h, int64_t m, int64_t k, int64_t n, bool transposed) {
  int64_t nr;
  Layer layer{name,
              "",
              {tensor({h, m, k}), tensor({h, transposed ? n : k, transposed ? k : n})},
              tensor({h, m, n}),
              {h * m * k, h * k * n, h * m * n},
              2.0 * h * m * k * n};
  layer.op = "ttc.kernel.gemm %0, %1 {" + tileOf(m, n, nr);
  if (transposed)
    layer.op += ", b_view = #ttc.view<shape = [" + std::to_string(h) + ", " + std::to_string(k) +
                ", " + std::to_string(n) + "], strides = [" + std::to_string(k * n) + ", 1, " +
                std::to_string(k) + "], offset = 0>";
  layer.op += "}";
  return layer;
}

Layer depthwise(const std::string &name, int64_t in, int64_t c, int64_t k, int64_t stride) {
  int64_t pad = k / 2, out = (in + 2 * pad - k) / stride + 1;
  auto list = [](int64_t v, int n) {
    std::string text = "array<i64: " + std::to_string(v);
    for (int i = 1; i < n; ++i)
      text += ", " + std::to_string(v);
    return text + ">";
  };
  return {name,
          "ttc.kernel.depthwise_conv %0, %1 {kernel = " + list(k, 2) +
              ", strides = " + list(stride, 2) + ", pads = " + list(pad, 4) + "}",
          {tensor({1, in, in, c}), tensor({k * k, c})},
          tensor({1, out, out, c}),
          {in * in * c, k * k * c, out * out * c},
          2.0 * out * out * c * k * k};
}

std::vector<Layer> allLayers() {
  return {
      conv("resnet.conv1", 224, 3, 64, 7, 2, 3),
      conv("resnet.2a_1x1", 56, 64, 64, 1, 1, 0),
      conv("resnet.2_3x3", 56, 64, 64, 3, 1, 1),
      conv("resnet.2_expand", 56, 64, 256, 1, 1, 0),
      conv("resnet.2_reduce", 56, 256, 64, 1, 1, 0),
      conv("resnet.3_down", 56, 256, 512, 1, 2, 0),
      conv("resnet.3_3x3", 28, 128, 128, 3, 1, 1),
      conv("resnet.3_expand", 28, 128, 512, 1, 1, 0),
      conv("resnet.3_reduce", 28, 512, 128, 1, 1, 0),
      conv("resnet.4_3x3", 14, 256, 256, 3, 1, 1),
      conv("resnet.4_expand", 14, 256, 1024, 1, 1, 0),
      conv("resnet.4_reduce", 14, 1024, 256, 1, 1, 0),
      conv("resnet.5_3x3", 7, 512, 512, 3, 1, 1),
      conv("resnet.5_expand", 7, 512, 2048, 1, 1, 0),
      conv("resnet.5_reduce", 7, 2048, 512, 1, 1, 0),
      matmul("resnet.fc", 1, 2048, 1000),
      conv("squeezenet.conv1", 224, 3, 64, 3, 2, 0),
      conv("squeezenet.fire2_squeeze", 55, 64, 16, 1, 1, 0),
      conv("squeezenet.fire2_3x3", 55, 16, 64, 3, 1, 1),
      conv("squeezenet.fire4_3x3", 27, 32, 128, 3, 1, 1),
      conv("squeezenet.fire9_3x3", 13, 64, 256, 3, 1, 1),
      conv("squeezenet.conv10", 13, 512, 1000, 1, 1, 0),
      matmul("bert.qkv", 128, 768, 768),
      matmul("bert.ffn1", 128, 768, 3072),
      matmul("bert.ffn2", 128, 3072, 768),
      heads("bert.scores", 12, 128, 64, 128, true),
      heads("bert.values", 12, 128, 128, 64, false),
      matmul("minilm16.ffn1", 16, 384, 1536),
      matmul("minilm16.ffn2", 16, 1536, 384),
      matmul("fc.4096", 1, 4096, 4096),
      depthwise("mobilenet.dw112", 112, 32, 3, 1),
      depthwise("mobilenet.dw56s2", 112, 96, 3, 2),
      depthwise("mobilenet.dw28", 28, 192, 3, 1),
      depthwise("mobilenet.dw7", 7, 960, 3, 1),
      depthwise("convnext.dw56", 56, 96, 7, 1),
  };
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::opt<std::string> filter("filter", llvm::cl::desc("Only layers whose name has this"));
  llvm::cl::opt<double> budget("budget", llvm::cl::init(0.1), llvm::cl::desc("Seconds per layer"));
  llvm::cl::opt<bool> assembly("assembly", llvm::cl::desc("Print the machine code instead"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "kernels: single kernels in percent of peak\n");
  std::vector<Layer> layers;
  for (Layer &layer : allLayers())
    if (llvm::StringRef(layer.name).contains(filter.getValue()))
      layers.push_back(layer);
  KernelSuite suite;
  for (const Layer &layer : layers)
    suite.add(layer.op, layer.operands, layer.result);
  if (assembly) {
    llvm::outs() << suite.assembly(*mlir::ttc::getCpuTarget("native"));
    return 0;
  }
  double start = seconds();
  if (!suite.compile(*mlir::ttc::getCpuTarget("native")))
    return 1;
  llvm::outs() << llvm::format("{\"compile_ms_per_kernel\": %.1f, \"code_bytes\": %zu}\n",
                               (seconds() - start) * 1e3 / layers.size(), suite.code().size());
  auto best = [&](size_t index, const std::vector<const float *> &operands, double limit) {
    double least = 1e9, begin = seconds();
    for (int runs = 0; runs < 5 || seconds() - begin < limit; ++runs) {
      double at = seconds();
      suite.program(index)(operands);
      least = std::min(least, seconds() - at);
    }
    return least;
  };
  // The clock is hidden from the guest: FMA peak from a loop of dependent chains in registers.
  auto peak = [&] {
    typedef float v8 __attribute__((ext_vector_type(8)));
    v8 acc[10], x = (v8)0.999f, y = (v8)1e-3f;
    for (auto &value : acc)
      value = (v8)1.0f;
    double least = 1e9;
    constexpr int kRounds = 20000;
    for (int repeat = 0; repeat < 20; ++repeat) {
      double at = seconds();
      for (int i = 0; i < kRounds; ++i)
        for (auto &value : acc) {
          value = __builtin_elementwise_fma(value, x, y);
          __asm__ volatile("" : "+x"(value));
        }
      least = std::min(least, seconds() - at);
    }
    return 2.0 * 8 * 10 * kRounds / least;
  };
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<Buffer> buffers;
    std::vector<const float *> operands;
    for (int64_t size : layers[i].sizes) {
      buffers.emplace_back(size);
      buffers.back().fillRandom(buffers.size());
    }
    for (Buffer &buffer : buffers)
      operands.push_back(buffer.data());
    double flops = peak(), time = best(i, operands, budget);
    llvm::outs() << llvm::format(
        "{\"layer\": \"%s\", \"grid\": %d, \"us\": %.1f, \"gflops\": %.1f, \"of_peak\": %.3f}\n",
        layers[i].name.c_str(), static_cast<int>(suite.program(i).grid), time * 1e6,
        layers[i].flops / time * 1e-9, layers[i].flops / time / flops);
    llvm::outs().flush();
  }
  return 0;
}
