// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole meshes: bundles with exchanges in their streams, on threads and in processes.

#include "World.h"
#include "runtime/mesh/CpuParts.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/HostBundle.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/MeshBundle.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/host.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"
#include "ttrt/state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return values;
}

/// An open bundle.
struct Opened {
  explicit Opened(BundleBuilder builder) {
    const TemporaryFile file(builder.finish());
    ttrt_error error;
    if (ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK)
      throw std::runtime_error(error.message);
  }
  ~Opened() { ttrt_bundle_close(bundle); }
  ttrt_bundle *bundle;
};

std::unique_ptr<fb::AxisListT> axes(std::vector<uint32_t> list) {
  auto result = std::make_unique<fb::AxisListT>();
  result->axes = std::move(list);
  return result;
}

/// Divides dimension 1 of a port.
void divide(fb::PortT &port, std::vector<uint32_t> list) {
  port.sharding.clear();
  port.sharding.push_back(axes({}));
  port.sharding.push_back(axes(std::move(list)));
}

struct Floats {
  explicit Floats(size_t count) : values(count) {}
  std::vector<float> values;
  ttrt_input input() { return {values.data(), values.size() * sizeof(float)}; }
  ttrt_output output() { return {values.data(), values.size() * sizeof(float)}; }
};

/// Which element of the input element `j` of meshBundle()'s output is of: the parts that are
/// scattered are parts of four rows, and they are gathered one after another.
size_t sourceOf(size_t j) {
  const size_t at = 255 - j;
  return 255 - (at / 16 % 4 * 64 + at / 64 * 16 + at % 16);
}

struct MeshOf {
  explicit MeshOf(const ttrt_bundle *bundle, const ttrt_mesh_options *options = nullptr) {
    ttrt_error error;
    if (ttrt_mesh_open(bundle, options, &mesh, &error) != TTRT_OK)
      throw std::runtime_error(error.message);
  }
  ~MeshOf() { ttrt_mesh_close(mesh); }
  ttrt_mesh *mesh;
};

} // namespace

TEST(Mesh, RunsOnThreads) {
  for (bool sharded : {false, true})
    for (int bind : {0, 1})
      for (int noTrace : {0, 1}) {
        const Opened opened(meshBundle(sharded));
        ASSERT_EQ(ttrt_mesh_devices(opened.bundle), 4u);
        ttrt_device_options device = deviceOptions(1 + static_cast<uint32_t>(bind));
        ttrt_mesh_options options = TTRT_MESH_OPTIONS_INIT;
        options.device = &device;
        options.bind = bind;
        const MeshOf mesh(opened.bundle, &options);
        for (uint32_t i = 0; i < 20; ++i) {
          Floats x(256), y(256);
          x.values = randomFloats(256, i);
          const ttrt_input input = x.input();
          const ttrt_output output = y.output();
          ttrt_timing timing = TTRT_TIMING_INIT;
          ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
          run.no_trace = noTrace;
          run.timing = &timing;
          ttrt_error error;
          ASSERT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, &run, &error), TTRT_OK)
              << error.message;
          for (size_t j = 0; j < 256; ++j)
            ASSERT_EQ(y.values[j], 8 * x.values[sourceOf(j)] + (sharded ? 8 : 2)) << j;
          EXPECT_GE(timing.total, timing.device);
          EXPECT_GT(timing.device, 0u);
        }
      }
}

