// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GGUF file: metadata by key, and tensors by name. Whatever the bytes are, the reader answers
// with a file whose counts and offsets all fit it, or with an error that says what it expected and
// found.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFFILE_H
#define TTC_LIB_IMPORT_GGUF_GGUFFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace mlir::ttc {

inline llvm::Error makeGgufError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Types of metadata, with the numbers that the file has.
enum class GgufType : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

/// The type of a tensor's elements, which are stored in blocks along its rows.
struct GgmlType {
  uint32_t number;
  StringLiteral name;
  uint32_t blockElements, blockBytes;
};

/// Null if ttc does not support the type with this number.
const GgmlType *findGgmlType(uint32_t number);

class GgufFile {
public:
  struct Value {
    GgufType type; ///< never Array: the type of the elements then
    bool isArray;
    uint64_t count;                 ///< of elements; 1 if it is not an array
    StringRef bytes;                ///< of numbers and bools
    std::vector<StringRef> strings; ///< the others

    bool operator==(const Value &other) const = default;
  };

  struct Tensor {
    StringRef name;
    const GgmlType *type;
    /// As the file has it: the extent of a row first.
    SmallVector<int64_t, 4> shape;
    ArrayRef<char> bytes;

    int64_t getColumns() const { return shape[0]; }
    /// The product of all other extents.
    int64_t getRows() const;
  };

  /// Everything refers to `bytes`, which must live on.
  static llvm::Expected<GgufFile> parse(StringRef bytes);

  /// Adds the tensors of another part of the same model. Fails if the part has one of this file's,
  /// or another value of one of its keys.
  llvm::Error add(GgufFile part);

  bool has(StringRef key) const { return values.contains(key); }
  /// An integer, of any width, in [low, high]. Without a fallback, the key must be there.
  llvm::Expected<int64_t> getInteger(StringRef key, int64_t low, int64_t high,
                                     std::optional<int64_t> fallback = {}) const;
  /// A finite number in [low, high].
  llvm::Expected<double> getNumber(StringRef key, double low, double high,
                                   std::optional<double> fallback = {}) const;
  /// A number or a truth value, of any type; nothing if the key has neither.
  std::optional<double> findNumber(StringRef key) const;
  /// All keys that begin so, in ascending order.
  std::vector<StringRef> getKeys(StringRef prefix) const;
  llvm::Expected<bool> getBool(StringRef key, bool fallback) const;
  llvm::Expected<StringRef> getText(StringRef key, std::optional<StringRef> fallback = {}) const;
  /// Arrays; empty if the key is absent.
  llvm::Expected<ArrayRef<StringRef>> getTexts(StringRef key) const;
  llvm::Expected<std::vector<int64_t>> getIntegers(StringRef key, int64_t low, int64_t high) const;
  /// Numbers that are not NaN.
  llvm::Expected<std::vector<float>> getFloats(StringRef key) const;
  llvm::Expected<std::vector<bool>> getBools(StringRef key) const;

  /// Null if there is none.
  const Tensor *findTensor(StringRef name) const;
  ArrayRef<Tensor> getTensors() const { return tensors; }

private:
  class Reader;
  const Value *find(StringRef key) const;

  llvm::StringMap<Value> values;
  std::vector<Tensor> tensors;
  llvm::StringMap<size_t> tensorsByName;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFFILE_H
