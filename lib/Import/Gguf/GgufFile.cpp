// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufFile.h"
#include "lib/Import/LfsPointer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::ttc;

// The layouts are those of ggml, which never change under a number.
static constexpr GgmlType kGgmlTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 40},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},
};

const GgmlType *mlir::ttc::findGgmlType(uint32_t number) {
  const GgmlType *found =
      llvm::find_if(kGgmlTypes, [&](const GgmlType &type) { return type.number == number; });
  return found == std::end(kGgmlTypes) ? nullptr : found;
}

/// A name of the file as text for a message: short, and without control characters.
static std::string quote(StringRef name) {
  constexpr size_t kMost = 80;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'";
  stream.write_escaped(name.take_front(kMost));
  stream << (name.size() > kMost ? "...'" : "'");
  return text;
}

static constexpr StringLiteral kTypeNames[] = {"an unsigned integer",
                                               "an integer",
                                               "an unsigned integer",
                                               "an integer",
                                               "an unsigned integer",
                                               "an integer",
                                               "a float",
                                               "a bool",
                                               "a string",
                                               "an array",
                                               "an unsigned integer",
                                               "an integer",
                                               "a float"};

/// 0: of no fixed size.
static uint32_t getBytes(GgufType type) {
  static constexpr uint32_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return kBytes[static_cast<uint32_t>(type)];
}

static std::string describe(const GgufFile::Value &value) {
  std::string name = kTypeNames[static_cast<uint32_t>(value.type)].str();
  return value.isArray ? "an array of " + llvm::utostr(value.count) + ", each " + name : name;
}

int64_t GgufFile::Tensor::getRows() const {
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(shape).drop_front())
    rows *= extent;
  return rows;
}

//===--- reading --------------------------------------------------------------------------===//

/// Walks the file from its begin. Every function fails rather than read past the end.
class GgufFile::Reader {
public:
  Reader(StringRef all) : all(all) {}

  llvm::Error read(GgufFile &file) {
    if (all.size() < 4 || !all.starts_with("GGUF"))
      return makeGgufError("expected a GGUF file, found " +
                           (all.empty()         ? Twine("an empty file")
                            : isLfsPointer(all) ? Twine(kLfsPointer)
                                                : Twine("a file that does not begin with 'GGUF'")));
    position = 4;
    uint32_t version;
    if (llvm::Error error = takeNumber(version, "the version"))
      return error;
    if (version != 2 && version != 3)
      return makeGgufError(version != 0 && (version & 0xffff) == 0
                               ? "expected a little-endian GGUF file, found a big-endian one"
                               : "expected GGUF version 2 or 3, found " + Twine(version));
    uint64_t tensors, values;
    if (llvm::Error error = takeNumber(tensors, "the number of tensors"))
      return error;
    if (llvm::Error error = takeNumber(values, "the number of metadata"))
      return error;
    // The least that a record takes bounds their number before anything is allocated.
    if (llvm::Error error = checkCount(values, 8 + 4 + 1, "metadata"))
      return error;
    for (uint64_t i = 0; i < values; ++i)
      if (llvm::Error error = readValue(file, i))
        return error;
    if (llvm::Error error = checkCount(tensors, 8 + 4 + 8 + 4 + 8, "tensors"))
      return error;
    llvm::Expected<int64_t> alignment =
        file.getInteger("general.alignment", 1, int64_t(1) << 20, 32);
    if (!alignment)
      return alignment.takeError();
    if (!llvm::isPowerOf2_64(*alignment))
      return makeGgufError("expected a power of two as 'general.alignment', found " +
                           Twine(*alignment));
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < tensors; ++i)
      if (llvm::Error error = readTensor(file, i, offsets))
        return error;
    return place(file, offsets, *alignment);
  }

