// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program records about itself when it is compiled with markers (docs/profiling.md): zones
// in the program's scratch, for the runtime to collect.
//
// `markers` is null where a program is compiled without: a constant once the kernel is inlined, so
// that nothing of this remains. Names are string literals. The compiler replaces ttc_zone_id() by
// nameHash() once it has ruled out the code that the shapes do not need, and lists the names that
// are left in the bundle.
#ifndef TTC_KERNELS_ZONEMARKERS_H
#define TTC_KERNELS_ZONEMARKERS_H

#include "kernels/TargetOps.h"
#include "ttrt/format/program_markers.h"

/// nameHash() of a string literal.
extern "C" __attribute__((const, nothrow)) uint32_t ttc_zone_id(const char *name);

// The rest of the scope as a zone. At most kOptionalMarkers markers of a command fit on a core: a
// zone that has no room for both of its own leaves out both, and both are counted.
#define TTC_ZONE(markers, name)                                                                    \
  ::ttc::kernels::Zone TTC_ZONE_NAME(zone)((markers), ttc_zone_id("" name))
/// The main part of the program, which always has room: the first begin and the last end on a core.
#define TTC_MAIN_CHILD_ZONE(markers, name)                                                         \
  ::ttc::kernels::GuaranteedZone<::ttrt::profile::kChildBegin> TTC_ZONE_NAME(child)(               \
      (markers), ttc_zone_id("" name))
/// A zone that adds up how long it takes: `index` is below kZoneTotals, and one name's.
#define TTC_SUM_ZONE(markers, index, name)                                                         \
  ::ttc::kernels::SumZone<index> TTC_ZONE_NAME(sum)((markers), ttc_zone_id("" name))
/// 64 bits of data, and a point in time.
#define TTC_DATA(markers, name, data)                                                              \
  ::ttc::kernels::addData((markers), ttc_zone_id("" name), (data))
#define TTC_EVENT(markers, name) ::ttc::kernels::addEvent((markers), ttc_zone_id("" name))

#define TTC_ZONE_NAME(what) TTC_ZONE_PASTE(what, __LINE__)
#define TTC_ZONE_PASTE(what, line) TTC_ZONE_PASTE_NUMBER(what, line)
#define TTC_ZONE_PASTE_NUMBER(what, line) what##OfLine##line

namespace ttc::kernels {

using ttrt::profile::MarkerKind;
using ttrt::profile::ProgramMarkers;

/// Loads and stores stay on their side of it. (Not one asm with the instruction: empty ones need no
/// parser in the compiler.)
TTC_INLINE uint64_t readTime() {
  asm volatile("" : : : "memory");
  uint64_t time = ttc_target_time();
  asm volatile("" : : : "memory");
  return time;
}

TTC_INLINE bool isRecording(const ProgramMarkers *markers) {
  return markers && markers->capacity != 0;
}

/// The number of open zones with a begin: their ends need room. Used by the program alone.
TTC_INLINE uint32_t &getOpenZones(ProgramMarkers &markers) { return markers.reserved[0]; }

/// Whether `wanted` optional markers have room; they are counted if not. Never trust an unset
/// capacity: stay within the buffer.
TTC_INLINE bool hasRoom(ProgramMarkers &markers, uint32_t wanted) {
  uint64_t limit = min(markers.capacity, ttrt::profile::kOptionalMarkers);
  if (static_cast<uint64_t>(markers.count) + getOpenZones(markers) + wanted <= limit)
    return true;
  markers.dropped += wanted;
  return false;
}

TTC_INLINE void append(ProgramMarkers &markers, MarkerKind kind, uint32_t id, uint64_t time) {
  markers.optional[markers.count++] = {time, id, 0, kind, 0};
}

/// The zone's id, or 0 if it had no room.
TTC_INLINE uint32_t beginZone(ProgramMarkers *markers, uint32_t id) {
  if (!isRecording(markers) || !hasRoom(*markers, 2))
    return 0;
  ++getOpenZones(*markers);
  append(*markers, MarkerKind::ZoneBegin, id, readTime());
  return id;
}

TTC_INLINE void endZone(ProgramMarkers *markers, uint32_t id) {
  if (!markers || id == 0)
    return;
  append(*markers, MarkerKind::ZoneEnd, id, readTime());
  --getOpenZones(*markers);
}

/// `begin` is kMainBegin or kChildBegin; the end follows it.
TTC_INLINE void beginGuaranteed(ProgramMarkers *markers, uint32_t begin, uint32_t id) {
  if (!isRecording(markers))
    return;
  if (begin == ttrt::profile::kMainBegin)
    getOpenZones(*markers) = 0; // nothing else clears it
  if (markers->written & 1u << begin)
    return;
  markers->written |= 1u << begin;
  markers->guaranteed[begin] = {readTime(), id, 0, MarkerKind::ZoneBegin, 0};
}

TTC_INLINE void endGuaranteed(ProgramMarkers *markers, uint32_t begin, uint32_t id) {
  if (!isRecording(markers))
    return;
  markers->written |= 1u << (begin + 1);
  markers->guaranteed[begin + 1] = {readTime(), id, 0, MarkerKind::ZoneEnd, 0};
}

class Zone {
public:
  __attribute__((always_inline)) Zone(ProgramMarkers *markers, uint32_t id)
      : markers(markers), id(beginZone(markers, id)) {}
  __attribute__((always_inline)) ~Zone() { endZone(markers, id); }
  Zone(const Zone &) = delete;

private:
  ProgramMarkers *markers;
  uint32_t id;
};

template <uint32_t kBegin> class GuaranteedZone {
public:
  __attribute__((always_inline)) GuaranteedZone(ProgramMarkers *markers, uint32_t id)
      : markers(markers), id(id) {
    beginGuaranteed(markers, kBegin, id);
  }
  __attribute__((always_inline)) ~GuaranteedZone() { endGuaranteed(markers, kBegin, id); }
  GuaranteedZone(const GuaranteedZone &) = delete;

private:
  ProgramMarkers *markers;
  uint32_t id;
};

template <uint32_t kIndex> class SumZone {
  static_assert(kIndex < ttrt::profile::kZoneTotals);

public:
  __attribute__((always_inline)) SumZone(ProgramMarkers *markers, uint32_t id)
      : markers(markers), id(id), begin(isRecording(markers) ? readTime() : 0) {}
  __attribute__((always_inline)) ~SumZone() {
    if (!isRecording(markers))
      return;
    auto &total = markers->totals[kIndex];
    total.time += readTime() - begin;
    total.id = id;
    ++total.count;
  }
  SumZone(const SumZone &) = delete;

private:
  ProgramMarkers *markers;
  uint32_t id;
  uint64_t begin;
};

TTC_INLINE void addData(ProgramMarkers *markers, uint32_t id, uint64_t data) {
  if (!isRecording(markers) || !hasRoom(*markers, 2))
    return;
  append(*markers, MarkerKind::Data, id, readTime());
  append(*markers, MarkerKind::Payload, id, data);
}

TTC_INLINE void addEvent(ProgramMarkers *markers, uint32_t id) {
  if (isRecording(markers) && hasRoom(*markers, 1))
    append(*markers, MarkerKind::Event, id, readTime());
}

/// States that this core's markers of the command have no meaning.
TTC_INLINE void invalidateMarkers(ProgramMarkers *markers) {
  if (isRecording(markers))
    markers->invalid = 1;
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_ZONEMARKERS_H
