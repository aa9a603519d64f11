// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/GgufImport.h"

#include "GgufGraph.h"
#include "GgufTokenizer.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

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
  else if (!problem.empty())
    emitWarning(module.getLoc()) << problem << ": the model will have no tokenizer";
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

OwningOpRef<ModuleOp> mlir::ttc::importGguf(const llvm::MemoryBuffer &buffer,
                                            std::shared_ptr<const void> owner, MLIRContext *context,
                                            const GgufImportOptions &options) {
  context->loadDialect<TtcDialect, func::FuncDialect>();
  const Location loc = FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0);
  auto fail = [&](llvm::Error error) {
    emitError(loc) << llvm::toString(std::move(error));
    return nullptr;
  };
  llvm::Expected<GgufFile> file = GgufFile::parse(buffer.getBuffer());
  if (!file)
    return fail(file.takeError());
  llvm::Expected<GgufModel> model = GgufModel::read(*file);
  if (!model)
    return fail(model.takeError());
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
