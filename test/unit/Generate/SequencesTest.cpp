// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several sequences of one generator: each gives the tokens that it gives alone, whichever others
// step with it.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Generating.h"

#include <map>

using namespace ttrt;
using namespace ttrt::test;

namespace {

Tokens expectedOf(const Tokens &prompt, size_t most, int32_t stop = -1, uint32_t seed = 0) {
  return test::expectedOf(prompt, most, stop < 0 ? Tokens() : Tokens{stop}, seed, seed != 0);
}

class Generating : public GeneratorOnDevice {
public:
  explicit Generating(uint32_t ahead = 0, uint32_t queues = 2,
                      BundleBuilder builder = sequencesBundle(), int noTrace = 0)
      : GeneratorOnDevice(std::move(builder), queues, ahead, noTrace) {}

  ttrt_status tryStart(uint32_t sequence, const Tokens &prompt, uint64_t tokens, int32_t stop = -1,
                       uint32_t seed = 0, int reuse = 0, int bySteps = 0) {
    ttrt_sampling sampling = TTRT_SAMPLING_INIT;
    if (stop >= 0)
      sampling.stop[sampling.stop_count++] = stop;
    if (seed)
      sampling.temperature = 1, sampling.seed[0] = seed;
    ttrt_generation generation = TTRT_GENERATION_INIT;
    generation.sampling = &sampling;
    generation.tokens = tokens;
    generation.reuse = reuse;
    generation.by_steps = bySteps;
    return ttrt_generator_start_sequence(generator, sequence, prompt.data(), prompt.size(),
                                         &generation, &error);
  }
  void start(uint32_t sequence, const Tokens &prompt, uint64_t tokens, int32_t stop = -1,
             uint32_t seed = 0, int reuse = 0, int bySteps = 0) {
    EXPECT_EQ(tryStart(sequence, prompt, tokens, stop, seed, reuse, bySteps), TTRT_OK)
        << error.message;
  }
  /// Returns whether there was one.
  bool take(ttrt_generated &generated) {
    generated = TTRT_GENERATED_INIT;
    const ttrt_status status = ttrt_generator_next_of_all(generator, &generated, &error);
    EXPECT_TRUE(status == TTRT_OK || status == TTRT_END) << error.message;
    return status == TTRT_OK;
  }
  /// The tokens of each sequence until all have ended, and why.
  std::map<uint32_t, Tokens> takeAll() {
    std::map<uint32_t, Tokens> all;
    ttrt_generated generated;
    while (take(generated)) {
      Tokens &tokens = all[generated.sequence];
      if (generated.token >= 0)
        tokens.push_back(generated.token);
      EXPECT_EQ(generated.count, tokens.size());
      ended[generated.sequence] = generated.ended;
    }
    return all;
  }
  Tokens state(const char *name, uint32_t sequence) {
    return GeneratorOnDevice::state(name, sequence, kSequences);
  }

  ttrt_error error{};
  std::map<uint32_t, ttrt_ended> ended;
};

class SequencesAhead : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};

