// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/TokenRate.h"

#include "Bundle/Bundle.h"
#include "Run/Mesh/MeshDevices.h"
#include "Run/Session.h"
#include "Support/Error.h"
#include "ttrt/state.h"

#include <fmt/format.h>
#include <string_view>

namespace ttrun {

using namespace ttrt;

static bool isNumber(const fb::Port &port, std::string_view name) {
  return text(port.name()) == name && port.dtype() == fb::DType::I32 && count(port.shape()) == 1 &&
         port.shape()->Get(0) == 1;
}

TokenRate::TokenRate(const Session &session) {
  const fb::Bundle &tables = session.bundle().metadata();
  bool makesTokens = false;
  for (const fb::EntryPoint *entry : *tables.entries())
    if (ttrt::text(entry->name()) == session.entryName() && count(entry->inputs()) == 0)
      for (uint32_t i = 0; i < count(entry->outputs()); ++i)
        makesTokens |= isNumber(*entry->outputs()->Get(i), "token");
  for (uint32_t i = 0; makesTokens && i < count(tables.states()); ++i)
    if (isNumber(*tables.states()->Get(i), "position")) {
      device_ = session.device();
      mesh_ = session.mesh();
      state_ = i;
    }
}

void TokenRate::restart() const {
  auto reset = [](size_t, ttrt_device *device) {
    ttrt_error error;
    if (ttrt_state_reset(device, &error) != TTRT_OK)
      throw UserError(error.message);
  };
  if (device_ && mesh_)
    mesh_->onEachDevice(reset);
  else if (device_)
    reset(0, device_);
}

void TokenRate::measured(uint64_t runs, uint64_t all, double seconds) {
  if (!device_)
    return;
  int32_t position = 0;
  ttrt_error error;
  if (ttrt_state_read(device_, state_, 0, &position, sizeof(position), &error) != TTRT_OK)
    throw UserError(error.message);
  measured_ = true;
  first_ = all - runs;
  last_ = static_cast<uint64_t>(position);
  perSecond_ = last_ == all && seconds > 0 ? static_cast<double>(runs) / seconds : 0;
}

std::string TokenRate::text() const {
  if (perSecond_ == 0)
    return fmt::format("not measured: the context is full at position {}; expected fewer loops",
                       last_);
  return fmt::format("{:.1f} per second, at positions {} to {}", perSecond_, first_, last_ - 1);
}

} // namespace ttrun
