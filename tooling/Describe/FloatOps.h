// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which commands of a quantised model read or write floats.

#ifndef TTC_TOOLING_DESCRIBE_FLOATOPS_H
#define TTC_TOOLING_DESCRIBE_FLOATOPS_H

#include "Bundle/Bundle.h"
#include "ttrt/format/steps.h"

#include <string>

namespace ttrun {

/// Whether a program spends its time in products of 8-bit integers, by the bundle's facts.
/// `facts` may be null.
bool multipliesBytes(const ttrt::fb::Facts *facts, uint32_t program);

/// "f32"
std::string dtypeText(ttrt::fb::DType dtype);

/// The element types of commands, if the bundle multiplies bytes.
class FloatOps {
public:
  explicit FloatOps(const ttrt::Bundle &bundle);

  /// "u8 to f32": what the command reads and writes apart from constants, or "" if it is no
  /// program, if none of that is float, or if nothing in the bundle multiplies bytes.
  std::string typesOf(const ttrt::Action &action) const;

private:
  const ttrt::Bundle &bundle;
  const ttrt::fb::Facts *facts; ///< null: nothing multiplies bytes
};

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_FLOATOPS_H
