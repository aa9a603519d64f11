/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a bundle with host functions: lists those that it wants, registers acme.c's, and runs once.
 *
 *   swish BUNDLE
 *
 * Feeds the f32 input with arange(n) / n and prints the f32 output. */
#include <stdio.h>
#include <stdlib.h>
#include <ttrt/host.h>

ttrt_host_library_function ttrt_host_library;

static void check(ttrt_status status, const ttrt_error *error) {
  if (status == TTRT_OK)
    return;
  fprintf(stderr, "%s: %s\n", ttrt_status_name(status), error->message);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s BUNDLE\n", argv[0]);
    return 2;
  }
  ttrt_error error;
  ttrt_bundle *bundle;
  check(ttrt_bundle_open(argv[1], TTRT_VERIFY_FULL, &bundle, &error), &error);
  for (uint32_t i = 0; i < ttrt_bundle_host_calls(bundle); ++i) {
    ttrt_host_call call = TTRT_HOST_CALL_INIT;
    check(ttrt_bundle_host_call(bundle, i, &call, &error), &error);
    printf("wants %s\n", call.name);
  }

  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.host_functions = ttrt_host_library();
  ttrt_device *device;
  check(ttrt_device_open(bundle, &options, &device, &error), &error);

  ttrt_port x = TTRT_PORT_INIT, y = TTRT_PORT_INIT;
  check(ttrt_bundle_input(bundle, 0, 0, &x, &error), &error);
  check(ttrt_bundle_output(bundle, 0, 0, &y, &error), &error);
  if (x.dtype != TTRT_F32 || y.dtype != TTRT_F32) {
    fprintf(stderr, "expected an input and an output of f32\n");
    return 1;
  }
  float *in = malloc(x.bytes), *out = malloc(y.bytes);
  const size_t elements = x.bytes / sizeof(float);
  for (size_t i = 0; i < elements; ++i)
    in[i] = (float)i / (float)elements;
  const ttrt_input input = {in, x.bytes};
  const ttrt_output output = {out, y.bytes};
  check(ttrt_run(device, 0, &input, &output, NULL, &error), &error);
  for (size_t i = 0; i < y.bytes / sizeof(float); ++i)
    printf("%s%.4f", i ? " " : "y: ", out[i]);
  printf("\n");

  free(in);
  free(out);
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return 0;
}
