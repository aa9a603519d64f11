// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The translation --import-gguf and its options.
#include "ttc/Import/GgufImport.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "ttc/Support/Printable.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ttc;
namespace cl = llvm::cl;

/// Caches are laid out in blocks of this many positions.
static constexpr int64_t kBlock = 32;
static constexpr int64_t kMostContext = int64_t(1) << 20, kMostPrefill = 4096, kMostSequences = 64;

namespace {
struct GgufCLOptions {
  cl::OptionCategory category{"Importing (--import-gguf, --gguf-to-bundle)"};
  cl::opt<int64_t> context{
      "context", cl::cat(category), cl::value_desc("tokens"), cl::init(GgufImportOptions().context),
      cl::desc("The most positions of a text: prompt and generated tokens together")};
  cl::opt<int64_t> sequences{
      "sequences", cl::cat(category), cl::value_desc("N"), cl::init(GgufImportOptions().sequences),
      cl::desc("Texts that are generated at the same time, each with caches of its own")};
  cl::list<int64_t> prefill{
      "prefill", cl::cat(category), cl::CommaSeparated, cl::value_desc("tokens,..."),
      cl::desc("Entry points for parts of a prompt of these numbers of tokens "
               "(default: 16,64,256); none: 0")};
  using Cache = GgufImportOptions::Cache;
  cl::opt<Cache> cache{
      "cache", cl::cat(category), cl::init(Cache::F16),
      cl::desc("What the caches of keys and values store (default: f16)"),
      cl::values(clEnumValN(Cache::F16, "f16", "16-bit floats"),
                 clEnumValN(Cache::F32, "f32", "32-bit floats"),
                 clEnumValN(Cache::Q8, "q8", "8-bit integers, by blocks of 32 with a scale"))};
  enum class Activations { Int8, F32 };
  cl::opt<Activations> activations{
      "activations", cl::cat(category), cl::init(Activations::Int8),
      cl::desc("What weights are multiplied by (default: int8)"),
      cl::values(clEnumValN(Activations::Int8, "int8", "8-bit integers, by blocks of 32"),
                 clEnumValN(Activations::F32, "f32", "32-bit floats"))};
  cl::opt<bool> logits{"logits", cl::cat(category),
                       cl::desc("decode has the logits as a second output")};
};
} // namespace

static llvm::ManagedStatic<GgufCLOptions> clOptions;

void mlir::ttc::registerGgufImportCLOptions() { *clOptions; }

FailureOr<GgufImportOptions> mlir::ttc::getGgufImportOptionsFromCL() {
  GgufImportOptions options;
  if (!clOptions.isConstructed())
    return options;
  auto complain = [](const Twine &message) {
    printError(message);
    return failure();
  };
  options.context = clOptions->context;
  options.isContextDefault = clOptions->context.getNumOccurrences() == 0;
  options.sequences = clOptions->sequences;
  options.cache = clOptions->cache;
  options.activationsAreInt8 = clOptions->activations == GgufCLOptions::Activations::Int8;
  options.hasLogits = clOptions->logits;
  if (options.context < kBlock || options.context > kMostContext || options.context % kBlock != 0)
    return complain("--context: expected a multiple of " + Twine(kBlock) + " up to " +
                    Twine(kMostContext) + ", found " + Twine(options.context));
  if (options.sequences < 1 || options.sequences > kMostSequences)
    return complain("--sequences: expected a number from 1 to " + Twine(kMostSequences) +
                    ", found " + Twine(options.sequences));
  if (clOptions->prefill.getNumOccurrences())
    options.prefill.assign(clOptions->prefill.begin(), clOptions->prefill.end());
  if (options.prefill.size() == 1 && options.prefill[0] == 0)
    options.prefill.clear();
  llvm::sort(options.prefill);
  for (auto [i, tokens] : llvm::enumerate(options.prefill)) {
    if (tokens < 1 || tokens > kMostPrefill)
      return complain("--prefill: expected numbers from 1 to " + Twine(kMostPrefill) + ", found " +
                      Twine(tokens));
    if (i && tokens == options.prefill[i - 1])
      return complain("--prefill: expected different numbers, found " + Twine(tokens) + " twice");
  }
  // Parts of a prompt that are longer than the context have no use.
  if (!clOptions->prefill.getNumOccurrences())
    llvm::erase_if(options.prefill, [&](int64_t tokens) { return tokens > options.context; });
  if (!options.prefill.empty() && options.prefill.back() > options.context)
    return complain("--prefill: expected numbers up to --context, " + Twine(options.context) +
                    ", found " + Twine(options.prefill.back()));
  return options;
}

bool mlir::ttc::hasGgufImportOptions() {
  if (!clOptions.isConstructed())
    return false;
  return llvm::any_of(cl::getRegisteredOptions(), [](auto &entry) {
    return entry.second->getNumOccurrences() &&
           llvm::is_contained(entry.second->Categories, &clOptions->category);
  });
}

void mlir::ttc::registerImportGguf() {
  registerGgufImportCLOptions();
  TranslateToMLIRRegistration registration(
      "import-gguf", "import a GGUF decoder as ttc ops on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        FailureOr<GgufImportOptions> options = getGgufImportOptionsFromCL();
        if (failed(options))
          return nullptr;
        ModelDiagnostics diagnostics(context);
        return importGguf(*sources->getMemoryBuffer(sources->getMainFileID()), sources, context,
                          *options);
      },
      [](DialectRegistry &registry) { registry.insert<TtcDialect, func::FuncDialect>(); });
}
