// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle on a device, with inputs from files or random: what run and perf have in common.

#ifndef TTC_TOOLING_RUN_SESSION_H
#define TTC_TOOLING_RUN_SESSION_H

#include "Formats/Npy.h"
#include "Run/HostCalls.h"
#include "Run/Mesh/MeshDevices.h"
#include "Run/Sandbox.h"
#include "Run/ShapedModel.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/profile.h"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ttrt {
class Bundle;
} // namespace ttrt

namespace ttrun {

class Json;
class OptionParser;
struct ReportOptions;

struct SessionOptions {
  std::string entry;   ///< empty: the only one, or "main"
  std::string orEntry; ///< taken where the bundle has it, and no `entry`
  std::string verify = "full";
  std::vector<std::string> trusted; ///< files with public keys
  std::vector<std::string> hostLibraries;
  bool sandbox = false;                ///< run the programs in a confined process
  uint64_t cores = 0;                  ///< of each device
  uint64_t devices = 0, processes = 0; ///< of a mesh; 0: not given
  std::string bind = "none";
  bool alone = false; ///< one device of a mesh, without the others; its outputs mean nothing
  uint64_t aloneDevice = 0;
  bool pin = false;
  bool hugePages = false; ///< copy the weights into them
  bool flushDenormals = false;
  double deadline = INFINITY; ///< seconds from when the device is open
  uint64_t waitLimit = 0;     ///< seconds that a device of a mesh waits for another; 0: for ever
  bool noTrace = false;
  std::string schedule; ///< empty and `queues` 0: a blocking run on the calling thread
  uint64_t linkBytesPerSecond = 0;
  uint64_t queues = 0;
  bool mostQueues = false; ///< otherwise, as many as any schedule uses
  /// Called with the bundle before the device is opened.
  std::function<void(const ttrt_bundle *)> opened;
  std::vector<std::string> inputs;
  std::vector<std::string> dims; ///< NAME:VALUE
  bool random = false;
  uint64_t seed = 0;
  std::string profile; ///< folder for a recording; empty: none
  uint64_t profilePrograms = 0;
  bool profileMidRun = false;
  std::string profileCounters; ///< empty: none

  /// All options of a run.
  void declare(OptionParser &parser);
  // Parts of them.
  void declareDims(OptionParser &parser);
  void declareDevice(OptionParser &parser);
  void declareMesh(OptionParser &parser);
  void declareProfile(OptionParser &parser);
};

class Session {
public:
  /// Opens and loads; throws UserError or BadBundle.
  Session(const std::string &path, const SessionOptions &options);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Fills inputs from `options.inputs`, and the others at random if `options.random` is set.
  /// Throws UserError with their names otherwise.
  void fillInputs(const SessionOptions &options);
  void run(const ttrt_run_options &options);
  /// Whether a schedule or a number of queues was requested.
  bool isPipelined() const { return ttrt_device_queues(device_) != 0; }
  /// Runs `loops` inferences through a pipeline, with as many in flight as it can hold. Calls
  /// popped(loop) for each in order, with its outputs in output(), and stops early if that returns
  /// false; on a mesh only for the last one, because ranks have the outputs only then. Returns the
  /// schedule's name. `ends`: if not null, gets when each was complete, in ns of a steady clock.
  std::string runPipelined(uint64_t loops, bool noTrace,
                           const std::function<bool(uint64_t)> &popped,
                           std::vector<uint64_t> *ends = nullptr);

  /// Throws UserError if `option` of this session cannot have the states: there are several
  /// devices, or the device is elsewhere.
  void checkStates(const char *option) const;
  /// Sets all states to those of a file, or stores them in one. Throws UserError.
  void restoreState(const std::string &file);
  void saveState(const std::string &file);

  /// Marks a phase in the recording, if there is one.
  void signpost(const char *header, const std::string &message);
  /// The folder of the recording; "" if there is none.
  std::string profileFolder() const { return profiler_ ? ttrt_profiler_folder(profiler_) : ""; }
  /// Ends the recording, if there is one, and makes its report. The device is closed then.
  void finishProfile(const ReportOptions &report);

