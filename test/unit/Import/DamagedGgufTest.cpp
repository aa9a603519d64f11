// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever bytes a GGUF file holds, the importer answers with a module or with an error that says
// what it expected.
#include "test/unit/Support/Rounds.h"
#include "ttc/Import/GgufImport.h"

#include "lib/Import/Gguf/GgufFile.h"

#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

#include <random>

#ifdef TTC_NO_USER_POISONING
/// Arenas are filled by code of MLIR's headers here, and by its library, which is not sanitized and
/// does not unpoison what it allocates.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
#endif

using namespace mlir;
using ttc::GgufFile;
using ttc::GgufType;

namespace {

/// Writes a file piece by piece: metadata, the list of tensors, their bytes.
class GgufWriter {
public:
  template <typename T> static void append(std::string &bytes, T number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  static void appendText(std::string &bytes, StringRef text) {
    append<uint64_t>(bytes, text.size());
    bytes += text;
  }

  template <typename T> void number(StringRef key, GgufType type, T value) {
    begin(key, type);
    append(values, value);
  }
  void count(const char *key, uint32_t value) { number(key, GgufType::U32, value); }
  void text(StringRef key, StringRef value) {
    begin(key, GgufType::String);
    appendText(values, value);
  }
  void texts(StringRef key, const std::vector<std::string> &elements) {
    begin(key, GgufType::Array);
    append<uint32_t>(values, static_cast<uint32_t>(GgufType::String));
    append<uint64_t>(values, elements.size());
    for (const std::string &element : elements)
      appendText(values, element);
  }
  /// Bytes are zeros, but for one in each block.
  void tensor(const std::string &name, std::initializer_list<uint64_t> shape, uint32_t type) {
    const ttc::GgmlType &known = *ttc::findGgmlType(type);
    uint64_t elements = 1;
    ++tensorCount;
    appendText(tensors, name);
    append<uint32_t>(tensors, static_cast<uint32_t>(shape.size()));
    for (uint64_t extent : shape) {
      append(tensors, extent);
      elements *= extent;
    }
    append(tensors, type);
    append<uint64_t>(tensors, data.size());
    for (uint64_t i = 0; i < elements / known.blockElements; ++i) {
      data.append(known.blockBytes - 1, 0);
      data += '\x3c';
    }
    data.resize((data.size() + 31) / 32 * 32);
  }

  std::string finish() const {
    std::string file = "GGUF";
    append<uint32_t>(file, 3);
    append(file, tensorCount);
    append(file, valueCount);
    file += values + tensors;
    file.resize((file.size() + 31) / 32 * 32);
    return file + data;
  }

private:
  void begin(StringRef key, GgufType type) {
    ++valueCount;
    appendText(values, key);
    append(values, static_cast<uint32_t>(type));
  }

  uint64_t valueCount = 0, tensorCount = 0;
  std::string values, tensors, data;
};

constexpr uint32_t kF32 = 0, kQ4_1 = 3, kQ8_0 = 8;

/// One layer of one head, with a tokenizer.
GgufWriter makeModel() {
  GgufWriter file;
  file.text("general.architecture", "llama");
  file.count("llama.block_count", 1);
  file.count("llama.context_length", 64);
  file.count("llama.embedding_length", 32);
  file.count("llama.feed_forward_length", 32);
  file.count("llama.attention.head_count", 1);
  file.number("llama.attention.layer_norm_rms_epsilon", GgufType::F32, 1e-5f);
  file.number("llama.rope.freq_base", GgufType::F32, 1e5f);
  file.text("tokenizer.ggml.model", "gpt2");
  file.text("tokenizer.ggml.pre", "smollm");
  file.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<|im_end|>"});
  file.texts("tokenizer.ggml.merges", {"a b"});
  file.count("tokenizer.ggml.eos_token_id", 3);
  file.number("tokenizer.ggml.add_bos_token", GgufType::Bool, uint8_t(0));
  file.text("tokenizer.chat_template", "{{ messages }}");
  file.tensor("token_embd.weight", {32, 4}, kQ8_0);
  file.tensor("output_norm.weight", {32}, kF32);
  file.tensor("blk.0.attn_norm.weight", {32}, kF32);
  file.tensor("blk.0.ffn_norm.weight", {32}, kF32);
  for (const char *name :
       {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
    file.tensor(std::string("blk.0.") + name + ".weight", {32, 32}, kQ4_1);
  return file;
}

class DamagedGguf : public ::testing::Test {
protected:
  DamagedGguf() : context(MLIRContext::Threading::DISABLED) {}

  /// Whether the bytes import; checks that this or an error is the answer.
  bool import(StringRef bytes, std::string *messages = nullptr) {
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      errors += diag.getSeverity() == DiagnosticSeverity::Error;
      if (messages)
        *messages += diag.str() + "\n";
      return success();
    });
    // A copy of exactly this size, so that a sanitizer sees what is read past its end.
    auto buffer = std::make_unique<std::vector<char>>(bytes.begin(), bytes.end());
    auto file = llvm::MemoryBuffer::getMemBuffer(StringRef(buffer->data(), buffer->size()),
                                                 "damaged.gguf", /*RequiresNullTerminator=*/false);
    ttc::GgufImportOptions options;
    options.context = 32;
    options.prefill = {4};
    OwningOpRef<ModuleOp> module = ttc::importGguf(*file, nullptr, &context, options);
    EXPECT_NE(static_cast<bool>(module), errors > 0);
    if (module)
      EXPECT_TRUE(succeeded(verify(*module)));
    return static_cast<bool>(module);
  }

  std::string errorOf(const GgufWriter &file) { return errorOf(file.finish()); }
  std::string errorOf(const std::string &bytes) {
    std::string messages;
    EXPECT_FALSE(import(bytes, &messages));
    return messages;
  }

  MLIRContext context;
  std::string model = makeModel().finish();
};

TEST_F(DamagedGguf, IsFineAsItIs) {
  std::string messages;
  EXPECT_TRUE(import(model, &messages)) << messages;
}

TEST_F(DamagedGguf, Truncated) {
  for (size_t size = 0; size < model.size(); size += size < 2048 ? 1 : 61)
    EXPECT_FALSE(import(StringRef(model).take_front(size))) << "cut off after " << size;
}

TEST_F(DamagedGguf, OneByteChanged) {
  std::mt19937 random(1);
  // Most bytes are weights, where all is allowed: half of the changes are before them.
  const size_t begin = model.size() - 4 * 34 - 3 * 128 - 7 * 640;
  for (int i = 0; i < ttrt::test::rounds(5000); ++i) {
    std::string damaged = model;
    damaged[random() % (i % 2 ? begin : damaged.size())] = static_cast<char>(random());
    import(damaged);
  }
}

TEST_F(DamagedGguf, SeveralBytesChanged) {
  std::mt19937 random(3);
  for (int i = 0; i < ttrt::test::rounds(3000); ++i) {
    std::string damaged = model;
    for (int n = 2 + random() % 6; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 4 ? random() : 255);
    import(damaged);
  }
}

TEST_F(DamagedGguf, PieceMissing) {
  std::mt19937 random(2);
  for (int i = 0; i < ttrt::test::rounds(1000); ++i) {
    std::string damaged = model;
    damaged.erase(random() % damaged.size(), 1 + random() % 16);
    import(damaged);
  }
}

/// 8 bytes before the weights, at every fifth place, as an extreme number: counts, lengths, shapes,
/// offsets.
TEST_F(DamagedGguf, ExtremeNumbers) {
  const uint64_t extremes[] = {0,        1, 31, UINT64_MAX, uint64_t(1) << 63, uint64_t(1) << 40,
                               INT32_MAX};
  for (size_t at = 4; at + 8 < 2048; at += 5)
    for (uint64_t extreme : extremes) {
      std::string damaged = model;
      memcpy(damaged.data() + at, &extreme, sizeof(extreme));
      import(damaged);
    }
}

TEST_F(DamagedGguf, SaysWhatWasExpected) {
  EXPECT_EQ(errorOf(std::string()), "expected a GGUF file, found an empty file\n");
  EXPECT_EQ(errorOf(std::string("ONNX....")),
            "expected a GGUF file, found a file that does not begin with 'GGUF'\n");
  std::string other = model;
  other[4] = 1;
  EXPECT_EQ(errorOf(other), "expected GGUF version 2 or 3, found 1\n");
  other[4] = 0, other[7] = 3;
  EXPECT_EQ(errorOf(other), "expected a little-endian GGUF file, found a big-endian one\n");
  other = model;
  other[8 + 7] = 1;
  EXPECT_NE(errorOf(other).find("expected at most "), std::string::npos);
  EXPECT_NE(errorOf(model.substr(0, model.size() - 1))
                .find("expected tensor 'blk.0.ffn_down.weight' of 640 bytes"),
            std::string::npos);
}

TEST_F(DamagedGguf, ModelsThatContradictThemselves) {
  auto expect = [&](auto change, const char *message) {
    GgufWriter file = makeModel();
    change(file);
    EXPECT_EQ(errorOf(file), std::string(message) + "\n");
  };
  expect([](GgufWriter &f) { f.text("general.architecture", "llama"); },
         "expected each key once, found metadata 'general.architecture' twice");
  expect([](GgufWriter &f) { f.tensor("output_norm.weight", {32}, kF32); },
         "expected each tensor once, found tensor 'output_norm.weight' twice");
  expect([](GgufWriter &f) { f.tensor("blk.0.ffn_gate_inp.weight", {32, 32}, kF32); },
         "expected only the tensors of a llama model with these layers, found "
         "'blk.0.ffn_gate_inp.weight'");
  expect([](GgufWriter &f) { f.count("llama.attention.head_count_kv", 2); },
         "expected a multiple of 'llama.attention.head_count_kv' (2) as "
         "'llama.attention.head_count', found 1");
  expect([](GgufWriter &f) { f.count("llama.attention.key_length", 48); },
         "expected heads of a multiple of 32 elements, found 48");
  for (int rotated : {17, 34})
    expect([=](GgufWriter &f) { f.count("llama.rope.dimension_count", rotated); },
           ("expected an even number up to the size of a head, 32, as "
            "'llama.rope.dimension_count', found " +
            std::to_string(rotated))
               .c_str());
  expect([](GgufWriter &f) { f.text("llama.rope.scaling.type", "longrope"); },
         "expected 'none', 'linear' or 'yarn' as 'llama.rope.scaling.type', found 'longrope'");
  expect([](GgufWriter &f) { f.count("llama.expert_count", 8); },
         "expected an integer from 1 to 8 as 'llama.expert_used_count', found none");
  expect([](GgufWriter &f) { f.number("llama.attention.causal", GgufType::Bool, uint8_t(0)); },
         "expected 'llama.attention.causal' to be 1 or absent, found another value, which ttc does "
         "not support");
  expect([](GgufWriter &f) { f.number("llama.rope.scaling.attn_factor", GgufType::F32, 1.5f); },
         "expected 'llama.rope.scaling.attn_factor' to be 1 or absent, found another value, which "
         "ttc does not support");
  expect(
      [](GgufWriter &f) { f.number("llama.rope.scaling.yarn_ext_factor", GgufType::F32, 1.0f); },
      "expected 'llama.rope.scaling.yarn_ext_factor' to be 0 or absent, found another value, which "
      "ttc does not support");
  expect(
      [](GgufWriter &f) {
        f.text("llama.rope.scaling.type", "yarn");
        f.number("llama.rope.scaling.factor", GgufType::F32, 4.0f);
        f.number("llama.rope.scaling.yarn_ext_factor", GgufType::F32, 0.5f);
      },
      "expected 'llama.rope.scaling.yarn_ext_factor' to be 0 or absent, found another value, which "
      "ttc does not support");
  expect([](GgufWriter &f) { f.number("llama.logit_scale", GgufType::F32, 0.5f); },
         "expected 'llama.logit_scale' to be 0 or absent, found another value, which ttc does not "
         "support");
  expect([](GgufWriter &f) { f.count("llama.rope.scaling.alpha", 2); },
         "expected only keys of a llama model that ttc reads, found 'llama.rope.scaling.alpha'");
  expect([](GgufWriter &f) { f.number("llama.rope.scale_linear", GgufType::F32, 1e-4f); },
         "expected 0 or a number from 0.001 to 1000000 as 'llama.rope.scale_linear', found "
         "0.000100");
  expect([](GgufWriter &f) { f.number("split.count", GgufType::U16, uint16_t(3)); },
         "expected an integer from 0 to 2 as 'split.no', found none");
  expect(
      [](GgufWriter &f) {
        f.number("split.count", GgufType::U16, uint16_t(3));
        f.count("split.no", 0);
      },
      "expected a name that ends with '-00001-of-00003.gguf' for the first of 3 files "
      "('split.count'), found 'damaged.gguf'");
  expect([](GgufWriter &f) { f.tensor("output.weight", {32, 3}, kQ4_1); },
         "expected the shape [32, 4] of tensor 'output.weight', found [32, 3]");
  expect([](GgufWriter &f) { f.tensor("output.weight", {32, 4}, 10); },
         "expected rows of whole blocks of 256 elements (Q2_K) in tensor 'output.weight', found 32 "
         "elements");
  expect([](GgufWriter &f) { f.tensor("output.weight", {32, 4}, 26); },
         "expected tensor 'output.weight' as F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, "
         "Q5_K, Q6_K, IQ4_NL, IQ4_XS, Q2_K, Q3_K, MXFP4, TQ1_0 or TQ2_0, found I32");

  GgufWriter file = makeModel();
  file.tensor("rope_freqs.weight", {16}, kF32);
  std::string bytes = file.finish(); // the factors are the last bytes
  bytes.replace(bytes.size() - 4, 4, 4, '\0');
  EXPECT_EQ(errorOf(bytes),
            "expected positive factors in tensor 'rope_freqs.weight', found 0.000000\n");
}

TEST_F(DamagedGguf, Numbers) {
  GgufWriter file;
  file.number("u64", GgufType::U64, UINT64_MAX);
  file.number("i8", GgufType::I8, int8_t(-3));
  file.number("nan", GgufType::F32, std::numeric_limits<float>::quiet_NaN());
  file.number("f64", GgufType::F64, 0.25);
  file.texts("texts", {"x", ""});
  const std::string bytes = file.finish();
  llvm::Expected<GgufFile> parsed = GgufFile::parse(bytes);
  ASSERT_TRUE(bool(parsed));
  auto message = [](auto expected) { return llvm::toString(expected.takeError()); };
  EXPECT_EQ(*parsed->getInteger("i8", -8, 8), -3);
  EXPECT_EQ(*parsed->getInteger("none", 0, 8, 5), 5);
  EXPECT_EQ(*parsed->getNumber("f64", 0, 1), 0.25);
  EXPECT_EQ(parsed->getTexts("texts")->size(), 2u);
  EXPECT_EQ(message(parsed->getInteger("i8", 0, 8)),
            "expected an integer from 0 to 8 as 'i8', found -3");
  EXPECT_EQ(
      message(parsed->getInteger("u64", 0, INT64_MAX)),
      "expected an integer from 0 to 9223372036854775807 as 'u64', found an unsigned integer");
  EXPECT_EQ(message(parsed->getInteger("none", 0, 8)),
            "expected an integer from 0 to 8 as 'none', found none");
  EXPECT_EQ(message(parsed->getText("texts")),
            "expected a string as 'texts', found an array of 2, each a string");
  EXPECT_NE(message(parsed->getNumber("nan", 0, 1)).find("as 'nan', found "), std::string::npos);
}

} // namespace
