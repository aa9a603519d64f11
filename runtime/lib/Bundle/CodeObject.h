// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code segment is an ELF shared object. It is parsed here before the dynamic loader sees it:
// loading it must run none of its code, change no memory but its own data, and read no other file.

#ifndef TTRT_LIB_BUNDLE_CODEOBJECT_H
#define TTRT_LIB_BUNDLE_CODEOBJECT_H

#include <cstdint>
#include <elf.h>

namespace ttrt {

/// A view of a shared object; the bytes must outlive it. All functions are thread-safe.
class CodeObject {
public:
  /// Parses and verifies the object. Bytes after its last part are not looked at. Throws Error.
  CodeObject(const uint8_t *data, uint64_t size, const char *arch);

  /// The address of a function in the image. Found as the dynamic loader finds it. Throws Error
  /// unless it is a defined global function inside an executable part.
  uint64_t addressOf(const char *symbol) const;

private:
  Elf64_Phdr part(unsigned index) const;
  const Elf64_Phdr *loadOf(uint64_t address, uint64_t bytes) const;
  bool isWritable(uint64_t address, uint64_t bytes, uint64_t alignment) const;
  const uint8_t *table(uint64_t address, uint64_t bytes, const char *what) const;
  void readLoads();
  void readOtherParts();
  void readDynamic();
  void verifyRelocations(uint16_t machine) const;
  void readHashTable();
  void verifySymbols() const;
  Elf64_Sym symbol(uint32_t index) const;
  uint32_t hashWord(uint64_t index) const;

  /// Entries of the dynamic section that are allowed.
  enum Tag {
    Strings,
    StringBytes,
    Symbols,
    SymbolBytes,
    Hash,
    Relocations,
    RelocationBytes,
    RelocationEntry,
    RelocationCount,
    Flags,
    Flags1,
    Symbolic,
    kTags
  };

  static constexpr unsigned kMaxParts = 16; ///< lld makes 7

  const uint8_t *data_;
  uint64_t size_;
  Elf64_Ehdr header_;
  Elf64_Phdr loads_[kMaxParts]; ///< PT_LOAD, by ascending address
  unsigned loadCount_ = 0;
  Elf64_Phdr dynamic_{};
  uint32_t seen_ = 0; ///< a bit per Tag
  uint64_t value_[kTags] = {};
  const char *strings_ = nullptr;
  const uint8_t *symbols_ = nullptr;
  const uint8_t *hash_ = nullptr;
  uint32_t buckets_ = 0, firstHashed_ = 0, symbolCount_ = 0;
  uint64_t bucketsAt_ = 0; ///< in words of the hash table
};

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_CODEOBJECT_H
