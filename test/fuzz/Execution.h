// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a bundle in every way that it offers, and compares it with another one.
//
// A changed bundle that the runtime accepts is *equal* to the original if its caller can notice no
// difference: the same entry points, ports and schedules, and bit for bit the same outputs.
// It is *renamed* if a caller that goes by names gets the same data or an error: entry points or
// schedules are absent, in another order, or they and ports have names that the original does not
// use. It is *wrong* if it has a port of another type, another shape or at another place, if a
// name stands for something else, if an output differs, or if it crashes or does not end.

#ifndef TTC_TEST_FUZZ_EXECUTION_H
#define TTC_TEST_FUZZ_EXECUTION_H

#include "ttrt/pipeline.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace ttrt::fuzz {

struct PortType {
  std::string name;
  ttrt_dtype dtype;
  std::vector<int64_t> shape;
  size_t bytes;
};

struct EntryType {
  std::string name;
  std::vector<PortType> inputs, outputs;
  std::vector<std::string> schedules;
};

using Interface = std::vector<EntryType>;
Interface interfaceOf(const ttrt_bundle *bundle);

/// What came out: a hash per output of each inference, for each entry point of the original and
/// each way to execute it.
struct Outcome {
  enum class Kind {
    Equal, ///< or, of the original: executed
    Renamed,
    NotOpened, ///< the device says that it cannot take it
    Failed,    ///< a run says why it cannot be
    Wrong,
    Crash,
    Hang,
  } kind = Kind::Equal;
  std::string message;
  std::vector<uint64_t> hashes;
};

/// Compares bundles with one that is right. Each execution is a child process.
class Executor {
public:
  /// Fails if the bundle cannot be executed. `checks` are those of the device.
  explicit Executor(const ttrt_bundle *bundle, bool checks = false);

  Outcome compare(const ttrt_bundle *changed) const;

private:
  Outcome match(const Interface &changed, std::vector<uint32_t> &entries,
                std::vector<std::vector<char>> &schedules) const;
  Outcome execute(const ttrt_bundle *bundle, const std::vector<uint32_t> &entries,
                  const std::vector<std::vector<char>> &schedules) const;
  std::string where(size_t hash) const;

  Interface interface_;
  bool checks_;
  std::vector<uint8_t> inputs_; ///< of all ports and inferences, which begin at different places
  Outcome expected_;
};

} // namespace ttrt::fuzz

#endif // TTC_TEST_FUZZ_EXECUTION_H
