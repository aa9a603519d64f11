// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens from a bundle, with their text and times.

#ifndef TTC_TOOLING_RUN_GENERATION_H
#define TTC_TOOLING_RUN_GENERATION_H

#include "Run/Session.h"
#include "Run/Text.h"
#include "ttrt/generate.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ttrun {

struct GenerationOptions {
  uint64_t tokens = 0; ///< 0: as many as the context has room for
  ttrt_sampling sampling{};
  bool reuse = false, bySteps = false;
};

/// What one generation gave.
struct Generated {
  size_t prompt = 0, reused = 0; ///< tokens
  std::vector<int32_t> tokens;   ///< with the one that ended it
  std::string text;
  const char *ended = ""; ///< "stop", "tokens" or "context"
  double promptMs = 0;    ///< until the prompt is computed, but for its last token
  double firstMs = 0;     ///< until the first token
  double decodeMs = 0;    ///< from the prompt's end to the last token
  double stepMs = 0;      ///< from one token to the next, the median

  double promptPerSecond() const { return perSecond(prompt - reused, promptMs); }
  double decodePerSecond() const { return perSecond(tokens.size(), decodeMs); }

  static double perSecond(size_t tokens, double ms) {
    return ms > 0 ? static_cast<double>(tokens) * 1e3 / ms : 0;
  }
};

/// What several prompts gave.
struct GeneratedAll {
  std::vector<Generated> texts;    ///< in the order of the prompts
  size_t prompt = 0, computed = 0; ///< tokens of all prompts; those that were not kept
  size_t tokens = 0;               ///< of all answers
  double promptMs = 0;             ///< computing prompts
  double decodeMs = 0;             ///< everything else

  double promptPerSecond() const { return Generated::perSecond(computed, promptMs); }
  double decodePerSecond() const { return Generated::perSecond(tokens, decodeMs); }
};

/// A generator on a session's device; on a mesh, one on each device of this process, which do the
/// same.
class GenerationSession {
public:
  /// `text` may be null. Throws UserError or BadBundle.
  GenerationSession(const std::string &path, Session &session,
                    const ttrt_generator_options &options, const Text *text);
  ~GenerationSession();
  GenerationSession(const GenerationSession &) = delete;
  GenerationSession &operator=(const GenerationSession &) = delete;

  /// Called with each token and the text that is complete with it.
  using Use = std::function<void(int32_t token, const std::string &text)>;
  /// Throws UserError or BadBundle.
  Generated run(const std::vector<int32_t> &prompt, const GenerationOptions &options,
                const Use &use);

  /// Called with each text, in the order of the prompts, when it and those before it are complete.
  using UseText = std::function<void(size_t prompt, const Generated &result)>;
  /// As many prompts at a time as the bundle has sequences. Throws UserError, also where a prompt
  /// does not fit before any is computed, or BadBundle.
  GeneratedAll runAll(const std::vector<std::vector<int32_t>> &prompts,
                      const GenerationOptions &options, const UseText &use);

  uint32_t sequences() const { return ttrt_generator_sequences(handles[0]); }
  uint64_t context() const { return ttrt_generator_context(handles[0]); }
  /// Keeps the logits of all tokens from now on.
  void keepLogits() { keepsLogits = true; }
  /// One row per token. Throws UserError if the bundle gives none.
  Tensor takeLogits();

private:
  /// What the first generator returns, or the first one that fails.
  using Call = std::function<ttrt_status(size_t local, ttrt_error *error)>;
  ttrt_status onEach(const Call &call, ttrt_error *error);
  ttrt_status next(ttrt_generated &generated, ttrt_error *error);
  void check(ttrt_status status, const ttrt_error &error) const;
  void checkFits(const std::vector<std::vector<int32_t>> &prompts,
                 const GenerationOptions &options) const;

  std::string path;
  const Text *text;
  MeshDevices *mesh; ///< null: one device
  std::vector<ttrt_generator *> handles;
  bool keepsLogits = false;
  std::vector<float> logits;
  size_t vocabulary = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_GENERATION_H
