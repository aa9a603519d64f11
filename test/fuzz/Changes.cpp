// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Changes.h"

#include <algorithm>
#include <utility>

namespace ttrt::fuzz {

uint64_t Random::generate() { // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

uint64_t Random::take(size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && left > 0; ++i, --left)
    value = value << 8 | *bytes++;
  return value;
}

const char *nameOf(Operation operation) {
  static const char *const kNames[kOperations] = {
      "set",     "set everywhere", "exchanged",    "dropped",  "doubled",
      "cleared", "removed",        "to a barrier", "replaced", "permuted"};
  return kNames[static_cast<size_t>(operation)];
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

namespace {

class Collector {
public:
  Collector(const BundleModel &model, Sites &sites) : model(model), sites(sites) {}

  void table(const Node &node, const std::string &label) {
    const Table &type = model.schema().table(node.table);
    for (uint32_t i = 0; i < node.items.size(); ++i) {
      const Field &field = type.fields[i];
      const Node &item = node.items[i];
      const std::string kind = type.name + "." + field.name;
      const std::string name = label.empty() ? field.name : label + "." + field.name;
      path.push_back(i);
      // The root's parts are there in any file.
      const bool isPart = node.table == model.file();
      if (!isPart)
        add(kind, field.type, item, false, name);
      if (item.kind == Kind::Table && item.present)
        table(item, isPart ? "" : name);
      for (uint32_t j = 0; j < item.items.size() && item.kind == Kind::Vector; ++j) {
        path.push_back(j);
        const std::string element = name + "[" + std::to_string(j) + "]";
        if (!isPart)
          add(kind + "[]", field.type, item.items[j], true, element);
        if (item.items[j].kind == Kind::Table)
          table(item.items[j], element);
        path.pop_back();
      }
      path.pop_back();
    }
  }

private:
  void add(const std::string &kind, const Type &type, const Node &node, bool isElement,
           const std::string &label) {
    const auto [at, isNew] = numbers.try_emplace(kind, static_cast<uint32_t>(sites.kinds.size()));
    if (isNew) {
      sites.kinds.push_back(kind);
      sites.ofKind.emplace_back();
    }
    sites.ofKind[at->second].push_back({path, at->second, &type, node.kind, isElement, label});
  }

  const BundleModel &model;
  Sites &sites;
  Path path;
  std::map<std::string, uint32_t> numbers;
};

} // namespace

Sites::Sites(const BundleModel &model) {
  Collector(model, *this).table(model.original(), "");
  for (uint32_t kind = 0; kind < kinds.size(); ++kind) {
    all.push_back(kind);
    if (ofKind[kind][0].path[0] == StreamsPart)
      commands.push_back(kind);
  }
}

//===----------------------------------------------------------------------===//
// Making changes
//===----------------------------------------------------------------------===//

static const Node *find(const Node &root, const Path &path) {
  const Node *node = &root;
  for (uint32_t item : path) {
    if (item >= node->items.size())
      return nullptr;
    node = &node->items[item];
  }
  return node;
}

static Node *find(Node &root, const Path &path) {
  return const_cast<Node *>(find(std::as_const(root), path));
}

/// As the field would store it.
static uint64_t truncate(uint64_t value, const Type &type) {
  if (type.bytes == 8)
    return value;
  const uint32_t bits = type.bytes * 8;
  value &= (uint64_t(1) << bits) - 1;
  return type.isSigned && value >> (bits - 1) ? value | ~uint64_t(0) << bits : value;
}

static uint64_t randomValue(const Type &type, uint64_t old, uint64_t others, Random &random) {
  if (!type.enumerators.empty() && !random.oneIn(6))
    return type.enumerators[random.below(type.enumerators.size())];
  switch (random.below(14)) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return 0;
  case 3:
    return ~uint64_t(0);
  case 4:
    return uint64_t(1) << random.below(type.bytes * 8);
  case 5:
    return random.next();
  case 6:
    return old + 64;
  case 7:
    return old - 64;
  case 8:
    return old + 4096;
  case 9:
    return random.oneIn(2) ? old * 2 : old / 2;
  case 10:
    return random.below(8);
  default:
    return others;
  }
}

static std::string randomText(const std::string &old, const std::string &others, Random &random) {
  switch (random.below(5)) {
  case 0:
    return "";
  case 1:
    return old + "x";
  case 2:
    return old.substr(0, old.size() / 2);
  default:
    return others;
  }
}

Change makeChange(const BundleModel &model, const Sites &sites, const std::vector<uint32_t> &kinds,
                  Random &random) {
  const Node &root = model.original();
  Change change;
  change.kind = kinds[random.below(kinds.size())];
  const std::vector<Site> &places = sites.ofKind[change.kind];
  const Site &site = places[random.below(places.size())];
  const Site &other = places[random.below(places.size())];
  const Node &node = *find(root, site.path);
  change.path = site.path;
  change.repair = random.oneIn(2);
  change.what = site.label;

  if (places.size() > 1 && random.oneIn(4)) {
    change.operation = Operation::Exchange;
    change.other = other.path;
    change.what += " <-> " + other.label;
    return change;
  }
  switch (node.kind) {
  case Kind::Scalar:
    change.operation = random.oneIn(6) ? Operation::SetAll : Operation::Set;
    // Numbers that are large enough to mean one thing: an address or a size.
    if (node.scalar >= 64 && random.oneIn(3)) {
      change.operation = random.oneIn(2) ? Operation::Replace : Operation::Permute;
      change.other.assign(site.path.begin(),
                          site.path.begin() +
                              static_cast<ptrdiff_t>(random.below(site.path.size())));
    }
    change.value = truncate(
        randomValue(*site.type, node.scalar, find(root, other.path)->scalar, random), *site.type);
    change.what += ": " + std::to_string(node.scalar) + " -> " + std::to_string(change.value);
    if (change.operation > Operation::ToBarrier)
      change.what += " below " + std::to_string(change.other.size()) + " levels";
    break;
  case Kind::String:
    if (random.oneIn(8) && !site.isElement) {
      change.operation = Operation::Remove;
    } else {
      change.text = randomText(node.text, find(root, other.path)->text, random);
      change.what += ": '" + node.text + "' -> '" + change.text + "'";
    }
    break;
  case Kind::Table:
    change.operation = Operation::Remove;
    if (model.isCommand(node.table)) {
      change.operation = Operation::ToBarrier;
    } else if (site.isElement) {
      change.operation = random.oneIn(2) ? Operation::Drop : Operation::Double;
      change.value = change.path.back();
      change.path.pop_back();
    }
    break;
  case Kind::Vector:
    if (node.items.empty() || random.oneIn(8)) {
      change.operation = random.oneIn(2) ? Operation::Clear : Operation::Remove;
      break;
    }
    change.operation = random.oneIn(2) ? Operation::Drop : Operation::Double;
    change.value = random.below(node.items.size());
    change.what += "[" + std::to_string(change.value) + "]" + (change.repair ? " with times" : "");
    break;
  }
  return change;
}

/// Whether a change of the original changes nothing.
static bool isVoid(const Node &root, const Change &change) {
  const Node &node = *find(root, change.path);
  switch (change.operation) {
  case Operation::Set:
    return node.kind == Kind::String ? node.present && node.text == change.text
                                     : node.scalar == change.value;
  case Operation::SetAll:
  case Operation::Replace:
  case Operation::Permute:
    return node.scalar == change.value;
  case Operation::Exchange:
    return node == *find(root, change.other);
  case Operation::Clear:
    return node.present && node.items.empty();
  case Operation::Remove:
    return !node.present;
  default:
    return false;
  }
}

std::vector<Change> makeChanges(const BundleModel &model, const Sites &sites, uint64_t seed,
                                uint64_t number) {
  Random random(seed * 0x2545f4914f6cdd1d + number);
  const uint64_t count = random.oneIn(2) ? 1 : 2 + random.below(2);
  std::vector<Change> changes;
  // Most fields are 0 in most tables, and stay it with some of the changes.
  for (uint64_t i = 0, attempts = 0; i < count; ++attempts) {
    Change change = makeChange(model, sites, sites.all, random);
    if (attempts < 4 * count && isVoid(model.original(), change))
      continue;
    changes.push_back(std::move(change));
    ++i;
  }
  return changes;
}

//===----------------------------------------------------------------------===//
// Applying changes
//===----------------------------------------------------------------------===//

/// What else a command or step takes with it: its source, its points on the timeline.
static void follow(const BundleModel &model, const Change &change, Node &tree) {
  const int64_t by = change.operation == Operation::Drop ? -1 : 1;
  const auto element = static_cast<uint32_t>(change.value);
  std::vector<uint64_t> points;
  if (change.path[0] == StreamsPart && change.path.size() == 3) {
    points = model.pointsOfCommand(tree, change.path[1], element);
  } else if (change.path.size() == 6) { // metadata, entries, i, schedules, j, part
    const Node *schedule = find(tree, Path(change.path.begin(), change.path.end() - 1));
    if (model.schema().table(schedule->table).name != "Schedule")
      return;
    if (auto point =
            model.pointOfStep(tree, change.path[2], change.path[4], change.path[5], element))
      points.push_back(*point);
  }
  std::sort(points.rbegin(), points.rend());
  for (uint64_t point : points)
    model.moveLifetimes(tree, point, by);
}

static bool changeElements(const BundleModel &model, const Change &change, Node &tree) {
  Node &vector = *find(tree, change.path);
  if (vector.kind != Kind::Vector || change.value >= vector.items.size())
    return false;
  if (change.repair)
    follow(model, change, tree);
  const auto at = vector.items.begin() + static_cast<ptrdiff_t>(change.value);
  if (change.operation == Operation::Drop)
    vector.items.erase(at);
  else
    vector.items.insert(at, Node(*at));
  if (change.path[0] != StreamsPart)
    return true;
  if (change.path.size() == 3)
    model.changeSource(tree, change.path[1], static_cast<uint32_t>(change.value),
                       change.operation == Operation::Drop);
  model.placeStreams(tree);
  return true;
}

/// `from` becomes `to` in all numbers below a node, and with `both` also the other way round.
static void replace(Node &node, uint64_t from, uint64_t to, bool both) {
  if (node.kind == Kind::Scalar) {
    if (node.scalar == from)
      node.scalar = to;
    else if (both && node.scalar == to)
      node.scalar = from;
  }
  for (Node &item : node.items)
    replace(item, from, to, both);
}

bool apply(const BundleModel &model, const Sites &sites, const Change &change, Node &tree) {
  Node *node = find(tree, change.path);
  if (!node)
    return false;
  switch (change.operation) {
  case Operation::Set:
    (node->kind == Kind::String ? void(node->text = change.text)
                                : void(node->scalar = change.value));
    node->present = true;
    return true;
  case Operation::SetAll: {
    const uint64_t old = node->scalar;
    for (const Site &site : sites.ofKind[change.kind])
      if (Node *equal = find(tree, site.path);
          equal && equal->kind == Kind::Scalar && equal->scalar == old)
        equal->scalar = change.value;
    return true;
  }
  case Operation::Exchange: {
    Node *other = find(tree, change.other);
    const size_t common = std::min(change.path.size(), change.other.size());
    // An ancestor cannot change places with what it contains.
    if (!other ||
        std::equal(change.path.begin(), change.path.begin() + static_cast<ptrdiff_t>(common),
                   change.other.begin()))
      return false;
    std::swap(*node, *other);
    if (change.path[0] == StreamsPart)
      model.placeStreams(tree);
    return true;
  }
  case Operation::Drop:
  case Operation::Double:
    return changeElements(model, change, tree);
  case Operation::Clear:
  case Operation::Remove:
    node->items.clear();
    node->text.clear();
    node->present = change.operation == Operation::Clear;
    if (change.path[0] == StreamsPart) {
      node->present = true;
      model.placeStreams(tree);
    }
    return true;
  case Operation::ToBarrier:
    *node = model.barrier();
    model.placeStreams(tree);
    return true;
  case Operation::Replace:
  case Operation::Permute:
    if (node->kind != Kind::Scalar)
      return false;
    replace(*find(tree, change.other), node->scalar, change.value,
            change.operation == Operation::Permute);
    return true;
  }
  return false;
}

} // namespace ttrt::fuzz
