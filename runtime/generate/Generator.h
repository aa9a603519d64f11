// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of tokens on a device (ttrt/generate.h): pipelines of decode steps, and runs of the
// entry points for many tokens in front of them.
//
// A bundle for one sequence has the entry point `decode`; one for N has decode_B for several B,
// whose rows are the sequences that the state `active` names. In a bundle for a mesh, each may have
// a variant of the name with `_best`, which gathers the largest logits only. All that are active
// step together, by the smallest entry point that holds them. The states are written, prompts
// computed and the rows changed only while nothing is in flight. Steps that are complete by then
// can still be popped, so their tokens are delivered first.

#ifndef TTRT_GENERATE_GENERATOR_H
#define TTRT_GENERATE_GENERATOR_H

#include "Api/Turns.h"
#include "support/ApiSupport.h"
#include "ttrt/generate.h"

#include <memory>
#include <string_view>
#include <vector>

namespace ttrt::generate {

using namespace support;

class Generator {
public:
  /// Throws Error. `device` is idle.
  Generator(ttrt_device *device, const ttrt_generator_options *options);
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  ttrt_turns *turns() const { return turns_.get(); }
  uint32_t sequences() const { return static_cast<uint32_t>(sequences_.size()); }
  uint64_t context() const { return context_; }
  uint64_t reused() const { return reused_; }
  const float *logits(size_t *count) const;

  /// Throws Error, if the arguments are wrong before anything has changed. With `alone`, the other
  /// sequences end, and the first steps are enqueued.
  void start(uint32_t sequence, const int32_t *prompt, size_t tokens,
             const ttrt_generation &generation, bool alone);
  /// Returns false if no sequence is active. Throws Error.
  bool next(ttrt_generated *generated);
  /// Ends a sequence; what was not taken of it is dropped. Throws Error.
  void stop(uint32_t sequence);
  /// Ends all sequences and completes what is in flight.
  void settle() noexcept;

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The entry point that computes a step of up to `rows` sequences.
  struct Steps {
    uint32_t entry, rows;
    int logitsOutput = -1;
    size_t logits = 0;     ///< of a row
    uint32_t best = kNone; ///< which of steps_ does the same with the best logits only
  };
  /// `bytes` bytes for each sequence.
  struct State {
    uint8_t *data;
    uint64_t bytes;
    uint8_t *of(uint64_t sequence) const { return data + sequence * bytes; }
  };
  /// An entry point that computes `tokens` tokens of a prompt.
  struct Bucket {
    uint32_t entry, tokens, tokensInput, countInput, sequenceInput;
  };
  struct Sequence {
    uint64_t limit, taken; ///< tokens
    uint64_t room;         ///< tokens that the context has room for
    ttrt_sampling sampling;
    bool isActive;
  };
  struct Closer {
    void operator()(ttrt_turns *turns) const { ttrt_private.close(turns); }
  };
  const ttrt_bundle *bundle() const { return ttrt_private.bundle(turns_.get()); }
  void findSteps(const ttrt_generator_options &options);
  void addSteps(uint32_t entry, uint32_t rows, const ttrt_generator_options &options);
  State findState(const char *name, uint64_t elements);
  void findBuckets();
  void planBuckets();
  uint64_t countKnown(uint32_t sequence, const int32_t *prompt, uint64_t tokens) const;
  void prefill(uint32_t sequence, const int32_t *prompt, uint64_t begin, uint64_t end);
  void prefillBySteps(uint32_t sequence, const int32_t *prompt, uint64_t begin, uint64_t end);
  void run(uint32_t entry, const ttrt_input *inputs);
  void setActive(uint32_t row, uint32_t sequence);
  void requireSequence(uint32_t sequence) const;
  void drop(uint32_t sequence) noexcept;
  void end(uint32_t sequence) noexcept;
  uint32_t chooseSteps() const noexcept;
  bool group();
  void enqueueAhead();
  bool deliver(ttrt_generated *generated);
  /// Throws the error that stopped a queue.
  void requireNoFailure() const;
  uint64_t findVocabulary() const;

  std::unique_ptr<ttrt_turns, Closer> turns_; ///< with a pipeline for each of steps_
  uint32_t ahead_ = 0;
  std::vector<Steps> steps_; ///< the fewest rows first; then those of the best logits
  State token_{}, position_{}, sampling_{}, history_{};
  State active_{}; ///< null in a bundle for one sequence
  uint64_t context_ = 0;
  uint64_t vocabulary_ = 0;        ///< 0 if the bundle does not tell
  std::vector<Bucket> buckets_;    ///< the smallest first
  std::vector<uint32_t> plan_;     ///< by the tokens left: which bucket is next
  std::vector<int32_t> padded_;    ///< of a bucket
  std::vector<ttrt_input> inputs_; ///< of a bucket
  std::vector<Sequence> sequences_;
  uint32_t activeCount_ = 0;
  uint64_t reused_ = 0; ///< tokens of the prompt that was started last

  // The steps in flight: all of the same rows.
  uint32_t current_ = 0;             ///< which of steps_
  std::vector<uint32_t> rows_;       ///< the sequence of each row; kNone: it is not delivered
  uint64_t budget_ = 0;              ///< steps that may still be enqueued for these rows
  uint64_t inFlight_ = 0;            ///< steps that were enqueued and not popped
  bool isOutdated_ = true;           ///< other rows step once nothing is in flight
  std::vector<const void *> popped_; ///< outputs of the step that is being delivered
  size_t row_ = 0;                   ///< the next row of it
  size_t taken_ = SIZE_MAX;          ///< the row that was delivered last
};

} // namespace ttrt::generate

#endif // TTRT_GENERATE_GENERATOR_H
