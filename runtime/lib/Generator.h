// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sequence of tokens on a device (ttrt/generate.h): a pipeline of decode steps, and runs of the
// entry points for many tokens in front of it.

#ifndef TTRT_LIB_GENERATOR_H
#define TTRT_LIB_GENERATOR_H

#include "PipelineState.h"
#include "ttrt/generate.h"

#include <vector>

namespace ttrt {

class Generator {
public:
  /// Throws Error.
  Generator(std::shared_ptr<Device> device, const ttrt_generator_options &options);
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  PipelineState &pipeline() { return pipeline_; }
  uint32_t decodeEntry() const { return decode_; }
  uint64_t context() const { return context_; }
  uint64_t reused() const { return reused_; }
  const float *logits(size_t *count) const;

  /// Throws Error, if the arguments are wrong before anything has changed.
  void start(const int32_t *prompt, size_t tokens, const ttrt_generation &generation);
  /// Returns false at the end. Throws Error.
  bool next(int32_t *token);
  /// Ends the sequence and completes what is in flight.
  void settle() noexcept;

private:
  struct State {
    uint8_t *data;
    uint64_t bytes;
  };
  /// An entry point that computes `tokens` tokens of a prompt.
  struct Bucket {
    uint32_t entry, tokens, tokensInput, countInput;
  };

  ttrt_pipeline_options pipelineOptions(const ttrt_generator_options &options) const;
  State findState(const char *name, fb::DType type, uint64_t elements);
  void findBuckets();
  void planBuckets();
  uint64_t countKnown(const int32_t *prompt, uint64_t tokens) const;
  void prefill(const int32_t *prompt, uint64_t begin, uint64_t end);
  void prefillBySteps(const int32_t *prompt, uint64_t begin, uint64_t end);
  void run(uint32_t entry, const ttrt_input *inputs);
  void enqueueAhead();

  const uint32_t decode_;
  const uint32_t ahead_;
  PipelineState pipeline_;
  State token_{}, position_{}, sampling_{}, history_{};
  uint64_t context_ = 0;
  int logitsOutput_ = -1;
  std::vector<Bucket> buckets_;      ///< the smallest first
  std::vector<uint32_t> plan_;       ///< by the tokens left: which bucket is next
  std::vector<int32_t> padded_;      ///< of a bucket
  std::vector<ttrt_input> inputs_;   ///< of a bucket
  std::vector<ttrt_output> outputs_; ///< of any entry point: not copied
  std::vector<const void *> popped_;

  // The sequence.
  uint64_t limit_ = 0, enqueued_ = 0, taken_ = 0;
  uint64_t reused_ = 0;
  bool ended_ = true;
};

} // namespace ttrt

#endif // TTRT_LIB_GENERATOR_H
