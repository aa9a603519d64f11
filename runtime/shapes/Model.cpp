// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes/Model.h"

#include "ttrt/transport.h"

#include <algorithm>
#include <numeric>

namespace ttrt::shapes {

const fb::Bundle &tablesOf(const ttrt_bundle *bundle) {
  return *fb::GetBundle(ttrt_bundle_tables(bundle, nullptr));
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

std::string Size::describe(const std::vector<std::string> &dims) const {
  std::string sum;
  bool isSum = false;
  auto add = [&](const std::string &term) {
    isSum = !sum.empty();
    sum += (isSum && term[0] != '-' ? "+" : "") + term;
  };
  for (size_t i = 0; i < multipliers.size(); ++i)
    if (multipliers[i] != 0)
      add((multipliers[i] == 1 ? "" : std::to_string(multipliers[i]) + "*") + dims[i]);
  for (const Product &product : products) {
    std::string term = product.times == 1 ? "" : std::to_string(product.times);
    for (const Size &factor : product.factors) {
      const std::string text = factor.describe(dims);
      if (text == "1") // beside a size that was rounded
        continue;
      const bool isName = text.find_first_of("+-*/") == std::string::npos;
      term += (term.empty() ? "" : "*") + (isName ? text : "(" + text + ")");
    }
    add(term);
  }
  if (offset != 0 || sum.empty())
    add(std::to_string(offset));
  if (divisor == 1)
    return sum;
  return (isSum ? "(" + sum + ")" : sum) + "/" + std::to_string(divisor);
}

bool Variant::holds(const int64_t *extents) const {
  for (size_t i = 0; i < low.size(); ++i)
    if (extents[i] < low[i] || extents[i] > high[i] || extents[i] % step[i] != 0)
      return false;
  return true;
}

static uint64_t productOf(const std::vector<int64_t> &numbers) {
  uint64_t product = 1;
  for (int64_t number : numbers)
    if (__builtin_mul_overflow(product, static_cast<uint64_t>(number), &product))
      return UINT64_MAX;
  return product;
}

Model::Model(const ttrt_bundle *bundle, const char *name) {
  const fb::Bundle &tables = tablesOf(bundle);
  const auto &entries = *tables.entries();
  if (!name)
    forEachModel(tables, [&](const char *first) { return name_ = first, true; });
  else
    name_ = name;
  const fb::EntryPoint *first = nullptr;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const fb::EntryPoint &entry = *entries[i];
    if (name_ != modelOf(entry))
      continue;
    verifyVariant(tables, entry);
    if (first) {
      verifyAgreement(*first, entry);
    } else {
      first = &entry;
      for (uint32_t dim = 0; entry.variant() && dim < entry.variant()->dims()->size(); ++dim)
        dims_.push_back(entry.variant()->dims()->Get(dim)->str());
      const uint32_t extents = entry.variant() ? entry.variant()->extents() : kNone;
      for (uint32_t j = 0; j < count(entry.inputs()); ++j)
        if (j != extents)
          inputs_.push_back(readPort(tables, *entry.inputs()->Get(j)));
      for (uint32_t j = 0; j < count(entry.outputs()); ++j)
        outputs_.push_back(readPort(tables, *entry.outputs()->Get(j)));
    }
    readVariant(tables, i);
  }
  if (!first) {
    std::string all;
    forEachModel(tables, [&](const char *known) {
      all += (all.empty() ? "" : ", ") + std::string(known);
      return false;
    });
    fail(TTRT_NOT_FOUND, "no model '%s'; the bundle has %s", name, all.c_str());
  }
  std::sort(variants_.begin(), variants_.end(), [](const Variant &a, const Variant &b) {
    const uint64_t productOfA = productOf(a.high), productOfB = productOf(b.high);
    return productOfA != productOfB ? productOfA < productOfB : a.entry < b.entry;
  });
  for (std::vector<Port> *ports : {&inputs_, &outputs_})
    for (Port &port : *ports) // after the last move of the texts
      for (const std::string &text : port.texts)
        port.pointers.push_back(text.c_str());
  findSources();
}

template <typename Table> static Size readSum(const Table &table) {
  return {{table.multipliers()->begin(), table.multipliers()->end()},
          table.offset(),
          table.divisor(),
          {}};
}

Port Model::readPort(const fb::Bundle &tables, const fb::Port &table) const {
  Port port{table.name()->str(),
            static_cast<ttrt_dtype>(table.dtype()),
            bytesOf(table.dtype()),
            {},
            {},
            {}};
  for (uint32_t i = 0; i < count(table.shape()); ++i) {
    Size &size = port.sizes.emplace_back();
    if (count(table.dims()) == 0) {
      size.offset = wholeSize(tables, table, i);
    } else {
      const fb::Extent &extent = *table.dims()->Get(i);
      size = readSum(extent);
      for (uint32_t j = 0; j < count(extent.products()); ++j) {
        const fb::ExtentProduct &from = *extent.products()->Get(j);
        Size::Product &product = size.products.emplace_back(from.times(), std::vector<Size>());
        for (uint32_t k = 0; k < count(from.factors()); ++k)
          product.factors.push_back(readSum(*from.factors()->Get(k)));
      }
    }
    port.texts.push_back(size.describe(dims_));
  }
  return port;
}

void Model::readVariant(const fb::Bundle &tables, uint32_t entry) {
  const fb::EntryPoint &table = *tables.entries()->Get(entry);
  Variant variant;
  variant.entry = entry;
  variant.name = table.name()->str();
  if (const fb::Variant *bounds = table.variant()) {
    variant.low.assign(bounds->low()->begin(), bounds->low()->end());
    variant.high.assign(bounds->high()->begin(), bounds->high()->end());
    variant.step.assign(dims_.size(), 1);
    if (count(bounds->step()))
      variant.step.assign(bounds->step()->begin(), bounds->step()->end());
    variant.extents = bounds->extents();
  }
  auto read = [&](const auto *tablesOfPorts, uint32_t without, std::vector<Port> &ports,
                  std::vector<Whole> &wholes) {
    for (uint32_t i = 0; i < count(tablesOfPorts); ++i) {
      const fb::Port &from = *tablesOfPorts->Get(i);
      variant.slotBytes += tables.buffers()->Get(from.buffer())->size();
      for (uint32_t j = 0; j < count(from.ring()); ++j)
        variant.slotBytes += tables.buffers()->Get(from.ring()->Get(j))->size();
      if (i == without)
        continue;
      Whole &whole = wholes.emplace_back();
      whole.index = i;
      for (uint32_t j = 0; j < count(from.shape()); ++j)
        whole.shape.push_back(wholeSize(tables, from, j));
      whole.strides.resize(whole.shape.size());
      whole.bytes = bytesOf(from.dtype());
      for (size_t j = whole.shape.size(); j-- > 0;) {
        whole.strides[j] = static_cast<int64_t>(whole.bytes);
        whole.bytes *= static_cast<uint64_t>(whole.shape[j]);
      }
      Port &port = ports[wholes.size() - 1];
      if (count(from.sharding()) &&
          !std::equal(whole.shape.begin(), whole.shape.end(), from.shape()->begin()))
        divided_ = port.name;
      port.mostBytes = std::max(port.mostBytes, whole.bytes);
    }
  };
  read(table.inputs(), variant.extents, inputs_, variant.inputs);
  read(table.outputs(), kNone, outputs_, variant.outputs);
  variant.inSlots.resize(count(table.inputs()));
  variant.outSlots.resize(count(table.outputs()));
  variants_.push_back(std::move(variant));
}

/// Finds an axis for each dimension from which its extent follows. A quotient determines it only if
/// no two multiples of the step have the same.
void Model::findSources() {
  std::vector<bool> isKnown(dims_.size());
  auto unknownOf = [&](const Size &size) {
    uint32_t found = kNone;
    if (!size.products.empty())
      return kNone;
    for (uint32_t i = 0; i < size.multipliers.size(); ++i)
      if (size.multipliers[i] != 0 && !isKnown[i]) {
        if (found != kNone)
          return kNone;
        found = i;
      }
    return found;
  };
  steps_.resize(dims_.size());
  for (const Variant &variant : variants_)
    for (size_t i = 0; i < dims_.size(); ++i)
      steps_[i] = std::gcd(steps_[i], variant.step[i]);
  for (bool found = true; found;) {
    found = false;
    for (uint32_t i = 0; i < inputs_.size(); ++i)
      for (uint32_t axis = 0; axis < inputs_[i].rank(); ++axis) {
        const Size &size = inputs_[i].sizes[axis];
        const uint32_t dim = unknownOf(size);
        if (dim == kNone || size.multipliers[dim] * steps_[dim] < size.divisor)
          continue;
        sources_.push_back({dim, i, axis});
        found = isKnown[dim] = true;
      }
  }
  for (uint32_t i = 0; i < dims_.size(); ++i)
    if (!isKnown[i])
      fail(TTRT_BAD_BUNDLE, "the inputs of model '%s' do not determine the extent of '%s'",
           name_.c_str(), dims_[i].c_str());
}

//===----------------------------------------------------------------------===//
// Extents and variants
//===----------------------------------------------------------------------===//

/// "batch = 3, sequence = 37"
std::string Model::describe(const int64_t *extents) const {
  std::string text;
  for (size_t i = 0; i < dims_.size(); ++i)
    text += (i ? ", " : "") + dims_[i] + " = " + std::to_string(extents[i]);
  return text;
}

/// "batch 1..8, sequence 8..64 by 8"
std::string Model::describeBounds(const std::vector<int64_t> &low, const std::vector<int64_t> &high,
                                  const std::vector<int64_t> &step) const {
  std::string text;
  for (size_t i = 0; i < dims_.size(); ++i) {
    text +=
        (i ? ", " : "") + dims_[i] + " " + std::to_string(low[i]) + ".." + std::to_string(high[i]);
    if (step[i] != 1)
      text += " by " + std::to_string(step[i]);
  }
  return text;
}

void Model::findExtents(const ttrt_shaped_input *inputs, int64_t *extents) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs[i].rank != inputs_[i].rank()) [[unlikely]]
      fail(TTRT_INVALID_ARGUMENT, "input '%s' has %u dimensions; expected %u",
           inputs_[i].name.c_str(), inputs[i].rank, inputs_[i].rank());
    require(inputs[i].shape || inputs[i].rank == 0, "the shape of an input is NULL");
  }
  // Those that are not found yet count as nothing.
  std::fill(extents, extents + dims_.size(), 0);
  for (const Source &source : sources_) {
    const Size &size = inputs_[source.input].sizes[source.axis];
    const int64_t found = inputs[source.input].shape[source.axis];
    // The least multiple of the step with at least that size.
    const __int128 step = size.divisor == 1 ? 1 : steps_[source.dim];
    const __int128 unit = size.multipliers[source.dim] * step;
    const __int128 missing = static_cast<__int128>(found) * size.divisor - size.sumAt(extents);
    const __int128 extent = (missing + unit - 1) / unit * step;
    if (found >= 0 && missing >= 0 && extent <= INT32_MAX) {
      extents[source.dim] = static_cast<int64_t>(extent);
      if (size.at(extents) == found) [[likely]]
        continue;
    }
    fail(TTRT_INVALID_ARGUMENT,
         "input '%s': axis %u has size %lld; expected %s, which is that of no extent of '%s'",
         inputs_[source.input].name.c_str(), source.axis, static_cast<long long>(found),
         inputs_[source.input].texts[source.axis].c_str(), dims_[source.dim].c_str());
  }
  for (size_t i = 0; i < inputs_.size(); ++i)
    for (uint32_t axis = 0; axis < inputs_[i].rank(); ++axis) {
      const Size &size = inputs_[i].sizes[axis];
      const int64_t found = inputs[i].shape[axis];
      if (const int64_t expected = size.at(extents); found != expected) [[unlikely]] {
        const char *const text = inputs_[i].texts[axis].c_str();
        const bool isFixed =
            size.products.empty() && std::all_of(size.multipliers.begin(), size.multipliers.end(),
                                                 [](int64_t m) { return !m; });
        if (isFixed)
          fail(TTRT_INVALID_ARGUMENT, "input '%s': axis %u has size %lld; expected %lld",
               inputs_[i].name.c_str(), axis, static_cast<long long>(found),
               static_cast<long long>(expected));
        fail(TTRT_INVALID_ARGUMENT,
             "input '%s': axis %u has size %lld; expected %s = %lld, since other axes give %s",
             inputs_[i].name.c_str(), axis, static_cast<long long>(found), text,
             static_cast<long long>(expected), describe(extents).c_str());
      }
    }
}

