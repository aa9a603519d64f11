// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C boundary: handles, arguments, and exceptions turned into statuses.

#include "ttrt/host.h"

#include "Api/ApiChecks.h"
#include "Base/ParallelHash.h"
#include "Base/StructSize.h"
#include "Bundle/Host.h"
#include "Bundle/MeshTables.h"

#include <algorithm>
#include <cstring>

using namespace ttrt;

ttrt_status ttrt::report(ttrt_error *error, ttrt_status status, const char *message) noexcept {
  if (error) {
    error->status = status;
    size_t length = strnlen(message, sizeof(error->message) - 1);
    memcpy(error->message, message, length);
    error->message[length] = 0;
  }
  return status;
}

ttrt_status ttrt::reportSuccess(ttrt_error *error) noexcept {
  if (error) {
    error->status = TTRT_OK;
    error->message[0] = 0;
  }
  return TTRT_OK;
}

ttrt_status ttrt::reportException(ttrt_error *error) noexcept {
  try {
    throw;
  } catch (const Error &failure) {
    return report(error, failure.status, failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return report(error, TTRT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &failure) {
    return report(error, TTRT_INTERNAL, failure.what());
  } catch (...) {
    return report(error, TTRT_INTERNAL, "unknown error");
  }
}

void ttrt::failRun(Device &device, const char *problem) {
  fail(device.stopRequest().status(), "{}", problem);
}

void ttrt::checkExtents(const Device &device, uint32_t entry, uint32_t input, const void *data) {
  const fb::EntryPoint &table = *device.bundle().metadata().entries()->Get(entry);
  const fb::Variant *variant = table.variant();
  if (!variant || variant->extents() != input)
    return;
  // Only libttrt_shapes relies on these tables, and verifies them; here, they may say anything.
  const size_t dims = variant->dims()->size();
  const bool hasSteps = count(variant->step()) == dims;
  if (variant->low()->size() != dims || variant->high()->size() != dims ||
      device.entry(entry)->inputs[input].bytes != dims * sizeof(int32_t))
    return;
  for (uint32_t i = 0; i < dims; ++i) {
    int32_t extent;
    memcpy(&extent, static_cast<const char *>(data) + i * sizeof(extent), sizeof(extent));
    const uint64_t low = variant->low()->Get(i), high = variant->high()->Get(i),
                   step = hasSteps ? variant->step()->Get(i) : 1,
                   given = static_cast<uint64_t>(extent);
    if (extent < 0 || given < low || given > high || (step != 0 && given % step != 0)) [[unlikely]]
      fail(TTRT_INVALID_ARGUMENT,
           "input '{}' of entry point '{}': '{}' is {}; expected a multiple of {} from {} to {}",
           text(table.inputs()->Get(input)->name()), text(table.name()),
           text(variant->dims()->Get(i)), extent, step, low, high);
  }
}

void ttrt::failForeign(const Device &device, uint32_t entry) {
  const fb::EntryPoint &table = *device.bundle().metadata().entries()->Get(entry);
  fail(TTRT_INVALID_ARGUMENT, "entry point '{}' is executed by {} of the mesh; this is device {}",
       text(table.name()), describeDevices(table), device.mesh().device());
}

static const fb::EntryPoint &entryOf(const ttrt_bundle *bundle, uint32_t entry) {
  require(bundle, "bundle is NULL");
  const auto *entries = bundle->bundle->metadata().entries();
  if (entry >= entries->size())
    fail(TTRT_INVALID_ARGUMENT, "entry point {}; the bundle has {}", entry, entries->size());
  return *entries->Get(entry);
}

static ttrt_status describePort(const ttrt_bundle *bundle, uint32_t entry, uint32_t index,
                                bool isInput, ttrt_port *port, ttrt_error *error) {
  return guarded(error, [&] {
    require(port, "port is NULL");
    checkResult(port, "ttrt_port");
    const fb::EntryPoint &table = entryOf(bundle, entry);
    const auto *ports = isInput ? table.inputs() : table.outputs();
    if (index >= count(ports))
      fail(TTRT_INVALID_ARGUMENT, "{} {}; entry point '{}' has {}", isInput ? "input" : "output",
           index, text(table.name()), count(ports));
    const fb::Port &found = *ports->Get(index);
    writePort(port, found);
  });
}

static ttrt_status openBundle(const char *path, int descriptor, const ttrt_verify &verify,
                              ttrt_bundle **bundle, ttrt_error *error) {
  if (bundle)
    *bundle = nullptr;
  return guarded(error, [&] {
    require(path && bundle, "path or bundle is NULL");
    requireEnumerator(verify, TTRT_VERIFY_NONE, "ttrt_verify");
    *bundle = new ttrt_bundle{std::make_shared<const Bundle>(path, verify, descriptor)};
  });
}

extern "C" {

const char *ttrt_status_name(ttrt_status status) {
  uint32_t number; // C callers may pass any
  memcpy(&number, &status, sizeof(number));
  switch (number) {
  case TTRT_OK:
    return "ok";
  case TTRT_INVALID_ARGUMENT:
    return "invalid argument";
  case TTRT_NOT_FOUND:
    return "not found";
  case TTRT_IO_ERROR:
    return "I/O error";
  case TTRT_BAD_BUNDLE:
    return "bad bundle";
  case TTRT_UNSUPPORTED:
    return "unsupported";
  case TTRT_OUT_OF_MEMORY:
    return "out of memory";
  case TTRT_BUSY:
    return "busy";
  case TTRT_INTERNAL:
    return "internal error";
  case TTRT_FAILED:
    return "failed";
  case TTRT_NOT_READY:
    return "not ready";
  case TTRT_WOULD_OVERWRITE:
    return "would overwrite";
  case TTRT_OVERWRITTEN:
    return "overwritten";
  case TTRT_END:
    return "end";
  case TTRT_UNTRUSTED:
    return "not trusted";
  case TTRT_CANCELLED:
    return "cancelled";
  case TTRT_DEADLINE_EXCEEDED:
    return "deadline exceeded";
  }
  return "unknown status";
}

const char *ttrt_version(void) { return TTRT_VERSION; }

ttrt_status ttrt_bundle_open(const char *path, ttrt_verify verify, ttrt_bundle **bundle,
                             ttrt_error *error) {
  return openBundle(path, MappedFile::kNone, verify, bundle, error);
}

ttrt_status ttrt_bundle_open_fd(int descriptor, const char *name, ttrt_verify verify,
                                ttrt_bundle **bundle, ttrt_error *error) {
  // A negative one is no descriptor: fcntl() says so.
  return openBundle(name ? name : "bundle", std::max(descriptor, -1), verify, bundle, error);
}

ttrt_status ttrt_bundle_prove(const ttrt_bundle *bundle, ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle, "bundle is NULL");
    if (!bundle->bundle->prove().schedules)
      fail(TTRT_INVALID_ARGUMENT,
           "the bundle was opened with TTRT_VERIFY_NONE; expected a level with the proof");
  });
}

