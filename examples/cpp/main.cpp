// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streaming through a pipeline: one thread feeds inputs, another one takes outputs, and the device
// transfers while it computes.
//
//   ttrt-stream BUNDLE INFERENCES [SCHEDULE]
//
// Every element of f32 input k of inference i is i + k. Prints the largest element of the last
// inference's f32 outputs.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <ttrt/pipeline.hpp>

using Bundle = std::unique_ptr<ttrt_bundle, void (*)(ttrt_bundle *)>;
using Device = std::unique_ptr<ttrt_device, void (*)(ttrt_device *)>;
using Tensor = std::vector<float>;

static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw ttrt::PipelineError(error);
}

static Bundle openBundle(const char *path) {
  ttrt_error error;
  ttrt_bundle *bundle;
  check(ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error), error);
  return {bundle, ttrt_bundle_close};
}

static Device openDevice(const ttrt_bundle *bundle) {
  ttrt_error error;
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.queues = 2;
  ttrt_device *device;
  check(ttrt_device_open(bundle, &options, &device, &error), error);
  return {device, ttrt_device_close};
}

static std::vector<Tensor> makeInputs(const ttrt_bundle *bundle) {
  ttrt_error error;
  ttrt_entry entry = TTRT_ENTRY_INIT;
  check(ttrt_bundle_entry(bundle, 0, &entry, &error), error);
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < entry.inputs; ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    check(ttrt_bundle_input(bundle, 0, i, &port, &error), error);
    inputs.emplace_back(port.bytes / sizeof(float));
  }
  return inputs;
}

static void stream(const char *path, size_t inferences, const char *schedule) {
  const Bundle bundle = openBundle(path);
  const Device device = openDevice(bundle.get());
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = schedule; // null: the bundle's first one for two queues
  options.outputs = 8;         // inferences that may be in flight
  ttrt::Pipeline pipeline(bundle.get(), device.get(), options);

  // An input is read after feed() has returned. When it returns, the inference `outputs` before has
  // been taken; so with one set of inputs more than that, used in turn, none is written too early.
  std::vector<std::vector<Tensor>> inputs(options.outputs + 1, makeInputs(bundle.get()));
  const std::jthread feeder([&] {
    try {
      for (size_t i = 0; i < inferences; ++i) {
        std::vector<Tensor> &mine = inputs[i % inputs.size()];
        for (size_t k = 0; k < mine.size(); ++k)
          std::fill(mine[k].begin(), mine[k].end(), static_cast<float>(i + k));
        pipeline.feed(std::vector<ttrt::Input>(mine.begin(), mine.end()));
      }
    } catch (const ttrt::PipelineError &) {
      // The other end is told the same.
    }
    pipeline.finish();
  });

  float largest = 0;
  size_t taken = 0;
  std::vector<ttrt::Output> outputs;
  for (; pipeline.drain(outputs); ++taken) { // valid until the next drain()
    largest = outputs[0].as<float>()[0];
    for (const ttrt::Output &output : outputs)
      largest = std::max(largest, *std::max_element(output.as<float>(),
                                                    output.as<float>() + output.size<float>()));
  }
  printf("%s: %zu inferences; the last one's largest element: %g\n", pipeline.schedule(), taken,
         static_cast<double>(largest));
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: %s BUNDLE INFERENCES [SCHEDULE]\n", argv[0]);
    return 2;
  }
  try {
    stream(argv[1], strtoull(argv[2], nullptr, 10), argc > 3 ? argv[3] : nullptr);
  } catch (const std::exception &error) {
    fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
