// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what lld emits for the compiler's objects is allowed; everything else is refused. Two rules
// make sure that the dynamic loader sees what is verified here: tables are found by address and
// not by offset, and no relocation can change a table, because tables are in parts that cannot be
// written and the dynamic section is no target.

#include "Bundle/CodeObject.h"

#include "Base/Format.h"
#include "Base/Sort.h"
#include "Bundle/Verifier.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ttrt {

/// A limit on addresses in the image: a damaged one must not reserve the whole address space.
static constexpr uint64_t kMaxImageBytes = uint64_t(1) << 30;
static constexpr uint64_t kMaxAlignment = uint64_t(1) << 21;

/// ELF's number of an architecture as Target::arch names it; EM_NONE if it is unknown.
static uint16_t elfMachine(const char *arch) {
  return strcmp(arch, "x86_64") == 0    ? EM_X86_64
         : strcmp(arch, "aarch64") == 0 ? EM_AARCH64
                                        : EM_NONE;
}

CodeObject::CodeObject(const uint8_t *data, uint64_t size, const char *arch)
    : data_(data), size_(size) {
  if (size < sizeof(header_))
    failBad("code has {} bytes: too short for a shared object", size);
  memcpy(&header_, data, sizeof(header_));
  if (memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64 ||
      header_.e_ident[EI_DATA] != ELFDATA2LSB || header_.e_ident[EI_VERSION] != EV_CURRENT ||
      header_.e_version != EV_CURRENT || header_.e_type != ET_DYN)
    failBad("code is not a 64-bit little-endian ELF shared object");
  const uint16_t machine = elfMachine(arch);
  if (machine != EM_NONE && header_.e_machine != machine)
    failBad("code is for ELF machine {}; expected {} ({})", header_.e_machine, machine, arch);
  readLoads();
  readOtherParts();
  readDynamic();
  verifyRelocations(machine);
  readHashTable();
  verifySymbols();
}

//===----------------------------------------------------------------------===//
// Parts (program headers)
//===----------------------------------------------------------------------===//

Elf64_Phdr CodeObject::part(unsigned index) const {
  Elf64_Phdr part;
  memcpy(&part, data_ + header_.e_phoff + index * sizeof(part), sizeof(part));
  return part;
}

/// The part whose bytes in the file hold the range; null if there is none.
const Elf64_Phdr *CodeObject::loadOf(uint64_t address, uint64_t bytes) const {
  for (unsigned i = 0; i < loadCount_; ++i)
    if (isInside(address, bytes, loads_[i].p_vaddr, loads_[i].p_vaddr + loads_[i].p_filesz))
      return &loads_[i];
  return nullptr;
}

/// Whether a writable part, up to a multiple of `alignment`, has the range in memory.
bool CodeObject::isWritable(uint64_t address, uint64_t bytes, uint64_t alignment) const {
  for (unsigned i = 0; i < loadCount_; ++i)
    if ((loads_[i].p_flags & PF_W) &&
        isInside(address, bytes, loads_[i].p_vaddr,
                 alignUp(loads_[i].p_vaddr + loads_[i].p_memsz, alignment)))
      return true;
  return false;
}

/// The bytes of a table, which must be in a part that nothing writes.
const uint8_t *CodeObject::table(uint64_t address, uint64_t bytes, const char *what) const {
  const Elf64_Phdr *load = loadOf(address, bytes);
  if (!load || (load->p_flags & PF_W))
    failBad("code: the {} at {:#x} + {} bytes is not inside a read-only part", what, address,
            bytes);
  return data_ + load->p_offset + (address - load->p_vaddr);
}

