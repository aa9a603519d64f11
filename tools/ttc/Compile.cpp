// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `ttc compile`: chooses the tools and their options by the kind of the model.
#include "Compile.h"
#include "Process.h"
#include "Support/FileNames.h"
#include "ttrt/format/utf8.h"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>

using namespace ttc;

static constexpr std::string_view kHelp = R"(usage: ttc [compile] MODEL... [-o BUNDLE] [options]

Compiles models to one trace bundle: ONNX models, a decoder in a GGUF file, or a module of MLIR with
functions of ttc, TOSA or StableHLO ops on tensors. Nothing is written unless everything succeeds.

options:
  -o BUNDLE                       the bundle to write; - is standard output
                                  (default: the model's name with .ttcb, in this folder)
  --help                          this text

All other options are passed on, to ttc-translate --onnx-to-bundle, --gguf-to-bundle or --mlir-to-bundle.
They need the form --name=value. 'ttc translate --help' lists them.

examples:
  ttc resnet50.onnx
  ttc compile resnet50.onnx --target=wormhole_n150 -o chip.ttcb
  ttc compile prefill.onnx decode.onnx --entry=prefill,decode -o decoder.ttcb
  ttc compile model.gguf --context=4096
  ttc compile encoder.onnx --dim=batch:1..8 --dim=sequence:1..512
  ttc compile model.mlir --dim=input0.0:1..8
)";

static bool isMlir(std::string_view file) { return hasExtension(file, ".mlir"); }
static bool isGguf(std::string_view file) { return hasExtension(file, ".gguf"); }

bool ttc::isModel(std::string_view file) {
  return hasExtension(file, ".onnx") || isGguf(file) || isMlir(file);
}

namespace {
struct CompileArguments {
  std::vector<std::string> models, options;
  std::string output;
  bool help = false;
};
} // namespace

static int fail(std::string_view message) {
  fmt::print(stderr, "ttc compile: error: {}\n", ttrt::printable(message));
  return 2;
}

/// Splits the command line; returns what is wrong with it, or nothing.
static std::string parse(const std::vector<std::string> &arguments, CompileArguments &parsed) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      parsed.help = true;
    } else if (argument == "-o") {
      if (i + 1 == arguments.size())
        return "expected a file after -o";
      if ((parsed.output = arguments[++i]).empty())
        return "expected a file after -o, found an empty name";
    } else if (argument.rfind("-o=", 0) == 0) {
      if ((parsed.output = argument.substr(3)).empty())
        return "expected a file after -o=, found an empty name";
    } else if (argument.size() > 1 && argument[0] == '-') {
      parsed.options.push_back(argument);
    } else {
      parsed.models.push_back(argument);
    }
  }
  if (parsed.help)
    return "";
  if (parsed.models.empty())
    return "expected a model (.onnx, .gguf or .mlir), found none";
  for (const std::string &model : parsed.models)
    if (!isModel(model))
      return fmt::format(
          "expected a model (.onnx, .gguf or .mlir), found '{}'{}", model,
          parsed.options.empty() ? "" : "; if it is the value of an option, write --name=value");
  for (const std::string &model : parsed.models)
    if ((isMlir(model) || isGguf(model)) && parsed.models.size() > 1)
      return fmt::format(
          "expected ONNX models, or one model of another kind; found '{}' and {} more", model,
          parsed.models.size() - 1);
  if (parsed.output.empty()) {
    if (parsed.models.size() > 1)
      return fmt::format("expected -o BUNDLE, because there are {} models", parsed.models.size());
    parsed.output =
        std::filesystem::path(parsed.models[0]).filename().replace_extension(".ttcb").string();
  }
  return "";
}

int ttc::compile(const std::vector<std::string> &arguments) {
  CompileArguments parsed;
  if (std::string wrong = parse(arguments, parsed); !wrong.empty())
    return fail(wrong);
  if (parsed.help) {
    fmt::print("{}", kHelp);
    return 0;
  }
  const std::string &model = parsed.models[0];
  // Options are last: one that lacks its value would take the next word.
  std::vector<std::string> all = {isGguf(model)   ? "--gguf-to-bundle"
                                  : isMlir(model) ? "--mlir-to-bundle"
                                                  : "--onnx-to-bundle",
                                  "-o", parsed.output};
  all.insert(all.end(), parsed.models.begin(), parsed.models.end());
  all.insert(all.end(), parsed.options.begin(), parsed.options.end());
  return replaceBy("ttc-translate", all);
}
