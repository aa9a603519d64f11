// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/SerializationInterfaces.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcSerializationInterfaces.cpp.inc"

std::vector<uint64_t> BundleNumbers::getAddresses(ArrayAttr inputs, ArrayAttr outputs) const {
  std::vector<uint64_t> result;
  for (ArrayAttr list : {inputs, outputs})
    for (Attribute buffer : list)
      result.push_back(getAddress(buffer));
  return result;
}

BundleSymbols::~BundleSymbols() = default;
