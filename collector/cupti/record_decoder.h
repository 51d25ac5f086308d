// CUPTI activity records -> spool records. The only switch over CUPTI record kinds.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>

#include "collector/hot/loss_tally.h"
#include "collector/spool/name_table.h"
#include "collector/spool/record_sink.h"
#include "collector/spool/shape_table.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

struct DecoderOptions {
  uint32_t cupti_version = 0;  // of the library at run time: says which fields a record has
  bool replay = false;      // a kernel without times may be a replayed one: passed on, flagged
  bool filter_api = false;  // the library could not filter: drop API records outside the launch families here
};

// Drain thread only; no I/O but through the sink. GPU records without usable times are counted, not passed
// on: start or end 0 (Loss::ZeroTimestamp; also a kernel still running at a forced flush) or end < start
// (Loss::InvertedTimestamp). Unknown kinds are counted and skipped.
class RecordDecoder {
 public:
  RecordDecoder(RecordSink sink, NameTable& names, ShapeTable& shapes, LossTally& losses,
                DecoderOptions options);

  void decode(const CUpti_Activity* record);
  // Passes on what was held back (see `holdApi`); called at the end of every buffer.
  void finishBuffer();
  // Whether a kernel's name says that a matrix product or an NCCL operation ran: their hooks should have seen
  // it.
  [[nodiscard]] bool sawGemmKernel() const noexcept { return m_saw_gemm; }
  [[nodiscard]] bool sawNcclKernel() const noexcept { return m_saw_nccl; }
  // GPU records passed on so far: kernels, copies, memsets, graph launches.
  [[nodiscard]] uint64_t gpuRecords() const noexcept { return m_gpu_records; }

 private:
  void kernel(const void* record);
  void copy(const void* record);
  void peerCopy(const void* record);
  void memset(const void* record);
  void synchronization(const void* record);
  void api(const void* record, bool driver);
  void holdApi(const spool::Api& record);
  void memory(const void* record);
  void overhead(const void* record);
  void context(const void* record);
  void stream(const void* record);
  void device(const void* record);
  void module(const void* record);
  void jit(const void* record);
  void graphTrace(const void* record);
  bool usable(uint64_t start_ns, uint64_t end_ns) noexcept;
  uint32_t kernelName(const char* name) noexcept;

  RecordSink m_sink;
  NameTable& m_names;
  ShapeTable& m_shapes;
  LossTally& m_losses;
  DecoderOptions m_options;
  uint64_t m_gpu_records = 0;
  uint32_t m_highest_name_id = 0;  // of a kernel: a higher one is a name not seen before
  bool m_saw_gemm = false, m_saw_nccl = false;
  // Driver calls, by correlation, that may turn out to be the inner half of a runtime call.
  static constexpr size_t kHeld = 256;
  std::array<spool::Api, kHeld> m_held{};  // kind Invalid = empty
};

}  // namespace perfscope::collector