void Model::requireWhole() const {
  if (!divided_.empty())
    fail(TTRT_UNSUPPORTED,
         "the devices of a mesh divide '%s' of model '%s': ttrt_model_pack() makes whole tensors, "
         "which ttrt_mesh_run() takes",
         divided_.c_str(), name_.c_str());
}

void Model::failToHold(const Variant &variant, const int64_t *extents) const {
  fail(TTRT_UNSUPPORTED, "variant '%s' of model '%s' does not hold %s; it has %s",
       variant.name.c_str(), name_.c_str(), describe(extents).c_str(),
       describeBounds(variant.low, variant.high, variant.step).c_str());
}

uint32_t Model::choose(const int64_t *extents) const {
  for (size_t i = 0; i < variants_.size(); ++i)
    if (variants_[i].holds(extents))
      return static_cast<uint32_t>(i);
  std::vector<int64_t> low = variants_[0].low, high = variants_[0].high;
  for (const Variant &variant : variants_)
    for (size_t i = 0; i < dims_.size(); ++i) {
      low[i] = std::min(low[i], variant.low[i]);
      high[i] = std::max(high[i], variant.high[i]);
    }
  std::string text = "no variant of model '" + name_ + "' holds " + describe(extents) +
                     "; it has " + describeBounds(low, high, steps_);
  // The largest ones, as many as a message has room for.
  std::string all;
  size_t first = variants_.size();
  for (; first > 0; --first) {
    const Variant &variant = variants_[first - 1];
    const std::string next = variant.name + " (" +
                             describeBounds(variant.low, variant.high, variant.step) + ")" +
                             (all.empty() ? "" : ", ");
    constexpr size_t kOthers = 64; // bytes of what stands between
    if (text.size() + all.size() + next.size() + kOthers > sizeof(ttrt_error::message))
      break;
    all.insert(0, next);
  }
  if (!all.empty())
    text += " in " + std::to_string(variants_.size()) +
            (variants_.size() == 1 ? " variant" : " variants") + (first ? ", among them " : ": ") +
            all;
  fail(TTRT_UNSUPPORTED, "%s", text.c_str());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Calls copy(offset in the whole, offset in the dense tensor, bytes) for each contiguous part.
template <typename Copy>
static void forEachRow(const Whole &whole, const int64_t *sizes, uint64_t elementBytes, Copy copy) {
  size_t rank = whole.shape.size();
  for (size_t i = 0; i < rank; ++i)
    if (sizes[i] == 0)
      return;
  // The inner dimensions that are valid as a whole, and the one around them.
  uint64_t row = elementBytes;
  while (rank > 0) {
    --rank;
    row *= static_cast<uint64_t>(sizes[rank]);
    if (sizes[rank] != whole.shape[rank])
      break;
  }
  int64_t index[TTRT_MAX_RANK] = {};
  uint64_t offset = 0;
  for (uint64_t dense = 0;; dense += row) {
    copy(offset, dense, row);
    size_t i = rank;
    for (; i > 0; --i) {
      const auto stride = static_cast<uint64_t>(whole.strides[i - 1]);
      offset += stride;
      if (++index[i - 1] < sizes[i - 1])
        break;
      offset -= stride * static_cast<uint64_t>(sizes[i - 1]);
      index[i - 1] = 0;
    }
    if (i == 0)
      return;
  }
}

void toWhole(const Whole &whole, const int64_t *sizes, uint64_t elementBytes, const void *from,
             void *to) noexcept {
  forEachRow(whole, sizes, elementBytes, [&](uint64_t at, uint64_t dense, uint64_t bytes) {
    memcpy(static_cast<char *>(to) + at, static_cast<const char *>(from) + dense, bytes);
  });
}

void fromWhole(const Whole &whole, const int64_t *sizes, uint64_t elementBytes, const void *from,
               void *to) noexcept {
  forEachRow(whole, sizes, elementBytes, [&](uint64_t at, uint64_t dense, uint64_t bytes) {
    memcpy(static_cast<char *>(to) + dense, static_cast<const char *>(from) + at, bytes);
  });
}

} // namespace ttrt::shapes
