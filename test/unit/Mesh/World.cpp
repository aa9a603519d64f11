// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "World.h"

#include "ttrt/format/bundle_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ttrt::test {

static uint64_t sizeOf(fb::DType dtype) {
  static constexpr uint64_t kSizes[] = {4, 2, 2, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  return kSizes[static_cast<size_t>(dtype)];
}

uint64_t Case::outputBytes() const {
  if (kind == fb::CollectiveKind::AllGather)
    return bytes * groups[0].size();
  return kind == fb::CollectiveKind::ReduceScatter ? bytes / groups[0].size() : bytes;
}

uint64_t Case::scratchBytes() const {
  const uint64_t size = groups[0].size();
  return kind == fb::CollectiveKind::ReduceScatter && algorithm == fb::CollectiveAlgorithm::Ring &&
                 size > 2
             ? (size - 2) * bytes / size
             : 0;
}

std::string Case::name() const {
  return std::string(fb::EnumNameCollectiveKind(kind)) + " " +
         fb::EnumNameCollectiveAlgorithm(algorithm) + " " + fb::EnumNameReduction(reduction) + " " +
         fb::EnumNameDType(dtype) + " " + std::to_string(groups.size()) + " x " +
         std::to_string(groups[0].size()) + " devices, " + std::to_string(bytes) + " bytes in " +
         std::to_string(rows) + " rows";
}

std::vector<std::vector<uint32_t>> groupsOf(uint32_t devices, uint32_t size, bool strided) {
  std::vector<std::vector<uint32_t>> groups(devices / size);
  for (uint32_t device = 0; device < devices; ++device)
    groups[strided ? device % groups.size() : device / size].push_back(device);
  return groups;
}

World::World(uint32_t devices, std::vector<Case> list) : devices(devices), cases(std::move(list)) {
  fb::BundleT bundle;
  bundle.target = std::make_unique<fb::TargetT>();
  bundle.target->name = "test";
  bundle.mesh = std::make_unique<fb::MeshT>();
  bundle.mesh->axes.push_back(std::make_unique<fb::MeshAxisT>());
  bundle.mesh->axes[0]->name = "x";
  bundle.mesh->axes[0]->size = devices;
  uint64_t end = kPageSize; // flat addresses begin at the second page
  for (Case &one : cases) {
    auto table = std::make_unique<fb::CollectiveT>();
    table->name = one.name();
    table->kind = one.kind;
    table->algorithm = one.algorithm;
    table->reduction = one.reduction;
    table->dtype = one.dtype;
    table->rows = one.rows;
    table->root = one.root;
    table->sources = one.sources;
    for (const auto &group : one.groups) {
      table->groups.push_back(std::make_unique<fb::DeviceGroupT>());
      table->groups.back()->devices = group;
    }
    const uint64_t bytes[] = {one.bytes, one.outputBytes(), one.scratchBytes()};
    for (size_t i = 0; i < 3; ++i) {
      if (bytes[i] == 0)
        continue;
      table->operands.push_back(std::make_unique<fb::OperandT>());
      table->operands.back()->bytes = bytes[i];
      one.operands[i] = end;
      end = alignUp(end + bytes[i], kBufferAlignment);
    }
    bundle.collectives.push_back(std::move(table));
  }
  dramBytes = alignUp(end, kPageSize) - kPageSize;
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishBundleBuffer(builder, fb::Bundle::Pack(builder, &bundle));
  tables.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

static uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

/// The value of an element, and an element of a value.
static double load(fb::DType dtype, const uint8_t *at) {
  auto as = [&](auto zero) {
    memcpy(&zero, at, sizeof(zero));
    return static_cast<double>(zero);
  };
  switch (dtype) {
  case fb::DType::F32:
    return as(float{});
  case fb::DType::F16:
    return as(static_cast<_Float16>(0));
  case fb::DType::BF16: {
    uint32_t bits = 0;
    memcpy(reinterpret_cast<uint8_t *>(&bits) + 2, at, 2);
    float value;
    memcpy(&value, &bits, 4);
    return value;
  }
  case fb::DType::F64:
    return as(double{});
  case fb::DType::I8:
    return as(int8_t{});
  case fb::DType::I16:
    return as(int16_t{});
  case fb::DType::I32:
    return as(int32_t{});
  case fb::DType::I64:
    return as(int64_t{});
  case fb::DType::U16:
    return as(uint16_t{});
  case fb::DType::U32:
    return as(uint32_t{});
  case fb::DType::U64:
    return as(uint64_t{});
  default:
    return as(uint8_t{});
  }
}

static void store(fb::DType dtype, double value, uint8_t *at) {
  auto as = [&](auto typed) { memcpy(at, &typed, sizeof(typed)); };
  switch (dtype) {
  case fb::DType::F32:
    return as(static_cast<float>(value));
  case fb::DType::F16:
    return as(static_cast<_Float16>(value));
  case fb::DType::BF16: {
    const float wide = static_cast<float>(value); // exact in the tests
    memcpy(at, reinterpret_cast<const uint8_t *>(&wide) + 2, 2);
    return;
  }
  case fb::DType::F64:
    return as(value);
  case fb::DType::I8:
    return as(static_cast<int8_t>(value));
  case fb::DType::I16:
    return as(static_cast<int16_t>(value));
  case fb::DType::I32:
    return as(static_cast<int32_t>(value));
  case fb::DType::I64:
    return as(static_cast<int64_t>(value));
  case fb::DType::U16:
    return as(static_cast<uint16_t>(value));
  case fb::DType::U32:
    return as(static_cast<uint32_t>(value));
  case fb::DType::U64:
    return as(static_cast<uint64_t>(value));
  default:
    return as(static_cast<uint8_t>(value));
  }
}

std::vector<uint8_t> World::input(const Case &one, uint32_t device, uint64_t iteration,
                                  bool exact) const {
  std::vector<uint8_t> bytes(one.bytes);
  const uint64_t size = sizeOf(one.dtype);
  const uint64_t seed = mix(one.operands[0] * 4096 + device) ^ mix(iteration + 12345);
  for (uint64_t i = 0; i < one.bytes / size; ++i) {
    const uint64_t random = mix(seed + i);
    double value = static_cast<double>(random % 14);
    if (one.dtype < fb::DType::U8)
      value -= 7;
    if (one.dtype == fb::DType::Bool)
      value = static_cast<double>(random % 2);
    if (!exact && one.dtype <= fb::DType::F64)
      value = static_cast<double>(static_cast<float>(static_cast<double>(random >> 40) / 1e6 - 8));
    store(one.dtype, value, bytes.data() + i * size);
  }
  return bytes;
}

std::vector<uint8_t> World::expected(const Case &one, uint32_t device, uint64_t iteration) const {
  const std::vector<uint32_t> *group = nullptr;
  size_t self = 0;
  for (const auto &candidate : one.groups)
    for (size_t i = 0; i < candidate.size(); ++i)
      if (candidate[i] == device) {
        group = &candidate;
        self = i;
      }
  if (!group)
    return {};
  const size_t count = group->size();
  std::vector<std::vector<uint8_t>> x;
  for (uint32_t member : *group)
    x.push_back(input(one, member, iteration));
  const uint64_t row = one.bytes / one.rows;
  std::vector<uint8_t> result;
  auto append = [&](const std::vector<uint8_t> &from, uint64_t begin, uint64_t bytes) {
    result.insert(result.end(), from.begin() + static_cast<ptrdiff_t>(begin),
                  from.begin() + static_cast<ptrdiff_t>(begin + bytes));
  };
  auto reduced = [&] {
    std::vector<uint8_t> sum = x[0];
    const uint64_t size = sizeOf(one.dtype);
    for (uint64_t at = 0; at < one.bytes; at += size) {
      double value = load(one.dtype, &x[0][at]);
      for (size_t i = 1; i < count; ++i) {
        const double next = load(one.dtype, &x[i][at]);
        value = one.reduction == fb::Reduction::Max   ? std::max(value, next)
                : one.reduction == fb::Reduction::Min ? std::min(value, next)
                : one.dtype == fb::DType::Bool        ? std::max(value, next)
                                                      : value + next;
      }
      store(one.dtype, value, &sum[at]);
    }
    return sum;
  };
  switch (one.kind) {
  case fb::CollectiveKind::AllReduce:
    return reduced();
  case fb::CollectiveKind::AllGather:
    for (uint64_t r = 0; r < one.rows; ++r)
      for (size_t i = 0; i < count; ++i)
        append(x[i], r * row, row);
    return result;
  case fb::CollectiveKind::ReduceScatter: {
    const std::vector<uint8_t> sum = reduced();
    for (uint64_t r = 0; r < one.rows; ++r)
      append(sum, r * row + self * row / count, row / count);
    return result;
  }
  case fb::CollectiveKind::AllToAll:
    for (uint64_t r = 0; r < one.rows; ++r)
      for (size_t i = 0; i < count; ++i)
        append(x[i], r * row + self * row / count, row / count);
    return result;
  case fb::CollectiveKind::Broadcast:
    return x[one.root];
  case fb::CollectiveKind::Permute:
    return one.sources[self] == kNoSource ? std::vector<uint8_t>() : x[one.sources[self]];
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Member
//===----------------------------------------------------------------------===//

Member::Member(const World &world, ttrt_transport *transport, uint64_t hash)
    : world_(world), transport_(transport),
      plan_{sizeof(plan_), world.tables.data(), hash, kPageSize, kPageSize + world.dramBytes} {
  int memory = -1;
  uint64_t offset = 0;
  ttrt_error error;
  if (transport->prepare(transport, &plan_, &memory, &offset, &error) != TTRT_OK)
    throw std::runtime_error(error.message);
  void *address = mmap(nullptr, world.dramBytes, PROT_READ | PROT_WRITE,
                       memory < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, memory,
                       static_cast<off_t>(offset));
  if (address == MAP_FAILED)
    throw std::runtime_error("no memory");
  base_ = static_cast<uint8_t *>(address) - kPageSize;
  if (transport->bind(transport, base_, &error) != TTRT_OK) {
    transport->unbind(transport);
    munmap(address, world.dramBytes);
    throw std::runtime_error(error.message);
  }
}

Member::~Member() {
  transport_->unbind(transport_);
  munmap(base_ + kPageSize, world_.dramBytes);
}

int Member::exchange(size_t index) {
  return transport_->exchange(transport_, static_cast<uint32_t>(index),
                              world_.cases[index].operands);
}

std::vector<uint8_t> Member::run(size_t index, uint64_t iteration, bool exact) {
  const Case &one = world_.cases[index];
  const std::vector<uint8_t> bytes = world_.input(one, transport_->device, iteration, exact);
  memcpy(at(one.operands[0]), bytes.data(), bytes.size());
  memset(at(one.operands[1]), 0xee, one.outputBytes());
  if (exchange(index) != 0)
    return {};
  const uint8_t *output = at(one.operands[1]);
  return std::vector<uint8_t>(output, output + one.outputBytes());
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

using Function = std::function<bool(uint32_t, ttrt_transport *)>;

static bool runGuarded(const Function &function, uint32_t device, ttrt_transport *transport) {
  try {
    return function(device, transport);
  } catch (const std::exception &error) {
    fprintf(stderr, "device %u: %s\n", device, error.what());
    return false;
  }
}

static uint32_t runOn(std::vector<ttrt_transport *> transports, const Function &function) {
  std::vector<std::thread> threads;
  std::vector<char> good(transports.size());
  for (uint32_t i = 0; i < transports.size(); ++i)
    threads.emplace_back([&, i] { good[i] = runGuarded(function, i, transports[i]); });
  for (std::thread &thread : threads)
    thread.join();
  for (ttrt_transport *transport : transports)
    ttrt_transport_close(transport);
  return static_cast<uint32_t>(std::count(good.begin(), good.end(), 0));
}

uint32_t runThreads(uint32_t devices, const Function &function) {
  std::vector<ttrt_transport *> transports(devices);
  ttrt_error error;
  if (ttrt_transport_open_threads(devices, transports.data(), &error) != TTRT_OK)
    throw std::runtime_error(error.message);
  return runOn(std::move(transports), function);
}

static int createShared(uint32_t devices) {
  int memory;
  ttrt_error error;
  if (ttrt_transport_create_shared(devices, &memory, &error) != TTRT_OK)
    throw std::runtime_error(error.message);
  return memory;
}

uint32_t runSharedThreads(uint32_t devices, const Function &function) {
  const int memory = createShared(devices);
  std::vector<ttrt_transport *> transports(devices);
  ttrt_error error;
  for (uint32_t i = 0; i < devices; ++i)
    if (ttrt_transport_open_shared(memory, i, devices, &transports[i], &error) != TTRT_OK)
      throw std::runtime_error(error.message);
  close(memory);
  return runOn(std::move(transports), function);
}

Arrivals::Arrivals() {
  if (pipe(pipe_) != 0)
    throw std::runtime_error("no pipe");
}

Arrivals::~Arrivals() {
  close(pipe_[0]);
  close(pipe_[1]);
}

void Arrivals::tell() const {
  if (write(pipe_[1], "", 1) != 1)
    _exit(2);
}

void Arrivals::await(uint32_t devices) const {
  char one;
  for (uint32_t i = 0; i < devices; ++i)
    if (read(pipe_[0], &one, 1) != 1)
      throw std::runtime_error("no child arrives");
}

uint32_t runProcesses(uint32_t devices, const Function &function) {
  const int memory = createShared(devices);
  std::vector<pid_t> children;
  for (uint32_t i = 0; i < devices; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      ttrt_transport *transport;
      ttrt_error error;
      bool good = ttrt_transport_open_shared(memory, i, devices, &transport, &error) == TTRT_OK;
      if (!good)
        fprintf(stderr, "device %u: %s\n", i, error.message);
      good = good && runGuarded(function, i, transport);
      if (good)
        ttrt_transport_close(transport);
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  close(memory);
  uint32_t bad = 0;
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  return bad;
}

} // namespace ttrt::test
