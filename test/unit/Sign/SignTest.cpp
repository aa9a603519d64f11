// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signed bundles: only what a trusted key has signed is opened, and what is opened is what was
// signed, whatever happens to the file.

#include "ttrt/sign.h"

#include "Minisign.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"
#include "test/unit/Support/TemporaryFolder.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Bytes = std::vector<uint8_t>;

/// The sample with another constant: the same size, other results.
Bytes otherBundle() {
  BundleBuilder builder = sampleBundle();
  builder.constants[3] ^= 0x40;
  return builder.finish();
}

class Sign : public testing::Test {
protected:
  Sign() {
    writeFile("a.ttcb", sampleBundle().finish());
    makeKeys("one");
    makeKeys("two");
    signBundle("a.ttcb", "one");
  }
  std::string path(const std::string &name) const { return folder.path + "/" + name; }
  void writeFile(const std::string &name, const Bytes &bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<long>(bytes.size()));
  }
  void writeText(const std::string &name, const std::string &text) const {
    writeFile(name, {text.begin(), text.end()});
  }
  std::string readText(const std::string &name) const { return readFile<std::string>(path(name)); }
  void makeKeys(const std::string &name) const {
    ttrt_error error;
    ASSERT_EQ(ttrt_keys_create(path(name + ".key").c_str(), path(name + ".pub").c_str(), &error),
              TTRT_OK)
        << error.message;
  }
  void signBundle(const std::string &bundle, const std::string &key) const {
    ttrt_error error;
    ASSERT_EQ(ttrt_bundle_sign(path(bundle).c_str(), path(key + ".key").c_str(), nullptr, &error),
              TTRT_OK)
        << error.message;
  }

  /// Opens with the keys in these files; the message is in `error`.
  ttrt_status open(const std::string &bundle, const std::vector<std::string> &keyFiles,
                   ttrt_bundle **opened = nullptr) {
    std::vector<std::string> paths;
    std::vector<const char *> pointers;
    for (const std::string &file : keyFiles)
      paths.push_back(path(file));
    for (const std::string &file : paths)
      pointers.push_back(file.c_str());
    ttrt_keys *keys = nullptr;
    ttrt_bundle *result = nullptr;
    ttrt_status status = ttrt_keys_open(pointers.data(), pointers.size(), &keys, &error);
    if (status == TTRT_OK)
      status = ttrt_bundle_open_signed(path(bundle).c_str(), nullptr, keys, TTRT_VERIFY_FULL,
                                       &result, &error);
    EXPECT_EQ(status, error.status);
    EXPECT_EQ(result != nullptr, status == TTRT_OK);
    ttrt_keys_close(keys);
    if (opened)
      *opened = result;
    else
      ttrt_bundle_close(result);
    return status;
  }
  std::string message() const { return error.message; }
  void expectMessage(const std::string &part) const {
    EXPECT_NE(message().find(part), std::string::npos) << message();
  }

  TemporaryFolder folder;
  ttrt_error error{};
};

TEST_F(Sign, SignedBundleOpens) {
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_OK) << message();
  struct stat status;
  ASSERT_EQ(stat(path("one.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Sign, EveryOneOfSeveralKeysWillDo) {
  EXPECT_EQ(open("a.ttcb", {"two.pub", "one.pub"}), TTRT_OK) << message();
  writeText("both.pub", readText("two.pub") + "\n" + readText("one.pub"));
  EXPECT_EQ(open("a.ttcb", {"both.pub"}), TTRT_OK) << message();
}

TEST_F(Sign, KeyThatIsNotTrusted) {
  EXPECT_EQ(open("a.ttcb", {"two.pub"}), TTRT_UNTRUSTED);
  expectMessage(", which is not trusted; expected one of: ");
}

/// Ids are not secret and not unique: a key with the id of a trusted one is another key.
TEST_F(Sign, KeyWithTheIdOfAnother) {
  ttrt::sign::PublicKey forged = ttrt::sign::parsePublicKeys(readText("two.pub"), "two.pub")[0];
  forged.id = ttrt::sign::parsePublicKeys(readText("one.pub"), "one.pub")[0].id;
  writeText("forged.pub", ttrt::sign::format(forged));
  EXPECT_EQ(open("a.ttcb", {"forged.pub"}), TTRT_UNTRUSTED);
  expectMessage("is not of this file");
  EXPECT_EQ(open("a.ttcb", {"forged.pub", "one.pub"}), TTRT_OK) << message();
}

TEST_F(Sign, ChangedByteAnywhere) {
  const Bytes good = sampleBundle().finish();
  for (size_t i = 0; i < good.size(); i += i < 2000 ? 11 : 97) {
    Bytes changed = good;
    changed[i] ^= 1 << i % 8;
    writeFile("a.ttcb", changed);
    ASSERT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED) << i;
    expectMessage("is not of this file");
  }
  Bytes longer = good;
  longer.push_back(0);
  writeFile("a.ttcb", longer);
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  writeFile("a.ttcb", {good.begin(), good.end() - 1});
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  writeFile("a.ttcb", {});
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  writeFile("a.ttcb", good);
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_OK) << message();
}

