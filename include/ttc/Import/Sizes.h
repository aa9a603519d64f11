// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of dimensions that a model leaves open, for every kind of model.
#ifndef TTC_IMPORT_SIZES_H
#define TTC_IMPORT_SIZES_H

#include "ttc/Import/SizeHistogram.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ttc {

/// Sizes of a named dimension, any of which a run may have.
struct DimRange {
  /// From low to high, multiples of step.
  int64_t low = 1, high = 1, step = 1;
  /// The sizes that are compiled, ascending, if the user chose them. Without them, the compiler
  /// does.
  SmallVector<int64_t> buckets;
  /// Runs may have all other sizes up to high, too, if the model has a meaning for them.
  bool isOpen = false;
};

struct SizeOptions {
  /// Sizes of named dimensions, for all inputs that have them.
  llvm::StringMap<int64_t> dims;
  /// Names of dimensions that are others under another name, by these.
  llvm::StringMap<std::string> dimAliases;
  /// Named dimensions of more than one size, in the order of the command line.
  std::vector<std::pair<std::string, DimRange>> dimRanges;
  /// Requests for which the buckets of some of these dimensions are chosen, the file that they are
  /// from (empty: none), and the most variants. Columns with one size are in `dims`.
  SizeHistogram histogram;
  std::string histogramFile;
  int64_t variantLimit = 8;
};

/// Parses "sequence:128", "sequence:1..512", "height:64..640:32" (multiples of 32) or
/// "batch:1,2,4,8" and adds it to the options. Returns an error message, or an empty
/// string. "ids.1=mask.1:128" makes one
/// dimension of two, if all names after the first are axes of inputs (isAxisName()).
std::string addDim(StringRef text, SizeOptions &options);

/// Whether a name is like those of dimensions that have none in the model: "image.2".
bool isAxisName(StringRef name);

/// Reads the sizes of requests from a CSV file, and adds its dimensions; as addDim().
std::string addDimsFrom(StringRef file, SizeOptions &options);

/// Whether there are sizes for a dimension of this name.
bool isKnownDim(StringRef name, const SizeOptions &options);

/// The options for one of several models or entry points: `entry/name` is a dimension of that one
/// alone, and any other of all.
SizeOptions getSizesOf(const SizeOptions &all, ArrayRef<std::string> entries, StringRef entry);

/// Fails, with a message on stderr.
LogicalResult rejectOption(StringRef option, StringRef complaint);

/// Adds the values of an option to `options`, in order. Fails, with a message on stderr, if one is
/// wrong, as `add` says.
template <typename Options>
LogicalResult addTexts(StringRef option, ArrayRef<std::string> texts, Options &options,
                       std::string (*add)(StringRef, Options &)) {
  for (const std::string &text : texts)
    if (const std::string complaint = add(text, options); !complaint.empty())
      return rejectOption(option, complaint);
  return success();
}

/// Adds --dim, --dims-from and --variant-limit to the command line.
void registerSizeCLOptions();

/// Adds what the command line says. Fails, with a message on stderr, if a value is wrong.
LogicalResult readSizeOptionsFromCL(SizeOptions &options);

/// Whether the command line has any of these options.
bool hasSizeOptions();

} // namespace mlir::ttc

#endif // TTC_IMPORT_SIZES_H
