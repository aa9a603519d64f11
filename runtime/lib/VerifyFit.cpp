// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a verified bundle can run on this machine. It can if the machine has at least what the
// bundle needs.

#include "Format.h"
#include "Host.h"
#include "Verifier.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace ttrt {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bundles are little-endian");

/// What the dynamic loader assumes: it crashes on a file that violates it.
static void verifySharedObject(const SegmentView &code) {
  if (code.size < sizeof(Elf64_Ehdr))
    failBad("code has {} bytes: too short for a shared object", code.size);
  Elf64_Ehdr header;
  memcpy(&header, code.data, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    failBad("code is not a 64-bit little-endian ELF shared object");
  if (header.e_machine != hostElfMachine())
    fail(TTRT_UNSUPPORTED, "code is for ELF machine {}; this one is {}", header.e_machine,
         hostElfMachine());
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isInside(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr), 0, code.size))
    failBad("code: its program headers are not inside the segment of {} bytes", code.size);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    memcpy(&part, code.data + header.e_phoff + i * sizeof(part), sizeof(part));
    if (part.p_type != PT_LOAD && part.p_type != PT_DYNAMIC)
      continue;
    if (!isInside(part.p_offset, part.p_filesz, 0, code.size) || part.p_filesz > part.p_memsz)
      failBad("code: part {} at {} + {} bytes is not inside the segment of {} bytes", i,
              part.p_offset, part.p_filesz, code.size);
    if (part.p_type != PT_DYNAMIC)
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= part.p_filesz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn tag;
      memcpy(&tag, code.data + part.p_offset + at, sizeof(tag));
      if (tag.d_tag == DT_NULL)
        break;
      if (tag.d_tag == DT_NEEDED)
        failBad("code needs another shared library; expected it to need none");
    }
  }
}

void verifyFit(const Bundle &bundle) {
  const fb::Target &target = *bundle.metadata().target();
  if (hostArchitecture() != text(target.arch()))
    fail(TTRT_UNSUPPORTED, "bundle is compiled for {}; this machine is {}", text(target.arch()),
         hostArchitecture().data());
  std::string missing;
  const auto features = hostFeatures();
  for (uint32_t i = 0; i < count(target.features()); ++i) {
    const char *feature = target.features()->Get(i)->c_str();
    if (std::find(features.begin(), features.end(), feature) == features.end())
      missing += (missing.empty() ? "" : ", ") + std::string(feature);
  }
  if (!missing.empty())
    fail(TTRT_UNSUPPORTED,
         "bundle is compiled for CPU '{}' and needs features that this one ({}) lacks: {}",
         text(target.cpu()), hostModel(), missing);
  if (target.chips() != 1)
    fail(TTRT_UNSUPPORTED, "bundle is planned for {} chips; this runtime runs one", target.chips());
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    bool single = false;
    for (const fb::Schedule *schedule : *entry->schedules())
      single |= schedule->queues() == 1;
    if (!single)
      fail(TTRT_UNSUPPORTED,
           "entry point '{}' has no schedule for one command queue, and this runtime has one",
           text(entry->name()));
  }
  if (const SegmentView &code = bundle.segment(fb::SegmentKind::Code); code.size)
    verifySharedObject(code);
}

} // namespace ttrt
