// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with weights in blocks, and rows of them, against plain loops in f64 over random bytes.
#include "BlockCases.h"
#include "KernelCases.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

using namespace ttc::test;

namespace {

std::string bytesTensor(const std::vector<int64_t> &shape) {
  const std::string floats = tensor(shape);
  return floats.substr(0, floats.size() - 4) + "i8>";
}

struct Product {
  std::string format;
  int64_t m, n, k;
  bool norm = false, bias = false, residual = false, gated = false;
};

/// Packs weights by the op, as the compiler does.
struct PackedWeights {
  PackedWeights(const Product &v, unsigned seed)
      : PackedWeights(v,
                      makeBlocks(getBlockFormat(v.format), v.n * (v.gated ? 2 : 1) * v.k, seed)) {}
  PackedWeights(const Product &v, const std::vector<uint8_t> &stored)
      : format(getBlockFormat(v.format)) {
    elements = getElements(format, stored);
    const int64_t groups = (v.n + 15) / 16 * (v.gated ? 2 : 1);
    shape = {groups, getGroupBytes(v)};
    KernelSuite suite;
    const size_t index =
        suite.add("ttc.pack_blocks " + v.format + " %0 {columns = " + std::to_string(v.k) +
                      " : i64" + (v.gated ? ", gated}" : "}"),
                  {bytesTensor({static_cast<int64_t>(stored.size())})}, bytesTensor(shape));
    // evaluate() takes floats: bytes in whole words of them.
    bytes.resize(groups * shape[1] / 4);
    std::vector<float> words((stored.size() + 3) / 4);
    std::memcpy(words.data(), stored.data(), stored.size());
    packed = suite.evaluate(index, words, bytes);
  }

  static int64_t getGroupBytes(const Product &v) {
    const BlockFormatCase &format = getBlockFormat(v.format);
    return v.k / format.columns * 16 * (format.bytes + format.added);
  }

