// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/profile.h"

#include "Api/ApiChecks.h"
#include "Base/StructSize.h"
#include "Observe/Profiler.h"

using namespace ttrt;

extern "C" {

ttrt_status ttrt_profiler_open(const char *folder, const ttrt_profiler_options *options,
                               ttrt_profiler **profiler, ttrt_error *error) {
  if (profiler)
    *profiler = nullptr;
  return guarded(error, [&] {
    require(folder && *folder && profiler, "folder or profiler is NULL, or folder is empty");
    *profiler = new ttrt_profiler{
        std::make_unique<Profiler>(folder, readOptions(options, "ttrt_profiler_options"))};
  });
}

void ttrt_profiler_close(ttrt_profiler *profiler) { delete profiler; }

const char *ttrt_profiler_folder(const ttrt_profiler *profiler) {
  return profiler ? profiler->profiler->folder().c_str() : "";
}

ttrt_status ttrt_profiler_read(ttrt_profiler *profiler, ttrt_error *error) {
  return guarded(error, [&] {
    if (profiler)
      profiler->profiler->read();
  });
}

uint64_t ttrt_profiler_dropped(const ttrt_profiler *profiler) {
  return profiler ? profiler->profiler->dropped() : 0;
}

uint32_t ttrt_profiler_zone(ttrt_profiler *profiler, const ttrt_zone_source *source) {
  uint32_t zone = 0;
  guarded(nullptr, [&] {
    if (!profiler || !source)
      return;
    const ttrt_zone_source theirs = readOptions(source, "ttrt_zone_source");
    if (theirs.name)
      zone = profiler->profiler->zone(theirs);
  });
  return zone;
}

void ttrt_zone_begin(ttrt_profiler *profiler, uint32_t zone) {
  if (profiler)
    profiler->profiler->hostMarker(HostMarkerKind::ZoneBegin, zone, profile::kNone);
}

void ttrt_zone_end(ttrt_profiler *profiler) {
  if (profiler)
    profiler->profiler->hostMarker(HostMarkerKind::ZoneEnd, 0, profile::kNone);
}

void ttrt_zone_text(ttrt_profiler *profiler, const char *text) {
  if (profiler && text)
    profiler->profiler->text(profile::TextKind::ZoneText, text, "", 0);
}

void ttrt_frame(ttrt_profiler *profiler, uint32_t zone) {
  if (profiler)
    profiler->profiler->hostMarker(HostMarkerKind::Frame, zone, profile::kNone);
}

void ttrt_signpost(ttrt_profiler *profiler, const char *header, const char *message) {
  if (profiler && header)
    profiler->profiler->text(profile::TextKind::Signpost, header, message ? message : "", 0);
}

void ttrt_message(ttrt_profiler *profiler, const char *text, uint32_t color) {
  if (profiler && text)
    profiler->profiler->text(profile::TextKind::Message, text, "", color);
}

} // extern "C"