void ttrt_bundle_close(ttrt_bundle *bundle) { delete bundle; }

const void *ttrt_bundle_tables(const ttrt_bundle *bundle, size_t *bytes) {
  if (bytes)
    *bytes = bundle ? bundle->bundle->metadataBytes() : 0;
  return bundle ? bundle->bundle->metadataBegin() : nullptr;
}

uint32_t ttrt_bundle_entries(const ttrt_bundle *bundle) {
  return bundle ? bundle->bundle->metadata().entries()->size() : 0;
}

ttrt_status ttrt_bundle_entry(const ttrt_bundle *bundle, uint32_t entry, ttrt_entry *info,
                              ttrt_error *error) {
  return guarded(error, [&] {
    require(info, "info is NULL");
    checkResult(info, "ttrt_entry");
    const fb::EntryPoint &table = entryOf(bundle, entry);
    writeResult(info, {sizeof(ttrt_entry), text(table.name()), count(table.inputs()),
                       count(table.outputs())});
  });
}

ttrt_status ttrt_bundle_memory(const ttrt_bundle *bundle, ttrt_memory *memory, ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && memory, "bundle or memory is NULL");
    checkResult(memory, "ttrt_memory");
    const fb::Bundle &metadata = bundle->bundle->metadata();
    ttrt_memory result = TTRT_MEMORY_INIT;
    for (uint32_t i = 0; i < count(metadata.buffers()); ++i) {
      const fb::Buffer &buffer = *metadata.buffers()->Get(i);
      uint64_t end = buffer.offset() + buffer.size();
      if (buffer.space() == fb::MemorySpace::Dram)
        result.dram_bytes = std::max(result.dram_bytes, end);
      else if (buffer.space() == fb::MemorySpace::L1)
        result.l1_bytes = std::max(result.l1_bytes, end);
    }
    for (uint32_t i = 0; i < count(metadata.programs()); ++i)
      result.l1_bytes =
          std::max<uint64_t>(result.l1_bytes, metadata.programs()->Get(i)->scratch_bytes());
    if (const fb::Region *region = metadata.trace_region()) {
      result.trace_bytes = region->size();
      result.trace_address = region->address();
    }
    writeResult(memory, result);
  });
}