TEST(Mesh, DividesAndCollects) {
  BundleBuilder builder = meshBundle();
  divide(*builder.bundle.entries[0]->inputs[0], {0});
  divide(*builder.bundle.entries[0]->outputs[0], {1, 0});
  const Opened opened(std::move(builder));
  ttrt_mesh_port port = TTRT_MESH_PORT_INIT;
  ttrt_error error;
  ASSERT_EQ(ttrt_mesh_input(opened.bundle, 0, 0, &port, &error), TTRT_OK);
  EXPECT_EQ(port.shape[1], 512);
  EXPECT_EQ(port.bytes, 2048u);
  EXPECT_EQ(port.part_bytes, 1024u);
  EXPECT_EQ(port.parts, 2u);
  ASSERT_EQ(ttrt_mesh_output(opened.bundle, 0, 0, &port, &error), TTRT_OK);
  EXPECT_EQ(port.shape[1], 1024);
  const MeshOf mesh(opened.bundle);
  Floats x(512), y(1024);
  x.values = randomFloats(512, 7);
  const ttrt_input input = x.input();
  const ttrt_output output = y.output();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_OK)
        << error.message;
    for (size_t j = 0; j < 1024; ++j)
      ASSERT_EQ(y.values[j],
                4 * (x.values[sourceOf(j % 256)] + x.values[256 + sourceOf(j % 256)]) + 2)
          << j;
    std::fill(y.values.begin(), y.values.end(), 0.0f);
  }
}

/// Every way to divide three dimensions over three axes.
TEST(Mesh, ScattersAndGathersEveryDivision) {
  const uint32_t sizes[] = {2, 3, 2};
  for (uint32_t code = 0; code < 64; ++code) {
    BundleBuilder builder;
    builder.mesh({{"a", 2}, {"b", 3}, {"c", 2}});
    const uint64_t bytes = 2 * 3 * 4 * 4;
    const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, bytes);
    const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, 4096, bytes);
    const uint32_t program = builder.program("test_reverse", 1, {bytes}, {bytes});
    StreamBuilder stream;
    stream.dispatch(program, {0, 4096});
    stream.end();
    const uint32_t trace = builder.trace("t", stream);
    fb::EntryPointT &entry =
        builder.entry("main", {"x", {2, 3, 4}, in}, {"y", {2, 3, 4}, out}, {trace});
    std::vector<std::vector<uint32_t>> lists(3);
    for (uint32_t axis : {2, 0, 1})
      if (const uint32_t where = code >> 2 * axis & 3; where < 3)
        lists[where].push_back(axis);
    for (auto *port : {entry.inputs[0].get(), entry.outputs[0].get()})
      for (const auto &list : lists)
        port->sharding.push_back(axes(list));
    const Opened opened(std::move(builder));
    uint64_t shape[3] = {2, 3, 4};
    for (size_t i = 0; i < 3; ++i)
      for (uint32_t axis : lists[i])
        shape[i] *= sizes[axis];
    std::vector<uint32_t> whole(shape[0] * shape[1] * shape[2]), back(whole.size(), ~0u);
    for (uint32_t i = 0; i < whole.size(); ++i)
      whole[i] = i;
    for (uint32_t device = 0; device < 12; ++device) {
      const uint32_t at[] = {device / 6, device / 2 % 3, device % 2};
      uint32_t part[24];
      ttrt_error error;
      ASSERT_EQ(ttrt_mesh_scatter(opened.bundle, 0, 0, device, whole.data(), part, &error),
                TTRT_OK);
      const uint64_t extents[] = {2, 3, 4};
      uint64_t begin[3];
      for (size_t i = 0; i < 3; ++i) {
        uint64_t index = 0;
        for (uint32_t axis : lists[i])
          index = index * sizes[axis] + at[axis];
        begin[i] = index * extents[i];
      }
      for (uint64_t i = 0; i < 24; ++i) {
        const uint64_t z[] = {begin[0] + i / 12, begin[1] + i / 4 % 3, begin[2] + i % 4};
        ASSERT_EQ(part[i], (z[0] * shape[1] + z[1]) * shape[2] + z[2]);
      }
      // Only the first of the devices with the same part is taken.
      bool isFirst = true;
      for (uint32_t axis = 0; axis < 3; ++axis)
        isFirst &= (code >> 2 * axis & 3) < 3 || at[axis] == 0;
      if (!isFirst)
        memset(part, 0xff, sizeof(part));
      ASSERT_EQ(ttrt_mesh_gather(opened.bundle, 0, 0, device, part, back.data(), &error), TTRT_OK);
    }
    EXPECT_EQ(whole, back) << code;
  }
}

