// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AnyNumber.h"

ttrt_status any_bundle_open(const char *path, int verify, ttrt_bundle **bundle, ttrt_error *error) {
  return ttrt_bundle_open(path, (ttrt_verify)verify, bundle, error);
}

ttrt_status any_device_memory(const ttrt_device *device, int type, ttrt_memory_use *use,
                              ttrt_error *error) {
  return ttrt_device_memory(device, (ttrt_buffer_type)type, use, error);
}

ttrt_status any_pipeline_enqueue(ttrt_pipeline *pipeline, const ttrt_input *inputs, int wait,
                                 ttrt_error *error) {
  return ttrt_pipeline_enqueue(pipeline, inputs, NULL, (ttrt_wait)wait, error);
}

ttrt_status any_pipeline_pop(ttrt_pipeline *pipeline, const void **outputs, int wait,
                             ttrt_error *error) {
  return ttrt_pipeline_pop(pipeline, outputs, (ttrt_wait)wait, error);
}

const char *any_status_name(int status) { return ttrt_status_name((ttrt_status)status); }
