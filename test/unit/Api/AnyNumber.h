/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the C API that take an enumerator, called from C with any number. */
#ifndef TTC_TEST_UNIT_API_ANYNUMBER_H
#define TTC_TEST_UNIT_API_ANYNUMBER_H

#include "ttrt/memory.h"
#include "ttrt/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif
ttrt_status any_bundle_open(const char *path, int verify, ttrt_bundle **bundle, ttrt_error *error);
ttrt_status any_device_memory(const ttrt_device *device, int type, ttrt_memory_use *use,
                              ttrt_error *error);
ttrt_status any_pipeline_enqueue(ttrt_pipeline *pipeline, const ttrt_input *inputs, int wait,
                                 ttrt_error *error);
ttrt_status any_pipeline_pop(ttrt_pipeline *pipeline, const void **outputs, int wait,
                             ttrt_error *error);
const char *any_status_name(int status);
#ifdef __cplusplus
}
#endif

#endif /* TTC_TEST_UNIT_API_ANYNUMBER_H */
