// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of the C API that begin with their size, initialised in C.
#include "StructInit.h"

#define TTRT_INIT_IN_C(name, macro)                                                                \
  name name##_in_c(void) {                                                                         \
    name value = macro;                                                                            \
    return value;                                                                                  \
  }
TTRT_SIZED_STRUCTS(TTRT_INIT_IN_C)
