// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One inference engine, called from C++ on one thread, for dispatch.py:
//   dispatch_peer ttrt|onnxruntime|openvino LIBRARY MODEL INPUT.f32 SHAPE
//
// SHAPE is that of the only input, such as 1x64; everything is f32. Engines are loaded from
// LIBRARY, so that nothing is linked. Answers a line for each that it reads:
//   run SAMPLES CALLS   SAMPLES times, in nanoseconds of one of CALLS successive calls
//   save FILE           writes the elements of the first output
#include "ttrt/ttrt.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::cerr << message << '\n';
  exit(1);
}

template <typename Function> Function *find(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address)
    fail(std::string("the library has no function ") + name);
  return reinterpret_cast<Function *>(address);
}

struct Job {
  void *library;
  const char *model;
  std::vector<float> input;
  std::vector<int64_t> shape;
};

struct Engine {
  virtual ~Engine() = default;
  /// One inference of the same input.
  virtual void run() = 0;
  /// The first output of the last run.
  virtual std::pair<const float *, size_t> output() = 0;
};

//===--- ttrt -------------------------------------------------------------===//

/// Copies the input and the output: what `ttrun perf` calls end to end.
class Ttrt : public Engine {
public:
  explicit Ttrt(const Job &job) : run_(find<decltype(ttrt_run)>(job.library, "ttrt_run")) {
    ttrt_bundle *bundle;
    check(find<decltype(ttrt_bundle_open)>(job.library, "ttrt_bundle_open")(
        job.model, TTRT_VERIFY_FULL, &bundle, &error_));
    ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
    options.cores = 1;
    check(find<decltype(ttrt_device_open)>(job.library, "ttrt_device_open")(bundle, &options,
                                                                            &device_, &error_));
    ttrt_port port = TTRT_PORT_INIT;
    check(find<decltype(ttrt_bundle_output)>(job.library, "ttrt_bundle_output")(bundle, 0, 0, &port,
                                                                                &error_));
    result_.resize(port.bytes / sizeof(float));
    input_ = {job.input.data(), job.input.size() * sizeof(float)};
    output_ = {result_.data(), port.bytes};
  }
  void run() override { check(run_(device_, 0, &input_, &output_, nullptr, &error_)); }
  std::pair<const float *, size_t> output() override { return {result_.data(), result_.size()}; }

private:
  void check(ttrt_status status) const {
    if (status != TTRT_OK)
      fail(error_.message);
  }

  decltype(ttrt_run) *run_;
  ttrt_error error_;
  ttrt_device *device_;
  ttrt_input input_;
  ttrt_output output_;
  std::vector<float> result_;
};

//===--- ONNX Runtime -----------------------------------------------------===//

/// Its wheel has the library, but not the header. `OrtApi` is a table of functions that only grows
/// at its end: these are the places of those that are called.
enum OrtFunction : size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kSessionGetInputName = 36,
  kSessionGetOutputName = 37,
  kCreateTensorWithData = 49,
  kGetTensorMutableData = 51,
  kGetTensorShapeElementCount = 64,
  kGetTensorTypeAndShape = 65,
  kCreateCpuMemoryInfo = 69,
  kGetDefaultAllocator = 78,
};

/// Input and output are tensors on the caller's memory: nothing is allocated for them in a run.
class OnnxRuntime : public Engine {
public:
  explicit OnnxRuntime(const Job &job) {
    struct Base {
      const void *const *(*getApi)(uint32_t version);
      const char *(*version)();
    };
    constexpr uint32_t kVersion = 13; // any since all functions above exist
    api_ = find<const Base *()>(job.library, "OrtGetApiBase")()->getApi(kVersion);
    if (!api_)
      fail("ONNX Runtime no longer has version 13 of its API");
    void *environment, *options, *memory, *allocator;
    constexpr int kError = 3, kArena = 1, kDefaultMemory = 0, kFloat = 1;
    call(kCreateEnv, kError, "dispatch", &environment);
    call(kCreateSessionOptions, &options);
    call(kSetIntraOpNumThreads, options, 1);
    call(kSetInterOpNumThreads, options, 1);
    call(kCreateSession, environment, job.model, options, &session_);
    call(kGetDefaultAllocator, &allocator);
    call(kSessionGetInputName, session_, size_t(0), allocator, &inputName_);
    call(kSessionGetOutputName, session_, size_t(0), allocator, &outputName_);
    call(kCreateCpuMemoryInfo, kArena, kDefaultMemory, &memory);
    call(kCreateTensorWithData, memory, const_cast<float *>(job.input.data()),
         job.input.size() * sizeof(float), job.shape.data(), job.shape.size(), kFloat, &input_);
    run(); // allocates the output, which later runs write to
  }
  void run() override {
    call(kRun, session_, nullptr, &inputName_, &input_, size_t(1), &outputName_, size_t(1),
         &output_);
  }
  std::pair<const float *, size_t> output() override {
    float *data;
    size_t count;
    void *type;
    call(kGetTensorMutableData, output_, &data);
    call(kGetTensorTypeAndShape, output_, &type);
    call(kGetTensorShapeElementCount, type, &count);
    return {data, count};
  }

private:
  /// Every one of these functions returns a status, which is null if it succeeded.
  template <typename... Arguments> void call(OrtFunction function, Arguments... arguments) {
    void *status =
        reinterpret_cast<void *(*)(Arguments...)>(const_cast<void *>(api_[function]))(arguments...);
    if (status)
      fail(reinterpret_cast<const char *(*)(void *)>(const_cast<void *>(api_[kGetErrorMessage]))(
          status));
  }

