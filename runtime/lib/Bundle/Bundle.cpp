// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and verifies a bundle. The file is checked here (header, flatbuffer, segments, padding,
// hashes), its tables, streams and plan in Verify*.cpp.

#include "Bundle/Bundle.h"

#include "Base/Clock.h"
#include "Base/Format.h"
#include "Base/ParallelHash.h"
#include "Base/Sort.h"
#include "Bundle/DecodedPlan.h"
#include "Bundle/MeshChecks.h"
#include "Bundle/Verifier.h"
#include "Bundle/VerifyBuffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ttrt {

//===----------------------------------------------------------------------===//
// MappedFile
//===----------------------------------------------------------------------===//

MappedFile::MappedFile(const char *path, int descriptor) : path_(path) {
  descriptor_ = descriptor == kNone ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                                    : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0)
    fail(TTRT_IO_ERROR, "cannot open '{}': {}", path, strerror(errno));
  struct stat status;
  const char *problem = nullptr;
  if (fstat(descriptor_, &status) != 0)
    problem = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    problem = "not a regular file";
  else
    size_ = static_cast<uint64_t>(status.st_size);
  if (!problem && size_ > 0) {
    void *address = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
    if (address == MAP_FAILED)
      problem = strerror(errno);
    else
      data_ = static_cast<const uint8_t *>(address);
    // Only a hint, also after a failure. What is not in the system's cache yet is read in huge
    // pages, which are mapped in a tenth of the time.
    madvise(address, size_, MADV_HUGEPAGE);
  }
  if (problem) {
    close(descriptor_);
    fail(TTRT_IO_ERROR, "cannot map '{}': {}", path, problem);
  }
}

MappedFile::~MappedFile() {
  if (data_)
    munmap(const_cast<uint8_t *>(data_), size_);
  close(descriptor_);
}

//===----------------------------------------------------------------------===//
// Bundle
//===----------------------------------------------------------------------===//

Bundle::Bundle(const char *path, ttrt_verify verify, int descriptor) : file_(path, descriptor) {
  readHeader();
  readMetadata();
  readTarget();
  readSegments(verify);
  const MeshChecks mesh(*metadata_);
  mesh.verify(MeshCheck::Shards, *this);
  verifyTables(*this);
  mesh.verify(MeshCheck::Tables, *this);
  hostFunctions_ = findHostFunctions(*metadata_);
  const bool isCertified = verifyFacts(*this);
  verifyStreams(*this);
  verifySchedules(*this);
  mesh.verify(MeshCheck::Roles, *this);
  if (isCertified)
    for (const fb::EntryPoint *entry : *metadata_->entries())
      if (!entry->dataflow())
        failBad("entry point '{}' has no dataflow; expected one, as its code says",
                text(entry->name()));
  verifyCode(*this);
  if (verify != TTRT_VERIFY_NONE) {
    const uint64_t begin = nowNs();
    const PlacedPlan &placed = plan();
    mesh.verify(MeshCheck::Proof, *this, &placed);
    proofs_ = std::make_unique<OrderProofs>(*this, placed);
    proofs_->proof.nanoseconds = nowNs() - begin;
    prove(/*all=*/false);
    mesh.verify(MeshCheck::Replicas, *this, &placed);
  } else {
    verifyMapped(*this);
  }
  // The weights were read only to hash them. The device maps them at their own address.
  for (const fb::Segment *segment : *metadata_->segments())
    if (segment->kind() == fb::SegmentKind::Constants) {
      const uint64_t begin = segment->offset() / kPageSize * kPageSize;
      madvise(const_cast<uint8_t *>(file_.data()) + begin,
              segment->offset() + segment->size() - begin, MADV_DONTNEED);
    }
}

Bundle::~Bundle() = default;

bool Bundle::prove(uint32_t entry, uint32_t schedule) const {
  if (!proofs_)
    return false;
  const std::lock_guard lock(planMutex_);
  const uint64_t begin = nowNs();
  const bool isSeamless = proofs_->prove(entry, schedule);
  proofs_->proof.nanoseconds += nowNs() - begin;
  return isSeamless;
}

