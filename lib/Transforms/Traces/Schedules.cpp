// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Transforms/Schedules.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

using Overlap = NamedSchedule::Overlap;
using Form = NamedSchedule::Form;

ArrayRef<NamedSchedule> mlir::ttc::getNamedSchedules() {
  static constexpr NamedSchedule all[] = {
      {"single", Overlap::None, Form::Traced},
      {"overlap-io-signals", Overlap::Io, Form::Signals},
      {"overlap-io", Overlap::Io, Form::Traced},
      {"overlap-input", Overlap::Input, Form::Traced},
      {"single-untraced", Overlap::None, Form::Untraced},
      {"overlap-io-untraced", Overlap::Io, Form::Untraced},
      {"overlap-input-untraced", Overlap::Input, Form::Untraced},
  };
  return all;
}

const NamedSchedule *mlir::ttc::findNamedSchedule(StringRef name) {
  const auto *found =
      llvm::find_if(getNamedSchedules(), [&](const NamedSchedule &s) { return s.name == name; });
  return found == getNamedSchedules().end() ? nullptr : found;
}
