// Which CUPTI metric fills which role, by chip: several names a role, the first that the chip offers is
// taken. Availability is never assumed: CUPTI's host library is asked (metric_choice.h). Names of GH100 as
// listed by CUPTI 13.0 on an H200; of the other chips as CUPTI 13.0's host library lists them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "schemas/counter_roles.h"

namespace perfscope::collector {

struct RoleCandidates {
  CounterRole role;
  std::array<std::string_view, 3> metrics;  // empty = none
};

// In the order of importance: what does not fit beside the earlier ones in one pass is left out.
inline constexpr std::array kSamplingCandidates = {
    RoleCandidates{CounterRole::DramReadBytes, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
    RoleCandidates{CounterRole::DramWriteBytes, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
    RoleCandidates{CounterRole::TensorActiveCycles,
                   {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.sum",
                    "sm__pipe_tensor_cycles_active.sum", "sm__pipe_tensor_cycles_active_v2.sum"}},
    RoleCandidates{CounterRole::L2Bytes, {"lts__t_bytes.sum"}},
    RoleCandidates{
        CounterRole::FmaInstructions,
        {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum", "sm__inst_executed_pipe_fma.sum"}},
    RoleCandidates{CounterRole::SmActiveCycles,
                   {"TPC.TriageCompute.sm__cycles_active.sum", "sm__cycles_active.sum"}},
    RoleCandidates{CounterRole::GpuActiveCycles, {"FE_B.TriageCompute.gr__cycles_active.avg"}},
    RoleCandidates{CounterRole::PcieReadBytes,
                   {"PCI.TriageCompute.pcie__read_bytes.sum", "pcie__read_bytes.sum"}},
    RoleCandidates{CounterRole::PcieWriteBytes,
                   {"PCI.TriageCompute.pcie__write_bytes.sum", "pcie__write_bytes.sum"}},
    RoleCandidates{CounterRole::NvlinkReceivedBytes, {"nvlrx__bytes.sum"}},
    RoleCandidates{CounterRole::NvlinkSentBytes, {"nvltx__bytes.sum"}},
};

// Offered by name through --metrics: each costs evaluation time, so that the shortest interval grows.
inline constexpr std::array kExtraCandidates = {
    RoleCandidates{
        CounterRole::TensorHalfActiveCycles,
        {"TPC.TriageCompute.sm__pipe_tensor_op_hmma_cycles_active_realtime.sum",
         "sm__pipe_tensor_op_hmma_cycles_active.sum", "sm__pipe_tensor_subpipe_hmma_cycles_active.sum"}},
    RoleCandidates{
        CounterRole::TensorIntegerActiveCycles,
        {"TPC.TriageCompute.sm__pipe_tensor_op_imma_cycles_active_realtime.sum",
         "sm__pipe_tensor_op_imma_cycles_active.sum", "sm__pipe_tensor_subpipe_imma_cycles_active.sum"}},
    RoleCandidates{
        CounterRole::AluInstructions,
        {"TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum", "sm__inst_executed_pipe_alu.sum"}},
    RoleCandidates{
        CounterRole::Fp64ActiveCycles,
        {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime.sum", "sm__pipe_fp64_cycles_active.sum"}},
    RoleCandidates{CounterRole::Instructions,
                   {"TPC.TriageCompute.sm__inst_executed_realtime.sum", "sm__inst_executed.sum"}},
    RoleCandidates{CounterRole::ThreadInstructions,
                   {"SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime.sum"}},
    RoleCandidates{CounterRole::WarpsActive, {"TPC.TriageCompute.tpc__warps_active_realtime.sum"}},
    RoleCandidates{CounterRole::SmElapsedCycles, {"sm__cycles_elapsed.max"}},
};

// Exact counts, by replay: every entry whose metric the chip offers is taken, as many passes as that needs.
// Tensor operations are counted by source type; the names of one chip never overlap (totals only, no parts of
// a total).
inline constexpr std::array kReplayCandidates = {
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_bf16_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp16.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp16_dst_fp16.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp16_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp8.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp8_dst_fp16.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp8_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp4_fp6_dst_fp16.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp4_fp6_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp4_dst_fp32.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_fp64.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_int8.sum"}},
    RoleCandidates{CounterRole::TensorOps, {"sm__ops_path_tensor_src_int4.sum"}},
    RoleCandidates{CounterRole::DramReadBytes, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
    RoleCandidates{CounterRole::DramWriteBytes, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
    RoleCandidates{CounterRole::L2Bytes, {"lts__t_bytes.sum"}},
    RoleCandidates{CounterRole::FloatFma, {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
    RoleCandidates{CounterRole::FloatAdd, {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum"}},
    RoleCandidates{CounterRole::FloatMultiply, {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
    RoleCandidates{CounterRole::HalfFma, {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum"}},
    RoleCandidates{CounterRole::HalfAdd, {"sm__sass_thread_inst_executed_op_hadd_pred_on.sum"}},
    RoleCandidates{CounterRole::HalfMultiply, {"sm__sass_thread_inst_executed_op_hmul_pred_on.sum"}},
    RoleCandidates{CounterRole::DoubleFma, {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum"}},
    RoleCandidates{CounterRole::DoubleAdd, {"sm__sass_thread_inst_executed_op_dadd_pred_on.sum"}},
    RoleCandidates{CounterRole::DoubleMultiply, {"sm__sass_thread_inst_executed_op_dmul_pred_on.sum"}},
    RoleCandidates{CounterRole::L1Bytes, {"l1tex__t_bytes.sum"}},
    RoleCandidates{CounterRole::LocalLoadSectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}},
    RoleCandidates{CounterRole::LocalStoreSectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
    RoleCandidates{CounterRole::L2Sectors, {"lts__t_sectors.sum"}},
    RoleCandidates{CounterRole::L2HitSectors, {"lts__t_sectors_lookup_hit.sum"}},
    RoleCandidates{CounterRole::GlobalLoadSectors, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    RoleCandidates{CounterRole::GlobalLoadRequests, {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
};

}  // namespace perfscope::collector
