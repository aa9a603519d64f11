// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a .npy file: an array that is all there, or an error.

#include "MemoryFile.h"

#include "Formats/Npy.h"
#include "Support/Error.h"

#include <cstdlib>

using namespace ttrun;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ttrt::fuzz::MemoryFile file;
  static const std::string path = file.path();
  file.write(data, size);
  try {
    const Tensor tensor = readNpy(path);
    size_t elements = 1;
    for (int64_t extent : tensor.shape)
      elements *= static_cast<size_t>(extent);
    if (elements != tensor.elements() || tensor.bytes.size() > size ||
        describe(tensor.dtype, tensor.shape).empty())
      abort();
    double sum = 0;
    for (size_t i = 0; i < elements; ++i)
      sum += elementAt(tensor, i);
    [[maybe_unused]] static volatile double sink;
    sink = sum;
  } catch (const UserError &error) {
    if (error.what()[0] == 0)
      abort();
  }
  return 0;
}