TEST(Mesh, RunsInProcesses) {
  const Opened opened(meshBundle(true));
  const uint32_t bad = runProcesses(4, [&](uint32_t device, ttrt_transport *transport) {
    ttrt_device_options options = deviceOptions(1);
    options.transport = transport;
    ttrt_device *target;
    ttrt_error error;
    for (int life = 0; life < 3; ++life) {
      if (ttrt_device_open(opened.bundle, &options, &target, &error) != TTRT_OK)
        throw std::runtime_error(error.message);
      for (uint32_t i = 0; i < 100; ++i) {
        Floats x(256), y(256);
        x.values = randomFloats(256, i);
        const ttrt_input input = x.input();
        const ttrt_output output = y.output();
        if (ttrt_run(target, 0, &input, &output, nullptr, &error) != TTRT_OK)
          throw std::runtime_error(error.message);
        for (size_t j = 0; j < 256; ++j)
          if (y.values[j] != 8 * x.values[sourceOf(j)] + 8)
            return false;
      }
      ttrt_device_close(target);
    }
    return true;
  });
  EXPECT_EQ(bad, 0u);
}

/// Also where whole pages cannot be given back, because others map them, too.
TEST(Mesh, StatesAreReset) {
  constexpr size_t kElements = 5000;
  BundleBuilder builder = meshBundle();
  const uint32_t buffer =
      builder.buffer("state", fb::BufferKind::State, 0x20000, kElements * sizeof(float));
  BundleBuilder::port(builder.bundle.states, "state", {kElements}, buffer);
  const Opened opened(std::move(builder));
  for (auto run : {runThreads, runSharedThreads, runProcesses})
    EXPECT_EQ(run(4,
                  [&](uint32_t device, ttrt_transport *transport) {
                    ttrt_device_options options = deviceOptions(1);
                    options.transport = transport;
                    ttrt_device *target;
                    ttrt_error error;
                    if (ttrt_device_open(opened.bundle, &options, &target, &error) != TTRT_OK)
                      throw std::runtime_error(error.message);
                    const std::vector<float> zero(kElements),
                        values = randomFloats(kElements, device);
                    std::vector<float> found(kElements);
                    const size_t bytes = kElements * sizeof(float);
                    bool good =
                        ttrt_state_write(target, 0, 0, values.data(), bytes, &error) == TTRT_OK &&
                        ttrt_state_read(target, 0, 0, found.data(), bytes, &error) == TTRT_OK &&
                        found == values && ttrt_state_reset(target, &error) == TTRT_OK &&
                        ttrt_state_read(target, 0, 0, found.data(), bytes, &error) == TTRT_OK &&
                        found == zero;
                    ttrt_device_close(target);
                    return good;
                  }),
              0u);
}

/// A forked child has none of the threads; its parent's mesh continues.
TEST(Mesh, ForkedChildren) {
  const Opened opened(meshBundle());
  const MeshOf mesh(opened.bundle);
  Floats x(256), y(256);
  const ttrt_input input = x.input();
  const ttrt_output output = y.output();
  ttrt_error error;
  const pid_t child = fork();
  if (child == 0) {
    const bool isRefused =
        ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error) == TTRT_UNSUPPORTED &&
        strstr(error.message, "a forked child of that process");
    ttrt_mesh_close(mesh.mesh);
    _exit(isRefused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_OK)
      << error.message;
}

TEST(Mesh, AllocatesNothing) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#else
  BundleBuilder builder = meshBundle();
  divide(*builder.bundle.entries[0]->inputs[0], {0});
  const Opened opened(std::move(builder));
  const MeshOf mesh(opened.bundle);
  Floats x(512), y(256);
  const ttrt_input input = x.input();
  const ttrt_output output = y.output();
  ttrt_error error;
  ASSERT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_OK);
  const long before = allocations.load();
  for (int i = 0; i < 200; ++i)
    ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error);
  EXPECT_EQ(allocations.load(), before);
#endif
}

