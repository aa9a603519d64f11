// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Transforms/Passes.h"
