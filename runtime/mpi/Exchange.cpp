// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ttrt::mpi {

using collectives::Move;
using collectives::Place;

namespace {
/// Rows of bytes as a type of MPI; freed with the object, which requests that use it allow.
class Rows {
public:
  Rows(const Move &move, uint64_t pitch) {
    if (isDense(move, pitch)) {
      count_ = static_cast<int>(move.bytes * move.rows);
      return;
    }
    check("MPI_Type_create_hvector",
          MPI_Type_create_hvector(static_cast<int>(move.rows), static_cast<int>(move.bytes),
                                  static_cast<MPI_Aint>(pitch), MPI_BYTE, &type_));
    check("MPI_Type_commit", MPI_Type_commit(&type_));
  }
  ~Rows() {
    if (type_ != MPI_BYTE)
      MPI_Type_free(&type_);
  }
  Rows(const Rows &) = delete;
  Rows &operator=(const Rows &) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_BYTE;
};
} // namespace

/// The first and the last byte of the rows at an offset.
static std::pair<uint64_t, uint64_t> extent(const Move &move, uint64_t offset, uint64_t pitch) {
  return {offset, offset + (move.rows - 1) * pitch + move.bytes};
}

static bool overlap(std::pair<uint64_t, uint64_t> a, std::pair<uint64_t, uint64_t> b) {
  return a.first < b.second && b.first < a.second;
}

Exchange::Exchange(const fb::Collective &collective, uint32_t index, const Operands &operands,
                   uint8_t *base, Staging &staging, const Members &members)
    : collective_(index), operands_(operands), base_(base), staging_(staging),
      combine_(combineOf(collective.reduction(), collective.dtype())), data_(members.data()) {
  std::vector<int> ranks;
  for (const fb::DeviceGroup *group : *collective.groups()) {
    std::vector<int> devices(group->devices()->begin(), group->devices()->end());
    if (std::find(devices.begin(), devices.end(), members.self()) != devices.end())
      ranks = std::move(devices);
  }
  if (ranks.empty())
    return; // this device takes no part
  const auto self =
      static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), members.self()) - ranks.begin());
  const collectives::Shape shape = {collective.kind(),
                                    collective.algorithm(),
                                    static_cast<uint32_t>(ranks.size()),
                                    collective.operands()->Get(0)->bytes(),
                                    collective.rows(),
                                    collective.root(),
                                    collective.sources() ? collective.sources()->data() : nullptr};
  // Messages of one collective are matched in their order. A tag for each turns a mistake in the
  // order of collectives into an error rather than wrong sums.
  tag_ = static_cast<int>(index % 32768);
  std::vector<std::vector<Move>> all;
  for (uint32_t device = 0; device < shape.devices; ++device)
    all.push_back(piecesOf(shape, device));
  for (uint32_t round = 0; round < collectives::roundsOf(shape); ++round) {
    rounds_.push_back({steps_.size(), sends_.size()});
    const size_t begin = steps_.size();
    for (const Move &move : all[self])
      if (move.round == round)
        addStep(move, begin, self, ranks);
    for (uint32_t taker = 0; taker < shape.devices; ++taker)
      for (const Move &move : all[taker])
        if (taker != self && move.peer == self && move.round == round)
          addSend(move, ranks[taker]);
  }
  rounds_.push_back({steps_.size(), sends_.size()});
}

