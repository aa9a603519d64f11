// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model: the entry points that are its variants, and how shapes and extents determine each other.

#ifndef TTRT_SHAPES_MODEL_H
#define TTRT_SHAPES_MODEL_H

#include "shapes/VerifyVariants.h"
#include "support/ApiSupport.h"
#include "ttrt/shapes.h"

#include <string>
#include <vector>

namespace ttrt::shapes {

using namespace support;

const fb::Bundle &tablesOf(const ttrt_bundle *bundle);
/// Calls `use` with the name of each model, in the order of their first entry points, until it
/// returns true.
template <typename Use> void forEachModel(const fb::Bundle &tables, Use use) {
  const auto &entries = *tables.entries();
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const char *const name = modelOf(*entries[i]);
    bool isNew = true;
    for (uint32_t j = 0; j < i && isNew; ++j)
      isNew = strcmp(modelOf(*entries[j]), name) != 0;
    if (isNew && use(name))
      return;
  }
}

/// The valid size of a dimension of a port: (sum of multipliers[i] * extent i + sum of products +
/// offset) / divisor.
struct Size {
  std::vector<int64_t> multipliers; ///< empty: the size is `offset`
  int64_t offset = 0;
  int64_t divisor = 1;
  /// `times` times all factors, which have no products.
  struct Product {
    int64_t times;
    std::vector<Size> factors;
  };
  std::vector<Product> products;

  /// Extents are below 2^31, and products fit into i64 at the highest ones (VerifyVariants.cpp).
  __int128 sumAt(const int64_t *extents) const {
    __int128 sum = offset;
    for (size_t i = 0; i < multipliers.size(); ++i)
      sum += multipliers[i] * extents[i];
    for (const Product &product : products) {
      __int128 term = product.times;
      for (const Size &factor : product.factors)
        term *= factor.at(extents);
      sum += term;
    }
    return sum;
  }
  /// -1 if there is no such size.
  int64_t at(const int64_t *extents) const {
    const __int128 sum = sumAt(extents);
    return sum < 0 || sum / divisor > INT64_MAX ? -1 : static_cast<int64_t>(sum / divisor);
  }
  /// As text by the names of the dimensions: "2*sequence+1".
  std::string describe(const std::vector<std::string> &dims) const;
};

/// An input or output of all variants.
struct Port {
  std::string name;
  ttrt_dtype dtype;
  uint64_t elementBytes;
  std::vector<Size> sizes;
  std::vector<std::string> texts;     ///< of the sizes
  std::vector<const char *> pointers; ///< to the texts
  uint64_t mostBytes = 0;
  uint32_t rank() const { return static_cast<uint32_t>(sizes.size()); }
};

inline constexpr uint32_t kNone = UINT32_MAX;

/// The whole of a port in one variant.
struct Whole {
  uint32_t index; ///< among the inputs or outputs of the entry point
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in bytes
  uint64_t bytes = 0;
};

struct Variant {
  uint32_t entry;
  std::string name;
  std::vector<int64_t> low, high, step;
  uint32_t extents = kNone; ///< input of the entry point; kNone: none
  uint64_t slotBytes = 0;
  std::vector<Whole> inputs, outputs;
  /// What ttrt_run() gets: everything is in its slot.
  std::vector<ttrt_input> inSlots;
  std::vector<ttrt_output> outSlots;

  bool holds(const int64_t *extents) const;
};

class Model {
public:
  Model(const ttrt_bundle *bundle, const char *name);

  const std::string &name() const { return name_; }
  const std::vector<std::string> &dims() const { return dims_; }
  const std::vector<int64_t> &steps() const { return steps_; }
  const std::vector<Port> &inputs() const { return inputs_; }
  const std::vector<Port> &outputs() const { return outputs_; }
  const std::vector<Variant> &variants() const { return variants_; }

  // These throw Error.
  void findExtents(const ttrt_shaped_input *inputs, int64_t *extents) const;
  uint32_t choose(const int64_t *extents) const;
  /// Fails if the devices of a mesh have parts of ports: a device then runs no shapes.
  void requireWhole() const;
  [[noreturn]] void failToHold(const Variant &variant, const int64_t *extents) const;

private:
  /// Extent `dim` follows from the size of an axis of an input, and extents that are found before.
  struct Source {
    uint32_t dim, input, axis;
  };

  Port readPort(const fb::Bundle &tables, const fb::Port &table) const;
  void readVariant(const fb::Bundle &tables, uint32_t entry);
  void findSources();
  std::string describe(const int64_t *extents) const;
  std::string describeBounds(const std::vector<int64_t> &low, const std::vector<int64_t> &high,
                             const std::vector<int64_t> &step) const;

  std::string name_;
  std::vector<std::string> dims_;
  std::vector<int64_t> steps_; ///< per dimension: what all extents are multiples of
  std::vector<Port> inputs_, outputs_;
  std::vector<Variant> variants_;
  std::vector<Source> sources_;
  std::string divided_; ///< a port that the devices of a mesh divide, if there is one
};

/// Copies the valid part of a tensor, of `sizes` and dense at `from`, to the corner of the whole at
/// `to`; fromWhole() the other way. Sizes are at most those of the whole.
void toWhole(const Whole &whole, const int64_t *sizes, uint64_t elementBytes, const void *from,
             void *to) noexcept;
void fromWhole(const Whole &whole, const int64_t *sizes, uint64_t elementBytes, const void *from,
               void *to) noexcept;

} // namespace ttrt::shapes

#endif // TTRT_SHAPES_MODEL_H
