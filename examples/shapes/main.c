/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An embedding service: texts of any length, without copies and without allocating.
 *
 *   ttrt-embed ENCODER.ttcb [BATCH] < TEXTS
 *
 * Reads lines, up to BATCH (8) at a time, and finds the most similar line before each. The tokens
 * of a text are its bytes; make.py writes such an encoder. For a model with another vocabulary,
 * replace write_tokens(). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ttrt/shapes.h>

enum { MOST_BATCH = 64, MOST_BYTES = 4096, MOST_LINES = 1024, WIDTH = 64 };

static int check(ttrt_status status, const ttrt_error *error) {
  if (status != TTRT_OK)
    fprintf(stderr, "%s: %s\n", ttrt_status_name(status), error->message);
  return status == TTRT_OK;
}

static void require(ttrt_status status, const ttrt_error *error) {
  if (!check(status, error))
    exit(1);
}

/* Lines without their ends; those that are empty are left out. Returns how many there are. */
static size_t read_texts(char texts[][MOST_BYTES], size_t lengths[], size_t most) {
  size_t count = 0;
  while (count < most && fgets(texts[count], MOST_BYTES, stdin)) {
    lengths[count] = strcspn(texts[count], "\n");
    count += lengths[count] > 0;
  }
  return count;
}

/* Fills one row of both inputs; what is beyond `longest` may hold anything. */
static void write_tokens(const char *text, size_t length, size_t longest, int64_t *ids,
                         float *mask) {
  for (size_t i = 0; i < longest; ++i) {
    ids[i] = i < length ? (unsigned char)text[i] : 0;
    mask[i] = i < length;
  }
}

static float dot(const float *a, const float *b) {
  float sum = 0;
  for (int i = 0; i < WIDTH; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Prints the most similar line before a new one, and keeps that. */
static void add_line(const float *embedding) {
  static float known[MOST_LINES][WIDTH];
  static size_t lines;
  size_t nearest = 0;
  for (size_t i = 1; i < lines; ++i)
    if (dot(known[i], embedding) > dot(known[nearest], embedding))
      nearest = i;
  if (lines > 0)
    printf("%zu: like %zu, %.3f\n", lines + 1, nearest + 1, dot(known[nearest], embedding));
  if (lines < MOST_LINES)
    memcpy(known[lines++], embedding, sizeof(known[0]));
}

/* One inference, in place: the inputs are written to the slots of the variant, and the embeddings
   are read from its output. */
static int embed(ttrt_device *device, const ttrt_model *model, char texts[][MOST_BYTES],
                 const size_t lengths[], size_t count) {
  size_t longest = 0;
  for (size_t i = 0; i < count; ++i)
    longest = lengths[i] > longest ? lengths[i] : longest;
  const int64_t shape[] = {(int64_t)count, (int64_t)longest};
  const ttrt_shaped_input inputs[] = {{NULL, 2, shape}, {NULL, 2, shape}};
  ttrt_shaped_output output = {NULL, 0, NULL, 0};
  ttrt_slot ids = TTRT_SLOT_INIT, mask = TTRT_SLOT_INIT, embeddings = TTRT_SLOT_INIT;
  int64_t extents[TTRT_MAX_DIMS];
  uint32_t variant;
  ttrt_error error;
  if (!check(ttrt_model_extents(model, inputs, extents, &error), &error) ||
      !check(ttrt_model_choose(model, extents, &variant, &error), &error) ||
      !check(ttrt_model_input_slot(device, model, variant, 0, &ids, &error), &error) ||
      !check(ttrt_model_input_slot(device, model, variant, 1, &mask, &error), &error))
    return 0;
  for (size_t i = 0; i < count; ++i)
    write_tokens(texts[i], lengths[i], longest,
                 (int64_t *)((char *)ids.data + (int64_t)i * ids.strides[0]),
                 (float *)((char *)mask.data + (int64_t)i * mask.strides[0]));
  if (!check(ttrt_run_shaped(device, model, inputs, &output, NULL, &error), &error) ||
      !check(ttrt_model_output_slot(device, model, variant, 0, &embeddings, &error), &error))
    return 0;
  for (size_t i = 0; i < count; ++i)
    add_line((const float *)((const char *)embeddings.data + (int64_t)i * embeddings.strides[0]));
  return 1;
}

int main(int argc, char **argv) {
  const long batch = argc > 2 ? strtol(argv[2], NULL, 10) : 8;
  if (argc < 2 || argc > 3 || batch < 1 || batch > MOST_BATCH) {
    fprintf(stderr, "usage: %s ENCODER.ttcb [BATCH] < TEXTS\n", argv[0]);
    return 2;
  }
  ttrt_error error;
  ttrt_bundle *bundle;
  ttrt_device *device;
  ttrt_model *model;
  require(ttrt_bundle_open(argv[1], TTRT_VERIFY_FULL, &bundle, &error), &error);
  require(ttrt_device_open(bundle, NULL, &device, &error), &error);
  require(ttrt_model_open(bundle, NULL, &model, &error), &error);
  ttrt_model_port ids = TTRT_MODEL_PORT_INIT, mask = TTRT_MODEL_PORT_INIT,
                  embedding = TTRT_MODEL_PORT_INIT;
  require(ttrt_model_input(model, 0, &ids, &error), &error);
  require(ttrt_model_input(model, 1, &mask, &error), &error);
  require(ttrt_model_output(model, 0, &embedding, &error), &error);
  if (ids.rank != 2 || ids.dtype != TTRT_I64 || mask.rank != 2 || mask.dtype != TTRT_F32 ||
      embedding.rank != 2 || embedding.dtype != TTRT_F32 || strcmp(embedding.sizes[1], "64") != 0) {
    fprintf(stderr, "expected ids i64[batch, sequence], mask f32[batch, sequence] and an embedding "
                    "f32[batch, 64]\n");
    return 1;
  }
  static char texts[MOST_BATCH][MOST_BYTES];
  size_t lengths[MOST_BATCH], count;
  int ok = 1;
  while ((count = read_texts(texts, lengths, (size_t)batch)) > 0)
    ok &= embed(device, model, texts, lengths, count);
  ttrt_model_close(model);
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return ok ? 0 : 1;
}
