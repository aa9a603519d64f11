// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a bundle, with the hashes and sizes made right, so that they reach what follows: the
// flatbuffer, the tables, the streams and the proof. A bundle may be refused, with a message.

#include "MemoryFile.h"

#include "ttrt/format/bundle_format.h"
#include "ttrt/host.h"
#include "ttrt/ttc_bundle_generated.h"
#include "ttrt/ttrt.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ttrt;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// Corrects what can be corrected in the header: the file's size, and hashes of what it names.
static void repair(std::vector<uint8_t> &file) {
  FileHeader header;
  if (file.size() < sizeof(header))
    return;
  memcpy(&header, file.data(), sizeof(header));
  header.fileSize = file.size();
  if (header.metadataOffset <= file.size() &&
      header.metadataSize <= file.size() - header.metadataOffset) {
    uint8_t *metadata = file.data() + header.metadataOffset;
    flatbuffers::Verifier verifier(metadata, header.metadataSize, 16, 1024 * 1024);
    if (header.metadataOffset % 8 == 0 && fb::VerifyBundleBuffer(verifier))
      for (const fb::Segment *segment : *fb::GetBundle(metadata)->segments())
        if (segment->offset() <= file.size() &&
            segment->size() <= file.size() - segment->offset()) {
          const uint64_t hash = hashSegment(file.data() + segment->offset(), segment->size());
          // Absent if it is the default, which then stays wrong.
          reinterpret_cast<flatbuffers::Table *>(const_cast<fb::Segment *>(segment))
              ->SetField<uint64_t>(fb::Segment::VT_HASH, hash, 0);
        }
    header.metadataHash = hashBytes(metadata, header.metadataSize);
  }
  header.headerHash = hashBytes(&header, offsetof(FileHeader, headerHash));
  memcpy(file.data(), &header, sizeof(header));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::MemoryFile memory;
  static const std::string path = memory.path();
  std::vector<uint8_t> file(data, data + size);
  repair(file);
  memory.write(file);
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  if ((ttrt_bundle_open(path.c_str(), TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK ||
       ttrt_bundle_prove(bundle, &error) != TTRT_OK) &&
      (error.message[0] == 0 || error.status == TTRT_INTERNAL)) {
    fprintf(stderr, "refused with status %d and '%s'\n", error.status, error.message);
    abort();
  }
  ttrt_bundle_close(bundle);
  // Nor may a lax check let the queries of its tables go wrong.
  if (ttrt_bundle_open(path.c_str(), TTRT_VERIFY_NONE, &bundle, nullptr) == TTRT_OK) {
    ttrt_memory used = TTRT_MEMORY_INIT;
    ttrt_bundle_memory(bundle, &used, nullptr);
    ttrt_host_call call = TTRT_HOST_CALL_INIT;
    size_t texts = 0;
    for (uint32_t i = 0; ttrt_bundle_host_call(bundle, i, &call, nullptr) == TTRT_OK; ++i)
      for (uint64_t j = 0; j < call.attribute_count; ++j)
        for (uint32_t k = 0; call.attributes[j].strings && k < call.attributes[j].count; ++k)
          texts += strlen(call.attributes[j].strings[k]);
    if (texts > size)
      abort();
    for (uint32_t e = 0; e < ttrt_bundle_entries(bundle); ++e) {
      ttrt_port port = TTRT_PORT_INIT;
      for (uint32_t i = 0; ttrt_bundle_input(bundle, e, i, &port, nullptr) == TTRT_OK; ++i)
        ;
    }
  }
  ttrt_bundle_close(bundle);
  return 0;
}

/// Most bytes of a bundle are weights and machine code. What is changed is the rest, mostly by a
/// few bytes, so that everything stays where it is.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  FileHeader header;
  uint32_t state = seed * 2654435761u + 1;
  auto below = [&](uint64_t count) {
    state = state * 1664525u + 1013904223u;
    return static_cast<size_t>((state >> 8) % std::max<uint64_t>(count, 1));
  };
  if (size < sizeof(header) || below(16) == 0)
    return LLVMFuzzerMutate(data, size, capacity);
  memcpy(&header, data, sizeof(header));
  size_t begin = 0, length = sizeof(header);
  if (below(16) != 0 && header.metadataOffset <= size &&
      header.metadataSize <= size - header.metadataOffset) {
    begin = header.metadataOffset;
    length = header.metadataSize;
    flatbuffers::Verifier verifier(data + begin, length, 16, 1024 * 1024);
    if (below(4) == 0 && begin % 8 == 0 && fb::VerifyBundleBuffer(verifier))
      for (const fb::Segment *segment : *fb::GetBundle(data + begin)->segments())
        if (segment->kind() == fb::SegmentKind::Streams && segment->offset() <= size &&
            segment->size() <= size - segment->offset()) {
          begin = segment->offset();
          length = segment->size();
          break;
        }
  }
  for (size_t times = 1 + below(3); times > 0 && length >= 8; --times) {
    uint8_t *at = data + begin + below(length / 4) * 4;
    const size_t most = static_cast<size_t>(data + begin + length - at);
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    switch (below(6)) {
    case 0:
      LLVMFuzzerMutate(at, std::min<size_t>(most, 8), std::min<size_t>(most, 8));
      continue;
    case 1: // another word of the same part
      memcpy(&word, data + begin + below(length / 4) * 4, sizeof(word));
      break;
    case 2:
      word += static_cast<uint32_t>(below(9)) - 4;
      break;
    case 3:
      word += (static_cast<uint32_t>(below(9)) - 4) * 64;
      break;
    case 4:
      word = 1u << below(32);
      break;
    default:
      word = static_cast<uint32_t>(below(64));
    }
    memcpy(at, &word, sizeof(word));
  }
  return size;
}
