// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions: registered, called with what the bundle says, proved, and failing.

#include "test/unit/Support/Certify.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/HostBundle.h"
#include "test/unit/Support/Loaded.h"
#include "ttrt/host.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"

#include <cstring>
#include <functional>

namespace ttrt::test {
namespace {

/// What the function under test sees and does.
struct Scale {
  int calls = 0;
  int failures = 0;         ///< calls that fail
  const char *message = ""; ///< of those that do
  std::function<void(const ttrt_host_call &)> inspect;
};

ttrt_status scale(void *user, const ttrt_host_call *call, ttrt_error *error) {
  auto &state = *static_cast<Scale *>(user);
  ++state.calls;
  if (state.inspect)
    state.inspect(*call);
  if (state.failures > 0) {
    --state.failures;
    strncpy(error->message, state.message, sizeof(error->message));
    return TTRT_UNSUPPORTED;
  }
  const auto *x = static_cast<const float *>(call->operands[0].data);
  const auto *z = static_cast<const float *>(call->operands[2].data);
  auto *y = static_cast<float *>(call->results[0].data);
  for (size_t i = 0; i < call->results[0].bytes / sizeof(float); ++i)
    y[i] = 3 * x[i] + z[i];
  return TTRT_OK;
}

std::vector<float> expectedOf(const std::vector<float> &input) {
  std::vector<float> result(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    const float x = input[input.size() - 1 - i];
    result[i] = 3 * (x + x) + x;
  }
  return result;
}

class HostFunctions : public testing::TestWithParam<uint32_t> {
protected:
  ttrt_device_options options() {
    ttrt_device_options options = deviceOptions(GetParam(), 2);
    options.host_functions = list;
    return options;
  }

  Scale state;
  const ttrt_host_function function{sizeof(function), "com.acme.Scale", scale, &state};
  const ttrt_host_function *const list[2] = {&function, nullptr};
  TemporaryFile file{hostBundle().finish()};
  ttrt_error error{};
};

TEST_P(HostFunctions, ComputeBetweenTraces) {
  Loaded loaded(file.path(), options());
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<float> input = sampleInput(i);
    EXPECT_EQ(loaded.run(input, kSampleElements), expectedOf(input));
    EXPECT_EQ(loaded.run(input, kSampleElements, /*noTrace=*/true), expectedOf(input));
  }
  EXPECT_EQ(state.calls, 6);
}

TEST_P(HostFunctions, GetOperandsAndAttributes) {
  state.inspect = [](const ttrt_host_call &call) {
    EXPECT_EQ(call.size, sizeof(call));
    EXPECT_STREQ(call.name, "com.acme.Scale");
    EXPECT_EQ(call.version, 3u);
    ASSERT_EQ(call.operand_count, 3u);
    ASSERT_EQ(call.result_count, 1u);
    for (const ttrt_tensor &tensor : {call.operands[0], call.operands[2], call.results[0]}) {
      EXPECT_EQ(tensor.dtype, TTRT_F32);
      ASSERT_EQ(tensor.rank, 2u);
      EXPECT_EQ(tensor.shape[0], 4);
      EXPECT_EQ(tensor.shape[1], 64);
      EXPECT_EQ(tensor.bytes, kSampleBytes);
      EXPECT_NE(tensor.data, nullptr);
    }
    EXPECT_EQ(call.operands[1].bytes, 0u);
    EXPECT_EQ(call.operands[1].data, nullptr);
    ASSERT_EQ(call.attribute_count, 8u);
    const ttrt_attribute *attributes = call.attributes;
    EXPECT_STREQ(attributes[0].name, "axes");
    EXPECT_EQ(attributes[0].kind, TTRT_ATTRIBUTE_INTS);
    ASSERT_EQ(attributes[0].count, 2u);
    EXPECT_EQ(attributes[0].ints[1], 3);
    EXPECT_EQ(attributes[1].kind, TTRT_ATTRIBUTE_INT);
    EXPECT_EQ(attributes[1].ints[0], -1);
    EXPECT_EQ(attributes[2].kind, TTRT_ATTRIBUTE_FLOAT);
    EXPECT_EQ(attributes[2].floats[0], 3.0f);
    EXPECT_EQ(attributes[3].kind, TTRT_ATTRIBUTE_FLOATS);
    EXPECT_EQ(attributes[3].floats[0], 0.5f);
    EXPECT_EQ(attributes[4].kind, TTRT_ATTRIBUTE_STRING);
    EXPECT_STREQ(attributes[4].strings[0], "linear");
    EXPECT_EQ(attributes[5].kind, TTRT_ATTRIBUTE_STRINGS);
    ASSERT_EQ(attributes[5].count, 3u);
    EXPECT_STREQ(attributes[5].strings[0], "a");
    EXPECT_STREQ(attributes[5].strings[1], "");
    EXPECT_STREQ(attributes[5].strings[2], "ccc");
    EXPECT_EQ(attributes[6].kind, TTRT_ATTRIBUTE_INTS);
    EXPECT_EQ(attributes[6].count, 0u);
    EXPECT_EQ(attributes[7].kind, TTRT_ATTRIBUTE_TENSOR);
    EXPECT_EQ(attributes[7].tensor.dtype, TTRT_I16);
    ASSERT_EQ(attributes[7].tensor.rank, 2u);
    EXPECT_EQ(attributes[7].tensor.bytes, 6u);
    const auto *elements = static_cast<const int16_t *>(attributes[7].tensor.data);
    EXPECT_EQ(elements[0], 1);
    EXPECT_EQ(elements[2], 2);
  };
  Loaded loaded(file.path(), options());
  loaded.run(sampleInput(0), kSampleElements);
  EXPECT_EQ(state.calls, 1);
}

/// A failed call fails the run with its message; the next run is as good as ever.
TEST_P(HostFunctions, MayFail) {
  Loaded loaded(file.path(), options());
  const std::vector<float> input = sampleInput(1);
  std::vector<float> output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  state.failures = 2;
  state.message = "no boxes";
  EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, &error), TTRT_FAILED);
  EXPECT_STREQ(error.message, "host function 'com.acme.Scale' failed: no boxes");
  state.message = "";
  EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, &error), TTRT_FAILED);
  EXPECT_STREQ(error.message, "host function 'com.acme.Scale' failed: unsupported");
  EXPECT_EQ(loaded.run(input, kSampleElements), expectedOf(input));
}

