// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arrays.h"

namespace ttrt::python {

using Code = nb::dlpack::dtype_code;

namespace {
struct TypeInfo {
  const char *name;
  const char *numpy;
  Code code;
  uint8_t bits;
};
} // namespace

/// By ttrt_dtype.
static constexpr TypeInfo kTypes[] = {
    {"f32", "float32", Code::Float, 32},  {"f16", "float16", Code::Float, 16},
    {"bf16", "uint16", Code::Bfloat, 16}, {"f64", "float64", Code::Float, 64},
    {"i8", "int8", Code::Int, 8},         {"i16", "int16", Code::Int, 16},
    {"i32", "int32", Code::Int, 32},      {"i64", "int64", Code::Int, 64},
    {"u8", "uint8", Code::UInt, 8},       {"u16", "uint16", Code::UInt, 16},
    {"u32", "uint32", Code::UInt, 32},    {"u64", "uint64", Code::UInt, 64},
    {"bool", "bool", Code::Bool, 8},
};

static const TypeInfo &infoOf(ttrt_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  if (index >= std::size(kTypes))
    raise(TTRT_UNSUPPORTED, "element type " + std::to_string(index) + " is not known");
  return kTypes[index];
}

std::string nameOf(ttrt_dtype dtype) { return infoOf(dtype).name; }
const char *numpyNameOf(ttrt_dtype dtype) { return infoOf(dtype).numpy; }
size_t elementBytes(ttrt_dtype dtype) { return infoOf(dtype).bits / 8u; }

template <typename Numbers> static std::string list(const Numbers &numbers, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text;
}

std::string TensorType::text() const {
  if (!sizes.empty()) {
    std::string text = nameOf(dtype) + "[";
    for (size_t i = 0; i < sizes.size(); ++i)
      text += (i ? ", " : "") + sizes[i];
    return text + "]";
  }
  return nameOf(dtype) + "[" + list(shape, shape.size()) + "]";
}

/// The name of DLPack's type, ours if there is one.
static std::string nameOf(const nb::dlpack::dtype &dtype) {
  for (const TypeInfo &info : kTypes)
    if (static_cast<uint8_t>(info.code) == dtype.code && info.bits == dtype.bits &&
        dtype.lanes == 1)
      return info.name;
  return std::string(dtype.code == static_cast<uint8_t>(Code::Complex) ? "complex" : "type ") +
         (dtype.code == static_cast<uint8_t>(Code::Complex)
              ? std::to_string(dtype.bits)
              : std::to_string(dtype.code) + " of " + std::to_string(dtype.bits) + " bits");
}

static bool fits(const nb::dlpack::dtype &found, ttrt_dtype expected) {
  const TypeInfo &info = infoOf(expected);
  if (found.lanes != 1 || found.bits != info.bits)
    return false;
  return found.code == static_cast<uint8_t>(info.code) ||
         (expected == TTRT_BF16 && found.code == static_cast<uint8_t>(Code::UInt));
}

static std::string typeName(nb::handle object) {
  return textOf(nb::handle(reinterpret_cast<PyObject *>(Py_TYPE(object.ptr()))).attr("__name__"));
}

/// The reason why an object's memory cannot be had; raises it.
[[noreturn]] static void raiseNoArray(nb::handle object, const TensorType &type, bool writable,
                                      const std::string &what) {
  std::string reason;
  if (nb::hasattr(object, "__dlpack__")) {
    try {
      object.attr("__dlpack__")();
    } catch (nb::python_error &error) {
      reason = textOf(error.value());
    }
  }
  if (writable) {
    nb::ndarray<nb::ro> readable;
    if (nb::try_cast<nb::ndarray<nb::ro>>(object, readable, false))
      raiseValueError(what +
                      ": expected an array that can be written, found one that is read-only");
  }
  raiseTypeError(what + ": expected an array of " + type.text() + ", found " + typeName(object) +
                 (reason.empty() ? "" : ": " + reason));
}

static bool import(nb::handle object, bool writable, Array &array) {
  if (!writable)
    return nb::try_cast<nb::ndarray<nb::ro>>(object, array.keeper, false);
  nb::ndarray<> writing;
  if (!nb::try_cast<nb::ndarray<>>(object, writing, false))
    return false;
  array.keeper = nb::ndarray<nb::ro>(writing);
  return true;
}

Array importArray(nb::handle object, const TensorType &type, bool writable,
                  const std::string &what) {
  Array array;
  nb::object bits;
  if (!import(object, writable, array)) {
    // numpy cannot export ml_dtypes' bfloat16, but a view of its bits.
    if (type.dtype == TTRT_BF16 && nb::hasattr(object, "dtype") && nb::hasattr(object, "view")) {
      const nb::object dtype = object.attr("dtype");
      if (std::string_view(nb::str(dtype).c_str()) == "bfloat16")
        bits = object.attr("view")("uint16");
    }
    if (!bits.is_valid() || !import(bits, writable, array))
      raiseNoArray(object, type, writable, what);
  }
  const nb::ndarray<nb::ro> &found = array.keeper;
  if (found.device_type() != nb::device::cpu::value &&
      found.device_type() != nb::device::cuda_host::value &&
      found.device_type() != nb::device::rocm_host::value)
    raiseValueError(
        what + ": expected an array in the CPU's memory, found one on a device (DLPack's type " +
        std::to_string(found.device_type()) + ")");
  const size_t rank = found.ndim();
  if (!fits(found.dtype(), type.dtype))
    raiseTypeError(what + ": expected " + type.text() + ", found " + nameOf(found.dtype()) + "[" +
                   list(found.shape_ptr(), rank) + "]");
  if (rank != type.shape.size() ||
      !std::equal(type.shape.begin(), type.shape.end(), found.shape_ptr(),
                  [](int64_t expected, int64_t size) { return expected < 0 || expected == size; }))
    raiseValueError(what + ": expected " + type.text() + ", found " + nameOf(found.dtype()) + "[" +
                    list(found.shape_ptr(), rank) + "]");
  int64_t stride = 1;
  for (size_t i = rank; found.size() && i-- > 0;) {
    if (found.shape(i) != 1 && found.stride(i) != stride)
      raiseValueError(what +
                      ": expected a dense, row-major array (as numpy.ascontiguousarray() and "
                      "Tensor.contiguous() make), found strides of " +
                      list(found.stride_ptr(), rank) + " elements");
    stride *= static_cast<int64_t>(found.shape(i));
  }
  array.data = const_cast<void *>(found.data());
  return array;
}

nb::object exportArray(const void *data, const TensorType &type, bool writable, nb::handle owner,
                       const int64_t *strides) {
  const TypeInfo &info = infoOf(type.dtype);
  const nb::dlpack::dtype dtype{
      static_cast<uint8_t>(type.dtype == TTRT_BF16 ? Code::UInt : info.code), info.bits, 1};
  std::vector<size_t> shape(type.shape.begin(), type.shape.end());
  if (writable)
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void *>(data), shape.size(), shape.data(),
                                           owner, strides, dtype));
  return nb::cast(
      nb::ndarray<nb::numpy, nb::ro>(data, shape.size(), shape.data(), owner, strides, dtype));
}

nb::object newArray(const TensorType &type) {
  nb::list shape;
  for (int64_t extent : type.shape)
    shape.append(extent);
  return nb::module_::import_("numpy").attr("empty")(nb::tuple(shape), infoOf(type.dtype).numpy);
}

} // namespace ttrt::python