void CodeObject::readLoads() {
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum > kMaxParts ||
      !isInside(header_.e_phoff, header_.e_phnum * sizeof(Elf64_Phdr), 0, size_))
    failBad("code has {} program headers at {}; expected at most {}, inside the segment",
            header_.e_phnum, header_.e_phoff, kMaxParts);
  uint64_t end = 0;
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr load = part(i);
    if (load.p_type != PT_LOAD)
      continue;
    if (!isInside(load.p_offset, load.p_filesz, 0, size_) || load.p_filesz > load.p_memsz)
      failBad("code: part {} at {} + {} bytes is not inside the segment", i, load.p_offset,
              load.p_filesz);
    if (!isInside(load.p_vaddr, load.p_memsz, end, kMaxImageBytes))
      failBad("code: part {} at {:#x} + {} bytes is in a page of the part before, or above 2^30", i,
              load.p_vaddr, load.p_memsz);
    if (load.p_align < kPageSize || load.p_align > kMaxAlignment ||
        (load.p_align & (load.p_align - 1)) != 0 ||
        (load.p_vaddr - load.p_offset) % load.p_align != 0)
      failBad("code: part {} at {:#x} has alignment {:#x}; expected pages, and the same offset in "
              "the file and in memory",
              i, load.p_vaddr, load.p_align);
    const uint32_t flags = load.p_flags;
    if (flags != PF_R && flags != (PF_R | PF_W) && flags != (PF_R | PF_X))
      failBad("code: part {} has flags {:#x}; expected it readable, and not both writable and "
              "executable",
              i, flags);
    if (load.p_memsz > load.p_filesz && !(flags & PF_W))
      failBad("code: read-only part {} has {} bytes; expected the {} of the file", i, load.p_memsz,
              load.p_filesz);
    end = alignUp(load.p_vaddr + load.p_memsz, kPageSize);
    loads_[loadCount_++] = load;
  }
}

void CodeObject::readOtherParts() {
  unsigned stacks = 0, sections = 0;
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr other = part(i);
    switch (other.p_type) {
    case PT_LOAD:
    case PT_NULL:
      break;
    case PT_DYNAMIC:
      dynamic_ = other;
      ++sections;
      break;
    case PT_PHDR: { // the dynamic loader passes this address on
      const Elf64_Phdr *load = loadOf(other.p_vaddr, header_.e_phnum * sizeof(Elf64_Phdr));
      if (!load || other.p_vaddr - load->p_vaddr + load->p_offset != header_.e_phoff)
        failBad("code: its program headers are at {}; PT_PHDR says address {:#x}", header_.e_phoff,
                other.p_vaddr);
      break;
    }
    case PT_GNU_STACK:
      ++stacks;
      if (other.p_flags & PF_X)
        failBad("code has an executable stack (PT_GNU_STACK); expected none");
      break;
    case PT_GNU_RELRO: // the dynamic loader makes its pages read-only
      if (!isWritable(other.p_vaddr, other.p_memsz, kPageSize))
        failBad("code: PT_GNU_RELRO at {:#x} + {} bytes is not inside a writable part",
                other.p_vaddr, other.p_memsz);
      break;
    case PT_INTERP:
      failBad("code has an interpreter (PT_INTERP); expected none");
    case PT_TLS:
      failBad("code has thread-local data (PT_TLS); expected none");
    default:
      failBad("code: part {} has type {:#x}; expected only those of a plain shared object", i,
              other.p_type);
    }
  }
  if (stacks != 1 || sections != 1)
    failBad("code has {} stack headers (PT_GNU_STACK) and {} dynamic sections; expected 1 of each",
            stacks, sections);
}

//===----------------------------------------------------------------------===//
// The dynamic section
//===----------------------------------------------------------------------===//

