// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State through the C API: reset, read, write, files.
#include "ttrt/state.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

using namespace ttrt;
using namespace ttrt::test;

namespace {

constexpr uint64_t kElements = 2000, kBytes = 8192; ///< the state is more than a page

/// y = x + s; s = y, with the state s. Only the first 256 elements are computed; the others stay 0.
BundleBuilder accumulator(const char *name = "sum", std::vector<int64_t> shape = {2, 1000}) {
  BundleBuilder builder;
  const uint64_t x = builder.dataBegin(), y = x + kBytes, s = y + kBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kBytes);
  const uint32_t state = builder.buffer(name, fb::BufferKind::State, s, kBytes);
  BundleBuilder::port(builder.bundle.states, name, std::move(shape), state);
  const uint32_t add = builder.program("test_add", 16, {kBytes, kBytes}, {kBytes});
  StreamBuilder stream;
  stream.dispatch(add, {x, s, y});
  stream.barrier();
  stream.copy(s, y, kBytes);
  stream.end();
  const uint32_t trace = builder.trace("main_t0", stream);
  builder.entry("main", {"x", {2048}, in}, {"y", {2048}, out}, {trace});
  return builder;
}

std::vector<float> randomInput(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> input(2048);
  for (float &element : input)
    element = number(random);
  return input;
}

std::vector<float> read(ttrt_device *device) {
  std::vector<float> state(kElements);
  ttrt_error error;
  EXPECT_EQ(ttrt_state_read(device, 0, 0, state.data(), state.size() * 4, &error), TTRT_OK)
      << error.message;
  return state;
}

/// a + b, as the program computes it, with the elements of the output or of the state.
std::vector<float> sumOf(const std::vector<float> &a, const std::vector<float> &b,
                         size_t elements) {
  std::vector<float> sum(elements);
  for (size_t i = 0; i < kSampleElements; ++i)
    sum[i] = a[i] + b[i];
  return sum;
}
const std::vector<float> kNothing(2048);

/// A name below the test's temporary folder; the file is removed with the object.
struct FileName {
  FileName() : file({}) {}
  const char *path() const { return file.path(); }
  std::vector<char> contents() const { return readFile(path()); }
  void write(const std::vector<char> &bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }
  TemporaryFile file;
};

} // namespace

