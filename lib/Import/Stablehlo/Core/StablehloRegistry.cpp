// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StablehloRegistry.h"

#include "ttc/Import/StablehloImport.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

const StablehloRegistry &StablehloRegistry::get() {
  static const StablehloRegistry registry = [] {
    StablehloRegistry ops;
    registerStablehloComplexOps(ops);
    registerStablehloConstantOps(ops);
    registerStablehloControlFlowOps(ops);
    registerStablehloElementwiseOps(ops);
    registerStablehloMovementOps(ops);
    registerStablehloTypeOps(ops);
    return ops;
  }();
  return registry;
}

SmallVector<StringRef> StablehloRegistry::names() const {
  SmallVector<StringRef> names =
      llvm::map_to_vector(entries.keys(), [](StringRef key) { return key; });
  llvm::sort(names);
  return names;
}

std::string mlir::ttc::printStablehloOps() {
  const StablehloRegistry &registry = StablehloRegistry::get();
  std::string text;
  for (StringRef name : registry.names()) {
    const StablehloOpEntry &entry = *registry.lookup(name);
    text += "| `" + name.str() + "` | " + (entry.onComplex == OnComplex::Refused ? "" : "yes") +
            " | " + entry.restrictions.str() + " |\n";
  }
  return text;
}
