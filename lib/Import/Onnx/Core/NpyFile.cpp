// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpyFile.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::ttc;

/// The text of a key's value in the header, a literal of a Python dictionary:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
static StringRef findValue(StringRef header, StringRef key) {
  size_t start = header.find(("'" + key + "':").str());
  if (start == StringRef::npos)
    return {};
  StringRef value = header.drop_front(start + key.size() + 3).ltrim();
  const char end = value.starts_with("(") ? ')' : value.starts_with("'") ? '\'' : ',';
  size_t length = value.find(end, 1);
  if (length == StringRef::npos)
    return {};
  return end == ',' ? value.take_front(length).rtrim() : value.slice(1, length);
}

FailureOr<NpyArray> mlir::ttc::readNpyFile(StringRef path, EmitErrorFn emitError) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code error = file.getError())
    return emitError() << "cannot read '" << path << "': " << error.message();
  auto damaged = [&](const Twine &found) {
    return emitError() << "expected an array in NumPy's .npy format in '" << path << "', found "
                       << found;
  };
  StringRef data = (*file)->getBuffer();
  if (data.size() < 10 || !data.starts_with("\x93NUMPY"))
    return damaged("no such file header");
  const unsigned version = static_cast<uint8_t>(data[6]);
  if (version < 1 || version > 3)
    return damaged("version " + Twine(version));
  const size_t lengthBytes = version == 1 ? 2 : 4;
  data = data.drop_front(8);
  if (data.size() < lengthBytes)
    return damaged("a header that is cut off");
  const size_t length = version == 1 ? llvm::support::endian::read16le(data.data())
                                     : llvm::support::endian::read32le(data.data());
  data = data.drop_front(lengthBytes);
  if (data.size() < length)
    return damaged("a header that is cut off");
  StringRef header = data.take_front(length);
  data = data.drop_front(length);

  NpyArray array;
  array.descr = findValue(header, "descr").str();
  StringRef order = findValue(header, "fortran_order"), shape = findValue(header, "shape");
  if (array.descr.empty() || (order != "False" && order != "True") || shape.data() == nullptr)
    return damaged("the header " + header.trim());
  SmallVector<StringRef> sizes;
  shape.split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef text : sizes) {
    int64_t size;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, size) || size < 0)
      return damaged("the shape (" + shape + ")");
    array.shape.push_back(size);
  }
  unsigned elementBytes = 0;
  std::optional<int64_t> elements = getNumElementsChecked(array.shape);
  if (StringRef(array.descr).take_front(1).find_first_of("<|") || array.descr.size() < 3 ||
      StringRef(array.descr).drop_front(2).getAsInteger(10, elementBytes) || !elements)
    return damaged("elements of type '" + array.descr + "' in the shape (" + shape + ")");
  if (order == "True" && llvm::count_if(array.shape, [](int64_t size) { return size > 1; }) > 1)
    return emitError() << "expected an array in C order in '" << path
                       << "', found Fortran order (save numpy.ascontiguousarray(array))";
  if (data.size() != uint64_t(*elements) * elementBytes)
    return damaged(Twine(data.size()) + " bytes of elements, where the header says " +
                   Twine(*elements) + " of " + Twine(elementBytes));
  array.bytes.assign(data.begin(), data.end());
  return array;
}

bool mlir::ttc::isNpyOf(StringRef descr, Type elementType) {
  const std::string size = std::to_string(getElementBytes(elementType));
  std::string kind;
  if (elementType.isInteger(1))
    kind = "b";
  else if (auto type = dyn_cast<IntegerType>(elementType))
    kind = type.isUnsigned() ? "u" : "i";
  else if (elementType.isF16() || elementType.isF32() || elementType.isF64())
    kind = "f";
  descr = descr.drop_front();
  if (!kind.empty())
    return descr == kind + size;
  // ml_dtypes saves float8_e5m2 as "f1", and its other types as untyped bytes.
  return descr == "V" + size || (size == "1" && descr == "f1");
}
