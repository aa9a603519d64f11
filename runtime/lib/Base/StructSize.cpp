// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/StructSize.h"

#include "Base/Format.h"
#include "ttrt/host.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/profile.h"

#include <algorithm>
#include <cstring>

namespace ttrt {

// A size must tell which fields its struct has, so no field may ever be placed in former padding.
#define TTRT_ENDS_WITH(type, field)                                                                \
  static_assert(offsetof(type, size) == 0 &&                                                       \
                offsetof(type, field) + sizeof(type::field) == sizeof(type) &&                     \
                sizeof(type) <= kMaxStructSize)
TTRT_ENDS_WITH(ttrt_entry, outputs);
TTRT_ENDS_WITH(ttrt_port, bytes);
TTRT_ENDS_WITH(ttrt_memory, trace_address);
TTRT_ENDS_WITH(ttrt_trace, bytes);
TTRT_ENDS_WITH(ttrt_device_options, wait_limit_ms);
TTRT_ENDS_WITH(ttrt_host_call, attribute_count);
TTRT_ENDS_WITH(ttrt_host_function, user);
TTRT_ENDS_WITH(ttrt_timing, device);
TTRT_ENDS_WITH(ttrt_run_options, timing);
TTRT_ENDS_WITH(ttrt_host, dram_bytes);
TTRT_ENDS_WITH(ttrt_memory_use, largest_free);
TTRT_ENDS_WITH(ttrt_huge_pages, problem);
TTRT_ENDS_WITH(ttrt_schedule, reserved);
TTRT_ENDS_WITH(ttrt_pipeline_options, user);
TTRT_ENDS_WITH(ttrt_profiler_options, counters);
TTRT_ENDS_WITH(ttrt_zone_source, color);
#undef TTRT_ENDS_WITH

void checkStructSize(size_t size, const char *type, size_t known) {
  if (size < sizeof(size_t) || size > kMaxStructSize)
    fail(TTRT_INVALID_ARGUMENT, "{}::size is {}; expected {}, as its ..._INIT macro sets it", type,
         size, known);
}

void copyOptions(void *options, size_t known, const void *theirs, size_t size, const char *type) {
  checkStructSize(size, type, known);
  const auto *bytes = static_cast<const char *>(theirs);
  memcpy(options, bytes, std::min(size, known));
  for (size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      fail(TTRT_UNSUPPORTED,
           "{} has {} bytes, of which libttrt " TTRT_VERSION " defines {}; expected zero in the "
           "others, found a nonzero byte at offset {}",
           type, size, known, i);
}

void copyResult(void *theirs, size_t size, const void *result, size_t known) noexcept {
  auto *bytes = static_cast<char *>(theirs);
  const size_t common = std::min(size, known);
  memcpy(bytes + sizeof(size_t), static_cast<const char *>(result) + sizeof(size_t),
         common - sizeof(size_t));
  memset(bytes + common, 0, size - common);
}

} // namespace ttrt
