// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code is parsed before it is loaded: what would run, need or change something while it is
// loaded is refused, and damaged headers and tables do no harm.

#include "Bundle/CodeObject.h"

#include "Base/Error.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"
#include "test/unit/Support/Rounds.h"

#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <span>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Bytes = std::vector<uint8_t>;

#if defined(__x86_64__)
constexpr char kArch[] = "x86_64";
#else
constexpr char kArch[] = "aarch64";
#endif

Bytes readCode(const std::string &name) {
  return readFile<Bytes>(TTRT_REFUSED_CODE "/" + name + ".so");
}

/// What the runtime says to the sample with this code, at each level of verification.
std::string verdictOfCode(const Bytes &code, const char *symbol = nullptr) {
  BundleBuilder builder = sampleBundle();
  builder.code = code;
  if (symbol)
    builder.bundle.programs[0]->symbol = symbol;
  const Bytes file = builder.finish();
  ttrt_status status;
  const std::string message = verdict(file, &status);
  TemporaryFile temporary(file);
  for (ttrt_verify level : {TTRT_VERIFY_FULL, TTRT_VERIFY_STRUCTURE, TTRT_VERIFY_NONE}) {
    ttrt_status opened;
    EXPECT_EQ(openMessage(temporary.path(), level, &opened), message); // before any device
    EXPECT_EQ(opened, status);
  }
  EXPECT_TRUE(status == TTRT_OK || status == TTRT_BAD_BUNDLE) << message;
  return message;
}

struct Refused {
  const char *name, *message;
};

