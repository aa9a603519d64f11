// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BUNDLE_HOST_H
#define TTRT_LIB_BUNDLE_HOST_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt {

/// "x86_64", "aarch64": what a bundle's code must be for.
std::string_view hostArchitecture();
/// LLVM's names of the features that this CPU and its operating system offer.
std::vector<std::string_view> hostFeatures();
/// The CPU's name for itself.
std::string hostModel();
/// Size of one core's L2 cache.
uint64_t hostL2Bytes();
uint64_t hostMemoryBytes();

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_HOST_H
