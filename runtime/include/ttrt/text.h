/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file text.h
 * Text of language models: tokens of text, text of tokens, and prompts of chats, by the vocabulary
 * and the chat template that a bundle carries (docs/generation.md). In a library of its own,
 * libttrt_text.
 *
 *     ttrt_text *text;
 *     ttrt_text_open(bundle, &text, &error);
 *     const char *messages = "[{\"role\": \"user\", \"content\": \"Why is the sky blue?\"}]";
 *     int32_t prompt[2048];
 *     size_t count;
 *     ttrt_text_chat(text, messages, NULL, prompt, 2048, &count, &error);
 *
 *     ttrt_text_stream *stream;
 *     ttrt_text_stream_open(text, NULL, &stream, &error);
 *     ttrt_generator_start(generator, prompt, count, &generation, &error); // generate.h
 *     const char *piece;
 *     size_t bytes;
 *     while (ttrt_generator_next(generator, &token, &error) == TTRT_OK) {
 *       ttrt_text_stream_push(stream, token, &piece, &bytes, &error);
 *       fwrite(piece, 1, bytes, stdout);
 *     }
 *
 * Errors and structs that can grow are as in ttrt.h.
 *
 * Ownership. The caller owns what an `open` function returns and releases it with the matching
 * `close` function. A ttrt_text copies what it needs of a bundle, and a stream keeps its ttrt_text
 * alive, so all of them may be closed in any order.
 *
 * Buffers. Tokens, bytes and prompts are written to buffers of the caller, of `capacity` elements;
 * a buffer may be NULL if that is 0. *count receives the number of elements of the whole result. If
 * it exceeds `capacity`, the buffer is left as it was, and the call returns TTRT_INVALID_ARGUMENT:
 * call again with a larger buffer. Strings do not end with a zero.
 *
 * Threads. A ttrt_text is immutable: any number of threads may use it. Calls on one stream must not
 * overlap. There is no global state.
 *
 * Limits. A text has at most 64 MiB, messages at most 16 MiB, and a template may take 4,000,000
 * steps, make values of 64 MiB each and 256 MiB in total, and nest 500 levels, which fit into a
 * stack of 2 MB: damaged or hostile input ends in an error. A step is a statement, an evaluated
 * expression, a visited element of a value, 64 bytes of text that are copied, compared or searched,
 * or 16 bytes that are looked at one by one.
 */
#ifndef TTRT_TEXT_H
#define TTRT_TEXT_H

#include "ttrt/ttrt.h"

#if defined(__GNUC__)
#define TTRT_TEXT_API __attribute__((visibility("default")))
#else
#define TTRT_TEXT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A vocabulary and, if there is one, a chat template. Immutable.
 *
 * A model may have more tokens than there are texts: its vocabulary is padded. The further tokens,
 * up to the number in the bundle's metadata "vocabulary", are accepted, and their text is empty.
 */
typedef struct ttrt_text ttrt_text;

/**
 * Reads the tokenizer and the chat template of a bundle. On success, the caller owns *text.
 * Thread-safe.
 *
 * TTRT_NOT_FOUND if the bundle has no tokenizer; TTRT_UNSUPPORTED if its model or its pre-tokenizer
 * is none that this library has, which the message lists, or if the library was built without
 * PCRE2; TTRT_BAD_BUNDLE if the tokenizer is damaged. A damaged chat template is an error of
 * ttrt_text_chat() only.
 */
TTRT_TEXT_API ttrt_status ttrt_text_open(const ttrt_bundle *bundle, ttrt_text **text,
                                         ttrt_error *error);
/**
 * The same from the metadata itself: what ttrt_bundle_metadata() returns for the keys "tokenizer"
 * and "chat_template". `chat_template` may be NULL. Both are copied. Thread-safe.
 */
TTRT_TEXT_API ttrt_status ttrt_text_open_metadata(const void *tokenizer, size_t tokenizer_bytes,
                                                  const void *chat_template, size_t template_bytes,
                                                  ttrt_text **text, ttrt_error *error);
