// Tables of what the program asked for: CUDA API calls, NVTX ranges, GEMM and NCCL calls.
#pragma once

#include "schemas/table.h"

namespace perfscope {

struct StringRow {
  int64_t id = 0;
  std::string text;
};
template <>
struct TableOf<StringRow> {
  static constexpr std::string_view kName = "string";
  static constexpr std::string_view kDoc = "Interned texts";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(column("id", &StringRow::id, "primary key"),
                                                   column("text", &StringRow::text, "the text"));
};

struct ApiNameRow {
  int64_t id = 0;
  std::string name;
};
template <>
struct TableOf<ApiNameRow> {
  static constexpr std::string_view kName = "api_name";
  static constexpr std::string_view kDoc = "CUDA API functions";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &ApiNameRow::id, "callback id, + 100000 for the driver API"),
                      column("name", &ApiNameRow::name, "function"));
};

struct ApiCallRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t thread_id = 0;
  int64_t api_id = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  int64_t return_code = 0;
};
template <>
struct TableOf<ApiCallRow> {
  static constexpr std::string_view kName = "api_call";
  static constexpr std::string_view kDoc =
      "Launch-family API calls. Calls that launched exactly one kernel, copy or fill are stored on that row "
      "(launch_*) and not here";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &ApiCallRow::id, "primary key"), column("process_id", &ApiCallRow::process_id, "process"),
      column("thread_id", &ApiCallRow::thread_id, "thread"),
      column("api_id", &ApiCallRow::api_id, "api_name"), column("start_ns", &ApiCallRow::start_ns, "entry"),
      column("duration_ns", &ApiCallRow::duration_ns, "exit - entry"),
      column("correlation_id", &ApiCallRow::correlation_id, "joins kernel, memcpy, memset, synchronization"),
      column("return_code", &ApiCallRow::return_code, "0 = success"));
};

struct NvtxRangeRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t thread_id = 0;
  std::string kind;
  int64_t text_id = 0;
  std::optional<int64_t> domain_id;
  int64_t category = 0;
  int64_t depth = 0;
  int64_t start_ns = 0;
  std::optional<int64_t> duration_ns;
  std::optional<int64_t> payload_type;
  std::optional<int64_t> payload;
};
template <>
struct TableOf<NvtxRangeRow> {
  static constexpr std::string_view kName = "nvtx_range";
  static constexpr std::string_view kDoc = "NVTX ranges (and marks: duration 0, kind mark)";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &NvtxRangeRow::id, "primary key"),
      column("process_id", &NvtxRangeRow::process_id, "process"),
      column("thread_id", &NvtxRangeRow::thread_id, "thread"),
      column("kind", &NvtxRangeRow::kind, "push_pop, start_end or mark"),
      column("text_id", &NvtxRangeRow::text_id, "string"),
      column("domain_id", &NvtxRangeRow::domain_id, "string; NULL = default domain"),
      column("category", &NvtxRangeRow::category, "NVTX category"),
      column("depth", &NvtxRangeRow::depth, "nesting on its thread, outermost 0"),
      column("start_ns", &NvtxRangeRow::start_ns, "begin"),
      column("duration_ns", &NvtxRangeRow::duration_ns, "length; NULL = not ended when its process was"),
      column("payload_type", &NvtxRangeRow::payload_type, "nvtxPayloadType_t"),
      column("payload", &NvtxRangeRow::payload, "payload bits"));
};

struct GemmCallRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t thread_id = 0;
  std::string api;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 0;
  int64_t a_type = 0;
  int64_t b_type = 0;
  int64_t c_type = 0;
  int64_t d_type = 0;
  int64_t compute_type = 0;
  int64_t transpose_a = 0;
  int64_t transpose_b = 0;
  std::optional<int64_t> reads_c;
  int64_t epilogue = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};
template <>
struct TableOf<GemmCallRow> {
  static constexpr std::string_view kName = "gemm_call";
  static constexpr std::string_view kDoc = "Matrix products as the library was called (cuBLAS, cuBLASLt)";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &GemmCallRow::id, "primary key"),
      column("process_id", &GemmCallRow::process_id, "process"),
      column("thread_id", &GemmCallRow::thread_id, "thread"),
      column("api", &GemmCallRow::api, "function family"), column("m", &GemmCallRow::m, "rows"),
      column("n", &GemmCallRow::n, "columns"), column("k", &GemmCallRow::k, "inner dimension"),
      column("batch", &GemmCallRow::batch, "products in the call"),
      column("a_type", &GemmCallRow::a_type, "cudaDataType of A"),
      column("b_type", &GemmCallRow::b_type, "cudaDataType of B"),
      column("c_type", &GemmCallRow::c_type, "cudaDataType of C"),
      column("d_type", &GemmCallRow::d_type, "cudaDataType of D"),
      column("compute_type", &GemmCallRow::compute_type, "cublasComputeType_t"),
      column("transpose_a", &GemmCallRow::transpose_a, "1 = A transposed"),
      column("transpose_b", &GemmCallRow::transpose_b, "1 = B transposed"),
      column("reads_c", &GemmCallRow::reads_c, "1 = beta is not zero; NULL = beta is in device memory"),
      column("epilogue", &GemmCallRow::epilogue, "1 = bias or activation fused"),
      column("lda", &GemmCallRow::lda, "leading dimension"),
      column("ldb", &GemmCallRow::ldb, "leading dimension"),
      column("ldc", &GemmCallRow::ldc, "leading dimension"),
      column("start_ns", &GemmCallRow::start_ns, "entry; launches of that thread until exit belong to it"),
      column("duration_ns", &GemmCallRow::duration_ns, "exit - entry"));
};

struct NcclCallRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t thread_id = 0;
  std::string op;
  int64_t count = 0;
  int64_t data_type = 0;
  int64_t reduction = 0;
  int64_t communicator = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> ranks;
  std::optional<int64_t> peer;
  int64_t stream_handle = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};
template <>
struct TableOf<NcclCallRow> {
  static constexpr std::string_view kName = "nccl_call";
  static constexpr std::string_view kDoc = "NCCL calls as made by the program";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &NcclCallRow::id, "primary key"),
      column("process_id", &NcclCallRow::process_id, "process"),
      column("thread_id", &NcclCallRow::thread_id, "thread"), column("op", &NcclCallRow::op, "operation"),
      column("count", &NcclCallRow::count, "elements"),
      column("data_type", &NcclCallRow::data_type, "ncclDataType_t"),
      column("reduction", &NcclCallRow::reduction, "ncclRedOp_t"),
      column("communicator", &NcclCallRow::communicator, "handle in that process"),
      column("rank", &NcclCallRow::rank, "rank in the communicator"),
      column("ranks", &NcclCallRow::ranks, "size of the communicator"),
      column("peer", &NcclCallRow::peer, "root or peer"),
      column("stream_handle", &NcclCallRow::stream_handle, "low 32 bits of the stream handle"),
      column("start_ns", &NcclCallRow::start_ns, "entry"),
      column("duration_ns", &NcclCallRow::duration_ns, "exit - entry"));
};

}  // namespace perfscope
