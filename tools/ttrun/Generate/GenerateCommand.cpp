// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Commands.h"
#include "../Json.h"
#include "../Printing.h"
#include "../Profile/Report.h"
#include "../Trusted.h"
#include "ChatTemplate.h"
#include "Generation.h"
#include "ttrt/state.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace ttrun {

namespace {
/// What the command line says.
struct GenerateOptions {
  SessionOptions session;
  std::string prompt, promptFile, promptIds, stopIds, system;
  std::string logits, saveState, restoreState;
  bool chat = false, special = false, ignoreEos = false, printIds = false, json = false;
  bool bySteps = false;
  double temperature = 0, topP = 1, penalty = 1;
  uint64_t tokens = 0, topK = 0, window = 0, seed = 0, ahead = 16;

  void declare(OptionParser &parser);
  void check() const;
  ttrt_sampling sampling(const std::vector<int32_t> &stops) const;
};

/// What the bundle carries for text. It is read while the device is opened.
struct TextTools {
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<ChatTemplate> chat;
};

using Clock = std::chrono::steady_clock;
} // namespace

void GenerateOptions::declare(OptionParser &parser) {
  parser.text("prompt", "TEXT", "the text to continue or, with --chat, the first message", prompt);
  parser.text("prompt-file", "FILE", "the same from a file", promptFile);
  parser.text("prompt-ids", "N,N,...", "the prompt as numbers of tokens", promptIds);
  parser.flag("chat",
              "answer messages, by the bundle's chat template; without\n--prompt, each line of "
              "standard input is a message",
              chat);
  parser.text("system", "TEXT", "with --chat: what comes first, as the role system", system);
  parser.flag("special", "names of control tokens in --prompt are these tokens", special);
  parser.number("tokens", "N", "the most tokens to generate (default: up to the context's end)",
                tokens, 1, uint64_t(1) << 31);
  parser.flag("ignore-eos", "go on behind the tokens that end a text", ignoreEos);
  parser.text("stop-ids", "N,N,...", "more tokens that end a text", stopIds);
  parser.real("temperature", "T", "draw tokens (default 0: always the likeliest one)", temperature);
  parser.number("top-k", "K", "draw from the K likeliest (default: from all)", topK, 1, 1 << 30);
  parser.real("top-p", "P", "draw from the likeliest whose probabilities reach P (default 1)",
              topP);
  parser.real("repetition-penalty", "R",
              "divide positive logits of tokens that occurred by R, and\nmultiply the others "
              "(default 1)",
              penalty);
  parser.number("penalty-window", "N", "look back so many tokens for that (default: over all)",
                window, 1, 1 << 30);
  parser.number("seed", "S", "of the numbers to draw with (default 0)", seed, 0, UINT64_MAX);
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
  session.declareProfile(parser);
  parser.flag("json", "print one JSON object at the end (docs/ttrun-json.md)", json);
  parser.verify(session.verify);
  declareTrusted(parser, session.trusted);
}

void GenerateOptions::check() const {
  const int given = !prompt.empty() + !promptFile.empty() + !promptIds.empty();
  if (given > 1)
    throw UserError("expected one of --prompt, --prompt-file and --prompt-ids");
  if (given == 0 && (!chat || json))
    throw UserError("expected --prompt=TEXT, --prompt-file=FILE, --prompt-ids=N,N,... or, for a "
                    "conversation, --chat without --json");
  if (chat && !promptIds.empty())
    throw UserError("--chat makes a prompt of text: expected no --prompt-ids");
  if (!chat && !system.empty())
    throw UserError("--system needs --chat");
  if (topP <= 0 || topP > 1)
    throw UserError(fmt::format("--top-p={}: expected a number above 0, at most 1", topP));
  if (penalty <= 0)
    throw UserError(fmt::format("--repetition-penalty={}: expected a number above 0", penalty));
}

