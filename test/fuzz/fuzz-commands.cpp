// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changed command streams on a device that checks. The input chooses up to four changes of commands
// in a valid bundle (TTC_FUZZ_BUNDLE). What the proof accepts is executed and must give the outputs
// of the original (Execution.h).

#include "Changes.h"
#include "Execution.h"
#include "MemoryFile.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

using namespace ttrt::fuzz;

namespace {

struct Subject {
  explicit Subject(const char *path) : model(TTRT_TEST_SCHEMA, path), sites(model) {
    file.write(model.write(model.original()));
    ttrt_error error;
    ttrt_bundle *bundle = nullptr;
    if (ttrt_bundle_open(file.path().c_str(), TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
      throw std::runtime_error(error.message);
    executor = std::make_unique<Executor>(bundle, /*checks=*/true);
    ttrt_bundle_close(bundle);
  }

  const BundleModel model;
  const Sites sites;
  MemoryFile file;
  std::unique_ptr<Executor> executor;
};

Subject &subject() {
  static Subject *subject = [] {
    const char *path = getenv("TTC_FUZZ_BUNDLE");
    try {
      return new Subject(path ? path : "TTC_FUZZ_BUNDLE");
    } catch (const std::exception &error) {
      fprintf(stderr, "cannot use the bundle '%s': %s\n", path ? path : "", error.what());
      exit(2);
    }
  }();
  return *subject;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Subject &s = subject();
  Random random(data, size);
  Node tree = s.model.original();
  std::vector<Change> changes;
  while (!random.isAtEnd() && changes.size() < 4) {
    changes.push_back(makeChange(s.model, s.sites, s.sites.commands, random));
    apply(s.model, s.sites, changes.back(), tree);
  }
  if (tree == s.model.original())
    return -1;
  s.file.write(s.model.write(std::move(tree)));
  ttrt_bundle *bundle = nullptr;
  if (ttrt_bundle_open(s.file.path().c_str(), TTRT_VERIFY_FULL, &bundle, nullptr) != TTRT_OK)
    return 0;
  if (ttrt_bundle_prove(bundle, nullptr) != TTRT_OK) {
    ttrt_bundle_close(bundle);
    return 0;
  }
  const Outcome outcome = s.executor->compare(bundle);
  ttrt_bundle_close(bundle);
  if (outcome.kind < Outcome::Kind::Wrong)
    return 0;
  for (const Change &change : changes)
    fprintf(stderr, "%s %s\n", nameOf(change.operation), change.what.c_str());
  fprintf(stderr, "accepted and wrong: %s\n", outcome.message.c_str());
  abort();
}
