// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One exchange command on one rank: persistent requests for its messages, and the order in which it
// makes its moves. A send or receive command is one side of an exchange: it has one operand.

#ifndef TTRT_MPI_EXCHANGE_H
#define TTRT_MPI_EXCHANGE_H

#include "Combine.h"
#include "Members.h"
#include "Pieces.h"

#include <array>
#include <memory>

namespace ttrt::mpi {

/// Where sums arrive. All exchanges use the same; one takes place at a time.
class Staging {
public:
  static constexpr size_t kSlots = 8;
  Staging() : memory_(kSlots * kSumBytes / sizeof(Line)) {}
  uint8_t *slot(size_t index) {
    return reinterpret_cast<uint8_t *>(memory_.data()) + index % kSlots * kSumBytes;
  }

private:
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> memory_;
};

/// Flat addresses of the input, the output and the scratch.
using Operands = std::array<uint64_t, 3>;

class Exchange {
public:
  /// Makes the requests. `base` is flat address 0. Throws MpiError or std::bad_alloc.
  Exchange(const fb::Collective &collective, uint32_t index, const Operands &operands,
           uint8_t *base, Staging &staging, const Members &members);
  ~Exchange();
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;

  /// Makes all moves; returns false if the mesh has failed. Throws MpiError. Allocates nothing
  /// itself. `offered`: what has sent the messages of the first round, perhaps this; or nullptr.
  bool run(Members &members, Exchange *offered = nullptr);
  /// Begins to send the messages of the first round, which have only bytes of the input.
  void offer();

  bool is(uint32_t collective, const Operands &operands) const {
    return collective == collective_ && operands == operands_;
  }
  bool hasInput(uint64_t input) const { return operands_[0] == input; }

private:
  struct Step {
    collectives::Move move;
    int rank;        ///< that the bytes come from; -1: from this device itself
    size_t receive;  ///< index into receives_, if they come from another one
    uint8_t *staged; ///< nullptr: they arrive in their place
    uint8_t *small;  ///< where a small message arrives; nullptr: a persistent request
    int bytes;       ///< of that
  };
  /// What a round begins with; the next round's is its end.
  struct Round {
    size_t step, send;
  };
  void addStep(const collectives::Move &move, size_t roundBegin, uint32_t self,
               const std::vector<int> &ranks);
  void addSend(const collectives::Move &move, int taker);
  bool mayArriveInPlace(const collectives::Move &move, size_t roundBegin) const;
  uint8_t *at(collectives::Place place, uint64_t offset) const {
    return base_ + operands_[static_cast<size_t>(place)] + offset;
  }
  bool completeSends(Members &members);
  bool runSteps(size_t begin, size_t end, Members &members);
  /// Starts the receives of steps from `next_` on.
  void startReceives(size_t end);
  void startSends(size_t begin, size_t end);
  void make(const Step &step) const;

  uint32_t collective_;
  Operands operands_;
  uint8_t *base_;
  Staging &staging_;
  Combine combine_;
  MPI_Comm data_;
  int tag_ = 0;
  size_t slots_ = 0; ///< of the staging that have a step
  std::vector<Step> steps_;
  std::vector<Round> rounds_;
  std::vector<MPI_Request> receives_, sends_;
  struct Send {
    int taker;
    const uint8_t *small; ///< a message that fits MPI's buffers; nullptr: a persistent request
    int bytes;
  };
  std::vector<Send> gives_;      ///< of sends_
  size_t next_ = 0;              ///< the first step whose receive has not been started
  size_t staged_ = 0, made_ = 0; ///< steps of this round that use the staging: started; complete
  std::vector<std::unique_ptr<uint8_t[]>> large_; ///< where copies arrive that do not fit a slot
};

} // namespace ttrt::mpi

#endif // TTRT_MPI_EXCHANGE_H
