// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ZoneMarkers.h for generated code: what --ttc-lower-zones, --ttc-add-entries and
// --ttc-call-kernels make calls of. `name` is the address of a constant string that ends with a
// zero.
#include "kernels/Kernel.h"

using namespace ttc::kernels;
using ttrt::profile::kMainBegin;

TTC_KERNEL void ttc_kernel_begin_main(ProgramMarkers *markers, const char *name) {
  beginGuaranteed(markers, kMainBegin, ttc_zone_id(name));
}

TTC_KERNEL void ttc_kernel_end_main(ProgramMarkers *markers, const char *name) {
  endGuaranteed(markers, kMainBegin, ttc_zone_id(name));
}

TTC_KERNEL uint32_t ttc_kernel_begin_zone(ProgramMarkers *markers, const char *name) {
  return beginZone(markers, ttc_zone_id(name));
}

TTC_KERNEL void ttc_kernel_end_zone(ProgramMarkers *markers, uint32_t id) { endZone(markers, id); }
