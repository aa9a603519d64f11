// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes this machine with LLVM's names, which bundles use for the CPU features they need.

#include "Bundle/Host.h"

#include "Base/SavedRegisters.h"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <unistd.h>

#if defined(__aarch64__)
#include "ttrt/format/arm_features.h"
#include <sys/auxv.h>
#endif

namespace ttrt {

#if defined(__x86_64__)

std::string_view hostArchitecture() { return "x86_64"; }

namespace {
enum Register : uint8_t { EAX, EBX, ECX, EDX };
/// Registers that the operating system must save for the feature to be usable.
enum Needs : uint8_t { None, Ymm, Zmm, Tile, Egpr };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  Needs needs;
};
} // namespace

// The bits are those of LLVM's Host.cpp (Intel SDM volume 2, AMD APM volume 3).
static constexpr Feature kFeatures[] = {
    {"x87", 1, 0, EDX, 0, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 26, Ymm},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"sgx", 7, 0, EBX, 2, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"invpcid", 7, 0, EBX, 10, None},
    {"rtm", 7, 0, EBX, 11, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"rdseed", 7, 0, EBX, 18, None},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"sha", 7, 0, EBX, 29, None},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"pku", 7, 0, ECX, 4, None},
    {"waitpkg", 7, 0, ECX, 5, None},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"shstk", 7, 0, ECX, 7, None},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"rdpid", 7, 0, ECX, 22, None},
    {"kl", 7, 0, ECX, 23, None},
    {"cldemote", 7, 0, ECX, 25, None},
    {"movdiri", 7, 0, ECX, 27, None},
    {"movdir64b", 7, 0, ECX, 28, None},
    {"enqcmd", 7, 0, ECX, 29, None},
    {"uintr", 7, 0, EDX, 5, None},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"serialize", 7, 0, EDX, 14, None},
    {"tsxldtrk", 7, 0, EDX, 16, None},
    {"pconfig", 7, 0, EDX, 18, None},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"sha512", 7, 1, EAX, 0, None},
    {"sm3", 7, 1, EAX, 1, None},
    {"sm4", 7, 1, EAX, 2, None},
    {"raoint", 7, 1, EAX, 3, None},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"cmpccxadd", 7, 1, EAX, 7, None},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"hreset", 7, 1, EAX, 22, None},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"movrs", 7, 1, EAX, 31, None},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"amx-complex", 7, 1, EDX, 8, Tile},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"prefetchi", 7, 1, EDX, 14, None},
    {"usermsr", 7, 1, EDX, 15, None},
    {"avx10.1", 7, 1, EDX, 19, Zmm},
    // APX is one bit of the CPU and several features of LLVM.
    {"egpr", 7, 1, EDX, 21, Egpr},
    {"push2pop2", 7, 1, EDX, 21, Egpr},
    {"ppx", 7, 1, EDX, 21, Egpr},
    {"ndd", 7, 1, EDX, 21, Egpr},
    {"ccmp", 7, 1, EDX, 21, Egpr},
    {"nf", 7, 1, EDX, 21, Egpr},
    {"zu", 7, 1, EDX, 21, Egpr},
    {"cf", 7, 1, EDX, 21, Egpr},
    {"xsaveopt", 13, 1, EAX, 0, Ymm},
    {"xsavec", 13, 1, EAX, 1, Ymm},
    {"xsaves", 13, 1, EAX, 3, Ymm},
    {"ptwrite", 20, 0, EBX, 4, None},
    {"widekl", 25, 0, EBX, 2, None},
    {"amx-fp8", 30, 1, EAX, 4, Tile},
    {"amx-tf32", 30, 1, EAX, 6, Tile},
    {"amx-avx512", 30, 1, EAX, 7, Tile},
    {"amx-movrs", 30, 1, EAX, 8, Tile},
    // The low byte is AVX10's version; this is true of versions 2 and 3.
    {"avx10.2", 36, 0, EBX, 1, Zmm},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"xop", 0x80000001, 0, ECX, 11, Ymm},
    {"lwp", 0x80000001, 0, ECX, 15, None},
    {"fma4", 0x80000001, 0, ECX, 16, Ymm},
    {"tbm", 0x80000001, 0, ECX, 21, None},
    {"mwaitx", 0x80000001, 0, ECX, 29, None},
    {"64bit", 0x80000001, 0, EDX, 29, None},
    {"clzero", 0x80000008, 0, EBX, 0, None},
    {"rdpru", 0x80000008, 0, EBX, 4, None},
    {"wbnoinvd", 0x80000008, 0, EBX, 9, None},
    // AMD's bit of the feature that Intel has in leaf 7: a CPU has one of the two.
    {"prefetchi", 0x80000021, 0, EAX, 20, None},
};