/// Both schedules as pipelines, on one thread for each device.
TEST(Mesh, Pipelines) {
  const Opened opened(meshQueuesBundle());
  for (const char *schedule : {"single", "two"})
    EXPECT_EQ(
        runThreads(2,
                   [&](uint32_t, ttrt_transport *transport) {
                     ttrt_device_options options = deviceOptions(1, 2);
                     options.transport = transport;
                     ttrt_device *device;
                     ttrt_error error;
                     if (ttrt_device_open(opened.bundle, &options, &device, &error) != TTRT_OK)
                       throw std::runtime_error(error.message);
                     Floats x(256), y(256), z(256);
                     x.values = randomFloats(256, 5);
                     const ttrt_input input = x.input();
                     const ttrt_output outputs[] = {y.output(), z.output()};
                     ttrt_pipeline_options how = TTRT_PIPELINE_OPTIONS_INIT;
                     how.schedule = schedule;
                     ttrt_pipeline *pipeline;
                     if (ttrt_pipeline_open(device, &how, &pipeline, &error) != TTRT_OK)
                       throw std::runtime_error(error.message);
                     bool good = true;
                     for (int i = 0; i < 8; ++i)
                       good &= ttrt_pipeline_enqueue(pipeline, &input, outputs, TTRT_WAIT,
                                                     &error) == TTRT_OK;
                     const void *popped[2];
                     for (int i = 0; i < 8; ++i)
                       good &= ttrt_pipeline_pop(pipeline, popped, TTRT_WAIT, &error) == TTRT_OK;
                     ttrt_pipeline_close(pipeline);
                     for (size_t j = 0; j < 256; ++j)
                       good &= y.values[j] == 2 * x.values[255 - j];
                     ttrt_device_close(device);
                     return good;
                   }),
        0u);
}

