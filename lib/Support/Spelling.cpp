// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// `Options`: a command of another name, with the same options.
enum class Caller { CommandLine, Options, Python, Ttrun };

struct SpellingOptions {
  llvm::cl::opt<Caller> caller{"caller", llvm::cl::ReallyHidden,
                               llvm::cl::init(Caller::CommandLine),
                               llvm::cl::values(clEnumValN(Caller::CommandLine, "command-line", ""),
                                                clEnumValN(Caller::Options, "options", ""),
                                                clEnumValN(Caller::Python, "python", ""),
                                                clEnumValN(Caller::Ttrun, "ttrun", ""))};
  std::vector<std::string> command;
};

/// Options that are arguments of their own in Python.
struct Argument {
  StringLiteral option, argument;
};
constexpr Argument kArguments[] = {{"dim", "dims"},
                                   {"dims-from", "dims_from"},
                                   {"entry", "entries"},
                                   {"input-shape", "inputs"},
                                   {"target", "target"}};

} // namespace

static llvm::ManagedStatic<SpellingOptions> spelling;

static Caller getCaller() {
  return spelling.isConstructed() ? spelling->caller.getValue() : Caller::CommandLine;
}

static StringRef findArgument(StringRef option) {
  for (const Argument &known : kArguments)
    if (known.option == option)
      return known.argument;
  return "";
}

void mlir::ttc::registerSpelling() { *spelling; }

void mlir::ttc::setCommand(ArrayRef<const char *> words) {
  spelling->command.assign(words.begin(), words.end());
}

/// A word of a shell's command line.
static std::string quoteWord(StringRef word) {
  const bool isPlain = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || StringRef("-_=./:,+@%").contains(c);
  });
  if (isPlain)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// A string of Python.
static std::string quoteString(StringRef text) {
  std::string quoted = "\"";
  for (char c : text)
    quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "\"";
}

/// (1, 3) for 1x3
static std::string toTuple(StringRef shape) {
  SmallVector<StringRef> sizes;
  shape.split(sizes, 'x', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return "(" + llvm::join(sizes, ", ") + (sizes.size() == 1 ? ",)" : ")");
}

/// 128, or (1, 128) for 1..128
static std::string toSizes(StringRef value) {
  const auto [low, high] = value.split("..");
  return high.empty() ? value.str() : ("(" + low + ", " + high + ")").str();
}

static std::string toOption(const Setting &setting) {
  return "--" + setting.option + "=" + setting.name + ":" + setting.value;
}

static std::string spellPython(ArrayRef<Setting> settings) {
  SmallVector<std::string> dims, inputs, others, arguments;
  for (const Setting &setting : settings) {
    if (setting.option == "dim")
      dims.push_back(quoteString(setting.name) + ": " + toSizes(setting.value));
    else if (setting.option == "input-shape")
      inputs.push_back(quoteString(setting.name) + ": " + toTuple(setting.value));
    else
      others.push_back(quoteString(toOption(setting)));
  }
  if (!dims.empty())
    arguments.push_back("dims={" + llvm::join(dims, ", ") + "}");
  if (!inputs.empty())
    arguments.push_back("inputs={" + llvm::join(inputs, ", ") + "}");
  if (!others.empty())
    arguments.push_back("options=[" + llvm::join(others, ", ") + "]");
  return llvm::join(arguments, ", ");
}

std::string mlir::ttc::spell(StringRef option) {
  const StringRef argument = findArgument(option);
  return getCaller() == Caller::Python && !argument.empty() ? argument.str() : "--" + option.str();
}

std::string mlir::ttc::spell(ArrayRef<Setting> settings) {
  if (getCaller() == Caller::Python)
    return spellPython(settings);
  const StringRef before = getCaller() == Caller::Ttrun ? "--compile=" : "";
  return llvm::join(llvm::map_range(settings,
                                    [&](const Setting &setting) {
                                      return quoteWord(before.str() + toOption(setting));
                                    }),
                    " ");
}

/// The words that stand for a command line which `ttc` has passed on.
static SmallVector<std::string> getCommand() {
  // `ttc` adds the translation for the kind of the model.
  const auto isTranslation = [](StringRef word) {
    return word == "--onnx-to-bundle" || word == "--mlir-to-bundle";
  };
  const bool isCompile = llvm::any_of(spelling->command, isTranslation);
  SmallVector<std::string> command = {isCompile ? "ttc" : "ttc-translate"};
  StringRef model, output;
  bool isOutput = false;
  for (StringRef word : spelling->command) {
    if (isOutput)
      output = word;
    else if (word != "-o" && !isTranslation(word))
      command.push_back(quoteWord(word));
    if (!isOutput && model.empty() && !word.starts_with("-"))
      model = word;
    isOutput = !isOutput && word == "-o";
  }
  // `ttc` adds this one.
  SmallString<128> byDefault = llvm::sys::path::filename(model);
  llvm::sys::path::replace_extension(byDefault, ".ttcb");
  if (!output.empty() && !(isCompile && output == byDefault))
    command.append({"-o", quoteWord(output)});
  return command;
}

std::string mlir::ttc::proposeCommand(ArrayRef<Setting> settings) {
  const std::string added = spell(settings);
  if (getCaller() == Caller::Python)
    return "ttc.compile(model, " + added + ")";
  if (getCaller() != Caller::CommandLine || !spelling.isConstructed() || spelling->command.empty())
    return added;
  return llvm::join(getCommand(), " ") + " " + added;
}
