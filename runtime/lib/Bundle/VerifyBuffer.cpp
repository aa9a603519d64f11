// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flatc generates a function for each table that verifies its fields. Here a list of all fields is
// made of what flatc says about their types, and one function reads it: a tenth of the code. It
// makes the same calls of flatbuffers::Verifier. A test compares both.

#include "Bundle/VerifyBuffer.h"

#include <array>
#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

namespace ttrt {

namespace {

/// The tables of the schema, each with the number of its place here.
template <typename... Tables> struct TableList {
  template <typename Table> static constexpr uint8_t indexOf() {
    uint8_t index = 0, found = sizeof...(Tables);
    ((found = std::same_as<Table, Tables> ? index : found, ++index), ...);
    return found;
  }
  static constexpr size_t kTables = sizeof...(Tables);
  static constexpr size_t kFields = (Tables::Traits::fields_number + ...);
};
using Tables =
    TableList<fb::Target, fb::Segment, fb::Region, fb::Operand, fb::HostAttribute, fb::HostFunction,
              fb::Program, fb::Facts, fb::Buffer, fb::Event, fb::Trace, fb::AxisList,
              fb::ExtentFactor, fb::ExtentProduct, fb::Extent, fb::Port, fb::Step, fb::Schedule,
              fb::StateDataflow, fb::Dataflow, fb::Variant, fb::EntryPoint, fb::DeviceGroup,
              fb::Collective, fb::MeshAxis, fb::Mesh, fb::Metadatum, fb::Bundle>;

/// `size`: of a number, or of the numbers of a vector. `table`: of a table, or of those of a
/// vector.
struct Field {
  enum Kind : uint8_t { Number, String, Numbers, Strings, Table, TableVector };
  Kind kind : 3;
  bool isRequired : 1;
  uint8_t size : 4;
  uint8_t table;
};

/// A field of the type that its function in the generated code returns.
template <typename T> struct FieldOf {
  static constexpr Field value{Field::Number, false, sizeof(T), 0};
};
template <typename T> struct FieldOf<std::optional<T>> : FieldOf<T> {};
template <typename T> struct FieldOf<const T *> {
  static_assert(Tables::indexOf<T>() < Tables::kTables, "a table is not in the list");
  static constexpr Field value{Field::Table, false, 0, Tables::indexOf<T>()};
};
template <> struct FieldOf<const flatbuffers::String *> {
  static constexpr Field value{Field::String, false, 0, 0};
};
template <typename T> struct FieldOf<const flatbuffers::Vector<T> *> {
  static constexpr Field value{Field::Numbers, false, sizeof(T), 0};
};
template <> struct FieldOf<const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *> {
  static constexpr Field value{Field::Strings, false, 0, 0};
};
template <typename T> struct FieldOf<const flatbuffers::Vector<flatbuffers::Offset<T>> *> {
  static_assert(Tables::indexOf<T>() < Tables::kTables, "a table is not in the list");
  static constexpr Field value{Field::TableVector, false, 0, Tables::indexOf<T>()};
};

/// What flatc does not say: which fields are `(required)` in the schema.
constexpr bool isRequired(std::string_view table, std::string_view field) {
  for (const char *name : {"name", "arch", "symbol", "body", "schedules", "groups", "target",
                           "segments", "entries", "key"})
    if (field == name)
      return true;
  return (table == "Collective" && field == "operands") || (table == "Mesh" && field == "axes") ||
         (table == "Variant" &&
          (field == "of" || field == "dims" || field == "low" || field == "high"));
}

struct Schema {
  std::array<Field, Tables::kFields> fields;
  std::array<uint8_t, Tables::kTables + 1> begin; ///< of the fields of a table
};

template <typename... T> consteval Schema describe(TableList<T...>) {
  static_assert(Tables::kFields < 256);
  Schema schema{};
  size_t field = 0, table = 0;
  auto add = [&]<typename Table, size_t... indices>(std::index_sequence<indices...>) {
    schema.begin[table++] = static_cast<uint8_t>(field);
    using Traits = typename Table::Traits;
    ((schema.fields[field] = FieldOf<typename Traits::template FieldType<indices>>::value,
      schema.fields[field++].isRequired = isRequired(Traits::name, Traits::field_names[indices])),
     ...);
  };
  (add.template operator()<T>(std::make_index_sequence<T::Traits::fields_number>()), ...);
  schema.begin[table] = static_cast<uint8_t>(field);
  return schema;
}
constexpr Schema kSchema = describe(Tables());

class BufferVerifier {
public:
  // The limits bound the time and stack that a malicious file can take. Real bundles are far below.
  BufferVerifier(const uint8_t *data, size_t size)
      : data(data), verifier(data, size, /*max_depth=*/16, /*max_tables=*/16 * 1024 * 1024) {}

