// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxTensor.h"
#include "lib/Import/LfsPointer.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "onnx/onnx_pb.h"

#include <bit>

using namespace mlir;
using namespace mlir::ttc;

// Raw data is little-endian and is used as it is.
static_assert(std::endian::native == std::endian::little);

namespace {
/// The element types of onnx.proto that the schema of Debian's package is too old for.
enum NewerDataType : int32_t {
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kUInt4,
  kInt4,
  kFloat4E2M1,
  kFloat8E8M0,
  kUInt2,
  kInt2
};
} // namespace

Type mlir::ttc::getOnnxElementType(MLIRContext *context, int64_t dataType) {
  Builder b(context);
  auto unsignedType = [&](unsigned width) { return b.getIntegerType(width, /*isSigned=*/false); };
  switch (dataType) {
  case kFloat8E4M3FN:
    return b.getType<Float8E4M3FNType>();
  case kFloat8E4M3FNUZ:
    return b.getType<Float8E4M3FNUZType>();
  case kFloat8E5M2:
    return b.getType<Float8E5M2Type>();
  case kFloat8E5M2FNUZ:
    return b.getType<Float8E5M2FNUZType>();
  case kFloat8E8M0:
    return b.getType<Float8E8M0FNUType>();
  case kFloat4E2M1:
    return b.getType<Float4E2M1FNType>();
  case kUInt4:
    return unsignedType(4);
  case kInt4:
    return b.getIntegerType(4);
  case kUInt2:
    return unsignedType(2);
  case kInt2:
    return b.getIntegerType(2);
  case onnx::TensorProto::FLOAT:
    return b.getF32Type();
  case onnx::TensorProto::DOUBLE:
    return b.getF64Type();
  case onnx::TensorProto::FLOAT16:
    return b.getF16Type();
  case onnx::TensorProto::BFLOAT16:
    return b.getBF16Type();
  case onnx::TensorProto::INT8:
    return b.getI8Type();
  case onnx::TensorProto::UINT8:
    return unsignedType(8);
  case onnx::TensorProto::UINT16:
    return unsignedType(16);
  case onnx::TensorProto::UINT32:
    return unsignedType(32);
  case onnx::TensorProto::UINT64:
    return unsignedType(64);
  case onnx::TensorProto::INT16:
    return b.getI16Type();
  case onnx::TensorProto::INT32:
    return b.getI32Type();
  case onnx::TensorProto::INT64:
    return b.getI64Type();
  case onnx::TensorProto::BOOL:
    return b.getI1Type();
  default:
    return nullptr;
  }
}

std::string mlir::ttc::getOnnxTypeName(int64_t dataType) {
  constexpr StringRef newer[] = {
      "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",
      "int4",         "float4e2m1",     "float8e8m0", "uint2",          "int2"};
  if (dataType >= kFloat8E4M3FN && dataType <= kInt2)
    return newer[dataType - kFloat8E4M3FN].str();
  if (llvm::isInt<32>(dataType) && onnx::TensorProto_DataType_IsValid(static_cast<int>(dataType)))
    return llvm::StringRef(onnx::TensorProto_DataType_Name(onnx::TensorProto_DataType(dataType)))
        .lower();
  return "number " + std::to_string(dataType);
}

StringRef mlir::ttc::getSupportedOnnxTypes() {
  return "float, double, float16, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, "
         "float8e5m2fnuz, float8e8m0, float4e2m1, int2, int4, int8, int16, int32, int64, uint2, "
         "uint4, uint8, uint16, uint32, uint64, bool";
}

size_t mlir::ttc::getElementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

/// Bytes of a file for `count` elements: those of 2 and 4 bits share bytes.
static uint64_t getStoredBytes(Type elementType, int64_t count) {
  const unsigned width = elementType.getIntOrFloatBitWidth();
  return width == 1 ? count : llvm::divideCeil(uint64_t(count) * width, 8);
}

static bool isPacked(Type elementType) {
  const unsigned width = elementType.getIntOrFloatBitWidth();
  return width > 1 && width < 8;
}

/// A byte for each element that shares one in the file, the first in the low bits.
static SmallVector<char> unpack(ArrayRef<char> packed, Type elementType, int64_t count) {
  const unsigned width = elementType.getIntOrFloatBitWidth(), perByte = 8 / width;
  SmallVector<char> bytes;
  bytes.resize_for_overwrite(count);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] =
        static_cast<char>(static_cast<uint8_t>(packed[i / perByte]) >> (i % perByte * width)) &
        ((1 << width) - 1);
  return bytes;
}

