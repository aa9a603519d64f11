// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "GenerateOptions.h"
#include "Profile/Report.h"
#include "Run/Generation.h"
#include "Run/Mesh/Rank.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "ttrt/state.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <iostream>
#include <unistd.h>

namespace ttrun {

using Clock = std::chrono::steady_clock;

/// A copy, which the bundle need not outlive. Throws UserError if there is none.
static std::string metadataOf(const ttrt_bundle *bundle, const char *key) {
  const void *value;
  uint64_t bytes;
  ttrt_error error;
  if (ttrt_bundle_metadata(bundle, key, &value, &bytes, &error) != TTRT_OK)
    throw UserError(error.message);
  return {static_cast<const char *>(value), bytes};
}

static bool hasMetadata(const ttrt_bundle *bundle, const std::string &key) {
  for (uint32_t i = 0; const char *found = ttrt_bundle_metadata_key(bundle, i); ++i)
    if (found == key)
      return true;
  return false;
}

namespace {
struct Message {
  const char *role;
  std::string content;
};

/// The command, once its options are known.
class GenerateRun {
public:
  GenerateRun(const std::string &path, GenerateOptions &options);
  void run();

private:
  std::unique_ptr<Text> takeText();
  std::vector<std::vector<int32_t>> promptIds();
  std::vector<int32_t> chatIds(const std::vector<Message> &said) const;
  Generated generate(const std::vector<int32_t> &ids, bool reuse);
  void show(int32_t token, const std::string &text);
  void requireSameOnRanks(const std::vector<std::vector<int32_t>> &prompts) const;
  void converse();
  void generateOne(const std::vector<int32_t> &ids);
  void generateAll(const std::vector<std::vector<int32_t>> &prompts);
  std::string titleOf(size_t prompt) const;
  void printSpeed(const Generated &result) const;
  void printJson(const Generated &result);
  void printJson(const GeneratedAll &all);
  void beginJson(Json &json) const;
  void addTexts(Json &json, const Generated &result) const;
  void endJson(Json &json) const;

