// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_OPS_TD
#define TTC_OPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"

// Level 1: ops on tensors.
include "dialects/Ttc/Tensors/ElementwiseOps.td"
include "dialects/Ttc/Tensors/BitwiseOps.td"
include "dialects/Ttc/Tensors/ConvolutionOps.td"
include "dialects/Ttc/Tensors/NormalizationOps.td"
include "dialects/Ttc/Tensors/QuantizationOps.td"
include "dialects/Ttc/Tensors/ReductionOps.td"
include "dialects/Ttc/Tensors/DataMovementOps.td"
include "dialects/Ttc/Tensors/NarrowTypeOps.td"
include "dialects/Ttc/Tensors/SequentialOps.td"
include "dialects/Ttc/Tensors/BlockOps.td"
include "dialects/Ttc/Tensors/GenerativeOps.td"
include "dialects/Ttc/Tensors/RecurrentOps.td"
include "dialects/Ttc/Tensors/HostOps.td"
include "dialects/Ttc/Tensors/CollectiveOps.td"
// Level 2: programs and dispatches; the kernel ops of their bodies.
include "dialects/Ttc/Programs/AttentionOps.td"
include "dialects/Ttc/Programs/BlockKernelOps.td"
include "dialects/Ttc/Programs/CacheOps.td"
include "dialects/Ttc/Programs/IntKernelOps.td"
include "dialects/Ttc/Programs/KernelOps.td"
include "dialects/Ttc/Programs/WinogradOps.td"
include "dialects/Ttc/Programs/ProgramOps.td"
include "dialects/Ttc/Programs/ZoneOps.td"
// Levels 3 and 4: queues and events, state, traces and their commands, buffers, schedules.
include "dialects/Ttc/Traces/QueueOps.td"
include "dialects/Ttc/Traces/StateOps.td"
include "dialects/Ttc/Traces/TraceOps.td"
include "dialects/Ttc/Traces/ExchangeOps.td"
include "dialects/Ttc/Traces/LoopOps.td"
include "dialects/Ttc/Traces/BufferOps.td"
include "dialects/Ttc/Traces/ScheduleOps.td"

#endif // TTC_OPS_TD
