// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt --show-dialects | FileCheck %s
// CHECK: ttc