private:
  uint64_t left() const { return all.size() - position; }

  llvm::Error take(StringRef &bytes, uint64_t size, const Twine &what) {
    if (size > left())
      return makeGgufError("expected " + Twine(size) + " bytes of " + what + " at " +
                           Twine(position) + ", found " + Twine(left()));
    bytes = all.substr(position, size);
    position += size;
    return llvm::Error::success();
  }

  template <typename T> llvm::Error takeNumber(T &number, const Twine &what) {
    StringRef bytes;
    if (llvm::Error error = take(bytes, sizeof(T), what))
      return error;
    number = llvm::support::endian::read<T, llvm::endianness::little>(bytes.data());
    return llvm::Error::success();
  }

  llvm::Error takeString(StringRef &text, const Twine &what) {
    uint64_t size;
    if (llvm::Error error = takeNumber(size, "the length of " + what))
      return error;
    return take(text, size, what);
  }

  llvm::Error checkCount(uint64_t count, uint64_t least, const Twine &what) {
    if (count > left() / least)
      return makeGgufError("expected at most " + Twine(left() / least) + " " + what + " in " +
                           Twine(left()) + " bytes, found " + Twine(count));
    return llvm::Error::success();
  }

  llvm::Error takeType(GgufType &type, const Twine &what) {
    uint32_t number;
    if (llvm::Error error = takeNumber(number, "the type of " + what))
      return error;
    if (number > static_cast<uint32_t>(GgufType::F64))
      return makeGgufError("expected a type of GGUF for " + what + ", found " + Twine(number));
    type = static_cast<GgufType>(number);
    return llvm::Error::success();
  }

  llvm::Error readValue(GgufFile &file, uint64_t index) {
    StringRef key;
    if (llvm::Error error = takeString(key, "the key of metadata " + Twine(index)))
      return error;
    const std::string name = "metadata " + quote(key);
    auto [entry, isNew] = file.values.try_emplace(key);
    if (!isNew)
      return makeGgufError("expected each key once, found " + name + " twice");
    Value &value = entry->second;
    if (llvm::Error error = takeType(value.type, name))
      return error;
    value.isArray = value.type == GgufType::Array;
    value.count = 1;
    if (value.isArray) {
      if (llvm::Error error = takeType(value.type, "the elements of " + name))
        return error;
      if (llvm::Error error = takeNumber(value.count, "the length of " + name))
        return error;
    }
    if (value.type == GgufType::Array)
      return makeGgufError("expected numbers, bools or strings as elements of " + name +
                           ", found arrays");
    if (value.type != GgufType::String) {
      const uint64_t bytes = getBytes(value.type);
      if (llvm::Error error = checkCount(value.count, bytes, "elements of " + name))
        return error;
      return take(value.bytes, value.count * bytes, name);
    }
    if (llvm::Error error = checkCount(value.count, 8, "strings of " + name))
      return error;
    value.strings.resize(value.count);
    for (auto [i, text] : llvm::enumerate(value.strings))
      if (llvm::Error error = takeString(text, "string " + Twine(i) + " of " + name))
        return error;
    return llvm::Error::success();
  }

  llvm::Error readTensor(GgufFile &file, uint64_t index, std::vector<uint64_t> &offsets) {
    Tensor tensor;
    if (llvm::Error error = takeString(tensor.name, "the name of tensor " + Twine(index)))
      return error;
    const std::string name = "tensor " + quote(tensor.name);
    if (!file.tensorsByName.try_emplace(tensor.name, index).second)
      return makeGgufError("expected each tensor once, found " + name + " twice");
    uint32_t rank, type;
    if (llvm::Error error = takeNumber(rank, "the rank of " + name))
      return error;
    if (rank < 1 || rank > 4)
      return makeGgufError("expected 1 to 4 dimensions of " + name + ", found " + Twine(rank));
    uint64_t elements = 1;
    for (uint32_t i = 0; i < rank; ++i) {
      uint64_t extent;
      if (llvm::Error error = takeNumber(extent, "the shape of " + name))
        return error;
      bool overflows = false;
      elements = llvm::SaturatingMultiply(elements, extent, &overflows);
      if (extent == 0 || overflows || elements > uint64_t(INT64_MAX))
        return makeGgufError("expected a shape of 1 to 2^63 - 1 elements of " + name +
                             ", found the extent " + Twine(extent) + " as dimension " + Twine(i));
      tensor.shape.push_back(static_cast<int64_t>(extent));
    }
    if (llvm::Error error = takeNumber(type, "the type of " + name))
      return error;
    tensor.type = findGgmlType(type);
    if (!tensor.type)
      return makeGgufError("expected a supported type for " + name + ", found number " +
                           Twine(type));
    const uint64_t columns = tensor.shape[0];
    if (columns % tensor.type->blockElements != 0)
      return makeGgufError("expected rows of whole blocks of " + Twine(tensor.type->blockElements) +
                           " elements (" + tensor.type->name + ") in " + name + ", found " +
                           Twine(columns) + " elements");
    uint64_t offset;
    if (llvm::Error error = takeNumber(offset, "the offset of " + name))
      return error;
    // At most 292 / 256 bytes per element are no more than 8.
    bool overflows = false;
    const uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(elements / tensor.type->blockElements,
                                                              tensor.type->blockBytes, &overflows);
    if (overflows || bytes > all.size())
      return makeGgufError("expected " + name + " inside the file of " + Twine(all.size()) +
                           " bytes, found " + (overflows ? "2^64 bytes or more" : Twine(bytes)) +
                           (overflows ? "" : " bytes"));
    tensor.bytes = {nullptr, static_cast<size_t>(bytes)}; // place() sets the address
    offsets.push_back(offset);
    file.tensors.push_back(std::move(tensor));
    return llvm::Error::success();
  }

  /// The tensors' data begins at the next multiple of the alignment.
  llvm::Error place(GgufFile &file, ArrayRef<uint64_t> offsets, uint64_t alignment) {
    const uint64_t begin = llvm::alignTo(position, alignment);
    if (!offsets.empty() && begin > all.size())
      return makeGgufError("expected tensors from byte " + Twine(begin) + ", found a file of " +
                           Twine(all.size()) + " bytes");
    std::vector<size_t> order;
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      Tensor &tensor = file.tensors[i];
      const uint64_t bytes = tensor.bytes.size();
      if (offset % alignment != 0 || offset > all.size() - begin ||
          bytes > all.size() - begin - offset)
        return makeGgufError("expected tensor " + quote(tensor.name) + " of " + Twine(bytes) +
                             " bytes at a multiple of " + Twine(alignment) + " in the " +
                             Twine(all.size() - begin) + " bytes of tensors, found it at " +
                             Twine(offset));
      tensor.bytes = {all.data() + begin + offset, static_cast<size_t>(bytes)};
      order.push_back(i);
    }
    // No byte is used twice, so that a small file cannot stand for a large model.
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(offsets[a], a) < std::pair(offsets[b], b);
    });
    for (size_t i = 1; i < order.size(); ++i) {
      const Tensor &before = file.tensors[order[i - 1]], &after = file.tensors[order[i]];
      if (before.bytes.end() > after.bytes.begin())
        return makeGgufError("expected tensors that do not overlap, found " + quote(after.name) +
                             " in the bytes of " + quote(before.name));
    }
    return llvm::Error::success();
  }

  StringRef all;
  uint64_t position = 0;
};

