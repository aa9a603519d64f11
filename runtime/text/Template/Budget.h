// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one render of a chat template may spend. Every operation pays before it works, so hostile
// templates end early, with a Failure.

#ifndef TTRT_TEXT_TEMPLATE_BUDGET_H
#define TTRT_TEXT_TEMPLATE_BUDGET_H

#include <cstddef>
#include <cstdint>

namespace ttrt::language::chat {

class Budget {
public:
  static constexpr uint64_t kMostSteps = 4'000'000;
  static constexpr uint64_t kMostBytes = uint64_t(256) << 20;

  explicit Budget(uint64_t steps = kMostSteps, uint64_t bytes = kMostBytes)
      : mostSteps(steps), mostBytes(bytes) {}
  Budget(const Budget &) = delete;
  Budget &operator=(const Budget &) = delete;

  /// Pays for statements, evaluated expressions, or elements that an operation visits.
  void step(uint64_t count = 1) { pay(count, kStep); }
  /// Pays for bytes that are copied, compared or searched: 64 are a step.
  void read(uint64_t bytes) { pay(bytes, 1); }
  /// Pays for bytes that are looked at one by one: 16 are a step.
  void scan(uint64_t bytes) { pay(bytes, kStep / 16); }
  /// Pays for fields of dictionaries and arguments whose names are compared: 16 are a step.
  void search(uint64_t fields) { pay(fields, kStep / 16); }
  /// Counts bytes that values have. They count until the render ends, even if a value is released.
  void hold(uint64_t bytes) {
    held += bytes;
    if (held > mostBytes)
      failBytes();
  }

  /// Started steps.
  uint64_t steps() const { return (spent + kStep - 1) / kStep; }
  uint64_t bytes() const { return held; }

  /// Counts levels of statements, expressions and filters while one is evaluated.
  class Level {
  public:
    explicit Level(Budget &budget) : budget(budget) {
      if (budget.levels == kDeepest)
        failLevels();
      ++budget.levels;
    }
    ~Level() { --budget.levels; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;

  private:
    Budget &budget;
  };

  /// Levels, which together take 0.5 MB of the stack, and less than 2 MB with sanitizers at -O0. A
  /// call of a macro takes about five.
  static constexpr int kDeepest = 500;

private:
  static constexpr uint64_t kStep = 64;

  void pay(uint64_t count, uint64_t price) {
    // Sizes of values are far below 2^57, but a product of sizes may be more.
    spent += count < UINT32_MAX ? count * price : uint64_t(UINT32_MAX) * price;
    if (spent > mostSteps * kStep)
      failSteps();
  }
  [[noreturn]] void failSteps() const;
  [[noreturn]] void failBytes() const;
  [[noreturn]] static void failLevels();

  const uint64_t mostSteps, mostBytes;
  uint64_t spent = 0; ///< in parts of a step
  uint64_t held = 0;
  int levels = 0;
};

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_BUDGET_H
