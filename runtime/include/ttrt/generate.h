/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Generation: the tokens that a decoder gives, one after another, by their numbers. A bundle for it
 * has an entry point `decode`, which computes one token and writes it, with its position, to where
 * the next step reads them (docs/generation.md). So the host only enqueues steps, several ahead of
 * the one whose token it waits for, and does nothing between two of them.
 *
 *     ttrt_generator_open(device, NULL, &generator, &error);
 *     ttrt_sampling sampling = TTRT_SAMPLING_INIT;
 *     sampling.stop[sampling.stop_count++] = end;
 *     ttrt_generation generation = TTRT_GENERATION_INIT;
 *     generation.sampling = &sampling;
 *     ttrt_generator_start(generator, prompt, tokens, &generation, &error);
 *     while (ttrt_generator_next(generator, &token, &error) == TTRT_OK)
 *       use(token);
 *     ttrt_generator_close(generator);
 *
 * A bundle may be made for several sequences: texts that step together, so that the weights are
 * read once for all of them. Each has a place, a number below ttrt_generator_sequences(), with
 * states of its own. A place is free before its first prompt and once its sequence has ended;
 * sequences begin and end at any time (ttrt_generator_start_sequence(),
 * ttrt_generator_next_of_all()). ttrt_generator_start() and ttrt_generator_next() generate one text
 * with any bundle.
 *
 * A generator is a pipeline (pipeline.h): a device has at most one of both, and the generator keeps
 * the device alive. If a queue stops (queue.h), the functions that start sequences and return
 * tokens fail with TTRT_FAILED: close the generator, then call ttrt_device_reset().
 *
 * The functions are in libttrt_generate, beside libttrt of the same release.
 *
 * Threads. Calls on one generator must not overlap (TTRT_BUSY). They must not be made from
 * functions that a queue calls. After ttrt_generator_open(), nothing allocates memory, except calls
 * that fail.
 */
#ifndef TTRT_GENERATE_H
#define TTRT_GENERATE_H

#include "ttrt/sampling.h"
#include "ttrt/ttrt.h"

#if defined(__GNUC__)
#define TTRT_GENERATE_API __attribute__((visibility("default")))
#else
#define TTRT_GENERATE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttrt_generator ttrt_generator;

/** Options of ttrt_generator_open(). Zero is the default of every field. */
typedef struct ttrt_generator_options {
  size_t size; /**< sizeof(ttrt_generator_options) */
  /** Steps in flight while the host waits for the token of the first of them: at most 4096; 0: 16.
      Tokens do not depend on it. */
  uint32_t ahead;
  int no_trace; /**< nonzero: the host enqueues each command of a step by itself */
  /** Name of the schedule of `decode`; NULL: as ttrt_pipeline_open() chooses. */
  const char *schedule;
} ttrt_generator_options;
#define TTRT_GENERATOR_OPTIONS_INIT {sizeof(ttrt_generator_options), 0, 0, NULL}

/**
 * Opens a generator on a device with 1 or 2 queues. `options` may be NULL. On success, the caller
 * owns *generator.
 *
 * TTRT_UNSUPPORTED if the bundle has no entry point `decode`, or one that is not as
 * docs/generation.md describes it; otherwise as ttrt_pipeline_open().
 */
TTRT_GENERATE_API ttrt_status ttrt_generator_open(ttrt_device *device,
                                                  const ttrt_generator_options *options,
                                                  ttrt_generator **generator, ttrt_error *error);
/** Waits for what is in flight and closes the generator; NULL is allowed. */
TTRT_GENERATE_API void ttrt_generator_close(ttrt_generator *generator);

/** Options of one generation. Zero is the default of every field. */
typedef struct ttrt_generation {
  size_t size; /**< sizeof(ttrt_generation) */
  /** How tokens are chosen, and after which ones the generation ends; NULL: always the likeliest
      one, until the context is full. `counter` and `done` are those to begin with. */
  const ttrt_sampling *sampling;
  uint64_t tokens; /**< the most tokens to generate; 0: as many as the context has room for */
  /** Nonzero: what the states hold of the beginning of this prompt, from the last generation and
     its prompt, is kept instead of computed again. */
  int reuse;
  /** Nonzero: the prompt is computed by `decode`, token by token, and not by the entry points for
      many tokens; for tests. */
  int by_steps;
} ttrt_generation;
#define TTRT_GENERATION_INIT {sizeof(ttrt_generation), NULL, 0, 0, 0}