llvm::Expected<GgufFile> GgufFile::parse(StringRef bytes) {
  GgufFile file;
  if (llvm::Error error = Reader(bytes).read(file))
    return std::move(error);
  return file;
}

llvm::Error GgufFile::add(GgufFile part) {
  for (const auto &entry : part.values) {
    // Which part it is, and how its own bytes are placed.
    const StringRef key = entry.first();
    if (key.starts_with("split.") || key == "general.alignment")
      continue;
    const Value *value = find(key);
    if (value && *value != entry.second)
      return makeGgufError("expected the first file's value of " + quote(key) +
                           ", found another one");
  }
  for (Tensor &tensor : part.tensors) {
    if (!tensorsByName.try_emplace(tensor.name, tensors.size()).second)
      return makeGgufError("expected each tensor once, found tensor " + quote(tensor.name) +
                           " in an earlier file, too");
    tensors.push_back(std::move(tensor));
  }
  return llvm::Error::success();
}

//===--- queries --------------------------------------------------------------------------===//

const GgufFile::Value *GgufFile::find(StringRef key) const {
  auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

const GgufFile::Tensor *GgufFile::findTensor(StringRef name) const {
  auto found = tensorsByName.find(name);
  return found == tensorsByName.end() ? nullptr : &tensors[found->second];
}

/// Element `index` of integers; nothing for other types, and beyond int64_t.
static std::optional<int64_t> toInteger(const GgufFile::Value &value, uint64_t index) {
  auto read = [&]<typename T>(T) {
    return llvm::support::endian::read<T, llvm::endianness::little>(value.bytes.data() +
                                                                    index * sizeof(T));
  };
  switch (value.type) {
  case GgufType::U8:
    return read(uint8_t());
  case GgufType::I8:
    return read(int8_t());
  case GgufType::U16:
    return read(uint16_t());
  case GgufType::I16:
    return read(int16_t());
  case GgufType::U32:
    return read(uint32_t());
  case GgufType::I32:
    return read(int32_t());
  case GgufType::I64:
    return read(int64_t());
  case GgufType::U64: {
    const uint64_t number = read(uint64_t());
    return number > uint64_t(INT64_MAX) ? std::nullopt : std::optional<int64_t>(number);
  }
  default:
    return std::nullopt;
  }
}

static llvm::Error makeMismatch(StringRef key, const Twine &expected, const Twine &found) {
  return makeGgufError("expected " + expected + " as " + quote(key) + ", found " + found);
}

llvm::Expected<int64_t> GgufFile::getInteger(StringRef key, int64_t low, int64_t high,
                                             std::optional<int64_t> fallback) const {
  const Value *value = find(key);
  if (!value && fallback)
    return *fallback;
  std::optional<int64_t> number =
      value && !value->isArray ? toInteger(*value, 0) : std::optional<int64_t>();
  if (!number || *number < low || *number > high)
    return makeMismatch(key, "an integer from " + Twine(low) + " to " + Twine(high),
                        number  ? llvm::itostr(*number)
                        : value ? describe(*value)
                                : "none");
  return *number;
}

/// The value of a float that is no array.
static std::optional<double> toFloat(const GgufFile::Value &value) {
  if (value.isArray || (value.type != GgufType::F32 && value.type != GgufType::F64))
    return std::nullopt;
  float single;
  double number;
  if (value.type == GgufType::F32) {
    memcpy(&single, value.bytes.data(), sizeof(single));
    return single;
  }
  memcpy(&number, value.bytes.data(), sizeof(number));
  return number;
}

std::optional<double> GgufFile::findNumber(StringRef key) const {
  const Value *value = find(key);
  if (!value || value->isArray)
    return std::nullopt;
  if (value->type == GgufType::Bool)
    return value->bytes[0] != 0;
  if (std::optional<double> number = toFloat(*value))
    return number;
  std::optional<int64_t> integer = toInteger(*value, 0);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

std::vector<StringRef> GgufFile::getKeys(StringRef prefix) const {
  std::vector<StringRef> keys;
  for (StringRef key : values.keys())
    if (key.starts_with(prefix))
      keys.push_back(key);
  llvm::sort(keys);
  return keys;
}

llvm::Expected<double> GgufFile::getNumber(StringRef key, double low, double high,
                                           std::optional<double> fallback) const {
  const Value *value = find(key);
  if (!value && fallback)
    return *fallback;
  const std::optional<double> number = value ? toFloat(*value) : std::nullopt;
  // Written so that NaN is refused.
  if (!number || !(*number >= low && *number <= high)) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "a number from " << low << " to " << high;
    std::string found = value ? describe(*value) : "none";
    if (number) {
      found.clear();
      llvm::raw_string_ostream(found) << *number;
    }
    return makeMismatch(key, text, found);
  }
  return *number;
}

llvm::Expected<bool> GgufFile::getBool(StringRef key, bool fallback) const {
  const Value *value = find(key);
  if (!value)
    return fallback;
  if (value->type != GgufType::Bool || value->isArray)
    return makeMismatch(key, "a bool", describe(*value));
  return value->bytes[0] != 0;
}

llvm::Expected<StringRef> GgufFile::getText(StringRef key,
                                            std::optional<StringRef> fallback) const {
  const Value *value = find(key);
  if (!value && fallback)
    return *fallback;
  if (!value || value->type != GgufType::String || value->isArray)
    return makeMismatch(key, "a string", value ? describe(*value) : "none");
  return value->strings[0];
}

llvm::Expected<ArrayRef<StringRef>> GgufFile::getTexts(StringRef key) const {
  const Value *value = find(key);
  if (!value)
    return ArrayRef<StringRef>();
  if (value->type != GgufType::String || !value->isArray)
    return makeMismatch(key, "an array of strings", describe(*value));
  return ArrayRef<StringRef>(value->strings);
}

llvm::Expected<std::vector<int64_t>> GgufFile::getIntegers(StringRef key, int64_t low,
                                                           int64_t high) const {
  std::vector<int64_t> numbers;
  const Value *value = find(key);
  if (!value)
    return numbers;
  if (!value->isArray)
    return makeMismatch(key, "an array of integers", describe(*value));
  numbers.reserve(value->count);
  for (uint64_t i = 0; i < value->count; ++i) {
    std::optional<int64_t> number = toInteger(*value, i);
    if (!number || *number < low || *number > high)
      return makeMismatch(key, "an array of integers from " + Twine(low) + " to " + Twine(high),
                          number ? llvm::itostr(*number) + " as element " + llvm::utostr(i)
                                 : describe(*value));
    numbers.push_back(*number);
  }
  return numbers;
}

llvm::Expected<std::vector<float>> GgufFile::getFloats(StringRef key) const {
  std::vector<float> numbers;
  const Value *value = find(key);
  if (!value)
    return numbers;
  if (!value->isArray || value->type != GgufType::F32)
    return makeMismatch(key, "an array of f32", describe(*value));
  numbers.resize(value->count);
  if (!numbers.empty())
    memcpy(numbers.data(), value->bytes.data(), numbers.size() * sizeof(float));
  if (llvm::any_of(numbers, [](float number) { return std::isnan(number); }))
    return makeMismatch(key, "an array of numbers", "a NaN in it");
  return numbers;
}

llvm::Expected<std::vector<bool>> GgufFile::getBools(StringRef key) const {
  const Value *value = find(key);
  if (!value)
    return std::vector<bool>();
  if (!value->isArray || value->type != GgufType::Bool)
    return makeMismatch(key, "an array of truth values", describe(*value));
  std::vector<bool> truths;
  for (char byte : value->bytes)
    truths.push_back(byte != 0);
  return truths;
}
