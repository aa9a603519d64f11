// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Transforms/Options.h"
#include "ttc/Transforms/Schedules.h"

using namespace mlir;
using namespace mlir::ttc;

Choices<TensorMemory> mlir::ttc::getChoices(TensorMemory) {
  static constexpr std::pair<StringRef, TensorMemory> choices[] = {{"auto", TensorMemory::Auto},
                                                                   {"dram", TensorMemory::Dram}};
  return choices;
}

Choices<InputMemory> mlir::ttc::getChoices(InputMemory) {
  static constexpr std::pair<StringRef, InputMemory> choices[] = {
      {"auto", InputMemory::Auto},
      {"dram", InputMemory::Dram},
      {"dram-sharded", InputMemory::DramSharded},
      {"l1", InputMemory::L1}};
  return choices;
}

Choices<WeightStorage> mlir::ttc::getChoices(WeightStorage) {
  static constexpr std::pair<StringRef, WeightStorage> choices[] = {{"auto", WeightStorage::Auto},
                                                                    {"f32", WeightStorage::F32},
                                                                    {"f16", WeightStorage::F16},
                                                                    {"bf16", WeightStorage::BF16},
                                                                    {"int8", WeightStorage::Int8}};
  return choices;
}

Choices<OptimizeFor> mlir::ttc::getChoices(OptimizeFor) {
  static constexpr std::pair<StringRef, OptimizeFor> choices[] = {
      {"speed", OptimizeFor::Speed}, {"size", OptimizeFor::Size}, {"memory", OptimizeFor::Memory}};
  return choices;
}

Choices<FloatRounding> mlir::ttc::getChoices(FloatRounding) {
  static constexpr std::pair<StringRef, FloatRounding> choices[] = {
      {"auto", FloatRounding::Auto},
      {"outputs", FloatRounding::Outputs},
      {"ops", FloatRounding::Ops}};
  return choices;
}

Choices<ShardKind> mlir::ttc::getChoices(ShardKind) {
  static constexpr std::pair<StringRef, ShardKind> choices[] = {{"none", ShardKind::None},
                                                                {"height", ShardKind::Height},
                                                                {"width", ShardKind::Width},
                                                                {"block", ShardKind::Block}};
  return choices;
}

Choices<QueueLimit> mlir::ttc::getChoices(QueueLimit) {
  static constexpr std::pair<StringRef, QueueLimit> choices[] = {
      {"1", QueueLimit::One}, {"2", QueueLimit::Two}, {"all", QueueLimit::All}};
  return choices;
}

Choices<ScheduleChoice> mlir::ttc::getChoices(ScheduleChoice) {
  static const auto choices = [] {
    SmallVector<std::pair<StringRef, ScheduleChoice>> choices{{"all", ScheduleChoice::All}};
    for (auto [i, schedule] : llvm::enumerate(getNamedSchedules()))
      choices.emplace_back(schedule.name, static_cast<ScheduleChoice>(i));
    return choices;
  }();
  return choices;
}

Choices<AlgorithmChoice> mlir::ttc::getChoices(AlgorithmChoice) {
  static constexpr std::pair<StringRef, AlgorithmChoice> choices[] = {
      {"auto", AlgorithmChoice::Auto},
      {"direct", AlgorithmChoice::Direct},
      {"ring", AlgorithmChoice::Ring},
      {"halving", AlgorithmChoice::Halving}};
  return choices;
}
