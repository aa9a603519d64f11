// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MetadataTree.h"

#include <flatbuffers/flatbuffers.h>
#include <flatbuffers/reflection_generated.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ttrt::fuzz {

size_t Table::find(std::string_view field) const {
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field)
      return i;
  throw std::runtime_error("the schema's table " + name + " has no field " + std::string(field));
}

//===----------------------------------------------------------------------===//
// Schema
//===----------------------------------------------------------------------===//

/// "ttrt.fb.Program" -> "Program"
static std::string shortName(const flatbuffers::String &name) {
  const std::string text = name.str();
  return text.substr(text.rfind('.') + 1);
}

static Type typeOf(const reflection::Schema &schema, reflection::BaseType base, int32_t index) {
  Type type;
  switch (base) {
  case reflection::BaseType::String:
    type.kind = Kind::String;
    return type;
  case reflection::BaseType::Obj:
    if (schema.objects()->Get(static_cast<uint32_t>(index))->is_struct())
      throw std::runtime_error("the schema has a struct; its rules allow tables only");
    type.kind = Kind::Table;
    type.table = static_cast<uint32_t>(index);
    return type;
  case reflection::BaseType::Bool:
  case reflection::BaseType::Byte:
  case reflection::BaseType::UByte:
    type.bytes = 1;
    break;
  case reflection::BaseType::Short:
  case reflection::BaseType::UShort:
    type.bytes = 2;
    break;
  case reflection::BaseType::Int:
  case reflection::BaseType::UInt:
  case reflection::BaseType::Float:
    type.bytes = 4;
    break;
  case reflection::BaseType::Long:
  case reflection::BaseType::ULong:
  case reflection::BaseType::Double:
    type.bytes = 8;
    break;
  default:
    throw std::runtime_error("the schema has a type that the mutator does not support");
  }
  type.isSigned = base == reflection::BaseType::Byte || base == reflection::BaseType::Short ||
                  base == reflection::BaseType::Int || base == reflection::BaseType::Long;
  if (base == reflection::BaseType::Bool)
    type.enumerators = {0, 1};
  else if (index >= 0)
    for (const reflection::EnumVal *value :
         *schema.enums()->Get(static_cast<uint32_t>(index))->values())
      type.enumerators.push_back(static_cast<uint64_t>(value->value()));
  return type;
}