uint32_t ttrt_bundle_host_calls(const ttrt_bundle *bundle) {
  return bundle ? static_cast<uint32_t>(bundle->bundle->hostFunctions().size()) : 0;
}

ttrt_status ttrt_bundle_host_call(const ttrt_bundle *bundle, uint32_t index, ttrt_host_call *call,
                                  ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && call, "bundle or call is NULL");
    checkResult(call, "ttrt_host_call");
    const auto &functions = bundle->bundle->hostFunctions();
    if (index >= functions.size())
      fail(TTRT_INVALID_ARGUMENT, "host call {}; the bundle has {}", index, functions.size());
    writeResult(call, functions[index].call);
  });
}

uint32_t ttrt_bundle_traces(const ttrt_bundle *bundle) {
  return bundle ? count(bundle->bundle->metadata().traces()) : 0;
}

ttrt_status ttrt_bundle_trace(const ttrt_bundle *bundle, uint32_t trace, ttrt_trace *info,
                              ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && info, "bundle or info is NULL");
    checkResult(info, "ttrt_trace");
    const auto *traces = bundle->bundle->metadata().traces();
    if (trace >= count(traces))
      fail(TTRT_INVALID_ARGUMENT, "trace {}; the bundle has {}", trace, count(traces));
    const fb::Trace &found = *traces->Get(trace);
    writeResult(info, {sizeof(ttrt_trace), text(found.name()), found.commands(), found.size()});
  });
}

ttrt_status ttrt_bundle_find_entry(const ttrt_bundle *bundle, const char *name, uint32_t *entry,
                                   ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && name && entry, "bundle, name or entry is NULL");
    *entry = findIn(bundle->bundle->metadata().entries(), "entry point", name);
  });
}

ttrt_status ttrt_bundle_metadata(const ttrt_bundle *bundle, const char *key, const void **value,
                                 uint64_t *bytes, ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && key && value && bytes, "bundle, key, value or bytes is NULL");
    const auto *metadata = bundle->bundle->metadata().metadata();
    const uint32_t index = findIn(metadata, "metadata", key); // throws where there are none
    const auto *found = metadata->Get(index)->value();
    static const char kNothing = 0;
    *bytes = count(found);
    *value = *bytes ? static_cast<const void *>(found->Data()) : &kNothing;
  });
}

uint32_t ttrt_bundle_metadata_keys(const ttrt_bundle *bundle) {
  return bundle ? count(bundle->bundle->metadata().metadata()) : 0;
}