  const BlockFormatCase &format;
  std::vector<double> elements;
  std::vector<int64_t> shape;
  std::vector<float> bytes;
  bool packed;
};

/// What the product is, and how far a result may be from it.
struct Expected {
  double value, tolerance;
};

/// With `isInt8`, each number of a block of 32 may be wrong by half of the block's largest / 127.
std::vector<Expected> computeExpected(const Product &v, const std::vector<double> &w,
                                      const Buffer &x, const Buffer &norm, const Buffer &bias,
                                      const Buffer &residual, bool isInt8) {
  std::vector<Expected> all;
  for (int64_t m = 0; m < v.m; ++m) {
    std::vector<double> row(v.k), error(v.k);
    double squares = 0;
    for (int64_t k = 0; k < v.k; ++k)
      squares += double(x[m * v.k + k]) * x[m * v.k + k];
    const double inverse = v.norm ? 1 / std::sqrt(squares / v.k + 1e-5) : 1;
    for (int64_t k = 0; k < v.k; ++k)
      row[k] = x[m * v.k + k] * inverse * (v.norm ? norm[k] : 1);
    for (int64_t k = 0; k < v.k; ++k) {
      double most = 0;
      for (int64_t i = k / 32 * 32; i < std::min(v.k, k / 32 * 32 + 32); ++i)
        most = std::max(most, std::abs(row[i]));
      error[k] = isInt8 ? most / 254 * 1.001 : most * 1.2e-7;
    }
    auto product = [&](int64_t n) {
      Expected sum{0, 0};
      for (int64_t k = 0; k < v.k; ++k) {
        // Errors of different columns do not add up, but for a few.
        sum.value += row[k] * w[n * v.k + k];
        sum.tolerance += error[k] * std::abs(w[n * v.k + k]) * error[k] * std::abs(w[n * v.k + k]);
      }
      double whole = 0;
      for (int64_t k = 0; k < v.k; ++k)
        whole += std::abs(row[k] * w[n * v.k + k]);
      // A standard deviation is at most the error / sqrt(3).
      sum.tolerance = 5 * std::sqrt(sum.tolerance / 3) + 1e-6 * whole + 1e-7;
      return sum;
    };
    for (int64_t n = 0; n < v.n; ++n) {
      Expected e = product(n);
      if (v.gated) {
        const Expected up = product(v.n + n);
        const double gate = e.value / (1 + std::exp(-e.value));
        // The derivative of silu is at most 1.1.
        e.tolerance = 1.1 * e.tolerance * (std::abs(up.value) + up.tolerance) +
                      (std::abs(gate) + 1.1 * e.tolerance) * up.tolerance + 1e-6;
        e.value = gate * up.value;
      }
      e.value += (v.bias ? bias[n] : 0) + (v.residual ? residual[m * v.n + n] : 0);
      all.push_back(e);
    }
  }
  return all;
}

std::string getOp(const Product &v, bool isInt8, const std::string &dot) {
  int next = 2;
  std::string op = "ttc.kernel.block_matmul " + v.format + " %0, %1";
  for (auto [name, is] : {std::pair("norm", v.norm), {"bias", v.bias}, {"residual", v.residual}})
    if (is)
      op += " " + std::string(name) + " %" + std::to_string(next++);
  return op + (isInt8 ? " activations int8" : "") + " {dot = #ttc.byte_dot<" + dot + ">" +
         (v.gated ? ", gated}" : "}");
}

void testProducts(const mlir::ttc::CpuTarget &target, const std::string &dot,
                  const std::vector<Product> &cases) {
  KernelSuite suite;
  std::vector<std::unique_ptr<PackedWeights>> weights;
  for (const Product &v : cases) {
    weights.push_back(std::make_unique<PackedWeights>(v, weights.size()));
    ASSERT_TRUE(weights.back()->packed);
    std::vector<std::string> types{tensor({v.m, v.k}), bytesTensor(weights.back()->shape)};
    if (v.norm)
      types.push_back(tensor({v.k}));
    if (v.bias)
      types.push_back(tensor({v.n}));
    if (v.residual)
      types.push_back(tensor({v.m, v.n}));
    for (bool isInt8 : {false, true})
      suite.add(getOp(v, isInt8, dot), types, tensor({v.m, v.n}));
  }
  ASSERT_TRUE(suite.compile(target));
  for (auto [index, v] : llvm::enumerate(cases)) {
    const std::string name = v.format + " " + list({v.m, v.n, v.k});
    Buffer x(v.m * v.k), norm(v.k), bias(v.n), residual(v.m * v.n);
    x.fillRandom(index);
    norm.fillRandom(100 + index);
    bias.fillRandom(200 + index);
    residual.fillRandom(300 + index);
    std::vector<const float *> operands{x.data(), weights[index]->bytes.data()};
    if (v.norm)
      operands.push_back(norm.data());
    if (v.bias)
      operands.push_back(bias.data());
    if (v.residual)
      operands.push_back(residual.data());
    for (bool isInt8 : {false, true}) {
      const bool isPlain = weights[index]->format.columns == 1;
      const std::vector<Expected> expected =
          computeExpected(v, weights[index]->elements, x, norm, bias, residual, isInt8 && !isPlain);
      Buffer first(v.m * v.n, 1e30f), second(v.m * v.n, 1e30f);
      for (Buffer *found : {&first, &second}) {
        operands.push_back(found->data());
        suite.program(2 * index + isInt8)(operands, /*reversed=*/found == &second);
        operands.pop_back();
        ASSERT_TRUE(found->guardIntact()) << name << ": wrote beyond its result";
      }
      for (size_t i = 0; i < first.size(); ++i) {
        ASSERT_NEAR(first[i], expected[i].value, expected[i].tolerance)
            << name << (isInt8 ? " int8" : " f32") << " at " << i;
        ASSERT_EQ(first[i], second[i]) << name << " at " << i;
      }
    }
  }
}

/// Each format, by all ways to walk the rows of x; and parts of a group of rows of w.
std::vector<Product> getCases() {
  std::vector<Product> cases;
  for (const BlockFormatCase &format : getBlockFormats()) {
    cases.push_back({format.name, 1, 40, 512, true, true, true});
    cases.push_back({format.name, 33, 21, 256, true, false, true});
  }
  cases.push_back({"q4_1", 1, 96, 96, true, false, false, true});
  cases.push_back({"q4_1", 2, 21, 64, false, true, true, true});
  cases.push_back({"q8_0", 3, 33, 64});
  cases.push_back({"q4_1", 4, 15, 32, true});
  cases.push_back({"q4_0", 5, 1, 32, true});
  cases.push_back({"q8_0", 1, 4000, 576, true});  // several workgroups
  cases.push_back({"q4_1", 150, 320, 160, true}); // whose rows are split, too
  cases.push_back({"q6_k", 70, 48, 256, false, true, true, true});
  cases.push_back({"q2_k", 3, 40, 512, true, false, true, true});
  cases.push_back({"q2_k", 9, 16, 30720});
  cases.push_back({"q4_1", 9, 16, 30720}); // few rows fit into scratch
  cases.push_back({"q8_0", 3, 16, 40960, true});
  cases.push_back({"f32", 1, 20, 37, true}); // no whole vector
  cases.push_back({"f16", 17, 50, 45, true, true, true, true});
  cases.push_back({"bf16", 30, 7, 1, false});
  return cases;
}

TEST(BlockMatmul, Host) {
  const bool isWide = mlir::ttc::getVectorLength(host()) == 16;
  const auto features = mlir::ttc::getNeededFeatures(host());
  const bool hasVnni = llvm::is_contained(features, isWide ? "avx512vnni" : "avxvnni");
  testProducts(host(), hasVnni ? "vnni" : "madd", getCases());
}

TEST(BlockMatmul, HostWithoutVnni) {
  testProducts(host(), "madd", casesOfRun(getCases(), 3, 1));
  testProducts(host(), "plain", {{"q4_1", 1, 40, 512, true}, {"q8_0", 7, 40, 64, true}});
}

// Any CPU that can run the tests can run AVX2's code.
TEST(BlockMatmul, Avx2) {
  testProducts(*mlir::ttc::getCpuTarget("x86-64-v3"), "madd", casesOfRun(getCases()));
}

TEST(BlockMatmul, Plain) {
  testProducts(*mlir::ttc::getCpuTarget("x86-64-v3"), "plain", casesOfRun(getCases(), 3, 2));
}

/// Numbers that are none do not get lost in integers.
TEST(BlockMatmul, SpecialNumbers) {
  for (const char *format : {"q4_0", "q4_1", "q8_0", "q6_k", "q2_k", "iq4_xs", "mxfp4"}) {
    const Product v{format, 3, 16, 256};
    PackedWeights weights(v, 1);
    KernelSuite suite;
    for (bool isInt8 : {false, true})
      suite.add(getOp(v, isInt8, "madd"), {tensor({v.m, v.k}), bytesTensor(weights.shape)},
                tensor({v.m, v.n}));
    ASSERT_TRUE(suite.compile(host()));
    Buffer x(v.m * v.k);
    x.fillRandom(1);
    x[5] = NAN;
    x[v.k + 250] = INFINITY;
    for (int64_t k = 0; k < v.k; ++k)
      x[2 * v.k + k] = k % 2 ? 1e-42f : 0.0f; // subnormal
    for (size_t program : {0, 1}) {
      Buffer y(v.m * v.n);
      suite.program(program)({x.data(), weights.bytes.data(), y.data()});
      for (int64_t n = 0; n < v.n; ++n) {
        EXPECT_TRUE(std::isnan(y[n])) << format;
        EXPECT_FALSE(std::isfinite(y[v.n + n])) << format;
        EXPECT_LT(std::abs(y[2 * v.n + n]), 1e-30f) << format;
      }
    }
  }
}

/// Rows that do not count are 0, all others are those of a product of all rows: with the same bits,
/// except by f16 and bf16, where tiles of fewer rows add up in another order.
TEST(BlockMatmul, Count) {
  const std::vector<Product> cases{{"q4_1", 1, 40, 64, true, true, true},
                                   {"q8_0", 3, 33, 64, true, false, true, true},
                                   {"q4_1", 150, 320, 160, true}, // rows are split
                                   {"q6_k", 9, 21, 256},
                                   {"f32", 17, 50, 45},
                                   {"q2_k", 6, 21, 256},
                                   {"f16", 17, 50, 45, true, true, true, true}};
  for (const std::string cpu : {"native", "x86-64-v3"}) {
    KernelSuite suite;
    std::vector<std::unique_ptr<PackedWeights>> weights;
    for (const Product &v : cases) {
      weights.push_back(std::make_unique<PackedWeights>(v, 5));
      std::vector<std::string> types{tensor({v.m, v.k}), bytesTensor(weights.back()->shape)};
      for (auto [is, shape] : {std::pair(v.norm, std::vector<int64_t>{v.k}),
                               {v.bias, std::vector<int64_t>{v.n}},
                               {v.residual, std::vector<int64_t>{v.m, v.n}}})
        if (is)
          types.push_back(tensor(shape));
      const std::string op = getOp(v, /*isInt8=*/true, "madd");
      suite.add(op, types, tensor({v.m, v.n}));
      std::string counted = op;
      counted.insert(op.find(" activations"), " count %" + std::to_string(types.size()));
      types.push_back("tensor<1xi32>");
      suite.add(counted, types, tensor({v.m, v.n}));
    }
    ASSERT_TRUE(suite.compile(*mlir::ttc::getCpuTarget(cpu)));
    for (auto [index, v] : llvm::enumerate(cases)) {
      Buffer x(v.m * v.k), norm(v.k), bias(v.n), residual(v.m * v.n), whole(v.m * v.n);
      unsigned seed = 0;
      for (Buffer *buffer : {&x, &norm, &bias, &residual})
        buffer->fillRandom(++seed);
      std::vector<const float *> operands{x.data(), weights[index]->bytes.data()};
      for (auto [is, data] :
           {std::pair(v.norm, norm.data()), {v.bias, bias.data()}, {v.residual, residual.data()}})
        if (is)
          operands.push_back(data);
      operands.push_back(whole.data());
      suite.program(2 * index)(operands);
      for (int64_t count : {int64_t{-1}, int64_t{0}, int64_t{1}, v.m - 1, v.m, v.m + 5}) {
        const float stored = llvm::bit_cast<float>(static_cast<int32_t>(count));
        Buffer some(v.m * v.n, 1e30f);
        operands.back() = &stored;
        operands.push_back(some.data());
        suite.program(2 * index + 1)(operands);
        operands.pop_back();
        ASSERT_TRUE(some.guardIntact());
        for (int64_t i = 0; i < v.m * v.n; ++i)
          ASSERT_NEAR(some[i], i / v.n < count ? whole[i] : 0.0f,
                      v.format == "f16" && i / v.n < count ? 1e-4 : 0.0)
              << v.format << ": " << count << " of " << v.m << " rows, at " << i;
      }
    }
  }
}

struct Experts {
  std::string format;
  int64_t rows, uses, experts, n, k;
  bool bias = false, gated = false;
};

/// Each row is that of a product with its expert's weights alone, for every number of rows that
/// counts; rows that do not are 0.
void testExperts(const mlir::ttc::CpuTarget &target, const std::string &dot, const Experts &v) {
  const int64_t m = v.rows * v.uses;
  const BlockFormatCase &format = getBlockFormat(v.format);
  const Product alone{v.format, 1, v.n, v.k, false, v.bias, false, v.gated};
  Product together = alone;
  together.n *= v.experts;
  const std::vector<uint8_t> stored =
      makeBlocks(format, together.n * (v.gated ? 2 : 1) * v.k, /*seed=*/7);
  const PackedWeights all(together, stored);
  std::vector<std::unique_ptr<PackedWeights>> weights;
  const int64_t expertBytes = v.n * v.k / format.columns * format.bytes;
  for (int64_t expert = 0; expert < v.experts; ++expert) {
    std::vector<uint8_t> own;
    for (int64_t part = 0; part < (v.gated ? 2 : 1); ++part) {
      const auto from = stored.begin() + (part * v.experts + expert) * expertBytes;
      own.insert(own.end(), from, from + expertBytes);
    }
    weights.push_back(std::make_unique<PackedWeights>(alone, own));
  }

  KernelSuite suite;
  for (bool isInt8 : {false, true}) {
    std::vector<std::string> types{tensor({1, v.k}), bytesTensor(weights[0]->shape)};
    if (v.bias)
      types.push_back(tensor({v.n}));
    suite.add(getOp(alone, isInt8, dot), types, tensor({1, v.n}));
    types = {tensor({v.rows, v.k}), bytesTensor(all.shape), tensor({m}, "i32")};
    if (v.bias)
      types.push_back(tensor({v.experts * v.n}));
    suite.add(
        "ttc.kernel.expert_matmul " + v.format + " %0, %1, %2" + (v.bias ? " bias %3" : "") +
            " count %" + std::to_string(types.size()) + (isInt8 ? " activations int8" : "") +
            " {dot = #ttc.byte_dot<" + dot + ">, expert_count = " + std::to_string(v.experts) +
            " : i64" + (v.gated ? ", gated}" : "}"),
        [&] {
          types.push_back("tensor<1xi32>");
          return types;
        }(),
        tensor({m, v.n}));
  }
  ASSERT_TRUE(suite.compile(target));

  Buffer x(v.rows * v.k), bias(v.experts * v.n);
  x.fillRandom(1);
  bias.fillRandom(2);
  // Most rows choose the second expert; some none that exists.
  std::vector<int32_t> experts(m);
  std::mt19937 random(3);
  for (int32_t &expert : experts)
    expert = random() % 2 ? 1 : static_cast<int32_t>(random() % v.experts);
  experts.front() = -5;
  experts[m / 2] = 2147483647;
  auto expertOf = [&](int64_t row) { return std::clamp<int64_t>(experts[row], 0, v.experts - 1); };
  for (bool isInt8 : {false, true}) {
    std::vector<float> expected(m * v.n);
    for (int64_t row = 0; row < m; ++row) {
      std::vector<const float *> operands{x.data() + row / v.uses * v.k,
                                          weights[expertOf(row)]->bytes.data()};
      if (v.bias)
        operands.push_back(bias.data() + expertOf(row) * v.n);
      operands.push_back(expected.data() + row * v.n);
      suite.program(2 * isInt8)(operands);
    }
    // Tiles of more rows of f16 are summed in another order, and many rows of blocks become floats.
    const bool isExact = v.format == "f32" ||
                         (format.columns != 1 && (isInt8 || m < 8 * v.experts || dot == "vnni"));
    for (int64_t count : {int64_t{-1}, int64_t{0}, int64_t{1}, m - 1, m, m + 5})
      for (bool isReversed : {false, true}) {
        const float storedCount = llvm::bit_cast<float>(static_cast<int32_t>(count));
        Buffer found(m * v.n, 1e30f);
        std::vector<const float *> operands{x.data(), all.bytes.data(),
                                            reinterpret_cast<const float *>(experts.data())};
        if (v.bias)
          operands.push_back(bias.data());
        operands.push_back(&storedCount);
        operands.push_back(found.data());
        suite.program(2 * isInt8 + 1)(operands, isReversed);
        ASSERT_TRUE(found.guardIntact());
        for (int64_t i = 0; i < m * v.n; ++i) {
          const float value = i / v.n < count ? expected[i] : 0.0f;
          ASSERT_NEAR(found[i], value, isExact ? 0.0 : 1e-5 * v.k * (1 + std::abs(value)))
              << v.format << (isInt8 ? " int8" : " f32") << ", " << count << " rows, at " << i;
        }
      }
  }
}

TEST(ExpertMatmul, IsTheProductOfEachExpert) {
  const std::vector<Experts> cases{
      {"q4_1", 1, 2, 4, 16, 64},
      {"q8_0", 1, 8, 16, 48, 256, false, true},
      {"q6_k", 5, 3, 7, 48, 256, true},
      {"q4_k", 150, 2, 3, 32, 256, false, true}, // more rows than are prepared together
      {"f16", 6, 4, 5, 16, 45, true},
      {"f32", 40, 1, 2, 32, 37, false, true},
      {"q4_0", 3, 1, 1, 32, 32},
      {"q5_0", 2, 2, 4, 1024, 576, true}, // several workgroups
      {"mxfp4", 4, 2, 3, 32, 64, false, true},
      {"q2_k", 12, 2, 3, 32, 256},
  };
  for (const Experts &v : cases)
    testExperts(host(), "madd", v);
  // Vectors of 8 lanes, where the host's are wider.
  if (mlir::ttc::getVectorLength(host()) != 8)
    for (size_t i : {0, 3, 4})
      testExperts(*mlir::ttc::getCpuTarget("x86-64-v3"), "madd", cases[i]);
}

/// Weights of experts that no row chose are in pages that cannot be read.
TEST(ExpertMatmul, ReadsNoOtherExperts) {
  const auto pageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const auto &[format, k] : {std::pair("f32", 64), {"q4_0", 4096}}) {
    const Product all{format, 1, 16 * 4, k};
    const PackedWeights weights(all, 1);
    const size_t bytes = weights.bytes.size() * 4;
    ASSERT_EQ(bytes % (4 * pageBytes), 0u) << "an expert is no whole number of pages";
    KernelSuite suite;
    suite.add(
        std::string("ttc.kernel.expert_matmul ") + format +
            " %0, %1, %2 activations int8 {dot = #ttc.byte_dot<madd>, expert_count = 4 : i64}",
        {tensor({1, k}), bytesTensor(weights.shape), "tensor<2xi32>"}, tensor({2, 16}));
    ASSERT_TRUE(suite.compile(host()));
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    std::memcpy(pages, weights.bytes.data(), bytes);
    for (size_t expert : {0, 2})
      ASSERT_EQ(mprotect(static_cast<char *>(pages) + expert * bytes / 4, bytes / 4, PROT_NONE), 0);
    Buffer x(k), y(2 * 16);
    x.fillRandom(1);
    const int32_t experts[] = {3, 1};
    suite.program(0)({x.data(), static_cast<const float *>(pages),
                      reinterpret_cast<const float *>(experts), y.data()});
    for (size_t i = 0; i < y.size(); ++i)
      EXPECT_NE(y[i], 0.0f) << format << " at " << i;
    munmap(pages, bytes);
  }
}