TEST_P(HostFunctions, StopTheQueueIfTheyFail) {
  Loaded loaded(file.path(), options());
  const std::vector<float> input = sampleInput(1);
  ttrt_input in{input.data(), kSampleBytes};
  const void *output = nullptr;
  for (const char *schedule : {"single", "overlap-io"}) {
    ttrt_pipeline_options pipelineOptions = TTRT_PIPELINE_OPTIONS_INIT;
    pipelineOptions.schedule = schedule;
    ttrt_pipeline *pipeline = nullptr;
    ASSERT_EQ(ttrt_pipeline_open(loaded.device, &pipelineOptions, &pipeline, &error), TTRT_OK)
        << error.message;
    state.failures = 1;
    state.message = "no boxes";
    ttrt_status status = ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, &error);
    if (status == TTRT_OK)
      status = ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error);
    EXPECT_EQ(status, TTRT_FAILED);
    EXPECT_STREQ(error.message,
                 "queue 0 stopped at host-dispatch 'com_acme_Scale' (from Scale_0): host "
                 "function 'com.acme.Scale' failed: no boxes");
    ttrt_pipeline_close(pipeline);
    ASSERT_EQ(ttrt_device_reset(loaded.device, &error), TTRT_OK) << error.message;
    EXPECT_EQ(loaded.run(input, kSampleElements), expectedOf(input));
  }
}

TEST_P(HostFunctions, ComputeInPipelines) {
  Loaded loaded(file.path(), options());
  for (const char *schedule : {"single", "overlap-io"}) {
    ttrt_pipeline_options pipelineOptions = TTRT_PIPELINE_OPTIONS_INIT;
    pipelineOptions.schedule = schedule;
    ttrt_pipeline *pipeline = nullptr;
    ASSERT_EQ(ttrt_pipeline_open(loaded.device, &pipelineOptions, &pipeline, &error), TTRT_OK)
        << error.message;
    constexpr size_t kInferences = 40;
    std::vector<std::vector<float>> inputs;
    for (size_t i = 0; i < kInferences; ++i)
      inputs.push_back(sampleInput(i));
    size_t fed = 0;
    for (size_t i = 0; i < kInferences; ++i) {
      for (; fed < std::min(kInferences, i + 2); ++fed) {
        ttrt_input in{inputs[fed].data(), kSampleBytes};
        ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &in, nullptr, TTRT_WAIT, &error), TTRT_OK);
      }
      const void *output = nullptr;
      ASSERT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK) << error.message;
      ASSERT_EQ(memcmp(output, expectedOf(inputs[i]).data(), kSampleBytes), 0) << schedule << i;
    }
    ttrt_pipeline_close(pipeline);
  }
}