/// What an entry means that people may have linked by mistake. All others that are not allowed are
/// refused by number.
static const char *nameOfRefused(int64_t tag) {
  switch (tag) {
  case DT_NEEDED:
    return "another library that it needs (DT_NEEDED)";
  case DT_AUXILIARY:
  case DT_FILTER:
    return "another library that it needs (DT_FILTER)";
  case DT_AUDIT:
  case DT_DEPAUDIT:
    return "another library that it needs (DT_AUDIT)";
  case DT_RPATH:
    return "a path for other libraries (DT_RPATH)";
  case DT_RUNPATH:
    return "a path for other libraries (DT_RUNPATH)";
  case DT_INIT:
    return "a constructor (DT_INIT)";
  case DT_INIT_ARRAY:
    return "a constructor (DT_INIT_ARRAY)";
  case DT_PREINIT_ARRAY:
    return "a constructor (DT_PREINIT_ARRAY)";
  case DT_FINI:
    return "a destructor (DT_FINI)";
  case DT_FINI_ARRAY:
    return "a destructor (DT_FINI_ARRAY)";
  case DT_TEXTREL:
    return "relocations of its text (DT_TEXTREL)";
  case DT_PLTGOT:
  case DT_PLTREL:
  case DT_PLTRELSZ:
  case DT_JMPREL:
    return "calls through a table (DT_JMPREL)";
  default:
    return nullptr;
  }
}

void CodeObject::readDynamic() {
  static constexpr uint32_t kAllowed[kTags] = {DT_STRTAB,    DT_STRSZ, DT_SYMTAB,  DT_SYMENT,
                                               DT_GNU_HASH,  DT_RELA,  DT_RELASZ,  DT_RELAENT,
                                               DT_RELACOUNT, DT_FLAGS, DT_FLAGS_1, DT_SYMBOLIC};
  // The dynamic loader reads it by address and writes to it.
  const Elf64_Phdr *load = loadOf(dynamic_.p_vaddr, dynamic_.p_filesz);
  if (!load || !(load->p_flags & PF_W) || dynamic_.p_memsz != dynamic_.p_filesz ||
      dynamic_.p_vaddr - load->p_vaddr + load->p_offset != dynamic_.p_offset)
    failBad("code: the dynamic section at {:#x} + {} bytes is not inside a writable part",
            dynamic_.p_vaddr, dynamic_.p_filesz);
  bool ended = false;
  for (uint64_t at = 0; !ended && at + sizeof(Elf64_Dyn) <= dynamic_.p_filesz;
       at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    memcpy(&entry, data_ + dynamic_.p_offset + at, sizeof(entry));
    if (entry.d_tag == DT_NULL) {
      ended = true;
      continue;
    }
    if (const char *refused = nameOfRefused(entry.d_tag))
      failBad("code has {}; expected none", refused);
    unsigned tag = 0;
    while (tag < kTags && kAllowed[tag] != static_cast<uint64_t>(entry.d_tag))
      ++tag;
    if (tag == kTags || (seen_ & (1u << tag)))
      failBad("code: the dynamic section has an entry {:#x}; expected only symbols and relative "
              "relocations, each once",
              static_cast<uint64_t>(entry.d_tag));
    seen_ |= 1u << tag;
    value_[tag] = entry.d_un.d_val;
  }
  constexpr uint32_t kNeeded = 1u << Strings | 1u << StringBytes | 1u << Symbols | 1u << Hash;
  if (!ended || (seen_ & kNeeded) != kNeeded)
    failBad("code: the dynamic section has no end, or lacks DT_STRTAB, DT_STRSZ, DT_SYMTAB or "
            "DT_GNU_HASH");
  // The dynamic loader believes that all three are there if one is, and it does not compare their
  // number with the number of relative ones.
  constexpr uint32_t kRelocations =
      1u << Relocations | 1u << RelocationBytes | 1u << RelocationEntry;
  if ((seen_ & kRelocations) != 0 && (seen_ & kRelocations) != kRelocations)
    failBad("code: the dynamic section has one of DT_RELA, DT_RELASZ and DT_RELAENT without the "
            "others");
  if (value_[Flags] & DF_TEXTREL)
    failBad("code has relocations of its text (DF_TEXTREL); expected none");
  if ((value_[Flags] & ~uint64_t(DF_SYMBOLIC | DF_BIND_NOW)) != 0 ||
      (value_[Flags1] & ~uint64_t(DF_1_NOW)) != 0)
    failBad("code has DT_FLAGS {:#x} and DT_FLAGS_1 {:#x}; expected no more than symbolic and now",
            value_[Flags], value_[Flags1]);
  strings_ =
      reinterpret_cast<const char *>(table(value_[Strings], value_[StringBytes], "table of names"));
  if (value_[StringBytes] == 0 || strings_[value_[StringBytes] - 1] != 0)
    failBad("code: the table of names does not end with a zero");
}

