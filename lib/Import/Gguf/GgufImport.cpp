// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/GgufImport.h"

#include "GgufGraph.h"
#include "GgufTokenizer.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::ttc;

/// What the bundle carries beside the functions.
static llvm::Error addMetadata(ModuleOp module, const GgufFile &file, const GgufModel &model) {
  Builder builder(module.getContext());
  SmallVector<NamedAttribute> metadata;
  auto add = [&](StringRef key, StringRef value) {
    metadata.push_back(builder.getNamedAttr(key, builder.getStringAttr(value)));
  };
  add("architecture", model.architecture->name);
  std::string problem;
  llvm::Expected<std::optional<std::string>> tokenizer =
      readTokenizer(file, model.vocabulary, problem);
  if (!tokenizer)
    return tokenizer.takeError();
  if (*tokenizer)
    add("tokenizer", **tokenizer);
  if (!problem.empty())
    emitWarning(module.getLoc()) << problem
                                 << (*tokenizer ? "" : ": the model will have no tokenizer");
  if (file.has("tokenizer.chat_template")) {
    llvm::Expected<StringRef> chat = file.getText("tokenizer.chat_template");
    if (!chat)
      return chat.takeError();
    add("chat_template", *chat);
  }
  add("vocabulary", llvm::utostr(model.vocabulary));
  module->setAttr(kMetadataAttrName, builder.getDictionaryAttr(metadata));
  return llvm::Error::success();
}

//===--- models in several files ----------------------------------------------------------===//

static constexpr StringLiteral kNumber = "split.no", kCount = "split.count",
                               kTensors = "split.tensors.count";
static constexpr int64_t kMostParts = 65535;

/// The end of a part's name: "-00001-of-00003.gguf".
static std::string getEnding(int64_t part, int64_t count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "-%05lld-of-%05lld.gguf", static_cast<long long>(part + 1), static_cast<long long>(count));
  return text;
}

/// Fails unless the file says that it is this part.
static llvm::Error checkPart(const GgufFile &file, StringRef path, int64_t part, int64_t count) {
  for (auto [key, expected] : {std::pair(kCount, count), {kNumber, part}}) {
    llvm::Expected<int64_t> found = file.getInteger(key, 0, kMostParts);
    if (!found)
      return makeGgufError("'" + path + "': " + llvm::toString(found.takeError()));
    if (*found != expected)
      return makeGgufError("expected " + Twine(expected) + " as '" + key + "' of '" + path +
                           "', part " + Twine(part + 1) + " of " + Twine(count) + ", found " +
                           Twine(*found));
  }
  return llvm::Error::success();
}

/// Adds the tensors of the other files of a model, which are beside the first one at `path`:
/// `file` is the first one. Returns what keeps their bytes; null if there are none. They are
/// mapped, not read. Fails unless each file is there, says which one it is, and agrees with the
/// first one.
static llvm::Expected<std::shared_ptr<const void>> addOtherParts(GgufFile &file, StringRef path) {
  llvm::Expected<int64_t> count = file.getInteger(kCount, 0, kMostParts, 0);
  if (!count)
    return count.takeError();
  if (*count < 2)
    return nullptr;
  llvm::Expected<int64_t> number = file.getInteger(kNumber, 0, *count - 1);
  if (!number)
    return number.takeError();
  if (*number != 0)
    return makeGgufError("expected the first of " + Twine(*count) + " files, '..." +
                         getEnding(0, *count) + "', found number " + Twine(*number + 1) +
                         " ('split.no' is " + Twine(*number) + ")");
  StringRef stem = path;
  if (!stem.consume_back(getEnding(0, *count)))
    return makeGgufError("expected a name that ends with '" + getEnding(0, *count) +
                         "' for the first of " + Twine(*count) + " files ('split.count'), found '" +
                         path + "'");
  llvm::Expected<int64_t> tensors = file.getInteger(kTensors, 0, INT32_MAX);
  if (!tensors)
    return tensors.takeError();
  auto parts = std::make_shared<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>();
  for (int64_t part = 1; part < *count; ++part) {
    const std::string name = stem.str() + getEnding(part, *count);
    auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return makeGgufError("expected part " + Twine(part + 1) + " of " + Twine(*count) + ", '" +
                           name + "', found: " + buffer.getError().message());
    llvm::Expected<GgufFile> next = GgufFile::parse((*buffer)->getBuffer());
    if (!next)
      return makeGgufError("'" + name + "': " + llvm::toString(next.takeError()));
    if (llvm::Error error = checkPart(*next, name, part, *count))
      return std::move(error);
    if (llvm::Error error = file.add(std::move(*next)))
      return makeGgufError("'" + name + "': " + llvm::toString(std::move(error)));
    parts->push_back(std::move(*buffer));
  }
  if (file.getTensors().size() != static_cast<size_t>(*tensors))
    return makeGgufError("expected " + Twine(*tensors) + " tensors in all " + Twine(*count) +
                         " parts ('split.tensors.count'), found " +
                         Twine(file.getTensors().size()));
  return parts;
}

//===--- the importer ---------------------------------------------------------------------===//

OwningOpRef<ModuleOp> mlir::ttc::importGguf(const llvm::MemoryBuffer &buffer,
                                            std::shared_ptr<const void> owner, MLIRContext *context,
                                            const GgufImportOptions &given) {
  context->loadDialect<TtcDialect, func::FuncDialect>();
  const Location loc = FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0);
  auto fail = [&](llvm::Error error) {
    emitError(loc) << llvm::toString(std::move(error));
    return nullptr;
  };
  llvm::Expected<GgufFile> file = GgufFile::parse(buffer.getBuffer());
  if (!file)
    return fail(file.takeError());
  llvm::Expected<std::shared_ptr<const void>> parts =
      addOtherParts(*file, buffer.getBufferIdentifier());
  if (!parts)
    return fail(parts.takeError());
  if (owner && *parts)
    owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
        std::move(owner), *parts);
  llvm::Expected<GgufModel> model = GgufModel::read(*file);
  if (!model)
    return fail(model.takeError());
  GgufImportOptions options = given;
  constexpr int64_t kBlock = 32; // of --context
  const int64_t trained = model->mostPositions ? model->mostPositions : model->context;
  if (options.isContextDefault && trained >= kBlock && trained < options.context) {
    options.context = trained / kBlock * kBlock;
    llvm::erase_if(options.prefill, [&](int64_t tokens) { return tokens > options.context; });
  }
  if (model->context && options.context > model->context)
    emitWarning(loc) << "expected a context of at most " << model->context
                     << ", for which the model was trained, found " << options.context;
  if (model->architecture->ignoresWindow && model->window && options.context > model->window)
    emitWarning(loc) << "expected a context of at most " << model->window
                     << ", the window that the file states, found " << options.context
                     << ": all tokens will attend to all before them, as with llama.cpp";
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (llvm::Error error = addMetadata(*module, *file, *model))
    return fail(std::move(error));
  if (failed(buildDecoder(*module, *model, options, std::move(owner))) || failed(verify(*module)))
    return nullptr;
  return module;
}
