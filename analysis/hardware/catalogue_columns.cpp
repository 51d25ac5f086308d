// The table of catalogue columns. Scales turn the printed unit into base units (bytes, bytes/s).
#include "analysis/hardware/catalogue_columns.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace perfscope::hardware {
namespace {

constexpr std::int64_t kGiga = 1'000'000'000;
constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kMebi = kKibi * kKibi;

template <auto Member>
CellProblem fillText(HardwareSpec& spec, std::string_view cell) {
  spec.*Member = std::string(cell);
  return std::nullopt;
}

template <auto Member>
CellProblem fillList(HardwareSpec& spec, std::string_view cell) {
  spec.*Member = splitList(cell);
  return std::nullopt;
}

template <auto Member, std::int64_t Scale = 1>
CellProblem fillNumber(HardwareSpec& spec, std::string_view cell) {
  double value = 0;
  if (auto problem = parsePositive(cell, value)) return problem;
  spec.*Member = value * static_cast<double>(Scale);
  return std::nullopt;
}

template <auto Member, std::int64_t Scale = 1>
CellProblem fillWhole(HardwareSpec& spec, std::string_view cell) {
  double value = 0;
  if (auto problem = parsePositive(cell, value)) return problem;
  constexpr double kLargest =
      1e9;  // no count, KiB or MiB figure of a GPU comes near; keeps the conversion defined
  if (value != std::floor(value) || value > kLargest)
    return "'" + std::string(cell) + "' is no whole number in range";
  using Value = typename std::remove_reference_t<decltype(spec.*Member)>::value_type;
  spec.*Member = static_cast<Value>(static_cast<std::int64_t>(value) * Scale);
  return std::nullopt;
}

CellProblem fillConfidence(HardwareSpec& spec, std::string_view cell) {
  if (cell != "high" && cell != "medium" && cell != "low") {
    return "'" + std::string(cell) + "' is not high, medium or low";
  }
  spec.confidence = std::string(cell);
  return std::nullopt;
}

// The sum of both directions is what vendors print; the spec keeps one direction, from its own column.
CellProblem checkNumber(HardwareSpec&, std::string_view cell) {
  double value = 0;
  return parsePositive(cell, value);
}

// Lists of cells are applied once the row is complete, see catalogue.cpp.
CellProblem laterOn(HardwareSpec&, std::string_view) {
  return std::nullopt;
}

struct PeakStem {
  Precision precision;
  std::string_view stem;
};
constexpr std::array<PeakStem, kPrecisionCount> kStems = {{
    {Precision::Fp64, "fp64"},
    {Precision::Fp64Tensor, "fp64_tensor"},
    {Precision::Fp32, "fp32"},
    {Precision::Fp16, "fp16"},
    {Precision::Bf16, "bf16"},
    {Precision::Tf32Tensor, "tf32_tensor"},
    {Precision::Fp16TensorAcc16, "fp16_tensor_fp16acc"},
    {Precision::Fp16Tensor, "fp16_tensor_fp32acc"},
    {Precision::Bf16Tensor, "bf16_tensor"},
    {Precision::Fp8TensorAcc16, "fp8_tensor_fp16acc"},
    {Precision::Fp8Tensor, "fp8_tensor_fp32acc"},
    {Precision::Fp6Tensor, "fp6_tensor"},
    {Precision::Fp4Tensor, "fp4_tensor"},
    {Precision::Int8Tensor, "int8_tensor"},
}};

}  // namespace

CellProblem parsePositive(std::string_view cell, double& value) {
  const char* end = cell.data() + cell.size();
  const auto parsed = std::from_chars(cell.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(value)) {
    return "'" + std::string(cell) + "' is no number";
  }
  if (value <= 0) return "'" + std::string(cell) + "' is not positive (an unknown figure is an empty cell)";
  return std::nullopt;
}

std::vector<std::string> splitList(std::string_view cell) {
  std::vector<std::string> parts;
  while (!cell.empty()) {
    const auto end = cell.find(';');
    if (end != 0) parts.emplace_back(cell.substr(0, end));
    cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + 1);
  }
  return parts;
}

const std::vector<CatalogueColumn>& catalogueColumns() {
  using Spec = HardwareSpec;
  static const std::vector<CatalogueColumn> kColumns = {
      {"id", fillText<&Spec::id>, true},
      {"name", fillText<&Spec::name>, true},
      {"aliases", fillList<&Spec::aliases>},
      {"vendor", fillText<&Spec::vendor>, true},
      {"form_factor", fillText<&Spec::form_factor>},
      {"match_names", fillList<&Spec::match_names>, true},
      {"pci_device_ids", fillList<&Spec::pci_device_ids>},
      {"architecture", fillText<&Spec::architecture>, true},
      {"chip", fillText<&Spec::chip>},
      {"compute_capability", fillText<&Spec::compute_capability>, true},
      {"sm_count", fillWhole<&Spec::sm_count>},
      {"boost_clock_mhz", fillNumber<&Spec::boost_clock_mhz>},
      {"tensor_clock_mhz", fillNumber<&Spec::tensor_clock_mhz>},
      {"computed_cells", laterOn},
      {"halved_cells", laterOn},
      {"mem_type", fillText<&Spec::memory_type>},
      {"mem_gb", fillNumber<&Spec::memory_bytes, kGiga>},
      {"mem_bw_gbs", fillNumber<&Spec::dram_bandwidth_bytes_per_s, kGiga>},
      {"l2_mb", fillWhole<&Spec::l2_bytes, kMebi>},
      {"smem_per_sm_kb", fillWhole<&Spec::shared_bytes_per_sm, kKibi>},
      {"smem_per_block_optin_kb", fillWhole<&Spec::shared_bytes_per_block_optin, kKibi>},
      {"l1_smem_combined_kb", fillWhole<&Spec::l1_shared_bytes, kKibi>},
      {"regfile_per_sm_kb", fillWhole<&Spec::register_bytes_per_sm, kKibi>},
      {"max_warps_per_sm", fillWhole<&Spec::max_warps_per_sm>},
      {"max_threads_per_sm", fillWhole<&Spec::max_threads_per_sm>},
      {"max_blocks_per_sm", fillWhole<&Spec::max_blocks_per_sm>},
      {"pcie_gen", fillWhole<&Spec::pcie_gen>},
      {"pcie_lanes", fillWhole<&Spec::pcie_lanes>},
      {"pcie_gbs_per_dir", fillNumber<&Spec::pcie_bytes_per_s, kGiga>},
      {"nvlink_gen", fillText<&Spec::nvlink_gen>},
      {"nvlink_total_gbs", checkNumber},
      {"nvlink_per_dir_gbs", fillNumber<&Spec::nvlink_bytes_per_s, kGiga>},
      {"tdp_w", fillNumber<&Spec::tdp_w>},
      {"release_year", fillWhole<&Spec::release_year>},
      {"doubtful", fillList<&Spec::doubtful>},
      {"source", fillText<&Spec::source>, true},
      {"confidence", fillConfidence, true},
      {"notes", fillText<&Spec::notes>},
  };
  return kColumns;
}

const std::vector<PeakColumns>& peakColumns() {
  static const std::vector<PeakColumns> kColumns = [] {
    std::vector<PeakColumns> columns;
    for (const PeakStem& entry : kStems) {
      const bool integer = entry.precision == Precision::Int8Tensor;
      columns.push_back({entry.precision, std::string(entry.stem) + (integer ? "_tops" : "_tflops"),
                         std::string(entry.stem) + "_per_sm_clk"});
    }
    return columns;
  }();
  return kColumns;
}

}  // namespace perfscope::hardware
