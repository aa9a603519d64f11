// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping and waking, with threads held up where the others can overtake them.

#include "Device/Flag.h"
#include "test/unit/Support/Rounds.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace ttrt;

namespace {

struct Hook {
  static inline std::function<void(FlagPoint)> function;
  static void at(FlagPoint point) noexcept {
    if (function)
      function(point);
  }
};

using HeldFlag = FlagWith<Hook>;

class Flags : public testing::Test {
protected:
  ~Flags() override { Hook::function = nullptr; }

  /// False after a time that is long for a machine under any load.
  template <typename Condition> static bool comes(Condition condition) {
    for (int i = 0; i < 20000; ++i) {
      if (condition())
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  HeldFlag flag;
};

/// Who raises the flag has set the word, and is held up before it asks who wants what. Meanwhile
/// the one that it found asleep has seen the word and waits for the next value: that wish must
/// outlive the question.
TEST_F(Flags, AWishForTheNextValueIsNotLost) {
  std::atomic<int> sleeps{0}, allowed{0};
  std::atomic<bool> waking{false};
  Hook::function = [&](FlagPoint point) {
    if (point == FlagPoint::Sleep) {
      const int mine = ++sleeps;
      comes([&] { return allowed >= mine; });
    } else if (!waking.exchange(true)) {
      allowed = 1;
      comes([&] { return sleeps >= 2; });
    }
  };
  std::atomic<uint32_t> seen{0};
  std::thread waiter([&] {
    for (uint32_t value : {1, 2}) {
      flag.await(value, /*spins=*/0);
      seen = value;
    }
  });
  EXPECT_TRUE(comes([&] { return sleeps == 1; }));
  flag.set(1);
  EXPECT_EQ(seen, 1u);
  allowed = 1000;
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the waiter is most likely asleep
  flag.set(2);
  EXPECT_TRUE(comes([&] { return seen == 2; })) << "asleep, although the flag is raised";
  flag.poke();
  waiter.join();
}

/// Any two threads, held up anywhere.
TEST_F(Flags, NoWakeUpIsLost) {
  constexpr uint32_t kWaiters = 3;
  const uint32_t kValues = test::isNightly() ? 20000 : 5000;
  Hook::function = [](FlagPoint) {
    thread_local std::minstd_rand random(
        static_cast<uint32_t>(std::hash<std::thread::id>()(std::this_thread::get_id())));
    for (auto yields = random() % 4 ? 0 : random() % 8; yields; --yields)
      std::this_thread::yield();
  };
  std::atomic<uint32_t> seen[kWaiters] = {};
  std::vector<std::thread> waiters;
  for (uint32_t stride = 1; stride <= kWaiters; ++stride)
    waiters.emplace_back([this, stride, kValues, &mine = seen[stride - 1]] {
      for (uint32_t value = stride; value <= kValues; value += stride) {
        flag.await(value, /*spins=*/0);
        mine = value;
      }
      mine = kValues;
    });
  bool lost = false;
  for (uint32_t value = 1; value <= kValues && !lost; ++value) {
    flag.set(value);
    for (const auto &its : seen)
      for (int i = 0; its + 4 < value && !lost; ++i)
        if (i < 1000)
          std::this_thread::yield();
        else
          lost = !comes([&] { return its + 4 >= value; });
  }
  EXPECT_FALSE(lost) << "asleep, although the flag is raised";
  flag.set(kValues);
  flag.poke();
  for (std::thread &waiter : waiters)
    waiter.join();
}

/// Several threads add, delayed anywhere: the one that adds the last must wake the waiters.
TEST_F(Flags, NoWakeUpIsLostWhenSeveralAdd) {
  constexpr uint32_t kAdders = 3, kWaiters = 2;
  const uint32_t kRounds = test::isNightly() ? 400 : 150;
  Hook::function = [](FlagPoint) {
    thread_local std::minstd_rand random(
        static_cast<uint32_t>(std::hash<std::thread::id>()(std::this_thread::get_id())));
    for (auto yields = random() % 4 ? 0 : random() % 8; yields; --yields)
      std::this_thread::yield();
  };
  std::atomic<uint32_t> seen[kWaiters] = {};
  std::atomic<uint32_t> round{0};
  std::vector<std::thread> threads;
  for (auto &mine : seen)
    threads.emplace_back([&] {
      for (uint32_t i = 1; i <= kRounds; ++i) {
        flag.await(i * kAdders * 2, /*spins=*/0);
        mine = i;
      }
    });
  for (uint32_t adder = 0; adder < kAdders; ++adder)
    threads.emplace_back([&] {
      for (uint32_t i = 1; i <= kRounds; ++i) {
        while (round < i)
          std::this_thread::yield();
        flag.add(1);
        flag.add(1);
      }
    });
  bool lost = false;
  for (uint32_t i = 1; i <= kRounds; ++i) {
    round = i;
    for (const auto &its : seen) {
      for (int turn = 0; its < i && turn < 1000; ++turn)
        std::this_thread::yield();
      lost = lost || !comes([&] { return its >= i; });
    }
    if (lost)
      flag.poke();
  }
  EXPECT_FALSE(lost) << "asleep, although the flag is raised";
  for (std::thread &thread : threads)
    thread.join();
}

/// Alarms, in vain and not, beside wake-ups.
TEST_F(Flags, NoWakeUpIsLostWithAlarms) {
  constexpr uint32_t kValues = 300, kWaiters = 3;
  std::atomic<uint32_t> alarms{0};
  Hook::function = [&](FlagPoint point) { alarms += point == FlagPoint::Alarm; };
  const std::atomic<bool> cancelled{false};
  std::atomic<uint32_t> seen[kWaiters] = {};
  std::vector<std::thread> waiters;
  for (auto &mine : seen)
    waiters.emplace_back([&] {
      AdaptiveWait wait;
      for (uint32_t value = 1; value <= kValues; ++value) {
        EXPECT_TRUE(flag.await(value, cancelled, wait));
        mine = value;
      }
    });
  std::minstd_rand random(1);
  bool lost = false;
  for (uint32_t value = 1; value <= kValues && !lost; ++value) {
    // Regular for a while, then not.
    const uint32_t us = value % 30 < 20 ? 500 : 100 + static_cast<uint32_t>(random() % 1000);
    std::this_thread::sleep_for(std::chrono::microseconds(us));
    flag.set(value);
    for (const auto &its : seen)
      lost |= !comes([&] { return its >= value; });
  }
  EXPECT_FALSE(lost) << "asleep, although the flag is raised";
  EXPECT_GT(alarms, 0u);
  flag.set(kValues);
  flag.poke();
  for (std::thread &waiter : waiters)
    waiter.join();
}

/// A waiter that the alarm wakes learns that the flag is raised, or that it never will be.
TEST_F(Flags, AwakeBeforeTheFlagIsRaised) {
  std::atomic<int> alarms{0};
  Hook::function = [&](FlagPoint point) { alarms += point == FlagPoint::Alarm; };
  for (bool isRaised : {true, false}) {
    AdaptiveWait wait;
    wait.note(500000, /*wasAsleep=*/false);
    wait.note(500000, /*wasAsleep=*/false);
    std::atomic<bool> cancelled{false};
    bool reached = !isRaised;
    const int before = alarms;
    std::thread waiter([&] { reached = flag.await(isRaised ? 1 : 2, cancelled, wait); });
    EXPECT_TRUE(comes([&] { return alarms > before; }));
    if (isRaised) {
      flag.set(1);
    } else {
      cancelled = true;
      flag.poke();
    }
    waiter.join();
    EXPECT_EQ(reached, isRaised);
  }
}

TEST(Paces, TheAlarmGoesBeforeTheExpectedTime) {
  AdaptiveWait wait;
  EXPECT_EQ(wait.alarm(), 0u) << "nothing is known";
  wait.note(1000000, false);
  EXPECT_EQ(wait.alarm(), 0u) << "nothing is regular";
  wait.note(1050000, false);
  EXPECT_EQ(wait.alarm(), 1050000 - AdaptiveWait::kEarlyNs);
  wait.note(1050000, /*wasAsleep=*/true);
  EXPECT_EQ(wait.alarm(), 0u) << "earlier than seen, and so too different from the one before";
  wait.note(1050000, /*wasAsleep=*/true);
  EXPECT_EQ(wait.alarm(), 1050000 - AdaptiveWait::kMarginNs - AdaptiveWait::kEarlyNs);
}

TEST(Paces, NoAlarmWhereItGainsNothing) {
  for (uint64_t ns :
       {uint64_t(0), uint64_t(1000), 2 * AdaptiveWait::kEarlyNs, AdaptiveWait::kLongestNs}) {
    AdaptiveWait wait;
    wait.note(ns, false);
    wait.note(ns, false);
    EXPECT_EQ(wait.alarm(), 0u) << ns;
  }
  AdaptiveWait wait;
  for (int i = 0; i < 10; ++i) {
    wait.note(i % 2 ? 1000000 : 2000000, false);
    EXPECT_EQ(wait.alarm(), 0u);
  }
}

/// Spinning in vain becomes rare.
TEST(Paces, PatienceGrows) {
  AdaptiveWait wait;
  auto waitsUntilAlarm = [&] {
    int waits = 0;
    for (; !wait.alarm(); ++waits)
      wait.note(1000000, false);
    return waits;
  };
  EXPECT_EQ(waitsUntilAlarm(), 2);
  std::vector<int> waits;
  for (int i = 0; i < 8; ++i) {
    wait.spun(/*inVain=*/true);
    waits.push_back(waitsUntilAlarm());
  }
  EXPECT_EQ(waits, (std::vector<int>{2, 6, 14, 30, 62, 126, 126, 126}));
  wait.spun(/*inVain=*/false);
  EXPECT_EQ(waitsUntilAlarm(), 0);
  wait.spun(/*inVain=*/true);
  EXPECT_EQ(waitsUntilAlarm(), 2);
}

/// Who sleeps for a value that is far away is woken once, not for each.
TEST_F(Flags, NobodyIsWokenForNothing) {
  std::atomic<int> sleeps{0};
  Hook::function = [&](FlagPoint point) { sleeps += point == FlagPoint::Sleep; };
  std::thread waiter([&] { flag.await(1000, /*spins=*/0); });
  EXPECT_TRUE(comes([&] { return sleeps == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (uint32_t value = 1; value <= 1000; ++value)
    flag.set(value);
  waiter.join();
  EXPECT_LE(sleeps, 2); // twice if it was held up before it slept
}

/// Counters go round after 2^31, in a queue of a million commands a second after 36 minutes.
TEST_F(Flags, CountersGoRound) {
  for (int spins : {0, 1 << 20})
    for (uint32_t start : {(1u << 29) - 3, (1u << 30) - 3, (1u << 31) - 3, ~0u - 3}) {
      for (uint32_t at = flag.value(); (start - at) & 0x7fffffff;) {
        const uint32_t step = std::min((start - at) & 0x7fffffff, 1u << 29); // the largest step
        flag.set(at += step);
      }
      EXPECT_EQ(flag.value(), start & 0x7fffffff);
      EXPECT_TRUE(flag.isReached(start));
      EXPECT_TRUE(flag.isReached(start - 1));
      EXPECT_FALSE(flag.isReached(start + 1));
      std::atomic<uint32_t> seen{start};
      std::thread waiter([&] {
        for (uint32_t value = start + 1; value != start + 8; ++value) {
          flag.await(value, spins);
          seen = value;
        }
      });
      for (uint32_t value = start + 1; value != start + 8; ++value) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // most likely asleep
        flag.set(value);
        EXPECT_TRUE(comes([&] { return seen == value; })) << value;
      }
      flag.poke();
      waiter.join();
    }
}

TEST_F(Flags, PokedWaitersGiveUp) {
  std::atomic<bool> cancelled{false};
  std::atomic<int> sleeps{0};
  Hook::function = [&](FlagPoint point) { sleeps += point == FlagPoint::Sleep; };
  bool reached = true;
  std::thread waiter([&] { reached = flag.await(1, cancelled, /*spins=*/0); });
  EXPECT_TRUE(comes([&] { return sleeps == 1; }));
  cancelled = true;
  flag.poke();
  waiter.join();
  EXPECT_FALSE(reached);
}

} // namespace
