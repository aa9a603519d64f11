/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Models for inputs of many shapes. A bundle has such a model as several entry points, its
 * variants: the tensors of each have a fixed size, and the extents of the model's named dimensions
 * say how much of them is valid (docs/shapes.md). ttrt_run_shaped() takes inputs of any shape,
 * runs the smallest variant that holds them, and returns outputs with their shapes:
 *
 *     ttrt_model_open(bundle, NULL, &model, &error);
 *     const int64_t shape[] = {3, 37};
 *     int64_t result[3];
 *     ttrt_shaped_input input = {ids, 2, shape};
 *     ttrt_shaped_output output = {embeddings, sizeof(embeddings), result, 0};
 *     ttrt_run_shaped(device, model, &input, &output, NULL, &error);
 *     ttrt_model_close(model);
 *
 * An entry point without variants is a model without dimensions, so these calls work with every
 * bundle. Inputs and outputs are those of the entry points, in order, without the one that has the
 * extents.
 *
 * Data of the caller is dense and row-major. Slots have the size of the variant: the valid part is
 * their corner, in rows that are as far apart as those of the whole. What is beyond it may hold
 * anything.
 *
 * The functions are in libttrt_shapes, beside libttrt of the same release. Errors, ownership and
 * structs that can grow are as in ttrt.h.
 *
 * Threads. A model is immutable: any number of threads may use it, each with a device of its own.
 * After ttrt_model_open(), nothing allocates memory, except calls that fail.
 */
#ifndef TTRT_SHAPES_H
#define TTRT_SHAPES_H

#include "ttrt/ttrt.h"

#if defined(__GNUC__)
#define TTRT_SHAPES_API __attribute__((visibility("default")))
#else
#define TTRT_SHAPES_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A model of a bundle: an entry point, or several that are its variants. */
typedef struct ttrt_model ttrt_model;

/** The most dimensions that a model may have, and that a tensor of a variant may have. */
#define TTRT_MAX_DIMS 16
#define TTRT_MAX_RANK 32

/** Number of models of a bundle, in the order of their first entry points; 0 if it is NULL. */
TTRT_SHAPES_API uint32_t ttrt_bundle_models(const ttrt_bundle *bundle);
/** Name of a model, which belongs to the bundle; NULL if the index is out of range. */
TTRT_SHAPES_API const char *ttrt_bundle_model_name(const ttrt_bundle *bundle, uint32_t index);

/**
 * Opens a model by its name; NULL: the first one. Its variants are verified: opening the bundle has
 * not done so, since no other call relies on them. On success, the caller owns *model, which needs
 * the bundle no more. Thread-safe.
 *
 * TTRT_NOT_FOUND if there is no such model, with a list of all; TTRT_BAD_BUNDLE if its variants
 * contradict themselves or each other, or if the inputs do not determine the extents;
 * TTRT_UNSUPPORTED if it has more than TTRT_MAX_DIMS dimensions, or more than TTRT_MAX_RANK of a
 * tensor.
 */
TTRT_SHAPES_API ttrt_status ttrt_model_open(const ttrt_bundle *bundle, const char *name,
                                            ttrt_model **model, ttrt_error *error);
/** Closes a model; NULL is allowed. */
TTRT_SHAPES_API void ttrt_model_close(ttrt_model *model);

/* The queries below are thread-safe. Strings and arrays belong to the model. An index out of range
   or a NULL argument is TTRT_INVALID_ARGUMENT. */

typedef struct ttrt_model_info {
  size_t size; /**< sizeof(ttrt_model_info) */
  const char *name;
  uint32_t dims;   /**< number of dimensions; 0: all shapes are fixed */
  uint32_t inputs; /**< without the extents */
  uint32_t outputs;
  uint32_t variants; /**< at least 1 */
} ttrt_model_info;
#define TTRT_MODEL_INFO_INIT {sizeof(ttrt_model_info), NULL, 0, 0, 0, 0}

/** Describes a model. */
TTRT_SHAPES_API ttrt_status ttrt_model_describe(const ttrt_model *model, ttrt_model_info *info,
                                                ttrt_error *error);