#ifndef TTRT_TEST_SANITIZED
TEST_P(HostFunctions, AllocateNothing) {
  Loaded loaded(file.path(), options());
  const std::vector<float> input = sampleInput(1);
  std::vector<float> output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  const long before = allocations;
  for (int i = 0; i < 10; ++i)
    ttrt_run(loaded.device, 0, &in, &out, nullptr, &error);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(state.calls, 10);
}
#endif

INSTANTIATE_TEST_SUITE_P(Cores, HostFunctions, testing::Values(1, 3));

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

ttrt_status nothing(void *, const ttrt_host_call *, ttrt_error *) { return TTRT_OK; }

std::string openWith(const TemporaryFile &file, const ttrt_host_function *const *list,
                     ttrt_status expected) {
  ttrt_error error{};
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  EXPECT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK);
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.host_functions = list;
  EXPECT_EQ(ttrt_device_open(bundle, &options, &device, &error), expected) << error.message;
  EXPECT_EQ(device == nullptr, expected != TTRT_OK);
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return error.message;
}

TEST(HostFunctionList, MustBeComplete) {
  const TemporaryFile file(hostBundle().finish());
  const ttrt_host_function other{sizeof(other), "com.acme.Other", nothing, nullptr};
  const ttrt_host_function *const list[] = {&other, nullptr};
  const std::string expected =
      "the bundle wants host functions that are not registered: 'com.acme.Scale'; pass them in "
      "ttrt_device_options::host_functions (docs/host-ops.md)";
  EXPECT_EQ(openWith(file, nullptr, TTRT_NOT_FOUND), expected);
  EXPECT_EQ(openWith(file, list, TTRT_NOT_FOUND), expected);
}

TEST(HostFunctionList, NamesAFunctionOnce) {
  const TemporaryFile file(hostBundle().finish());
  const ttrt_host_function scale{sizeof(scale), "com.acme.Scale", nothing, nullptr};
  const ttrt_host_function *const twice[] = {&scale, &scale, nullptr};
  EXPECT_EQ(openWith(file, twice, TTRT_INVALID_ARGUMENT),
            "host function 'com.acme.Scale' is registered twice");
  const ttrt_host_function null{sizeof(null), "com.acme.Scale", nullptr, nullptr};
  const ttrt_host_function *const nulls[] = {&null, nullptr};
  EXPECT_EQ(openWith(file, nulls, TTRT_INVALID_ARGUMENT),
            "host function 0 has no name or no function");
  const ttrt_host_function small{4, "com.acme.Scale", nothing, nullptr};
  const ttrt_host_function *const smalls[] = {&small, nullptr};
  EXPECT_NE(openWith(file, smalls, TTRT_INVALID_ARGUMENT).find("ttrt_host_function::size is 4"),
            std::string::npos);
  const ttrt_host_function *const good[] = {&scale, nullptr};
  EXPECT_EQ(openWith(file, good, TTRT_OK), "");
}

TEST(HostFunctionList, IsInTheBundle) {
  const TemporaryFile file(hostBundle().finish());
  ttrt_error error{};
  ttrt_bundle *bundle = nullptr;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK);
  ASSERT_EQ(ttrt_bundle_host_calls(bundle), 1u);
  EXPECT_EQ(ttrt_bundle_host_calls(nullptr), 0u);
  ttrt_host_call call = TTRT_HOST_CALL_INIT;
  ASSERT_EQ(ttrt_bundle_host_call(bundle, 0, &call, &error), TTRT_OK);
  EXPECT_STREQ(call.name, "com.acme.Scale");
  EXPECT_EQ(call.operands[2].bytes, kSampleBytes);
  EXPECT_EQ(call.operands[2].data, nullptr);
  EXPECT_EQ(ttrt_bundle_host_call(bundle, 1, &call, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "host call 1; the bundle has 1");
  ttrt_bundle_close(bundle);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

struct Fault {
  const char *name;
  std::function<void(BundleBuilder &)> change;
  const char *expected; ///< a part of the message
  friend void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.name; }
};

