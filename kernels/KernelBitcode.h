// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel library as the compiler carries it.
#ifndef TTC_KERNELS_KERNELBITCODE_H
#define TTC_KERNELS_KERNELBITCODE_H

#include <cstdint>
#include <string_view>

namespace ttc::kernels {

/// LLVM bitcode of all kernels for vectors of 8 or 16 lanes.
std::string_view getKernelBitcode(int64_t vectorLength);

/// LLVM bitcode of the library functions that code generation may call.
std::string_view getLibcBitcode();

} // namespace ttc::kernels

#endif // TTC_KERNELS_KERNELBITCODE_H