Proof Bundle::prove(bool all) const {
  if (!proofs_)
    return {};
  const auto &entries = *metadata_->entries();
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const auto &schedules = *entries.Get(i)->schedules();
    bool isFirst = true; // with one queue
    for (uint32_t j = 0; j < schedules.size(); ++j) {
      const bool isRun = isFirst && schedules.Get(j)->queues() == 1;
      isFirst &= !isRun;
      if (all || j == 0 || isRun)
        prove(i, j);
    }
  }
  const std::lock_guard lock(planMutex_);
  return proofs_->proof;
}

const PlacedPlan &Bundle::plan() const {
  // Not std::call_once(): if no memory is left, an exception cannot pass through the C library.
  const std::lock_guard lock(planMutex_);
  if (!plan_)
    plan_ = std::make_unique<const PlacedPlan>(verifyMemory(*this, DecodedPlan(*this)));
  return *plan_;
}

void Bundle::readHeader() {
  FileHeader &header = header_;
  if (file_.size() < sizeof(header))
    failBad("file has {} bytes; a bundle has a header of {}", file_.size(), sizeof(header));
  memcpy(&header, file_.data(), sizeof(header));
  if (memcmp(header.magic, kFileMagic, sizeof(kFileMagic)) != 0)
    failBad("not a bundle: the file {}",
            memcmp(file_.data(), "version https://git-lfs", 23) == 0 // of sizeof(header) bytes
                ? "is a pointer of Git LFS to one; 'git lfs pull' fetches it"
                : "does not begin with the bundle's magic bytes");
  if (header.version != kFormatVersion)
    fail(TTRT_UNSUPPORTED, "bundle has format version {}; this runtime reads version {}",
         header.version, kFormatVersion);
  uint64_t hash = hashBytes(&header, offsetof(FileHeader, headerHash));
  if (hash != header.headerHash)
    failBad("file header is damaged: hash {:016x}, expected {:016x}", hash, header.headerHash);
  if (header.headerSize != sizeof(header) || header.reserved != 0)
    failBad("file header is malformed: size {}, reserved {}; expected {} and 0", header.headerSize,
            header.reserved, sizeof(header));
  if (header.fileSize != file_.size())
    failBad("file has {} bytes, its header says {}: truncated or extended", file_.size(),
            header.fileSize);
  if (header.metadataOffset < sizeof(header) || header.metadataOffset % 64 != 0 ||
      header.metadataOffset > header.fileSize ||
      header.metadataSize > header.fileSize - header.metadataOffset)
    failBad("metadata at {} + {} bytes: not inside the file of {} bytes, or not 64-byte aligned",
            header.metadataOffset, header.metadataSize, header.fileSize);
  if (header.metadataSize >= FLATBUFFERS_MAX_BUFFER_SIZE)
    failBad("metadata has {} bytes; expected less than {}", header.metadataSize,
            FLATBUFFERS_MAX_BUFFER_SIZE);
}

void Bundle::readMetadata() {
  const FileHeader &header = header_;
  const uint8_t *data = file_.data() + header.metadataOffset;
  uint64_t hash = hashBytes(data, header.metadataSize);
  if (hash != header.metadataHash)
    failBad("metadata is damaged: hash {:016x}, expected {:016x}", hash, header.metadataHash);
  metadata_ = verifyBundleBuffer(data, header.metadataSize);
  if (!metadata_)
    failBad("metadata is not a well-formed flatbuffer of schema TTCB");
  for (uint32_t i = 0; i < count(metadata_->required_features()); ++i)
    if (const char *feature = metadata_->required_features()->Get(i)->c_str();
        strcmp(feature, kHostFunctionsFeature) != 0 &&
        strcmp(feature, kProgramMarkersFeature) != 0 && strcmp(feature, kMeshFeature) != 0 &&
        strcmp(feature, kLoopsFeature) != 0)
      fail(TTRT_UNSUPPORTED, "bundle needs feature '{}', which this runtime does not have",
           feature);
}