class RefusedCode : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCode, IsNamed) {
  const Bytes code = readCode(GetParam().name);
  ASSERT_FALSE(code.empty());
  const std::string message = verdictOfCode(code);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    , RefusedCode,
    testing::Values(
        Refused{"constructor", "code has a constructor (DT_INIT_ARRAY); expected none"},
        Refused{"destructor", "code has a destructor (DT_FINI_ARRAY); expected none"},
        Refused{"init", "code has a constructor (DT_INIT); expected none"},
        Refused{"fini", "code has a destructor (DT_FINI); expected none"},
        Refused{"ifunc", "is chosen while it is loaded (IFUNC); expected every symbol"},
        Refused{"hidden-ifunc", "relocation 0 is 0x25; expected only relative ones"},
        Refused{"needed", "code has another library that it needs (DT_NEEDED); expected none"},
        Refused{"rpath", "code has a path for other libraries (DT_RPATH); expected none"},
        Refused{"runpath", "code has a path for other libraries (DT_RUNPATH); expected none"},
        Refused{"filter", "code has another library that it needs (DT_FILTER); expected none"},
        Refused{"undefined", "expected only relative ones"},
        Refused{"call", "code has calls through a table (DT_JMPREL); expected none"},
        Refused{"symbolic", "expected only relative ones"},
        Refused{"tls", "code has thread-local data (PT_TLS); expected none"},
        Refused{"exec-stack", "code has an executable stack (PT_GNU_STACK); expected none"},
        Refused{"text-relocation", "code has relocations of its text"},
        Refused{"writable-code", "expected it readable, and not both writable and executable"},
        Refused{"interpreter", "code has an interpreter (PT_INTERP); expected none"},
        Refused{"note", "has type 0x4; expected only those of a plain shared object"},
        Refused{"sysv-hash", "the dynamic section has an entry 0x4; expected only symbols"},
        Refused{"name", "the dynamic section has an entry 0xe; expected only symbols"}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(CodeObject, RelativeRelocationsOfDataAreAllowed) {
  EXPECT_EQ(verdictOfCode(readCode("relative")), "");
}

TEST(CodeObject, BytesBehindTheObjectAreAllowed) {
  Bytes code = sampleBundle().code;
  code.insert(code.end(), 5000, 0xff);
  EXPECT_EQ(verdictOfCode(code), "");
}

TEST(CodeObject, ProgramsAreGlobalFunctionsAtDifferentAddresses) {
  BundleBuilder builder = sampleBundle();
  builder.code = readCode("alias");
  builder.bundle.programs[0]->symbol = "test_first_name";
  builder.bundle.programs[1]->symbol = "test_second_name";
  EXPECT_NE(verdict(builder.finish()).find("two programs have the address 0x"), std::string::npos);
  builder.bundle.programs[1]->symbol = "test_first_name";
  EXPECT_NE(verdict(builder.finish()).find("two programs have the address 0x"), std::string::npos);

  const Bytes code = readCode("not-a-function");
  EXPECT_NE(verdictOfCode(code, "test_variable").find("symbol 'test_variable' has info 0x11"),
            std::string::npos);
  EXPECT_NE(verdictOfCode(code, "test_weak").find("symbol 'test_weak' has info 0x22"),
            std::string::npos);
  EXPECT_EQ(verdictOfCode(code, "test_nothing"), "the code has no program 'test_nothing'");
}

//===----------------------------------------------------------------------===//
// Changes by hand
//===----------------------------------------------------------------------===//

/// A shared object whose structures can be changed in place.
struct Editable {
  Bytes bytes;

  Elf64_Ehdr &header() { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }
  Elf64_Phdr &part(unsigned i) {
    return reinterpret_cast<Elf64_Phdr *>(bytes.data() + header().e_phoff)[i];
  }
  Elf64_Phdr &partOfType(uint32_t type, uint32_t flags = 0) {
    for (unsigned i = 0; i < header().e_phnum; ++i)
      if (part(i).p_type == type && (part(i).p_flags & flags) == flags)
        return part(i);
    throw std::runtime_error("no such part");
  }
  uint64_t offsetOf(uint64_t address) {
    for (unsigned i = 0; i < header().e_phnum; ++i)
      if (part(i).p_type == PT_LOAD && address >= part(i).p_vaddr &&
          address < part(i).p_vaddr + part(i).p_filesz)
        return address - part(i).p_vaddr + part(i).p_offset;
    throw std::runtime_error("no such address");
  }
  Elf64_Dyn &entry(int64_t tag) {
    auto *at = reinterpret_cast<Elf64_Dyn *>(bytes.data() + partOfType(PT_DYNAMIC).p_offset);
    for (; at->d_tag != tag; ++at)
      if (at->d_tag == DT_NULL)
        throw std::runtime_error("no such entry");
    return *at;
  }
  template <typename T> T *table(int64_t tag) {
    return reinterpret_cast<T *>(bytes.data() + offsetOf(entry(tag).d_un.d_ptr));
  }
  /// All of the dynamic section but the first one, which has no name.
  std::span<Elf64_Sym> symbols() {
    auto *sections = reinterpret_cast<Elf64_Shdr *>(bytes.data() + header().e_shoff);
    for (unsigned i = 0; i < header().e_shnum; ++i)
      if (sections[i].sh_type == SHT_DYNSYM)
        return {table<Elf64_Sym>(DT_SYMTAB) + 1, sections[i].sh_size / sizeof(Elf64_Sym) - 1};
    throw std::runtime_error("no symbols");
  }
};

struct Change {
  const char *name;
  void (*change)(Editable &);
  const char *message;
};

class ChangedCode : public testing::TestWithParam<Change> {};

/// Code with relocations, changed by hand.
TEST_P(ChangedCode, IsRefused) {
  Editable code{readCode("relative")};
  GetParam().change(code);
  const std::string message = verdictOfCode(code.bytes);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

const Change kChanges[] = {
    {"Magic", [](Editable &c) { c.header().e_ident[0] = 0; }, "not a 64-bit little-endian ELF"},
    {"Class", [](Editable &c) { c.header().e_ident[EI_CLASS] = ELFCLASS32; },
     "not a 64-bit little-endian ELF"},
    {"ByteOrder", [](Editable &c) { c.header().e_ident[EI_DATA] = ELFDATA2MSB; },
     "not a 64-bit little-endian ELF"},
    {"Executable", [](Editable &c) { c.header().e_type = ET_EXEC; },
     "not a 64-bit little-endian ELF"},
    {"Machine", [](Editable &c) { c.header().e_machine = EM_386; },
     "code is for ELF machine 3; expected"},
    {"PartsOutside", [](Editable &c) { c.header().e_phoff = ~uint64_t(0) - 100; },
     "program headers at 18446744073709551515"},
    {"ManyParts", [](Editable &c) { c.header().e_phnum = 17; }, "code has 17 program headers"},
    {"PartPastTheEnd", [](Editable &c) { c.partOfType(PT_LOAD).p_filesz = uint64_t(1) << 63; },
     "is not inside the segment"},
    {"PartOverlaps",
     [](Editable &c) { c.partOfType(PT_LOAD, PF_X).p_vaddr = c.partOfType(PT_LOAD).p_vaddr; },
     "is in a page of the part before"},
    {"HugePart", [](Editable &c) { c.partOfType(PT_LOAD, PF_W).p_memsz = uint64_t(1) << 40; },
     "is in a page of the part before, or above 2^30"},
    {"NotAligned", [](Editable &c) { c.partOfType(PT_LOAD, PF_X).p_align = 3; },
     "has alignment 0x3; expected pages"},
    {"OtherOffset", [](Editable &c) { c.partOfType(PT_LOAD, PF_W).p_offset += 8; },
     "the same offset in the file and in memory"},
    {"ExecutableData", [](Editable &c) { c.partOfType(PT_LOAD, PF_W).p_flags |= PF_X; },
     "has flags 0x7; expected it readable, and not both writable and executable"},
    {"WritableText", [](Editable &c) { c.partOfType(PT_LOAD, PF_X).p_flags |= PF_W; },
     "has flags 0x7; expected it readable, and not both writable and executable"},
    {"ZeroedText", [](Editable &c) { c.partOfType(PT_LOAD, PF_X).p_memsz += 1; }, "expected the"},
    {"NoStack", [](Editable &c) { c.partOfType(PT_GNU_STACK).p_type = PT_NULL; },
     "code has 0 stack headers (PT_GNU_STACK) and 1 dynamic sections; expected 1 of each"},
    {"NoDynamic", [](Editable &c) { c.partOfType(PT_DYNAMIC).p_type = PT_NULL; },
     "and 0 dynamic sections"},
    {"RelroOfText",
     [](Editable &c) { c.partOfType(PT_GNU_RELRO).p_vaddr = c.partOfType(PT_LOAD, PF_X).p_vaddr; },
     "PT_GNU_RELRO at 0x"},
    {"ReadOnlyDynamic",
     [](Editable &c) {
       c.partOfType(PT_GNU_RELRO).p_type = PT_NULL;
       c.partOfType(PT_LOAD, PF_W).p_memsz = c.partOfType(PT_LOAD, PF_W).p_filesz;
       c.partOfType(PT_LOAD, PF_W).p_flags = PF_R;
     },
     "is not inside a writable part"},
    {"DynamicElsewhere", [](Editable &c) { c.partOfType(PT_DYNAMIC).p_vaddr -= 8; },
     "the dynamic section at"},
    {"PreinitArray", [](Editable &c) { c.entry(DT_SYMENT).d_tag = DT_PREINIT_ARRAY; },
     "code has a constructor (DT_PREINIT_ARRAY); expected none"},
    {"Audit", [](Editable &c) { c.entry(DT_SYMENT).d_tag = DT_AUDIT; },
     "code has another library that it needs (DT_AUDIT); expected none"},
    {"UnknownEntry", [](Editable &c) { c.entry(DT_SYMENT).d_tag = DT_VERSYM; },
     "the dynamic section has an entry 0x6ffffff0"},
    {"EntryTwice", [](Editable &c) { c.entry(DT_SYMENT).d_tag = DT_SYMTAB; },
     "the dynamic section has an entry 0x6; expected only symbols and relative relocations, each"},
    {"NoEnd",
     [](Editable &c) {
       auto *at = &c.entry(DT_SYMTAB);
       const uint64_t used =
           reinterpret_cast<uint8_t *>(at + 1) - c.bytes.data() - c.partOfType(PT_DYNAMIC).p_offset;
       c.partOfType(PT_DYNAMIC).p_filesz = c.partOfType(PT_DYNAMIC).p_memsz = used;
     },
     "the dynamic section has no end, or lacks"},
    {"NoNames", [](Editable &c) { c.entry(DT_STRTAB).d_tag = DT_SYMBOLIC; },
     "the dynamic section has no end, or lacks"},
    {"StaticTls", [](Editable &c) { c.entry(DT_SYMENT) = {DT_FLAGS, {DF_STATIC_TLS}}; },
     "code has DT_FLAGS 0x10"},
    {"Interposed", [](Editable &c) { c.entry(DT_SYMENT) = {DT_FLAGS_1, {DF_1_INTERPOSE}}; },
     "DT_FLAGS_1 0x400; expected"},
    {"NamesOutside", [](Editable &c) { c.entry(DT_STRSZ).d_un.d_val = uint64_t(1) << 40; },
     "the table of names at"},
    {"NamesNotEnded", [](Editable &c) { c.entry(DT_STRSZ).d_un.d_val -= 1; },
     "the table of names does not end with a zero"},
    {"SymbolsInWritableData",
     [](Editable &c) { c.entry(DT_SYMTAB).d_un.d_ptr = c.partOfType(PT_LOAD, PF_W).p_vaddr; },
     "the table of symbols at"},
    {"NoBuckets", [](Editable &c) { c.table<uint32_t>(DT_GNU_HASH)[0] = 0; },
     "the hash table has 0 buckets"},
    {"FirstHashedFarAway", [](Editable &c) { c.table<uint32_t>(DT_GNU_HASH)[1] = ~0u; },
     "the table of symbols at"},
    {"OddFilter", [](Editable &c) { c.table<uint32_t>(DT_GNU_HASH)[2] = 3; },
     "a filter of 3 words"},
    {"LongFilter", [](Editable &c) { c.table<uint32_t>(DT_GNU_HASH)[2] = 1u << 31; },
     "the hash table at"},
    {"EndlessChain", // every symbol in one bucket, without an end before the end of the part
     [](Editable &c) {
       auto *words = c.table<uint32_t>(DT_GNU_HASH);
       // The relocations that follow have no odd word.
       auto *end = c.table<uint8_t>(DT_RELA);
       uint32_t *buckets = words + 4 + 2 * words[2];
       for (uint32_t i = 0; i < words[0]; ++i)
         buckets[i] = i ? 0 : words[1];
       for (uint32_t *at = buckets + words[0]; reinterpret_cast<uint8_t *>(at + 1) <= end; ++at)
         *at = 0;
     },
     "the hash table at"},
    {"NameOutside", [](Editable &c) { c.table<Elf64_Sym>(DT_SYMTAB)[1].st_name = 1 << 20; },
     "the name of symbol 1 is at 1048576"},
    {"Ifunc",
     [](Editable &c) {
       c.table<Elf64_Sym>(DT_SYMTAB)[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
     },
     "is chosen while it is loaded (IFUNC); expected every symbol defined"},
    {"UndefinedSymbol", [](Editable &c) { c.table<Elf64_Sym>(DT_SYMTAB)[1].st_shndx = SHN_UNDEF; },
     "is undefined; expected every symbol defined"},
    {"ProgramInData",
     [](Editable &c) {
       const uint64_t data = c.partOfType(PT_LOAD, PF_W).p_vaddr;
       for (Elf64_Sym &symbol : c.symbols())
         symbol.st_value = data;
     },
     "is not inside an executable part"},
    {"ProgramPastTheEnd",
     [](Editable &c) {
       for (Elf64_Sym &symbol : c.symbols())
         symbol.st_size = uint64_t(1) << 40;
     },
     "is not inside an executable part"},
    {"AbsoluteProgram",
     [](Editable &c) {
       for (Elf64_Sym &symbol : c.symbols())
         symbol.st_shndx = SHN_ABS;
     },
     "section 65521; expected a global function"},
    {"RelocationOfText",
     [](Editable &c) {
       c.table<Elf64_Rela>(DT_RELA)[0].r_offset = c.partOfType(PT_LOAD, PF_X).p_vaddr;
     },
     "expected an address of writable data"},
    {"RelocationOfTheDynamicSection",
     [](Editable &c) {
       c.table<Elf64_Rela>(DT_RELA)[0].r_offset = c.partOfType(PT_DYNAMIC).p_vaddr + 8;
     },
     "expected an address of writable data"},
    {"RelocationFarAway",
     [](Editable &c) { c.table<Elf64_Rela>(DT_RELA)[0].r_offset = ~uint64_t(0) - 3; },
     "expected an address of writable data"},
    {"RelocationByAFunction",
     [](Editable &c) { c.table<Elf64_Rela>(DT_RELA)[1].r_info = R_X86_64_IRELATIVE; },
     "relocation 1 is 0x25; expected only relative ones"},
    {"FewerRelocationsThanRelativeOnes", [](Editable &c) { c.entry(DT_RELACOUNT).d_un.d_val += 1; },
     "no more relative ones than entries"},
    {"RelocationsWithoutSize", [](Editable &c) { c.entry(DT_RELASZ).d_tag = DT_SYMBOLIC; },
     "one of DT_RELA, DT_RELASZ and DT_RELAENT without the others"},
    {"RelocationsOfOtherSize", [](Editable &c) { c.entry(DT_RELAENT).d_un.d_val = 16; },
     "16 per entry, and 2 relative ones; expected 24 bytes per entry"},
};

INSTANTIATE_TEST_SUITE_P(, ChangedCode, testing::ValuesIn(kChanges),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(CodeObject, TruncatedAnywhere) {
  const Bytes code = readCode("relative");
  Editable whole{code};
  uint64_t end = 0; // of what the dynamic loader reads
  for (unsigned i = 0; i < whole.header().e_phnum; ++i)
    if (whole.part(i).p_type == PT_LOAD)
      end = std::max(end, whole.part(i).p_offset + whole.part(i).p_filesz);
  for (uint64_t size = 0; size < code.size(); ++size) {
    const Bytes cut(code.begin(), code.begin() + static_cast<long>(size));
    if (size < end)
      EXPECT_THROW(CodeObject(cut.data(), cut.size(), kArch), Error) << size;
    else
      EXPECT_NO_THROW(CodeObject(cut.data(), cut.size(), kArch)) << size;
  }
}

//===----------------------------------------------------------------------===//
// Changes at random
//===----------------------------------------------------------------------===//

/// Loads an object as Code does. A problem that the dynamic loader reports is none here.
void load(const Bytes &code) {
  const int descriptor = memfd_create("test", 0);
  if (write(descriptor, code.data(), code.size()) == static_cast<ssize_t>(code.size()))
    if (void *library = dlopen(("/proc/self/fd/" + std::to_string(descriptor)).c_str(),
                               RTLD_NOW | RTLD_LOCAL)) {
      for (const char *name : {"test_add", "test_reverse", "test_nothing"})
        dlsym(library, name);
      dlclose(library);
    }
  close(descriptor);
}

/// 100,000 objects, nightly, with damaged headers and tables: each is refused or parsed without
/// harm (the address sanitizer watches copies of exactly their size). What is accepted must not
/// harm the dynamic loader either.
TEST(CodeObject, RandomChangesDoNoHarm) {
  Editable good{readCode("relative")};
  std::vector<uint64_t> places; // offsets of the bytes to change
  auto add = [&](uint64_t offset, uint64_t size) {
    for (uint64_t i = 0; i < size; ++i)
      places.push_back(offset + i);
  };
  add(0, sizeof(Elf64_Ehdr));
  add(good.header().e_phoff, good.header().e_phnum * sizeof(Elf64_Phdr));
  for (int i = 0; i < 3; ++i) // small and important
    add(good.partOfType(PT_DYNAMIC).p_offset, good.partOfType(PT_DYNAMIC).p_filesz);
  add(good.offsetOf(good.entry(DT_GNU_HASH).d_un.d_ptr), 200);
  add(good.offsetOf(good.entry(DT_SYMTAB).d_un.d_ptr), 10 * sizeof(Elf64_Sym));
  add(good.offsetOf(good.entry(DT_RELA).d_un.d_ptr), 2 * sizeof(Elf64_Rela));

  std::mt19937_64 random(1);
  constexpr uint8_t kValues[] = {0, 1, 2, 7, 8, 0x10, 0x7f, 0x80, 0xff};
  std::vector<Bytes> accepted;
  const int kChanges = isNightly() ? 100000 : 20000;
  int refused = 0, loadable = 0;
  for (int i = 0; i < kChanges; ++i) {
    auto code = std::make_unique<uint8_t[]>(good.bytes.size());
    memcpy(code.get(), good.bytes.data(), good.bytes.size());
    for (uint64_t changes = 1 + random() % 3; changes; --changes) {
      uint8_t &byte = code[places[random() % places.size()]];
      byte = random() % 2 ? kValues[random() % std::size(kValues)]
                          : static_cast<uint8_t>(byte ^ (1 << random() % 8));
    }
    try {
      const CodeObject object(code.get(), good.bytes.size(), kArch);
      ++loadable;
      if (accepted.size() < 1500)
        accepted.emplace_back(code.get(), code.get() + good.bytes.size());
      object.addressOf("test_add");
      object.addressOf("test_reverse");
    } catch (const Error &error) {
      EXPECT_FALSE(error.message.empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, kChanges / 2);
  EXPECT_GT(loadable, kChanges / 100);

  const pid_t child = fork();
  if (child == 0) {
    for (const Bytes &code : accepted)
      load(code);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "loading one of the accepted objects ended with status " << status;
}

} // namespace
