// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a profiler (profile.h): profile.ttlog, a sequence of records. The runtime appends
// whole records; a process that is killed leaves a log whose last record may be cut off, which
// readers ignore. Little-endian.

#ifndef TTRT_FORMAT_PROFILE_LOG_H
#define TTRT_FORMAT_PROFILE_LOG_H

#include <cstddef>
#include <cstdint>

namespace ttrt::profile {

inline constexpr char kLogName[] = "profile.ttlog";
inline constexpr char kLogMagic[8] = {'T', 'T', 'R', 'T', 'P', 'R', 'F', '\n'};
/// Readers refuse other versions than these. Version 2 has added counters, version 3
/// DeviceRecord::meshDevice.
inline constexpr uint32_t kOldestLogVersion = 1;
inline constexpr uint32_t kLogVersion = 3;
/// Samples of both clocks in a record of them; one is written when a recording begins, and one when
/// it ends.
inline constexpr uint32_t kClockSamples = 249;
/// Markers of a command that its core's ring always has room for: begin and end of the command, and
/// of the kernel in it.
inline constexpr uint32_t kGuaranteedMarkers = 4;
/// Markers that a program may add to a command on each core.
inline constexpr uint32_t kOptionalMarkers = 250;
/// Counters of a recording.
inline constexpr uint32_t kMaxCounters = 16;
/// No ring, step, device or command.
inline constexpr uint32_t kNone = UINT32_MAX;

enum class RecordKind : uint32_t {
  Start = 1,       ///< StartRecord; the first record
  Device = 2,      ///< DeviceRecord, path of the bundle (zero-terminated)
  Ring = 3,        ///< RingRecord
  Zone = 4,        ///< ZoneRecord, name, file (zero-terminated)
  Clock = 5,       ///< kClockSamples ClockSamples
  CoreMarkers = 6, ///< MarkersRecord, Markers
  HostMarkers = 7, ///< HostMarkers
  Text = 8,        ///< TextRecord, two texts (zero-terminated)
  Dropped = 9,     ///< DroppedRecord
  End = 10,        ///< nothing; the recording was closed
  Counter = 11,    ///< CounterRecord, name (zero-terminated)
};

/// Precedes every record. Payloads are padded with zeros to a multiple of 8.
struct RecordHeader {
  RecordKind kind;
  uint32_t bytes; ///< of the payload, with padding
};

enum class ClockKind : uint32_t {
  Host = 0, ///< nanoseconds of the host's steady clock (CLOCK_MONOTONIC)
  Tsc = 1,  ///< cycles of x86's invariant time stamp counter
};

struct StartRecord {
  char magic[8];
  uint32_t version;
  ClockKind deviceClock; ///< of Marker::time; HostMarkers count nanoseconds of the host's clock
  uint64_t pid;
  uint64_t wallNs;   ///< since 1970, when the recording began
  uint64_t hostNs;   ///< the host's clock at that time
  uint32_t programs; ///< ttrt_profiler_options::programs
  uint32_t reserved;
  char process[64]; ///< zero-terminated
};

/// A device that was opened. Its steps are numbered from 0: for each entry point, the steps of each
/// schedule (prologue, body, epilogue), then a write of each input and a read of each output; after
/// all entry points, an execute step of each trace.
struct DeviceRecord {
  uint32_t device; ///< counts from 0
  uint32_t cores;  ///< of queue 0 and of runs on a calling thread
  uint32_t queues : 8;
  uint32_t meshDevice : 24; ///< its number in its mesh; 0: it is alone
  uint32_t queue1Cores;
  uint64_t metadataHash; ///< FileHeader::metadataHash of the bundle
};

/// A ring of one core's markers.
struct RingRecord {
  uint32_t ring; ///< counts from 0
  uint32_t device;
  uint32_t queue; ///< whose cores these are; 0 is also that of runs on a calling thread
  uint32_t core;
};

struct ZoneRecord {
  uint32_t zone; ///< from kFirstZone; lower ones are calls of the library (HostCall)
  uint32_t line; ///< 0: unknown
  uint32_t color;
  uint32_t reserved;
};

/// An event that is counted in each command that does work.
struct CounterRecord {
  uint32_t counter; ///< counts from 0
  /// 0: it is counted; kUnknownEvent; else the errno with which perf_event_open() refused it.
  int32_t problem;
  uint32_t type;    ///< perf_event_attr::type and config; kNone: PERF_TYPE_SOFTWARE, but by
                    ///< getrusage() and a clock
  int32_t paranoid; ///< /proc/sys/kernel/perf_event_paranoid; -100: cannot be read
  uint64_t config;
};
/// No event of this CPU is known to count this.
inline constexpr int32_t kUnknownEvent = -1;

struct ClockSample {
  uint64_t device; ///< in the device's clock
  uint64_t hostNs;
};

enum class MarkerKind : uint8_t {
  StreamBegin =
      0, ///< id: step (Execute, Dispatch); value: counts the streams of the ring, mod 2^16
  StreamEnd = 1,
  CommandBegin = 2, ///< id: command, counted from 0 in its stream; value: how many iterations of
                    ///< loops have begun in the stream before, mod 2^16
  CommandEnd = 3,
  StepBegin = 4, ///< id: step; of any kind but those that walk a stream
  StepEnd = 5,
  WaitBegin = 6, ///< id: event; a queue waits for the other one between steps
  WaitEnd = 7,
  Record = 8, ///< id: event, which a queue records between steps
  // Programs that were compiled with zones; id: hash of the name (nameHash()).
  ZoneBegin = 16,
  ZoneEnd = 17,
  ZoneTotal = 18, ///< time: sum of a zone's durations; value: their number, or UINT16_MAX if more
  Data = 19,      ///< followed by a Payload
  Event = 20,
  Payload = 21, ///< time: 64 bits of data
  Invalid = 22, ///< the program says that its markers in this command have no meaning; before them
  // Commands that do work, before their end, if there are counters: a CounterTime, then a
  // Counter for each one without a problem.
  CounterTime = 24, ///< time: nanoseconds that they counted; id + (value << 32): that they were
                    ///< meant to. If the former is less, they took turns with those of others.
                    ///< Both are 0 if they could not be read.
  Counter = 25,     ///< id: counter; time: how many there were
  // The ring.
  Dropped = 32, ///< id: number of markers that are missing here; value: Dropper
};

/// Where there was no room.
enum class Dropper : uint32_t {
  Ring = 0,
  Program = 1, ///< in a program, which has room for kOptionalMarkers in a command on a core
};

struct Marker {
  uint64_t time;
  uint32_t id;
  uint16_t value;
  MarkerKind kind;
  uint8_t reserved;
};
static_assert(sizeof(Marker) == 16);

struct MarkersRecord {
  uint32_t ring;
  uint32_t count;
};

/// Functions of the library, as zones of the calling thread.
enum class HostCall : uint32_t {
  None = 0,
  Run,
  TraceExecute,
  EnqueueWrite,
  EnqueueRead,
  EnqueueExecute,
  EnqueueCall,
  EventRecord,
  EventWait,
  EventSynchronize,
  DeviceSynchronize,
  PipelineEnqueue,
  PipelinePop,
  PipelineFinish,
  Count
};
/// Number of the first zone that an application registers.
inline constexpr uint32_t kFirstZone = 256;

enum class HostMarkerKind : uint8_t { ZoneBegin = 0, ZoneEnd = 1, Frame = 2, Dropped = 3 };

struct HostMarker {
  uint64_t hostNs;
  uint32_t thread; ///< distinguishes threads of the process
  uint32_t zone;   ///< HostCall, or a zone of the application; Dropped: the number that is missing
  uint32_t device; ///< kNone: none
  HostMarkerKind kind;
  uint8_t reserved[11];
};
static_assert(sizeof(HostMarker) == 32);

enum class TextKind : uint32_t { Signpost = 0, Message = 1, ZoneText = 2 };

/// Followed by two zero-terminated texts: header and message of a signpost; else the second is
/// empty.
struct TextRecord {
  uint64_t hostNs;
  TextKind kind;
  uint32_t thread;
  uint32_t color;
  uint32_t reserved;
};

/// Markers that were dropped since the record before. The sum over a ring is exact.
struct DroppedRecord {
  uint32_t ring;          ///< kNone: the ring of host markers
  uint32_t step, command; ///< where the first one was missing; kNone: between steps or commands
  Dropper by;
  uint64_t count;
};

/// 32-bit FNV-1a of a zone's name.
constexpr uint32_t nameHash(const char *name, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<uint8_t>(name[i])) * 16777619u;
  return hash;
}

} // namespace ttrt::profile

#endif // TTRT_FORMAT_PROFILE_LOG_H
