// Every table of a profile. Times (`*_ns`) are integer nanoseconds since meta.time_base_ns. Event tables
// carry no index on purpose: rows arrive almost in time order, readers scan and sort in memory, and an index
// would cost a third of the file. Adding a column needs a step in upgrade.cpp.
#pragma once

#include "schemas/tables_calls.h"
#include "schemas/tables_counters.h"
#include "schemas/tables_gpu.h"
#include "schemas/tables_machine.h"

namespace perfscope {

inline constexpr int kSchemaVersion = 2;

// Calls visitor.template operator()<Row>() for every table, in the order of creation.
template <class Visitor>
constexpr void forEachTable(Visitor&& visitor) {
  visitor.template operator()<MetaRow>();
  visitor.template operator()<HostRow>();
  visitor.template operator()<ProcessRow>();
  visitor.template operator()<ThreadRow>();
  visitor.template operator()<DeviceRow>();
  visitor.template operator()<ContextRow>();
  visitor.template operator()<StreamRow>();
  visitor.template operator()<MachineSampleRow>();
  visitor.template operator()<ClockSyncRow>();
  visitor.template operator()<WindowRow>();
  visitor.template operator()<LossRow>();
  visitor.template operator()<LedgerRow>();
  visitor.template operator()<KernelNameRow>();
  visitor.template operator()<LaunchShapeRow>();
  visitor.template operator()<KernelRow>();
  visitor.template operator()<MemcpyRow>();
  visitor.template operator()<MemsetRow>();
  visitor.template operator()<GraphLaunchRow>();
  visitor.template operator()<SynchronizationRow>();
  visitor.template operator()<MemoryEventRow>();
  visitor.template operator()<OverheadRow>();
  visitor.template operator()<ModuleEventRow>();
  visitor.template operator()<JitEventRow>();
  visitor.template operator()<GraphNodeRow>();
  visitor.template operator()<StringRow>();
  visitor.template operator()<ApiNameRow>();
  visitor.template operator()<ApiCallRow>();
  visitor.template operator()<NvtxRangeRow>();
  visitor.template operator()<GemmCallRow>();
  visitor.template operator()<NcclCallRow>();
  visitor.template operator()<CounterSetRow>();
  visitor.template operator()<CounterMetricRow>();
  visitor.template operator()<CounterBlockRow>();
  visitor.template operator()<ReplayRow>();
  visitor.template operator()<ReplayValueRow>();
}

}  // namespace perfscope
