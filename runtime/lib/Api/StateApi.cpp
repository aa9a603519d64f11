// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State from outside: reset, read, write, files.

#include "ttrt/state.h"

#include "Api/ApiChecks.h"
#include "Base/StructSize.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace ttrt;

namespace {

/// The file: this header, the description of the states as text, padded with zeros to a page, then
/// the bytes of each state, padded to kBufferAlignment.
struct StateFileHeader {
  uint8_t magic[8];
  uint32_t version;
  uint32_t headerSize; ///< sizeof(StateFileHeader)
  uint64_t fileSize;
  uint64_t descriptionSize; ///< bytes
  uint64_t hash;            ///< hashSegment() of everything after the header
};
constexpr uint8_t kStateMagic[8] = {'T', 'T', 'C', 'S', '\r', '\n', 0x1a, '\n'};
constexpr uint32_t kStateVersion = 1;

const fb::Port &stateOf(const Bundle &bundle, uint32_t state) {
  const auto *states = bundle.metadata().states();
  if (state >= count(states))
    fail(TTRT_INVALID_ARGUMENT, "state {}; the bundle has {}", state, count(states));
  return *states->Get(state);
}

uint8_t *dataOf(const Device &device, const fb::Port &state) {
  const fb::Buffer &buffer = *device.bundle().metadata().buffers()->Get(state.buffer());
  return device.memory().base() + device.bundle().address(buffer);
}

/// Runs `use` when everything that was enqueued is complete, and nothing else uses the device.
template <typename Use> ttrt_status withDevice(ttrt_device *device, ttrt_error *error, Use use) {
  return guarded(error, [&] {
    require(device, "device is NULL");
    Device &target = *device->device;
    requireHostThread(target);
    InUse call(target.busy(), "another call on this device");
    // No other thread enqueues meanwhile.
    std::optional<InUse> queues[kMaxQueues];
    for (uint32_t i = 0; i < target.queues(); ++i)
      queues[i].emplace(target.busy(i), "another call on a queue of this device");
    target.drain();
    use(target);
  });
}

/// Returns the state's byte `offset`, if `bytes` bytes fit in the state from there on.
uint8_t *rangeOf(const Device &device, uint32_t state, size_t offset, size_t bytes,
                 const void *data) {
  const fb::Port &table = stateOf(device.bundle(), state);
  const uint64_t size = sizeOf(table);
  if (offset > size || bytes > size - offset)
    fail(TTRT_INVALID_ARGUMENT, "bytes {} to {} of state '{}', which has {}", offset,
         static_cast<uint64_t>(offset) + bytes, text(table.name()), size);
  require(data || bytes == 0, "data is NULL");
  return dataOf(device, table) + offset;
}

/// Names, element types and shapes, a line for each state.
std::string describe(const Bundle &bundle) {
  std::string description;
  const auto *states = bundle.metadata().states();
  for (uint32_t i = 0; i < count(states); ++i) {
    const fb::Port &state = *states->Get(i);
    description += text(state.name());
    description += ' ';
    description += std::to_string(static_cast<unsigned>(state.dtype()));
    for (uint32_t d = 0; d < count(state.shape()); ++d) {
      description += ' ';
      description += std::to_string(state.shape()->Get(d));
    }
    description += '\n';
  }
  return description;
}

uint64_t contentsBegin(uint64_t descriptionSize) {
  return alignUp(sizeof(StateFileHeader) + descriptionSize, kPageSize);
}

uint64_t fileSizeOf(const Bundle &bundle, uint64_t descriptionSize) {
  uint64_t size = contentsBegin(descriptionSize);
  const auto *states = bundle.metadata().states();
  for (uint32_t i = 0; i < count(states); ++i)
    size += alignUp(sizeOf(*states->Get(i)), kBufferAlignment);
  return size;
}

/// A new file beside `path`, mapped as a whole, which keep() renames to it.
class NewFile {
public:
  NewFile(const char *path, uint64_t size) : NewFile(std::string(path)) {
    size_ = size;
    for (uint32_t i = 0; descriptor_ < 0; ++i) {
      const std::string name = path_ + "." + std::to_string(getpid()) + "-" + std::to_string(i);
      descriptor_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ >= 0)
        temporary_ = name;
      else if (errno != EEXIST)
        failIo();
    }
    // Space now, so that no page fails later.
    if (const int problem = posix_fallocate(descriptor_, 0, static_cast<off_t>(size))) {
      errno = problem;
      failIo();
    }
    void *data = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (data == MAP_FAILED)
      failIo();
    data_ = static_cast<uint8_t *>(data);
  }
  ~NewFile() {
    if (data_)
      munmap(data_, size_);
    if (descriptor_ >= 0)
      close(descriptor_);
    if (!temporary_.empty())
      unlink(temporary_.c_str());
  }
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  uint8_t *data() const { return data_; }
  uint64_t size() const { return size_; }