  bool verifyTable(const uint8_t *table, size_t index);
  bool verifyRoot(size_t size, const char *identifier, size_t index);

private:
  bool verifyOffset(const uint8_t *at, const Field &field);

  const uint8_t *const data;
  flatbuffers::Verifier verifier;
};

bool BufferVerifier::verifyTable(const uint8_t *table, size_t index) {
  if (!verifier.VerifyTableStart(table))
    return false;
  for (size_t i = kSchema.begin[index]; i < kSchema.begin[index + 1]; ++i) {
    const Field field = kSchema.fields[i];
    const auto number = static_cast<flatbuffers::voffset_t>(i - kSchema.begin[index]);
    const flatbuffers::voffset_t offset =
        reinterpret_cast<const flatbuffers::Table *>(table)->GetOptionalFieldOffset(
            flatbuffers::FieldIndexToOffset(number));
    if (offset == 0) {
      if (field.isRequired)
        return false;
    } else if (field.kind == Field::Number) {
      if (!verifier.VerifyFieldStruct(table, offset, field.size, field.size))
        return false;
    } else {
      const flatbuffers::uoffset_t target = verifier.VerifyOffset(table, offset);
      if (target == 0 || !verifyOffset(table + offset + target, field))
        return false;
    }
  }
  return verifier.EndTable();
}

/// What a field refers to. The verifier of flatbuffers does not check that 8-byte numbers are
/// aligned.
bool BufferVerifier::verifyOffset(const uint8_t *at, const Field &field) {
  if (field.kind == Field::Table)
    return verifyTable(at, field.table);
  if (field.kind == Field::String)
    return verifier.VerifyString(reinterpret_cast<const flatbuffers::String *>(at));
  const size_t size = field.kind == Field::Numbers ? field.size : sizeof(flatbuffers::uoffset_t);
  if (!verifier.VerifyVectorOrString(at, size))
    return false;
  if (field.kind == Field::Numbers)
    return static_cast<size_t>(at + sizeof(flatbuffers::uoffset_t) - data) % size == 0;
  const auto *offsets = reinterpret_cast<const flatbuffers::Vector<flatbuffers::uoffset_t> *>(at);
  for (flatbuffers::uoffset_t i = 0; i < offsets->size(); ++i) {
    const uint8_t *target = offsets->Data() + i * sizeof(flatbuffers::uoffset_t) + offsets->Get(i);
    if (field.kind == Field::Strings
            ? !verifier.VerifyString(reinterpret_cast<const flatbuffers::String *>(target))
            : !verifyTable(target, field.table))
      return false;
  }
  return true;
}

bool BufferVerifier::verifyRoot(size_t size, const char *identifier, size_t index) {
  using flatbuffers::soffset_t, flatbuffers::uoffset_t; // for the macro
  if (size < FLATBUFFERS_MIN_BUFFER_SIZE)
    return false;
  if (identifier &&
      (size < 2 * sizeof(uoffset_t) || !flatbuffers::BufferHasIdentifier(data, identifier)))
    return false;
  const uoffset_t root = verifier.VerifyOffset(0);
  return root != 0 && verifyTable(data + root, index);
}

} // namespace

const fb::Bundle *verifyBundleBuffer(const uint8_t *data, size_t size) {
  return BufferVerifier(data, size)
                 .verifyRoot(size, fb::BundleIdentifier(), Tables::indexOf<fb::Bundle>())
             ? fb::GetBundle(data)
             : nullptr;
}

const fb::Facts *verifyFactsBuffer(const uint8_t *data, size_t size) {
  return BufferVerifier(data, size).verifyRoot(size, nullptr, Tables::indexOf<fb::Facts>())
             ? flatbuffers::GetRoot<fb::Facts>(data)
             : nullptr;
}

} // namespace ttrt
