// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a bundle's tree: of any field of any table, and of any field of any command.

#ifndef TTC_TEST_FUZZ_CHANGES_H
#define TTC_TEST_FUZZ_CHANGES_H

#include "BundleModel.h"

#include <map>

namespace ttrt::fuzz {

/// Small, and the same on every machine. Or not random at all: the bytes that a fuzzer chose.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  Random(const uint8_t *data, size_t size) : bytes(data), left(size), isChosen(true) {}
  uint64_t next() { return isChosen ? take(8) : generate(); }
  /// Below `count`, which is not 0.
  uint64_t below(uint64_t count) {
    return (isChosen ? take(count <= 256 ? 1 : count <= 65536 ? 2 : 8) : generate()) % count;
  }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  /// True if all bytes are taken; more are 0.
  bool isAtEnd() const { return isChosen && left == 0; }

private:
  uint64_t generate();
  uint64_t take(size_t count);

  uint64_t state = 0;
  const uint8_t *bytes = nullptr;
  size_t left = 0;
  bool isChosen = false;
};

enum class Operation : uint8_t {
  Set,       ///< a scalar or string, to another value
  SetAll,    ///< a scalar, and every other one of that field that is equal to it
  Exchange,  ///< with the same field of another table, or with another element
  Drop,      ///< an element of a vector
  Double,    ///< an element of a vector; the copy follows it
  Clear,     ///< all elements of a vector
  Remove,    ///< a string, table or vector
  ToBarrier, ///< a command
  Replace,   ///< a number: in all fields of any kind below one node
  Permute,   ///< two numbers: each where the other one was, in all fields below one node
};
inline constexpr size_t kOperations = 10;
const char *nameOf(Operation operation);

using Path = std::vector<uint32_t>;

/// A place in the tree: items to take, from the root.
struct Site {
  Path path;
  uint32_t kind;    ///< of field: index into Sites::kinds
  const Type *type; ///< of a vector: of its elements
  Kind node;
  bool isElement;    ///< of a vector
  std::string label; ///< "programs[3].operands[0].bytes"
};

/// All places of a tree, by the kind of field: "Program.grid", "copy.bytes".
struct Sites {
  explicit Sites(const BundleModel &model);

  /// Numbers of all kinds of fields, and of those of the commands.
  std::vector<uint32_t> all, commands;
  std::vector<std::string> kinds;
  std::vector<std::vector<Site>> ofKind;
};

struct Change {
  Operation operation = Operation::Set;
  uint32_t kind = 0;
  Path path;
  Path other;          ///< Exchange; Replace, Permute: the node
  uint64_t value = 0;  ///< the new value; Drop, Double: the element
  std::string text;    ///< Set of a string
  bool repair = false; ///< Drop, Double: move the lifetimes that begin or end later
  std::string what;    ///< for people
};

/// A random change of one of `kinds`; its operation may turn out to be void.
Change makeChange(const BundleModel &model, const Sites &sites, const std::vector<uint32_t> &kinds,
                  Random &random);
/// False if the change does not apply, because an earlier one took its place away.
bool apply(const BundleModel &model, const Sites &sites, const Change &change, Node &tree);

/// Several changes of mutant `number`: one in half of the mutants, else two or three.
std::vector<Change> makeChanges(const BundleModel &model, const Sites &sites, uint64_t seed,
                                uint64_t number);

} // namespace ttrt::fuzz

#endif // TTC_TEST_FUZZ_CHANGES_H
