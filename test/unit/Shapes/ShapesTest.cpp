// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for inputs of many shapes.

#include "ttrt/shapes.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/VariantBundle.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"

#include <cmath>
#include <random>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Shape = std::vector<int64_t>;

/// Random inputs of a batch of sequences, and what the model makes of them.
struct Case {
  Case(int64_t batch, int64_t sequence, uint32_t seed) : batch(batch), sequence(sequence) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> value(-1, 1);
    x.resize(static_cast<size_t>(batch * sequence * kVariantDepth));
    mask.resize(static_cast<size_t>(batch * sequence));
    for (float &each : x)
      each = value(random);
    for (int8_t &each : mask)
      each = random() % 4 != 0;
    for (float &each : w)
      each = value(random);
    for (int64_t b = 0; b < batch; ++b) {
      float sum = 0;
      for (int64_t i = 0; i < sequence; ++i)
        for (int64_t k = 0; k < kVariantDepth; ++k) {
          const float each = x[static_cast<size_t>((b * sequence + i) * kVariantDepth + k)];
          if (mask[static_cast<size_t>(b * sequence + i)])
            sum += w[k] * each;
          if (i % 2 == 0)
            z.push_back(each);
        }
      y.push_back(sum);
    }
  }

  int64_t batch, sequence;
  std::vector<float> x, y, z;
  std::vector<int8_t> mask;
  float w[kVariantDepth];
};

std::vector<uint8_t> fileOf(BundleBuilder &builder) {
  certify(builder);
  return builder.finish();
}

/// A model on a device.
struct Model {
  explicit Model(BundleBuilder builder = variantBundle(), uint32_t queues = 0)
      : file(fileOf(builder)), loaded(file.path(), deviceOptions(1, queues)) {
    EXPECT_EQ(ttrt_model_open(loaded.bundle, nullptr, &model, &error), TTRT_OK) << error.message;
  }
  ~Model() { ttrt_model_close(model); }

  ttrt_variant variant(uint32_t index) {
    ttrt_variant info = TTRT_VARIANT_INIT;
    EXPECT_EQ(ttrt_model_variant(model, index, &info, &error), TTRT_OK) << error.message;
    return info;
  }
  /// Fills all slots of inputs, and those of outputs, with NaN.
  void poison() {
    for (uint32_t i = 0; i < ttrt_bundle_entries(loaded.bundle); ++i)
      for (uint32_t input = 0; input < 4; ++input) {
        ttrt_port port = TTRT_PORT_INIT;
        void *slot;
        ASSERT_EQ(ttrt_bundle_input(loaded.bundle, i, input, &port, &error), TTRT_OK);
        ASSERT_EQ(ttrt_device_input_slot(loaded.device, i, input, &slot, &error), TTRT_OK);
        memset(slot, 0xff, port.bytes);
      }
  }

  TemporaryFile file;
  Loaded loaded;
  ttrt_model *model = nullptr;
  ttrt_error error;
};

/// Inputs and outputs of a case.
struct Call {
  explicit Call(const Case &given)
      : given(given), shapes{{given.batch, given.sequence, kVariantDepth},
                             {given.batch, given.sequence},
                             {kVariantDepth}},
        y(given.y.size(), NAN), z(given.z.size(), NAN) {
    inputs[0] = {given.x.data(), 3, shapes[0].data()};
    inputs[1] = {given.mask.data(), 2, shapes[1].data()};
    inputs[2] = {given.w, 1, shapes[2].data()};
    outputs[0] = {y.data(), 4 * y.size(), yShape, 0};
    outputs[1] = {z.data(), 4 * z.size(), zShape, 0};
  }
  Call(const Call &) = delete;

  ttrt_status run(Model &on, const ttrt_run_options *options = nullptr) {
    return ttrt_run_shaped(on.loaded.device, on.model, inputs, outputs, options, &on.error);
  }
  void expectResult() {
    EXPECT_EQ(y, given.y);
    EXPECT_EQ(z, given.z);
    EXPECT_EQ(yShape[0], given.batch);
    EXPECT_EQ(Shape(zShape, zShape + 3), (Shape{given.batch, (given.sequence + 1) / 2, 3}));
    EXPECT_EQ(outputs[0].bytes, 4 * given.y.size());
    EXPECT_EQ(outputs[1].bytes, 4 * given.z.size());
  }

  const Case &given;
  Shape shapes[3];
  std::vector<float> y, z;
  int64_t yShape[1] = {}, zShape[3] = {};
  ttrt_shaped_input inputs[3];
  ttrt_shaped_output outputs[2];
};