  const void *const *api_;
  void *session_, *input_, *output_ = nullptr;
  char *inputName_, *outputName_;
};

//===--- OpenVINO ---------------------------------------------------------===//

/// Fills the input's own tensor once: a run copies nothing.
class OpenVino : public Engine {
public:
  explicit OpenVino(const Job &job)
      : infer_(find<int(void *)>(job.library, "ov_infer_request_infer")) {
    auto function = [&](const char *name) { return find<int(void *, void *)>(job.library, name); };
    void *core, *model, *input, *data;
    check(find<int(void **)>(job.library, "ov_core_create")(&core), "ov_core_create");
    constexpr size_t kProperties = 8; // keys and values
    check(find<int(void *, const char *, const char *, size_t, void **, ...)>(
              job.library, "ov_core_compile_model_from_file")(
              core, job.model, "CPU", kProperties, &model, "INFERENCE_NUM_THREADS", "1",
              "NUM_STREAMS", "1", "PERFORMANCE_HINT", "LATENCY", "INFERENCE_PRECISION_HINT", "f32"),
          "ov_core_compile_model_from_file");
    check(function("ov_compiled_model_create_infer_request")(model, &request_), "infer request");
    auto tensor = [&](const char *name, void **result) {
      check(find<int(void *, size_t, void **)>(job.library, name)(request_, 0, result), name);
    };
    tensor("ov_infer_request_get_input_tensor_by_index", &input);
    tensor("ov_infer_request_get_output_tensor_by_index", &output_);
    size_t bytes;
    check(function("ov_tensor_get_byte_size")(input, &bytes), "ov_tensor_get_byte_size");
    if (bytes != job.input.size() * sizeof(float))
      fail("OpenVINO has another size of the input");
    data_ = function("ov_tensor_data");
    size_ = function("ov_tensor_get_size");
    check(data_(input, &data), "ov_tensor_data");
    memcpy(data, job.input.data(), bytes);
  }
  void run() override { check(infer_(request_), "ov_infer_request_infer"); }
  std::pair<const float *, size_t> output() override {
    void *data;
    size_t count;
    check(data_(output_, &data), "ov_tensor_data");
    check(size_(output_, &count), "ov_tensor_get_size");
    return {static_cast<const float *>(data), count};
  }

private:
  static void check(int status, const char *what) {
    if (status != 0)
      fail(std::string(what) + ": OpenVINO's status " + std::to_string(status));
  }

  int (*infer_)(void *);
  int (*data_)(void *, void *) = nullptr, (*size_)(void *, void *) = nullptr;
  void *request_ = nullptr, *output_ = nullptr;
};

std::unique_ptr<Engine> open(const std::string &name, const Job &job) {
  if (name == "ttrt")
    return std::make_unique<Ttrt>(job);
  if (name == "onnxruntime")
    return std::make_unique<OnnxRuntime>(job);
  if (name == "openvino")
    return std::make_unique<OpenVino>(job);
  fail("unknown engine " + name);
}

void measure(Engine &engine, int samples, int calls) {
  for (int sample = 0; sample < samples; ++sample) {
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call)
      engine.run();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    std::cout << (sample ? " " : "") << time.count() / calls;
  }
  std::cout << std::endl;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6)
    fail("usage: dispatch_peer ttrt|onnxruntime|openvino LIBRARY MODEL INPUT.f32 SHAPE");
  Job job{dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), argv[3], {}, {}};
  if (!job.library)
    fail(dlerror());
  std::ifstream file(argv[4], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  job.input.resize(bytes.size() / sizeof(float));
  memcpy(job.input.data(), bytes.data(), job.input.size() * sizeof(float));
  std::istringstream shape(argv[5]);
  for (std::string extent; std::getline(shape, extent, 'x');)
    job.shape.push_back(std::stoll(extent));

  const std::unique_ptr<Engine> engine = open(argv[1], job);
  engine->run();
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what, path;
    int samples = 0, calls = 0;
    if (words >> what && what == "run" && words >> samples >> calls && calls > 0) {
      measure(*engine, samples, calls);
    } else if (what == "save" && words >> path) {
      engine->run();
      const auto [data, count] = engine->output();
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char *>(data),
                 static_cast<std::streamsize>(count * sizeof(float)));
      std::cout << "saved" << std::endl;
    } else {
      fail("unknown question: " + line);
    }
  }
  fflush(stdout);
  _exit(0); // the process ends here: engines need not be taken apart
}