/** Releases it; NULL is allowed. Its streams may remain open. */
TTRT_TEXT_API void ttrt_text_close(ttrt_text *text);

/** What a vocabulary has. */
typedef struct ttrt_text_info {
  size_t size;           /**< sizeof(ttrt_text_info) */
  uint32_t tokens;       /**< with a text; they are numbered from 0 */
  int32_t bos, eos;      /**< the tokens at the beginning and at the end of a text; -1: none */
  int adds_bos;          /**< nonzero: prompts begin with `bos` */
  int has_chat_template; /**< nonzero: the bundle has a template, which may be damaged */
  const int32_t *stop;   /**< tokens that end an answer, ascending; owned by the ttrt_text */
  size_t stop_count;
} ttrt_text_info;
#define TTRT_TEXT_INFO_INIT {sizeof(ttrt_text_info), 0, 0, 0, 0, 0, NULL, 0}

/** Describes a vocabulary. Thread-safe. Allocates nothing, unless it fails. */
TTRT_TEXT_API ttrt_status ttrt_text_query(const ttrt_text *text, ttrt_text_info *info,
                                          ttrt_error *error);

/** Options of ttrt_text_encode(). Zero is the default of every field. */
typedef struct ttrt_text_encoding {
  size_t size; /**< sizeof(ttrt_text_encoding) */
  /** Nonzero: names of control tokens, such as "<|im_end|>", become these tokens. By default they
      are text like any other. */
  int control;
  int no_bos; /**< nonzero: without `bos` at the beginning, even if the vocabulary adds it */
  int no_end; /**< nonzero: without the token that the vocabulary adds at the end, as of T5 */
} ttrt_text_encoding;
#define TTRT_TEXT_ENCODING_INIT {sizeof(ttrt_text_encoding), 0, 0, 0}

/**
 * Gives the tokens of `size` bytes of text: at most as many, and three more, for `bos`, for a space
 * that the vocabulary puts before the text, and for a token at its end; where it puts a space after
 * the name of a control token of a single byte, too, one more for each. Vocabularies that replace
 * characters before they cut a text may give more. Bytes that the vocabulary lacks are dropped.
 * `options` may be NULL. Thread-safe.
 *
 * TTRT_INVALID_ARGUMENT if the text is too long, or the buffer too small (*count is set then);
 * TTRT_BAD_BUNDLE if the vocabulary replaces characters by more than 64 bytes for each byte of the
 * text, or 256 MiB in all.
 */
TTRT_TEXT_API ttrt_status ttrt_text_encode(const ttrt_text *text, const char *bytes, size_t size,
                                           const ttrt_text_encoding *options, int32_t *tokens,
                                           size_t capacity, size_t *count, ttrt_error *error);

/** Options of ttrt_text_decode() and ttrt_text_stream_open(). Zero is the default of every field.
 */
typedef struct ttrt_text_decoding {
  size_t size; /**< sizeof(ttrt_text_decoding) */
  int control; /**< nonzero: control tokens give their names; by default they give nothing */
} ttrt_text_decoding;
#define TTRT_TEXT_DECODING_INIT {sizeof(ttrt_text_decoding), 0}

/**
 * Gives the bytes of tokens. They may be any bytes: a token can end in the middle of a character,
 * and a model can choose tokens that are no UTF-8 together. `options` may be NULL. Thread-safe.
 *
 * TTRT_INVALID_ARGUMENT if the model has no such token, or the buffer too small (*count is set
 * in the latter case only).
 */
TTRT_TEXT_API ttrt_status ttrt_text_decode(const ttrt_text *text, const int32_t *tokens,
                                           size_t token_count, const ttrt_text_decoding *options,
                                           char *bytes, size_t capacity, size_t *count,
                                           ttrt_error *error);

/*===---------------------------------------------------------------------===
 * Text that comes token by token
 *===---------------------------------------------------------------------===*/

