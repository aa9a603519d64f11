// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels ask of an architecture beyond vectors. The kernels' bitcode is for no particular
// one: the compiler defines these functions for the CPU that it compiles for
// (lib/Codegen/TargetOps.cpp).
#ifndef TTC_KERNELS_TARGETOPS_H
#define TTC_KERNELS_TARGETOPS_H

#include "kernels/Common.h"

#define TTC_TARGET_OP extern "C" __attribute__((nothrow))
#define TTC_PURE_TARGET_OP extern "C" __attribute__((const, nothrow))

/// The clock of program markers; always the same one as the runtime's programTime().
TTC_TARGET_OP uint64_t ttc_target_time();
/// Clobbers all vector registers.
TTC_TARGET_OP void ttc_target_release_vectors();

#ifdef VL
namespace ttc::kernels {
typedef int32_t vi __attribute__((ext_vector_type(VL)));
typedef int16_t vh __attribute__((ext_vector_type(2 * VL)));
} // namespace ttc::kernels

/// acc + the sums of four products of ui8 in `a` with i8 in `b`: kDotVnni.
TTC_PURE_TARGET_OP ttc::kernels::vi ttc_target_dot(ttc::kernels::vi acc, ttc::kernels::vi a,
                                                   ttc::kernels::vi b);
/// The sums of two products of i16, in i32.
TTC_PURE_TARGET_OP ttc::kernels::vi ttc_target_multiply_halves(ttc::kernels::vh a,
                                                               ttc::kernels::vh b);
/// The sums of two products of ui8 in `a` with i8 in `b`, in i16, where they fit.
TTC_PURE_TARGET_OP ttc::kernels::vh ttc_target_multiply_bytes(ttc::kernels::vi a,
                                                              ttc::kernels::vi b);
/// The bytes of `table` that those of `indices`, 0 to 15, choose; each 16 bytes of it are the same.
TTC_PURE_TARGET_OP ttc::kernels::vi ttc_target_look_up(ttc::kernels::vi table,
                                                       ttc::kernels::vi indices);
/// The bytes of `b` with the signs of those of `a`; any where `a` is 0.
TTC_PURE_TARGET_OP ttc::kernels::vi ttc_target_with_signs(ttc::kernels::vi b, ttc::kernels::vi a);
#endif

#endif // TTC_KERNELS_TARGETOPS_H