TEST_F(Sign, ChangedSignatureAnywhere) {
  const std::string good = readText("a.ttcb.minisig");
  const size_t comment = good.find('\n'); // the first line is not signed
  for (size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] ^= 1;
    writeText("a.ttcb.minisig", changed);
    const ttrt_status status = open("a.ttcb", {"one.pub"});
    if (i >= 19 && i < comment)
      EXPECT_EQ(status, TTRT_OK) << i << message();
    else
      EXPECT_EQ(status, TTRT_UNTRUSTED) << i;
  }
  for (size_t size = 0; size + 1 < good.size(); ++size) {
    writeText("a.ttcb.minisig", good.substr(0, size));
    EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED) << size;
  }
  writeText("a.ttcb.minisig", good + good);
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  writeText("a.ttcb.minisig", std::string(100000, 'x'));
  EXPECT_EQ(open("a.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
}

TEST_F(Sign, SignatureOfAnotherBundle) {
  writeFile("b.ttcb", otherBundle());
  std::filesystem::copy(path("a.ttcb.minisig"), path("b.ttcb.minisig"));
  EXPECT_EQ(open("b.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  expectMessage("is not of this file");
}

TEST_F(Sign, MissingFiles) {
  writeFile("b.ttcb", otherBundle());
  EXPECT_EQ(open("b.ttcb", {"one.pub"}), TTRT_UNTRUSTED);
  EXPECT_EQ(message(), "not signed: expected a signature in '" + path("b.ttcb.minisig") + "'");
  EXPECT_EQ(open("none.ttcb", {"one.pub"}), TTRT_IO_ERROR);
  EXPECT_EQ(message(), "cannot open '" + path("none.ttcb") + "': No such file or directory");
  EXPECT_EQ(open("a.ttcb", {"none.pub"}), TTRT_IO_ERROR);
  EXPECT_EQ(open("a.ttcb", {}), TTRT_INVALID_ARGUMENT);
}

/// A signature says who made a bundle, not that it is good.
/// Opening one for reading would wait for a writer.
TEST_F(Sign, FifosAreNotRead) {
  for (const char *name : {"fifo.ttcb", "fifo.pub", "fifo.key"})
    ASSERT_EQ(mkfifo(path(name).c_str(), 0600), 0);
  EXPECT_EQ(open("a.ttcb", {"fifo.pub"}), TTRT_IO_ERROR);
  expectMessage("not a regular file");
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  EXPECT_EQ(ttrt_bundle_open(path("fifo.ttcb").c_str(), TTRT_VERIFY_FULL, &bundle, &error),
            TTRT_IO_ERROR);
  EXPECT_EQ(ttrt_bundle_sign(path("fifo.ttcb").c_str(), path("one.key").c_str(), nullptr, &error),
            TTRT_IO_ERROR);
  EXPECT_EQ(ttrt_bundle_sign(path("a.ttcb").c_str(), path("fifo.key").c_str(), nullptr, &error),
            TTRT_IO_ERROR);
}

TEST_F(Sign, BadBundlesAreNotSignedAndNotOpened) {
  Bytes bad = sampleBundle().finish();
  bad[100] ^= 1;
  writeFile("bad.ttcb", bad);
  ttrt_error failure;
  EXPECT_EQ(ttrt_bundle_sign(path("bad.ttcb").c_str(), path("one.key").c_str(), nullptr, &failure),
            TTRT_BAD_BUNDLE);
  EXPECT_FALSE(std::filesystem::exists(path("bad.ttcb.minisig")));
}

TEST_F(Sign, MalformedKeys) {
  const std::string good = readText("one.pub"), secret = readText("one.key");
  for (const std::string &text :
       {std::string(), std::string("untrusted comment: nothing\n"), std::string("hello\n"),
        good.substr(0, good.size() - 5), good + "x\n", std::string(70000, '\n'), secret}) {
    writeText("bad.pub", text);
    EXPECT_EQ(open("a.ttcb", {"bad.pub"}), TTRT_INVALID_ARGUMENT) << text;
    EXPECT_EQ(open("a.ttcb", {"one.pub", "bad.pub"}), TTRT_INVALID_ARGUMENT) << text;
  }
  for (size_t i = 0; i < secret.size(); i += 3) {
    std::string changed = secret;
    changed[i] ^= 2;
    writeText("bad.key", changed);
    ttrt_error failure;
    const ttrt_status status =
        ttrt_bundle_sign(path("a.ttcb").c_str(), path("bad.key").c_str(), nullptr, &failure);
    const size_t line = secret.find('\n') + 1;
    // The comment means nothing, and the salt of a password nothing without one.
    const bool unused = (i >= 19 && i + 1 < line) || (i >= line + 8 && i < line + 72);
    EXPECT_EQ(status == TTRT_OK, unused) << i;
  }
}

TEST_F(Sign, KeysAreNotOverwritten) {
  const std::string secret = readText("one.key"), open = readText("one.pub");
  ttrt_error failure;
  EXPECT_EQ(ttrt_keys_create(path("one.key").c_str(), path("new.pub").c_str(), &failure),
            TTRT_IO_ERROR);
  EXPECT_EQ(ttrt_keys_create(path("new.key").c_str(), path("one.pub").c_str(), &failure),
            TTRT_IO_ERROR);
  EXPECT_EQ(readText("one.key"), secret);
  EXPECT_EQ(readText("one.pub"), open);
  EXPECT_FALSE(std::filesystem::exists(path("new.pub")));
  EXPECT_FALSE(std::filesystem::exists(path("new.key")));
}

std::vector<float> resultOf(ttrt_bundle *bundle) {
  ttrt_error error;
  ttrt_device_options options = deviceOptions(1);
  ttrt_device *device;
  EXPECT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
  const std::vector<float> input = ramp(kSampleElements);
  std::vector<float> output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  EXPECT_EQ(ttrt_run(device, 0, &in, &out, nullptr, &error), TTRT_OK) << error.message;
  ttrt_device_close(device);
  return output;
}

/// The file is overwritten, and then cut, after its signature was verified and before it is used.
TEST_F(Sign, FileThatChangesAfterwardsHasNoEffect) {
  ttrt_bundle *bundle;
  ASSERT_EQ(open("a.ttcb", {"one.pub"}, &bundle), TTRT_OK) << message();
  writeFile("a.ttcb", otherBundle()); // truncates, then writes: the same file
  EXPECT_EQ(resultOf(bundle), sampleResult(ramp(kSampleElements)));
  std::filesystem::resize_file(path("a.ttcb"), 0);
  EXPECT_EQ(resultOf(bundle), sampleResult(ramp(kSampleElements)));
  ttrt_bundle_close(bundle);
}

/// The file is swapped all the time, in place, between a signed and an unsigned bundle. Whatever is
/// opened is the signed one.
TEST_F(Sign, FileThatChangesMeanwhile) {
  const Bytes good = sampleBundle().finish(), other = otherBundle();
  ASSERT_EQ(good.size(), other.size());
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::fstream file(path("a.ttcb"), std::ios::binary | std::ios::in | std::ios::out);
    for (bool isOther = false; !stop; isOther = !isOther) {
      const Bytes &bytes = isOther ? other : good;
      file.seekp(0);
      file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<long>(bytes.size()));
      file.flush();
    }
  });
  int opened = 0, refused = 0;
  for (int i = 0; i < 10000 && (i < 200 || !opened || !refused); ++i) {
    ttrt_bundle *bundle;
    if (open("a.ttcb", {"one.pub"}, &bundle) != TTRT_OK) {
      EXPECT_EQ(error.status, TTRT_UNTRUSTED) << message();
      ++refused;
      continue;
    }
    ++opened;
    EXPECT_EQ(resultOf(bundle), sampleResult(ramp(kSampleElements)));
    ttrt_bundle_close(bundle);
  }
  stop = true;
  writer.join();
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 0);
}

/// The core's part: a bundle from a descriptor.
TEST_F(Sign, BundleFromADescriptor) {
  const int descriptor = ::open(path("a.ttcb").c_str(), O_RDONLY | O_CLOEXEC);
  ttrt_bundle *bundle;
  ASSERT_EQ(ttrt_bundle_open_fd(descriptor, "name", TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
      << message();
  close(descriptor);
  EXPECT_EQ(resultOf(bundle), sampleResult(ramp(kSampleElements)));
  ttrt_bundle_close(bundle);
  for (int bad : {-1, -2, descriptor}) {
    EXPECT_EQ(ttrt_bundle_open_fd(bad, "name", TTRT_VERIFY_FULL, &bundle, &error), TTRT_IO_ERROR);
    EXPECT_EQ(message(), "cannot open 'name': Bad file descriptor");
    EXPECT_EQ(bundle, nullptr);
  }
}

} // namespace
