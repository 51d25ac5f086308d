// What a hardware counter is for, independent of the chip: every stage names counters by role, and only
// collector/counters/ knows which metric of which chip fills it. The table is the one place to add a role.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perfscope {

enum class CounterRole : uint16_t {
  None,  // a metric the user named (--metrics) that fills no role
  DramReadBytes,
  DramWriteBytes,
  L2Bytes,
  TensorActiveCycles,
  TensorHalfActiveCycles,
  TensorIntegerActiveCycles,
  FmaInstructions,
  AluInstructions,
  Fp64ActiveCycles,
  SmActiveCycles,
  SmElapsedCycles,
  Instructions,
  ThreadInstructions,
  WarpsActive,
  GpuActiveCycles,
  PcieReadBytes,
  PcieWriteBytes,
  NvlinkReceivedBytes,
  NvlinkSentBytes,
  // Exact counts, by replay only:
  TensorOps,  // any source type; FMA = 2 (sm__ops_path_tensor_*)
  FloatAdd,   // thread instructions, predicated on
  FloatMultiply,
  FloatFma,
  DoubleAdd,
  DoubleMultiply,
  DoubleFma,
  HalfAdd,  // packed: two operations each
  HalfMultiply,
  HalfFma,
  L1Bytes,
  LocalLoadSectors,
  LocalStoreSectors,
  GlobalLoadSectors,
  GlobalLoadRequests,
  L2HitSectors,
  L2Sectors,
  kCount
};
inline constexpr size_t kCounterRoleCount = static_cast<size_t>(CounterRole::kCount);

struct CounterRoleInfo {
  CounterRole role;
  std::string_view name;  // stable id in SQL, JSON and --metrics
  std::string_view unit;
  std::string_view doc;
};

inline constexpr std::array<CounterRoleInfo, kCounterRoleCount> kCounterRoles = {{
    {CounterRole::None, "", "", "a metric chosen by name"},
    {CounterRole::DramReadBytes, "dram_read_bytes", "bytes", "read from device memory"},
    {CounterRole::DramWriteBytes, "dram_write_bytes", "bytes", "written to device memory"},
    {CounterRole::L2Bytes, "l2_bytes", "bytes", "requested at the L2 tag stage by every client"},
    {CounterRole::TensorActiveCycles, "tensor_active_cycles", "cycles",
     "tensor pipe busy, summed over the SMs (or their sub-partitions: see the ratio to its peak)"},
    {CounterRole::TensorHalfActiveCycles, "tensor_half_active_cycles", "cycles",
     "tensor pipe busy with floating-point matrix work (HMMA/GMMA)"},
    {CounterRole::TensorIntegerActiveCycles, "tensor_integer_active_cycles", "cycles",
     "tensor pipe busy with integer matrix work (IMMA)"},
    {CounterRole::FmaInstructions, "fma_instructions", "warp instructions", "issued to the FMA pipes"},
    {CounterRole::AluInstructions, "alu_instructions", "warp instructions", "issued to the ALU pipe"},
    {CounterRole::Fp64ActiveCycles, "fp64_active_cycles", "cycles", "FP64 pipe busy, summed over the SMs"},
    {CounterRole::SmActiveCycles, "sm_active_cycles", "cycles", "SM with a warp, summed over the SMs"},
    {CounterRole::SmElapsedCycles, "sm_elapsed_cycles", "cycles", "SM clock, of one SM"},
    {CounterRole::Instructions, "instructions", "warp instructions", "executed"},
    {CounterRole::ThreadInstructions, "thread_instructions", "thread instructions",
     "executed with the predicate on"},
    {CounterRole::WarpsActive, "warps_active", "warp cycles", "resident warps, summed over cycles and SMs"},
    {CounterRole::GpuActiveCycles, "gpu_active_cycles", "cycles", "graphics/compute engine busy"},
    {CounterRole::PcieReadBytes, "pcie_read_bytes", "bytes", "PCIe into the GPU"},
    {CounterRole::PcieWriteBytes, "pcie_write_bytes", "bytes", "PCIe out of the GPU"},
    {CounterRole::NvlinkReceivedBytes, "nvlink_received_bytes", "bytes", "NVLink into the GPU"},
    {CounterRole::NvlinkSentBytes, "nvlink_sent_bytes", "bytes", "NVLink out of the GPU"},
    {CounterRole::TensorOps, "tensor_ops", "operations", "tensor core operations, FMA = 2, by source type"},
    {CounterRole::FloatAdd, "fp32_add", "thread instructions", "FADD"},
    {CounterRole::FloatMultiply, "fp32_multiply", "thread instructions", "FMUL"},
    {CounterRole::FloatFma, "fp32_fma", "thread instructions", "FFMA (2 operations)"},
    {CounterRole::DoubleAdd, "fp64_add", "thread instructions", "DADD"},
    {CounterRole::DoubleMultiply, "fp64_multiply", "thread instructions", "DMUL"},
    {CounterRole::DoubleFma, "fp64_fma", "thread instructions", "DFMA (2 operations)"},
    {CounterRole::HalfAdd, "fp16_add", "thread instructions", "HADD2 (2 operations)"},
    {CounterRole::HalfMultiply, "fp16_multiply", "thread instructions", "HMUL2 (2 operations)"},
    {CounterRole::HalfFma, "fp16_fma", "thread instructions", "HFMA2 (4 operations)"},
    {CounterRole::L1Bytes, "l1_bytes", "bytes", "requested at the L1 tag stage"},
    {CounterRole::LocalLoadSectors, "local_load_sectors", "sectors", "local memory (spills), 32 bytes each"},
    {CounterRole::LocalStoreSectors, "local_store_sectors", "sectors",
     "local memory (spills), 32 bytes each"},
    {CounterRole::GlobalLoadSectors, "global_load_sectors", "sectors", "global loads, 32 bytes each"},
    {CounterRole::GlobalLoadRequests, "global_load_requests", "requests", "global load instructions at L1"},
    {CounterRole::L2HitSectors, "l2_hit_sectors", "sectors", "found in L2"},
    {CounterRole::L2Sectors, "l2_sectors", "sectors", "looked up in L2"},
}};

constexpr const CounterRoleInfo& infoOf(CounterRole role) {
  return kCounterRoles[static_cast<size_t>(role)];
}
// None for an unknown name.
constexpr CounterRole counterRoleNamed(std::string_view name) {
  for (const auto& info : kCounterRoles)
    if (!name.empty() && info.name == name) return info.role;
  return CounterRole::None;
}
constexpr bool counterRolesInOrder() {
  for (size_t i = 0; i < kCounterRoleCount; ++i)
    if (static_cast<size_t>(kCounterRoles[i].role) != i) return false;
  return true;
}
static_assert(counterRolesInOrder(), "kCounterRoles is indexed by role");

}  // namespace perfscope
