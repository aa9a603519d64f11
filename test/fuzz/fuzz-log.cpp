// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the log of a profiler: all files of a report, or an error. Three of four inputs are
// sequences of whole records: some are dropped, doubled and exchanged, and their fields are set.

#include "Formats/JsonReader.h"
#include "Profile/Analysis.h"
#include "Profile/Files.h"
#include "Profile/Picture.h"
#include "Profile/Summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace ttrun;
using namespace ttrun::report;
using namespace ttrt::profile;

static void require(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

static void makeFiles(const Analysis &a) {
  const Summary summary = summarise(a);
  for (const std::string &json : {timelineJson(a), summaryJson(a, summary, "folder")})
    (void)JsonValue::parse(json);
  require(!opsCsv(a).empty() && !markersCsv(a).empty() && !pageHtml(a, summary).empty() &&
              !pictureSvg(a, 3).empty(),
          "an empty file");
  for (const DeviceTimes &times : a.times) {
    double uses = 0;
    for (double use : times.uses)
      uses += use;
    require(std::abs(uses - times.span()) <= 1e-9 * std::abs(times.span()),
            "what the time is spent on does not add up");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    makeFiles(analyse(parseLog({reinterpret_cast<const char *>(data), size}), ""));
  } catch (const LogError &error) {
    require(error.what()[0] != 0, "an error without a message");
  }
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {
class LogMutator {
public:
  LogMutator(const uint8_t *data, size_t size, unsigned seed) : random(seed) {
    RecordHeader header;
    for (size_t at = 0; size - at >= sizeof(header); at += sizeof(header) + header.bytes) {
      memcpy(&header, data + at, sizeof(header));
      if (header.bytes > size - at - sizeof(header))
        break;
      const auto *begin = reinterpret_cast<const char *>(data) + at;
      records.emplace_back(begin, sizeof(header) + header.bytes);
    }
  }

  bool isEmpty() const { return records.size() < 2; }

  std::string mutate() {
    // The first record stays the first.
    const size_t at = 1 + random() % (records.size() - 1);
    const size_t other = 1 + random() % (records.size() - 1);
    switch (random() % 8) {
    case 0:
      records.erase(records.begin() + static_cast<ptrdiff_t>(at));
      break;
    case 1:
      records.insert(records.begin() + static_cast<ptrdiff_t>(at), records[other]);
      break;
    case 2:
      std::swap(records[at], records[other]);
      break;
    default:
      change(records[random() % records.size()]);
    }
    std::string bytes;
    for (std::string &record : records) {
      record.resize((record.size() + 7) / 8 * 8);
      const auto payload = static_cast<uint32_t>(record.size() - sizeof(RecordHeader));
      memcpy(record.data() + offsetof(RecordHeader, bytes), &payload, sizeof(payload));
      bytes += record;
    }
    return bytes;
  }

private:
  void change(std::string &record) {
    RecordHeader header;
    memcpy(&header, record.data(), sizeof(header));
    const size_t before =
        sizeof(header) + (header.kind == RecordKind::CoreMarkers ? sizeof(MarkersRecord) : 0);
    const size_t size =
        header.kind == RecordKind::HostMarkers ? sizeof(HostMarker) : sizeof(Marker);
    const bool isList = header.kind == RecordKind::CoreMarkers ||
                        header.kind == RecordKind::HostMarkers || header.kind == RecordKind::Clock;
    if (!isList || record.size() < before + 2 * size || random() % 3 == 0)
      return setWord(record);
    const size_t count = (record.size() - before) / size;
    const size_t from = before + random() % count * size, to = before + random() % count * size;
    const std::string element = record.substr(from, size);
    if (random() % 3 == 0)
      record.replace(to, size, element);
    else if (random() % 2)
      record.insert(to, element);
    else
      record.erase(from, size);
    if (header.kind == RecordKind::CoreMarkers) {
      const auto number = static_cast<uint32_t>((record.size() - before) / size);
      memcpy(record.data() + sizeof(header) + offsetof(MarkersRecord, count), &number,
             sizeof(number));
    }
  }

  /// Fields have 1, 2, 4 or 8 bytes.
  void setWord(std::string &record) {
    const size_t payload = record.size() - sizeof(RecordHeader);
    if (payload == 0)
      return;
    const size_t width = std::min<size_t>(size_t(1) << random() % 4, payload);
    const size_t at = sizeof(RecordHeader) + random() % (payload / width) * width;
    uint64_t value = 0;
    memcpy(&value, record.data() + at, width);
    static constexpr uint64_t kValues[] = {
        0,          1,        2, 255, 65535, UINT32_MAX, uint64_t(1) << 31, uint64_t(1) << 63,
        UINT64_MAX, INT64_MAX};
    if (random() % 2)
      value = kValues[random() % std::size(kValues)];
    else
      value += random() % 17 - 8;
    memcpy(record.data() + at, &value, width);
  }

  std::vector<std::string> records;
  std::minstd_rand random;
};
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  LogMutator mutator(data, size, seed);
  if (seed % 4 == 0 || mutator.isEmpty())
    return LLVMFuzzerMutate(data, size, capacity);
  const std::string bytes = mutator.mutate();
  if (bytes.size() > capacity)
    return LLVMFuzzerMutate(data, size, capacity);
  memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