TEST(State, IsDescribed) {
  const TemporaryFile file(accumulator().finish());
  const Loaded loaded(file.path(), 1);
  ASSERT_EQ(ttrt_bundle_states(loaded.bundle), 1u);
  ttrt_port port = TTRT_PORT_INIT;
  ttrt_error error;
  ASSERT_EQ(ttrt_bundle_state(loaded.bundle, 0, &port, &error), TTRT_OK) << error.message;
  EXPECT_STREQ(port.name, "sum");
  EXPECT_EQ(port.dtype, TTRT_F32);
  ASSERT_EQ(port.rank, 2u);
  EXPECT_EQ(port.shape[1], 1000);
  EXPECT_EQ(port.bytes, kElements * 4);
  uint32_t index = 7;
  EXPECT_EQ(ttrt_bundle_find_state(loaded.bundle, "sum", &index, &error), TTRT_OK);
  EXPECT_EQ(index, 0u);
  EXPECT_EQ(ttrt_bundle_find_state(loaded.bundle, "total", &index, &error), TTRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "no state 'total'; the bundle has: sum");
  EXPECT_EQ(ttrt_bundle_state(loaded.bundle, 1, &port, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_states(nullptr), 0u);
}

TEST(State, IsKeptReadWrittenAndReset) {
  const TemporaryFile file(accumulator().finish());
  const Loaded loaded(file.path(), 2);
  EXPECT_EQ(read(loaded.device), std::vector<float>(kElements));
  const std::vector<float> a = randomInput(1), b = randomInput(2);
  Loaded &runs = const_cast<Loaded &>(loaded);
  EXPECT_EQ(runs.run(a, 2048), sumOf(a, kNothing, 2048));
  EXPECT_EQ(runs.run(b, 2048), sumOf(a, b, 2048));
  EXPECT_EQ(read(loaded.device), sumOf(a, b, kElements));

  // A part of it.
  ttrt_error error;
  const float numbers[] = {5, 6};
  ASSERT_EQ(ttrt_state_write(loaded.device, 0, 7996 - 4, numbers, 8, &error), TTRT_OK)
      << error.message;
  float last = 0;
  ASSERT_EQ(ttrt_state_read(loaded.device, 0, 7996, &last, 4, &error), TTRT_OK);
  EXPECT_EQ(last, 6);
  EXPECT_EQ(ttrt_state_write(loaded.device, 0, 7996, numbers, 8, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "bytes 7996 to 8004 of state 'sum', which has 8000");
  EXPECT_EQ(ttrt_state_read(loaded.device, 0, SIZE_MAX, &last, 4, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_state_read(loaded.device, 0, 0, nullptr, 4, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_state_read(loaded.device, 3, 0, &last, 4, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "state 3; the bundle has 1");
  EXPECT_EQ(ttrt_state_write(loaded.device, 0, 8000, nullptr, 0, &error), TTRT_OK);

  ASSERT_EQ(ttrt_state_reset(loaded.device, &error), TTRT_OK) << error.message;
  EXPECT_EQ(read(loaded.device), std::vector<float>(kElements));
  EXPECT_EQ(runs.run(b, 2048), sumOf(b, kNothing, 2048));
}

TEST(State, IsSavedAndRestored) {
  const TemporaryFile file(accumulator().finish());
  const FileName stored;
  ttrt_error error;
  const std::vector<float> a = randomInput(3);
  {
    Loaded loaded(file.path(), 1);
    loaded.run(a, 2048);
    ASSERT_EQ(ttrt_state_save(loaded.device, stored.path(), &error), TTRT_OK) << error.message;
  }
  Loaded loaded(file.path(), 1);
  ASSERT_EQ(ttrt_state_restore(loaded.device, stored.path(), &error), TTRT_OK) << error.message;
  EXPECT_EQ(read(loaded.device), sumOf(a, kNothing, kElements));
  EXPECT_EQ(ttrt_state_save(loaded.device, "/no/such/folder/state", &error), TTRT_IO_ERROR);
  EXPECT_EQ(ttrt_state_restore(loaded.device, "/no/such/folder/state", &error), TTRT_IO_ERROR);
}

TEST(State, OtherStatesAndDamagedFilesChangeNothing) {
  const TemporaryFile file(accumulator().finish()), renamed(accumulator("total").finish()),
      reshaped(accumulator("sum", {1000, 2}).finish());
  const FileName stored;
  ttrt_error error;
  const std::vector<float> a = randomInput(4);
  Loaded loaded(file.path(), 1);
  ASSERT_EQ(ttrt_state_save(loaded.device, stored.path(), &error), TTRT_OK) << error.message;
  loaded.run(a, 2048);
  for (const TemporaryFile *other : {&renamed, &reshaped}) {
    const Loaded different(other->path(), 1);
    EXPECT_EQ(ttrt_state_restore(different.device, stored.path(), &error), TTRT_INVALID_ARGUMENT);
    EXPECT_NE(strstr(error.message, "found other names, element types or shapes"), nullptr);
  }
  const std::vector<char> good = stored.contents();
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<char> bad = good;
    if (i % 5 == 0)
      bad.resize(random() % bad.size());
    else
      bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    stored.write(bad);
    EXPECT_NE(ttrt_state_restore(loaded.device, stored.path(), &error), TTRT_OK) << i;
    EXPECT_NE(error.message[0], 0);
  }
  EXPECT_EQ(read(loaded.device), sumOf(a, kNothing, kElements));
}

TEST(State, BundlesWithWrongTablesAreRefused) {
  const std::pair<const char *, std::function<void(BundleBuilder &)>> faults[] = {
      {"state 0 is 'other'", [](BundleBuilder &b) { b.bundle.states[0]->name = "other"; }},
      {"in buffer 1; expected state buffer 2",
       [](BundleBuilder &b) { b.bundle.states[0]->buffer = 1; }},
      {"state 'sum' has 8196 bytes", [](BundleBuilder &b) { b.bundle.states[0]->shape = {2049}; }},
      {"state 'sum' has 0 bytes", [](BundleBuilder &b) { b.bundle.states[0]->shape = {0}; }},
      {"and 1 further slots", [](BundleBuilder &b) { b.bundle.states[0]->ring = {1}; }},
      {"bundle describes 2 states; expected one for each of 1",
       [](BundleBuilder &b) {
         b.bundle.states.push_back(std::make_unique<fb::PortT>(*b.bundle.states[0]));
       }},
      {"expected it in DRAM, all the time",
       [](BundleBuilder &b) { b.bundle.buffers[2]->begin = 1, b.bundle.buffers[2]->end = 4; }},
  };
  for (const auto &[message, change] : faults) {
    BundleBuilder builder = accumulator();
    change(builder);
    const TemporaryFile file(builder.finish());
    ttrt_status status;
    const std::string said = openMessage(file.path(), TTRT_VERIFY_FULL, &status);
    EXPECT_EQ(status, TTRT_BAD_BUNDLE) << message;
    EXPECT_NE(said.find(message), said.npos) << said;
  }
}

TEST(State, ABundleWithoutStateHasNoFile) {
  const TemporaryFile file(sampleBundle().finish());
  const Loaded loaded(file.path(), 1);
  ttrt_error error;
  EXPECT_EQ(ttrt_bundle_states(loaded.bundle), 0u);
  EXPECT_EQ(ttrt_state_reset(loaded.device, &error), TTRT_OK);
  EXPECT_EQ(ttrt_state_save(loaded.device, "x", &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "the bundle has no state");
}
