// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a mesh, with whole inputs and outputs: all of them in this process, a thread each,
// or one of them, if this process is a rank.

#ifndef TTC_TOOLING_RUN_MESH_MESHDEVICES_H
#define TTC_TOOLING_RUN_MESH_MESHDEVICES_H

#include "Run/Mesh/TimedTransport.h"
#include "ttrt/mesh.h"
#include "ttrt/pipeline.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ttrun {

/// What a call of the runtime has returned.
struct MeshError : std::runtime_error {
  explicit MeshError(const ttrt_error &error)
      : std::runtime_error(error.message), status(error.status) {}
  ttrt_status status;
};

/// Inferences through the pipeline of the first device that has outputs.
struct MeshPipeline {
  std::string schedule;
  std::vector<uint64_t>
      ends; ///< when each was complete, by that device's clock in ns; if asked for
};

class MeshDevices {
public:
  /// Opens the devices; throws MeshError. `entry` is a whole entry point's (mesh.h). `cores` of the
  /// options is per device; 0: the CPUs are divided. With `bind`, each device of this process has
  /// CPUs of its own.
  MeshDevices(const ttrt_bundle *bundle, uint32_t entry, const ttrt_device_options &options,
              bool bind);
  ~MeshDevices();
  MeshDevices(const MeshDevices &) = delete;
  MeshDevices &operator=(const MeshDevices &) = delete;

  /// The number of devices of the mesh.
  uint32_t devices() const { return devices_; }
  /// The first one of this process.
  ttrt_device *device() const;
  /// The number of local devices, and the number of each in the mesh.
  size_t localDevices() const { return local_.size(); }
  uint32_t numberOf(size_t local) const;

  /// One inference. The options are the first local device's; others get only what changes a run.
  /// Its timing is that of the slowest local device, with the division of inputs and outputs in
  /// `total`. Throws MeshError.
  void run(const ttrt_run_options &options, const std::vector<ttrt_input> &inputs,
           const std::vector<ttrt_output> &outputs);
  /// The same with options for each local device.
  void run(const std::function<ttrt_run_options(size_t local)> &optionsOf,
           const std::vector<ttrt_input> &inputs, const std::vector<ttrt_output> &outputs);

  /// Runs inferences through a pipeline on every device; as Session::runPipelined(). Ranks have the
  /// outputs of the last one. The result is the same on all ranks. Throws MeshError.
  MeshPipeline runPipelined(const ttrt_pipeline_options &options, uint64_t loops,
                            const std::vector<ttrt_input> &inputs,
                            const std::vector<ttrt_output> &outputs, bool keepTimes);

  /// Calls work() for each local device on its thread. What a device does with others, all have to
  /// do at the same time. Throws what the first one throws, after which the mesh has failed.
  void onEachDevice(const std::function<void(size_t local, ttrt_device *device)> &work);

  TimedTransport &transport(size_t local);
  /// The times of the latest run.
  const ttrt_timing &timing(size_t local) const;
  /// `bytes` bytes of each device of the mesh, in their order. Throws MeshError.
  std::vector<uint8_t> gather(const std::function<const void *(size_t local)> &dataOf,
                              size_t bytes);

private:
  struct Local;
  size_t indexOf(const Local &local) const;
  void scatter(const std::vector<ttrt_input> &inputs);
  void collect(const std::vector<ttrt_output> &outputs);
  /// Whether every device of the mesh has the output.
  bool isEverywhere(uint32_t output) const;
  void onEach(const std::function<void(Local &)> &work);

  const ttrt_bundle *bundle_;
  uint32_t entry_;
  uint32_t devices_ = 1;
  std::vector<ttrt_mesh_port> inputs_, outputs_;
  std::vector<ttrt_transport *> own_; ///< transports to close
  std::vector<std::unique_ptr<Local>> local_;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_MESHDEVICES_H
