// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Cpu.h"
#include "ttrt/format/arm_features.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <set>

using namespace mlir::ttc;

static bool isX86(llvm::StringRef cpu) {
  return llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) != llvm::X86::CK_None;
}

/// The features that a CPU's name implies, as LLVM's names without a sign.
static std::vector<llvm::StringRef> getImpliedFeatures(const CpuTarget &target) {
  llvm::Triple triple(target.triple);
  if (triple.isX86() && isX86(target.cpu)) {
    llvm::SmallVector<llvm::StringRef> implied;
    llvm::X86::getFeaturesForCPU(target.cpu, implied);
    return {implied.begin(), implied.end()};
  }
  std::vector<llvm::StringRef> implied;
  if (triple.isAArch64())
    if (auto cpu = llvm::AArch64::parseCpu(target.cpu)) {
      llvm::AArch64::getExtensionFeatures(cpu->getImpliedExtensions(), implied);
      for (llvm::StringRef &feature : implied)
        feature.consume_front("+");
    }
  return implied;
}

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
  if (isX86(name)) {
    if (!triple.isX86())
      target.triple = "x86_64-pc-linux-gnu";
  } else if (llvm::AArch64::parseCpu(name)) {
    if (!triple.isAArch64())
      target.triple = "aarch64-unknown-linux-gnu";
  } else {
    return std::nullopt;
  }
  target.cpu = name;
  return target;
}

int64_t mlir::ttc::getVectorLength(const CpuTarget &target) {
  if (!llvm::Triple(target.triple).isX86())
    return 8;
  bool avx512 = llvm::is_contained(getImpliedFeatures(target), "avx512f");
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  for (llvm::StringRef feature : features)
    if (feature.drop_front() == "avx512f")
      avx512 = feature.starts_with("+");
  return avx512 ? 16 : 8;
}

std::vector<std::string> mlir::ttc::getNeededFeatures(const CpuTarget &target) {
  std::set<std::string> features;
  for (llvm::StringRef feature : getImpliedFeatures(target))
    features.insert(feature.str());
  llvm::SmallVector<llvm::StringRef> switches;
  llvm::StringRef(target.features).split(switches, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef feature : switches)
    if (feature.consume_front("-"))
      features.erase(feature.str());
    else if (feature.consume_front("+"))
      features.insert(feature.str());
  if (llvm::Triple(target.triple).isAArch64())
    std::erase_if(features, [](const std::string &feature) {
      return llvm::none_of(ttrt::kArmFeatures,
                           [&](const ttrt::ArmFeature &known) { return feature == known.name; });
    });
  return {features.begin(), features.end()};
}

bool mlir::ttc::convertsF16(const CpuTarget &target) {
  return llvm::Triple(target.triple).isAArch64() ||
         llvm::is_contained(getNeededFeatures(target), "f16c");
}

bool mlir::ttc::fusesProducts(const CpuTarget &target) {
  return llvm::Triple(target.triple).isAArch64() ||
         llvm::is_contained(getNeededFeatures(target), "fma");
}
