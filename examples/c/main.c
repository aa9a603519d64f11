/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C API in one page: open a bundle, look at it, run it in place.
 *
 *   ttrt-example BUNDLE
 *
 * Feeds f32 inputs with arange(n) / n and others with zeros, and prints the largest element of each
 * f32 output. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ttrt/ttrt.h>

static void check(ttrt_status status, const ttrt_error *error) {
  if (status == TTRT_OK)
    return;
  fprintf(stderr, "%s: %s\n", ttrt_status_name(status), error->message);
  exit(1);
}

static size_t print_port(const char *what, const ttrt_port *port) {
  size_t elements = 1;
  printf("%s %s:", what, port->name);
  for (uint32_t i = 0; i < port->rank; ++i) {
    printf(" %" PRId64, port->shape[i]);
    elements *= (size_t)port->shape[i];
  }
  return elements;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s BUNDLE\n", argv[0]);
    return 2;
  }
  ttrt_error error;
  ttrt_bundle *bundle;
  check(ttrt_bundle_open(argv[1], TTRT_VERIFY_FULL, &bundle, &error), &error);
  ttrt_device *device;
  check(ttrt_device_open(bundle, NULL, &device, &error), &error);

  ttrt_entry entry = TTRT_ENTRY_INIT;
  check(ttrt_bundle_entry(bundle, 0, &entry, &error), &error);
  printf("ttrt %s, entry %s\n", ttrt_version(), entry.name);

  /* Inputs are written where the traces read them, so that ttrt_run() has nothing to copy. */
  ttrt_input *inputs = calloc(entry.inputs + 1, sizeof(ttrt_input));
  ttrt_output *outputs = calloc(entry.outputs + 1, sizeof(ttrt_output));
  for (uint32_t i = 0; i < entry.inputs; ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    void *slot;
    check(ttrt_bundle_input(bundle, 0, i, &port, &error), &error);
    check(ttrt_device_input_slot(device, 0, i, &slot, &error), &error);
    size_t elements = print_port("input", &port);
    printf("\n");
    memset(slot, 0, port.bytes);
    for (size_t j = 0; port.dtype == TTRT_F32 && j < elements; ++j)
      ((float *)slot)[j] = (float)j / (float)elements;
  }

  check(ttrt_run(device, 0, inputs, outputs, NULL, &error), &error);

  for (uint32_t i = 0; i < entry.outputs; ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    const void *slot;
    check(ttrt_bundle_output(bundle, 0, i, &port, &error), &error);
    check(ttrt_device_output_slot(device, 0, i, &slot, &error), &error);
    size_t elements = print_port("output", &port);
    if (port.dtype == TTRT_F32) {
      const float *values = slot;
      size_t largest = 0;
      for (size_t j = 1; j < elements; ++j)
        if (values[j] > values[largest])
          largest = j;
      printf("; largest: element %zu, %g", largest, values[largest]);
    }
    printf("\n");
  }

  free(inputs);
  free(outputs);
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return 0;
}