class HostFault : public testing::TestWithParam<Fault> {};

/// Faults in the tables of a bundle whose dataflow is known.
TEST_P(HostFault, IsFound) {
  BundleBuilder builder = hostBundle();
  certify(builder);
  GetParam().change(builder);
  ttrt_status status = TTRT_OK;
  const std::string message = verdict(builder.finish(), &status);
  EXPECT_EQ(status, TTRT_BAD_BUNDLE);
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
}

fb::HostFunctionT &functionOf(BundleBuilder &b) {
  return *b.bundle.programs[kScaleProgram]->host_function;
}
std::vector<std::unique_ptr<fb::StepT>> &bodyOf(BundleBuilder &b, size_t schedule) {
  return b.bundle.entries[0]->schedules[schedule]->body;
}

INSTANTIATE_TEST_SUITE_P(
    All, HostFault,
    testing::Values(
        Fault{"Name", [](BundleBuilder &b) { functionOf(b).name = "com.acme.Other"; },
              "what the entry point's dataflow does not"},
        Fault{"Version", [](BundleBuilder &b) { functionOf(b).version = 4; },
              "what the entry point's dataflow does not"},
        Fault{"Attribute", [](BundleBuilder &b) { functionOf(b).attributes[2]->floats = {2}; },
              "what the entry point's dataflow does not"},
        Fault{"Text", [](BundleBuilder &b) { functionOf(b).attributes[5]->strings[2] = "cc"; },
              "what the entry point's dataflow does not"},
        Fault{"Tensor", [](BundleBuilder &b) { functionOf(b).attributes[7]->data = {7}; },
              "what the entry point's dataflow does not"},
        Fault{"Shape",
              [](BundleBuilder &b) {
                b.bundle.programs[kScaleProgram]->operands[0]->shape = {64, 4};
              },
              "what the entry point's dataflow does not"},
        Fault{"MissingAttribute", [](BundleBuilder &b) { functionOf(b).attributes.pop_back(); },
              "what the entry point's dataflow does not"},
        Fault{"Absent", [](BundleBuilder &b) { functionOf(b).absent_inputs = {0}; },
              "what the entry point's dataflow does not"},
        Fault{"SwappedOperands",
              [](BundleBuilder &b) {
                auto &operands = bodyOf(b, 1)[8]->operands;
                std::swap(operands[0], operands[1]);
              },
              "what the entry point's dataflow does not"},
        Fault{"BeforeItsTrace",
              [](BundleBuilder &b) {
                auto &body = bodyOf(b, 0);
                std::swap(body[kFirstStep], body[kHostStep]);
              },
              ""},
        Fault{"AfterItsTrace",
              [](BundleBuilder &b) {
                auto &body = bodyOf(b, 1);
                std::swap(body[8], body[11]);
              },
              ""},
        Fault{"OnTheOtherQueue", [](BundleBuilder &b) { bodyOf(b, 1)[8]->queue = 1; }, ""},
        Fault{"LeftOut", [](BundleBuilder &b) { bodyOf(b, 1).erase(bodyOf(b, 1).begin() + 8); },
              ""},
        Fault{"OnTheCores",
              [](BundleBuilder &b) { bodyOf(b, 0)[kHostStep]->kind = fb::StepKind::Dispatch; },
              "runs 'com_acme_Scale' on the cores; host function 'com.acme.Scale' computes it"},
        Fault{"InATrace",
              [](BundleBuilder &b) { b.streams[0].words[1] = kScaleProgram | uint64_t(3) << 32; },
              "on the cores"},
        Fault{"Bytes",
              [](BundleBuilder &b) {
                b.bundle.programs[kScaleProgram]->operands[0]->shape = {63, 4};
              },
              "host function 'com.acme.Scale', operand 0: 1024 bytes of a tensor of 1008"},
        Fault{"NoType",
              [](BundleBuilder &b) {
                b.bundle.programs[kScaleProgram]->operands[2]->dtype = flatbuffers::nullopt;
              },
              "operand 2: 1024 bytes of a tensor of 0"},
        Fault{"Grid", [](BundleBuilder &b) { b.bundle.programs[kScaleProgram]->grid = 2; },
              "1 results, 2 workgroups"},
        Fault{"AbsentLast", [](BundleBuilder &b) { functionOf(b).absent_inputs = {2}; },
              "absent ones before the last"},
        Fault{"AbsentTwice", [](BundleBuilder &b) { functionOf(b).absent_inputs = {0, 0}; },
              "absent ones before the last"},
        Fault{"ManyAbsent",
              [](BundleBuilder &b) {
                auto &absent = functionOf(b).absent_inputs;
                absent.clear();
                for (uint32_t i = 0; i < 1 << 20; ++i)
                  absent.push_back(i);
              },
              "absent ones before the last"},
        Fault{"TwoKinds", [](BundleBuilder &b) { functionOf(b).attributes[1]->floats = {1}; },
              "attribute 'axis' has 1 integers, 1 numbers"},
        Fault{"NoValue", [](BundleBuilder &b) { functionOf(b).attributes[1]->ints.clear(); },
              "attribute 'axis' has 0 integers"},
        Fault{"TwoValues", [](BundleBuilder &b) { functionOf(b).attributes[1]->ints = {1, 2}; },
              "attribute 'axis' has 2 integers"},
        Fault{"UnsortedAttributes",
              [](BundleBuilder &b) {
                std::swap(functionOf(b).attributes[2], functionOf(b).attributes[3]);
              },
              "attribute 'factor' follows 'factors'; expected ascending names"},
        Fault{"EqualAttributes",
              [](BundleBuilder &b) { functionOf(b).attributes[1]->name = "axes"; },
              "attribute 'axes' follows 'axes'; expected ascending names"},
        Fault{"ShortTensor", [](BundleBuilder &b) { functionOf(b).attributes[7]->shape = {1, 5}; },
              "attribute 'table' has"},
        Fault{"HugeTensor",
              [](BundleBuilder &b) { functionOf(b).attributes[7]->shape = {INT64_MAX, INT64_MAX}; },
              "attribute 'table' has"}),
    [](const auto &info) { return std::string(info.param.name); });