/**
 * Computes a prompt, all but its last token, and enqueues the first steps. The generation is
 * sequence 0, and the only one: all before it end; steps of them that are in flight are completed
 * first.
 *
 * TTRT_INVALID_ARGUMENT if the prompt is empty, does not fit the context together with the tokens
 * that are wanted, or has a token that is negative, or not below the number that the metadata
 * "vocabulary" has. Nothing has been computed or changed then.
 */
TTRT_GENERATE_API ttrt_status ttrt_generator_start(ttrt_generator *generator, const int32_t *prompt,
                                                   size_t tokens, const ttrt_generation *generation,
                                                   ttrt_error *error);
/**
 * Returns the next token, after waiting for it, and enqueues one more step. A token that ends the
 * generation is returned, too.
 *
 * TTRT_END after a stop token, after as many tokens as were asked for, when the context is full,
 * and before the first ttrt_generator_start().
 */
TTRT_GENERATE_API ttrt_status ttrt_generator_next(ttrt_generator *generator, int32_t *token,
                                                  ttrt_error *error);
/**
 * Begins sequence `sequence` with a prompt, and computes all its tokens but the last. If a sequence
 * has this number, it ends, and its tokens that were not returned are dropped. The others continue:
 * their steps in flight are completed first, at most ttrt_generator_options::ahead, and they wait
 * for the prompt. The next steps are enqueued by ttrt_generator_next_of_all().
 *
 * TTRT_INVALID_ARGUMENT as ttrt_generator_start(), and if there is no such sequence.
 */
TTRT_GENERATE_API ttrt_status ttrt_generator_start_sequence(ttrt_generator *generator,
                                                            uint32_t sequence,
                                                            const int32_t *prompt, size_t tokens,
                                                            const ttrt_generation *generation,
                                                            ttrt_error *error);
/** Ends a sequence; its tokens that were not returned are dropped. Does not wait. */
TTRT_GENERATE_API ttrt_status ttrt_generator_stop_sequence(ttrt_generator *generator,
                                                           uint32_t sequence, ttrt_error *error);

/** Why a sequence has ended. */
typedef enum ttrt_ended {
  TTRT_NOT_ENDED = 0,
  TTRT_ENDED_BY_STOP = 1,   /**< after a stop token, or `done` was set when it began */
  TTRT_ENDED_BY_TOKENS = 2, /**< it has as many tokens as were asked for */
  TTRT_ENDED_BY_CONTEXT = 3 /**< the context is full */
} ttrt_ended;

/** A token of one of several sequences. */
typedef struct ttrt_generated {
  size_t size; /**< sizeof(ttrt_generated) */
  uint32_t sequence;
  int32_t token;    /**< -1 if the sequence ended without one: its `done` was set */
  uint32_t count;   /**< of tokens that the sequence has given, with this one */
  ttrt_ended ended; /**< not 0: this is the sequence's last token, and its place is free */
} ttrt_generated;
#define TTRT_GENERATED_INIT {sizeof(ttrt_generated), 0, 0, 0, TTRT_NOT_ENDED}

/**
 * Returns the next token of any sequence, after waiting for it, and enqueues steps. Each step gives
 * one token of every sequence, those of lower numbers first. All sequences step together, by the
 * bundle's entry point of the fewest rows that holds them: when fewer remain or another one begins,
 * steps in flight are completed before the next ones are enqueued.
 *
 * TTRT_END if no sequence is left.
 */
TTRT_GENERATE_API ttrt_status ttrt_generator_next_of_all(ttrt_generator *generator,
                                                         ttrt_generated *generated,
                                                         ttrt_error *error);

/** Number of sequences: 1, unless the bundle was made for more. */
TTRT_GENERATE_API uint32_t ttrt_generator_sequences(const ttrt_generator *generator);

/** Waits for what is in flight and sets all states to zero (ttrt_state_reset()). */
TTRT_GENERATE_API ttrt_status ttrt_generator_reset(ttrt_generator *generator, ttrt_error *error);

/** Number of positions of a sequence: the most tokens of a prompt and its answer, less the last
    one. */
TTRT_GENERATE_API uint64_t ttrt_generator_context(const ttrt_generator *generator);
/** Number of tokens of the prompt that was started last that were not computed, because of `reuse`.
 */
TTRT_GENERATE_API uint64_t ttrt_generator_reused(const ttrt_generator *generator);
/**
 * The logits from which the token that was returned last was chosen, if the bundle's steps have an
 * output `logits`; NULL otherwise. *count receives their number. Valid until the next call.
 */
TTRT_GENERATE_API const float *ttrt_generator_logits(const ttrt_generator *generator,
                                                     size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_GENERATE_H */
