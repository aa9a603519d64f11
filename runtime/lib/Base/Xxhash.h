// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH3 with all of its functions in the file that includes this one, compiled for that file's
// vectors.

#ifndef TTRT_LIB_BASE_XXHASH_H
#define TTRT_LIB_BASE_XXHASH_H

#define XXH_INLINE_ALL
// Weights come from memory. Further ahead than the default, 384 bytes, it is memory's bandwidth
// that limits the speed, and no longer its latency.
#define XXH_PREFETCH_DIST 4096
#include <xxhash.h>

#endif // TTRT_LIB_BASE_XXHASH_H
