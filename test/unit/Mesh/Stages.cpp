// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stages.h"

#include "ttrt/format/bundle_format.h"
#include "ttrt/format/collectives.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace ttrt::test {

using Kind = fb::CollectiveKind;
using Random = std::mt19937_64;

bool isPair(const Case &one) {
  return one.kind == Kind::Permute && one.groups[0].size() == 2 && one.sources[0] == kNoSource &&
         one.sources[1] == 0;
}

static uint64_t sizeUpTo(Random &random, uint64_t largest) {
  static constexpr uint64_t kSizes[] = {4, 64, 1000, 4096, 8192, 8196, 20000, 65536, 200000};
  for (;;)
    if (const uint64_t size = kSizes[random() % std::size(kSizes)]; size <= largest)
      return size;
}

/// Disjoint groups of `size` devices, of which some may be missing.
static std::vector<std::vector<uint32_t>> someGroups(Random &random, uint32_t devices,
                                                     uint32_t size) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < devices; ++i)
    all.push_back(i);
  std::shuffle(all.begin(), all.end(), random);
  std::vector<std::vector<uint32_t>> groups;
  for (uint32_t i = 0; i + size <= devices && (i == 0 || random() % 3); i += size)
    groups.emplace_back(all.begin() + i, all.begin() + i + size);
  return groups;
}

std::vector<Case> makeStages(uint64_t seed, uint32_t devices, uint64_t largest) {
  Random random(seed);
  std::vector<Case> cases;
  for (int i = 0; i < 12; ++i) {
    Case one; // a pair
    one.kind = Kind::Permute;
    one.groups = someGroups(random, devices, 2);
    one.sources = {kNoSource, 0};
    one.bytes = sizeUpTo(random, largest);
    cases.push_back(one);
  }
  for (int i = 0; i < 16; ++i) {
    Case one;
    one.kind = static_cast<Kind>(random() % 6);
    const auto size = static_cast<uint32_t>(2 + random() % (devices - 1));
    for (one.algorithm = static_cast<fb::CollectiveAlgorithm>(random() % 3);
         !collectives::isDefined(one.kind, one.algorithm, size);)
      one.algorithm = fb::CollectiveAlgorithm::Direct;
    one.groups = someGroups(random, devices, size);
    one.bytes = std::max<uint64_t>(sizeUpTo(random, largest) / (4 * size), 1) * 4 * size;
    one.root = static_cast<uint32_t>(random() % size);
    for (uint32_t k = 0; k < size && one.kind == Kind::Permute; ++k)
      one.sources.push_back((k + 1) % size);
    cases.push_back(one);
  }
  return cases;
}

std::vector<Operation> makeProgram(uint64_t seed, const World &world, size_t operations) {
  Random random(seed);
  std::vector<Operation> program;
  for (size_t i = 0; i < operations; ++i) {
    const size_t index = random() % world.cases.size();
    program.push_back({index, random() % world.cases[index].groups.size()});
  }
  return program;
}

bool runProgram(Member &member, const World &world, ttrt_transport *transport,
                const std::vector<Operation> &program, const ProgramOptions &options) {
  const uint32_t device = transport->device;
  Random random(options.begin * 1000 + device);
  std::vector<size_t> own; // indices of operations
  for (size_t i = 0; i < program.size(); ++i) {
    const auto &group = world.cases[program[i].index].groups[program[i].group];
    if (std::find(group.begin(), group.end(), device) != group.end())
      own.push_back(i);
  }
  std::vector<char> isOffered(program.size());
  auto write = [&](const Case &one, uint64_t address, uint64_t iteration) {
    const std::vector<uint8_t> input = world.input(one, device, iteration);
    memcpy(member.at(address), input.data(), input.size());
  };
  auto sleep = [&] {
    if (options.delay && random() % 4 == 0)
      usleep(static_cast<useconds_t>(random() % options.delay));
  };
  for (size_t k = 0; k < own.size(); ++k) {
    const size_t operation = own[k];
    const size_t index = program[operation].index;
    const auto collective = static_cast<uint32_t>(index);
    const Case &one = world.cases[index];
    const uint64_t iteration = options.begin + operation;
    // Offers the exchange that follows in a while, unless another one of the collective is before.
    if (random() % 100 < options.offers) {
      const size_t later = std::min(k + random() % 4, own.size() - 1);
      const size_t next = program[own[later]].index;
      const Case &offered = world.cases[next];
      if (!isPair(offered) && !isOffered[own[later]] &&
          std::none_of(own.begin() + static_cast<ptrdiff_t>(k),
                       own.begin() + static_cast<ptrdiff_t>(later),
                       [&](size_t between) { return program[between].index == next; })) {
        write(offered, offered.operands[0], options.begin + own[later]);
        isOffered[own[later]] = 1;
        if (transport->offer(transport, static_cast<uint32_t>(next), offered.operands[0]) != 0)
          return false;
        sleep();
      }
    }
    const std::vector<uint8_t> expected = world.expected(one, device, iteration);
    const uint64_t *operands = one.operands;
    uint64_t output = operands[1];
    int failed;
    if (isPair(one)) {
      // The two sides need not use the same addresses, nor one side always the same.
      const uint64_t place = operands[random() % 2];
      if (one.groups[program[operation].group][0] == device) {
        write(one, place, iteration);
        failed = transport->send(transport, collective, place);
        memset(member.at(place), 0xdd, one.bytes); // the receiver has it, or nothing will read it
      } else {
        memset(member.at(output = place), 0xee, one.bytes);
        failed = transport->receive(transport, collective, place);
      }
    } else {
      if (!isOffered[operation])
        write(one, operands[0], iteration);
      memset(member.at(output), 0xee, one.outputBytes());
      failed = transport->exchange(transport, collective, operands);
    }
    if (failed ||
        (!expected.empty() && memcmp(member.at(output), expected.data(), expected.size()) != 0)) {
      const char *failure = transport->failure(transport);
      fprintf(stderr, "device %u, operation %zu: %s: %s\n", device, operation, one.name().c_str(),
              failed ? (failure ? failure : "no reason") : "wrong");
      return false;
    }
    sleep();
  }
  return true;
}

} // namespace ttrt::test