/// "1,2,3"
static std::vector<int32_t> parseIds(const std::string &option, const std::string &text) {
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

/// A copy, which the bundle need not outlive. Throws UserError if there is none.
static std::string metadataOf(const ttrt_bundle *bundle, const char *key) {
  const void *value;
  uint64_t bytes;
  ttrt_error error;
  if (ttrt_bundle_metadata(bundle, key, &value, &bytes, &error) != TTRT_OK)
    throw UserError(error.message);
  return {static_cast<const char *>(value), bytes};
}

/// `chat` is empty if it is not needed.
static TextTools readTextTools(const std::string &tokenizer, const std::string &chat) {
  TextTools tools;
  tools.tokenizer = std::make_unique<Tokenizer>(tokenizer);
  if (!chat.empty())
    tools.chat = std::make_unique<ChatTemplate>(chat);
  return tools;
}

static bool hasMetadata(const ttrt_bundle *bundle, const std::string &key) {
  for (uint32_t i = 0; const char *found = ttrt_bundle_metadata_key(bundle, i); ++i)
    if (found == key)
      return true;
  return false;
}

namespace {
/// The command, once its options are known.
class GenerateRun {
public:
  GenerateRun(const std::string &path, GenerateOptions &options);
  void run();

private:
  TextTools takeTextTools();
  std::vector<int32_t> promptIds() const;
  std::vector<int32_t> encode(std::string_view text, Tokenizer::Control control) const;
  std::vector<int32_t> chatIds() const;
  Generated generate(const std::vector<int32_t> &ids, bool reuse);
  void show(int32_t token, const std::string &text);
  void converse();
  void printSpeed(const Generated &result) const;
  void printJson(const Generated &result);

  const std::string path;
  GenerateOptions &options;
  const Clock::time_point begin = Clock::now();
  std::future<TextTools> reading;
  std::unique_ptr<Session> session;
  TextTools text;
  std::unique_ptr<Generator> generator;
  GenerationOptions generation;
  std::vector<ChatMessage> messages;
  bool plain = true; ///< what is printed goes to a file or a pipe, as it is
};
} // namespace

GenerateRun::GenerateRun(const std::string &path, GenerateOptions &options)
    : path(path), options(options), plain(!isatty(STDOUT_FILENO)) {
  SessionOptions &its = options.session;
  its.entry = "decode";
  its.mostQueues = its.schedule.empty();
  its.opened = [&](const ttrt_bundle *bundle) {
    if (!options.promptIds.empty() && !hasMetadata(bundle, "tokenizer"))
      return;
    const std::string chat = options.chat ? metadataOf(bundle, "chat_template") : "";
    reading = std::async(std::launch::async, readTextTools, metadataOf(bundle, "tokenizer"), chat);
  };
  session = std::make_unique<Session>(path, its);
  text = takeTextTools();
  if (!options.restoreState.empty())
    session->restoreState(options.restoreState);
  ttrt_generator_options opening = TTRT_GENERATOR_OPTIONS_INIT;
  opening.ahead = static_cast<uint32_t>(options.ahead);
  opening.no_trace = its.noTrace;
  opening.schedule = its.schedule.empty() ? nullptr : its.schedule.c_str();
  generator = std::make_unique<Generator>(path, *session, opening, text.tokenizer.get());
  if (!options.logits.empty())
    generator->keepLogits();

  std::vector<int32_t> stops;
  if (text.tokenizer && !options.ignoreEos)
    stops = text.tokenizer->stops();
  if (!options.stopIds.empty())
    for (int32_t id : parseIds("stop-ids", options.stopIds))
      stops.push_back(id);
  generation.sampling = options.sampling(stops);
  generation.tokens = options.tokens;
  generation.bySteps = options.bySteps;
}

/// The tokenizer is not needed where numbers go in and come out: an error in it is none then.
TextTools GenerateRun::takeTextTools() {
  if (!reading.valid())
    return {};
  try {
    return reading.get();
  } catch (const UserError &error) {
    if (!options.promptIds.empty())
      return {};
    throw UserError(fmt::format("{}: {}", path, error.what()));
  }
}

std::vector<int32_t> GenerateRun::encode(std::string_view piece, Tokenizer::Control control) const {
  std::vector<int32_t> ids;
  text.tokenizer->encode(piece, control, ids);
  const std::optional<int32_t> bos = text.tokenizer->bos();
  if (text.tokenizer->addsBos() && (ids.empty() || ids[0] != *bos))
    ids.insert(ids.begin(), *bos);
  if (ids.empty())
    throw UserError("expected a prompt of at least one token");
  return ids;
}

static std::string readText(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (!(text << stream.rdbuf()) && !stream.eof())
    throw UserError(fmt::format("cannot read '{}'", file));
  return text.str();
}

/// What a message says cannot end it, or begin another one.
std::vector<int32_t> GenerateRun::chatIds() const {
  auto nameOf = [&](std::optional<int32_t> token) {
    std::string name;
    if (token)
      text.tokenizer->decode(*token, name, /*control=*/true);
    return name;
  };
  std::vector<ChatMessage> marked = messages;
  for (ChatMessage &message : marked)
    message.content = text.tokenizer->protect(message.content);
  return encode(
      text.chat->prompt(marked, nameOf(text.tokenizer->bos()), nameOf(text.tokenizer->eos())),
      Tokenizer::Control::ParseMarked);
}

std::vector<int32_t> GenerateRun::promptIds() const {
  if (!options.promptIds.empty())
    return parseIds("prompt-ids", options.promptIds);
  if (options.chat)
    return chatIds();
  return encode(options.prompt,
                options.special ? Tokenizer::Control::Parse : Tokenizer::Control::AsText);
}

/// A terminal must not be controlled by a model: escape sequences are shown.
static std::string forTerminal(const std::string &text) {
  std::string result;
  for (size_t at = 0, next; at < text.size(); at = next) {
    next = std::min(text.find_first_of("\n\t", at), text.size());
    result += printable(std::string_view(text).substr(at, next - at));
    if (next < text.size())
      result += text[next++];
  }
  return result;
}

void GenerateRun::show(int32_t token, const std::string &piece) {
  if (options.json)
    return;
  if (options.printIds || !text.tokenizer) {
    if (token >= 0)
      fmt::print("{}\n", token);
  } else {
    const std::string shown = plain ? piece : forTerminal(piece);
    fwrite(shown.data(), 1, shown.size(), stdout);
  }
  fflush(stdout);
}

Generated GenerateRun::generate(const std::vector<int32_t> &ids, bool reuse) {
  generation.reuse = reuse;
  return generator->run(ids, generation,
                        [&](int32_t token, const std::string &piece) { show(token, piece); });
}

void GenerateRun::printSpeed(const Generated &result) const {
  std::string kept;
  if (result.reused)
    kept = fmt::format(", {} of them kept", result.reused);
  fmt::print(stderr,
             "prompt: {} token{}{} in {:.1f} ms ({:.0f} tokens/s); answer: {} token{} in {:.1f} ms "
             "({:.1f} tokens/s); the first one after {:.1f} ms\n",
             result.prompt, plural(result.prompt), kept, result.promptMs, result.promptPerSecond(),
             result.tokens.size(), plural(result.tokens.size()), result.decodeMs,
             result.decodePerSecond(), result.firstMs);
}

void GenerateRun::printJson(const Generated &result) {
  Json json;
  json.beginObject()
      .field("bundle", path)
      .field("cores", session->cores())
      .field("ahead", options.ahead)
      .field("context", generator->context())
      .field("load_ms", session->loadMs())
      .field("prompt_tokens", static_cast<uint64_t>(result.prompt))
      .field("kept_tokens", static_cast<uint64_t>(result.reused))
      .field("prompt_ms", result.promptMs)
      .field("prompt_tokens_per_second", result.promptPerSecond())
      .field("first_token_ms", result.firstMs)
      .field("decode_ms", result.decodeMs)
      .field("decode_tokens_per_second", result.decodePerSecond())
      .field("step_ms", result.stepMs)
      .field("ended", result.ended)
      .key("tokens")
      .beginArray(/*flat=*/true);
  for (int32_t token : result.tokens)
    json.value(token);
  json.endArray();
  if (text.tokenizer)
    json.field("text", result.text);
  if (const std::string folder = session->profileFolder(); !folder.empty())
    json.field("profile", folder);
  fmt::print("{}", json.endObject().take());
}

/// Each line is a message; the states keep what was said before.
void GenerateRun::converse() {
  const bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  for (std::string line;;) {
    if (asks)
      fmt::print(stderr, "> ");
    if (!std::getline(std::cin, line))
      break;
    if (line.empty())
      continue;
    messages.push_back({"user", line});
    const std::vector<int32_t> ids = chatIds();
    if (ids.size() > generator->context()) {
      fmt::print(stderr, "the conversation has {} tokens, and the context {}: begin a new one\n",
                 ids.size(), generator->context());
      break;
    }
    const Generated result = generate(ids, /*reuse=*/true);
    if (!options.printIds)
      fmt::print("\n");
    fflush(stdout);
    messages.push_back({"assistant", result.text});
    printSpeed(result);
  }
  if (asks)
    fmt::print(stderr, "\n");
}

void GenerateRun::run() {
  if (!options.promptFile.empty())
    options.prompt = readText(options.promptFile);
  if (options.chat && !options.system.empty())
    messages.push_back({"system", options.system});
  if (options.chat && options.prompt.empty() && options.promptFile.empty()) {
    converse();
  } else {
    if (options.chat)
      messages.push_back({"user", options.prompt});
    const Generated result = generate(promptIds(), !options.restoreState.empty());
    if (options.json) {
      printJson(result);
    } else {
      if (!options.printIds && text.tokenizer && !result.text.ends_with('\n'))
        fmt::print("\n");
      fflush(stdout);
      printSpeed(result);
    }
  }
  if (!options.logits.empty())
    writeNpy(options.logits, generator->takeLogits());
  if (!options.saveState.empty())
    session->saveState(options.saveState);
  generator.reset();
  ReportOptions report;
  report.print = !options.json;
  session->finishProfile(report);
}

int generateCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun generate", "BUNDLE [options]",
      "Continues a text, or answers messages, token by token, with a bundle that was made of a\n"
      "GGUF file (docs/generation.md). Text goes to standard output as it comes, and the speed to\n"
      "standard error.",
      "  ttrun generate smollm2.ttcb --prompt 'Once upon a time' --tokens 64\n"
      "  ttrun generate smollm2.ttcb --chat --prompt 'Why is the sky blue?'\n"
      "  ttrun generate smollm2.ttcb --chat --temperature 0.7 --top-p 0.9 --seed 1\n");
  GenerateOptions options;
  options.declare(parser);
  const std::string path = parser.parseBundle(argc, argv);
  options.check();
  GenerateRun(path, options).run();
  return 0;
}

} // namespace ttrun
