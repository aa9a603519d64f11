// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-mutate-tables [OPTION...] BUNDLE...
//
// Changes one to three fields of a bundle's tables and commands, makes all hashes right again, and
// gives the result to the runtime. What the runtime accepts is executed in every way (Execution.h):
// it must do what the original does. Exit status 1 if a changed bundle is accepted and wrong, or if
// one makes the runtime crash or hang.
//
//   --count=N     mutants of each bundle (2000)
//   --seconds=N   stop after that many
//   --seed=N      which mutants (1)
//   --only=N      mutant N alone, with what is said about it
//   --first=N     begin with mutant N
//   --all         print what became of every kind of field, not only of those that went wrong

#include "Changes.h"
#include "Execution.h"
#include "MemoryFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ttrt::fuzz;

namespace {

struct Options {
  uint64_t count = 2000, seconds = 0, seed = 1, first = 0;
  bool only = false, all = false;
  std::vector<std::string> bundles;
};

/// What became of a mutant.
enum Verdict : size_t { Void, Refused, NotOpened, Failed, Equal, Renamed, Wrong, Crash, Verdicts };
constexpr const char *kVerdicts[Verdicts] = {"void",  "refused", "not opened", "failed",
                                             "equal", "renamed", "WRONG",      "CRASH"};

struct Judged {
  Verdict verdict;
  std::string message;
};

/// Memory that the worker shares with the process that watches it.
template <typename T> T *share(size_t count) {
  void *address =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    throw std::runtime_error("cannot map memory");
  return static_cast<T *>(address);
}

/// The mutants of one bundle.
class Mutator {
public:
  Mutator(const std::string &path, const Options &options)
      : path(path), options(options), model(TTRT_TEST_SCHEMA, path), sites(model) {
    const size_t rows = sites.kinds.size() * kOperations + 1; // the last: several changes
    counts = share<uint64_t>(rows * Verdicts);
    progress = share<uint64_t>(2);
    file.write(model.write(model.original()));
    ttrt_error error;
    ttrt_bundle *bundle = nullptr;
    if (ttrt_bundle_open(file.path().c_str(), TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
      throw std::runtime_error(path + ": the unchanged bundle is refused: " + error.message);
    executor = std::make_unique<Executor>(bundle);
    ttrt_bundle_close(bundle);
  }

  /// The number of failures.
  uint64_t run() {
    const auto begin = std::chrono::steady_clock::now();
    uint64_t next = options.first;
    const uint64_t end = options.only ? next + 1 : next + options.count;
    while (next < end) {
      fflush(stdout);
      progress[0] = next;
      const pid_t child = fork();
      if (child == 0) {
        const int status = work(next, end);
        fflush(stdout);
        _exit(status);
      }
      int status = 0;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        break;
      // The runtime took the process with it while it read a mutant.
      next = progress[0];
      const std::vector<Change> changes = makeChanges(model, sites, options.seed, next);
      report(next, changes,
             {Crash, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit while loading"});
      count(changes, Crash);
      ++next;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return print(seconds);
  }

private:
  int work(uint64_t next, uint64_t end) {
    const auto begin = std::chrono::steady_clock::now();
    for (; next < end; ++next) {
      if (options.seconds &&
          std::chrono::steady_clock::now() - begin > std::chrono::seconds(options.seconds))
        break;
      progress[0] = next;
      const std::vector<Change> changes = makeChanges(model, sites, options.seed, next);
      const Judged judged = judge(changes);
      ++progress[1];
      if (options.only)
        report(next, changes, judged);
      if (judged.verdict != Wrong) {
        count(changes, judged.verdict);
        continue;
      }
      const std::vector<Change> fewest = minimise(changes);
      if (!options.only)
        report(next, fewest, judge(fewest));
      count(fewest, Wrong);
    }
    return 0;
  }

  Judged judge(const std::vector<Change> &changes) {
    Node tree = model.original();
    for (const Change &change : changes)
      apply(model, sites, change, tree);
    if (tree == model.original())
      return {Void, ""};
    file.write(model.write(std::move(tree)));
    alarm(60);
    ttrt_error error;
    ttrt_bundle *bundle = nullptr;
    ttrt_status status = ttrt_bundle_open(file.path().c_str(), TTRT_VERIFY_FULL, &bundle, &error);
    if (status == TTRT_OK)
      if (status = ttrt_bundle_prove(bundle, &error); status != TTRT_OK)
        ttrt_bundle_close(bundle);
    alarm(0);
    if (status != TTRT_OK)
      return error.message[0] ? Judged{Refused, error.message}
                              : Judged{Wrong, "refused without a message"};
    const Outcome outcome = executor->compare(bundle);
    ttrt_bundle_close(bundle);
    switch (outcome.kind) {
    case Outcome::Kind::Equal:
      return {Equal, ""};
    case Outcome::Kind::Renamed:
      return {Renamed, ""};
    case Outcome::Kind::NotOpened:
      return {NotOpened, outcome.message};
    case Outcome::Kind::Failed:
      return {Failed, outcome.message};
    default:
      return {Wrong, outcome.message};
    }
  }

  /// One of the changes if it is wrong alone, or two of them, or all.
  std::vector<Change> minimise(const std::vector<Change> &changes) {
    for (const Change &change : changes)
      if (changes.size() > 1 && judge({change}).verdict == Wrong)
        return {change};
    for (size_t i = 0; i < changes.size() && changes.size() > 2; ++i) {
      std::vector<Change> others = changes;
      others.erase(others.begin() + static_cast<ptrdiff_t>(i));
      if (judge(others).verdict == Wrong)
        return others;
    }
    return changes;
  }

  void count(const std::vector<Change> &changes, Verdict verdict) {
    const size_t row = changes.size() == 1 ? changes[0].kind * kOperations +
                                                 static_cast<size_t>(changes[0].operation)
                                           : sites.kinds.size() * kOperations;
    ++counts[row * Verdicts + verdict];
  }

  std::string kindOf(const Change &change) const {
    return sites.kinds[change.kind] + " " + nameOf(change.operation);
  }

  void report(uint64_t number, const std::vector<Change> &changes, const Judged &judged) {
    printf("%s: --seed=%llu --only=%llu:", kVerdicts[judged.verdict],
           static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(number));
    for (const Change &change : changes)
      printf(" [%s] %s;", kindOf(change).c_str(), change.what.c_str());
    printf(" %s\n", judged.message.c_str());
  }

  uint64_t print(double seconds) const {
    uint64_t sums[Verdicts] = {};
    const size_t rows = sites.kinds.size() * kOperations + 1;
    for (size_t row = 0; row < rows; ++row) {
      const uint64_t *of = counts + row * Verdicts;
      if (std::all_of(of, of + Verdicts, [](uint64_t times) { return times == 0; }))
        continue;
      for (size_t verdict = 0; verdict < Verdicts; ++verdict)
        sums[verdict] += of[verdict];
      if (!options.all && of[Wrong] + of[Crash] == 0)
        continue;
      const std::string name = row + 1 == rows
                                   ? "several changes"
                                   : sites.kinds[row / kOperations] + " " +
                                         nameOf(static_cast<Operation>(row % kOperations));
      printf("  %-44s", name.c_str());
      for (size_t verdict = 0; verdict < Verdicts; ++verdict)
        if (of[verdict])
          printf(" %s %llu", kVerdicts[verdict], static_cast<unsigned long long>(of[verdict]));
      printf("\n");
    }
    printf(
        "%s: %llu mutants of %zu kinds of fields in %.1f s: %llu void, %llu refused, "
        "%llu not opened, %llu failed, %llu equal, %llu renamed, %llu accepted and wrong, "
        "%llu crashes\n",
        path.c_str(), static_cast<unsigned long long>(progress[1]), sites.kinds.size(), seconds,
        static_cast<unsigned long long>(sums[Void]), static_cast<unsigned long long>(sums[Refused]),
        static_cast<unsigned long long>(sums[NotOpened]),
        static_cast<unsigned long long>(sums[Failed]), static_cast<unsigned long long>(sums[Equal]),
        static_cast<unsigned long long>(sums[Renamed]),
        static_cast<unsigned long long>(sums[Wrong]), static_cast<unsigned long long>(sums[Crash]));
    return sums[Crash] + sums[Wrong];
  }

  const std::string path;
  const Options &options;
  const BundleModel model;
  const Sites sites;
  MemoryFile file;
  std::unique_ptr<Executor> executor;
  uint64_t *counts = nullptr;
  uint64_t *progress = nullptr; ///< the mutant at hand; how many were judged
};

bool parse(int argc, char **argv, Options &options) {
  const std::pair<const char *, uint64_t *> numbers[] = {{"--count=", &options.count},
                                                         {"--seconds=", &options.seconds},
                                                         {"--seed=", &options.seed},
                                                         {"--first=", &options.first},
                                                         {"--only=", &options.first}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    bool known = argument.compare(0, 2, "--") != 0;
    if (known)
      options.bundles.push_back(argument);
    for (const auto &[name, value] : numbers)
      if (argument.compare(0, strlen(name), name) == 0) {
        *value = strtoull(argv[i] + strlen(name), nullptr, 0);
        known = true;
      }
    options.only |= argument.compare(0, 7, "--only=") == 0;
    options.all |= argument == "--all";
    if (!known && argument != "--all")
      return false;
  }
  return !options.bundles.empty();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fprintf(stderr, "usage: ttrt-mutate-tables [--count=N] [--seconds=N] [--seed=N] [--first=N] "
                    "[--only=N] [--all] BUNDLE...\n");
    return 2;
  }
  try {
    uint64_t failures = 0;
    for (const std::string &bundle : options.bundles)
      failures += Mutator(bundle, options).run();
    return failures != 0;
  } catch (const std::exception &error) {
    fprintf(stderr, "ttrt-mutate-tables: %s\n", error.what());
    return 2;
  }
}
