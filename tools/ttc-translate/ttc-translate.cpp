// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates between ONNX and GGUF models, ttc IR and bundles. Each library registers its own
// translations. This is not mlirTranslateMain(), which takes a single input file and truncates the
// output file before the translation has succeeded.
#include "OutputFile.h"
#include "ToolMain.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Driver/OnnxToBundle.h"
#include "ttc/Import/GgufImport.h"
#include "ttc/Import/OnnxImport.h"
#include "ttc/Import/StablehloImport.h"
#include "ttc/Support/CommandLine.h"
#include "ttc/Support/Nesting.h"
#include "ttc/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

/// A parser that can name the translation it has parsed.
struct NamedTranslationParser : TranslationParser {
  using TranslationParser::TranslationParser;
  StringRef nameOf(const Translation *translation) const {
    for (const auto &value : Values)
      if (value.V.getValue() == translation)
        return value.Name;
    return "";
  }
};

} // namespace

static int fail(const Twine &message) {
  ttc::printError(message);
  return 1;
}

static ttc::PendingFile openText(StringRef path, std::string &error) {
  std::unique_ptr<ttc::OutputFile> file = ttc::OutputFile::open(path, ttc::OutputKind::Text, error);
  ttc::OutputFile *kept = file.get();
  return {std::move(file), [kept](std::string &error) { return kept->keep(error); }};
}

/// A GGUF file is mapped, whatever its size. Texts need a zero after their end, so that some of
/// them are copied.
static std::unique_ptr<llvm::MemoryBuffer> openInput(StringRef path, StringRef translation,
                                                     std::string &error) {
  if (path == "-" || (translation != "import-gguf" && translation != ttc::kGgufToBundle))
    return openInputFile(path, &error);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (buffer)
    return std::move(*buffer);
  error = ("cannot open input file '" + path + "': " + buffer.getError().message()).str();
  return nullptr;
}

int ttcTranslateMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ttc::setUpCommandLine();
  ttc::registerImportOnnx();
  ttc::registerImportGguf();
  ttc::registerImportStablehlo();
  ttc::registerOnnxToBundle(openText);
  ttc::registerGgufToBundle(openText);
  ttc::registerMlirToBundle(openText);
  ttc::registerBundleTranslations();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::list<std::string> inputs(cl::Positional, cl::desc("<input files>"));
  cl::opt<std::string> output("o", cl::desc("Output file; - is standard output (default)"),
                              cl::value_desc("file"), cl::init("-"));
  cl::list<const Translation *, bool, NamedTranslationParser> translations(
      "", cl::desc("Translations"));
  cl::opt<bool> listOnnxOps("list-onnx-ops",
                            cl::desc("Print the supported ONNX ops (Markdown) and exit"));
  cl::opt<bool> listStablehloOps("list-stablehlo-ops",
                                 cl::desc("Print the supported StableHLO ops (Markdown) and exit"));
  ttc::parseCommandLine(argc, argv,
                        "Translates between ONNX, GGUF and StableHLO models, ttc IR and bundles\n");

  if (listOnnxOps || listStablehloOps) {
    std::string error;
    auto file = ttc::OutputFile::open(output, ttc::OutputKind::Text, error);
    if (!file)
      return fail(error);
    if (listOnnxOps)
      ttc::printOnnxOps(*file);
    else
      ttc::printStablehloOps(*file);
    return failed(file->keep(error)) ? fail(error) : 0;
  }
  if (translations.size() != 1)
    return fail("expected one translation (--onnx-to-bundle, ...; see --help), found " +
                Twine(translations.size()));
  const Translation &translation = *translations.front();
  StringRef name = translations.getParser().nameOf(&translation);
  if (inputs.empty())
    inputs.push_back("-");
  if (inputs.size() > 1 && !ttc::takesSeveralFiles(name))
    return fail("expected one input file for --" + name + ", found " + Twine(inputs.size()));
  if (failed(ttc::checkOptions(name)))
    return 1;
  // Bundles carry the names of source ops, which are locations in IR.
  ttc::printLocationsByDefault();

  DefaultTimingManager timings;
  applyDefaultTimingManagerCLOptions(timings);
  TimingScope timing = timings.getRootScope();
  std::string error;
  auto sources = std::make_shared<llvm::SourceMgr>();
  ttc::nameInput(llvm::join(inputs, ", "));
  for (const std::string &input : inputs) {
    std::unique_ptr<llvm::MemoryBuffer> buffer = openInput(input, name, error);
    if (!buffer)
      return fail(error);
    if (name == "ttc-to-bundle" || name == "import-stablehlo" || name == ttc::kMlirToBundle)
      if (std::string wrong = ttc::checkNesting(buffer->getBuffer(), input); !wrong.empty())
        return fail(wrong);
    sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  }
  std::unique_ptr<ttc::OutputFile> file = ttc::OutputFile::open(
      output, ttc::writesBundle(name) ? ttc::OutputKind::Binary : ttc::OutputKind::Text, error);
  if (!file)
    return fail(error);

  MLIRContext context;
  // The location of a diagnostic is enough: a node of a model, or a line of a file, which is shown.
  if (!cl::getRegisteredOptions()["mlir-print-op-on-diagnostic"]->getNumOccurrences())
    context.printOpOnDiagnostic(false);
  TimingScope scope = timing.nest(translation.getDescription());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  if (failed(translation(sources, *file, &context)))
    return 1;
  return failed(file->keep(error)) ? fail(error) : 0;
}