  const std::string path;
  GenerateOptions &options;
  const Clock::time_point begin = Clock::now();
  std::future<std::unique_ptr<Text>> reading; ///< while the device is opened
  std::unique_ptr<Session> session;
  std::unique_ptr<Text> text; ///< null: numbers of tokens are enough
  std::unique_ptr<GenerationSession> generator;
  GenerationOptions generation;
  std::vector<Message> messages;
  bool plain = true; ///< what is printed goes to a file or a pipe, as it is
};
} // namespace

GenerateRun::GenerateRun(const std::string &path, GenerateOptions &options)
    : path(path), options(options), plain(!isatty(STDOUT_FILENO)) {
  SessionOptions &its = options.session;
  its.entry = "decode";
  its.orEntry = "decode_1"; // of a bundle for several sequences
  its.mostQueues = its.schedule.empty();
  its.opened = [&](const ttrt_bundle *bundle) {
    if (!options.promptIds.empty() && !hasMetadata(bundle, "tokenizer"))
      return;
    const std::string chat = options.chat ? metadataOf(bundle, "chat_template") : "";
    const std::string tokenizer = metadataOf(bundle, "tokenizer");
    reading = std::async(std::launch::async, [=, this] {
      return std::make_unique<Text>(this->path, tokenizer, this->options.chat ? &chat : nullptr);
    });
  };
  session = std::make_unique<Session>(path, its);
  text = takeText();
  if (!options.saveState.empty())
    session->checkStates("save-state");
  if (!options.restoreState.empty())
    session->restoreState(options.restoreState);
  ttrt_generator_options opening = TTRT_GENERATOR_OPTIONS_INIT;
  opening.ahead = static_cast<uint32_t>(options.ahead);
  opening.no_trace = its.noTrace;
  opening.schedule = its.schedule.empty() ? nullptr : its.schedule.c_str();
  generator = std::make_unique<GenerationSession>(path, *session, opening, text.get());
  if (!options.logits.empty())
    generator->keepLogits();

  std::vector<int32_t> stops;
  if (text && !options.ignoreEos)
    stops = text->stops();
  if (!options.stopIds.empty())
    for (int32_t id : parseIds("stop-ids", options.stopIds))
      stops.push_back(id);
  generation.sampling = options.sampling(stops);
  generation.tokens = options.tokens;
  generation.bySteps = options.bySteps;
}

/// The tokenizer is not needed where numbers go in and come out: an error in it is none then.
std::unique_ptr<Text> GenerateRun::takeText() {
  if (!reading.valid())
    return nullptr;
  try {
    return reading.get();
  } catch (const UserError &) {
    if (options.promptIds.empty())
      throw;
    return nullptr;
  }
}

std::vector<int32_t> GenerateRun::chatIds(const std::vector<Message> &said) const {
  Json json;
  json.beginArray();
  for (const Message &message : said)
    json.beginObject()
        .field("role", message.role)
        .field("content", std::string_view(message.content))
        .endObject();
  return text->chat(json.endArray().take(), {options.tools, options.variables});
}

/// The tokens of each prompt; with --chat, each begins a separate conversation.
std::vector<std::vector<int32_t>> GenerateRun::promptIds() {
  std::vector<std::vector<int32_t>> all;
  for (const std::string &numbers : options.promptIds)
    all.push_back(parseIds("prompt-ids", numbers));
  if (!options.messages.empty())
    all.push_back(text->chat(options.messages, {options.tools, options.variables}));
  for (const std::string &prompt : options.prompts) {
    if (!options.chat) {
      all.push_back(text->encode(prompt, options.special));
      continue;
    }
    std::vector<Message> said = messages;
    said.push_back({"user", prompt});
    all.push_back(chatIds(said));
  }
  return all;
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
  if (options.printIds || !text) {
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
  if (!isLead())
    return;
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

void GenerateRun::beginJson(Json &json) const {
  json.beginObject()
      .field("bundle", path)
      .field("cores", session->cores())
      .field("devices", session->mesh() ? session->mesh()->devices() : 1)
      .field("ahead", options.ahead)
      .field("context", generator->context())
      .field("load_ms", session->loadMs());
}

/// What each prompt has.
void GenerateRun::addTexts(Json &json, const Generated &result) const {
  json.field("prompt_tokens", static_cast<uint64_t>(result.prompt))
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
  if (text)
    json.field("text", result.text);
}

void GenerateRun::endJson(Json &json) const {
  if (const std::string folder = session->profileFolder(); !folder.empty())
    json.field("profile", folder);
  fmt::print("{}", json.endObject().take());
}

void GenerateRun::printJson(const Generated &result) {
  Json json;
  beginJson(json);
  addTexts(json, result);
  endJson(json);
}

void GenerateRun::printJson(const GeneratedAll &all) {
  Json json;
  beginJson(json);
  json.field("sequences", generator->sequences())
      .field("prompt_tokens", static_cast<uint64_t>(all.prompt))
      .field("prompt_ms", all.promptMs)
      .field("prompt_tokens_per_second", all.promptPerSecond())
      .field("tokens", static_cast<uint64_t>(all.tokens))
      .field("decode_ms", all.decodeMs)
      .field("decode_tokens_per_second", all.decodePerSecond())
      .key("answers")
      .beginArray();
  for (const Generated &result : all.texts) {
    json.beginObject();
    addTexts(json, result);
    json.endObject();
  }
  json.endArray();
  endJson(json);
}

/// Each line is a message; the states keep what was said before.
void GenerateRun::converse() {
  if (rankTransport())
    throw UserError("a conversation reads standard input, which the processes of a mesh do not "
                    "share: expected --prompt, or --devices");
  const bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  for (std::string line;;) {
    if (asks)
      fmt::print(stderr, "> ");
    if (!std::getline(std::cin, line))
      break;
    if (line.empty())
      continue;
    messages.push_back({"user", line});
    const std::vector<int32_t> ids = chatIds(messages);
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

void GenerateRun::generateOne(const std::vector<int32_t> &ids) {
  const Generated result = generate(ids, !options.restoreState.empty());
  if (options.json) {
    printJson(result);
    return;
  }
  if (!options.printIds && text && !result.text.ends_with('\n'))
    fmt::print("\n");
  fflush(stdout);
  printSpeed(result);
}

/// Texts of several prompts would be mixed: each is printed whole, in the order of the prompts.
void GenerateRun::generateAll(const std::vector<std::vector<int32_t>> &prompts) {
  if (!options.logits.empty())
    throw UserError(fmt::format("--logits: expected one prompt, found {}", prompts.size()));
  generation.reuse = !options.restoreState.empty();
  const GeneratedAll all =
      generator->runAll(prompts, generation, [&](size_t index, const Generated &result) {
        if (options.json)
          return;
        fmt::print("{}=== prompt {}{}\n", index ? "\n" : "", index + 1, titleOf(index));
        if (options.printIds || !text)
          for (int32_t token : result.tokens)
            show(token, "");
        else
          show(-1, result.text.ends_with('\n') ? result.text : result.text + "\n");
        fflush(stdout);
      });
  if (options.json) {
    printJson(all);
    return;
  }
  if (isLead())
    fmt::print(stderr,
               "{} prompts, {} at a time: {} token{} in {:.1f} ms ({:.0f} tokens/s); answers: {} "
               "token{} in {:.1f} ms ({:.1f} tokens/s in all)\n",
               prompts.size(), std::min<size_t>(prompts.size(), generator->sequences()), all.prompt,
               plural(all.prompt), all.promptMs, all.promptPerSecond(), all.tokens,
               plural(all.tokens), all.decodeMs, all.decodePerSecond());
}

/// The beginning of a prompt.
std::string GenerateRun::titleOf(size_t prompt) const {
  constexpr size_t kMost = 60;
  if (prompt >= options.prompts.size())
    return "";
  std::string line = options.prompts[prompt].substr(0, options.prompts[prompt].find('\n'));
  const bool isWhole = line.size() == options.prompts[prompt].size() && line.size() <= kMost;
  if (line.size() > kMost) {
    size_t end = kMost;
    while (end > 0 && (line[end] & 0xc0) == 0x80) // not in the middle of a character
      --end;
    line.resize(end);
  }
  return ": " + printable(line) + (isWhole ? "" : "...");
}

/// Ranks that sample differently, or different prompts, would answer with a mixture.
void GenerateRun::requireSameOnRanks(const std::vector<std::vector<int32_t>> &prompts) const {
  std::string ids;
  for (const std::vector<int32_t> &prompt : prompts)
    ids += fmt::format("{};", fmt::join(prompt, ","));
  ttrun::requireSameOnRanks("the tokens of the prompts", ids);
  ttrun::requireSameOnRanks("the options of sampling, such as --temperature, --seed and --stop-ids",
                            &generation.sampling, sizeof(generation.sampling));
  ttrun::requireSameOnRanks(
      "--tokens, --ahead and --by-steps",
      fmt::format("{} {} {}", options.tokens, options.ahead, options.bySteps));
}

void GenerateRun::run() {
  options.readFiles();
  if (options.chat && !options.system.empty())
    messages.push_back({"system", options.system});
  const std::vector<std::vector<int32_t>> prompts = promptIds();
  requireSameOnRanks(prompts);
  if (prompts.empty())
    converse();
  else if (prompts.size() == 1)
    generateOne(prompts[0]);
  else
    generateAll(prompts);
  if (!options.logits.empty() && isLead())
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
      "GGUF file (docs/generation.md). Text goes to standard output as it is generated, and the "
      "speed to\n"
      "standard error.",
      "  ttrun generate smollm2.ttcb --prompt 'Once upon a time' --tokens 64\n"
      "  ttrun generate smollm2.ttcb --chat --prompt 'Why is the sky blue?'\n"
      "  ttrun generate smollm2.ttcb --chat --temperature 0.7 --top-p 0.9 --seed 1\n"
      "  ttrun generate smollm2.ttcb --prompt 'A cat' --prompt 'A dog' --tokens 64\n"
      "  mpirun -n 3 ttrun generate smollm2-x3.ttcb --prompt 'Once upon a time'\n");
  GenerateOptions options;
  options.declare(parser);
  const std::string path = parser.parseBundle(argc, argv);
  options.check();
  GenerateRun(path, options).run();
  return 0;
}

} // namespace ttrun