void CodeObject::verifyRelocations(uint16_t machine) const {
  if (!(seen_ & 1u << Relocations))
    return;
  const uint64_t bytes = value_[RelocationBytes], number = bytes / sizeof(Elf64_Rela);
  if (value_[RelocationEntry] != sizeof(Elf64_Rela) || bytes % sizeof(Elf64_Rela) != 0 ||
      value_[RelocationCount] > number)
    failBad("code: the table of relocations has {} bytes, {} per entry, and {} relative ones; "
            "expected 24 bytes per entry, and no more relative ones than entries",
            bytes, value_[RelocationEntry], value_[RelocationCount]);
  const uint8_t *entries = table(value_[Relocations], bytes, "table of relocations");
  const uint64_t relative = machine == EM_X86_64    ? R_X86_64_RELATIVE
                            : machine == EM_AARCH64 ? R_AARCH64_RELATIVE
                                                    : UINT32_MAX;
  for (uint64_t at = 0; at < bytes; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    memcpy(&entry, entries + at, sizeof(entry));
    if (entry.r_info != relative) // also: no symbol
      failBad("code: relocation {} is {:#x}; expected only relative ones ({:#x})",
              at / sizeof(Elf64_Rela), entry.r_info, relative);
    if (!isWritable(entry.r_offset, sizeof(uint64_t), 1) ||
        (entry.r_offset < dynamic_.p_vaddr + dynamic_.p_memsz &&
         entry.r_offset + sizeof(uint64_t) > dynamic_.p_vaddr))
      failBad("code: relocation {} changes {:#x}; expected an address of writable data",
              at / sizeof(Elf64_Rela), entry.r_offset);
  }
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// A word of the hash table; the caller has checked that it is inside.
uint32_t CodeObject::hashWord(uint64_t index) const {
  uint32_t word;
  memcpy(&word, hash_ + index * sizeof(word), sizeof(word));
  return word;
}

Elf64_Sym CodeObject::symbol(uint32_t index) const {
  Elf64_Sym symbol;
  memcpy(&symbol, symbols_ + uint64_t(index) * sizeof(symbol), sizeof(symbol));
  return symbol;
}

/// Only the hash table says how many symbols there are: its chains, which follow each other in the
/// order of the buckets, end with the last one.
void CodeObject::readHashTable() {
  constexpr uint64_t kWord = sizeof(uint32_t), kHeader = 4;
  auto checkWords = [&](uint64_t words) {
    return table(value_[Hash], words * kWord, "hash table");
  };
  auto checkSymbols = [&](uint64_t symbols) {
    return table(value_[Symbols], symbols * sizeof(Elf64_Sym), "table of symbols");
  };
  hash_ = checkWords(kHeader);
  buckets_ = hashWord(0);
  firstHashed_ = hashWord(1);
  const uint32_t filterWords = hashWord(2), shift = hashWord(3);
  if (buckets_ == 0 || filterWords == 0 || (filterWords & (filterWords - 1)) != 0 || shift > 63)
    failBad("code: the hash table has {} buckets, a filter of {} words and a shift of {}; expected "
            "some, a power of two and at most 63",
            buckets_, filterWords, shift);
  bucketsAt_ = kHeader + uint64_t(filterWords) * 2;
  const uint64_t chainsAt = bucketsAt_ + buckets_;
  checkWords(chainsAt);
  checkSymbols(firstHashed_);
  uint32_t next = firstHashed_;
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    const uint32_t first = hashWord(bucketsAt_ + bucket);
    if (first == 0)
      continue;
    if (first != next)
      failBad("code: bucket {} of the hash table begins with symbol {}; expected {}", bucket, first,
              next);
    for (bool last = false; !last; ++next) {
      const uint64_t word = chainsAt + (next - firstHashed_);
      checkWords(word + 1);
      last = hashWord(word) & 1;
    }
  }
  symbols_ = checkSymbols(next);
  symbolCount_ = next;
}