TEST(Shapes, RunsEveryShapeWithWhateverLiesBeyond) {
  Model model;
  uint32_t seed = 0;
  for (int64_t batch = 1; batch <= 4; ++batch)
    for (int64_t sequence = 1; sequence <= (batch <= 2 ? 32 : 8); ++sequence)
      for (int noTrace : {0, 1}) {
        SCOPED_TRACE(std::to_string(batch) + "x" + std::to_string(sequence));
        const Case given(batch, sequence, ++seed);
        model.poison();
        Call call(given);
        ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
        ttrt_timing timing = TTRT_TIMING_INIT;
        options.no_trace = noTrace;
        options.timing = &timing;
        ASSERT_EQ(call.run(model, &options), TTRT_OK) << model.error.message;
        call.expectResult();
        EXPECT_GT(timing.total, 0u);
      }
}

TEST(Shapes, ChoosesTheSmallestVariantThatHoldsThem) {
  Model model;
  EXPECT_EQ(ttrt_bundle_models(model.loaded.bundle), 1u);
  EXPECT_STREQ(ttrt_bundle_model_name(model.loaded.bundle, 0), "main");
  EXPECT_EQ(ttrt_bundle_model_name(model.loaded.bundle, 1), nullptr);
  const std::tuple<int64_t, int64_t, const char *> cases[] = {
      {1, 1, "main.1x4"}, {1, 4, "main.1x4"},  {1, 5, "main.4x8"},  {2, 1, "main.4x8"},
      {4, 8, "main.4x8"}, {1, 9, "main.2x32"}, {2, 32, "main.2x32"}};
  for (const auto &[batch, sequence, name] : cases) {
    const int64_t extents[] = {batch, sequence};
    uint32_t variant;
    ASSERT_EQ(ttrt_model_choose(model.model, extents, &variant, &model.error), TTRT_OK);
    EXPECT_STREQ(model.variant(variant).name, name);
  }
  for (const auto &[batch, sequence] :
       {std::pair<int64_t, int64_t>{5, 1}, {3, 9}, {1, 33}, {0, 1}, {1, -1}}) {
    const int64_t extents[] = {batch, sequence};
    uint32_t variant = 7;
    EXPECT_EQ(ttrt_model_choose(model.model, extents, &variant, &model.error), TTRT_UNSUPPORTED);
    EXPECT_EQ(variant, 7u);
    EXPECT_EQ(std::string(model.error.message),
              "no variant of model 'main' holds batch = " + std::to_string(batch) +
                  ", sequence = " + std::to_string(sequence) +
                  "; it has batch 1..4, sequence 1..32 in 3 variants: main.1x4 (batch 1..1, "
                  "sequence 1..4), main.4x8 (batch 1..4, sequence 1..8), main.2x32 (batch 1..2, "
                  "sequence 1..32)");
  }
}

TEST(Shapes, ChoosesTheFirstOfEqualOnes) {
  Model model(variantBundle({{1, 2, 8, 16, 8}, {1, 4, 1, 8}, {2, 8, 2, 4, 2}}));
  const std::tuple<int64_t, int64_t, uint32_t> cases[] = {{1, 8, 0}, {2, 16, 0}, {1, 4, 1},
                                                          {4, 4, 1}, {4, 8, 1},  {8, 4, 2}};
  for (const auto &[batch, sequence, entry] : cases) {
    const int64_t extents[] = {batch, sequence};
    uint32_t variant;
    ASSERT_EQ(ttrt_model_choose(model.model, extents, &variant, &model.error), TTRT_OK);
    EXPECT_EQ(model.variant(variant).entry, entry) << batch << "x" << sequence;
  }
}

