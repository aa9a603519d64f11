// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotas of control groups, in folders that look like /proc and /sys.

#include "Base/CpuQuota.h"
#include "test/unit/Support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ttrt::test {
namespace {

class CpuQuota : public testing::Test {
protected:
  void write(const std::string &file, const std::string &text) {
    const std::filesystem::path path = folder.path + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void groups(const std::string &text) { write("proc/self/cgroup", text); }
  void mounts(const std::string &text) {
    write("proc/self/mountinfo", "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n" +
                                     std::string("23 22 0:21 / /proc rw - proc proc rw\n") + text);
  }
  uint32_t cpus() { return cpusOfQuota(folder.path.c_str()); }

  TemporaryFolder folder;
};

constexpr const char *kUnified =
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST_F(CpuQuota, NoControlGroups) { EXPECT_EQ(cpus(), UINT32_MAX); }

TEST_F(CpuQuota, Version2) {
  groups("0::/batch/job\n");
  mounts(kUnified);
  EXPECT_EQ(cpus(), UINT32_MAX) << "no files";
  for (auto [text, expected] : std::initializer_list<std::pair<const char *, uint32_t>>{
           {"max 100000\n", UINT32_MAX},
           {"200000 100000\n", 2},
           {"350000 100000\n", 3}, // threads that are throttled hold up the others
           {"50000 100000\n", 1},
           {"1600000 50000\n", 32},
           {"", UINT32_MAX},
           {"100000 0\n", UINT32_MAX},
           {"nonsense\n", UINT32_MAX}}) {
    write("sys/fs/cgroup/batch/job/cpu.max", text);
    EXPECT_EQ(cpus(), expected) << text;
  }
}

/// The groups around it limit it, too.
TEST_F(CpuQuota, Nested) {
  groups("0::/batch/job\n");
  mounts(kUnified);
  write("sys/fs/cgroup/batch/job/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/batch/cpu.max", "300000 100000\n");
  EXPECT_EQ(cpus(), 3u);
  write("sys/fs/cgroup/batch/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(), 8u);
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus(), 2u);
  write("sys/fs/cgroup/batch/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(cpus(), 2u) << "another group";
}

/// In a container with a namespace of its own, its group is the root.
TEST_F(CpuQuota, RootOfANamespace) {
  groups("0::/\n");
  mounts(kUnified);
  write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpus(), 4u);
}

/// Without one, only a part of the hierarchy is mounted.
TEST_F(CpuQuota, MountedInPart) {
  groups("0::/docker/0123/inner\n");
  mounts("30 22 0:26 /docker/0123 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/cpu.max", "600000 100000\n");
  EXPECT_EQ(cpus(), 6u);
  write("sys/fs/cgroup/inner/cpu.max", "500000 100000\n");
  EXPECT_EQ(cpus(), 5u);
  // What is mounted is not above the group.
  groups("0::/elsewhere\n");
  EXPECT_EQ(cpus(), 6u);
}

TEST_F(CpuQuota, Version1) {
  groups("12:cpuset:/\n4:cpu,cpuacct:/batch/job\n3:memory:/batch\n");
  mounts("31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
         "32 22 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
         "33 22 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup "
         "rw,cpu,cpuacct\n");
  const std::string group = "sys/fs/cgroup/cpu,cpuacct/batch/job/";
  write(group + "cpu.cfs_period_us", "100000\n");
  write(group + "cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cpus(), UINT32_MAX);
  write(group + "cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(cpus(), 2u);
  write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 1u);
}

/// Both versions: the controller of CPUs is in the first.
TEST_F(CpuQuota, BothVersions) {
  groups("1:name=systemd:/a\n2:cpu:/a\n0::/a\n");
  mounts("31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
         "32 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "700000\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 7u);
}

/// Options of other mounts may be long, and paths longer than any that exists.
TEST_F(CpuQuota, LongLines) {
  groups("0::/" + std::string(5000, 'a') + "\n0::/b\n");
  mounts("29 22 0:25 / /var/lib/overlay rw - overlay overlay rw,lowerdir=" +
         std::string(20000, 'x') + "\n" + kUnified);
  write("sys/fs/cgroup/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus(), 2u);
}

} // namespace
} // namespace ttrt::test
