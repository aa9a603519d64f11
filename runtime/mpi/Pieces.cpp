// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pieces.h"

#include <algorithm>

namespace ttrt::mpi {

using collectives::Move;

/// Cuts a move into pieces of at most `most` bytes: whole rows, or parts of one.
static void cut(Move move, uint64_t most, std::vector<Move> &pieces) {
  if (isDense(move, move.fromPitch) && isDense(move, move.toPitch)) {
    move.bytes *= move.rows;
    move.fromPitch = move.toPitch = move.bytes;
    move.rows = 1;
  }
  if (move.rows == 1 && move.bytes <= kFewSmall * kSmallBytes)
    most = kSmallBytes;
  const uint64_t rows = std::max<uint64_t>(most / move.bytes, 1);
  const uint64_t columns = std::min(move.bytes, most);
  for (uint64_t row = 0; row < move.rows; row += rows)
    for (uint64_t column = 0; column < move.bytes; column += columns) {
      Move piece = move;
      piece.fromOffset += row * move.fromPitch + column;
      piece.toOffset += row * move.toPitch + column;
      piece.rows = std::min(rows, move.rows - row);
      piece.bytes = std::min(columns, move.bytes - column);
      pieces.push_back(piece);
    }
}

static bool haveSamePlace(const Move &a, const Move &b) {
  return a.to == b.to && a.toOffset == b.toOffset && a.bytes == b.bytes && a.rows == b.rows &&
         a.toPitch == b.toPitch && isDense(a, a.fromPitch) == isDense(b, b.fromPitch);
}

/// The pieces of one round.
static void addRound(const std::vector<Move> &moves, std::vector<Move> &pieces) {
  const bool sums =
      std::any_of(moves.begin(), moves.end(), [](const Move &move) { return move.reduce; });
  const bool together = sums && std::all_of(moves.begin(), moves.end(), [&](const Move &move) {
                          return haveSamePlace(move, moves.front());
                        });
  if (!together) {
    for (const Move &move : moves)
      cut(move, sums ? kSumBytes : kMostBytes, pieces);
    return;
  }
  std::vector<std::vector<Move>> cuts(moves.size());
  for (size_t i = 0; i < moves.size(); ++i)
    cut(moves[i], kSumBytes, cuts[i]);
  for (size_t piece = 0; piece < cuts.front().size(); ++piece)
    for (const std::vector<Move> &move : cuts)
      pieces.push_back(move[piece]);
}

std::vector<Move> piecesOf(const collectives::Shape &shape, uint32_t self) {
  std::vector<std::vector<Move>> rounds(collectives::roundsOf(shape));
  collectives::forEachMove(shape, self, [&](const Move &move) {
    if (move.bytes && move.rows)
      rounds[move.round].push_back(move);
  });
  std::vector<Move> pieces;
  for (const std::vector<Move> &round : rounds)
    addRound(round, pieces);
  return pieces;
}

} // namespace ttrt::mpi