const char *ttrt_bundle_metadata_key(const ttrt_bundle *bundle, uint32_t index) {
  return index < ttrt_bundle_metadata_keys(bundle)
             ? text(bundle->bundle->metadata().metadata()->Get(index)->key())
             : nullptr;
}

ttrt_status ttrt_bundle_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                              ttrt_port *port, ttrt_error *error) {
  return describePort(bundle, entry, input, /*isInput=*/true, port, error);
}

ttrt_status ttrt_bundle_output(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                               ttrt_port *port, ttrt_error *error) {
  return describePort(bundle, entry, output, /*isInput=*/false, port, error);
}

ttrt_status ttrt_device_open(const ttrt_bundle *bundle, const ttrt_device_options *options,
                             ttrt_device **device, ttrt_error *error) {
  if (device)
    *device = nullptr;
  return guarded(error, [&] {
    require(bundle && device, "bundle or device is NULL");
    const ttrt_device_options chosen = readOptions(options, "ttrt_device_options");
    bool joined = false;
    try {
      *device = new ttrt_device{std::make_shared<Device>(bundle->bundle, chosen, joined)};
    } catch (...) { // the other devices of the mesh do not wait for this one
      ttrt_error reason;
      reportException(&reason);
      // TTRT_BUSY: the transport belongs to another device, which continues.
      if (chosen.transport && chosen.transport->size >= sizeof(ttrt_transport) &&
          reason.status != TTRT_BUSY) {
        chosen.transport->fail(chosen.transport, reason.message);
        if (joined) // after the reason, which others report
          chosen.transport->unbind(chosen.transport);
      }
      throw;
    }
  });
}

void ttrt_device_close(ttrt_device *device) { delete device; }

ttrt_status ttrt_device_cancel(ttrt_device *device, ttrt_error *error) {
  return guarded(error, [&] {
    require(device, "device is NULL");
    requireOwnProcess(*device->device);
    device->device->cancel();
  });
}

ttrt_status ttrt_device_set_deadline(ttrt_device *device, uint64_t nanoseconds, ttrt_error *error) {
  return guarded(error, [&] {
    require(device, "device is NULL");
    device->device->setDeadline(nanoseconds);
  });
}

uint32_t ttrt_device_cores(const ttrt_device *device) {
  return device ? device->device->cores() : 0;
}

ttrt_status ttrt_run(ttrt_device *device, uint32_t entry, const ttrt_input *inputs,
                     const ttrt_output *outputs, const ttrt_run_options *options,
                     ttrt_error *error) {
  return guarded(error, [&] {
    require(device, "device is NULL");
    Device &target = *device->device;
    requireOwnProcess(target);
    InUse use(target.busy(), "another call on this device");
    const HostZone zone = target.zone(profile::HostCall::Run);
    ttrt_run_options chosen = readOptions(options, "ttrt_run_options");
    ttrt_timing *const theirs = chosen.timing;
    ttrt_timing timing;
    if (theirs) {
      checkResult(theirs, "ttrt_timing");
      chosen.timing = &timing;
    }
    const ResolvedEntry &resolved = entryOf(target, entry);
    checkTransfers(resolved.inputs, inputs, "input");
    checkTransfers(resolved.outputs, outputs, "output");
    requireIdleQueues(target);
    if (!target.residency().isWhole()) [[unlikely]]
      for (const ResolvedStep *step : resolved.steps)
        requireLoaded(target, *step);
    checkExtents(target, entry, inputs);
    target.watch().run(entry, inputs);
    requireSuccess(target, target.run(resolved, inputs, outputs, chosen));
    if (theirs)
      writeResult(theirs, timing);
  });
}

