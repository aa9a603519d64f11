// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Npy.h"

#include "Support/Error.h"
#include "Support/WriteFile.h"
#include "ttc/Npy/NpyHeader.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

namespace ttrun {

namespace {

struct Type {
  ttrt_dtype dtype;
  const char *name;
  const char *npy; ///< without byte order
  size_t size;
};

// bf16 is last of those called u2: reading takes the first.
constexpr Type kTypes[] = {
    {TTRT_F32, "f32", "f4", 4},  {TTRT_F16, "f16", "f2", 2}, {TTRT_F64, "f64", "f8", 8},
    {TTRT_I8, "i8", "i1", 1},    {TTRT_I16, "i16", "i2", 2}, {TTRT_I32, "i32", "i4", 4},
    {TTRT_I64, "i64", "i8", 8},  {TTRT_U8, "u8", "u1", 1},   {TTRT_U16, "u16", "u2", 2},
    {TTRT_U32, "u32", "u4", 4},  {TTRT_U64, "u64", "u8", 8}, {TTRT_BOOL, "bool", "b1", 1},
    {TTRT_BF16, "bf16", "u2", 2}};

const Type &typeOf(ttrt_dtype dtype) {
  for (const Type &type : kTypes)
    if (type.dtype == dtype)
      return type;
  throw UserError("unknown element type " + std::to_string(static_cast<int>(dtype)));
}

struct CloseFile {
  void operator()(FILE *file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

/// '<f4' -> f32. Big-endian data of more than one byte is an error, not silently swapped.
const Type &parseType(const std::string &path, const std::string &descr, ttrt_dtype bytes) {
  // How ml_dtypes saves types of one byte; float8_e5m2 is "f1".
  if (descr == "<V1" || descr == "|V1" || descr == "<f1" || descr == "|f1")
    return typeOf(sizeOf(bytes) == 1 ? bytes : TTRT_U8);
  if (descr == "<V2" || descr == "|V2") // two opaque bytes: how ml_dtypes saves bfloat16
    return typeOf(TTRT_BF16);
  if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|' || descr[0] == '='))
    for (const Type &type : kTypes)
      if (descr.substr(1) == type.npy && (type.size == 1 || descr[0] != '|'))
        return type;
  throw UserError(path + ": element type '" + descr +
                  "' is not supported; expected little-endian f2, f4, f8, i1 to i8, u1 to u8, b1, "
                  "V1 and f1 for types of one byte, or V2 for bf16");
}

/// Row-major from column-major order.
std::vector<uint8_t> transposeFortran(const std::vector<uint8_t> &from,
                                      const std::vector<int64_t> &shape, size_t size) {
  std::vector<uint8_t> to(from.size());
  std::vector<int64_t> index(shape.size());
  for (size_t out = 0; out < to.size(); out += size) {
    size_t in = 0;
    for (size_t d = shape.size(); d-- > 0;)
      in = in * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
    memcpy(&to[out], &from[in * size], size);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return to;
}

float halfToFloat(uint16_t half) {
  const float sign = half & 0x8000 ? -1.0f : 1.0f;
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

template <typename T> T load(const uint8_t *from) {
  T value;
  memcpy(&value, from, sizeof(T));
  return value;
}

} // namespace

size_t Tensor::elements() const { return bytes.size() / sizeOf(dtype); }
size_t sizeOf(ttrt_dtype dtype) { return typeOf(dtype).size; }
const char *nameOf(ttrt_dtype dtype) { return typeOf(dtype).name; }

std::string describe(ttrt_dtype dtype, const std::vector<int64_t> &shape) {
  std::string text = std::string(nameOf(dtype)) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

double elementAt(const Tensor &tensor, size_t index) {
  const uint8_t *at = &tensor.bytes[index * sizeOf(tensor.dtype)];
  switch (tensor.dtype) {
  case TTRT_F32:
    return load<float>(at);
  case TTRT_F16:
    return halfToFloat(load<uint16_t>(at));
  case TTRT_BF16: {
    uint32_t bits = uint32_t(load<uint16_t>(at)) << 16;
    return load<float>(reinterpret_cast<uint8_t *>(&bits));
  }
  case TTRT_F64:
    return load<double>(at);
  case TTRT_I8:
    return load<int8_t>(at);
  case TTRT_I16:
    return load<int16_t>(at);
  case TTRT_I32:
    return load<int32_t>(at);
  case TTRT_I64:
    return static_cast<double>(load<int64_t>(at));
  case TTRT_U8:
  case TTRT_BOOL:
    return *at;
  case TTRT_U16:
    return load<uint16_t>(at);
  case TTRT_U32:
    return load<uint32_t>(at);
  case TTRT_U64:
    return static_cast<double>(load<uint64_t>(at));
  }
  return NAN;
}

Tensor readNpy(const std::string &path, const CheckHeader &check, ttrt_dtype bytes) {
  File file(fopen(path.c_str(), "rb"));
  if (!file)
    throw UserError("cannot open " + path + ": " + strerror(errno));
  std::string start(ttc::kMostNpyHeaderBytes, 0);
  start.resize(fread(start.data(), 1, start.size(), file.get()));
  if (ferror(file.get()))
    throw UserError("cannot read " + path + ": " + strerror(errno));
  const ttc::NpyHeader header = ttc::readNpyHeader(start);
  if (!header.problem.empty())
    throw UserError(path + ": " + header.problem);
  const Type &type = parseType(path, header.descr, bytes);
  Tensor tensor{type.dtype, header.shape, {}};
  size_t size = type.size;
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(size, static_cast<size_t>(extent), &size))
      throw UserError(path + ": " + describe(type.dtype, tensor.shape) + " is too large");

  // The size of the file is known before memory is taken for what its header says.
  const auto data = static_cast<long>(header.bytes);
  if (fseek(file.get(), 0, SEEK_END) != 0)
    throw UserError(path + ": cannot seek");
  const size_t there = static_cast<size_t>(ftell(file.get()) - data);
  if (there != size)
    throw UserError(path + ": " + describe(type.dtype, tensor.shape) + " has " +
                    std::to_string(size) + " bytes; the file holds " + std::to_string(there));
  if (check)
    check(tensor.dtype, tensor.shape);
  tensor.bytes.resize(size);
  if (fseek(file.get(), data, SEEK_SET) != 0 ||
      fread(tensor.bytes.data(), 1, size, file.get()) != size)
    throw UserError(path + ": cannot read its data");
  if (header.fortran && tensor.shape.size() > 1)
    tensor.bytes = transposeFortran(tensor.bytes, tensor.shape, type.size);
  if (type.dtype == TTRT_BOOL)
    for (uint8_t &value : tensor.bytes)
      if (value > 1)
        throw UserError(path + ": a bool is " + std::to_string(value) + "; expected 0 or 1");
  return tensor;
}

void writeNpy(const std::string &path, const Tensor &tensor) {
  const Type &type = typeOf(tensor.dtype);
  std::string header = std::string("{'descr': '") + (type.size == 1 ? "|" : "<") + type.npy +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape)
    header += std::to_string(extent) + (tensor.shape.size() == 1 ? "," : ", ");
  if (tensor.shape.size() > 1)
    header.resize(header.size() - 2);
  header += "), }";
  // The data starts at a multiple of 64.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string start("\x93NUMPY\1\0", 8);
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  ttc::writeFile(
      path,
      {start, header, {reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size()}});
}

} // namespace ttrun
