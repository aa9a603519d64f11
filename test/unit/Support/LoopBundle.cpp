// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoopBundle.h"

#include <algorithm>
#include <cstring>

namespace ttrt::test {

uint64_t LoopShape::executions(int64_t n) const {
  uint64_t times = hasFlag ? std::min<uint64_t>(std::max<int64_t>(n, 0), this->times) : this->times;
  for (uint32_t i = 1; i < depth; ++i)
    times *= outerTimes;
  return times;
}

void PrintTo(const LoopShape &shape, std::ostream *stream) {
  *stream << (shape.isWide ? "wide" : "narrow") << (shape.hasFlag ? ", flag" : "") << ", "
          << shape.times << " times, depth " << shape.depth;
}

LoopBundle::LoopBundle(const LoopShape &shape)
    : shape(shape), bytes(shape.elements() * sizeof(float)) {
  const std::vector<float> more(256, kMore);
  w = builder.constant("w", more.data(), more.size() * sizeof(float));
  x = builder.dataBegin();
  y = x + 1024;
  n = y + 1024;
  a = n + 64;
  b = a + 1024;
  counter = b + 1024;
  flag = counter + 64;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, bytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, bytes);
  const uint32_t times = builder.buffer("n", fb::BufferKind::Slot, n, 8);
  builder.buffer("a", fb::BufferKind::Activation, a, bytes);
  builder.buffer("b", fb::BufferKind::Activation, b, bytes);
  builder.buffer("counter", fb::BufferKind::Activation, counter, 8);
  builder.buffer("flag", fb::BufferKind::Activation, flag, 1);
  add = shape.isWide ? builder.program("test_add", 16, {bytes, bytes}, {bytes})
                     : builder.program("test_tiny", 1, {bytes}, {bytes});
  countDown = builder.program("test_count_down", 1, {8}, {8, 1});
  builder.bundle.programs[countDown]->operands[1]->in_place_of = {0};
  isPositive = builder.program("test_is_positive", 1, {8}, {1});
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {shape.elements()}, in);
  BundleBuilder::port(entry.inputs, "n", {1}, times, fb::DType::I64);
  BundleBuilder::port(entry.outputs, "y", {shape.elements()}, out);
  builder.bundle.required_features = {kLoopsFeature};
}

uint32_t LoopBundle::options() const {
  return (shape.isWide ? 0 : kSequential) | (shape.fails && shape.hasFlag ? kFailsAtLimit : 0);
}

std::vector<CarriedRange> LoopBundle::carried() const {
  if (shape.hasFlag)
    return {{a, bytes}, {counter, 8}, {flag, 1}};
  return {{a, bytes}};
}

void LoopBundle::barrier() {
  if (shape.isWide)
    stream.barrier();
}

void LoopBundle::addTo(uint64_t to, uint64_t from) {
  if (shape.isWide)
    stream.dispatch(add, {from, w, to});
  else
    stream.dispatch(add, {from, to});
}

void LoopBundle::begin() { stream.copy(a, x, bytes); }

void LoopBundle::body() {
  addTo(b, a);
  barrier();
  stream.copy(a, b, bytes);
  if (shape.hasFlag)
    stream.dispatch(countDown, {counter, counter, flag});
}

void LoopBundle::loops() {
  const uint32_t outer = shape.isWide ? 0 : kSequential;
  for (uint32_t i = 1; i < shape.depth; ++i)
    stream.repeat(shape.outerTimes, {{a, bytes}}, outer);
  if (shape.hasFlag) {
    stream.copy(counter, n, 8);
    stream.dispatch(isPositive, {counter, flag});
  }
  stream.repeat(shape.times, carried(), options(), flagOf());
  body();
  stream.endRepeat();
  for (uint32_t i = 1; i < shape.depth; ++i)
    stream.endRepeat();
}

void LoopBundle::end() { stream.copy(y, a, bytes); }

BundleBuilder LoopBundle::finish() {
  stream.end();
  BundleBuilder result = builder;
  const uint32_t trace = result.trace("main_t0", stream);
  BundleBuilder::run(*result.bundle.entries[0], {trace});
  return result;
}

BundleBuilder loopBundle(const LoopShape &shape) {
  LoopBundle bundle(shape);
  bundle.begin();
  bundle.loops();
  bundle.end();
  return bundle.finish();
}

namespace {
/// Copies the words of a stream up to the end of the loop that they are in.
struct Unroller {
  const std::vector<uint64_t> &words;
  const uint64_t iterations;
  StreamBuilder result = {};

  CommandHeader headerAt(size_t at) const {
    CommandHeader header;
    memcpy(&header, &words[at], sizeof(header));
    return header;
  }
  void barrier(bool isThere) {
    if (isThere)
      result.barrier();
  }
  /// Returns where it has ended.
  size_t copy(size_t at, bool isAlone) {
    while (at < words.size()) {
      const CommandHeader header = headerAt(at);
      const size_t size = header.size / sizeof(uint64_t);
      if (header.opcode == Opcode::EndRepeat)
        return at;
      if (header.opcode == Opcode::Repeat) {
        RepeatCommand loop;
        memcpy(&loop, &words[at], sizeof(loop));
        const bool orders = !(loop.options & kSequential);
        barrier(orders);
        for (uint64_t i = 0; i < iterations; ++i) {
          copy(at + size, !orders);
          barrier(orders);
        }
        at += size + loop.bodyBytes / sizeof(uint64_t) + 1;
        continue;
      }
      if (header.opcode != Opcode::Barrier || !isAlone) {
        result.words.insert(result.words.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                            words.begin() + static_cast<std::ptrdiff_t>(at + size));
        ++result.commands;
      }
      at += size;
    }
    return at;
  }
};
} // namespace

BundleBuilder unrollLoops(const BundleBuilder &builder, uint64_t iterations) {
  BundleBuilder result = builder;
  for (size_t i = 0; i < builder.streams.size(); ++i) {
    Unroller unroller{builder.streams[i].words, iterations};
    unroller.copy(0, /*isAlone=*/false);
    result.streams[i] = unroller.result;
    result.bundle.traces[i]->commands = unroller.result.commands;
  }
  result.bundle.required_features.clear();
  return result;
}

void repairLoops(BundleBuilder &builder) {
  for (StreamBuilder &stream : builder.streams) {
    struct Open {
      size_t at;
      uint32_t command;
    };
    std::vector<Open> open;
    uint32_t command = 0;
    for (size_t at = 0; at < stream.words.size(); ++command) {
      CommandHeader header;
      memcpy(&header, &stream.words[at], sizeof(header));
      if (header.opcode == Opcode::Repeat)
        open.push_back({at, command});
      if (header.opcode == Opcode::EndRepeat && !open.empty()) {
        RepeatCommand loop;
        memcpy(&loop, &stream.words[open.back().at], sizeof(loop));
        loop.bodyBytes = (at - open.back().at) * sizeof(uint64_t) - loop.header.size;
        loop.bodyCommands = command - open.back().command - 1;
        memcpy(&stream.words[open.back().at], &loop, sizeof(loop));
        open.pop_back();
      }
      at += header.size / sizeof(uint64_t);
    }
  }
}

} // namespace ttrt::test