void CodeObject::verifySymbols() const {
  for (uint32_t i = 0; i < symbolCount_; ++i) {
    const Elf64_Sym found = symbol(i);
    if (found.st_name >= value_[StringBytes])
      failBad("code: the name of symbol {} is at {}; the table of names has {} bytes", i,
              found.st_name, value_[StringBytes]);
    const unsigned type = ELF64_ST_TYPE(found.st_info);
    const char *problem = type == STT_GNU_IFUNC ? "chosen while it is loaded (IFUNC)"
                          : type == STT_TLS     ? "thread-local"
                          : i > 0 && found.st_shndx == SHN_UNDEF ? "undefined"
                                                                 : nullptr;
    if (problem)
      failBad("code: symbol '{}' is {}; expected every symbol defined, at a fixed address",
              strings_ + found.st_name, problem);
  }
}

/// The hash function of DT_GNU_HASH.
static uint32_t hashName(const char *name) {
  uint32_t hash = 5381;
  for (; *name; ++name)
    hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

uint64_t CodeObject::addressOf(const char *name) const {
  const uint32_t hash = hashName(name);
  uint32_t index = hashWord(bucketsAt_ + hash % buckets_);
  for (bool last = index == 0; !last; ++index) {
    const uint32_t word = hashWord(bucketsAt_ + buckets_ + (index - firstHashed_));
    last = word & 1;
    const Elf64_Sym found = symbol(index);
    if ((word | 1) != (hash | 1) || strcmp(name, strings_ + found.st_name) != 0)
      continue;
    if (found.st_info != ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) || found.st_other != STV_DEFAULT ||
        found.st_shndx >= SHN_LORESERVE)
      failBad("code: symbol '{}' has info {:#x}, visibility {} and section {}; expected a global "
              "function",
              name, found.st_info, found.st_other, found.st_shndx);
    const Elf64_Phdr *load = loadOf(found.st_value, std::max<uint64_t>(found.st_size, 1));
    if (!load || !(load->p_flags & PF_X))
      failBad("code: program '{}' at {:#x} + {} bytes is not inside an executable part", name,
              found.st_value, found.st_size);
    return found.st_value;
  }
  failBad("the code has no program '{}'", name);
}

//===----------------------------------------------------------------------===//
// The code of a bundle
//===----------------------------------------------------------------------===//

void verifyCode(const Bundle &bundle) {
  const SegmentView &code = bundle.segment(fb::SegmentKind::Code);
  if (!code.size)
    return;
  const CodeObject object(code.data, sizeOfObject(code), text(bundle.metadata().target()->arch()));
  const auto *programs = bundle.metadata().programs();
  uint32_t n = 0;
  const std::unique_ptr<uint64_t[]> addresses(new uint64_t[count(programs)]);
  for (uint32_t i = 0; i < count(programs); ++i)
    if (!programs->Get(i)->host_function())
      addresses[n++] = object.addressOf(text(programs->Get(i)->symbol()));
  // The code generator merges no functions, so two programs at one address are a wrong table.
  sortItems(addresses.get(), n);
  for (uint32_t i = 1; i < n; ++i)
    if (addresses[i] == addresses[i - 1])
      failBad("code: two programs have the address {:#x}; expected different ones", addresses[i]);
}

} // namespace ttrt
