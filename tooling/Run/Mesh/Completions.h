// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the inferences of a pipeline are complete. When they are popped says little: a caller that
// feeds several at a time pops several at a time.

#ifndef TTC_TOOLING_RUN_MESH_COMPLETIONS_H
#define TTC_TOOLING_RUN_MESH_COMPLETIONS_H

#include "ttrt/pipeline.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace ttrun {

/// Must outlive the pipeline, and be read when that has been closed.
class Completions {
public:
  /// Watches the first `most` inferences of a pipeline that is opened with these options.
  Completions(ttrt_pipeline_options &options, size_t outputs, uint64_t most)
      : outputs(outputs), most(most) {
    ends.reserve(most);
    options.on_step = onStep;
    options.user = this;
  }
  Completions(const Completions &) = delete;
  Completions &operator=(const Completions &) = delete;

  /// In ns of a steady clock.
  std::vector<uint64_t> ends;

private:
  /// One queue reads all outputs, those of one inference after those of the one before.
  static int onStep(void *user, uint32_t, ttrt_step_kind kind, int after) {
    auto &self = *static_cast<Completions *>(user);
    if (kind != TTRT_STEP_READ || !after || self.ends.size() == self.most ||
        ++self.reads % self.outputs != 0)
      return 0;
    self.ends.push_back(static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count()));
    return 0;
  }

  const size_t outputs;
  const uint64_t most;
  uint64_t reads = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_COMPLETIONS_H
