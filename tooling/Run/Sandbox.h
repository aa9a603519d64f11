// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun run --sandbox: the programs of a bundle run in a confined process. This process verifies
// the bundle, shares memory for inputs and outputs with the confined one, and believes nothing that
// it finds there.

#ifndef TTC_TOOLING_RUN_SANDBOX_H
#define TTC_TOOLING_RUN_SANDBOX_H

#include "ttrt/ttrt.h"

#include <atomic>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace ttrun {

/// Not thread-safe.
class Sandbox {
public:
  /// Starts the process, which opens the device and confines itself before any code of the bundle
  /// runs. The calling process must have no other threads. `inputs` and `outputs` name the memory
  /// that run() reads and writes; they and the bundle must outlive the sandbox. `path` is for
  /// messages. Throws BadBundle if the device cannot be opened, UserError if the process cannot be
  /// started or confined.
  Sandbox(const std::string &path, const ttrt_bundle *bundle, uint32_t entry,
          const ttrt_device_options &device, const std::vector<ttrt_input> &inputs,
          const std::vector<ttrt_output> &outputs);
  /// Ends the process.
  ~Sandbox();
  Sandbox(const Sandbox &) = delete;
  Sandbox &operator=(const Sandbox &) = delete;

  /// One inference. Throws BadBundle if the process crashes, makes a forbidden call or fails.
  void run(bool noTrace);
  uint32_t cores() const { return cores_; }

private:
  struct Control;
  void serve(const ttrt_bundle *bundle, uint32_t entry, const ttrt_device_options &options);
  void waitUntil(uint32_t done);
  [[noreturn]] void failEnded();
  void release();

  std::string path_;
  const std::vector<ttrt_input> &inputs_;
  const std::vector<ttrt_output> &outputs_;
  /// Memory that both processes map: Control, then all inputs, then all outputs.
  uint8_t *shared_ = nullptr;
  size_t sharedBytes_ = 0, inputsBegin_ = 0, outputsBegin_ = 0;
  Control *control_ = nullptr;
  pid_t child_ = -1;
  std::thread watcher_; ///< waits for the end of the child
  std::atomic<bool> ended_ = false;
  uint32_t runs_ = 0, cores_ = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_SANDBOX_H