/// The bundle is good before it is changed, and opens but for the function that is not registered.
TEST(HostFaults, AreTheOnlyOnes) {
  BundleBuilder builder = hostBundle();
  certify(builder);
  ttrt_status status = TTRT_OK;
  verdict(builder.finish(), &status);
  EXPECT_EQ(status, TTRT_NOT_FOUND);
}

/// A bundle of host functions alone has no code.
TEST(HostFaults, NeedNoCode) {
  BundleBuilder builder;
  builder.bundle.required_features = {kHostFunctionsFeature};
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, 64),
                 out = builder.buffer("y", fb::BufferKind::Slot, 64, 64);
  builder.program("double", 1, {64}, {64});
  builder.bundle.programs[0]->host_function = std::make_unique<fb::HostFunctionT>();
  builder.bundle.programs[0]->host_function->name = "Double";
  for (auto &operand : builder.bundle.programs[0]->operands) {
    operand->dtype = fb::DType::F32;
    operand->shape = {16};
  }
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {16}, in);
  BundleBuilder::port(entry.outputs, "y", {16}, out);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  BundleBuilder::step(entry, fb::StepKind::HostDispatch, 0).operands = {0, 64};
  BundleBuilder::step(entry, fb::StepKind::Read, 0);
  certify(builder);
  builder.code.clear();
  const TemporaryFile file(builder.finish());
  const ttrt_host_function function{sizeof(function), "Double",
                                    [](void *, const ttrt_host_call *call, ttrt_error *) {
                                      for (int i = 0; i < 16; ++i)
                                        static_cast<float *>(call->results[0].data)[i] =
                                            2 *
                                            static_cast<const float *>(call->operands[0].data)[i];
                                      return TTRT_OK;
                                    },
                                    nullptr};
  const ttrt_host_function *const list[] = {&function, nullptr};
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.host_functions = list;
  Loaded loaded(file.path(), options);
  EXPECT_EQ(loaded.run(std::vector<float>(16, 2.5f), 16), std::vector<float>(16, 5.0f));
}

} // namespace
} // namespace ttrt::test