ttrt_status ttrt_device_input_slot(ttrt_device *device, uint32_t entry, uint32_t input, void **slot,
                                   ttrt_error *error) {
  return guarded(error, [&] {
    require(device && slot, "device or slot is NULL");
    Device &target = *device->device;
    const ResolvedPort &port = portOf(entryOf(target, entry).inputs, input, "input");
    InUse use(target.busy(), "another call on this device");
    if (target.piped().load(std::memory_order_acquire) && target.watch().isShared(entry, input))
      fail(TTRT_BUSY,
           "the device has a pipeline, which may use the bytes of this slot; close it first");
    target.watch().give(entry, input);
    *slot = port.slot;
  });
}

ttrt_status ttrt_device_output_slot(ttrt_device *device, uint32_t entry, uint32_t output,
                                    const void **slot, ttrt_error *error) {
  return guarded(error, [&] {
    require(device && slot, "device or slot is NULL");
    *slot = portOf(entryOf(*device->device, entry).outputs, output, "output").slot;
  });
}

ttrt_status ttrt_device_view_output(ttrt_device *device, uint32_t entry, uint32_t output,
                                    ttrt_output_view *view, ttrt_error *error) {
  return guarded(error, [&] {
    require(device && view, "device or view is NULL");
    Device &target = *device->device;
    InUse use(target.busy(), "another call on this device");
    const ResolvedEntry &resolved = entryOf(target, entry);
    const ResolvedPort &port = portOf(resolved.outputs, output, "output");
    const SlotWatch &watch = target.watch();
    if (watch.watchesOutputs() && watch.lastRun(entry) == 0)
      fail(TTRT_NOT_READY, "output '{}': entry point '{}' has not run yet", port.name,
           resolved.name);
    *view = {port.slot, static_cast<size_t>(port.bytes), entry, output, watch.lastRun(entry)};
  });
}

ttrt_status ttrt_device_check_output(ttrt_device *device, const ttrt_output_view *view,
                                     ttrt_error *error) {
  return guarded(error, [&] {
    require(device && view, "device or view is NULL");
    Device &target = *device->device;
    const SlotWatch &watch = target.watch();
    if (!watch.watchesOutputs())
      return;
    InUse use(target.busy(), "another call on this device");
    const ResolvedEntry &resolved = entryOf(target, view->entry);
    const ResolvedPort &port = portOf(resolved.outputs, view->output, "output");
    const fb::Bundle &metadata = target.bundle().metadata();
    const fb::Port &table = *metadata.entries()->Get(view->entry)->outputs()->Get(view->output);
    // A slot without lifetime is the entry point's own; another one has its bytes for a time only.
    const bool permanent = metadata.buffers()->Get(table.buffer())->end() == 0;
    const uint64_t last = permanent ? watch.lastRun(view->entry) : watch.runs();
    if (view->run != last)
      fail(TTRT_OVERWRITTEN,
           "output '{}' of entry point '{}' is of run {}, and run {} has overwritten it; use an "
           "output before the next run, or let ttrt_run() copy it to your own memory",
           port.name, resolved.name, view->run, last);
  });
}

ttrt_status ttrt_query_host(ttrt_host *host, ttrt_error *error) {
  return guarded(error, [&] {
    require(host, "host is NULL");
    checkResult(host, "ttrt_host");
    ttrt_host result = TTRT_HOST_INIT;
    auto assign = [](char *dst, size_t size, std::string_view value) {
      const size_t length = std::min(size - 1, value.size());
      memcpy(dst, value.data(), length);
      dst[length] = 0;
    };
    std::string features;
    for (std::string_view feature : hostFeatures())
      features.append(features.empty() ? "" : ",").append(feature);
    assign(result.features, sizeof(result.features), features);
    assign(result.model, sizeof(result.model), hostModel());
    assign(result.arch, sizeof(result.arch), hostArchitecture());
    result.cores = usableCpus();
    result.l1_bytes = hostL2Bytes();
    result.dram_bytes = hostMemoryBytes();
    writeResult(host, result);
  });
}

} // extern "C"
