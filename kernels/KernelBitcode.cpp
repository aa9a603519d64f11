// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/KernelBitcode.h"

#define TTC_EMBED(NAME, FILE)                                                                      \
  __asm__(".section .rodata\n"                                                                     \
          ".balign 16\n" #NAME "_begin:\n"                                                         \
          ".incbin \"" FILE "\"\n" #NAME "_end:\n"                                                 \
          ".previous\n");                                                                          \
  extern "C" const char NAME##_begin[] __attribute__((visibility("hidden")));                      \
  extern "C" const char NAME##_end[] __attribute__((visibility("hidden")))

TTC_EMBED(ttc_kernels_vl8, TTC_KERNEL_DIR "/kernels.vl8.bc");
TTC_EMBED(ttc_kernels_vl16, TTC_KERNEL_DIR "/kernels.vl16.bc");
TTC_EMBED(ttc_kernels_libc, TTC_KERNEL_DIR "/Libc.bc");

static std::string_view bytesBetween(const char *begin, const char *end) {
  return {begin, static_cast<size_t>(end - begin)};
}

std::string_view ttc::kernels::getKernelBitcode(int64_t vectorLength) {
  return vectorLength == 16 ? bytesBetween(ttc_kernels_vl16_begin, ttc_kernels_vl16_end)
                            : bytesBetween(ttc_kernels_vl8_begin, ttc_kernels_vl8_end);
}

std::string_view ttc::kernels::getLibcBitcode() {
  return bytesBetween(ttc_kernels_libc_begin, ttc_kernels_libc_end);
}