/// Every exponent of mxfp4: the numbers are exact, and as large and as small as an f32 can be.
TEST(BlockGather, AllExponents) {
  const BlockFormatCase &format = getBlockFormat("mxfp4");
  std::vector<uint8_t> stored = makeBlocks(format, 16 * 16 * 32, 1);
  for (int64_t i = 0; i < 256; ++i)
    stored[i * format.bytes] = i;
  std::vector<int32_t> tokens(16);
  std::iota(tokens.begin(), tokens.end(), 0);
  const std::vector<int64_t> shape{1, 16 * 16 * format.bytes};
  KernelSuite packing, suite;
  packing.add("ttc.pack_blocks mxfp4 %0 {columns = 512 : i64}",
              {bytesTensor({static_cast<int64_t>(stored.size())})}, bytesTensor(shape));
  suite.add("ttc.kernel.block_gather mxfp4 %0, %1 {rows = 16 : i64}",
            {bytesTensor(shape), "tensor<16xi32>"}, tensor({16, 512}));
  std::vector<float> words(stored.size() / 4), packed(stored.size() / 4);
  std::memcpy(words.data(), stored.data(), stored.size());
  ASSERT_TRUE(packing.evaluate(0, words, packed));
  ASSERT_TRUE(suite.compile(host()));
  Buffer found(16 * 512, 1e30f);
  suite.program(0)({packed.data(), reinterpret_cast<const float *>(tokens.data()), found.data()});
  const std::vector<double> expected = getElements(format, stored);
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], static_cast<float>(expected[i])) << "exponent " << i / 32 << " at " << i;
}

