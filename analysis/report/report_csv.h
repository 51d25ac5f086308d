// The kernel table as CSV (RFC 4180, UTF-8, CR LF): one header line, base units (ns, FLOP, bytes, FLOP/s,
// bytes/s, fractions 0..1). An empty cell means "not measured". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/kernel_groups.h"
#include "analysis/report/report.h"

namespace perfscope {

struct CsvOptions {
  std::optional<size_t> top;             // at most so many rows
  const KernelGroups* groups = nullptr;  // this table instead of the kernels; not owned
};

struct CsvColumnInfo {
  std::string_view name, doc;  // doc: meaning and unit, one clause
};

// The columns of the kernel table, in their order.
[[nodiscard]] std::vector<CsvColumnInfo> csvColumns();

[[nodiscard]] std::string renderCsv(const Report& report, const CsvOptions& options = {});

// One cell, quoted when it holds a comma, a quote or a line break (RFC 4180, section 2).
[[nodiscard]] std::string csvCell(std::string_view text);

}  // namespace perfscope