/// Constants of i1 hold one byte per element that is 0 or 1; files may say 2.
static void normalizeBools(MutableArrayRef<char> bytes) {
  for (char &byte : bytes)
    byte = byte != 0;
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

namespace {
struct ExternalData {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
} // namespace

static FailureOr<ExternalData> readExternalData(const onnx::TensorProto &tensor,
                                                EmitErrorFn emitError) {
  ExternalData external;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location") {
      external.location = entry.value();
    } else if (entry.key() == "offset") {
      if (StringRef(entry.value()).getAsInteger(10, external.offset))
        return emitError() << "external data has an offset that is not a number: '" << entry.value()
                           << "'";
    } else if (entry.key() == "length") {
      uint64_t length;
      if (StringRef(entry.value()).getAsInteger(10, length))
        return emitError() << "external data has a length that is not a number: '" << entry.value()
                           << "'";
      external.length = length;
    }
    // "checksum" is optional, and readers may ignore it.
  }
  if (external.location.empty())
    return emitError() << "external data names no file";
  return external;
}

/// The path of an external file. It must be located in the model's folder, also after links are
/// resolved: a model must not be able to read other files. Where the model is itself a link, as in
/// the cache of Hugging Face, the file may be beside what the model's link leads to.
static FailureOr<std::string> resolveExternalPath(StringRef location, StringRef modelPath,
                                                  EmitErrorFn emitError) {
  namespace fs = llvm::sys::fs;
  namespace path = llvm::sys::path;
  if (modelPath.empty() || modelPath == "-" || modelPath == "<stdin>")
    return emitError() << "external data '" << location
                       << "' can only be found when the model is read from a file";
  if (path::is_absolute(location) ||
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), ".."))
    return emitError() << "expected external data below the model's folder, found '" << location
                       << "'";
  SmallString<256> folder(path::parent_path(modelPath));
  if (folder.empty())
    folder = ".";
  SmallString<256> file(folder), realFolder, realFile;
  path::append(file, location);
  if (std::error_code error = fs::real_path(folder, realFolder))
    return emitError() << "cannot find the model's folder '" << folder << "': " << error.message();
  if (std::error_code error = fs::real_path(file, realFile))
    return emitError() << "cannot find external data '" << file << "': " << error.message();
  SmallString<256> realModel;
  if (std::error_code error = fs::real_path(modelPath, realModel))
    return emitError() << "cannot find the model '" << modelPath << "': " << error.message();
  auto isIn = [&](StringRef folder) {
    return StringRef(realFile).starts_with((folder + (folder.ends_with("/") ? "" : "/")).str());
  };
  if (!isIn(realFolder) && !isIn(path::parent_path(realModel)))
    return emitError() << "external data '" << location << "' leads out of the model's folder";
  return std::string(realFile);
}

