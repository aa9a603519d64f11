// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenerateOptions.h"

#include "Run/Trusted.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace ttrun {

void GenerateOptions::declare(OptionParser &parser) {
  parser.list("prompt", "TEXT",
              "the text to continue or, with --chat, the first message; can be\nrepeated, so that "
              "several texts are generated",
              prompts);
  parser.list("prompt-file", "FILE", "the same from a file", promptFiles);
  parser.text("prompts-file", "FILE", "prompts from a file, one per line", promptsFile);
  parser.list("prompt-ids", "N,N,...", "the same as numbers of tokens", promptIds);
  parser.flag("chat",
              "answer messages, with the bundle's chat template; without\n--prompt, each line of "
              "standard input is a message",
              chat);
  parser.text("system", "TEXT", "with --chat: a first message with the role system", system);
  parser.text("messages", "FILE",
              "with --chat: a conversation to continue, in JSON: a list of\nobjects with role and "
              "content, which may have tool_calls",
              messages);
  parser.text("tools", "FILE", "with --chat: the tools that the model may call, in JSON", tools);
  parser.text("variables", "JSON", "with --chat: an object of names that the template reads",
              variables);
  parser.flag("special", "treat names of control tokens in --prompt as these tokens", special);
  parser.number("tokens", "N", "maximum number of tokens (default: until the context is full)",
                tokens, 1, uint64_t(1) << 31);
  parser.flag("ignore-eos", "continue past the model's end-of-text tokens", ignoreEos);
  parser.text("stop-ids", "N,N,...", "additional tokens that end a text", stopIds);
  parser.real("temperature", "T", "sampling temperature (default 0: always the most likely)",
              temperature);
  parser.number("top-k", "K", "sample from the K most likely tokens (default: from all)", topK, 1,
                1 << 30);
  parser.real("top-p", "P",
              "sample from the most likely tokens whose probabilities\nadd up to P (default 1)",
              topP);
  parser.real("repetition-penalty", "R",
              "divide the positive logits of recent tokens by R, and\nmultiply their negative ones "
              "(default 1)",
              penalty);
  parser.number("penalty-window", "N", "number of recent tokens to penalise (default: all)", window,
                1, 1 << 30);
  parser.number("seed", "S", "seed of the random numbers (default 0)", seed, 0, UINT64_MAX);
  parser.number("ahead", "N", "steps in flight while the host waits for a token (default 16)",
                ahead, 1, 4096);
  parser.flag("print-ids", "print the numbers of tokens instead of text", printIds);
  parser.text("logits", "FILE.npy", "write the logits of each token, where the bundle has them",
              logits);
  parser.flag("prompt-by-steps", "compute the prompt token by token, for tests", bySteps);
  parser.text(
      "restore-state", "FILE",
      "begin with the states of a file; what they hold of the\nprompt is not computed again",
      restoreState);
  parser.text("save-state", "FILE", "write the states to a file at the end", saveState);
  parser.text("schedule", "NAME", "the schedule of the entry point decode", session.schedule);
  session.declareDevice(parser);
  session.declareMesh(parser);
  session.declareProfile(parser);
  parser.flag("json", "print one JSON object at the end (docs/ttrun-json.md)", json);
  parser.verify(session.verify);
  declareTrusted(parser, session.trusted);
}

void GenerateOptions::check() const {
  const int given = !prompts.empty() + !promptFiles.empty() + !promptsFile.empty() +
                    !promptIds.empty() + !messages.empty();
  if (given > 1)
    throw UserError("expected one of --prompt, --prompt-file, --prompts-file and --prompt-ids, "
                    "or --messages");
  if (given == 0 && (!chat || json))
    throw UserError("expected --prompt=TEXT, --prompt-file=FILE, --prompt-ids=N,N,... or, for a "
                    "conversation, --chat without --json");
  if (chat && !promptIds.empty())
    throw UserError("--chat makes a prompt of text: expected no --prompt-ids");
  for (const auto &[name, value] : {std::pair("system", &system), std::pair("messages", &messages),
                                    std::pair("tools", &tools), std::pair("variables", &variables)})
    if (!chat && !value->empty())
      throw UserError(fmt::format("--{} needs --chat", name));
  if (!messages.empty() && !system.empty())
    throw UserError("--messages has all messages: expected no --system");
  if (topP <= 0 || topP > 1)
    throw UserError(fmt::format("--top-p={}: expected a number above 0, at most 1", topP));
  if (penalty <= 0)
    throw UserError(fmt::format("--repetition-penalty={}: expected a number above 0", penalty));
}

std::vector<int32_t> parseIds(const std::string &option, const std::string &text) {
  std::vector<int32_t> ids;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    int32_t id = -1;
    const auto [last, status] = std::from_chars(at, end, id);
    if (status != std::errc() || id < 0 || (last != end && *last != ','))
      throw UserError(
          fmt::format("--{}={}: expected numbers of tokens, separated by commas", option, text));
    ids.push_back(id);
    if (last == end)
      return ids;
    at = last + 1;
  }
}

ttrt_sampling GenerateOptions::sampling(const std::vector<int32_t> &stops) const {
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  sampling.temperature = static_cast<float>(temperature);
  sampling.top_k = static_cast<uint32_t>(topK);
  sampling.top_p = static_cast<float>(topP);
  sampling.repetition_penalty = static_cast<float>(penalty);
  sampling.penalty_window = static_cast<uint32_t>(window);
  sampling.seed[0] = static_cast<uint32_t>(seed);
  sampling.seed[1] = static_cast<uint32_t>(seed >> 32);
  if (stops.size() > TTRT_SAMPLING_STOPS)
    throw UserError(fmt::format("expected at most {} tokens that end a text, found {}",
                                TTRT_SAMPLING_STOPS, stops.size()));
  for (int32_t stop : stops)
    sampling.stop[sampling.stop_count++] = stop;
  return sampling;
}

static std::string readText(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf(); // fails where there is nothing, too
  if (!stream || text.bad())
    throw UserError(fmt::format("cannot read '{}'", file));
  return text.str();
}

void GenerateOptions::readFiles() {
  for (const std::string &file : promptFiles)
    prompts.push_back(readText(file));
  for (std::string *json : {&messages, &tools})
    if (!json->empty())
      *json = readText(*json);
  if (promptsFile.empty())
    return;
  std::istringstream lines(readText(promptsFile));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r'))
      line.pop_back();
    if (!line.empty())
      prompts.push_back(line);
  }
  if (prompts.empty())
    throw UserError(
        fmt::format("--prompts-file={}: expected a prompt a line, found none", promptsFile));
}

} // namespace ttrun
