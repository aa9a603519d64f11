// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

static void collectNames(Location location, SmallVectorImpl<std::string> &names) {
  auto add = [&](std::string name) {
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  if (auto name = dyn_cast<NameLoc>(location)) {
    add(name.getName().str());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectNames(part, names);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectNames(call.getCallee(), names);
  } else if (auto file = dyn_cast<FileLineColLoc>(location); file && file.getLine() != 0) {
    add((llvm::sys::path::filename(file.getFilename()) + ":" + Twine(file.getLine())).str());
  }
}

std::string mlir::ttc::toText(Location location) {
  SmallVector<std::string> names;
  collectNames(location, names);
  return llvm::join(names, "+");
}

Location mlir::ttc::toLocation(StringRef text, MLIRContext *context) {
  if (text.empty())
    return UnknownLoc::get(context);
  return NameLoc::get(StringAttr::get(context, text));
}
