// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options in messages, as the caller of the compiler writes them: on a command line, as arguments
// of ttc.compile() in Python, or as --compile=OPTION of ttrun.
#ifndef TTC_SUPPORT_SPELLING_H
#define TTC_SUPPORT_SPELLING_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::ttc {

/// An option with the form --option=name:value.
struct Setting {
  std::string option; ///< without dashes: "input-shape"
  std::string name;   ///< "image"
  std::string value;  ///< "1x3x224x224"
};

/// Adds --caller, which says how to spell options, to the command line.
void registerSpelling();

/// The words of the command line, without that of the program, for proposeCommand().
void setCommand(ArrayRef<const char *> words);

/// "--input-shape", or "inputs", which is its argument in Python.
std::string spell(StringRef option);
/// "--dim=batch:1 --input-shape=image:1x3x224x224", or for Python
/// dims={"batch": 1}, inputs={"image": (1, 3, 224, 224)}
std::string spell(ArrayRef<Setting> settings);

/// The command line, or the call, with these settings in addition.
std::string proposeCommand(ArrayRef<Setting> settings);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_SPELLING_H
