// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries the precompiled header that the compiler's libraries share; see CMakeLists.txt.
