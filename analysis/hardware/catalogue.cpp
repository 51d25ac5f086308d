// Catalogue text -> specs. Every check that a typing slip in the CSV would trip is made here, with line and
// column.
#include "analysis/hardware/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analysis/hardware/catalogue_columns.h"
#include "analysis/hardware/csv.h"
#include "generated/hardware_catalogue_csv.h"

namespace perfscope::hardware {
namespace {

constexpr double kTera = 1e12;

// Builds specs from rows of one text; lives for one call of parseCatalogue.
class CatalogueParser {
 public:
  CatalogueParser(const std::vector<CsvRow>& rows, std::string_view where) : m_rows(rows), m_where(where) {}

  Result<std::vector<HardwareSpec>> parse() {
    if (m_rows.empty()) return refuse(1, "header", "there is no header line");
    if (auto status = readHeader(); !status) return tl::unexpected<Error>(status.error());
    std::vector<HardwareSpec> specs;
    for (std::size_t i = 1; i < m_rows.size(); ++i) {
      auto spec = readRow(m_rows[i]);
      if (!spec) return tl::unexpected<Error>(spec.error());
      if (auto status = checkUnique(*spec, m_rows[i].line); !status) {
        return tl::unexpected<Error>(status.error());
      }
      specs.push_back(std::move(*spec));
    }
    if (specs.empty()) return refuse(m_rows[0].line, "header", "there is no product below it");
    return specs;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> refuse(std::size_t line, std::string_view column,
                                             std::string reason) const {
    return failure(ErrorKind::InputRefused, fmt::format("{}, line {}, column {}", m_where, line, column),
                   std::move(reason), "correct the hardware table");
  }

  Status readHeader() {
    const CsvRow& header = m_rows[0];
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      if (!isKnown(header.cells[i])) return refuse(header.line, header.cells[i], "no such column");
      if (!m_index.emplace(header.cells[i], i).second) {
        return refuse(header.line, header.cells[i], "the column occurs twice");
      }
    }
    for (const std::string& name : knownColumns()) {
      if (m_index.count(name) == 0) return refuse(header.line, name, "the column is missing");
    }
    return {};
  }

  static std::set<std::string> knownColumns() {
    std::set<std::string> names;
    for (const CatalogueColumn& column : catalogueColumns()) names.emplace(column.name);
    for (const PeakColumns& column : peakColumns()) {
      names.insert(column.peak);
      names.insert(column.rate);
    }
    return names;
  }

  static bool isKnown(const std::string& name) {
    static const std::set<std::string> kNames = knownColumns();
    return kNames.count(name) != 0;
  }

  [[nodiscard]] const std::string& cell(const CsvRow& row, std::string_view column) const {
    return row.cells[m_index.find(column)->second];
  }

  Result<HardwareSpec> readRow(const CsvRow& row) {
    if (row.cells.size() != m_rows[0].cells.size()) {
      return refuse(
          row.line, "id",
          fmt::format("the row has {} cells, the header {}", row.cells.size(), m_rows[0].cells.size()));
    }
    HardwareSpec spec;
    for (const CatalogueColumn& column : catalogueColumns()) {
      const std::string& value = cell(row, column.name);
      if (value.empty() && column.required)
        return refuse(row.line, column.name, "the cell must not be empty");
      if (value.empty()) continue;
      if (auto problem = column.fill(spec, value)) return refuse(row.line, column.name, std::move(*problem));
    }
    if (auto status = readPeaks(row, spec); !status) return tl::unexpected<Error>(status.error());
    if (auto status = checkDoubts(row, spec); !status) return tl::unexpected<Error>(status.error());
    return spec;
  }

  Status readPeaks(const CsvRow& row, HardwareSpec& spec) {
    const auto computed = splitList(cell(row, "computed_cells"));
    const auto halved = splitList(cell(row, "halved_cells"));
    const auto contains = [](const std::vector<std::string>& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    std::size_t listed = 0;
    for (const PeakColumns& column : peakColumns()) {
      Peak& peak = spec.peak(column.precision);
      if (auto status = readPeak(row, column, peak); !status) return status;
      const bool is_computed = contains(computed, column.peak);
      const bool is_halved = contains(halved, column.peak);
      listed += static_cast<std::size_t>(is_computed) + static_cast<std::size_t>(is_halved);
      if ((is_computed || is_halved) && !peak.flops_per_s) {
        return refuse(row.line, column.peak, "the cell is listed as computed or halved but is empty");
      }
      if (!peak.flops_per_s) continue;
      peak.origin = is_computed ? PeakOrigin::Computed : is_halved ? PeakOrigin::Halved : PeakOrigin::Printed;
      peak.doubtful = spec.isDoubtful(column.peak);
    }
    if (listed != computed.size() + halved.size()) {
      return refuse(row.line, "computed_cells", "it or halved_cells names a column that is no peak");
    }
    return {};
  }

  Status readPeak(const CsvRow& row, const PeakColumns& column, Peak& peak) {
    double value = 0;
    if (const std::string& text = cell(row, column.peak); !text.empty()) {
      if (auto problem = parsePositive(text, value))
        return refuse(row.line, column.peak, std::move(*problem));
      peak.flops_per_s = value * kTera;
    }
    if (const std::string& text = cell(row, column.rate); !text.empty()) {
      if (auto problem = parsePositive(text, value))
        return refuse(row.line, column.rate, std::move(*problem));
      peak.flops_per_sm_clock = value;
    }
    return {};
  }

  Status checkDoubts(const CsvRow& row, const HardwareSpec& spec) const {
    for (const std::string& column : spec.doubtful) {
      if (m_index.count(column) == 0 || cell(row, column).empty()) {
        return refuse(row.line, "doubtful", fmt::format("'{}' names no filled cell", column));
      }
    }
    return {};
  }

  Status checkUnique(const HardwareSpec& spec, std::size_t line) {
    if (!m_ids.insert(spec.id).second) return refuse(line, "id", fmt::format("'{}' is used twice", spec.id));
    for (const std::string& name : spec.match_names) {
      if (!m_match_names.insert(name).second) {
        return refuse(line, "match_names", fmt::format("'{}' is used twice", name));
      }
    }
    return {};
  }

  const std::vector<CsvRow>& m_rows;
  std::string_view m_where;
  std::map<std::string, std::size_t, std::less<>> m_index;
  std::set<std::string> m_ids;
  std::set<std::string> m_match_names;
};

}  // namespace

Result<std::vector<HardwareSpec>> parseCatalogue(std::string_view csv, std::string_view where) {
  const auto rows = parseCsv(csv, where);
  if (!rows) return tl::unexpected<Error>(rows.error());
  return CatalogueParser(*rows, where).parse();
}

const Result<std::vector<HardwareSpec>>& catalogue() {
  static const Result<std::vector<HardwareSpec>> kCatalogue = []() -> Result<std::vector<HardwareSpec>> {
    auto specs = parseCatalogue(embedded::kHardwareCatalogueCsv, "built-in hardware catalogue");
    if (!specs) specs.error().kind = ErrorKind::Internal;
    return specs;
  }();
  return kCatalogue;
}

}  // namespace perfscope::hardware
