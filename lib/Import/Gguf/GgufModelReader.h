// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a GgufModel: sizes and tensors (GgufModel.cpp), rotary embedding and windows
// (GgufRotary.cpp), experts (GgufExperts.cpp); and refuses keys that it does not read
// (GgufModelKeys.cpp).
#ifndef TTC_LIB_IMPORT_GGUF_GGUFMODELREADER_H
#define TTC_LIB_IMPORT_GGUF_GGUFMODELREADER_H

#include "GgufModel.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::ttc {

inline constexpr int64_t kMostGgufWidth = 1 << 24;

class GgufModelReader {
public:
  explicit GgufModelReader(const GgufFile &file) : file(file) {}

  llvm::Error read(GgufModel &model);

private:
  std::string key(StringRef name) const { return (architecture + "." + name).str(); }
  /// An integer in [least, most]. Without a fallback, the key must be there.
  llvm::Error readSize(int64_t &size, StringRef name, int64_t least, int64_t most,
                       std::optional<int64_t> fallback = {});
  llvm::Error readSizes(GgufModel &model);
  llvm::Error readExpertSizes(GgufModel &model);
  llvm::Error readExperts(const GgufModel &model, GgufExperts &experts, const std::string &prefix);
  llvm::Error readScales(GgufModel &model);
  llvm::Error readRotations(GgufModel &model);
  llvm::Expected<GgufRotaryScaling> readScaling(const GgufModel &model);
  llvm::Error readWindow(GgufModel &model);
  llvm::Error readPattern(GgufModel &model);
  llvm::Error readLayer(GgufModel &model, GgufLayer &layer, const std::string &prefix);
  llvm::Error checkKeys();
  llvm::Error checkAllUsed();

  /// The tensor, of this shape in the order of the file; null in `found` if it is absent and
  /// optional.
  llvm::Error find(const Twine &name, ArrayRef<int64_t> shape, const GgufFile::Tensor *&found,
                   bool optional = false);
  /// The same, of floats.
  llvm::Error findFloats(const Twine &name, ArrayRef<int64_t> shape, const GgufFile::Tensor *&found,
                         bool optional = false);
  llvm::Error findVector(const Twine &name, int64_t size, const GgufFile::Tensor *&found,
                         bool optional = false) {
    return findFloats(name, {size}, found, optional);
  }
  /// The norm's weights, and its bias if the architecture may have one.
  llvm::Error findNorm(const Twine &name, int64_t size, GgufNorm &found);
  llvm::Error findLinear(const Twine &name, int64_t inputs, int64_t outputs, GgufLinear &found,
                         bool mayHaveBias);

  const GgufFile &file;
  const GgufArchitecture *kind = nullptr;
  StringRef architecture;
  int64_t rotated = 0; ///< elements of a head
  bool hasYarn = false;
  llvm::StringSet<> used;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFMODELREADER_H
