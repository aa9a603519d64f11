// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ttc.cached_attention and its kernels have in common.
#ifndef TTC_CACHEOPBASE_TD
#define TTC_CACHEOPBASE_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

def Ttc_CacheTensor : Ttc_TensorOf<[F32, F16, I8], "f32, f16 or i8">;

defvar Ttc_CacheConstraints = [{
    - (C1) `kv_heads` is at least 1 and divides `heads`.
    - (C2) `qkv` is [M, (`heads` + 2 `kv_heads`) * D] with M of at least 1 and D a multiple of 32.
    - (C3) `keys` is [`kv_heads`, T / 32, D, 32], `values` is [`kv_heads`, D / 32, T, 32] of the same element type, and
      T is at least 32 and less than 2^31. As i8, they are [`kv_heads`, T / 32, D + D / 16, 32] and [`kv_heads`, D / 32,
      T + T / 16, 32]. With `sequences`, both have a first dimension N more, of at least 1.
    - (C4) `count` has one element in one dimension, `position` too; with `sequences`, `position` has N.
    - (C5) `cos_sin` is [T, D]; it is given exactly if `rope` is.
    - (C6) `scale` is finite. `window` is at least 1, `soft_cap` is from 1e-30 to 1e30.
    - (C7) `sequences` has one element or M elements in one dimension, `sinks` has `heads`.}];

#endif // TTC_CACHEOPBASE_TD
