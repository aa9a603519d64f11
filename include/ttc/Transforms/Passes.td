// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes in the order in which --ttc-trace-pipeline runs them (lib/Driver/Pipelines.cpp).
#ifndef TTC_TRANSFORMS_PASSES_TD
#define TTC_TRANSFORMS_PASSES_TD

include "ProgramPasses.td"
include "OutliningPasses.td"
include "TracePasses.td"
include "PlanPasses.td"

#endif // TTC_TRANSFORMS_PASSES_TD
