// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values as numbers, and operands of attention over them.
#ifndef TTC_TEST_UNIT_KERNELS_CACHECASES_H
#define TTC_TEST_UNIT_KERNELS_CACHECASES_H

#include "KernelCases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ttc::test {

enum class Rope { none, halves, pairs };
enum class Element { f32, f16, i8 };

struct Case {
  int64_t rows, heads, groups, depth, context;
  Element element;
  Rope rope;
  bool hasCount;
  int64_t splits = 1;
  /// Sequences of the caches, if rows say which one is theirs; and those of the rows.
  int64_t sequences = 0;
  std::vector<int32_t> active = {};
  int64_t window = 0; ///< the last positions that count; 0: all
  float softCap = 0;  ///< 0: none
  bool hasSinks = false;

  int64_t width() const { return (heads + 2 * groups) * depth; }
  int64_t partialRow() const { return depth + 16; }
  int64_t caches() const { return std::max<int64_t>(sequences, 1); }
  bool isOneSequence() const { return active.size() <= 1; }
  bool isDecode() const { return rows == 1 || !isOneSequence(); }
  /// The first position that one at `position` attends to.
  int64_t firstAttended(int64_t position) const {
    return window ? std::max<int64_t>(position + 1 - window, 0) : 0;
  }
  /// Rows of 32 elements with their scales.
  int64_t stored(int64_t size) const { return element == Element::i8 ? size + size / 16 : size; }
  std::string type(std::vector<int64_t> shape) const {
    if (sequences)
      shape.insert(shape.begin(), sequences);
    std::string text = tensor(shape);
    const char *name = element == Element::f32 ? "f32>" : element == Element::f16 ? "f16>" : "i8>";
    return text.substr(0, text.size() - 4) + name;
  }
  std::string keysType() const { return type({groups, context / 32, stored(depth), 32}); }
  std::string valuesType() const { return type({groups, depth / 32, stored(context), 32}); }
  std::string vectorType(int64_t size) const { return "tensor<" + std::to_string(size) + "xi32>"; }
  std::vector<std::string> operandTypes() const {
    std::vector<std::string> types{tensor({rows, width()}), keysType(), valuesType(),
                                   vectorType(caches())};
    if (rope != Rope::none)
      types.push_back(tensor({context, depth}));
    if (hasCount)
      types.push_back("tensor<1xi32>");
    if (sequences)
      types.push_back(vectorType(active.size()));
    if (hasSinks)
      types.push_back(tensor({heads}));
    return types;
  }
  std::string op(const std::string &name) const {
    std::string text = "ttc.kernel." + name + " %0, %1, %2, %3";
    int64_t operand = 4;
    auto add = [&](bool exists, const std::string &word) {
      if (exists)
        text += " " + word + " %" + std::to_string(operand++);
    };
    add(rope != Rope::none, "cos_sin");
    add(hasCount, "count");
    add(sequences != 0, "sequences");
    add(hasSinks, "sinks");
    if (rope != Rope::none)
      text += rope == Rope::halves ? " rope halves" : " rope pairs";
    text += " {heads = " + std::to_string(heads) + " : i64, kv_heads = " + std::to_string(groups) +
            " : i64, scale = 1.250000e-01 : f32";
    if (window)
      text += ", window = " + std::to_string(window) + " : i64";
    if (softCap != 0)
      text += ", soft_cap = " + std::to_string(softCap) + " : f32";
    return text +
           (name == "decode_attention" ? ", splits = " + std::to_string(splits) + " : i64}" : "}");
  }
};

/// Where the elements of a head are in a cache, in bytes.
struct Place {
  int64_t first, step, scale;
};

/// Keys or values as numbers.
class Cache {
public:
  Cache(const Case &c, bool isKeys)
      : c(c), isKeys(isKeys),
        storage(c.caches() * c.groups * c.stored(c.depth) * c.context * size() / 4, 7.0f) {}

