// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of libraries that only carry a precompiled header; see TtcUtils.cmake.
