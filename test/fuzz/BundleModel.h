// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle as one tree: the header's fields, the metadata and the commands of the streams. Changed
// and written again, with all hashes right. Machine code and weights stay as they are.

#ifndef TTC_TEST_FUZZ_BUNDLEMODEL_H
#define TTC_TEST_FUZZ_BUNDLEMODEL_H

#include "MetadataTree.h"

#include <optional>

namespace ttrt::fuzz {

/// The whole tree, as it is changed. Its root is a table with these items.
enum FilePart : uint32_t { HeaderPart, MetadataPart, StreamsPart };

class BundleModel {
public:
  /// Reads a bundle that the runtime accepts.
  BundleModel(const std::string &schema, const std::string &path);

  const Schema &schema() const { return schema_; }
  const Node &original() const { return original_; }
  /// Type of the root.
  uint32_t file() const { return file_; }

  bool isCommand(uint32_t table) const { return table >= firstCommand_; }
  Node barrier() const;
  /// Makes the tables agree with the streams after commands or operands came or went: sizes,
  /// addresses, the number of commands and, in dispatches, of operands.
  void placeStreams(Node &tree) const;

  /// Drops or doubles the source of a command.
  void changeSource(Node &tree, uint32_t stream, uint32_t command, bool drop) const;

  /// The points of the timeline at which the default schedules execute a command.
  std::vector<uint64_t> pointsOfCommand(const Node &tree, uint32_t stream, uint32_t command) const;
  /// The point of a step: `part` is the field of Schedule. Nothing if it is in no default schedule,
  /// or stands for a trace.
  std::optional<uint64_t> pointOfStep(const Node &tree, uint32_t entry, uint32_t schedule,
                                      size_t part, uint32_t step) const;
  /// Moves what begins or ends after a point of the timeline.
  void moveLifetimes(Node &tree, uint64_t point, int64_t by) const;

  /// The file's bytes. A segment's hash that was changed on purpose stays changed.
  std::vector<uint8_t> write(Node tree) const;

  /// A field by its name.
  Node &field(Node &table, std::string_view name) const;
  const Node &field(const Node &table, std::string_view name) const;

private:
  void addCommandTables();
  Node readCommand(const uint8_t *at) const;
  std::vector<uint8_t> writeStream(const Node &stream) const;

  Schema schema_;
  uint32_t header_ = 0, firstCommand_ = 0, stream_ = 0, file_ = 0;
  Node original_;
  /// Header, constants and code, as they are in every file; streams and metadata follow.
  std::vector<uint8_t> head_;
  std::vector<uint32_t> traceOf_; ///< per stream, in the order of addresses
  uint64_t dramEnd_ = 0;
  bool isRegionExact_ = false; ///< the trace region is as long as the streams
};

} // namespace ttrt::fuzz

#endif // TTC_TEST_FUZZ_BUNDLEMODEL_H
