// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <set>

using namespace mlir::ttc;

std::optional<CpuTarget> mlir::ttc::getCpuTarget(llvm::StringRef name) {
  CpuTarget target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  if (name == "native") {
    target.cpu = llvm::sys::getHostCPUName();
    // Sorted: the same machine always gives the same bytes. With both signs: a virtual machine may
    // hide features that the CPU's name implies.
    std::vector<std::string> features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(features, [](llvm::StringRef a, llvm::StringRef b) {
      return a.drop_front() < b.drop_front();
    });
    target.features = llvm::join(features, ",");
    return target;
  }
  llvm::Triple triple(target.triple);
  if (triple.isX86() && llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return std::nullopt;
  target.cpu = name;
  return target;
}

int64_t mlir::ttc::getVectorLength(const CpuTarget &target) {
  llvm::Triple triple(target.triple);
  if (!triple.isX86())
    return 8;
  bool avx512 = false;
  if (llvm::X86::parseArchX86(target.cpu) != llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef> implied;
    llvm::X86::getFeaturesForCPU(target.cpu, implied);
    avx512 = llvm::is_contained(implied, "avx512f");
  }
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  for (llvm::StringRef feature : features)
    if (feature.drop_front() == "avx512f")
      avx512 = feature.starts_with("+");
  return avx512 ? 16 : 8;
}

std::vector<std::string> mlir::ttc::getNeededFeatures(const CpuTarget &target) {
  std::set<std::string> features;
  llvm::Triple triple(target.triple);
  if (triple.isX86() && llvm::X86::parseArchX86(target.cpu) != llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef> implied;
    llvm::X86::getFeaturesForCPU(target.cpu, implied);
    for (llvm::StringRef feature : implied)
      features.insert(feature.str());
  }
  llvm::SmallVector<llvm::StringRef> switches;
  llvm::StringRef(target.features).split(switches, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef feature : switches)
    if (feature.consume_front("-"))
      features.erase(feature.str());
    else if (feature.consume_front("+"))
      features.insert(feature.str());
  return {features.begin(), features.end()};
}
