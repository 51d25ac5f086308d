// Everything that can be lost, once: the hot path counts by index, the control file, the table `loss`, the
// CLI and the viewer iterate over this list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perfscope {

enum class Loss : uint16_t {
  BuffersDenied,
  CuptiDropped,
  ZeroTimestamp,
  InvertedTimestamp,
  UnknownRecord,
  RingOverflow,
  SpoolFull,
  StringTableFull,
  ShapeTableFull,
  DrainBehind,
  UnmatchedLaunch,
  TornRecord,
  BackgroundError,
  ReplayedKernel,
  kCount
};
inline constexpr size_t kLossCount = static_cast<size_t>(Loss::kCount);

enum class Severity : uint8_t { Info, Notice, DataLoss, Error };

struct LossInfo {
  Loss id;
  std::string_view name;  // stable id in SQL and JSON
  Severity severity;
  std::string_view sentence;  // for the reader of a report
};

inline constexpr std::array<LossInfo, kLossCount> kLossCounters = {{
    {Loss::BuffersDenied, "buffers_denied", Severity::DataLoss,
     "CUPTI asked for a buffer while all were in use; the records it held back are missing"},
    {Loss::CuptiDropped, "cupti_dropped", Severity::DataLoss, "records that CUPTI itself reports as dropped"},
    {Loss::ZeroTimestamp, "zero_timestamp", Severity::DataLoss,
     "records with start or end 0 (device-side timestamp lost); left out of all times"},
    {Loss::InvertedTimestamp, "inverted_timestamp", Severity::DataLoss,
     "records that end before they start; left out of all times"},
    {Loss::UnknownRecord, "unknown_record", Severity::Notice,
     "CUPTI records of a kind this version does not know; skipped"},
    {Loss::RingOverflow, "ring_overflow", Severity::DataLoss,
     "NVTX, GEMM or NCCL records dropped because a thread wrote faster than the drain thread read"},
    {Loss::SpoolFull, "spool_full", Severity::DataLoss,
     "records (kernels, copies, calls, ranges, names) dropped because no spool segment could be allocated "
     "(disk full?)"},
    {Loss::StringTableFull, "string_table_full", Severity::Info,
     "texts written again because the name table was full"},
    {Loss::ShapeTableFull, "shape_table_full", Severity::Info,
     "launch shapes written again because the shape table was full"},
    {Loss::DrainBehind, "drain_behind", Severity::Error,
     "collection stopped: the drain thread could not keep up for seconds on end"},
    {Loss::UnmatchedLaunch, "unmatched_launch", Severity::Notice,
     "kernels whose launch call was not seen (no launch latency or queue depth for them)"},
    {Loss::TornRecord, "torn_record", Severity::DataLoss, "spool records that could not be read; skipped"},
    {Loss::BackgroundError, "background_error", Severity::Error,
     "errors CUPTI reported from its own threads"},
    {Loss::ReplayedKernel, "replayed_kernel", Severity::Info,
     "kernels replayed for counters; they carry no times and are not lost"},
}};

}  // namespace perfscope
