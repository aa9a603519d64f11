// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Log.h"
#include "Support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// Where in the log something is read, for messages.
template <typename... T>
[[noreturn]] void fail(uint64_t at, fmt::format_string<T...> pattern, T &&...values) {
  throw LogError(fmt::format("bad profile log, byte {}: {}", at,
                             fmt::format(pattern, std::forward<T>(values)...)));
}

/// The payload of one record.
class Payload {
public:
  Payload(std::string_view bytes, uint64_t at) : bytes(bytes), at(at) {}

  template <typename T> T take(const char *what) {
    if (bytes.size() < sizeof(T))
      fail(at, "expected {}, {} bytes; found {} bytes", what, sizeof(T), bytes.size());
    T value;
    memcpy(&value, bytes.data(), sizeof(T));
    skip(sizeof(T));
    return value;
  }
  template <typename T> void takeAll(const char *what, std::vector<T> &values) {
    if (bytes.size() % sizeof(T) != 0)
      fail(at, "expected {} of {} bytes each; found {} bytes", what, sizeof(T), bytes.size());
    const size_t old = values.size();
    values.resize(old + bytes.size() / sizeof(T));
    if (!bytes.empty())
      memcpy(&values[old], bytes.data(), bytes.size());
    skip(bytes.size());
  }
  std::string takeText(const char *what) {
    const size_t length = bytes.find('\0');
    if (length == std::string_view::npos)
      fail(at, "expected {} that ends with a zero byte", what);
    std::string text(bytes.substr(0, length));
    skip(length + 1);
    return text;
  }
  /// Only padding may be left.
  void finish() const {
    if (bytes.size() >= 8 || bytes.find_first_not_of('\0') != std::string_view::npos)
      fail(at, "expected the end of the record; found {} more bytes", bytes.size());
  }
  uint64_t position() const { return at; }
  size_t size() const { return bytes.size(); }

private:
  void skip(size_t count) {
    bytes.remove_prefix(count);
    at += count;
  }
  std::string_view bytes;
  uint64_t at;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}
  Log read();

private:
  void record(RecordKind kind, Payload payload);
  void start(Payload &payload);
  void device(Payload &payload);
  void ring(Payload &payload);
  void zone(Payload &payload);
  void coreMarkers(Payload &payload);
  void hostMarkers(Payload &payload);
  void text(Payload &payload);
  void dropped(Payload &payload);
  void counter(Payload &payload);

  std::string_view bytes;
  Log log;
  bool isStarted = false;
};
} // namespace

/// Whether this version supports the kind.
static bool isKnown(MarkerKind kind) {
  const auto number = static_cast<uint8_t>(kind);
  return number <= static_cast<uint8_t>(MarkerKind::Record) ||
         (number >= static_cast<uint8_t>(MarkerKind::ZoneBegin) &&
          number <= static_cast<uint8_t>(MarkerKind::Invalid)) ||
         kind == MarkerKind::CounterTime || kind == MarkerKind::Counter ||
         kind == MarkerKind::Dropped;
}

void Reader::start(Payload &payload) {
  const uint64_t at = payload.position();
  // The magic is checked first: of anything else, the size says nothing.
  log.start = payload.take<StartRecord>("the start of a recording");
  if (memcmp(log.start.magic, kLogMagic, sizeof(kLogMagic)) != 0)
    fail(at, "expected the start of a recording; this is not a profile log");
  if (log.start.version < kOldestLogVersion || log.start.version > kLogVersion)
    fail(at, "the log has version {}; expected {} to {}, which this ttrun reads", log.start.version,
         kOldestLogVersion, kLogVersion);
  if (log.start.deviceClock != ClockKind::Host && log.start.deviceClock != ClockKind::Tsc)
    fail(at, "unknown clock {}", static_cast<uint32_t>(log.start.deviceClock));
  log.process.assign(log.start.process, strnlen(log.start.process, sizeof(log.start.process)));
}

void Reader::device(Payload &payload) {
  const uint64_t at = payload.position();
  Device device;
  device.info = payload.take<DeviceRecord>("a device");
  device.bundle = payload.takeText("the path of a bundle");
  if (device.info.device != log.devices.size())
    fail(at, "expected device {}; found device {}", log.devices.size(), device.info.device);
  log.devices.push_back(std::move(device));
}

