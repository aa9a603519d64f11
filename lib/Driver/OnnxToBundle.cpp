// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModelToBundle.h"
#include "Variants.h"
#include "dialects/Ttc/TtcDialect.h"
#include "ttc/Import/GgufImport.h"
#include "ttc/Import/OnnxImport.h"
#include "ttc/Support/Printable.h"
#include "ttc/Support/Spelling.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;
using namespace mlir::ttc;
namespace cl = llvm::cl;

namespace {

/// What compiling several models needs in addition.
struct OnnxOptions {
  cl::list<std::string> entries{
      "entry", cl::cat(getCompileOptions().category), cl::CommaSeparated,
      cl::value_desc("name,..."),
      cl::desc("Names of the entry points, one for each ONNX model (default: main)")};
};

} // namespace

static llvm::ManagedStatic<OnnxOptions> onnxOptions;

/// The entry points' names; nothing, with a message, where they do not fit the models.
static FailureOr<SmallVector<std::string>> getEntryNames(size_t models) {
  SmallVector<std::string> names(onnxOptions->entries.begin(), onnxOptions->entries.end());
  if (names.empty() && models == 1)
    names.push_back("main");
  if (names.size() != models) {
    llvm::errs() << "error: expected " << spell("entry") << " with one name per model, found "
                 << names.size() << (names.size() == 1 ? " name" : " names") << " and " << models
                 << (models == 1 ? " model\n" : " models\n");
    return failure();
  }
  llvm::StringSet<> seen;
  for (const std::string &name : names)
    if (name.empty() || !seen.insert(name).second) {
      printError("expected entry points of different names, found '" + name + "' " +
                 (name.empty() ? "as one" : "twice"));
      return failure();
    }
  return names;
}

/// The options for one of the models: of several, `entry/input` is a shape or a value for that
/// entry point alone, and any other for all.
static OnnxImportOptions getOptionsOf(const OnnxImportOptions &all, ArrayRef<std::string> names,
                                      StringRef name) {
  OnnxImportOptions options = all;
  options.functionName = name.str();
  static_cast<SizeOptions &>(options) = getSizesOf(all, names, name);
  if (names.size() == 1)
    return options;
  options.prefix = (name + "/").str();
  auto keepOwn = [&](const auto &all, auto &own) {
    for (const auto &given : all) {
      auto [entry, input] = given.getKey().split('/');
      if (input.empty() || !llvm::is_contained(names, entry))
        continue;
      own.erase(given.getKey());
      if (entry == name)
        own[input] = given.getValue();
    }
  };
  keepOwn(all.inputShapes, options.inputShapes);
  keepOwn(all.inputValues, options.inputValues);
  keepOwn(all.valueShapes, options.valueShapes);
  keepOwn(all.hostResults, options.hostResults);
  return options;
}

static OwningOpRef<ModuleOp> importOnnxVariants(const llvm::MemoryBuffer &model,
                                                MLIRContext *context,
                                                const OnnxImportOptions &options) {
  if (options.keepsValues) {
    emitError(UnknownLoc::get(context))
        << "--keep-values: expected one size for each --dim, found several for '"
        << options.dimRanges.front().first << "'";
    return nullptr;
  }
  return importVariants(options.functionName, options, context,
                        [&](ArrayRef<std::pair<std::string, int64_t>> sizes, StringRef name,
                            const llvm::DenseSet<Location> &unfolded) {
                          OnnxImportOptions own = options;
                          own.unfolded = &unfolded;
                          own.dimRanges.clear();
                          own.isOneOfSeveralSizes = true;
                          own.functionName = name.str();
                          for (const auto &[dim, size] : sizes)
                            own.dims[dim] = size;
                          return importOnnx(model, context, own);
                        });
}

/// All models as functions of one module, so that they share weights and are planned together.
static OwningOpRef<ModuleOp> importModels(const std::shared_ptr<llvm::SourceMgr> &sources,
                                          MLIRContext *context) {
  FailureOr<OnnxImportOptions> options = getOnnxImportOptionsFromCL();
  FailureOr<SmallVector<std::string>> names = getEntryNames(sources->getNumBuffers());
  if (failed(options) || failed(names))
    return nullptr;
  for (const std::string &name : *names)
    if (options->keepsValues && llvm::is_contained(*names, name + ".values")) {
      printError("--keep-values makes the entry point '" + name +
                 ".values', found a model of this name");
      return nullptr;
    }
  llvm::StringMap<ElementsAttr> constants;
  options->constants = &constants;
  options->isDivided = !getCompileOptions().pipeline.takesLoops();
  OwningOpRef<ModuleOp> module;
  for (auto [index, name] : llvm::enumerate(*names)) {
    const OnnxImportOptions own = getOptionsOf(*options, *names, name);
    const llvm::MemoryBuffer &model = *sources->getMemoryBuffer(index + 1);
    OwningOpRef<ModuleOp> next = own.dimRanges.empty() ? importOnnx(model, context, own)
                                                       : importOnnxVariants(model, context, own);
    if (!next)
      return nullptr;
    if (module)
      appendModule(*module, *next);
    else
      module = std::move(next);
  }
  return module;
}

bool mlir::ttc::takesSeveralFiles(StringRef translation) { return translation == kOnnxToBundle; }

LogicalResult mlir::ttc::checkOptions(StringRef translation) {
  const bool isOnnx = translation == kOnnxToBundle, isGguf = translation == kGgufToBundle,
             isMlir = translation == kMlirToBundle;
  if (!isOnnx && !isMlir && translation != "import-onnx" && hasSizeOptions()) {
    llvm::errs() << "error: --dim, --dims-from and --variant-limit are options of --import-onnx, --"
                 << kOnnxToBundle << " and --" << kMlirToBundle << ", found one with --"
                 << translation << "\n";
    return failure();
  }
  if (!isOnnx && translation != "import-onnx" && hasOnnxImportOptions()) {
    llvm::errs() << "error: --input-shape, --input-value, --value-shape, --host-ops, "
                    "--host-result, --keep-values and --node-limit are options of --import-onnx "
                    "and --"
                 << kOnnxToBundle << ", found one with --" << translation << "\n";
    return failure();
  }
  if (!isGguf && translation != "import-gguf" && hasGgufImportOptions()) {
    llvm::errs() << "error: --context, --sequences, --prefill, --cache, --activations and --logits "
                    "are options "
                    "of --import-gguf and --"
                 << kGgufToBundle << ", found one with --" << translation << "\n";
    return failure();
  }
  if (!isOnnx && onnxOptions->entries.getNumOccurrences()) {
    llvm::errs() << "error: --entry is an option of --" << kOnnxToBundle << ", found it with --"
                 << translation << "\n";
    return failure();
  }
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (!isOnnx && !isGguf && !isMlir && option->getNumOccurrences() &&
        llvm::is_contained(option->Categories, &getCompileOptions().category)) {
      llvm::errs() << "error: --" << name << " is an option of --" << kOnnxToBundle << ", --"
                   << kGgufToBundle << " and --" << kMlirToBundle << ", found it with --"
                   << translation << "\n";
      return failure();
    }
  return success();
}

void mlir::ttc::registerOnnxToBundle(FileOpener openFile) {
  *onnxOptions;
  registerOnnxImportCLOptions();
  registerModelToBundle(kOnnxToBundle,
                        "ONNX models as a trace bundle: import, compile, plan, write", openFile,
                        importModels);
}
