// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of the options in Options.td.
#ifndef TTC_TRANSFORMS_OPTIONS_H
#define TTC_TRANSFORMS_OPTIONS_H

#include "ttc/Support/Choice.h"

namespace mlir::ttc {

enum class TensorMemory { Auto, Dram };
Choices<TensorMemory> getChoices(TensorMemory);

enum class InputMemory { Auto, Dram, DramSharded, L1 };
Choices<InputMemory> getChoices(InputMemory);

enum class WeightStorage { Auto, F32, F16, BF16, Int8 };
Choices<WeightStorage> getChoices(WeightStorage);

/// What to keep small: the time of an inference, the file, or the memory that a run needs.
enum class OptimizeFor { Speed, Size, Memory };
Choices<OptimizeFor> getChoices(OptimizeFor);

enum class FloatRounding { Auto, Outputs, Ops };
Choices<FloatRounding> getChoices(FloatRounding);

enum class ShardKind { None, Height, Width, Block };
Choices<ShardKind> getChoices(ShardKind);

/// How many command queues schedules may use; `All` is as many as the target has.
enum class QueueLimit { All, One, Two };
Choices<QueueLimit> getChoices(QueueLimit);

/// An index into getNamedSchedules(), or `All` for those that the queues allow.
enum class ScheduleChoice : int { All = -1 };
Choices<ScheduleChoice> getChoices(ScheduleChoice);

/// An algorithm of collectives; the other values are those of CollectiveAlgorithm.
enum class AlgorithmChoice : int { Auto = -1, Direct, Ring, Halving };
Choices<AlgorithmChoice> getChoices(AlgorithmChoice);

} // namespace mlir::ttc

namespace llvm::cl {

template <>
class parser<mlir::ttc::AlgorithmChoice>
    : public mlir::ttc::ChoiceParser<mlir::ttc::AlgorithmChoice> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::TensorMemory> : public mlir::ttc::ChoiceParser<mlir::ttc::TensorMemory> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::InputMemory> : public mlir::ttc::ChoiceParser<mlir::ttc::InputMemory> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::WeightStorage> : public mlir::ttc::ChoiceParser<mlir::ttc::WeightStorage> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::OptimizeFor> : public mlir::ttc::ChoiceParser<mlir::ttc::OptimizeFor> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::FloatRounding> : public mlir::ttc::ChoiceParser<mlir::ttc::FloatRounding> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::ShardKind> : public mlir::ttc::ChoiceParser<mlir::ttc::ShardKind> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::QueueLimit> : public mlir::ttc::ChoiceParser<mlir::ttc::QueueLimit> {
  using ChoiceParser::ChoiceParser;
};
template <>
class parser<mlir::ttc::ScheduleChoice>
    : public mlir::ttc::ChoiceParser<mlir::ttc::ScheduleChoice> {
  using ChoiceParser::ChoiceParser;
};

} // namespace llvm::cl

#endif // TTC_TRANSFORMS_OPTIONS_H