  double operator()(int64_t sequence, int64_t group, int64_t position, int64_t d) const {
    const Place at = find(sequence, group, position, d / 32);
    const int64_t from = at.first + d % 32 * at.step;
    if (c.element == Element::f32)
      return read<float>(from);
    if (c.element == Element::f16)
      return static_cast<double>(read<_Float16>(from));
    return static_cast<double>(read<_Float16>(at.scale)) * read<int8_t>(from);
  }
  /// The elements of a head; if they are not numbers, so are those in the cache.
  void set(int64_t sequence, int64_t group, int64_t position, const std::vector<double> &values) {
    for (int64_t d = 0; d < c.depth; d += 32) {
      const Place at = find(sequence, group, position, d / 32);
      float largest = 0;
      for (int64_t i = 0; i < 32; ++i)
        largest = std::isnan(values[d]) ? NAN : std::fmax(largest, std::fabs(float(values[d + i])));
      const auto scale = static_cast<_Float16>(largest / 127);
      if (c.element == Element::i8)
        write(at.scale, scale);
      for (int64_t i = 0; i < 32; ++i) {
        const auto value = static_cast<float>(values[d + i]);
        const int64_t to = at.first + i * at.step;
        if (c.element == Element::f32)
          write(to, value);
        else if (c.element == Element::f16)
          write(to, static_cast<_Float16>(value));
        else
          write(to, std::isnan(value) ? int8_t(100)
                    : scale == 0
                        ? int8_t(0)
                        : static_cast<int8_t>(std::clamp(
                              std::nearbyint(value / static_cast<float>(scale)), -127.0f, 127.0f)));
      }
    }
  }
  const float *data() const { return storage.data(); }
  bool guardIntact() const { return storage.guardIntact(); }
  bool operator==(const Cache &other) const {
    return std::memcmp(storage.data(), other.storage.data(), storage.size() * 4) == 0;
  }
  void swap(Cache &other) { std::swap(storage, other.storage); }

private:
  int64_t size() const { return c.element == Element::f32 ? 4 : c.element == Element::f16 ? 2 : 1; }
  Place find(int64_t sequence, int64_t group, int64_t position, int64_t column) const {
    const int64_t head = sequence * c.groups + group, block = position / 32, at = position % 32;
    if (isKeys) {
      const int64_t begin = (head * (c.context / 32) + block) * c.stored(c.depth) * 32;
      return {(begin + column * 1024 + at) * size(), 32 * size(),
              begin + c.depth * 32 + column * 64 + at * 2};
    }
    const int64_t begin =
        ((head * (c.depth / 32) + column) * (c.context / 32) + block) * c.stored(32) * 32;
    return {(begin + at * 32) * size(), size(), begin + 1024 + at * 2};
  }
  template <typename T> T read(int64_t at) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const char *>(storage.data()) + at, sizeof(T));
    return value;
  }
  template <typename T> void write(int64_t at, T value) {
    std::memcpy(reinterpret_cast<char *>(storage.data()) + at, &value, sizeof(T));
  }

  Case c;
  bool isKeys;
  Buffer storage;
};

/// Operands, and what they become. Sequence s has `at` + 37 s positions, of as many as there are.
struct Data {
  Buffer qkv, table, sinks, y;
  Cache keys, values;
  std::vector<int64_t> at;
  Buffer position, count{1}, active;

  Data(const Case &c, int64_t first, int64_t valid, unsigned seed)
      : qkv(c.rows * c.width()), table(c.context * c.depth), sinks(c.heads),
        y(c.rows * c.heads * c.depth), keys(c, true), values(c, false), position(c.caches()),
        active(c.active.size()) {
    qkv.fillRandom(seed);
    for (size_t i = 0; i < qkv.size(); ++i)
      qkv[i] *= 3;
    sinks.fillRandom(seed + 7);
    for (size_t i = 0; i < sinks.size(); ++i)
      sinks[i] *= 5;
    for (int64_t p = 0; p < c.context; ++p)
      for (int64_t i = 0; i < c.depth / 2; ++i) {
        const double angle = static_cast<double>(p) * std::pow(1e4, -2.0 * i / c.depth);
        table[p * c.depth + i] = static_cast<float>(std::cos(angle));
        table[p * c.depth + c.depth / 2 + i] = static_cast<float>(std::sin(angle));
      }
    Buffer random(c.groups * c.context * c.depth);
    for (int64_t s = 0; s < c.caches(); ++s) {
      at.push_back(first < 0 || first >= c.context ? first : (first + 37 * s) % c.context);
      position[s] = std::bit_cast<float>(static_cast<int32_t>(at[s]));
      random.fillRandom(seed + 1 + s);
      // What is not in use must not matter: not even if it is not a number. The first row's window
      // begins first.
      for (int64_t g = 0; g < c.groups; ++g)
        for (int64_t p = 0; p < c.context; ++p) {
          const float *from = random.data() + (g * c.context + p) * c.depth;
          std::vector<double> value(from, from + c.depth), key;
          for (double &element : value) {
            element = p < at[s] && p >= c.firstAttended(at[s]) ? element : NAN;
            key.push_back(2 * element);
          }
          keys.set(s, g, p, key);
          values.set(s, g, p, value);
        }
    }
    count[0] = std::bit_cast<float>(static_cast<int32_t>(valid));
    for (size_t i = 0; i < c.active.size(); ++i)
      active[i] = std::bit_cast<float>(c.active[i]);
  }

  std::vector<const float *> operands(const Case &c) const {
    std::vector<const float *> result{qkv.data(), keys.data(), values.data(), position.data()};
    if (c.rope != Rope::none)
      result.push_back(table.data());
    if (c.hasCount)
      result.push_back(count.data());
    if (c.sequences)
      result.push_back(active.data());
    if (c.hasSinks)
      result.push_back(sinks.data());
    return result;
  }
};

} // namespace ttc::test

#endif // TTC_TEST_UNIT_KERNELS_CACHECASES_H
