// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
#define TTC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ttrt::test {

/// A folder below the test's temporary folder, removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    const char *temporary = getenv("TMPDIR");
    path = std::string(temporary ? temporary : "/tmp") + "/ttrt-test-XXXXXX";
    if (!mkdtemp(path.data()))
      throw std::runtime_error("cannot make " + path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path;
};

/// A runtime directory, in which devices leave their monitor files.
class MonitoredFolder : public TemporaryFolder {
public:
  MonitoredFolder() {
    setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
    setenv("TTRT_MONITOR", "1", 1);
  }
  ~MonitoredFolder() {
    unsetenv("TTRT_MONITOR");
    unsetenv("XDG_RUNTIME_DIR");
  }
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