Exchange::~Exchange() {
  // After a failure, some are still under way.
  for (MPI_Request &receive : receives_)
    if (int done = 0; MPI_Test(&receive, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
      MPI_Cancel(&receive);
  for (auto *requests : {&receives_, &sends_})
    for (MPI_Request &request : *requests)
      if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
}

/// A message that is not a sum may arrive before the moves before it are made, unless those use the
/// same bytes.
bool Exchange::mayArriveInPlace(const Move &move, size_t roundBegin) const {
  if (move.reduce)
    return false;
  const auto to = extent(move, move.toOffset, move.toPitch);
  return std::none_of(steps_.begin() + roundBegin, steps_.end(), [&](const Step &step) {
    const Move &other = step.move;
    return (other.to == move.to && other.toPitch == move.toPitch && move.rows > 1 &&
            other.toOffset % move.toPitch == move.toOffset % move.toPitch) ||
           (other.to == move.to && (move.rows == 1 || other.rows == 1) &&
            overlap(to, extent(other, other.toOffset, other.toPitch))) ||
           (step.rank < 0 && other.from == move.to &&
            overlap(to, extent(other, other.fromOffset, other.fromPitch)));
  });
}

void Exchange::addStep(const Move &move, size_t roundBegin, uint32_t self,
                       const std::vector<int> &ranks) {
  if (move.peer == self) {
    steps_.push_back({move, -1, 0, nullptr, nullptr, 0});
    return;
  }
  const int rank = ranks[move.peer];
  uint8_t *to = at(move.to, move.toOffset), *staged = nullptr;
  uint64_t pitch = move.toPitch;
  if (!mayArriveInPlace(move, roundBegin)) {
    const uint64_t bytes = move.rows * move.bytes;
    if (bytes > kSumBytes)
      large_.push_back(std::make_unique<uint8_t[]>(bytes));
    to = staged = bytes > kSumBytes ? large_.back().get() : staging_.slot(slots_++);
    pitch = move.bytes;
  }
  receives_.push_back(MPI_REQUEST_NULL);
  const bool isSmall = isDense(move, pitch) && move.rows * move.bytes <= kSmallBytes;
  if (!isSmall) {
    const Rows rows(move, pitch);
    check("MPI_Recv_init",
          MPI_Recv_init(to, rows.count(), rows.type(), rank, tag_, data_, &receives_.back()));
  }
  steps_.push_back({move, rank, receives_.size() - 1, staged, isSmall ? to : nullptr,
                    static_cast<int>(move.rows * move.bytes)});
}

void Exchange::addSend(const Move &move, int taker) {
  const uint8_t *from = at(move.from, move.fromOffset);
  sends_.push_back(MPI_REQUEST_NULL);
  if (isDense(move, move.fromPitch) && move.rows * move.bytes <= kSmallBytes) {
    gives_.push_back({taker, from, static_cast<int>(move.rows * move.bytes)});
    return;
  }
  const Rows rows(move, move.fromPitch);
  gives_.push_back({taker, nullptr, 0});
  check("MPI_Send_init",
        MPI_Send_init(from, rows.count(), rows.type(), taker, tag_, data_, &sends_.back()));
}

void Exchange::offer() {
  if (!rounds_.empty())
    startSends(rounds_[0].send, rounds_[1].send);
}

bool Exchange::run(Members &members, Exchange *offered) {
  for (size_t round = 0; round + 1 < rounds_.size(); ++round) {
    const Round &begin = rounds_[round], &end = rounds_[round + 1];
    next_ = begin.step;
    staged_ = made_ = 0;
    startReceives(end.step);
    if (round > 0 || !offered)
      startSends(begin.send, end.send);
    if (!runSteps(begin.step, end.step, members))
      return false;
  }
  return completeSends(members) && (!offered || offered == this || offered->completeSends(members));
}

/// Those that were not started are complete.
bool Exchange::completeSends(Members &members) {
  for (size_t i = 0; i < sends_.size(); ++i)
    if (sends_[i] != MPI_REQUEST_NULL && !members.wait(gives_[i].taker, [&] {
          int done = 0;
          check("MPI_Test", MPI_Test(&sends_[i], &done, MPI_STATUS_IGNORE));
          return done != 0;
        }))
      return false;
  return true;
}

/// In order, while the staging has room.
void Exchange::startReceives(size_t end) {
  for (; next_ < end; ++next_) {
    const Step &step = steps_[next_];
    if (step.rank < 0)
      continue;
    if (step.staged && staged_ == made_ + Staging::kSlots)
      return;
    staged_ += step.staged != nullptr;
    if (step.small)
      check("MPI_Irecv", MPI_Irecv(step.small, step.bytes, MPI_BYTE, step.rank, tag_, data_,
                                   &receives_[step.receive]));
    else
      check("MPI_Start", MPI_Start(&receives_[step.receive]));
  }
}

/// A small message is faster without a persistent request: MPI copies it and is done with it.
void Exchange::startSends(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (const Send &send = gives_[i]; send.small)
      check("MPI_Isend",
            MPI_Isend(send.small, send.bytes, MPI_BYTE, send.taker, tag_, data_, &sends_[i]));
    else
      check("MPI_Start", MPI_Start(&sends_[i]));
}

bool Exchange::runSteps(size_t begin, size_t end, Members &members) {
  for (size_t i = begin; i < end; ++i) {
    const Step &step = steps_[i];
    if (step.rank >= 0 && !members.wait(step.rank, [&] {
          int done = 0;
          check("MPI_Test", MPI_Test(&receives_[step.receive], &done, MPI_STATUS_IGNORE));
          return done != 0;
        }))
      return false;
    make(step);
    made_ += step.staged != nullptr;
    startReceives(end);
  }
  return true;
}

/// The bytes are here: puts them in their place.
void Exchange::make(const Step &step) const {
  if (step.rank >= 0 && !step.staged)
    return;
  const Move &move = step.move;
  const uint8_t *from = step.staged ? step.staged : at(move.from, move.fromOffset);
  const uint64_t pitch = step.staged ? move.bytes : move.fromPitch;
  uint8_t *to = at(move.to, move.toOffset);
  for (uint64_t row = 0; row < move.rows; ++row, from += pitch, to += move.toPitch)
    if (move.reduce)
      combine_(to, from, move.bytes);
    else
      memcpy(to, from, move.bytes);
}

} // namespace ttrt::mpi