void Reader::ring(Payload &payload) {
  const uint64_t at = payload.position();
  Ring ring;
  ring.info = payload.take<RingRecord>("a ring");
  if (ring.info.ring != log.rings.size())
    fail(at, "expected ring {}; found ring {}", log.rings.size(), ring.info.ring);
  if (ring.info.device >= log.devices.size())
    fail(at, "ring {} is of device {}; the log has {} device(s) before it", ring.info.ring,
         ring.info.device, log.devices.size());
  log.rings.push_back(std::move(ring));
}

void Reader::zone(Payload &payload) {
  const uint64_t at = payload.position();
  const auto record = payload.take<ZoneRecord>("a zone");
  ZoneInfo zone;
  zone.line = record.line;
  zone.color = record.color;
  zone.name = payload.takeText("a zone's name");
  zone.file = payload.takeText("a zone's file");
  if (record.zone < kFirstZone)
    fail(at, "zone '{}' has number {}; expected at least {}", zone.name, record.zone, kFirstZone);
  if (!log.zones.emplace(record.zone, std::move(zone)).second)
    fail(at, "zone {} is there twice", record.zone);
}

void Reader::coreMarkers(Payload &payload) {
  const uint64_t at = payload.position();
  const auto record = payload.take<MarkersRecord>("markers of a core");
  if (record.ring >= log.rings.size())
    fail(at, "markers of ring {}; the log has {} ring(s) before them", record.ring,
         log.rings.size());
  if (payload.size() / sizeof(Marker) != record.count || payload.size() % sizeof(Marker) != 0)
    fail(at, "expected {} markers, {} bytes each; found {} bytes", record.count, sizeof(Marker),
         payload.size());
  std::vector<Marker> &markers = log.rings[record.ring].markers;
  const size_t old = markers.size();
  payload.takeAll("markers", markers);
  for (size_t i = old; i < markers.size(); ++i) {
    if (!isKnown(markers[i].kind))
      fail(at, "marker {} has the unknown kind {}", i - old,
           static_cast<unsigned>(markers[i].kind));
    if (markers[i].kind == MarkerKind::Counter && markers[i].id >= log.counters.size())
      fail(at, "marker {} is of counter {}; the log has {} before it", i - old, markers[i].id,
           log.counters.size());
  }
}

void Reader::counter(Payload &payload) {
  const uint64_t at = payload.position();
  CounterInfo counter;
  counter.record = payload.take<CounterRecord>("a counter");
  counter.name = payload.takeText("a counter's name");
  if (counter.record.counter != log.counters.size() || log.counters.size() == kMaxCounters)
    fail(at, "expected counter {} of at most {}; found counter {}", log.counters.size(),
         kMaxCounters, counter.record.counter);
  log.counters.push_back(std::move(counter));
}

void Reader::hostMarkers(Payload &payload) {
  const uint64_t at = payload.position();
  const size_t old = log.hostMarkers.size();
  payload.takeAll("host markers", log.hostMarkers);
  for (size_t i = old; i < log.hostMarkers.size(); ++i) {
    const HostMarker &marker = log.hostMarkers[i];
    if (static_cast<uint8_t>(marker.kind) > static_cast<uint8_t>(HostMarkerKind::Dropped))
      fail(at, "host marker {} has the unknown kind {}", i - old,
           static_cast<unsigned>(marker.kind));
  }
}

void Reader::text(Payload &payload) {
  const uint64_t at = payload.position();
  const auto record = payload.take<TextRecord>("a text");
  if (static_cast<uint32_t>(record.kind) > static_cast<uint32_t>(TextKind::ZoneText))
    fail(at, "unknown kind of text {}", static_cast<uint32_t>(record.kind));
  Text text{record.hostNs, record.kind, record.thread, record.color, "", ""};
  text.first = payload.takeText("a text");
  text.second = payload.takeText("a second text");
  log.texts.push_back(std::move(text));
}

void Reader::dropped(Payload &payload) {
  const uint64_t at = payload.position();
  const auto record = payload.take<DroppedRecord>("a number of dropped markers");
  if (record.ring != kNone && record.ring >= log.rings.size())
    fail(at, "dropped markers of ring {}; the log has {} ring(s) before them", record.ring,
         log.rings.size());
  if (record.by != Dropper::Ring && (record.by != Dropper::Program || record.ring == kNone))
    fail(at, "dropped markers of ring {}: unknown place {}", record.ring,
         static_cast<uint32_t>(record.by));
  uint64_t &sum = record.ring == kNone            ? log.hostDropped
                  : record.by == Dropper::Program ? log.rings[record.ring].droppedInPrograms
                                                  : log.rings[record.ring].dropped;
  if (record.count > UINT64_MAX / 2 - sum)
    fail(at, "the number of dropped markers is too large: {}", record.count);
  sum += record.count;
  log.drops.push_back(record);
}

