// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/Buffers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::getViewRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

FlatSymbolRefAttr mlir::ttc::getBoundBuffer(Value value) {
  value = getViewRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto trace = cast<TraceOp>(argument.getOwner()->getParentOp());
    return trace.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(),
                                                     TraceOp::getBufferAttrName());
  }
  auto buffers = value.getDefiningOp()->getAttrOfType<ArrayAttr>(TraceOp::getBufferAttrName());
  if (!buffers)
    return {};
  return cast<FlatSymbolRefAttr>(buffers[cast<OpResult>(value).getResultNumber()]);
}

static void appendTrace(TraceOp trace, std::vector<TimelinePoint> &timeline) {
  for (Operation &op : trace.getBody().front()) {
    TimelinePoint point{&op, {}};
    if (auto command = dyn_cast<CommandOpInterface>(op)) {
      command.getAccesses(point.accesses);
    } else if (isa<DeviceWorkOpInterface>(op)) {
      for (Value operand : op.getOperands())
        point.accesses.push_back({getBoundBuffer(operand), false});
      for (Value result : op.getResults())
        point.accesses.push_back({getBoundBuffer(result), true});
    } else {
      continue;
    }
    timeline.push_back(std::move(point));
  }
}

std::vector<TimelinePoint> mlir::ttc::getTimeline(ModuleOp module) {
  std::vector<TimelinePoint> timeline;
  SymbolTable symbols(module);
  for (auto entry : module.getOps<EntryOp>()) {
    ScheduleOp schedule = *entry.getBody().getOps<ScheduleOp>().begin();
    for (Region &region : schedule->getRegions())
      for (auto step : region.getOps<StepOpInterface>()) {
        if (FlatSymbolRefAttr trace = step.getExecutedTrace()) {
          appendTrace(symbols.lookup<TraceOp>(trace.getAttr()), timeline);
          continue;
        }
        TimelinePoint point{step, {}};
        step.getAccesses(point.accesses);
        timeline.push_back(std::move(point));
      }
  }
  return timeline;
}