TEST(Mesh, NeedsATransport) {
  const Opened four(meshBundle()), one(sampleBundle());
  ttrt_device *device;
  ttrt_error error;
  EXPECT_EQ(ttrt_device_open(four.bundle, nullptr, &device, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      error.message,
      "the bundle is compiled for a mesh of 4 devices, and the device has no transport; expected "
      "ttrt_device_options::transport, or ttrt_mesh_open() (mesh.h)");
  ttrt_transport *two[2];
  ASSERT_EQ(ttrt_transport_open_threads(2, two, &error), TTRT_OK);
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.transport = two[1];
  EXPECT_EQ(ttrt_device_open(four.bundle, &options, &device, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the bundle is compiled for a mesh of 4 devices; the transport is of device 1 of 2");
  EXPECT_EQ(ttrt_device_open(one.bundle, &options, &device, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the bundle has no mesh, and the transport has 2 devices; expected no transport");
  for (ttrt_transport *transport : two)
    ttrt_transport_close(transport);
}

/// The transport of an open device is refused, and that device and its mesh continue.
TEST(Mesh, ATransportHasOneDevice) {
  const Opened opened(meshBundle());
  EXPECT_EQ(runThreads(4,
                       [&](uint32_t, ttrt_transport *transport) {
                         ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
                         options.transport = transport;
                         options.cores = 1;
                         ttrt_device *first, *second;
                         ttrt_error error;
                         if (ttrt_device_open(opened.bundle, &options, &first, &error) != TTRT_OK)
                           throw std::runtime_error(error.message);
                         Floats x(256), y(256);
                         const ttrt_input input = x.input();
                         const ttrt_output output = y.output();
                         bool good = true;
                         for (int i = 0; i < 3; ++i) {
                           good &= ttrt_device_open(opened.bundle, &options, &second, &error) ==
                                   TTRT_BUSY;
                           good &= !strcmp(error.message, "another device uses the transport");
                           good &= ttrt_run(first, 0, &input, &output, nullptr, &error) == TTRT_OK;
                         }
                         ttrt_device_close(first);
                         return good;
                       }),
            0u);
}

/// CPUs as machines number them: 0 to 3 and 8 to 11 in one node, 4 to 7 and 12 to 15 in the other.
TEST(Mesh, PartsOfCpusAreInNodes) {
  const TemporaryFolder folder;
  const std::string &root = folder.path;
  for (const auto &[node, list] :
       {std::pair("/node0", "0-3,8-11"), {"/node3", "4-7,12-15"}}) { // a machine without 1 and 2
    ASSERT_EQ(mkdir((root + node).c_str(), 0700), 0);
    std::ofstream(root + node + "/cpulist") << list << "\n";
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (size_t cpu = 0; cpu < 16; ++cpu)
    CPU_SET(cpu, &allowed);
  auto part = [&](uint32_t index, uint32_t parts, const std::string &nodes) {
    const cpu_set_t set = mesh::partOfCpus(allowed, index, parts, nodes.c_str());
    std::vector<size_t> cpus;
    for (size_t cpu = 0; cpu < 32; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
    return cpus;
  };
  using Cpus = std::vector<size_t>;
  EXPECT_EQ(part(0, 2, root), (Cpus{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(part(1, 2, root), (Cpus{4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(part(1, 4, root), (Cpus{8, 9, 10, 11}));
  EXPECT_EQ(part(3, 16, root), (Cpus{3}));
  EXPECT_EQ(part(1, 2, root + "/none"), (Cpus{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(part(5, 17, root).size(), 16u); // fewer CPUs than parts
  CPU_CLR(4, &allowed);
  CPU_CLR(0, &allowed);
  EXPECT_EQ(part(1, 2, root), (Cpus{5, 6, 7, 12, 13, 14, 15}));
  ttrt_error error;
  EXPECT_EQ(ttrt_mesh_bind(2, 2, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "part 2 of 2; expected one below");
}

TEST(Mesh, OneDevice) {
  const Opened opened(sampleBundle());
  EXPECT_EQ(ttrt_mesh_devices(opened.bundle), 1u);
  EXPECT_EQ(ttrt_mesh_devices(nullptr), 0u);
  const MeshOf mesh(opened.bundle);
  Floats x(256), y(256);
  x.values = randomFloats(256, 9);
  const ttrt_input input = x.input();
  const ttrt_output output = y.output();
  ttrt_error error;
  ASSERT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_OK);
  EXPECT_EQ(y.values, sampleResult(x.values));
  EXPECT_NE(ttrt_mesh_device(mesh.mesh, 0), nullptr);
  EXPECT_EQ(ttrt_mesh_device(mesh.mesh, 1), nullptr);
}

TEST(Mesh, ChecksArguments) {
  const Opened opened(meshBundle());
  const MeshOf mesh(opened.bundle);
  Floats x(256), y(256);
  ttrt_input input = x.input();
  ttrt_output output = y.output();
  ttrt_error error;
  input.bytes -= 4;
  EXPECT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 'x' of the whole mesh has 1020 bytes; expected 1024");
  EXPECT_EQ(ttrt_mesh_run(mesh.mesh, 1, &input, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_mesh_run(mesh.mesh, 0, nullptr, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_mesh_run(nullptr, 0, nullptr, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  input.bytes += 4;
  EXPECT_EQ(ttrt_mesh_run(mesh.mesh, 0, &input, &output, nullptr, &error), TTRT_OK)
      << error.message;
}

/// A device closes without having reported a failure: ttrt_run() reports it, on all.
TEST(Mesh, ReportsADeviceThatEnds) {
  const Opened opened(meshBundle());
  EXPECT_EQ(
      runProcesses(4,
                   [&](uint32_t device, ttrt_transport *transport) {
                     ttrt_device_options options = deviceOptions(1, 1);
                     options.transport = transport;
                     ttrt_device *target;
                     ttrt_error error;
                     if (ttrt_device_open(opened.bundle, &options, &target, &error) != TTRT_OK)
                       throw std::runtime_error(error.message);
                     Floats x(256), y(256);
                     const ttrt_input input = x.input();
                     const ttrt_output output = y.output();
                     for (int i = 0; i < 10; ++i)
                       if (ttrt_run(target, 0, &input, &output, nullptr, &error) != TTRT_OK)
                         return false;
                     uint8_t own = 0, all[4];
                     auto isTold = [](const char *message) {
                       return message && strstr(message, "device 3 of the mesh has ended: process");
                     };
                     // All have completed their runs. The others may continue before this one.
                     if (transport->gather(transport, &own, 1, all) != 0)
                       return isTold(transport->failure(transport));
                     if (device == 3)
                       kill(getpid(), SIGKILL);
                     const auto begin = std::chrono::steady_clock::now();
                     // Device 2 notices it on its queue.
                     ttrt_status status;
                     if (device == 2) {
                       status = ttrt_enqueue_execute(target, 0, 0, 1, &error);
                       if (status == TTRT_OK)
                         status = ttrt_device_synchronize(target, &error);
                     } else {
                       status = ttrt_run(target, 0, &input, &output, nullptr, &error);
                     }
                     const bool good =
                         status == TTRT_FAILED && isTold(error.message) &&
                         std::chrono::steady_clock::now() - begin < std::chrono::seconds(30);
                     if (!good)
                       fprintf(stderr, "device %u: %s\n", device, error.message);
                     ttrt_device_close(target);
                     return good;
                   }),
      1u); // the one that ended
}

/// The bundle of hostBundle(), declared for two devices; device 1's function fails.
TEST(Mesh, ReportsAHostFunctionThatFails) {
  BundleBuilder builder = hostBundle();
  builder.mesh({{"x", 2}});
  const Opened opened(std::move(builder));
  EXPECT_EQ(runThreads(2,
                       [&](uint32_t device, ttrt_transport *transport) {
                         ttrt_host_function function = TTRT_HOST_FUNCTION_INIT;
                         function.name = "com.acme.Scale";
                         function.user = &device;
                         function.call = [](void *user, const ttrt_host_call *, ttrt_error *error) {
                           if (*static_cast<uint32_t *>(user) == 0)
                             return TTRT_OK;
                           snprintf(error->message, sizeof(error->message), "no ink");
                           return TTRT_FAILED;
                         };
                         const ttrt_host_function *const functions[] = {&function, nullptr};
                         ttrt_device_options options = deviceOptions(1);
                         options.transport = transport;
                         options.host_functions = functions;
                         ttrt_device *target;
                         ttrt_error error;
                         if (ttrt_device_open(opened.bundle, &options, &target, &error) != TTRT_OK)
                           return device == 0 && strstr(error.message, "no ink"); // already
                         Floats x(256), y(256);
                         const ttrt_input input = x.input();
                         const ttrt_output output = y.output();
                         ttrt_status status = ttrt_run(target, 0, &input, &output, nullptr, &error);
                         bool good = status == (device ? TTRT_FAILED : TTRT_OK);
                         if (device)
                           good &= strcmp(error.message,
                                          "host function 'com.acme.Scale' failed: no ink") == 0;
                         for (int i = 0; i < 1000 && !transport->failure(transport); ++i)
                           usleep(1000);
                         good &= strcmp(transport->failure(transport),
                                        "device 1 of the mesh has failed: host function "
                                        "'com.acme.Scale' failed: no ink") == 0;
                         ttrt_device_close(target);
                         return good;
                       }),
            0u);
}

/// Runs until one fails; returns its status.
ttrt_status runUntilFailure(ttrt_mesh *mesh, ttrt_error &error) {
  Floats x(512), y(512);
  const ttrt_input in = x.input();
  const ttrt_output out = y.output();
  ttrt_status status = TTRT_OK;
  while (status == TTRT_OK)
    status = ttrt_mesh_run(mesh, 0, &in, &out, nullptr, &error);
  return status;
}

TEST(Mesh, ACancelledRun) {
  const Opened opened(meshPartsBundle());
  for (uint32_t device : {0, 1}) {
    ttrt_mesh *mesh;
    ttrt_error error;
    ASSERT_EQ(ttrt_mesh_open(opened.bundle, nullptr, &mesh, &error), TTRT_OK) << error.message;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(ttrt_device_cancel(ttrt_mesh_device(mesh, device), nullptr), TTRT_OK);
    });
    const ttrt_status status = runUntilFailure(mesh, error);
    // The device may have completed its part: the others fail then.
    EXPECT_TRUE(status == TTRT_CANCELLED || status == TTRT_FAILED) << error.message;
    EXPECT_NE(strstr(error.message, "the device was cancelled"), nullptr) << error.message;
    canceller.join();
    EXPECT_EQ(runUntilFailure(mesh, error), TTRT_CANCELLED) << "the mesh stays failed";
    ttrt_mesh_close(mesh);
  }
}

TEST(Mesh, ADeadline) {
  const Opened opened(meshPartsBundle());
  ttrt_mesh *mesh;
  ttrt_error error;
  ASSERT_EQ(ttrt_mesh_open(opened.bundle, nullptr, &mesh, &error), TTRT_OK) << error.message;
  for (uint32_t device : {0, 1})
    EXPECT_EQ(ttrt_device_set_deadline(ttrt_mesh_device(mesh, device), 30'000'000, nullptr),
              TTRT_OK);
  EXPECT_EQ(runUntilFailure(mesh, error), TTRT_DEADLINE_EXCEEDED) << error.message;
  ttrt_mesh_close(mesh);
}

/// Data that must be the same on all devices: each says which one has others.
TEST(Mesh, Compare) {
  const Opened opened(meshBundle());
  EXPECT_EQ(
      runThreads(
          4,
          [&](uint32_t device, ttrt_transport *transport) {
            ttrt_device_options options = deviceOptions(1);
            options.transport = transport;
            ttrt_device *target;
            ttrt_error error;
            if (ttrt_device_open(opened.bundle, &options, &target, &error) != TTRT_OK)
              return false;
            const std::vector<uint8_t> same(100000, 3), other(100000, device == 2 ? 4 : 3);
            bool good =
                ttrt_mesh_compare(transport, "a", same.data(), same.size(), &error) == TTRT_OK &&
                ttrt_mesh_compare(transport, "nothing", nullptr, 0, &error) == TTRT_OK &&
                ttrt_mesh_compare(transport, "input 'x'", other.data(), other.size(), &error) ==
                    TTRT_INVALID_ARGUMENT &&
                strcmp(error.message, "device 2 of the mesh has other data than device 0: input "
                                      "'x'; expected the same on all devices") == 0 &&
                ttrt_mesh_compare(transport, "b", same.data(), same.size() - (device == 1),
                                  &error) == TTRT_INVALID_ARGUMENT &&
                ttrt_mesh_compare(transport, "c", same.data(), same.size(), &error) == TTRT_OK;
            ttrt_device_close(target);
            return good;
          }),
      0u);
}

/// One device of a mesh cannot open: no other one waits for it.
TEST(Mesh, ReportsADeviceThatDoesNotOpen) {
  const Opened opened(meshBundle());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(runThreads(4,
                       [&](uint32_t device, ttrt_transport *transport) {
                         ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
                         options.transport = transport;
                         options.cores = device == 2 ? 5000 : 1;
                         ttrt_device *target;
                         ttrt_error error;
                         const ttrt_status status =
                             ttrt_device_open(opened.bundle, &options, &target, &error);
                         const char *expected = "expected at most 1024 cores, found 5000";
                         return status == (device == 2 ? TTRT_INVALID_ARGUMENT : TTRT_FAILED) &&
                                strstr(error.message, expected) != nullptr;
                       }),
            0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  ttrt_device_options device = deviceOptions(5000);
  ttrt_mesh_options options = TTRT_MESH_OPTIONS_INIT;
  options.device = &device;
  ttrt_mesh *mesh;
  ttrt_error error;
  EXPECT_EQ(ttrt_mesh_open(opened.bundle, &options, &mesh, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "expected at most 1024 cores, found 5000");
  EXPECT_EQ(mesh, nullptr);
}
