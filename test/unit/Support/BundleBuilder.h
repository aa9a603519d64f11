// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes bundles for the runtime's tests, good ones and bad ones: tests change `bundle`, `streams`
// or the finished bytes, and see what the runtime says. Independent of the compiler's writer.

#ifndef TTC_TEST_UNIT_SUPPORT_BUNDLEBUILDER_H
#define TTC_TEST_UNIT_SUPPORT_BUNDLEBUILDER_H

#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"
#include "ttrt/ttrt.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ttrt::test {

/// The words of one command stream.
class StreamBuilder {
public:
  void dispatch(uint32_t program, const std::vector<uint64_t> &operands);
  void copy(uint64_t dst, uint64_t src, uint64_t bytes);
  void fill(uint64_t dst, uint64_t bytes, uint64_t pattern);
  /// Adds an exchange of these operands of a collective.
  void exchange(uint32_t collective, const std::vector<uint64_t> &operands);
  void send(uint32_t collective, uint64_t input) { operate(Opcode::Send, collective, {input}); }
  void receive(uint32_t collective, uint64_t output) {
    operate(Opcode::Receive, collective, {output});
  }
  void offer(uint32_t collective, uint64_t input) { operate(Opcode::Offer, collective, {input}); }
  void barrier() { header(Opcode::Barrier, 8); }
  void signal(uint32_t event);
  void wait(uint32_t event);
  void end() { header(Opcode::End, 8); }
  /// Begins a loop that carries these ranges. endRepeat() ends the innermost one.
  void repeat(uint64_t iterations, const std::vector<CarriedRange> &carried, uint32_t options = 0,
              uint64_t flag = kNoFlag);
  void endRepeat();

  std::vector<uint64_t> words;
  uint32_t commands = 0;

private:
  struct Loop {
    size_t word;      ///< where it begins
    uint32_t command; ///< the first of its body
  };
  std::vector<Loop> loops; ///< that have no end yet

  void header(Opcode opcode, uint32_t size);
  void operate(Opcode opcode, uint32_t index, const std::vector<uint64_t> &operands);
};

class BundleBuilder {
public:
  BundleBuilder();

  uint32_t location(const std::string &name);
  uint32_t program(const std::string &symbol, uint64_t grid, std::vector<uint64_t> inputBytes,
                   std::vector<uint64_t> outputBytes, uint64_t scratchBytes = 0);
  /// Appends to the constants; returns the buffer's address.
  uint64_t constant(const std::string &name, const void *data, uint64_t bytes);
  /// Buffers are always alive unless they get a lifetime. Returns the index.
  uint32_t buffer(const std::string &name, fb::BufferKind kind, uint64_t offset, uint64_t bytes,
                  uint64_t begin = 0, uint64_t end = 0,
                  fb::MemorySpace space = fb::MemorySpace::Dram);
  uint32_t trace(const std::string &name, StreamBuilder stream,
                 const std::vector<uint32_t> &sources = {});
  fb::EntryPointT &entry(const std::string &name);
  static void port(std::vector<std::unique_ptr<fb::PortT>> &ports, const std::string &name,
                   std::vector<int64_t> shape, uint32_t buffer, fb::DType type = fb::DType::F32);
  /// Appends a step to the default schedule's body, or to a part of a schedule.
  static fb::StepT &step(fb::EntryPointT &entry, fb::StepKind kind, uint32_t index) {
    return step(entry.schedules[0]->body, kind, index);
  }
  static fb::StepT &step(std::vector<std::unique_ptr<fb::StepT>> &part, fb::StepKind kind,
                         uint32_t index = 0, uint8_t queue = 0,
                         std::vector<uint64_t> operands = {});
  /// The default schedule writes all inputs, executes the traces and reads all outputs.
  static void run(fb::EntryPointT &entry, const std::vector<uint32_t> &traces);
  struct Port {
    std::string name;
    std::vector<int64_t> shape;
    uint32_t buffer;
    fb::DType type = fb::DType::F32;
  };
  /// An entry point with an input and an output, which runs the traces.
  fb::EntryPointT &entry(const std::string &name, const Port &input, const Port &output,
                         const std::vector<uint32_t> &traces);
  static fb::ScheduleT &schedule(fb::EntryPointT &entry, const std::string &name,
                                 uint32_t queues = 1);
  uint32_t event(const std::string &name);

