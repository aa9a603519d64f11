// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_OPS_TD
#define TTC_OPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/TtcInterfaces.td"

// Level 1: ops on tensors.
include "dialects/Ttc/ElementwiseOps.td"
include "dialects/Ttc/ConvolutionOps.td"
include "dialects/Ttc/NormalizationOps.td"
include "dialects/Ttc/ReductionOps.td"
include "dialects/Ttc/DataMovementOps.td"
// Level 2: programs and dispatches; the kernel ops their bodies are made of.
include "dialects/Ttc/KernelOps.td"
include "dialects/Ttc/ProgramOps.td"
// Levels 3 and 4: queues and events, traces and their commands, buffers, schedules.
include "dialects/Ttc/QueueOps.td"
include "dialects/Ttc/TraceOps.td"
include "dialects/Ttc/BufferOps.td"
include "dialects/Ttc/ScheduleOps.td"

#endif // TTC_OPS_TD