  void keep() {
    if (msync(data_, size_, MS_SYNC) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0)
      failIo();
    temporary_.clear();
  }

private:
  /// Nothing is open yet. What fails after this is undone by the destructor.
  explicit NewFile(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void failIo() const {
    fail(TTRT_IO_ERROR, "cannot write '{}': {}", path_, strerror(errno));
  }

  const std::string path_;
  std::string temporary_; ///< until it is kept
  int descriptor_ = -1;
  uint8_t *data_ = nullptr;
  uint64_t size_ = 0;
};

/// Calls `use(state, bytes in the file)` for each state.
template <typename Byte, typename Use>
void forEachState(const Bundle &bundle, Byte *contents, Use use) {
  const auto *states = bundle.metadata().states();
  for (uint32_t i = 0; i < count(states); ++i) {
    use(*states->Get(i), contents);
    contents += alignUp(sizeOf(*states->Get(i)), kBufferAlignment);
  }
}

void requireStates(const Bundle &bundle) {
  if (count(bundle.metadata().states()) == 0)
    fail(TTRT_INVALID_ARGUMENT, "the bundle has no state");
}

void save(const Device &device, const char *path) {
  const Bundle &bundle = device.bundle();
  const std::string description = describe(bundle);
  NewFile file(path, fileSizeOf(bundle, description.size()));
  StateFileHeader header = {};
  memcpy(header.magic, kStateMagic, sizeof(header.magic));
  header.version = kStateVersion;
  header.headerSize = sizeof(header);
  header.fileSize = file.size();
  header.descriptionSize = description.size();
  memcpy(file.data() + sizeof(header), description.data(), description.size());
  forEachState(bundle, file.data() + contentsBegin(description.size()),
               [&](const fb::Port &state, uint8_t *contents) {
                 memcpy(contents, dataOf(device, state), sizeOf(state));
               });
  header.hash = hashSegment(file.data() + sizeof(header), file.size() - sizeof(header));
  memcpy(file.data(), &header, sizeof(header));
  file.keep();
}

void restore(const Device &device, const char *path) {
  const Bundle &bundle = device.bundle();
  const std::string description = describe(bundle);
  const MappedFile file(path);
  if (file.size() < sizeof(StateFileHeader))
    fail(TTRT_BAD_BUNDLE, "'{}' has {} bytes: it is not a file of states", path, file.size());
  StateFileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  if (memcmp(header.magic, kStateMagic, sizeof(header.magic)) != 0)
    fail(TTRT_BAD_BUNDLE, "'{}' is not a file of states", path);
  if (header.version != kStateVersion || header.headerSize != sizeof(header))
    fail(TTRT_UNSUPPORTED, "'{}' has version {}; expected {}", path, header.version, kStateVersion);
  if (header.fileSize != file.size() ||
      header.hash != hashSegment(file.data() + sizeof(header), file.size() - sizeof(header)))
    fail(TTRT_BAD_BUNDLE, "'{}' is damaged: {}", path,
         header.fileSize != file.size() ? "its size is not the one that it was written with"
                                        : "its hash does not match");
  const std::string_view found(
      reinterpret_cast<const char *>(file.data()) + sizeof(header),
      std::min<uint64_t>(header.descriptionSize, file.size() - sizeof(header)));
  if (found != description || file.size() != fileSizeOf(bundle, description.size()))
    fail(TTRT_INVALID_ARGUMENT,
         "expected the states of this bundle in '{}', found other names, element types or shapes",
         path);
  forEachState(bundle, file.data() + contentsBegin(description.size()),
               [&](const fb::Port &state, const uint8_t *contents) {
                 memcpy(dataOf(device, state), contents, sizeOf(state));
               });
}

/// Sets memory to zero. Whole pages are given back, which makes them zero if they are this
/// process's alone.
void clear(uint8_t *data, uint64_t bytes, bool isShared) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data), end = begin + bytes;
  const uintptr_t first = alignUp(begin, kPageSize), last = end / kPageSize * kPageSize;
  if (!isShared && first < last &&
      madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED) == 0) {
    memset(data, 0, first - begin);
    memset(reinterpret_cast<void *>(last), 0, end - last);
    return;
  }
  memset(data, 0, bytes);
}

} // namespace

extern "C" {

uint32_t ttrt_bundle_states(const ttrt_bundle *bundle) {
  return bundle ? count(bundle->bundle->metadata().states()) : 0;
}

ttrt_status ttrt_bundle_state(const ttrt_bundle *bundle, uint32_t state, ttrt_port *info,
                              ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && info, "bundle or info is NULL");
    checkResult(info, "ttrt_port");
    const fb::Port &found = stateOf(*bundle->bundle, state);
    writePort(info, found);
  });
}

ttrt_status ttrt_bundle_find_state(const ttrt_bundle *bundle, const char *name, uint32_t *state,
                                   ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && name && state, "bundle, name or state is NULL");
    *state = findIn(bundle->bundle->metadata().states(), "state", name);
  });
}

ttrt_status ttrt_state_reset(ttrt_device *device, ttrt_error *error) {
  return withDevice(device, error, [&](Device &target) {
    const auto *states = target.bundle().metadata().states();
    for (uint32_t i = 0; i < count(states); ++i)
      clear(dataOf(target, *states->Get(i)), sizeOf(*states->Get(i)), target.memory().isShared());
  });
}

ttrt_status ttrt_state_write(ttrt_device *device, uint32_t state, size_t offset, const void *data,
                             size_t bytes, ttrt_error *error) {
  return withDevice(device, error, [&](Device &target) {
    uint8_t *to = rangeOf(target, state, offset, bytes, data);
    if (bytes != 0)
      memcpy(to, data, bytes);
  });
}

ttrt_status ttrt_state_read(ttrt_device *device, uint32_t state, size_t offset, void *data,
                            size_t bytes, ttrt_error *error) {
  return withDevice(device, error, [&](Device &target) {
    const uint8_t *from = rangeOf(target, state, offset, bytes, data);
    if (bytes != 0)
      memcpy(data, from, bytes);
  });
}

ttrt_status ttrt_state_save(ttrt_device *device, const char *path, ttrt_error *error) {
  return withDevice(device, error, [&](Device &target) {
    require(path, "path is NULL");
    requireStates(target.bundle());
    save(target, path);
  });
}

ttrt_status ttrt_state_restore(ttrt_device *device, const char *path, ttrt_error *error) {
  return withDevice(device, error, [&](Device &target) {
    require(path, "path is NULL");
    requireStates(target.bundle());
    restore(target, path);
  });
}

} // extern "C"
