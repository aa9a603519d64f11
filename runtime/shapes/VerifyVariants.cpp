// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes/VerifyVariants.h"

#include "support/ApiSupport.h"
#include "ttrt/shapes.h"

namespace ttrt::shapes {

using namespace support;

namespace {

using Ports = flatbuffers::Vector<flatbuffers::Offset<fb::Port>>;

const char *nameOf(const fb::EntryPoint &entry) { return entry.name()->c_str(); }

/// `products` is the sum of the size's products. False if the size is negative or does not fit in
/// i64.
template <typename Table>
bool sizeAt(const Table &extent, const flatbuffers::Vector<uint64_t> &extents, int64_t &size,
            int64_t products = 0) {
  int64_t sum;
  if (__builtin_add_overflow(extent.offset(), products, &sum))
    return false;
  for (uint32_t i = 0; i < extents.size(); ++i) {
    int64_t term;
    if (__builtin_mul_overflow(int64_t(extent.multipliers()->Get(i)),
                               static_cast<int64_t>(extents[i]), &term) ||
        __builtin_add_overflow(sum, term, &sum))
      return false;
  }
  if (sum < 0)
    return false;
  size = sum / extent.divisor();
  return true;
}

/// The sum of a size's products. False if a factor is negative, or if it does not fit.
bool productsAt(const fb::Extent &extent, const flatbuffers::Vector<uint64_t> &extents,
                int64_t &sum) {
  sum = 0;
  for (uint32_t i = 0; i < count(extent.products()); ++i) {
    int64_t term = extent.products()->Get(i)->times();
    for (const fb::ExtentFactor *factor : *extent.products()->Get(i)->factors()) {
      int64_t size;
      if (!sizeAt(*factor, extents, size) || __builtin_mul_overflow(term, size, &term))
        return false;
    }
    if (__builtin_add_overflow(sum, term, &sum))
      return false;
  }
  return true;
}

/// Whether a sum is one of multiples of the extents that grows with them.
template <typename Table> bool isSum(const Table &table, uint32_t dims) {
  bool good = count(table.multipliers()) == dims && table.divisor() != 0;
  for (uint32_t j = 0; good && j < dims; ++j)
    good = table.multipliers()->Get(j) >= 0;
  return good;
}

void verifyBounds(const fb::EntryPoint &entry) {
  const fb::Variant &variant = *entry.variant();
  const uint32_t dims = variant.dims()->size();
  if (dims > TTRT_MAX_DIMS)
    fail(TTRT_UNSUPPORTED, "variant '%s' has %u dimensions; expected at most %d", nameOf(entry),
         dims, TTRT_MAX_DIMS);
  if (dims == 0 || variant.of()->size() == 0)
    fail(TTRT_BAD_BUNDLE, "variant '%s' has no dimensions, or a model without name", nameOf(entry));
  if (variant.low()->size() != dims || variant.high()->size() != dims ||
      (count(variant.step()) != 0 && count(variant.step()) != dims))
    fail(TTRT_BAD_BUNDLE, "variant '%s' has %u dimensions, and bounds of another number",
         nameOf(entry), dims);
  for (uint32_t i = 0; i < dims; ++i) {
    const char *const name = variant.dims()->Get(i)->c_str();
    bool isNew = *name != 0;
    for (uint32_t j = 0; j < i; ++j)
      isNew &= strcmp(variant.dims()->Get(j)->c_str(), name) != 0;
    if (!isNew)
      fail(TTRT_BAD_BUNDLE, "variant '%s': expected distinct names of dimensions, found '%s'",
           nameOf(entry), name);
    const uint64_t low = variant.low()->Get(i), high = variant.high()->Get(i);
    const uint64_t step = count(variant.step()) ? variant.step()->Get(i) : 1;
    if (low > high || high == 0 || high > INT32_MAX || step == 0 || low % step || high % step)
      fail(TTRT_BAD_BUNDLE,
           "variant '%s': expected extents of '%s' from 0 to 2147483647 that are multiples of the "
           "step, found %llu to %llu by %llu",
           nameOf(entry), name, static_cast<unsigned long long>(low),
           static_cast<unsigned long long>(high), static_cast<unsigned long long>(step));
  }
  const fb::Port *extents =
      variant.extents() < count(entry.inputs()) ? entry.inputs()->Get(variant.extents()) : nullptr;
  if (!extents || extents->dtype() != fb::DType::I32 || count(extents->shape()) != 1 ||
      extents->shape()->Get(0) != dims || count(extents->dims()) != 0 ||
      strcmp(extents->name()->c_str(), "extents") != 0)
    fail(TTRT_BAD_BUNDLE, "variant '%s': expected input %u to be 'extents' of %u numbers i32",
         nameOf(entry), variant.extents(), dims);
}

void verifySizes(const fb::Bundle &bundle, const fb::EntryPoint &entry, const fb::Port &port) {
  const uint32_t sizes = count(port.dims()), rank = count(port.shape());
  const fb::Variant &variant = *entry.variant();
  if (sizes == 0)
    return;
  if (sizes != rank)
    fail(TTRT_BAD_BUNDLE,
         "port '%s' of variant '%s': expected valid sizes of %u dimensions, found %u",
         port.name()->c_str(), nameOf(entry), rank, sizes);
  for (uint32_t i = 0; i < sizes; ++i) {
    const fb::Extent &extent = *port.dims()->Get(i);
    const uint32_t dims = variant.dims()->size();
    bool good = isSum(extent, dims);
    for (uint32_t j = 0; good && j < count(extent.products()); ++j) {
      const fb::ExtentProduct &product = *extent.products()->Get(j);
      good = product.times() > 0 && count(product.factors()) >= 2;
      for (uint32_t k = 0; good && k < product.factors()->size(); ++k)
        good = isSum(*product.factors()->Get(k), dims);
    }
    int64_t least = -1, most = -1, atLeast = 0, atMost = 0;
    if (!good || !productsAt(extent, *variant.low(), atLeast) ||
        !productsAt(extent, *variant.high(), atMost) ||
        !sizeAt(extent, *variant.low(), least, atLeast) ||
        !sizeAt(extent, *variant.high(), most, atMost) || most != wholeSize(bundle, port, i))
      fail(TTRT_BAD_BUNDLE,
           "port '%s' of variant '%s': expected a valid size of dimension %u that is %lld at the "
           "highest extents, and at least 0 at the lowest; found %lld and %lld",
           port.name()->c_str(), nameOf(entry), i,
           static_cast<long long>(wholeSize(bundle, port, i)), static_cast<long long>(most),
           static_cast<long long>(least));
  }
}

template <typename T, typename Same>
bool isSame(const flatbuffers::Vector<T> *a, const flatbuffers::Vector<T> *b, Same same) {
  bool result = count(a) == count(b);
  for (uint32_t i = 0; result && i < count(a); ++i)
    result = same(a->Get(i), b->Get(i));
  return result;
}

bool isSamePort(const fb::Port &a, const fb::Port &b) {
  auto equal = [](auto x, auto y) { return x == y; };
  auto isSameSum = [&](const auto *x, const auto *y) {
    return isSame(x->multipliers(), y->multipliers(), equal) && x->offset() == y->offset() &&
           x->divisor() == y->divisor();
  };
  return strcmp(a.name()->c_str(), b.name()->c_str()) == 0 && a.dtype() == b.dtype() &&
         isSame(a.dims(), b.dims(),
                [&](const fb::Extent *x, const fb::Extent *y) {
                  return isSameSum(x, y) &&
                         isSame(x->products(), y->products(),
                                [&](const fb::ExtentProduct *p, const fb::ExtentProduct *q) {
                                  return p->times() == q->times() &&
                                         isSame(p->factors(), q->factors(), isSameSum);
                                });
                }) &&
         (count(a.dims()) ? count(a.shape()) == count(b.shape())
                          : isSame(a.shape(), b.shape(), equal));
}

} // namespace

int64_t wholeSize(const fb::Bundle &bundle, const fb::Port &port, uint32_t dimension) {
  int64_t size = port.shape()->Get(dimension);
  const auto *const axes =
      dimension < count(port.sharding()) ? port.sharding()->Get(dimension)->axes() : nullptr;
  for (uint32_t i = 0; i < count(axes); ++i)
    size *= bundle.mesh()->axes()->Get(axes->Get(i))->size();
  return size;
}

void verifyVariant(const fb::Bundle &bundle, const fb::EntryPoint &entry) {
  if (entry.variant())
    verifyBounds(entry);
  for (const Ports *ports : {entry.inputs(), entry.outputs()})
    for (uint32_t i = 0; i < count(ports); ++i) {
      const fb::Port &port = *ports->Get(i);
      if (count(port.shape()) > TTRT_MAX_RANK)
        fail(TTRT_UNSUPPORTED,
             "port '%s' of entry point '%s' has %u dimensions; expected at most %d",
             port.name()->c_str(), nameOf(entry), count(port.shape()), TTRT_MAX_RANK);
      if (entry.variant())
        verifySizes(bundle, entry, port);
      else if (count(port.dims()) != 0)
        fail(TTRT_BAD_BUNDLE, "port '%s' of entry point '%s' has valid sizes, but is of no variant",
             port.name()->c_str(), nameOf(entry));
    }
}

void verifyAgreement(const fb::EntryPoint &first, const fb::EntryPoint &other) {
  auto refuse = [&](const char *problem) {
    fail(TTRT_BAD_BUNDLE, "'%s' and '%s' are the same model, but %s", nameOf(first), nameOf(other),
         problem);
  };
  if (!first.variant() || !other.variant())
    refuse("one is not a variant");
  if (first.variant()->extents() != other.variant()->extents() ||
      !isSame(first.variant()->dims(), other.variant()->dims(),
              [](const flatbuffers::String *a, const flatbuffers::String *b) {
                return strcmp(a->c_str(), b->c_str()) == 0;
              }))
    refuse("have other dimensions");
  auto same = [](const fb::Port *a, const fb::Port *b) { return isSamePort(*a, *b); };
  if (!isSame(first.inputs(), other.inputs(), same))
    refuse("have other inputs");
  if (!isSame(first.outputs(), other.outputs(), same))
    refuse("have other outputs");
}

} // namespace ttrt::shapes