  /// A mesh of these axes, and the feature that it needs.
  void mesh(const std::vector<std::pair<std::string, uint32_t>> &axes);
  /// A collective of floats in these groups; its output and scratch are as large as its kind needs.
  /// Returns the index.
  uint32_t collective(const std::string &name, fb::CollectiveKind kind,
                      fb::CollectiveAlgorithm algorithm,
                      const std::vector<std::vector<uint32_t>> &groups, uint64_t inputBytes,
                      uint64_t rows = 1, uint32_t root = 0,
                      const std::vector<uint32_t> &sources = {});
  /// A constant of which each device has its own value; all have the same size. They are equal for
  /// devices with equal values. After all other constants. Returns the buffer's address.
  uint64_t shardedConstant(const std::string &name,
                           const std::vector<std::vector<uint8_t>> &valueOfDevice);

  /// Where sharded constants begin: after the pages of the others.
  uint64_t shardsBegin() const { return alignUp(constants.size(), kPageSize); }
  /// First address after the constants' pages.
  uint64_t dataBegin() const {
    uint64_t most = 0;
    for (const std::vector<uint8_t> &shard : shards)
      most = std::max<uint64_t>(most, shard.size());
    return shardsBegin() + alignUp(most, kPageSize);
  }

  /// Takes the bytes of a code segment apart.
  void setCode(const std::vector<uint8_t> &segment);
  /// From here on, changes of the programs are not changes of the facts about them.
  void keepFacts();

  /// The file's bytes: traces placed, everything hashed.
  std::vector<uint8_t> finish();
  /// Recomputes all hashes of a file that was changed by hand.
  static void rehash(std::vector<uint8_t> &file);

  /// Changes the tables after finish() has made those of segments.
  std::function<void(fb::BundleT &)> beforeWriting;

  fb::BundleT bundle;
  std::vector<uint8_t> constants;
  std::vector<std::vector<uint8_t>> shards; ///< of the sharded constants, by shard
  std::vector<StreamBuilder> streams;       ///< of the traces
  std::vector<uint8_t> code;                ///< the shared object
  /// The facts after the code. If there are none, finish() makes them from the programs.
  std::optional<fb::FactsT> facts;

private:
  std::vector<uint8_t> codeWithFacts() const;
};

/// Writes the steps of a part of a schedule down as one reads them. `Writer` derives from it.
template <typename Writer> struct StepWriter {
  std::vector<std::unique_ptr<fb::StepT>> &steps;
  Writer &add(fb::StepKind kind, uint32_t index, uint8_t queue,
              std::vector<uint64_t> operands = {}) {
    BundleBuilder::step(steps, kind, index, queue, std::move(operands));
    return static_cast<Writer &>(*this);
  }
  Writer &write(uint8_t queue) { return add(fb::StepKind::Write, 0, queue); }
  Writer &read(uint8_t queue) { return add(fb::StepKind::Read, 0, queue); }
  Writer &execute(uint32_t trace) { return add(fb::StepKind::Execute, trace, 0); }
  Writer &record(uint32_t event, uint8_t queue) { return add(fb::StepKind::Record, event, queue); }
  Writer &wait(uint32_t event, uint8_t queue) { return add(fb::StepKind::Wait, event, queue); }
};

/// Compares with the bytes of one inference of sampleBundle().
std::vector<float> sampleResult(const std::vector<float> &input);

/// input "x" (256 floats), output "y" (256 floats):
///   a = x + w; b = reverse(a); c = b + w; y = reverse(c)
/// with barriers between, two activations that share an address at different times, and a constant.
BundleBuilder sampleBundle();
inline constexpr uint64_t kSampleElements = 256;
inline constexpr uint64_t kSampleBytes = kSampleElements * sizeof(float);

/// A file with these bytes below the test's temporary folder, removed with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::vector<uint8_t> &bytes);
  ~TemporaryFile();
  const char *path() const { return path_.c_str(); }

private:
  std::string path_;
};

/// What the runtime says to a file, which may be opened: "" if it is.
std::string openMessage(const char *path, ttrt_verify verify = TTRT_VERIFY_FULL,
                        ttrt_status *status = nullptr);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_BUNDLEBUILDER_H
