// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of ttc, TOSA and StableHLO ops on tensors. Dimensions of arguments that are open (`?`)
// get sizes: one each, or ranges, for which a function becomes variants.
#include "ModelToBundle.h"
#include "Variants.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Conversion/Passes.h"
#include "ttc/Import/StablehloImport.h"
#include "ttc/Support/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::ttc;

/// The name of an open dimension: that of the input as the bundle has it, and the axis.
static std::string getAxisName(func::FuncOp function, unsigned input, int64_t axis) {
  auto name = function.getArgAttrOfType<StringAttr>(input, kNameAttrName);
  return (name ? name.str() : "input" + std::to_string(input)) + "." + std::to_string(axis);
}

/// Calls the function for each open dimension of the arguments.
static void forEachOpenDim(func::FuncOp function,
                           llvm::function_ref<void(unsigned input, int64_t axis)> visit) {
  for (auto [input, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t axis = 0; axis < tensor.getRank(); ++axis)
        if (tensor.isDynamicDim(axis))
          visit(input, axis);
}

static bool isOpen(func::FuncOp function) {
  bool found = false;
  forEachOpenDim(function, [&](unsigned, int64_t) { found = true; });
  return found;
}

/// The name of a dimension that several axes may share.
static std::string resolve(const std::string &axis, const SizeOptions &options) {
  auto alias = options.dimAliases.find(axis);
  return alias == options.dimAliases.end() ? axis : alias->second;
}

static LogicalResult convertToTtc(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(createConvertTosaToTtc());
  return manager.run(module);
}

/// TOSA's inference gives the results of ops their shapes, and casts them back for users that are
/// no ops of TOSA, such as the return.
static LogicalResult inferShapes(func::FuncOp function) {
  PassManager manager(function.getContext(), func::FuncOp::getOperationName());
  manager.addPass(tosa::createTosaInferShapesPass());
  if (failed(manager.run(function)))
    return failure();
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (auto cast = result.get().getDefiningOp<tensor::CastOp>()) {
      result.set(cast.getSource());
      if (cast->use_empty())
        cast.erase();
    }
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                             end->getOperandTypes()));
  return success();
}

/// One function of the module, alone, with these sizes.
static OwningOpRef<ModuleOp> specialize(ModuleOp module, StringRef entry, StringRef name,
                                        const llvm::StringMap<int64_t> &sizes,
                                        const SizeOptions &options) {
  OwningOpRef<ModuleOp> alone = module.clone();
  for (auto function : llvm::make_early_inc_range(alone->getOps<func::FuncOp>()))
    if (function.getName() != entry)
      function.erase();
  func::FuncOp function = *alone->getOps<func::FuncOp>().begin();
  function.setName(name);
  SmallVector<Type> types(function.getArgumentTypes());
  forEachOpenDim(function, [&](unsigned input, int64_t axis) {
    auto type = cast<RankedTensorType>(types[input]);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = sizes.lookup(resolve(getAxisName(function, input, axis), options));
    types[input] = type.clone(shape);
  });
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), types))
    argument.setType(type);
  function.setFunctionType(
      FunctionType::get(module.getContext(), types, function.getResultTypes()));
  if (failed(inferShapes(function)) || failed(convertToTtc(*alone)))
    return nullptr;
  return alone;
}

