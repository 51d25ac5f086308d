// The rate table. One line a compute capability and board; 0 stands for "no such path" in this table only.
#include "analysis/hardware/issue_rates.h"

namespace perfscope::hardware {
namespace {

struct RateRow {
  ComputeCapability capability;
  Board board;
  std::array<int, kPrecisionCount> rates;  // in the order of Precision
};

constexpr Board kFull = Board::Full;
constexpr Board kGeForce = Board::GeForce;

// Columns: fp64, fp64t, fp32, fp16, bf16, tf32t, fp16t acc16, fp16t, bf16t, fp8t acc16, fp8t, fp6t, fp4t,
// int8t.
constexpr std::array<RateRow, 14> kRows = {{
    {{6, 0}, kFull, {64, 0, 128, 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {{7, 0}, kFull, {64, 0, 128, 256, 0, 0, 1024, 1024, 0, 0, 0, 0, 0, 0}},
    {{7, 5}, kFull, {4, 0, 128, 256, 0, 0, 1024, 1024, 0, 0, 0, 0, 0, 2048}},
    {{7, 5}, kGeForce, {4, 0, 128, 256, 0, 0, 1024, 512, 0, 0, 0, 0, 0, 2048}},
    {{8, 0}, kFull, {64, 128, 128, 512, 256, 1024, 2048, 2048, 2048, 0, 0, 0, 0, 4096}},
    {{8, 6}, kFull, {4, 0, 256, 256, 256, 512, 1024, 1024, 1024, 0, 0, 0, 0, 2048}},
    {{8, 6}, kGeForce, {4, 0, 256, 256, 256, 256, 1024, 512, 512, 0, 0, 0, 0, 2048}},
    {{8, 9}, kFull, {4, 0, 256, 256, 256, 512, 1024, 1024, 1024, 2048, 2048, 0, 0, 2048}},
    {{8, 9}, kGeForce, {4, 0, 256, 256, 256, 256, 1024, 512, 512, 2048, 1024, 0, 0, 2048}},
    {{9, 0}, kFull, {128, 256, 256, 512, 512, 2048, 4096, 4096, 4096, 8192, 8192, 0, 0, 8192}},
    {{10, 0}, kFull, {128, 128, 256, 256, 0, 4096, 8192, 8192, 8192, 16384, 16384, 16384, 32768, 16384}},
    {{10, 3}, kFull, {4, 4, 256, 256, 0, 4096, 8192, 8192, 8192, 16384, 16384, 16384, 49152, 512}},
    {{12, 0}, kFull, {4, 0, 256, 256, 256, 512, 1024, 1024, 1024, 2048, 2048, 0, 4096, 2048}},
    {{12, 0}, kGeForce, {4, 0, 256, 256, 256, 256, 1024, 512, 512, 2048, 1024, 0, 4096, 2048}},
}};

IssueRates toRates(const RateRow& row) {
  IssueRates rates;
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    if (row.rates[i] != 0) rates[i] = row.rates[i];
  }
  return rates;
}

}  // namespace

Board boardOf(std::string_view device_name) {
  const auto has = [&](std::string_view word) { return device_name.find(word) != std::string_view::npos; };
  return has("GeForce") || has("TITAN") ? Board::GeForce : Board::Full;
}

std::optional<IssueRates> issueRates(ComputeCapability capability, Board board) {
  const RateRow* full = nullptr;
  for (const RateRow& row : kRows) {
    if (!(row.capability == capability)) continue;
    if (row.board == board) return toRates(row);
    full = &row;
  }
  if (!full) return std::nullopt;
  return toRates(*full);
}

std::string_view knownCapabilities() {
  return "6.0, 7.0, 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 10.3, 12.0";
}

}  // namespace perfscope::hardware
