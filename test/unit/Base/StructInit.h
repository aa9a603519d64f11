/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every struct of the C API that begins with its size, and what a C compiler makes of its macro. */
#ifndef TTC_TEST_UNIT_BASE_STRUCTINIT_H
#define TTC_TEST_UNIT_BASE_STRUCTINIT_H

#include "ttrt/generate.h"
#include "ttrt/host.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/profile.h"

#define TTRT_SIZED_STRUCTS(apply)                                                                  \
  apply(ttrt_entry, TTRT_ENTRY_INIT) apply(ttrt_port, TTRT_PORT_INIT)                              \
      apply(ttrt_memory, TTRT_MEMORY_INIT) apply(ttrt_trace, TTRT_TRACE_INIT) apply(               \
          ttrt_device_options, TTRT_DEVICE_OPTIONS_INIT) apply(ttrt_timing, TTRT_TIMING_INIT)      \
          apply(ttrt_run_options, TTRT_RUN_OPTIONS_INIT) apply(ttrt_host, TTRT_HOST_INIT) apply(   \
              ttrt_memory_use, TTRT_MEMORY_USE_INIT) apply(ttrt_schedule, TTRT_SCHEDULE_INIT)      \
              apply(ttrt_pipeline_options, TTRT_PIPELINE_OPTIONS_INIT)                             \
                  apply(ttrt_host_call, TTRT_HOST_CALL_INIT)                                       \
                      apply(ttrt_host_function, TTRT_HOST_FUNCTION_INIT)                           \
                          apply(ttrt_profiler_options, TTRT_PROFILER_OPTIONS_INIT)                 \
                              apply(ttrt_zone_source, TTRT_ZONE_SOURCE_INIT)                       \
                                  apply(ttrt_huge_pages, TTRT_HUGE_PAGES_INIT)                     \
                                      apply(ttrt_generator_options, TTRT_GENERATOR_OPTIONS_INIT)   \
                                          apply(ttrt_generation, TTRT_GENERATION_INIT)             \
                                              apply(ttrt_generated, TTRT_GENERATED_INIT)

#ifdef __cplusplus
extern "C" {
#endif
#define TTRT_DECLARE_IN_C(name, macro) name name##_in_c(void);
TTRT_SIZED_STRUCTS(TTRT_DECLARE_IN_C)
#undef TTRT_DECLARE_IN_C
#ifdef __cplusplus
}
#endif

#endif /* TTC_TEST_UNIT_BASE_STRUCTINIT_H */