  const ttrt::Bundle &bundle() const;
  ttrt_device *device() const { return device_; }
  /// nullptr if the bundle runs on one device.
  MeshDevices *mesh() const { return mesh_.get(); }
  /// Runs one inference on a mesh, with options for each device of this process.
  void runMesh(const std::function<ttrt_run_options(size_t local)> &optionsOf);
  /// For a model with dimensions, the name of the variant that runs.
  const std::string &entryName() const { return entryName_; }
  /// Null unless the session runs a model with dimensions.
  const ShapedModel *shapedModel() const { return shaped_.get(); }
  uint32_t cores() const { return sandbox_ ? sandbox_->cores() : ttrt_device_cores(device_); }
  double loadMs() const { return loadMs_; }
  /// What of the device's memory is in huge pages now. Throws UserError.
  ttrt_huge_pages hugePages() const;
  std::vector<std::string> entryNames() const;
  std::string metadata(const std::string &key) const; ///< "" if there are none of this key
  std::vector<std::string> inputNames() const;
  const Tensor &input(size_t index) const { return inputs_[index].tensor; }
  std::vector<std::string> outputNames() const;
  const Tensor &output(size_t index) const { return outputs_[index].tensor; }
  /// Splits "name=file" of an option for an output; the name of a single output can be omitted.
  std::pair<size_t, std::string> outputOf(const std::string &option, const std::string &spec) const;

private:
  struct Port {
    std::string name;
    Tensor tensor;
  };
  static std::vector<std::string> namesOf(const std::vector<Port> &ports);
  static std::pair<size_t, std::string> portOf(const std::vector<Port> &ports, const char *what,
                                               const std::string &option, const std::string &spec);
  /// On a mesh, the whole inputs and outputs.
  void describePorts();
  void setDeadline(double seconds);
  /// Opens the model `name`, if it has dimensions, and chooses its variant by --dim and the shapes
  /// of the inputs that are given. Returns the name of the entry point.
  std::string chooseVariant(const std::string &name, const SessionOptions &options);
  /// Makes inputs and outputs of the entry point those of the model, in_ and out_ their wholes.
  void describeShapes();
  void packInputs();
  /// For an entry point that is a variant and was named itself: makes all of it valid if the
  /// input has the extents. Returns whether it does.
  bool fillExtents(size_t input);
  void unpackOutputs(const void *const *outputs);
  ttrt_status findEntry(const std::string &name, const SessionOptions &options, ttrt_error *error);
  /// Whether the bundle runs on a mesh. Starts the ranks of --processes, or joins those of mpirun.
  bool joinMesh(const SessionOptions &options);
  void openMesh(const SessionOptions &options, const ttrt_device_options &device);
  void runMesh(const ttrt_run_options &options);
  std::string runPipelinedMesh(uint64_t loops, const ttrt_pipeline_options &options,
                               std::vector<uint64_t> *ends);
  template <typename Function> void checkMesh(Function function) const;
  std::vector<std::string> scheduleNames() const; ///< and "auto"
  uint32_t chooseQueues(const SessionOptions &options) const;
  void noteHugePages() const;
  void openProfiler(const SessionOptions &options);
  void discardProfile(const std::string &folder) const;
  void readProfiler();
  void release();

  std::string path_;
  std::unique_ptr<HostLibraries> hostLibraries_; ///< the device calls them
  ttrt_bundle *bundle_ = nullptr;
  ttrt_device *device_ = nullptr; ///< null in a sandbox; of a mesh, the first one in this process
  std::unique_ptr<MeshDevices> mesh_;
  ttrt_profiler *profiler_ = nullptr;
  std::string madeForProfile_; ///< the outermost folder that the recording needed
  bool hasCounters_ = false;
  uint64_t runsPerRead_ = 1, runsSinceRead_ = 0; ///< blocking runs that fit the profiler's rings
  std::unique_ptr<Sandbox> sandbox_;             ///< its process has the device
  uint32_t entry_ = 0;                           ///< of the bundle; of a mesh, a part of `whole_`
  uint32_t whole_ = 0;                           ///< of the mesh (ttrt_mesh_entries())
  std::string entryName_;
  std::string schedule_;
  double loadMs_ = 0;
  std::vector<Port> inputs_, outputs_;
  std::vector<ttrt_input> in_;
  std::vector<ttrt_output> out_;
  std::unique_ptr<ShapedModel> shaped_;
  std::vector<std::vector<uint8_t>> wholeIn_, wholeOut_; ///< of its variant
  std::vector<ttrt_shaped_input> shapedIn_;
  std::vector<ttrt_shaped_output> shapedOut_;
};

/// For a model with dimensions: " of main: batch 3, sequence 37"; "" for others.
std::string modelText(const Session &session);
/// Adds "model" and "dims" of a model with dimensions.
void addModel(Json &json, const Session &session);

/// Fills a tensor with deterministic values: floats uniform in [0, 1), integers and bools 0 or 1.
void fillRandom(Tensor &tensor, uint64_t &state);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_SESSION_H
