/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the controller of controller.py at 10 kHz.
 *
 *   ttrt-controller BUNDLE [STEPS]
 *
 * Prints the last force and estimate, the longest and the mean time of a step, and how many steps
 * took longer than their 100 microseconds. The measurements are those of a cart that swings. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ttrt/ttrt.h>

enum { PERIOD = 100000 }; /* nanoseconds */

static void check(ttrt_status status, const ttrt_error *error) {
  if (status == TTRT_OK)
    return;
  fprintf(stderr, "%s: %s\n", ttrt_status_name(status), error->message);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void sleep_until(long long moment) {
  struct timespec time = {moment / 1000000000, moment % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

/* The number of the input or output of that name; its type is f32. */
static uint32_t find(ttrt_bundle *bundle, const ttrt_entry *entry, int is_input, const char *name) {
  ttrt_error error;
  for (uint32_t i = 0; i < (is_input ? entry->inputs : entry->outputs); ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    check((is_input ? ttrt_bundle_input : ttrt_bundle_output)(bundle, 0, i, &port, &error), &error);
    if (strcmp(port.name, name) == 0 && port.dtype == TTRT_F32)
      return i;
  }
  fprintf(stderr, "expected a bundle of controller.py, found one without '%s'\n", name);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s BUNDLE [STEPS]\n", argv[0]);
    return 2;
  }
  const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
  ttrt_error error;
  ttrt_bundle *bundle;
  check(ttrt_bundle_open(argv[1], TTRT_VERIFY_FULL, &bundle, &error), &error);
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.cores = 1; /* no other thread: the same time each step */
  ttrt_device *device;
  check(ttrt_device_open(bundle, &options, &device, &error), &error);
  ttrt_entry entry = TTRT_ENTRY_INIT;
  check(ttrt_bundle_entry(bundle, 0, &entry, &error), &error);

  float state[2][4] = {{0}}, measured[2], force = 0;
  ttrt_input inputs[2];
  ttrt_output outputs[2];
  const uint32_t state_in = find(bundle, &entry, 1, "state");
  const uint32_t measured_in = find(bundle, &entry, 1, "measured");
  const uint32_t state_out = find(bundle, &entry, 0, "state");
  const uint32_t force_out = find(bundle, &entry, 0, "force");
  inputs[measured_in] = (ttrt_input){measured, sizeof measured};
  outputs[force_out] = (ttrt_output){&force, sizeof force};

  long long longest = 0, total = 0, late = 0, next = now();
  for (long i = 0; i < steps; ++i) {
    sleep_until(next);
    measured[0] = 0.1f * sinf(0.002f * (float)i); /* a real one reads its sensors here */
    measured[1] = 0.05f * cosf(0.003f * (float)i);
    const long long begin = now();
    inputs[state_in] = (ttrt_input){state[i % 2], sizeof state[0]};
    outputs[state_out] = (ttrt_output){state[(i + 1) % 2], sizeof state[0]};
    check(ttrt_run(device, 0, inputs, outputs, NULL, &error), &error);
    const long long took = now() - begin;
    longest = took > longest ? took : longest;
    total += took;
    late += took > PERIOD;
    next += PERIOD;
  }
  const float *last = state[steps % 2];
  printf("force %.6g, state %.6g %.6g %.6g %.6g\n", force, last[0], last[1], last[2], last[3]);
  printf("mean %lld ns, longest %lld ns, late %lld\n", total / (steps ? steps : 1), longest, late);
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return 0;
}