TEST_P(SequencesAhead, EachGivesItsOwnTokens) {
  const auto [queues, ahead] = GetParam();
  for (int noTrace : {0, 1}) {
    Generating generating(ahead, queues, sequencesBundle(), noTrace);
    EXPECT_EQ(ttrt_generator_sequences(generating.generator), kSequences);
    EXPECT_EQ(ttrt_generator_context(generating.generator), kContext);
    for (uint32_t count = 1; count <= kSequences; ++count) {
      // They begin together and end one by one, not in their order.
      std::map<uint32_t, Tokens> wanted;
      for (uint32_t s = 0; s < count; ++s) {
        const Tokens prompt = promptOf(1 + 7 * s, s);
        const size_t tokens = 5 + 9 * ((s + 2) % 4);
        generating.start(s, prompt, tokens);
        wanted[s] = expectedOf(prompt, tokens);
      }
      EXPECT_EQ(generating.takeAll(), wanted);
      for (uint32_t s = 0; s < count; ++s) {
        EXPECT_EQ(generating.ended[s], TTRT_ENDED_BY_TOKENS);
        // No step more than was asked for.
        EXPECT_EQ(generating.state("position", s)[0],
                  static_cast<int32_t>(7 * s + wanted[s].size()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sequences, SequencesAhead,
                         testing::Combine(testing::Values(1, 2), testing::Values(1, 2, 16, 100)));

// Sequences begin and end at any time: by stop tokens, by numbers of tokens, by the context, and
// because they are stopped.
TEST(Sequences, ComeAndGo) {
  for (uint32_t ahead : {1, 3, 16}) {
    Generating generating(ahead);
    std::mt19937 random(ahead);
    struct Place {
      Tokens wanted, got;
      ttrt_ended ended = TTRT_NOT_ENDED;
      bool isBusy = false;
    } places[kSequences];
    uint32_t begun = 0, stopped = 0, reasons[4] = {};
    auto begin = [&](uint32_t s) {
      Place &place = places[s];
      const Tokens prompt = promptOf(1 + random() % 50, random());
      const size_t room = kContext - prompt.size() + 1;
      const uint32_t seed = random() % 2 ? random() % 1000 : 0;
      size_t tokens = random() % 3 ? 1 + random() % room : 0;
      int32_t stop = -1;
      place.wanted = expectedOf(prompt, tokens ? tokens : room, stop, seed);
      place.ended = place.wanted.size() == room ? TTRT_ENDED_BY_CONTEXT : TTRT_ENDED_BY_TOKENS;
      if (random() % 2) {
        stop = place.wanted[random() % place.wanted.size()];
        place.wanted = expectedOf(prompt, tokens ? tokens : room, stop, seed);
        place.ended = TTRT_ENDED_BY_STOP;
      }
      place.got.clear();
      place.isBusy = true;
      generating.start(s, prompt, tokens, stop, seed, /*reuse=*/random() % 2,
                       /*bySteps=*/random() % 4 == 0);
      ++begun;
    };
    for (int i = 0; i < 3000 || begun < 200; ++i) {
      if (random() % 16 == 0)
        begin(random() % kSequences); // where one may be going on
      if (random() % 64 == 0) {
        const uint32_t s = random() % kSequences;
        ASSERT_EQ(ttrt_generator_stop_sequence(generating.generator, s, &generating.error),
                  TTRT_OK);
        stopped += places[s].isBusy;
        places[s].isBusy = false;
      }
      ttrt_generated generated;
      if (!generating.take(generated)) {
        for (const Place &place : places)
          ASSERT_FALSE(place.isBusy);
        continue;
      }
      ASSERT_LT(generated.sequence, kSequences);
      Place &place = places[generated.sequence];
      ASSERT_TRUE(place.isBusy);
      place.got.push_back(generated.token);
      ASSERT_LE(place.got.size(), place.wanted.size());
      ASSERT_EQ(generated.token, place.wanted[place.got.size() - 1])
          << "token " << place.got.size();
      ASSERT_EQ(generated.count, place.got.size());
      const bool isLast = place.got.size() == place.wanted.size();
      ASSERT_EQ(generated.ended, isLast ? place.ended : TTRT_NOT_ENDED);
      if (isLast) {
        place.isBusy = false;
        ++reasons[place.ended];
      }
    }
    for (uint32_t reason = TTRT_ENDED_BY_STOP; reason <= TTRT_ENDED_BY_CONTEXT; ++reason)
      EXPECT_GT(reasons[reason], 5u) << reason;
    EXPECT_GT(stopped, 5u);
  }
}

// In its own place, a sequence keeps what it has of a prompt, also from a file.
TEST(Sequences, KeepTheBeginningsOfTheirPrompts) {
  const TemporaryFile states({});
  Generating generating;
  for (uint32_t s = 0; s < kSequences; ++s)
    generating.start(s, promptOf(20 + s, s), 6);
  std::map<uint32_t, Tokens> answers = generating.takeAll();
  ASSERT_EQ(ttrt_state_save(generating.loaded.device, states.path(), &generating.error), TTRT_OK);
  Generating other;
  other.start(1, promptOf(9, 9), 3);
  other.takeAll();
  ASSERT_EQ(ttrt_state_restore(other.loaded.device, states.path(), &other.error), TTRT_OK);
  for (Generating *each : {&generating, &other}) {
    std::map<uint32_t, Tokens> wanted;
    for (uint32_t s = 0; s < kSequences; ++s) {
      Tokens text = promptOf(20 + s, s);
      text.insert(text.end(), answers[s].begin(), answers[s].end());
      text.push_back(5);
      each->start(s, text, 7, -1, 0, /*reuse=*/1);
      EXPECT_EQ(ttrt_generator_reused(each->generator), 20 + s + 5);
      wanted[s] = expectedOf(text, 7);
    }
    EXPECT_EQ(each->takeAll(), wanted);
  }
  // What another place holds is not kept.
  generating.start(0, promptOf(21, 1), 7, -1, 0, /*reuse=*/1);
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 0u);
  EXPECT_EQ(generating.takeAll()[0], expectedOf(promptOf(21, 1), 7));
}

// The functions for one text are sequence 0.
TEST(Sequences, OneText) {
  Generating generating;
  generating.start(2, promptOf(5, 2), 30);
  ttrt_generated generated;
  for (int i = 0; i < 5; ++i)
    generating.take(generated);
  const Tokens prompt = promptOf(9, 1), wanted = expectedOf(prompt, SIZE_MAX);
  ASSERT_EQ(ttrt_generator_start(generating.generator, prompt.data(), prompt.size(), nullptr,
                                 &generating.error),
            TTRT_OK);
  Tokens got;
  int32_t token;
  while (ttrt_generator_next(generating.generator, &token, &generating.error) == TTRT_OK)
    got.push_back(token);
  EXPECT_EQ(generating.error.status, TTRT_END);
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(generating.state("token", 0)[0], wanted.back());
}

// A bundle for one sequence.
TEST(Sequences, OneSequence) {
  Generating generating(0, 2, generateBundle());
  EXPECT_EQ(ttrt_generator_sequences(generating.generator), 1u);
  generating.start(0, promptOf(9, 1), 10);
  EXPECT_EQ(generating.takeAll()[0], expectedOf(promptOf(9, 1), 10));
  EXPECT_EQ(generating.tryStart(1, {1}, 1), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(generating.error.message, "expected a sequence below 1, found 1");
}

TEST(Sequences, WithoutPrefill) {
  Generating generating(0, 2, sequencesBundle({}));
  std::map<uint32_t, Tokens> wanted;
  for (uint32_t s : {3, 1}) {
    generating.start(s, promptOf(11 + s, s), 12);
    wanted[s] = expectedOf(promptOf(11 + s, s), 12);
  }
  EXPECT_EQ(generating.takeAll(), wanted);
}

TEST(Sequences, Logits) {
  Generating generating;
  size_t count;
  for (uint32_t s = 0; s < 3; ++s)
    generating.start(s, promptOf(3 + s, s), 4 + 5 * s);
  EXPECT_EQ(ttrt_generator_logits(generating.generator, &count), nullptr);
  ttrt_generated generated;
  while (generating.take(generated)) {
    const float *logits = ttrt_generator_logits(generating.generator, &count);
    ASSERT_TRUE(logits);
    EXPECT_EQ(count, 4u);
    EXPECT_EQ(logits[0], static_cast<float>(generated.token));
    EXPECT_EQ(logits[1], static_cast<float>(2 + generated.sequence + generated.count - 1));
  }
}

TEST(Sequences, DoneAtTheBeginning) {
  Generating generating;
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  sampling.done = 1;
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &sampling;
  const Tokens prompt = promptOf(3, 3);
  ASSERT_EQ(ttrt_generator_start_sequence(generating.generator, 1, prompt.data(), prompt.size(),
                                          &generation, &generating.error),
            TTRT_OK);
  generating.start(2, prompt, 6);
  EXPECT_EQ(generating.takeAll(),
            (std::map<uint32_t, Tokens>{{1, {}}, {2, expectedOf(prompt, 6)}}));
  EXPECT_EQ(generating.ended[1], TTRT_ENDED_BY_STOP);
}

TEST(Sequences, AllocateNothing) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer has its own allocator";
#else
  Generating generating;
  const Tokens prompt = promptOf(30, 1);
  uint64_t taken = 0;
  const long before = allocations.load();
  for (int round = 0; round < 300; ++round) {
    for (uint32_t s = 0; s < kSequences; ++s) {
      ttrt_generation generation = TTRT_GENERATION_INIT;
      generation.reuse = round % 2;
      generation.tokens = 3 + s;
      ASSERT_EQ(ttrt_generator_start_sequence(generating.generator, s, prompt.data(),
                                              prompt.size() - s, &generation, nullptr),
                TTRT_OK);
      ttrt_generated generated = TTRT_GENERATED_INIT;
      ASSERT_EQ(ttrt_generator_next_of_all(generating.generator, &generated, nullptr), TTRT_OK);
      ++taken;
    }
    ttrt_generated generated = TTRT_GENERATED_INIT;
    while (ttrt_generator_next_of_all(generating.generator, &generated, nullptr) == TTRT_OK)
      ++taken;
  }
  EXPECT_EQ(allocations.load(), before);
  EXPECT_EQ(taken, 300u * (3 + 4 + 5 + 6));
#endif
}

TEST(Sequences, Arguments) {
  Generating generating;
  ttrt_error error;
  ttrt_generated generated = TTRT_GENERATED_INIT;
  const int32_t token = 5;
  generating.start(0, promptOf(4, 4), 9);
  EXPECT_EQ(generating.tryStart(kSequences, {1}, 1), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(generating.error.message, "expected a sequence below 4, found 4");
  EXPECT_EQ(generating.tryStart(1, {}, 1), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(generating.tryStart(0, promptOf(65, 1), 0), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(generating.error.message, "the prompt has 65 tokens; the context has room for 64");
  EXPECT_EQ(ttrt_generator_stop_sequence(generating.generator, UINT32_MAX, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_stop_sequence(generating.generator, 3, &error), TTRT_OK);
  EXPECT_EQ(ttrt_generator_next_of_all(generating.generator, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  ttrt_generated none = {};
  EXPECT_EQ(ttrt_generator_next_of_all(generating.generator, &none, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_next_of_all(nullptr, &generated, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_stop_sequence(nullptr, 0, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_start_sequence(nullptr, 0, &token, 1, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_sequences(nullptr), 0u);
  // What was wrong has changed nothing.
  EXPECT_EQ(generating.takeAll()[0], expectedOf(promptOf(4, 4), 9));
}

//===----------------------------------------------------------------------===//
// Bundles that are not as they should be
//===----------------------------------------------------------------------===//

std::string openChanged(const std::function<void(fb::BundleT &)> &change) {
  BundleBuilder builder = sequencesBundle();
  change(builder.bundle);
  for (auto &entry : builder.bundle.entries)
    entry->dataflow.reset(); // which has the names, too
  builder.facts->certified = false;
  const TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), deviceOptions(1, 2));
  ttrt_generator *generator = nullptr;
  ttrt_error error{};
  EXPECT_NE(ttrt_generator_open(loaded.device, nullptr, &generator, &error), TTRT_OK);
  return error.message;
}

TEST(SequencesErrors, OtherBundles) {
  EXPECT_EQ(
      openChanged([](fb::BundleT &bundle) { bundle.entries[0]->name = "first"; }),
      "the bundle generates nothing: expected an entry point 'decode', found first, decode_2, "
      "decode_4, prefill_4, prefill_16");
  EXPECT_EQ(openChanged([](fb::BundleT &bundle) { bundle.entries[1]->name = "decode_3"; }),
            "output 'token' of entry point 'decode_3' is not 3 numbers of type i32");
  EXPECT_EQ(openChanged([](fb::BundleT &bundle) {
              bundle.states[0]->name = "taken";
              bundle.buffers[bundle.states[0]->buffer]->name = "taken";
            }),
            "the bundle has no state 'token', which the entry point 'decode_1' of a decoder has");
  EXPECT_EQ(openChanged([](fb::BundleT &bundle) { bundle.entries[3]->inputs[2]->name = "other"; }),
            "entry point 'prefill_4' is not one for many tokens: expected prefill_N with the "
            "inputs 'tokens', of N "
            "numbers of type i32, and 'count' and 'sequence', of one");
}

} // namespace
