// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as an ONNX model. Three of four inputs are models in form: fields of their messages are
// set, dropped, doubled and exchanged.

#include "Import.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "ttc/Import/OnnxImport.h"

#include "onnx/onnx_pb.h"

#include <random>
#include <vector>

using namespace mlir;
namespace pb = google::protobuf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzImport(data, size, "fuzz.onnx",
                    [](const llvm::MemoryBuffer &buffer, MLIRContext *context) {
                      ttc::OnnxImportOptions options;
                      options.nodeLimit = 1 << 12; // a loop that never ends would take a minute
                      return ttc::importOnnx(buffer, context, options);
                    });
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {

using Field = const pb::FieldDescriptor *;

class ModelMutator {
public:
  ModelMutator(onnx::ModelProto &model, unsigned seed) : random(seed) { collect(model); }

  void mutate() {
    pb::Message &message = *messages[below(messages.size())];
    const pb::Reflection &reflection = *message.GetReflection();
    // Mostly a field that is there.
    std::vector<Field> fields;
    reflection.ListFields(message, &fields);
    const pb::Descriptor &type = *message.GetDescriptor();
    if (fields.empty() || below(5) == 0)
      fields = {type.field(static_cast<int>(below(static_cast<size_t>(type.field_count()))))};
    const Field field = fields[below(fields.size())];
    if (field->is_repeated())
      changeElements(message, field);
    else
      set(message, field, -1);
  }

private:
  size_t below(size_t count) { return random() % count; }

  void collect(pb::Message &message) {
    messages.push_back(&message);
    const pb::Reflection &reflection = *message.GetReflection();
    std::vector<Field> fields;
    reflection.ListFields(message, &fields);
    for (Field field : fields) {
      const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) {
        if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING &&
            field->type() == pb::FieldDescriptor::TYPE_STRING)
          strings.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                 : reflection.GetString(message, field));
        if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE)
          collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                       : *reflection.MutableMessage(&message, field));
      }
    }
  }

  void changeElements(pb::Message &message, Field field) {
    const pb::Reflection &reflection = *message.GetReflection();
    const int count = reflection.FieldSize(message, field);
    const int last = count - 1;
    const int some = count ? static_cast<int>(below(static_cast<size_t>(count))) : 0;
    switch (below(count ? 5 : 1)) {
    case 0: // one more: a copy of another one, where that is possible
      if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        pb::Message *added = reflection.AddMessage(&message, field);
        if (count)
          added->CopyFrom(reflection.GetRepeatedMessage(message, field, some));
      } else {
        add(message, field);
      }
      return;
    case 1:
      reflection.SwapElements(&message, field, some, last);
      reflection.RemoveLast(&message, field);
      return;
    case 2:
      reflection.SwapElements(&message, field, some, last);
      return;
    default:
      set(message, field, some);
    }
  }

  int64_t number() {
    switch (below(6)) {
    case 0:
      return -1;
    case 1:
      return static_cast<int64_t>(uint64_t(1) << below(64));
    case 2:
      return static_cast<int64_t>(random());
    case 3:
      return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(below(2));
    default:
      return static_cast<int64_t>(below(12));
    }
  }

  std::string text(Field field, std::string old) {
    if (field->type() == pb::FieldDescriptor::TYPE_BYTES) {
      const size_t size = old.size();
      old.resize(size + 16);
      old.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(old.data()), size, old.size()));
      return old;
    }
    if (field->name() == "op_type" && below(2)) {
      static const auto names = ttc::OnnxRegistry::get().names();
      return names[below(names.size())].str();
    }
    return below(8) && !strings.empty() ? strings[below(strings.size())]
                                        : std::string(below(3), 'x');
  }

  void add(pb::Message &message, Field field) {
    const pb::Reflection &reflection = *message.GetReflection();
    switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return reflection.AddInt32(&message, field, static_cast<int32_t>(number()));
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return reflection.AddInt64(&message, field, number());
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return reflection.AddUInt64(&message, field, static_cast<uint64_t>(number()));
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.AddFloat(&message, field, static_cast<float>(number()));
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.AddDouble(&message, field, static_cast<double>(number()));
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return reflection.AddString(&message, field, text(field, ""));
    default:
      return;
    }
  }

  /// Element `at` of a repeated field, or the field (-1).
  void set(pb::Message &message, Field field, int at) {
    const pb::Reflection &reflection = *message.GetReflection();
    if (at < 0 && below(6) == 0)
      return reflection.ClearField(&message, field);
    switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return at < 0
                 ? reflection.SetInt32(&message, field, static_cast<int32_t>(number()))
                 : reflection.SetRepeatedInt32(&message, field, at, static_cast<int32_t>(number()));
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return at < 0 ? reflection.SetInt64(&message, field, number())
                    : reflection.SetRepeatedInt64(&message, field, at, number());
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return at < 0
                 ? reflection.SetFloat(&message, field, static_cast<float>(number()))
                 : reflection.SetRepeatedFloat(&message, field, at, static_cast<float>(number()));
    case pb::FieldDescriptor::CPPTYPE_ENUM: {
      const pb::EnumDescriptor &type = *field->enum_type();
      const int value =
          type.value(static_cast<int>(below(static_cast<size_t>(type.value_count()))))->number();
      return at < 0 ? reflection.SetEnumValue(&message, field, value)
                    : reflection.SetRepeatedEnumValue(&message, field, at, value);
    }
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return at < 0 ? reflection.SetString(&message, field,
                                           text(field, reflection.GetString(message, field)))
                    : reflection.SetRepeatedString(
                          &message, field, at,
                          text(field, reflection.GetRepeatedString(message, field, at)));
    case pb::FieldDescriptor::CPPTYPE_MESSAGE: {
      // Another message of the same type, copied first: a field that is set may clear another one.
      const pb::Message &from = *messages[below(messages.size())];
      if (from.GetDescriptor() != field->message_type())
        return;
      const std::unique_ptr<pb::Message> copy(from.New());
      copy->CopyFrom(from);
      (at < 0 ? reflection.MutableMessage(&message, field)
              : reflection.MutableRepeatedMessage(&message, field, at))
          ->CopyFrom(*copy);
      return;
    }
    default:
      return;
    }
  }

  std::mt19937_64 random;
  std::vector<pb::Message *> messages;
  std::vector<std::string> strings;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  onnx::ModelProto model;
  if (seed % 4 == 0 || !model.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, capacity);
  for (unsigned times = 1 + seed / 4 % 3; times > 0; --times)
    ModelMutator(model, seed + times).mutate();
  const std::string text = model.SerializeAsString();
  if (text.empty() || text.size() > capacity)
    return LLVMFuzzerMutate(data, size, capacity);
  std::copy(text.begin(), text.end(), reinterpret_cast<char *>(data));
  return text.size();
}