/** Makes whole characters of tokens. */
typedef struct ttrt_text_stream ttrt_text_stream;

/**
 * Begins a text. `options` may be NULL. On success, the caller owns *stream, which keeps what it
 * needs of `text`. Thread-safe. Pushing and finishing then allocate nothing, except calls that
 * fail.
 */
TTRT_TEXT_API ttrt_status ttrt_text_stream_open(const ttrt_text *text,
                                                const ttrt_text_decoding *options,
                                                ttrt_text_stream **stream, ttrt_error *error);
/**
 * Adds a token. Sets *piece to the characters that are complete with it, and *size to their number
 * of bytes, which may be 0. Pieces are well-formed UTF-8 and belong to the stream, until the next
 * call on it. Bytes that are no UTF-8 become U+FFFD, as in Python's bytes.decode(errors="replace").
 * Not thread-safe.
 *
 * TTRT_INVALID_ARGUMENT if the model has no such token; the stream is then as before.
 */
TTRT_TEXT_API ttrt_status ttrt_text_stream_push(ttrt_text_stream *stream, int32_t token,
                                                const char **piece, size_t *size,
                                                ttrt_error *error);
/** Ends the text: what is incomplete becomes U+FFFD. Then the stream begins another text.
    Otherwise as ttrt_text_stream_push(). */
TTRT_TEXT_API ttrt_status ttrt_text_stream_finish(ttrt_text_stream *stream, const char **piece,
                                                  size_t *size, ttrt_error *error);
/** Releases it; NULL is allowed. */
TTRT_TEXT_API void ttrt_text_stream_close(ttrt_text_stream *stream);

/*===---------------------------------------------------------------------===
 * Chats
 *===---------------------------------------------------------------------===*/

/** Options of ttrt_text_chat() and ttrt_text_chat_text(). Zero is the default of every field. */
typedef struct ttrt_text_chat_options {
  size_t size; /**< sizeof(ttrt_text_chat_options) */
  /** Nonzero: the prompt ends after the last message. By default the template adds what begins an
      answer (`add_generation_prompt`). */
  int no_generation_prompt;
  const char *tools;     /**< JSON: what the template sees as `tools`; NULL: none */
  const char *variables; /**< JSON: an object of further names that it sees; NULL: none */
} ttrt_text_chat_options;
#define TTRT_TEXT_CHAT_OPTIONS_INIT {sizeof(ttrt_text_chat_options), 0, NULL, NULL}

/**
 * Gives the tokens of a prompt: applies the chat template to `messages`, a zero-terminated array of
 * JSON, whose elements are objects with the fields that the template reads, usually "role" and
 * "content". `options` may be NULL. Thread-safe.
 *
 * Names of control tokens that the template writes are these tokens; in strings of `messages` and
 * `tools` they are text, so that no message can end itself or begin another one.
 *
 * TTRT_NOT_FOUND if there is no chat template; TTRT_BAD_BUNDLE if it is damaged, or uses what this
 * library lacks; TTRT_INVALID_ARGUMENT if `messages`, `tools` or `variables` are not such JSON or
 * too long, or the buffer too small (*count is set then); TTRT_FAILED if the template refuses the
 * messages, cannot be evaluated for them, or exceeds a limit.
 */
TTRT_TEXT_API ttrt_status ttrt_text_chat(const ttrt_text *text, const char *messages,
                                         const ttrt_text_chat_options *options, int32_t *tokens,
                                         size_t capacity, size_t *count, ttrt_error *error);
/**
 * The same as text, to be read: its tokens, with ttrt_text_encoding::control, would include those
 * that messages name. Thread-safe.
 */
TTRT_TEXT_API ttrt_status ttrt_text_chat_text(const ttrt_text *text, const char *messages,
                                              const ttrt_text_chat_options *options, char *bytes,
                                              size_t capacity, size_t *count, ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_TEXT_H */