TEST(Shapes, DescribesTheModel) {
  Model model(variantBundle({{1, 2, 8, 16, 8}, {1, 4, 4, 8, 4}}));
  ttrt_model_info info = TTRT_MODEL_INFO_INIT;
  ASSERT_EQ(ttrt_model_describe(model.model, &info, &model.error), TTRT_OK);
  EXPECT_STREQ(info.name, "main");
  EXPECT_EQ(info.dims, 2u);
  EXPECT_EQ(info.inputs, 3u);
  EXPECT_EQ(info.outputs, 2u);
  EXPECT_EQ(info.variants, 2u);
  ttrt_dim dim = TTRT_DIM_INIT;
  ASSERT_EQ(ttrt_model_dim(model.model, 1, &dim, &model.error), TTRT_OK);
  EXPECT_STREQ(dim.name, "sequence");
  EXPECT_EQ(dim.low, 4);
  EXPECT_EQ(dim.high, 16);
  EXPECT_EQ(dim.step, 4);
  EXPECT_EQ(ttrt_model_dim(model.model, 2, &dim, &model.error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "dimension 2; the model has 2");
  ttrt_model_port port = TTRT_MODEL_PORT_INIT;
  ASSERT_EQ(ttrt_model_input(model.model, 0, &port, &model.error), TTRT_OK);
  EXPECT_STREQ(port.name, "x");
  EXPECT_EQ(port.dtype, TTRT_F32);
  ASSERT_EQ(port.rank, 3u);
  EXPECT_STREQ(port.sizes[0], "batch");
  EXPECT_STREQ(port.sizes[1], "sequence");
  EXPECT_STREQ(port.sizes[2], "3");
  EXPECT_EQ(port.most_bytes, 4u * 4 * 8 * 3);
  ASSERT_EQ(ttrt_model_output(model.model, 1, &port, &model.error), TTRT_OK);
  EXPECT_STREQ(port.sizes[1], "(sequence+1)/2");
  EXPECT_EQ(ttrt_model_input(model.model, 3, &port, &model.error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "input 3; the model has 3");
  const ttrt_variant variant = model.variant(0);
  EXPECT_STREQ(variant.name, "main.2x16");
  EXPECT_EQ(variant.extents, 3u);
  EXPECT_EQ(Shape(variant.low, variant.low + 2), (Shape{1, 8}));
  EXPECT_EQ(Shape(variant.high, variant.high + 2), (Shape{2, 16}));
  EXPECT_EQ(Shape(variant.step, variant.step + 2), (Shape{1, 8}));
  EXPECT_EQ(variant.slot_bytes, 384u + 64 + 64 + 64 + 64 + 192); // buffers are multiples of 64
  const int64_t extents[] = {2, 8};
  int64_t shape[3];
  ASSERT_EQ(ttrt_model_output_shape(model.model, 1, extents, shape, &model.error), TTRT_OK);
  EXPECT_EQ(Shape(shape, shape + 3), (Shape{2, 4, 3}));
  ASSERT_EQ(ttrt_model_input_shape(model.model, 1, extents, shape, &model.error), TTRT_OK);
  EXPECT_EQ(Shape(shape, shape + 2), (Shape{2, 8}));
  const int64_t odd[] = {2, 7};
  EXPECT_EQ(ttrt_model_input_shape(model.model, 1, odd, shape, &model.error), TTRT_UNSUPPORTED);
}

TEST(Shapes, ShapesThatContradict) {
  Model model;
  const Case given(2, 5, 1);
  auto expectError = [&](uint32_t input, const Shape &shape, const char *message) {
    Call call(given);
    const uint32_t rank = static_cast<uint32_t>(shape.size());
    call.inputs[input] = {call.inputs[input].data, rank, shape.data()};
    EXPECT_EQ(call.run(model), TTRT_INVALID_ARGUMENT);
    EXPECT_STREQ(model.error.message, message);
    EXPECT_TRUE(std::isnan(call.y[0]));
    EXPECT_EQ(call.outputs[0].bytes, 0u);
  };
  expectError(1, {2, 6},
              "input 'mask': axis 1 has size 6; expected sequence = 5, since other axes "
              "give batch = 2, sequence = 5");
  expectError(1, {3, 5},
              "input 'mask': axis 0 has size 3; expected batch = 2, since other axes "
              "give batch = 2, sequence = 5");
  expectError(0, {2, 5, 4}, "input 'x': axis 2 has size 4; expected 3");
  expectError(2, {4}, "input 'w': axis 0 has size 4; expected 3");
  expectError(0, {2, 5}, "input 'x' has 2 dimensions; expected 3");
  expectError(0, {-1, 5, 3},
              "input 'x': axis 0 has size -1; expected batch, which is that of no "
              "extent of 'batch'");
  expectError(0, {int64_t(1) << 40, 5, 3},
              "input 'x': axis 0 has size 1099511627776; expected batch, which is that of no "
              "extent of 'batch'");
  expectError(0, {INT64_MIN, INT64_MAX, 3},
              "input 'x': axis 0 has size -9223372036854775808; expected batch, which is that of "
              "no extent of 'batch'");
}

TEST(Shapes, NoVariantHoldsThem) {
  Model model;
  const Case given(3, 9, 1);
  Call call(given);
  EXPECT_EQ(call.run(model), TTRT_UNSUPPORTED);
  EXPECT_STREQ(model.error.message,
               "no variant of model 'main' holds batch = 3, sequence = 9; it has batch 1..4, "
               "sequence 1..32 in 3 variants: main.1x4 (batch 1..1, sequence 1..4), main.4x8 "
               "(batch 1..4, sequence 1..8), main.2x32 (batch 1..2, sequence 1..32)");
}

/// The bounds of dimensions come first, and no variant is cut.
TEST(Shapes, NoRoomForTheBoundsOfAllVariants) {
  BundleBuilder builder = variantBundle();
  const std::string batch(170, 'b');
  for (const auto &entry : builder.bundle.entries)
    entry->variant->dims[0] = batch;
  Model model(std::move(builder));
  const Case given(3, 9, 1);
  Call call(given);
  EXPECT_EQ(call.run(model), TTRT_UNSUPPORTED);
  const std::string bounds = " 1..4, sequence 1..32 in 3 variants, among them main.4x8 (";
  EXPECT_NE(std::string(model.error.message).find("; it has " + batch + bounds), std::string::npos)
      << model.error.message;
  EXPECT_TRUE(std::string(model.error.message).ends_with(" 1..2, sequence 1..32)"))
      << model.error.message;
}

TEST(Shapes, OutputsLargerThanTheirCapacity) {
  Model model;
  const Case given(2, 5, 1);
  Call call(given);
  call.outputs[1].capacity = 4 * 2 * 3 * 3 - 1;
  EXPECT_EQ(call.run(model), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "output 'z' has room for 71 bytes; expected 72");
  EXPECT_TRUE(std::isnan(call.y[0]));
  ++call.outputs[1].capacity;
  ASSERT_EQ(call.run(model), TTRT_OK) << model.error.message;
  call.expectResult();
}

TEST(Shapes, WritesNothingBeyondTheOutput) {
  Model model;
  const Case given(2, 5, 1);
  Call call(given);
  std::vector<float> large(100, 7);
  call.outputs[1] = {large.data(), 400, nullptr, 0};
  ASSERT_EQ(call.run(model), TTRT_OK) << model.error.message;
  EXPECT_EQ(std::vector<float>(large.begin(), large.begin() + 18), given.z);
  EXPECT_EQ(std::count(large.begin() + 18, large.end(), 7.0f), 82);
}

TEST(Shapes, RunsOnSlotsInPlace) {
  Model model;
  const Case given(3, 5, 9);
  Call call(given);
  int64_t extents[2];
  uint32_t variant;
  ASSERT_EQ(ttrt_model_extents(model.model, call.inputs, extents, &model.error), TTRT_OK);
  EXPECT_EQ(Shape(extents, extents + 2), (Shape{3, 5}));
  ASSERT_EQ(ttrt_model_choose(model.model, extents, &variant, &model.error), TTRT_OK);
  model.poison();
  ttrt_slot slot = TTRT_SLOT_INIT;
  ASSERT_EQ(
      ttrt_model_input_slot(model.loaded.device, model.model, variant, 0, &slot, &model.error),
      TTRT_OK);
  EXPECT_EQ(Shape(slot.shape, slot.shape + slot.rank), (Shape{4, 8, 3}));
  EXPECT_EQ(Shape(slot.strides, slot.strides + slot.rank), (Shape{96, 12, 4}));
  EXPECT_EQ(slot.bytes, 4u * 4 * 8 * 3);
  for (int64_t b = 0; b < given.batch; ++b)
    memcpy(static_cast<char *>(slot.data) + b * slot.strides[0],
           given.x.data() + b * given.sequence * 3, static_cast<size_t>(given.sequence) * 12);
  call.inputs[0].data = nullptr;
  call.outputs[1].data = nullptr;
  ASSERT_EQ(call.run(model), TTRT_OK) << model.error.message;
  EXPECT_EQ(call.y, given.y);
  EXPECT_EQ(Shape(call.zShape, call.zShape + 3), (Shape{3, 3, 3}));
  ASSERT_EQ(
      ttrt_model_output_slot(model.loaded.device, model.model, variant, 1, &slot, &model.error),
      TTRT_OK);
  for (int64_t b = 0; b < given.batch; ++b)
    EXPECT_EQ(
        memcmp(static_cast<char *>(slot.data) + b * slot.strides[0], given.z.data() + b * 9, 36),
        0);
}

/// A queue runs a variant: the extents are an input as the others.
TEST(Shapes, PacksForAPipeline) {
  Model model(variantBundle(), 1);
  const ttrt_variant variant = model.variant(1);
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = variant.entry;
  ttrt_pipeline *pipeline;
  ASSERT_EQ(ttrt_pipeline_open(model.loaded.device, &options, &pipeline, &model.error), TTRT_OK)
      << model.error.message;
  for (int64_t batch = 1; batch <= 4; ++batch)
    for (int64_t sequence = 1; sequence <= 8; ++sequence) {
      const Case given(batch, sequence, static_cast<uint32_t>(batch * 10 + sequence));
      const int64_t extents[] = {batch, sequence};
      std::vector<float> x(4 * 8 * 3, NAN), y(4), z(4 * 4 * 3), dense(given.z.size()),
          sums(given.y.size());
      std::vector<int8_t> mask(4 * 8, 1);
      auto pack = [&](uint32_t input, const void *from, void *to, size_t bytes) {
        ASSERT_EQ(ttrt_model_pack(model.model, 1, input, extents, from, to, bytes, &model.error),
                  TTRT_OK)
            << model.error.message;
      };
      pack(0, given.x.data(), x.data(), 4 * x.size());
      pack(1, given.mask.data(), mask.data(), mask.size());
      const int32_t numbers[] = {static_cast<int32_t>(batch), static_cast<int32_t>(sequence)};
      const ttrt_input inputs[] = {
          {x.data(), 4 * x.size()}, {mask.data(), mask.size()}, {given.w, 12}, {numbers, 8}};
      ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, inputs, nullptr, TTRT_WAIT, &model.error), TTRT_OK)
          << model.error.message;
      const void *popped[2];
      ASSERT_EQ(ttrt_pipeline_pop(pipeline, popped, TTRT_WAIT, &model.error), TTRT_OK)
          << model.error.message;
      auto unpack = [&](uint32_t output, size_t bytes, void *to) {
        ASSERT_EQ(ttrt_model_unpack(model.model, 1, output, extents, popped[output], bytes, to,
                                    &model.error),
                  TTRT_OK)
            << model.error.message;
      };
      unpack(0, 4 * y.size(), sums.data());
      unpack(1, 4 * z.size(), dense.data());
      EXPECT_EQ(sums, given.y);
      EXPECT_EQ(dense, given.z);
    }
  ttrt_pipeline_close(pipeline);
  const int64_t large[] = {5, 1}, small[] = {1, 1};
  char bytes[4];
  EXPECT_EQ(ttrt_model_pack(model.model, 1, 1, large, bytes, bytes, 32, &model.error),
            TTRT_UNSUPPORTED);
  EXPECT_STREQ(model.error.message,
               "variant 'main.4x8' of model 'main' does not hold batch = 5, sequence = 1; it has "
               "batch 1..4, sequence 1..8");
  EXPECT_EQ(ttrt_model_pack(model.model, 1, 1, small, bytes, bytes, 31, &model.error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "'mask' of variant 'main.4x8' has 31 bytes; expected 32");
}

/// As entry points, by any call, variants run the extents that they hold, and no others.
TEST(Shapes, VariantsRefuseOtherExtents) {
  Model model(variantBundle({{1, 4, 2, 8, 2}}), 1);
  std::vector<float> x(4 * 8 * 3), w(3), y(4), z(4 * 4 * 3);
  std::vector<int8_t> mask(4 * 8);
  int32_t extents[2];
  const ttrt_input inputs[] = {
      {x.data(), 4 * x.size()}, {mask.data(), mask.size()}, {w.data(), 12}, {extents, 8}};
  const ttrt_output outputs[] = {{y.data(), 16}, {z.data(), 4 * z.size()}};
  ttrt_device *const device = model.loaded.device;
  auto run = [&] { return ttrt_run(device, 0, inputs, outputs, nullptr, &model.error); };
  auto write = [&] { return ttrt_enqueue_write(device, 0, 0, 3, extents, 8, 1, &model.error); };
  struct {
    int32_t batch, sequence;
    const char *says;
  } const wrong[] = {{0, 4, "'batch' is 0; expected a multiple of 1 from 1 to 4"},
                     {5, 4, "'batch' is 5; expected a multiple of 1 from 1 to 4"},
                     {1, 3, "'sequence' is 3; expected a multiple of 2 from 2 to 8"},
                     {1, -2, "'sequence' is -2; expected a multiple of 2 from 2 to 8"},
                     {1, INT32_MAX, "'sequence' is 2147483647; expected"}};
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  for (const auto &each : wrong) {
    extents[0] = each.batch;
    extents[1] = each.sequence;
    auto expectRefused = [&](ttrt_status status) {
      EXPECT_EQ(status, TTRT_INVALID_ARGUMENT);
      const std::string text = "input 'extents' of entry point 'main.4x8': ";
      EXPECT_NE(std::string(model.error.message).find(text + each.says), std::string::npos)
          << model.error.message;
    };
    expectRefused(run());
    expectRefused(write());
    ttrt_pipeline *pipeline;
    ASSERT_EQ(ttrt_pipeline_open(device, &options, &pipeline, &model.error), TTRT_OK);
    expectRefused(ttrt_pipeline_enqueue(pipeline, inputs, nullptr, TTRT_WAIT, &model.error));
    ttrt_pipeline_close(pipeline);
    void *slot;
    ASSERT_EQ(ttrt_device_input_slot(device, 0, 3, &slot, &model.error), TTRT_OK);
    memcpy(slot, extents, sizeof(extents));
    const ttrt_input inSlots[4] = {};
    expectRefused(ttrt_run(device, 0, inSlots, outputs, nullptr, &model.error));
  }
  extents[0] = 4;
  extents[1] = 6;
  EXPECT_EQ(run(), TTRT_OK) << model.error.message;
  EXPECT_EQ(write(), TTRT_OK) << model.error.message;
}

/// Its slots may be those of the variant that the run would take.
TEST(Shapes, NothingIsCopiedWhileAPipelineIsOpen) {
  Model model(variantBundle(), 1);
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = model.variant(0).entry;
  ttrt_slot slot = TTRT_SLOT_INIT;
  ASSERT_EQ(ttrt_model_input_slot(model.loaded.device, model.model, 0, 0, &slot, &model.error),
            TTRT_OK);
  memset(slot.data, 0xff, slot.bytes);
  ttrt_pipeline *pipeline;
  ASSERT_EQ(ttrt_pipeline_open(model.loaded.device, &options, &pipeline, &model.error), TTRT_OK)
      << model.error.message;
  const Case given(1, 3, 1);
  Call call(given);
  EXPECT_EQ(call.run(model), TTRT_BUSY);
  EXPECT_STREQ(model.error.message, "the device has a pipeline; close it first");
  const auto *bytes = static_cast<const uint8_t *>(slot.data);
  EXPECT_EQ(std::count(bytes, bytes + slot.bytes, 0xff), static_cast<ptrdiff_t>(slot.bytes));
  ttrt_pipeline_close(pipeline);
  ASSERT_EQ(call.run(model), TTRT_OK) << model.error.message;
  call.expectResult();
}

TEST(Shapes, ModelsWithoutVariants) {
  const TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), 1);
  ttrt_error error;
  ttrt_model *model;
  ASSERT_EQ(ttrt_model_open(loaded.bundle, "main", &model, &error), TTRT_OK) << error.message;
  ttrt_model_info info = TTRT_MODEL_INFO_INIT;
  ASSERT_EQ(ttrt_model_describe(model, &info, &error), TTRT_OK);
  EXPECT_EQ(info.dims, 0u);
  EXPECT_EQ(info.variants, 1u);
  ttrt_variant variant = TTRT_VARIANT_INIT;
  ASSERT_EQ(ttrt_model_variant(model, 0, &variant, &error), TTRT_OK);
  EXPECT_EQ(variant.extents, UINT32_MAX);
  EXPECT_EQ(variant.low, nullptr);
  const std::vector<float> x = ramp(kSampleElements);
  std::vector<float> y(kSampleElements);
  const int64_t shape[] = {1, 256}, other[] = {1, 255};
  int64_t result[2] = {};
  ttrt_shaped_input input{x.data(), 2, shape};
  ttrt_shaped_output output{y.data(), kSampleBytes, result, 0};
  ASSERT_EQ(ttrt_run_shaped(loaded.device, model, &input, &output, nullptr, &error), TTRT_OK)
      << error.message;
  EXPECT_EQ(y, sampleResult(x));
  EXPECT_EQ(Shape(result, result + 2), (Shape{1, 256}));
  input.shape = other;
  EXPECT_EQ(ttrt_run_shaped(loaded.device, model, &input, &output, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 'x': axis 1 has size 255; expected 256");
  ttrt_model_close(model);
  EXPECT_EQ(ttrt_model_open(loaded.bundle, "other", &model, &error), TTRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "no model 'other'; the bundle has main");
  EXPECT_EQ(model, nullptr);
}

/// A size that several extents have determines the extent only where steps say so.
TEST(Shapes, SolvesQuotientsAndSums) {
  BundleBuilder builder = variantBundle({{3, 4, 2, 8, 2}});
  auto &inputs = builder.bundle.entries[0]->inputs;
  inputs[0]->dims[1] = extentOf({2, 1}, -8); // 2 * batch + sequence - 8 = 8
  inputs[0]->shape[1] = 8;
  inputs[1]->dims[1] = extentOf({0, 1}, 8, 2); // (sequence + 8) / 2 = 8
  Model model(std::move(builder));
  for (int64_t batch : {3, 4})
    for (int64_t sequence : {2, 4, 6, 8}) {
      const Shape x = {batch, 2 * batch + sequence - 8, 3}, mask = {batch, (sequence + 8) / 2},
                  w = {3};
      const ttrt_shaped_input shaped[] = {
          {nullptr, 3, x.data()}, {nullptr, 2, mask.data()}, {nullptr, 1, w.data()}};
      int64_t extents[2];
      ASSERT_EQ(ttrt_model_extents(model.model, shaped, extents, &model.error), TTRT_OK)
          << model.error.message;
      EXPECT_EQ(Shape(extents, extents + 2), (Shape{batch, sequence}));
    }
  const Shape x = {3, 1, 3}, mask = {3, 4}, w = {3};
  const ttrt_shaped_input shaped[] = {
      {nullptr, 3, x.data()}, {nullptr, 2, mask.data()}, {nullptr, 1, w.data()}};
  int64_t extents[2];
  EXPECT_EQ(ttrt_model_extents(model.model, shaped, extents, &model.error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "input 'mask': axis 1 has size 4; expected (sequence+8)/2 = 5, "
                                    "since other axes give batch = 3, sequence = 3");
}

/// Pixels of an image, in a list.
TEST(Shapes, SizesThatAreProducts) {
  BundleBuilder builder = variantBundle({{1, 4, 1, 8}});
  fb::PortT &z = *builder.bundle.entries[0]->outputs[1];
  z.shape = {1, 48, 1};
  z.dims[0] = extentOf({0, 0}, 1);
  z.dims[1] = productOf(1, {{1, 0}, {0, 1}});
  z.dims[1]->offset = 16; // batch * sequence + 16 = 48
  z.dims[2] = extentOf({0, 0}, 1);
  Model model(std::move(builder));
  for (int64_t batch : {1, 3, 4})
    for (int64_t sequence : {1, 5, 8}) {
      const int64_t extents[] = {batch, sequence};
      int64_t shape[3];
      ASSERT_EQ(ttrt_model_output_shape(model.model, 1, extents, shape, &model.error), TTRT_OK)
          << model.error.message;
      EXPECT_EQ(Shape(shape, shape + 3), (Shape{1, batch * sequence + 16, 1}));
    }
}

TEST(Shapes, AllocatesNothing) {
  Model model;
  std::vector<Case> cases;
  for (uint32_t i = 0; i < 40; ++i)
    cases.emplace_back(1 + i % 2, 1 + i % 32, i);
  std::vector<std::unique_ptr<Call>> calls;
  for (const Case &given : cases)
    calls.push_back(std::make_unique<Call>(given));
  const long before = allocations.load();
  for (const auto &call : calls)
    ASSERT_EQ(call->run(model), TTRT_OK) << model.error.message;
  EXPECT_EQ(allocations.load(), before);
  for (const auto &call : calls)
    call->expectResult();
}

/// Each inference has extents of its own, in slots that are filled in place, and in a pipeline.
TEST(Shapes, SlotsAndPipelinesAllocateNothing) {
  Model model(variantBundle(), 1);
  std::vector<Case> cases;
  std::vector<std::vector<float>> sums;
  for (uint32_t i = 0; i < 20; ++i) {
    cases.emplace_back(1 + i % 4, 1 + i % 8, i);
    sums.emplace_back(cases.back().y.size());
  }
  std::vector<float> x(4 * 8 * 3);
  std::vector<int8_t> mask(4 * 8);
  ttrt_status status = TTRT_OK;
  auto expectOk = [&](ttrt_status next) { status = status == TTRT_OK ? next : status; };

  long before = allocations.load();
  for (size_t i = 0; i < cases.size(); ++i) {
    const int64_t extents[] = {cases[i].batch, cases[i].sequence};
    uint32_t variant;
    expectOk(ttrt_model_choose(model.model, extents, &variant, &model.error));
    const void *const dense[] = {cases[i].x.data(), cases[i].mask.data(), cases[i].w};
    const int64_t shapes[][3] = {
        {extents[0], extents[1], kVariantDepth}, {extents[0], extents[1]}, {kVariantDepth}};
    ttrt_shaped_input inputs[3];
    for (uint32_t input = 0; input < 3; ++input) {
      ttrt_slot slot = TTRT_SLOT_INIT;
      expectOk(ttrt_model_input_slot(model.loaded.device, model.model, variant, input, &slot,
                                     &model.error));
      expectOk(ttrt_model_pack(model.model, variant, input, extents, dense[input], slot.data,
                               slot.bytes, &model.error));
      inputs[input] = {nullptr, slot.rank, shapes[input]};
    }
    ttrt_shaped_output outputs[] = {{sums[i].data(), 4 * sums[i].size(), nullptr, 0}, {}};
    expectOk(
        ttrt_run_shaped(model.loaded.device, model.model, inputs, outputs, nullptr, &model.error));
  }
  EXPECT_EQ(allocations.load(), before);
  ASSERT_EQ(status, TTRT_OK) << model.error.message;
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(std::exchange(sums[i], std::vector<float>(sums[i].size())), cases[i].y);

  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = model.variant(1).entry;
  ttrt_pipeline *pipeline;
  ASSERT_EQ(ttrt_pipeline_open(model.loaded.device, &options, &pipeline, &model.error), TTRT_OK)
      << model.error.message;
  before = allocations.load();
  for (size_t i = 0; i < cases.size(); ++i) {
    const int64_t extents[] = {cases[i].batch, cases[i].sequence};
    expectOk(ttrt_model_pack(model.model, 1, 0, extents, cases[i].x.data(), x.data(), 4 * x.size(),
                             &model.error));
    expectOk(ttrt_model_pack(model.model, 1, 1, extents, cases[i].mask.data(), mask.data(),
                             mask.size(), &model.error));
    const int32_t numbers[] = {static_cast<int32_t>(extents[0]), static_cast<int32_t>(extents[1])};
    const ttrt_input inputs[] = {
        {x.data(), 4 * x.size()}, {mask.data(), mask.size()}, {cases[i].w, 12}, {numbers, 8}};
    expectOk(ttrt_pipeline_enqueue(pipeline, inputs, nullptr, TTRT_WAIT, &model.error));
    const void *popped[2];
    expectOk(ttrt_pipeline_pop(pipeline, popped, TTRT_WAIT, &model.error));
    expectOk(
        ttrt_model_unpack(model.model, 1, 0, extents, popped[0], 16, sums[i].data(), &model.error));
  }
  EXPECT_EQ(allocations.load(), before);
  ASSERT_EQ(status, TTRT_OK) << model.error.message;
  ttrt_pipeline_close(pipeline);
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(sums[i], cases[i].y);
}

TEST(Shapes, ThreadsShareAModel) {
  const TemporaryFile file(variantBundle().finish());
  Loaded first(file.path(), 1), second(file.path(), 1);
  ttrt_error error;
  ttrt_model *model;
  ASSERT_EQ(ttrt_model_open(first.bundle, "main", &model, &error), TTRT_OK) << error.message;
  auto work = [&](ttrt_device *device, uint32_t seed) {
    for (uint32_t i = 0; i < 50; ++i) {
      const Case given(1 + i % 2, 1 + (i + seed) % 32, i + seed);
      Call call(given);
      ttrt_error problem;
      ASSERT_EQ(ttrt_run_shaped(device, model, call.inputs, call.outputs, nullptr, &problem),
                TTRT_OK)
          << problem.message;
      call.expectResult();
    }
  };
  std::thread other(work, second.device, 17);
  work(first.device, 0);
  other.join();
  ttrt_model_close(model);
}

TEST(Shapes, NullArguments) {
  Model model;
  ttrt_model *opened;
  ttrt_error error;
  EXPECT_EQ(ttrt_model_open(nullptr, "main", &opened, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_model_open(model.loaded.bundle, "main", nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_models(nullptr), 0u);
  EXPECT_EQ(ttrt_bundle_model_name(nullptr, 0), nullptr);
  ttrt_model_close(nullptr);
  const Case given(1, 1, 0);
  Call call(given);
  EXPECT_EQ(ttrt_run_shaped(nullptr, model.model, call.inputs, call.outputs, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(
      ttrt_run_shaped(model.loaded.device, nullptr, call.inputs, call.outputs, nullptr, &error),
      TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(
      ttrt_run_shaped(model.loaded.device, model.model, nullptr, call.outputs, nullptr, &error),
      TTRT_INVALID_ARGUMENT);
  call.inputs[0].shape = nullptr;
  EXPECT_EQ(call.run(model), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(model.error.message, "the shape of an input is NULL");
}

} // namespace
