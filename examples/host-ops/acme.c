/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ops of the domain com.acme, as host functions: com.acme.Swish is x / (1 + exp(-beta * x)). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <ttrt/host.h>

static ttrt_status refuse(ttrt_error *error, const char *expected) {
  snprintf(error->message, sizeof(error->message), "expected %s", expected);
  return TTRT_INVALID_ARGUMENT;
}

static ttrt_status swish(void *user, const ttrt_host_call *call, ttrt_error *error) {
  (void)user;
  if (call->operand_count != 1 || call->result_count != 1 || call->operands[0].dtype != TTRT_F32 ||
      call->results[0].bytes != call->operands[0].bytes)
    return refuse(error, "one operand of f32, and a result of its type");
  float beta = 1;
  for (uint64_t i = 0; i < call->attribute_count; ++i)
    if (strcmp(call->attributes[i].name, "beta") == 0 &&
        call->attributes[i].kind == TTRT_ATTRIBUTE_FLOAT)
      beta = call->attributes[i].floats[0];
  const float *x = call->operands[0].data;
  float *y = call->results[0].data;
  for (size_t i = 0; i < call->results[0].bytes / sizeof(float); ++i)
    y[i] = x[i] / (1 + expf(-beta * x[i]));
  return TTRT_OK;
}

static const ttrt_host_function kSwish = {sizeof(kSwish), "com.acme.Swish", swish, NULL};
static const ttrt_host_function *const kFunctions[] = {&kSwish, NULL};

TTRT_API const ttrt_host_function *const *ttrt_host_library(void) { return kFunctions; }