static FailureOr<ElementsAttr> mapExternalData(const onnx::TensorProto &tensor, StringRef name,
                                               RankedTensorType type, uint64_t expectedBytes,
                                               StringRef modelPath, EmitErrorFn emitError) {
  FailureOr<ExternalData> external = readExternalData(tensor, emitError);
  if (failed(external))
    return failure();
  if (external->length && *external->length != expectedBytes)
    return emitError() << "expected " << expectedBytes << " bytes of external data for " << type
                       << ", found " << *external->length;
  FailureOr<std::string> path = resolveExternalPath(external->location, modelPath, emitError);
  if (failed(path))
    return failure();

  if (!llvm::sys::fs::is_regular_file(*path)) // a pipe would block
    return emitError() << "cannot read external data '" << *path << "': not a regular file";
  uint64_t fileSize = 0;
  if (std::error_code error = llvm::sys::fs::file_size(*path, fileSize))
    return emitError() << "cannot read external data '" << *path << "': " << error.message();
  if (auto start = llvm::MemoryBuffer::getFileSlice(*path, std::min<uint64_t>(fileSize, 64), 0);
      start && isLfsPointer((*start)->getBuffer()))
    return emitError() << "expected external data in '" << external->location << "', found "
                       << kLfsPointer;
  if (external->offset > fileSize || fileSize - external->offset < expectedBytes)
    return emitError() << "external data '" << external->location << "' has " << fileSize
                       << " bytes, but " << expectedBytes << " bytes from offset "
                       << external->offset << " are needed";
  auto buffer = llvm::MemoryBuffer::getFileSlice(*path, expectedBytes, external->offset);
  if (std::error_code error = buffer.getError())
    return emitError() << "cannot read external data '" << *path << "': " << error.message();

  ArrayRef<char> data((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  bool isAligned =
      reinterpret_cast<uintptr_t>(data.data()) % getElementBytes(type.getElementType()) == 0;
  if (isAligned && !type.getElementType().isInteger(1) && !isPacked(type.getElementType()))
    return makeConstant(type, data, name, [owner = std::move(*buffer)] {});
  SmallVector<char> bytes = isPacked(type.getElementType())
                                ? unpack(data, type.getElementType(), type.getNumElements())
                                : SmallVector<char>(data);
  if (type.getElementType().isInteger(1))
    normalizeBools(bytes);
  return makeConstant(type, bytes, name);
}

//===----------------------------------------------------------------------===//
// Data in the model
//===----------------------------------------------------------------------===//

/// Copies a typed field (float_data, int64_data, int32_data), narrowing each value to T.
template <typename T, typename Field> static SmallVector<char> copyField(const Field &field) {
  SmallVector<char> bytes;
  bytes.resize_for_overwrite(field.size() * sizeof(T));
  T *out = reinterpret_cast<T *>(bytes.data());
  for (auto value : field)
    *out++ = static_cast<T>(value);
  return bytes;
}

static SmallVector<char> copyTypedData(const onnx::TensorProto &tensor) {
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return copyField<float>(tensor.float_data());
  case onnx::TensorProto::DOUBLE:
    return copyField<double>(tensor.double_data());
  case onnx::TensorProto::UINT64:
    return copyField<uint64_t>(tensor.uint64_data());
  case onnx::TensorProto::UINT32:
    return copyField<uint32_t>(tensor.uint64_data());
  case onnx::TensorProto::INT64:
    return copyField<int64_t>(tensor.int64_data());
  case onnx::TensorProto::INT32:
    return copyField<int32_t>(tensor.int32_data());
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    return copyField<uint16_t>(tensor.int32_data());
  default: // int8, uint8, bool, and all of fewer bits, as bytes
    return copyField<uint8_t>(tensor.int32_data());
  }
}

FailureOr<ElementsAttr> mlir::ttc::convertOnnxTensor(onnx::TensorProto &tensor, StringRef name,
                                                     StringRef modelPath, MLIRContext *context,
                                                     EmitErrorFn emitError) {
  Type elementType = getOnnxElementType(context, tensor.data_type());
  if (!elementType)
    return emitError() << "element type " << getOnnxTypeName(tensor.data_type())
                       << " is not supported (supported: " << getSupportedOnnxTypes() << ")";
  if (tensor.has_segment())
    return emitError() << "tensors in segments are not supported";

  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = getNumElementsChecked(shape);
  if (!count)
    return emitError() << "impossible tensor shape [" << printList(shape) << "]";
  auto type = RankedTensorType::get(shape, elementType);
  uint64_t expectedBytes = getStoredBytes(elementType, *count);

  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return mapExternalData(tensor, name, type, expectedBytes, modelPath, emitError);

  if (!tensor.has_raw_data()) {
    SmallVector<char> bytes = copyTypedData(tensor);
    if (bytes.size() != expectedBytes) {
      const uint64_t elements = isPacked(elementType)
                                    ? bytes.size() * 8 / elementType.getIntOrFloatBitWidth()
                                    : bytes.size() / getElementBytes(elementType);
      return emitError() << "expected " << *count << " elements for the tensor's shape ["
                         << printList(shape) << "], found " << elements;
    }
    if (isPacked(elementType))
      bytes = unpack(bytes, elementType, *count);
    if (elementType.isInteger(1))
      normalizeBools(bytes);
    return makeConstant(type, bytes, name);
  }

  if (tensor.raw_data().size() != expectedBytes)
    return emitError() << "expected " << expectedBytes << " bytes of raw data for " << type
                       << ", found " << tensor.raw_data().size();
  if (elementType.isInteger(1))
    normalizeBools(MutableArrayRef<char>(tensor.mutable_raw_data()->data(), expectedBytes));
  if (isPacked(elementType))
    return makeConstant(type, unpack(tensor.raw_data(), elementType, *count), name);
  std::unique_ptr<std::string> raw(tensor.release_raw_data());
  ArrayRef<char> data(raw->data(), raw->size());
  return makeConstant(type, data, name, [owner = std::move(raw)] {});
}