void Reader::record(RecordKind kind, Payload payload) {
  // The first record is checked by read().
  if (isStarted && kind == RecordKind::Start)
    fail(payload.position(), "the log has a second start");
  switch (kind) {
  case RecordKind::Start:
    isStarted = true;
    start(payload);
    break;
  case RecordKind::Device:
    device(payload);
    break;
  case RecordKind::Ring:
    ring(payload);
    break;
  case RecordKind::Zone:
    zone(payload);
    break;
  case RecordKind::Clock:
    payload.takeAll("clock samples", log.samples);
    break;
  case RecordKind::CoreMarkers:
    coreMarkers(payload);
    break;
  case RecordKind::HostMarkers:
    hostMarkers(payload);
    break;
  case RecordKind::Text:
    text(payload);
    break;
  case RecordKind::Dropped:
    dropped(payload);
    break;
  case RecordKind::Counter:
    counter(payload);
    break;
  case RecordKind::End:
    log.ended = true;
    break;
  default:
    fail(payload.position(), "unknown kind of record {}", static_cast<uint32_t>(kind));
  }
  payload.finish();
}

Log Reader::read() {
  uint64_t at = 0;
  while (at < bytes.size()) {
    if (log.ended)
      fail(at, "expected the end of the file after the end of the recording; found {} bytes",
           bytes.size() - at);
    RecordHeader header;
    const uint64_t left = bytes.size() - at;
    if (left < sizeof(header)) {
      log.cutBytes = left;
      break;
    }
    memcpy(&header, bytes.data() + at, sizeof(header));
    if (!isStarted && header.kind != RecordKind::Start)
      fail(at, "expected the start of a recording; this is not a profile log");
    if (header.bytes % 8 != 0)
      fail(at, "a record has {} bytes; expected a multiple of 8", header.bytes);
    if (header.bytes > left - sizeof(header)) {
      log.cutBytes = left;
      break;
    }
    record(header.kind,
           Payload(bytes.substr(at + sizeof(header), header.bytes), at + sizeof(header)));
    at += sizeof(header) + header.bytes;
  }
  if (!isStarted)
    fail(0, "expected the start of a recording; found {} bytes", bytes.size());
  return std::move(log);
}

Log parseLog(std::string_view bytes) { return Reader(bytes).read(); }

static Log readBytes(const std::string &path, size_t limit) {
  std::error_code ignored;
  // A pipe in a folder that somebody else has written would block for ever.
  if (const auto status = std::filesystem::status(path, ignored);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError(fmt::format("cannot read {}: not a regular file", path));
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  std::vector<char> piece(std::min(limit, size_t(1) << 20));
  while (bytes.size() < limit &&
         (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount()))
    bytes.append(piece.data(), static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad())
    throw UserError(fmt::format("cannot read {}: {}", path, strerror(errno)));
  try {
    return parseLog(bytes);
  } catch (const LogError &error) {
    throw LogError(path + ": " + error.what());
  }
}

Log readLog(const std::string &path) { return readBytes(path, SIZE_MAX); }

Log readLogBegin(const std::string &path) {
  constexpr size_t kBegin = size_t(256) << 10;
  return readBytes(path, kBegin);
}

std::string Log::subject() const {
  return devices.empty() ? process : std::filesystem::path(devices[0].bundle).filename().string();
}

std::string Log::zoneName(uint32_t zone) const {
  static const char *const kCalls[] = {"zone",
                                       "run",
                                       "trace execute",
                                       "enqueue write",
                                       "enqueue read",
                                       "enqueue execute",
                                       "enqueue call",
                                       "event record",
                                       "event wait",
                                       "event synchronize",
                                       "device synchronize",
                                       "pipeline enqueue",
                                       "pipeline pop",
                                       "pipeline finish"};
  static_assert(std::size(kCalls) == static_cast<size_t>(HostCall::Count));
  if (zone < std::size(kCalls))
    return kCalls[zone];
  const auto found = zones.find(zone);
  return found == zones.end() ? fmt::format("zone {}", zone) : found->second.name;
}

uint64_t Log::dropped() const {
  uint64_t sum = hostDropped;
  for (const Ring &ring : rings)
    sum += ring.dropped;
  return sum;
}

uint64_t Log::droppedInPrograms() const {
  uint64_t sum = 0;
  for (const Ring &ring : rings)
    sum += ring.droppedInPrograms;
  return sum;
}

} // namespace ttrun::report