Schema::Schema(const std::string &path) {
  std::ifstream input(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(input), {});
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  if (bytes.empty() || !reflection::VerifySchemaBuffer(verifier))
    throw std::runtime_error("cannot read the schema " + path);
  const reflection::Schema &schema = *reflection::GetSchema(bytes.data());
  for (const reflection::Object *object : *schema.objects()) {
    Table &table = tables.emplace_back();
    table.name = shortName(*object->name());
    if (object->name()->str() == schema.root_table()->name()->str())
      root = static_cast<uint32_t>(tables.size() - 1);
    table.fields.resize(object->fields()->size());
    for (const reflection::Field *entry : *object->fields()) {
      Field &field = table.fields[entry->id()];
      field.name = entry->name()->str();
      field.offset = entry->offset();
      field.fallback = static_cast<uint64_t>(entry->default_integer());
      field.isOptional = entry->optional();
      field.isVector = entry->type()->base_type() == reflection::BaseType::Vector;
      field.type =
          typeOf(schema, field.isVector ? entry->type()->element() : entry->type()->base_type(),
                 entry->type()->index());
    }
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static uint64_t load(const uint8_t *from, const Type &type) {
  switch (type.bytes) {
  case 1: {
    const auto value = flatbuffers::ReadScalar<uint8_t>(from);
    return type.isSigned ? static_cast<uint64_t>(static_cast<int8_t>(value)) : value;
  }
  case 2: {
    const auto value = flatbuffers::ReadScalar<uint16_t>(from);
    return type.isSigned ? static_cast<uint64_t>(static_cast<int16_t>(value)) : value;
  }
  case 4: {
    const auto value = flatbuffers::ReadScalar<uint32_t>(from);
    return type.isSigned ? static_cast<uint64_t>(static_cast<int32_t>(value)) : value;
  }
  default:
    return flatbuffers::ReadScalar<uint64_t>(from);
  }
}

static Node readTable(const Schema &schema, uint32_t number, const flatbuffers::Table &table);

/// A value that an offset refers to.
static Node readReferenced(const Schema &schema, const Type &type, const uint8_t *at) {
  if (type.kind == Kind::Table)
    return readTable(schema, type.table, *reinterpret_cast<const flatbuffers::Table *>(at));
  Node node;
  node.kind = Kind::String;
  node.text = reinterpret_cast<const flatbuffers::String *>(at)->str();
  return node;
}

static Node readVector(const Schema &schema, const Type &type, const uint8_t *at) {
  Node node;
  node.kind = Kind::Vector;
  const auto count = flatbuffers::ReadScalar<uint32_t>(at);
  at += sizeof(uint32_t);
  for (uint32_t i = 0; i < count; ++i) {
    if (type.kind == Kind::Scalar) {
      node.items.emplace_back().scalar = load(at + i * type.bytes, type);
    } else {
      const uint8_t *element = at + i * sizeof(uint32_t);
      node.items.push_back(
          readReferenced(schema, type, element + flatbuffers::ReadScalar<uint32_t>(element)));
    }
  }
  return node;
}

static Node readTable(const Schema &schema, uint32_t number, const flatbuffers::Table &table) {
  Node node;
  node.kind = Kind::Table;
  node.table = number;
  for (const Field &field : schema.table(number).fields) {
    Node &item = node.items.emplace_back();
    item.kind = field.isVector ? Kind::Vector : field.type.kind;
    if (item.kind == Kind::Scalar) {
      const auto *at = table.GetAddressOf(field.offset);
      item.scalar = at ? load(at, field.type) : field.fallback;
      item.present = at || !field.isOptional;
    } else if (const auto *at = table.GetPointer<const uint8_t *>(field.offset)) {
      item = field.isVector ? readVector(schema, field.type, at)
                            : readReferenced(schema, field.type, at);
    } else {
      item.present = false;
    }
  }
  return node;
}

Node readTree(const Schema &schema, const uint8_t *metadata) {
  return readTable(schema, schema.root, *flatbuffers::GetRoot<flatbuffers::Table>(metadata));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

using Builder = flatbuffers::FlatBufferBuilder;
using Offset = flatbuffers::Offset<void>;

static Offset writeTable(Builder &builder, const Schema &schema, const Node &node);

static Offset writeReferenced(Builder &builder, const Schema &schema, const Type &type,
                              const Node &node) {
  if (type.kind == Kind::Table)
    return writeTable(builder, schema, node);
  return builder.CreateString(node.text).Union();
}

template <typename T> static Offset writeScalars(Builder &builder, const std::vector<Node> &items) {
  std::vector<T> values;
  values.reserve(items.size());
  for (const Node &item : items)
    values.push_back(static_cast<T>(item.scalar));
  return builder.CreateVector(values).Union();
}

static Offset writeVector(Builder &builder, const Schema &schema, const Type &type,
                          const std::vector<Node> &items) {
  if (type.kind == Kind::Scalar)
    return type.bytes == 1   ? writeScalars<uint8_t>(builder, items)
           : type.bytes == 2 ? writeScalars<uint16_t>(builder, items)
           : type.bytes == 4 ? writeScalars<uint32_t>(builder, items)
                             : writeScalars<uint64_t>(builder, items);
  std::vector<flatbuffers::Offset<flatbuffers::Table>> offsets;
  offsets.reserve(items.size());
  for (const Node &item : items)
    offsets.emplace_back(writeReferenced(builder, schema, type, item).o);
  return builder.CreateVector(offsets).Union();
}

static void writeScalar(Builder &builder, const Field &field, uint64_t value) {
  auto add = [&]<typename T>(T) {
    if (field.isOptional)
      builder.AddElement<T>(field.offset, static_cast<T>(value));
    else
      builder.AddElement<T>(field.offset, static_cast<T>(value), static_cast<T>(field.fallback));
  };
  switch (field.type.bytes) {
  case 1:
    return add(uint8_t());
  case 2:
    return add(uint16_t());
  case 4:
    return add(uint32_t());
  default:
    return add(uint64_t());
  }
}

static Offset writeTable(Builder &builder, const Schema &schema, const Node &node) {
  const Table &type = schema.table(node.table);
  std::vector<Offset> offsets(type.fields.size());
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const Field &field = type.fields[i];
    const Node &item = node.items[i];
    if (item.kind != Kind::Scalar && item.present)
      offsets[i] = field.isVector ? writeVector(builder, schema, field.type, item.items)
                                  : writeReferenced(builder, schema, field.type, item);
  }
  const auto start = builder.StartTable();
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (node.items[i].kind != Kind::Scalar)
      builder.AddOffset(type.fields[i].offset, offsets[i]);
    else if (node.items[i].present)
      writeScalar(builder, type.fields[i], node.items[i].scalar);
  }
  return builder.EndTable(start);
}

std::vector<uint8_t> writeTree(const Schema &schema, const Node &root) {
  Builder builder(16 * 1024);
  const Offset offset = writeTable(builder, schema, root);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(offset.o), "TTCB");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

} // namespace ttrt::fuzz