/** A named dimension. A variant need not hold every combination of extents that are within. */
typedef struct ttrt_dim {
  size_t size; /**< sizeof(ttrt_dim) */
  const char *name;
  int64_t low, high; /**< least and greatest extent, over all variants */
  int64_t step;      /**< all extents are multiples of it */
} ttrt_dim;
#define TTRT_DIM_INIT {sizeof(ttrt_dim), NULL, 0, 0, 0}

/** Describes a dimension. */
TTRT_SHAPES_API ttrt_status ttrt_model_dim(const ttrt_model *model, uint32_t dim, ttrt_dim *info,
                                           ttrt_error *error);

/** An input or output of a model. */
typedef struct ttrt_model_port {
  size_t size; /**< sizeof(ttrt_model_port) */
  const char *name;
  ttrt_dtype dtype;
  uint32_t rank;
  /** For each of `rank` dimensions its size by the extents: "384", "sequence", "2*sequence+1" or
      "(sequence+1)/2", which is rounded down. */
  const char *const *sizes;
  size_t most_bytes; /**< of the dense tensor in the variant where it is largest */
} ttrt_model_port;
#define TTRT_MODEL_PORT_INIT {sizeof(ttrt_model_port), NULL, TTRT_F32, 0, NULL, 0}

/** Describes an input or output. */
TTRT_SHAPES_API ttrt_status ttrt_model_input(const ttrt_model *model, uint32_t input,
                                             ttrt_model_port *port, ttrt_error *error);
TTRT_SHAPES_API ttrt_status ttrt_model_output(const ttrt_model *model, uint32_t output,
                                              ttrt_model_port *port, ttrt_error *error);

/** A variant of a model. Variants are numbered in the order in which they are tried: by the product
    of the highs, then by their entry points. */
typedef struct ttrt_variant {
  size_t size;    /**< sizeof(ttrt_variant) */
  uint32_t entry; /**< number of its entry point */
  const char *name;
  /** For each dimension: the extents that it holds, multiples of `step` from `low` to `high`. */
  const int64_t *low, *high, *step;
  uint32_t extents;    /**< the entry point's input for the extents; UINT32_MAX: it has none */
  uint64_t slot_bytes; /**< of the buffers of all inputs and outputs, in every slot of rings */
} ttrt_variant;
#define TTRT_VARIANT_INIT {sizeof(ttrt_variant), 0, NULL, NULL, NULL, NULL, 0, 0}

/** Describes a variant. */
TTRT_SHAPES_API ttrt_status ttrt_model_variant(const ttrt_model *model, uint32_t variant,
                                               ttrt_variant *info, ttrt_error *error);

/** An input of any shape. */
typedef struct ttrt_shaped_input {
  const void *data;     /**< dense; NULL: use what the slot of the variant holds */
  uint32_t rank;        /**< that of the input */
  const int64_t *shape; /**< `rank` sizes */
} ttrt_shaped_input;

/** Destination of an output. */
typedef struct ttrt_shaped_output {
  void *data;      /**< dense; NULL: do not copy; the slot can be read in place */
  size_t capacity; /**< bytes at `data`; ignored if it is NULL */
  int64_t *shape;  /**< receives the sizes, as many as the output has dimensions; may be NULL */
  size_t bytes;    /**< receives the bytes of the dense output */
} ttrt_shaped_output;

/**
 * Finds the extents of inputs by their shapes; `data` is not read. `extents` receives one number
 * for each dimension.
 *
 * TTRT_INVALID_ARGUMENT if a shape contradicts a fixed size or another shape: the message names
 * input and axis, and says what was expected and found.
 */
TTRT_SHAPES_API ttrt_status ttrt_model_extents(const ttrt_model *model,
                                               const ttrt_shaped_input *inputs, int64_t *extents,
                                               ttrt_error *error);
/** Finds the first variant that holds the extents. TTRT_UNSUPPORTED if none does; the message has
    the bounds of each dimension, and then those of the variants, the largest ones if it lacks the
    room for all. */
TTRT_SHAPES_API ttrt_status ttrt_model_choose(const ttrt_model *model, const int64_t *extents,
                                              uint32_t *variant, ttrt_error *error);
