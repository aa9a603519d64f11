// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flatbuffers of the bundle's schema, before anything is read from them.

#ifndef TTRT_LIB_BUNDLE_VERIFYBUFFER_H
#define TTRT_LIB_BUNDLE_VERIFYBUFFER_H

#include "ttrt/ttc_bundle_generated.h"

#include <cstddef>
#include <cstdint>

namespace ttrt {

/// The root of a flatbuffer of bytes that are not trusted; null unless it is a well-formed
/// fb::Bundle with the identifier of the schema, whose vectors of 8-byte numbers are aligned.
const fb::Bundle *verifyBundleBuffer(const uint8_t *data, size_t size);
/// The same of fb::Facts, which have no identifier.
const fb::Facts *verifyFactsBuffer(const uint8_t *data, size_t size);

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_VERIFYBUFFER_H