void Bundle::readTarget() {
  const fb::Target &target = *metadata_->target();
  auto checkPages = [&](const char *what, uint64_t bytes) {
    if (bytes % kPageSize != 0 || bytes > kMaxDeviceBytes)
      failBad("target '{}': {} is {} bytes; expected a multiple of {} up to 2^46",
              text(target.name()), what, bytes, kPageSize);
  };
  checkPages("a DRAM bank", target.dram_bank_bytes());
  checkPages("L1", target.l1_bytes());
  checkPages("host memory", target.host_bytes());
  if (target.cores() < 1 || target.cores() > kMaxUnits || target.dram_banks() < 1 ||
      target.dram_banks() > kMaxUnits)
    failBad("target '{}': {} cores and {} DRAM banks; expected 1 to {} of each",
            text(target.name()), target.cores(), target.dram_banks(), kMaxUnits);
  if (target.grid_rows() && uint64_t(target.grid_rows()) * target.grid_cols() != target.cores())
    failBad("target '{}': {} cores in a grid of {} x {}", text(target.name()), target.cores(),
            target.grid_rows(), target.grid_cols());
  if (target.dram_bank_bytes() > kMaxDeviceBytes / target.dram_banks() ||
      target.l1_bytes() > kMaxDeviceBytes / target.cores())
    failBad("target '{}': its memory does not fit an address space of 2^46 bytes",
            text(target.name()));
  addresses_.dramBytes = target.dram_bank_bytes() * target.dram_banks();
  addresses_.l1Bytes = target.l1_bytes();
  addresses_.cores = target.cores();
  addresses_.hostBytes = target.host_bytes();
}

namespace {
/// A part of the file that has a known purpose.
struct Extent {
  uint64_t begin, end;
  const char *name;
};
} // namespace