/** Computes the shape that an input or output has at the extents: `shape` receives as many sizes as
    it has dimensions. TTRT_UNSUPPORTED as ttrt_model_choose(). */
TTRT_SHAPES_API ttrt_status ttrt_model_input_shape(const ttrt_model *model, uint32_t input,
                                                   const int64_t *extents, int64_t *shape,
                                                   ttrt_error *error);
TTRT_SHAPES_API ttrt_status ttrt_model_output_shape(const ttrt_model *model, uint32_t output,
                                                    const int64_t *extents, int64_t *shape,
                                                    ttrt_error *error);

/**
 * Runs one inference, as ttrt_run() does, with inputs of any shape: finds the extents, chooses the
 * variant, copies the inputs row by row to its slots and the valid part of its outputs to the
 * caller. `device` is of the bundle that the model was opened from. `inputs` and `outputs` have one
 * element per input and output of the model, in order. `options` may be NULL; its timing covers the
 * run without these copies.
 *
 * TTRT_INVALID_ARGUMENT and TTRT_UNSUPPORTED as ttrt_model_extents() and ttrt_model_choose();
 * TTRT_INVALID_ARGUMENT also if an output is larger than its capacity, before anything runs;
 * TTRT_BUSY as ttrt_run(), before anything is copied; otherwise as ttrt_run() and
 * ttrt_device_input_slot().
 */
TTRT_SHAPES_API ttrt_status ttrt_run_shaped(ttrt_device *device, const ttrt_model *model,
                                            const ttrt_shaped_input *inputs,
                                            ttrt_shaped_output *outputs,
                                            const ttrt_run_options *options, ttrt_error *error);

/** The slot of an input or output in a variant. */
typedef struct ttrt_slot {
  size_t size; /**< sizeof(ttrt_slot) */
  void *data;  /**< the valid part begins here; of an output: do not write */
  uint32_t rank;
  const int64_t *shape;   /**< of the whole slot; NULL if the rank is 0 */
  const int64_t *strides; /**< bytes from one index of a dimension to the next */
  size_t bytes;           /**< of the whole slot */
} ttrt_slot;
#define TTRT_SLOT_INIT {sizeof(ttrt_slot), NULL, 0, NULL, NULL, 0}

/**
 * Returns the slot of an input in a variant. To run without copies, find the extents and the
 * variant, fill the valid part of its slots in place, and call ttrt_run_shaped() with NULL data.
 * Rules and errors as ttrt_device_input_slot().
 */
TTRT_SHAPES_API ttrt_status ttrt_model_input_slot(ttrt_device *device, const ttrt_model *model,
                                                  uint32_t variant, uint32_t input, ttrt_slot *slot,
                                                  ttrt_error *error);
/** Returns the slot of an output in a variant. As ttrt_device_output_slot(). */
TTRT_SHAPES_API ttrt_status ttrt_model_output_slot(ttrt_device *device, const ttrt_model *model,
                                                   uint32_t variant, uint32_t output,
                                                   ttrt_slot *slot, ttrt_error *error);

/**
 * Copies a dense input of the shape that it has at the extents to the whole input of a variant at
 * `whole`, such as a buffer for ttrt_pipeline_enqueue(), or back from a whole output. Bytes beyond
 * the valid part are left as they are. The entry point's input ttrt_variant::extents takes the
 * extents as int32_t. Thread-safe.
 *
 * TTRT_UNSUPPORTED if the variant does not hold the extents; TTRT_INVALID_ARGUMENT if `bytes`, of
 * the whole, are not ttrt_port::bytes of the variant's entry point.
 */
TTRT_SHAPES_API ttrt_status ttrt_model_pack(const ttrt_model *model, uint32_t variant,
                                            uint32_t input, const int64_t *extents,
                                            const void *dense, void *whole, size_t bytes,
                                            ttrt_error *error);
TTRT_SHAPES_API ttrt_status ttrt_model_unpack(const ttrt_model *model, uint32_t variant,
                                              uint32_t output, const int64_t *extents,
                                              const void *whole, size_t bytes, void *dense,
                                              ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_SHAPES_H */