/// Without calls: shapes are inferred within a function.
static LogicalResult inlineCalls(ModuleOp module) {
  if (module.walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
    PassManager manager(module.getContext());
    manager.addPass(createInlinerPass());
    if (failed(manager.run(module)))
      return failure();
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  return success();
}

/// The sizes of a function's dimensions. Fails if an open dimension has none.
static FailureOr<SizeOptions> getOwnSizes(func::FuncOp function, const SizeOptions &given,
                                          ArrayRef<std::string> entries,
                                          std::set<std::string> &unknown) {
  SizeOptions options = getSizesOf(given, entries, function.getName());
  llvm::SmallVector<std::string> open;
  forEachOpenDim(function, [&](unsigned input, int64_t axis) {
    const std::string own = getAxisName(function, input, axis);
    if (std::string name = resolve(own, options); !llvm::is_contained(open, name))
      open.push_back(name);
    unknown.erase(own);
  });
  SmallVector<std::string> missing;
  for (const std::string &name : open) {
    unknown.erase(name);
    if (!isKnownDim(name, options))
      missing.push_back(name);
  }
  llvm::erase_if(options.dimRanges,
                 [&](const auto &named) { return !llvm::is_contained(open, named.first); });
  if (missing.empty())
    return options;
  SmallVector<Setting> settings;
  for (const std::string &name : missing)
    settings.push_back({"dim", name, "1"});
  InFlightDiagnostic error =
      function.emitError() << "function '" << function.getName()
                           << "' has open dimensions without a size: " << llvm::join(missing, ", ");
  error.attachNote() << "this sets them: " << proposeCommand(settings)
                     << "; with ranges, such as 1..8, all sizes of them (docs/shapes.md)";
  return failure();
}

/// Names for which there are sizes, and which no function has yet.
static std::set<std::string> getNames(const SizeOptions &given, ArrayRef<std::string> entries) {
  std::set<std::string> names;
  for (const std::string &entry : entries) {
    const SizeOptions own = getSizesOf(given, entries, entry);
    for (const auto &dim : own.dims)
      names.insert(dim.getKey().str());
    for (const auto &alias : own.dimAliases)
      names.insert(alias.getKey().str());
    for (const auto &[name, range] : own.dimRanges)
      names.insert(name);
  }
  return names;
}

static OwningOpRef<ModuleOp> importOpen(ModuleOp module, const SizeOptions &given) {
  if (failed(inlineCalls(module)))
    return nullptr;
  SmallVector<std::string> entries;
  for (auto function : module.getOps<func::FuncOp>())
    entries.push_back(function.getName().str());
  std::set<std::string> unknown = getNames(given, entries);
  OwningOpRef<ModuleOp> result;
  for (auto function : module.getOps<func::FuncOp>()) {
    const StringRef name = function.getName();
    FailureOr<SizeOptions> options = getOwnSizes(function, given, entries, unknown);
    if (failed(options))
      return nullptr;
    auto importAt = [&](ArrayRef<std::pair<std::string, int64_t>> sizes, StringRef variant,
                        const llvm::DenseSet<Location> &) {
      llvm::StringMap<int64_t> all = options->dims;
      for (const auto &[dim, size] : sizes)
        all[dim] = size;
      return specialize(module, name, variant, all, *options);
    };
    OwningOpRef<ModuleOp> next =
        options->dimRanges.empty() ? importAt({}, name, {})
                                   : importVariants(name, *options, module.getContext(), importAt);
    if (!next)
      return nullptr;
    if (result)
      appendModule(*result, *next);
    else
      result = std::move(next);
  }
  if (entries.empty()) {
    module.emitError("expected a function, found none");
    return nullptr;
  }
  if (!unknown.empty()) {
    module.emitError() << spell("dim") << " names '" << *unknown.begin()
                       << "', which is no open dimension of a function's arguments";
    return nullptr;
  }
  return result;
}

static OwningOpRef<ModuleOp> importModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                                          MLIRContext *context) {
  SizeOptions options;
  if (failed(readSizeOptionsFromCL(options)))
    return nullptr;
  DialectRegistry registry;
  func::registerInlinerExtension(registry);
  context->appendDialectRegistry(registry);
  const bool isHlo = isStablehlo(sources->getMemoryBuffer(sources->getMainFileID())->getBuffer());
  OwningOpRef<ModuleOp> module =
      isHlo ? parseStablehlo(sources, context) : parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    return nullptr;
  if (hasSizeOptions() || llvm::any_of(module->getOps<func::FuncOp>(), isOpen))
    return importOpen(*module, options);
  return failed(convertToTtc(*module)) ? OwningOpRef<ModuleOp>() : std::move(module);
}

void mlir::ttc::registerMlirToBundle(FileOpener openFile) {
  registerSizeCLOptions();
  registerModelToBundle(kMlirToBundle,
                        "a module of ttc, TOSA or StableHLO ops on tensors as a trace bundle",
                        openFile, importModule);
}