/// Every byte outside the extents must be zero, so every byte of the file is checked. There are no
/// more such bytes than alignment needs: up to the next page, and to the place of an address in it.
static void checkPadding(const MappedFile &file, std::vector<Extent> &extents) {
  sortItems(extents, [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  extents.push_back({file.size(), file.size(), "end"});
  uint64_t position = 0;
  const char *previous = "start";
  for (const Extent &extent : extents) {
    if (extent.begin < position)
      failBad("{} overlaps {} in the file", extent.name, previous);
    if (extent.begin - position >= 2 * kPageSize)
      failBad("{} bytes of padding between {} and {} of the file; expected less than {}",
              extent.begin - position, previous, extent.name, 2 * kPageSize);
    for (; position < extent.begin; ++position)
      if (file.data()[position] != 0)
        failBad("padding byte at {} of the file (before {}) is {}; expected 0", position,
                extent.name, file.data()[position]);
    position = extent.end;
    previous = extent.name;
  }
}

/// Where a segment of a known kind is described.
SegmentView &Bundle::viewOf(const fb::Segment &segment) {
  if (segment.shard() == 0)
    return segments_[static_cast<size_t>(segment.kind())];
  if (segment.kind() != fb::SegmentKind::Constants || segment.shard() > kMaxDevices)
    failBad("segment of kind {} has shard {}; expected none, or up to {} of constants",
            static_cast<size_t>(segment.kind()), segment.shard(), kMaxDevices);
  if (shards_.size() < segment.shard())
    shards_.resize(segment.shard());
  return shards_[segment.shard() - 1];
}

static constexpr const char *kSegmentNames[] = {"constants", "streams", "code"};

void Bundle::readSegments(ttrt_verify verify) {
  std::vector<Extent> extents = {
      {0, sizeof(FileHeader), "file header"},
      {header_.metadataOffset, header_.metadataOffset + header_.metadataSize, "metadata"}};
  std::vector<Extent> pages;
  for (const fb::Segment *segment : *metadata_->segments()) {
    auto kind = static_cast<size_t>(segment->kind());
    if (kind >= std::size(segments_))
      failBad("segment of unknown kind {}", kind);
    SegmentView &view = viewOf(*segment);
    const char *name = kSegmentNames[kind];
    uint64_t offset = segment->offset(), size = segment->size(), address = segment->address();
    if (view.size)
      failBad("two segments of kind {}", name);
    if (size == 0 || offset > file_.size() || size > file_.size() - offset)
      failBad("segment {} at {} + {} bytes: empty, or not inside the file of {} bytes", name,
              offset, size, file_.size());
    if (segment->kind() == fb::SegmentKind::Code && address != 0)
      failBad("segment code has device address {:#x}; expected none", address);
    if (offset % kPageSize != address % kPageSize)
      failBad("segment {}: file offset {} and address {:#x} differ modulo the page of {}", name,
              offset, address, kPageSize);
    view = {file_.data() + offset, offset, size, address};
    extents.push_back({offset, offset + size, name});
    pages.push_back({offset / kPageSize * kPageSize, alignUp(offset + size, kPageSize), name});
  }
  checkPadding(file_, extents);
  // Whole pages are mapped: segments in one page would show up at each other's address.
  sortItems(pages, [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < pages.size(); ++i)
    if (pages[i].begin < pages[i - 1].end)
      failBad("segments {} and {} share a page of the file", pages[i - 1].name, pages[i].name);

  for (const fb::Segment *segment : *metadata_->segments()) {
    if (verify == TTRT_VERIFY_NONE ||
        (verify == TTRT_VERIFY_STRUCTURE && segment->kind() == fb::SegmentKind::Constants))
      continue;
    SegmentView &view = viewOf(*segment);
    uint64_t hash = hashSegmentParallel(view.data, view.size);
    if (hash != segment->hash())
      failBad("segment {} is damaged: hash {:016x}, expected {:016x}",
              kSegmentNames[static_cast<size_t>(segment->kind())], hash, segment->hash());
    view.hash = hash;
  }
}

const uint8_t *Bundle::stream(uint32_t trace) const {
  const SegmentView &streams = segment(fb::SegmentKind::Streams);
  return streams.data + (metadata_->traces()->Get(trace)->address() - streams.address);
}

uint64_t Bundle::address(const fb::Buffer &buffer) const {
  switch (buffer.space()) {
  case fb::MemorySpace::Dram:
    return buffer.offset();
  case fb::MemorySpace::L1:
    return isInterleavedInL1(buffer)
               ? addresses_.interleavedAddress() + buffer.offset() * addresses_.cores
               : addresses_.l1Address(0) + buffer.offset();
  case fb::MemorySpace::Host:
    return addresses_.hostAddress() + buffer.offset();
  }
  return 0; // not reached: verifyTables() rejects other spaces
}

const char *Bundle::location(uint32_t index) const {
  return index < count(metadata_->locations()) ? metadata_->locations()->Get(index)->c_str() : "";
}

size_t sizeOf(fb::DType dtype) {
  switch (dtype) {
  case fb::DType::I8:
  case fb::DType::U8:
  case fb::DType::Bool:
    return 1;
  case fb::DType::F16:
  case fb::DType::BF16:
  case fb::DType::I16:
  case fb::DType::U16:
    return 2;
  case fb::DType::F32:
  case fb::DType::I32:
  case fb::DType::U32:
    return 4;
  case fb::DType::F64:
  case fb::DType::I64:
  case fb::DType::U64:
    return 8;
  }
  return 0;
}

uint64_t sizeOf(const fb::Port &port) {
  uint64_t bytes = sizeOf(port.dtype());
  for (uint32_t i = 0; i < count(port.shape()); ++i)
    bytes *= static_cast<uint64_t>(port.shape()->Get(i));
  return bytes;
}

} // namespace ttrt
