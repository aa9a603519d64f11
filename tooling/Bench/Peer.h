// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another inference engine, in a process of Python.

#ifndef TTC_TOOLING_BENCH_PEER_H
#define TTC_TOOLING_BENCH_PEER_H

#include "Formats/Npy.h"

#include <cstdio>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ttrun {

class JsonValue;

/// Runs benchmarks/peer.py, which is part of this program, and asks it line by line.
class Peer {
public:
  /// Starts the engine ("onnxruntime" or "openvino") on a model, and runs it once. Throws UserError
  /// if this Python cannot be started, lacks the engine, or the engine does not take the model.
  Peer(const std::string &python, const std::string &engine, const std::string &model,
       uint64_t threads, const std::vector<std::pair<std::string, const Tensor *>> &inputs);
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  const std::string &version() const { return version_; }
  /// The milliseconds of each of `loops` inferences.
  std::vector<double> run(uint64_t loops);
  /// The outputs of an inference, by name.
  std::map<std::string, Tensor> outputs();

  /// What the engine computes for the values in a folder (tooling/Bench/values.py): a "version",
  /// how many were "compared" and are "differing", and the "first" of those.
  static JsonValue compareValues(const std::string &python, const std::string &engine,
                                 const std::string &model, const std::string &folder, double rtol,
                                 double atol);

private:
  explicit Peer(std::string engine) : engine_(std::move(engine)) {}
  void start(const std::string &python, const std::vector<std::string> &arguments);
  JsonValue readAnswer();
  JsonValue ask(const std::string &question);
  void stop();

  std::string engine_, version_;
  pid_t process_ = -1;
  FILE *questions_ = nullptr, *answers_ = nullptr;
};

} // namespace ttrun

#endif // TTC_TOOLING_BENCH_PEER_H
