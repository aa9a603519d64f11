// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-mutate BUNDLE [CHANGES [TRUNCATIONS [SEED]]]
//
// Changes single bytes of a bundle, cuts it off, and expects that every result is rejected with a
// message. In one process, for speed: a crash or a sanitizer's report ends it.

#include "test/unit/Support/BundleBuilder.h"
#include "test/unit/Support/ReadFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using ttrt::test::openMessage;

static std::map<std::string, long> messages; // by their first words

/// True if the runtime rejects the file with a message.
static bool isRejected(const std::string &path, const char *what, size_t at) {
  ttrt_status status;
  std::string text = openMessage(path.c_str(), TTRT_VERIFY_FULL, &status);
  if (text.empty()) {
    fprintf(stderr, "%s at byte %zu: %s\n", what, at,
            status == TTRT_OK ? "accepted" : "rejected without a message");
    return false;
  }
  ++messages[text.substr(0, text.find_first_of("0123456789:"))];
  return true;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ttrt-mutate BUNDLE [CHANGES [TRUNCATIONS [SEED]]]\n");
    return 2;
  }
  const long changes = argc > 2 ? atol(argv[2]) : 10000;
  const long truncations = argc > 3 ? atol(argv[3]) : 1000;
  std::mt19937_64 random(argc > 4 ? strtoull(argv[4], nullptr, 0) : 1);

  std::vector<char> bytes = ttrt::test::readFile(argv[1]);
  int file = memfd_create("ttrt-mutate", MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (bytes.empty() || file < 0 ||
      pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    fprintf(stderr, "cannot read %s\n", argv[1]);
    return 2;
  }
  if (const std::string said = openMessage(path.c_str()); !said.empty()) {
    fprintf(stderr, "%s: the unchanged bundle is rejected: %s\n", argv[1], said.c_str());
    return 2;
  }

  long accepted = 0;
  for (long i = 0; i < changes; ++i) {
    size_t at = random() % bytes.size();
    char changed = static_cast<char>(bytes[at] ^ (1 + random() % 255));
    if (pwrite(file, &changed, 1, static_cast<off_t>(at)) != 1)
      return 2;
    accepted += !isRejected(path, "change", at);
    if (pwrite(file, &bytes[at], 1, static_cast<off_t>(at)) != 1)
      return 2;
  }
  // From long to short: every cut of the file is a cut of the one before. Half of them near the
  // start, where the structure is.
  std::vector<size_t> lengths;
  for (long i = 0; i < truncations; ++i)
    lengths.push_back(random() % (i % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 8192)));
  std::sort(lengths.rbegin(), lengths.rend());
  for (size_t length : lengths) {
    if (ftruncate(file, static_cast<off_t>(length)) != 0)
      return 2;
    accepted += !isRejected(path, "truncation", length);
  }
  printf("%ld single-byte changes, %ld truncations of %zu bytes: %ld accepted\n", changes,
         truncations, bytes.size(), accepted);
  for (const auto &[message, times] : messages)
    printf("%8ld  %s\n", times, message.c_str());
  return accepted != 0;
}
