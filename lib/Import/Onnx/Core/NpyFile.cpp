// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpyFile.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "ttc/Npy/NpyHeader.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::ttc;

FailureOr<NpyArray> mlir::ttc::readNpyFile(StringRef path, EmitErrorFn emitError) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code error = file.getError())
    return emitError() << "cannot read '" << path << "': " << error.message();
  StringRef data = (*file)->getBuffer();
  auto damaged = [&](const Twine &problem) {
    return emitError() << "expected an array in NumPy's .npy format in '" << path
                       << "': " << problem;
  };
  ::ttc::NpyHeader header = ::ttc::readNpyHeader(data);
  if (!header.problem.empty())
    return damaged(header.problem);
  NpyArray array;
  array.descr = header.descr;
  array.shape.assign(header.shape.begin(), header.shape.end());
  data = data.drop_front(header.bytes);
  unsigned elementBytes = 0;
  std::optional<int64_t> elements = getNumElementsChecked(array.shape);
  if (StringRef(array.descr).take_front(1).find_first_of("<|") || array.descr.size() < 3 ||
      StringRef(array.descr).drop_front(2).getAsInteger(10, elementBytes) || !elements)
    return damaged("elements of type '" + array.descr + "' in a shape of rank " +
                   Twine(array.shape.size()));
  if (header.fortran && llvm::count_if(array.shape, [](int64_t size) { return size > 1; }) > 1)
    return emitError() << "expected an array in C order in '" << path
                       << "', found Fortran order (save numpy.ascontiguousarray(array))";
  if (data.size() != uint64_t(*elements) * elementBytes)
    return damaged("expected " + Twine(*elements) + " elements of " + Twine(elementBytes) +
                   " bytes, found " + Twine(data.size()) + " bytes");
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