namespace {
consteval size_t countNames() {
  size_t bytes = 0;
  for (const Feature &feature : kFeatures)
    bytes += std::string_view(feature.name).size() + 1;
  return bytes;
}

/// What the library has of kFeatures: a sixth of the bytes, because it needs no pointers.
struct PackedFeatures {
  static constexpr size_t kCount = std::size(kFeatures);
  struct Leaf {
    uint32_t leaf, subleaf;
    bool operator==(const Leaf &) const = default;
  };
  static constexpr unsigned kLeafBit = 10, kNeedsBit = 7, kRegisterBit = 5;

  consteval PackedFeatures() {
    size_t leaf = 0, name = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const Feature &feature = kFeatures[i];
      const Leaf own{feature.leaf, feature.subleaf};
      if (i != 0 && leaves[leaf] != own)
        ++leaf;
      leaves[leaf] = own;
      codes[i] = static_cast<uint16_t>(leaf << kLeafBit | feature.needs << kNeedsBit |
                                       feature.reg << kRegisterBit | feature.bit);
      for (const char *at = feature.name; *at; ++at)
        names[name++] = *at;
      names[name++] = 0;
    }
  }
  Leaf leaves[16] = {}; ///< each is in consecutive features
  uint16_t codes[kCount] = {};
  char names[countNames()] = {}; ///< one after the other, each with its zero
};
constexpr PackedFeatures kPacked;
} // namespace

std::vector<std::string_view> hostFeatures() {
  const uint64_t saved = savedRegisters();
  auto saves = [&](uint64_t mask) { return (saved & mask) == mask; };
  const bool usable[] = {true, saves(kVectorRegisters), saves(0xe6), saves(0x60000),
                         saves(0x80000)};
  std::vector<std::string_view> features;
  uint32_t registers[4] = {};
  uint32_t last = ~0u;
  const char *name = kPacked.names;
  for (const uint32_t code : kPacked.codes) {
    if (const uint32_t leaf = code >> PackedFeatures::kLeafBit; leaf != last) {
      last = leaf;
      if (!__get_cpuid_count(kPacked.leaves[leaf].leaf, kPacked.leaves[leaf].subleaf, &registers[0],
                             &registers[1], &registers[2], &registers[3]))
        memset(registers, 0, sizeof(registers));
    }
    if (usable[code >> PackedFeatures::kNeedsBit & 7] &&
        registers[code >> PackedFeatures::kRegisterBit & 3] >> (code & 31) & 1)
      features.push_back(name);
    name += strlen(name) + 1;
  }
  return features;
}

std::string hostModel() {
  uint32_t brand[12];
  unsigned highest, b, c, d;
  if (!__get_cpuid(0x80000000, &highest, &b, &c, &d) || highest < 0x80000004)
    return "x86-64";
  for (uint32_t i = 0; i < 3; ++i)
    __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                &brand[4 * i + 3]);
  std::string model(reinterpret_cast<char *>(brand), sizeof(brand));
  model.resize(strnlen(model.c_str(), model.size()));
  size_t first = model.find_first_not_of(' '), last = model.find_last_not_of(' ');
  return first == std::string::npos ? "x86-64" : model.substr(first, last - first + 1);
}

#elif defined(__aarch64__)

std::string_view hostArchitecture() { return "aarch64"; }

std::vector<std::string_view> hostFeatures() {
  const unsigned long capabilities[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  std::vector<std::string_view> features;
  for (const ArmFeature &feature : kArmFeatures)
    if (capabilities[feature.word] >> feature.bit & 1)
      features.push_back(feature.name);
  return features;
}

std::string hostModel() { return "aarch64"; }

#else
#error "ttrt runs on x86-64 and aarch64"
#endif

uint64_t hostL2Bytes() {
  // The C library reports it on most machines, sysfs on the others.
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    return static_cast<uint64_t>(bytes);
  unsigned long kib = 0;
  if (FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "re")) {
    if (fscanf(file, "%luK", &kib) != 1)
      kib = 0;
    fclose(file);
  }
  return kib ? uint64_t(kib) * 1024 : 512 * 1024;
}

uint64_t hostMemoryBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

} // namespace ttrt
