// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/FloatOps.h"

#include "Bundle/Access.h"
#include "Bundle/Verifier.h"

#include <algorithm>
#include <vector>

using namespace ttrt;

namespace ttrun {

bool multipliesBytes(const fb::Facts *facts, uint32_t program) {
  // Products of bytes are what kernels on bytes spend their time on, and only these have two
  // operands of bytes: activations and weights.
  if (!facts || program >= count(facts->programs()))
    return false;
  const auto *operands = facts->programs()->Get(program)->operands();
  uint32_t tensors = 0;
  for (uint32_t i = 0; i < count(operands); ++i) {
    const fb::Operand &operand = *operands->Get(i);
    tensors += operand.access() == fb::Access::Read && operand.dtype() && operand.bytes() > 1 &&
               (*operand.dtype() == fb::DType::I8 || *operand.dtype() == fb::DType::U8);
  }
  return tensors >= 2;
}

std::string dtypeText(fb::DType dtype) {
  std::string text = fb::EnumNameDType(dtype);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(tolower(c)); });
  return text;
}

static bool isFloat(fb::DType dtype) {
  return dtype == fb::DType::F16 || dtype == fb::DType::BF16 || dtype == fb::DType::F32 ||
         dtype == fb::DType::F64;
}

FloatOps::FloatOps(const Bundle &bundle)
    : bundle(bundle), facts(findFacts(bundle.segment(fb::SegmentKind::Code))) {
  uint32_t program = 0;
  const uint32_t programs = facts ? count(facts->programs()) : 0;
  while (program < programs && !multipliesBytes(facts, program))
    ++program;
  if (program == programs)
    facts = nullptr;
}

std::string FloatOps::typesOf(const Action &action) const {
  if (!facts || action.info->table != IndexedTable::Program ||
      action.index >= count(facts->programs()))
    return {};
  const auto *operands = facts->programs()->Get(action.index)->operands();
  const uint64_t constants = bundle.segment(fb::SegmentKind::Constants).size;
  std::vector<std::string> read, written;
  bool hasFloats = false;
  forEachAccess(bundle, nullptr, action, [&](const Access &access) {
    if (access.address < constants || access.operand >= count(operands) ||
        !operands->Get(access.operand)->dtype())
      return;
    const fb::DType dtype = *operands->Get(access.operand)->dtype();
    hasFloats |= isFloat(dtype);
    auto add = [&](std::vector<std::string> &types) {
      if (const std::string text = dtypeText(dtype); std::ranges::find(types, text) == types.end())
        types.push_back(text);
    };
    if (access.read)
      add(read);
    if (access.write)
      add(written);
  });
  if (!hasFloats)
    return {};
  std::string text;
  for (const std::string &type : read)
    text += (text.empty() ? "" : ", ") + type;
  text += text.empty() ? "to" : " to";
  for (const std::string &type : written)
    text += (&type == written.data() ? " " : ", ") + type;
  return text;
}

} // namespace ttrun
