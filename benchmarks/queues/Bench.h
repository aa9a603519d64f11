// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the measurements of queues share.

#ifndef TTC_BENCHMARKS_QUEUES_BENCH_H
#define TTC_BENCHMARKS_QUEUES_BENCH_H

#include "Formats/Json.h"
#include "ttrt/pipeline.h"

#include <functional>
#include <string>
#include <vector>

namespace ttrt::bench {

double nowUs();
double median(std::vector<double> values);
[[noreturn]] void die(const char *what, const ttrt_error &error);

/// A bundle on a device with two queues.
class Opened {
public:
  explicit Opened(const char *path, uint64_t linkBytesPerSecond = 0, uint32_t cores = 1);
  ~Opened();
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;

  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
};

/// Inputs of zeros and room for outputs of an entry point.
struct Buffers {
  Buffers(const ttrt_bundle *bundle, uint32_t entry);
  std::vector<std::vector<uint8_t>> memory;
  std::vector<ttrt_input> inputs;
  std::vector<ttrt_output> outputs;
  size_t bytesIn = 0, bytesOut = 0;
};

using Check = std::function<bool(const void *const *outputs)>;

/// Microseconds from output to output, in the steady state.
double timePerInference(Opened &opened, ttrt_pipeline_options options, const Buffers &buffers,
                        uint32_t inferences, const Check &check);
/// Microseconds on the device, in a blocking run.
double computeUs(Opened &opened, uint32_t entry, const Buffers &buffers, int repeats);

/// Time of an inference by each schedule of a synthetic model, and of the first entry point of a
/// bundle, for several ratios of computing to transfers.
void syntheticSchedules(ttrun::Json &json);
void bundleSchedules(const char *path, ttrun::Json &json);
/// What enqueueing costs, how soon a waiting queue continues, both queues at once.
void costs(ttrun::Json &json);
/// Traces of different lengths, replayed and dispatched by the host.
void traces(ttrun::Json &json);
/// Draws into a folder when each queue did what, and when commands ran with and without a trace.
void timelines(const std::string &folder);

} // namespace ttrt::bench

#endif // TTC_BENCHMARKS_QUEUES_BENCH_H
