// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle's metadata as a tree with its schema, so that every field can be changed without naming
// it: a field that is added to the schema is changed from then on.

#ifndef TTC_TEST_FUZZ_METADATATREE_H
#define TTC_TEST_FUZZ_METADATATREE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ttrt::fuzz {

enum class Kind : uint8_t { Scalar, String, Table, Vector };

/// Type of a field, or of a vector's elements.
struct Type {
  Kind kind = Kind::Scalar;
  uint32_t bytes = 0;                ///< scalars
  bool isSigned = false;             ///< scalars
  uint32_t table = 0;                ///< tables: number in the schema
  std::vector<uint64_t> enumerators; ///< scalars of an enumeration
};

struct Field {
  std::string name;
  Type type; ///< of a vector: of its elements
  bool isVector = false;
  uint16_t offset = 0;     ///< in the vtable
  uint64_t fallback = 0;   ///< what an absent scalar means
  bool isOptional = false; ///< scalars: absent is no value, not even the fallback
};

struct Table {
  std::string name;
  std::vector<Field> fields;

  /// Position of a field; fails if the schema has none of that name.
  size_t find(std::string_view field) const;
};

/// The schema, from the file that flatc --binary --schema writes.
class Schema {
public:
  explicit Schema(const std::string &path);

  const Table &table(uint32_t number) const { return tables[number]; }
  /// Adds a table for what is not a flatbuffer but is to be changed like one.
  uint32_t add(Table table) {
    tables.push_back(std::move(table));
    return static_cast<uint32_t>(tables.size() - 1);
  }
  uint32_t root = 0;

private:
  std::vector<Table> tables;
};

/// A value. A table has one item per field of its type; absent ones are not `present`, except for
/// scalars that are not optional, which then are equal to the default.
struct Node {
  Kind kind = Kind::Scalar;
  bool present = true;
  uint32_t table = 0; ///< tables: number in the schema
  uint64_t scalar = 0;
  std::string text;
  std::vector<Node> items;

  bool operator==(const Node &) const = default;
};

/// Reads a verified flatbuffer.
Node readTree(const Schema &schema, const uint8_t *metadata);
/// Writes a flatbuffer with the bundle's identifier.
std::vector<uint8_t> writeTree(const Schema &schema, const Node &root);

} // namespace ttrt::fuzz

#endif // TTC_TEST_FUZZ_METADATATREE_H
