// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Inspect.h"

#include "Bundle/Bundle.h"
#include "Describe/MemoryMap.h"
#include "Models.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"

namespace ttrt::python {

nb::str memoryMap(Device &device) {
  device.requireOpen();
  // Names in a bundle are any bytes.
  const std::string page = ttrun::memoryMapPage(*device.bundle()->bundle);
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(page.data(), static_cast<Py_ssize_t>(page.size()), "replace"));
}

nb::tuple memory(Device &device) {
  ttrt_error error;
  ttrt_memory memory = TTRT_MEMORY_INIT;
  ttrt_memory_use use[3] = {TTRT_MEMORY_USE_INIT, TTRT_MEMORY_USE_INIT, TTRT_MEMORY_USE_INIT};
  device.exclusively(error, [&](ttrt_device *opened) {
    ttrt_status found = ttrt_bundle_memory(device.bundle(), &memory, &error);
    for (int type = TTRT_DRAM; type <= TTRT_TRACE && found == TTRT_OK; ++type)
      found = ttrt_device_memory(opened, static_cast<ttrt_buffer_type>(type), &use[type], &error);
    return found;
  });
  auto of = [&](int type) {
    return nb::make_tuple(use[type].total, use[type].used, use[type].free, use[type].peak,
                          use[type].largest_free);
  };
  return nb::make_tuple(memory.dram_bytes, memory.l1_bytes, memory.trace_bytes,
                        memory.trace_address, of(TTRT_DRAM), of(TTRT_L1), of(TTRT_TRACE));
}

nb::tuple verify(Device &device) {
  ttrt_error error;
  ttrt_bundle *bundle;
  ttrt_status status;
  Proof proof;
  device.requireOpen();
  requireInterpreter();
  device.pin();
  {
    const Unlocked unlocked;
    status = ttrt_bundle_open_fd(device.bundle()->bundle->file().descriptor(),
                                 device.path().c_str(), TTRT_VERIFY_FULL, &bundle, &error);
    if (status == TTRT_OK)
      status = ttrt_bundle_prove(bundle, &error);
    if (status == TTRT_OK)
      proof = bundle->bundle->prove();
    ttrt_bundle_close(bundle);
  }
  device.unpin();
  check(status, error);
  return nb::make_tuple(proof.schedules, proof.steps, proof.commands, proof.iterations,
                        proof.accesses, proof.pairs, static_cast<double>(proof.nanoseconds) * 1e-9);
}

nb::dict metadata(Device &device) {
  device.requireOpen();
  nb::dict found;
  ttrt_error error;
  for (uint32_t i = 0; i < ttrt_bundle_metadata_keys(device.bundle()); ++i) {
    const char *key = ttrt_bundle_metadata_key(device.bundle(), i);
    const void *value;
    uint64_t bytes;
    check(ttrt_bundle_metadata(device.bundle(), key, &value, &bytes, &error), error);
    found[nameToStr(key)] = nb::bytes(value, bytes);
  }
  return found;
}

nb::list schedules(Device &device, uint32_t entry) {
  device.requireOpen();
  uint32_t largest;
  if (const EntryPoint &described = device.entry(entry); described.model)
    entry = findVariant(described, nullptr, &largest).entry; // all variants have the same
  nb::list list;
  ttrt_error error;
  for (uint32_t i = 0; i < ttrt_bundle_schedules(device.bundle(), entry); ++i) {
    ttrt_schedule schedule = TTRT_SCHEDULE_INIT;
    check(ttrt_bundle_schedule(device.bundle(), entry, i, &schedule, &error), error);
    list.append(nb::make_tuple(nameToStr(schedule.name), schedule.queues));
  }
  return list;
}

} // namespace ttrt::python
