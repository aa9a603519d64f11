/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs every entry point of each bundle twice, on inputs that depend on nothing but their types,
 * and prints a hash of each output and, at the end, of each state:
 *
 *   outputs CORES BUNDLE...
 *
 * A line is "entry run output hash hash", the second one with all NaNs as one: their sign and
 * payload are the CPU's. What is compared between architectures is this text. A bundle that does
 * not open or run is one line, with the message. */
#include "ttrt/state.h"
#include "ttrt/ttrt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

/* Floats of -4 to 4, all bytes, and of integers that may be indices 0 and 1. */
static void fill(const ttrt_port *port, unsigned char *data, uint64_t seed) {
  static const size_t kBytes[] = {4, 2, 2, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  const size_t bytes = kBytes[port->dtype];
  for (size_t at = 0; at < port->bytes; at += bytes) {
    const uint64_t number = next(&seed);
    const float value = (float)((int32_t)(number & 0xffff) - 0x8000) / 8192.0f;
    const double wide = value;
    const _Float16 half = (_Float16)value;
    const uint64_t bit = number >> 8 & 1, byte = number & 0xff;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    const uint16_t upper = (uint16_t)(bits >> 16);
    const void *from = port->dtype == TTRT_F32                            ? (const void *)&value
                       : port->dtype == TTRT_F16                          ? (const void *)&half
                       : port->dtype == TTRT_BF16                         ? (const void *)&upper
                       : port->dtype == TTRT_F64                          ? (const void *)&wide
                       : port->dtype == TTRT_U8 || port->dtype == TTRT_I8 ? (const void *)&byte
                                                                          : (const void *)&bit;
    memcpy(data + at, from, bytes);
  }
}

static uint64_t hash(const unsigned char *data, size_t bytes) {
  uint64_t found = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i)
    found = (found ^ data[i]) * 1099511628211u;
  return found;
}

static void joinNaNs(const ttrt_port *port, unsigned char *data) {
  for (size_t at = 0; port->dtype == TTRT_F32 && at < port->bytes; at += 4) {
    uint32_t bits;
    memcpy(&bits, data + at, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
      bits = 0x7fc00000;
    memcpy(data + at, &bits, 4);
  }
  for (size_t at = 0; port->dtype == TTRT_F64 && at < port->bytes; at += 8) {
    double value;
    memcpy(&value, data + at, 8);
    if (isnan(value))
      memset(data + at, 0x7f, 8);
  }
  for (size_t at = 0; (port->dtype == TTRT_F16 || port->dtype == TTRT_BF16) && at < port->bytes;
       at += 2) {
    const uint16_t infinity = port->dtype == TTRT_F16 ? 0x7c00 : 0x7f80;
    uint16_t bits;
    memcpy(&bits, data + at, 2);
    if ((bits & 0x7fff) > infinity)
      bits = 0x7fff;
    memcpy(data + at, &bits, 2);
  }
}

static void print(const char *entry, int run, const ttrt_port *port, unsigned char *data) {
  const uint64_t exact = hash(data, port->bytes);
  joinNaNs(port, data);
  printf("%s %d %s %016llx %016llx\n", entry, run, port->name, (unsigned long long)exact,
         (unsigned long long)hash(data, port->bytes));
}

/* 0, or 1 with a message in `error`. */
static int runEntry(const ttrt_bundle *bundle, ttrt_device *device, uint32_t number,
                    ttrt_error *error) {
  ttrt_entry entry = TTRT_ENTRY_INIT;
  if (ttrt_bundle_entry(bundle, number, &entry, error))
    return 1;
  const uint32_t count = entry.inputs + entry.outputs;
  ttrt_port *ports = calloc(count + 1, sizeof(ttrt_port));
  ttrt_input *inputs = calloc(entry.inputs + 1, sizeof(ttrt_input));
  ttrt_output *outputs = calloc(entry.outputs + 1, sizeof(ttrt_output));
  int failed = 0;
  for (uint32_t i = 0; i < count && !failed; ++i) {
    const ttrt_port init = TTRT_PORT_INIT;
    ports[i] = init;
    failed = i < entry.inputs ? ttrt_bundle_input(bundle, number, i, &ports[i], error) != TTRT_OK
                              : ttrt_bundle_output(bundle, number, i - entry.inputs, &ports[i],
                                                   error) != TTRT_OK;
    unsigned char *data = calloc(ports[i].bytes + 1, 1);
    if (i < entry.inputs) {
      inputs[i].data = data;
      inputs[i].bytes = ports[i].bytes;
    } else {
      outputs[i - entry.inputs].data = data;
      outputs[i - entry.inputs].bytes = ports[i].bytes;
    }
  }
  for (int run = 0; run < 2 && !failed; ++run) {
    for (uint32_t i = 0; i < entry.inputs; ++i)
      fill(&ports[i], (unsigned char *)inputs[i].data, 1000 * (uint64_t)run + i);
    failed = ttrt_run(device, number, inputs, outputs, NULL, error) != TTRT_OK;
    for (uint32_t i = 0; i < entry.outputs && !failed; ++i)
      print(entry.name, run, &ports[entry.inputs + i], (unsigned char *)outputs[i].data);
  }
  for (uint32_t i = 0; i < count; ++i)
    free(i < entry.inputs ? (void *)inputs[i].data : outputs[i - entry.inputs].data);
  free(ports);
  free(inputs);
  free(outputs);
  return failed;
}

static int runBundle(const char *path, uint32_t cores, ttrt_error *error) {
  ttrt_bundle *bundle = NULL;
  ttrt_device *device = NULL;
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.cores = cores;
  int failed = ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, error) != TTRT_OK ||
               ttrt_device_open(bundle, &options, &device, error) != TTRT_OK;
  for (uint32_t i = 0; !failed && i < ttrt_bundle_entries(bundle); ++i)
    failed = runEntry(bundle, device, i, error);
  for (uint32_t i = 0; !failed && i < ttrt_bundle_states(bundle); ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    failed = ttrt_bundle_state(bundle, i, &port, error) != TTRT_OK;
    unsigned char *data = calloc(port.bytes + 1, 1);
    failed = failed || ttrt_state_read(device, i, 0, data, port.bytes, error) != TTRT_OK;
    if (!failed)
      print("state", 0, &port, data);
    free(data);
  }
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return failed;
}

int main(int argc, char **argv) {
  int failures = 0;
  for (int i = 2; i < argc; ++i) {
    ttrt_error error;
    if (argc > 3)
      printf("# %d\n", i - 1);
    if (runBundle(argv[i], (uint32_t)atoi(argv[1]), &error)) {
      printf("! %s\n", error.message);
      ++failures;
    }
    fflush(stdout);
  }
  return failures != 0;
}