TEST(BlockGather, AllFormats) {
  for (const std::string cpu : {"native", "x86-64-v3"}) {
    const std::vector<int32_t> tokens{0, 20, 7, 15, 16, 100, -3, 2147483647, 20};
    KernelSuite suite;
    std::vector<std::unique_ptr<PackedWeights>> weights;
    for (const BlockFormatCase &format : getBlockFormats()) {
      const Product v{format.name, 1, 21, 512};
      weights.push_back(std::make_unique<PackedWeights>(v, 3));
      suite.add("ttc.kernel.block_gather " + format.name + " %0, %1 {rows = 21 : i64}",
                {bytesTensor(weights.back()->shape), "tensor<9xi32>"}, tensor({9, v.k}));
    }
    ASSERT_TRUE(suite.compile(*mlir::ttc::getCpuTarget(cpu)));
    for (size_t i = 0; i < weights.size(); ++i) {
      Buffer found(9 * 512, 1e30f);
      suite.program(i)(
          {weights[i]->bytes.data(), reinterpret_cast<const float *>(tokens.data()), found.data()});
      ASSERT_TRUE(found.guardIntact());
      for (int64_t t = 0; t < 9; ++t)
        for (int64_t k = 0; k < 512; ++k) {
          const int64_t row = std::clamp<int64_t>(tokens[t], 0, 20);
          const double expected = weights[i]->elements[row * 512 + k];
          ASSERT_NEAR(found[t * 512 + k], expected, 3e-7 * (1 + std::abs(expected)))
              << getBlockFormats()[i].name << " token " << tokens[t] << " column " << k;
        }
    }
  }
}

} // namespace
