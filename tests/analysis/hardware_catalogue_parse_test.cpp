// Catalogue text that is wrong: every slip is refused with line and column, and no text makes the parser fall
// over.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "analysis/hardware/catalogue.h"
#include "analysis/hardware/catalogue_columns.h"
#include "analysis/hardware/csv.h"
#include "generated/hardware_catalogue_csv.h"

namespace perfscope::hardware {
namespace {

// A catalogue of one or more rows, written column by column.
class TableText {
 public:
  TableText& row(const std::map<std::string, std::string>& cells) {
    m_rows.push_back(cells);
    return *this;
  }
  static std::map<std::string, std::string> minimal() {
    return {{"id", "x1"},
            {"name", "X1"},
            {"vendor", "NVIDIA"},
            {"match_names", "NVIDIA X1"},
            {"architecture", "Hopper"},
            {"compute_capability", "9.0"},
            {"source", "a test"},
            {"confidence", "high"}};
  }
  static std::map<std::string, std::string> with(const std::string& column, const std::string& value) {
    auto cells = minimal();
    cells[column] = value;
    return cells;
  }
  static std::vector<std::string> columns() {
    std::vector<std::string> names;
    for (const CatalogueColumn& column : catalogueColumns()) names.emplace_back(column.name);
    for (const PeakColumns& column : peakColumns()) {
      names.push_back(column.peak);
      names.push_back(column.rate);
    }
    return names;
  }
  [[nodiscard]] std::string text() const {
    std::string out = header();
    for (const auto& cells : m_rows) {
      std::string line;
      for (const std::string& column : columns()) {
        const auto found = cells.find(column);
        if (found != cells.end()) line += found->second;
        line += ',';
      }
      line.pop_back();
      out += line + "\n";
    }
    return out;
  }
  static std::string header() {
    std::string line;
    for (const std::string& column : columns()) line += (line.empty() ? "" : ",") + column;
    return line + "\n";
  }

 private:
  std::vector<std::map<std::string, std::string>> m_rows;
};

std::string errorOf(const std::string& text) {
  const auto specs = parseCatalogue(text, "table.csv");
  if (specs) return "";
  EXPECT_EQ(specs.error().kind, ErrorKind::InputRefused);
  return specs.error().sentence();
}

std::string errorWith(const std::string& column, const std::string& value) {
  return errorOf(TableText().row(TableText::with(column, value)).text());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CatalogueParse, MinimalRowLeavesTheRestUnknown) {
  const auto specs = parseCatalogue(TableText().row(TableText::minimal()).text(), "table.csv");
  ASSERT_TRUE(specs) << specs.error().sentence();
  ASSERT_EQ(specs->size(), 1u);
  const HardwareSpec& spec = specs->front();
  EXPECT_EQ(spec.id, "x1");
  EXPECT_FALSE(spec.sm_count.has_value());
  EXPECT_FALSE(spec.memory_bytes.has_value());
  EXPECT_FALSE(spec.peak(Precision::Fp32).flops_per_s.has_value());
  EXPECT_EQ(spec.peak(Precision::Fp32).origin, PeakOrigin::Unknown);
}

TEST(CatalogueParse, UnitsBecomeBaseUnits) {
  auto cells = TableText::minimal();
  cells["mem_gb"] = "141";
  cells["mem_bw_gbs"] = "4800";
  cells["l2_mb"] = "60";
  cells["smem_per_sm_kb"] = "228";
  cells["fp32_tflops"] = "66.9";
  cells["fp32_per_sm_clk"] = "256";
  cells["nvlink_per_dir_gbs"] = "450.0";
  const auto specs = parseCatalogue(TableText().row(cells).text(), "table.csv");
  ASSERT_TRUE(specs) << specs.error().sentence();
  const HardwareSpec& spec = specs->front();
  EXPECT_DOUBLE_EQ(*spec.memory_bytes, 141e9);
  EXPECT_DOUBLE_EQ(*spec.dram_bandwidth_bytes_per_s, 4.8e12);
  EXPECT_EQ(*spec.l2_bytes, 62914560);  // H200: read from the device
  EXPECT_EQ(*spec.shared_bytes_per_sm, 233472);
  EXPECT_DOUBLE_EQ(*spec.peak(Precision::Fp32).flops_per_s, 66.9e12);
  EXPECT_DOUBLE_EQ(*spec.peak(Precision::Fp32).flops_per_sm_clock, 256);
  EXPECT_DOUBLE_EQ(*spec.nvlink_bytes_per_s, 450e9);
}

TEST(CatalogueParse, WrongCellsNameLineAndColumn) {
  EXPECT_TRUE(contains(errorWith("sm_count", "many"), "line 2, column sm_count"));
  EXPECT_TRUE(contains(errorWith("sm_count", "132.5"), "no whole number"));
  EXPECT_TRUE(contains(errorWith("sm_count", "0"), "not positive"));
  EXPECT_TRUE(contains(errorWith("sm_count", "1e30"), "column sm_count"));
  EXPECT_TRUE(contains(errorWith("mem_gb", "-1"), "not positive"));
  EXPECT_TRUE(contains(errorWith("mem_bw_gbs", "inf"), "column mem_bw_gbs"));
  EXPECT_TRUE(contains(errorWith("fp32_tflops", "nan"), "column fp32_tflops"));
  EXPECT_TRUE(contains(errorWith("fp32_tflops", "66.9 T"), "column fp32_tflops"));
  EXPECT_TRUE(contains(errorWith("fp16_per_sm_clk", "x"), "column fp16_per_sm_clk"));
  EXPECT_TRUE(contains(errorWith("confidence", "sure"), "column confidence"));
  EXPECT_TRUE(contains(errorWith("nvlink_total_gbs", "fast"), "column nvlink_total_gbs"));
  EXPECT_TRUE(contains(errorWith("source", ""), "must not be empty"));
  EXPECT_TRUE(contains(errorWith("match_names", ""), "must not be empty"));
}

TEST(CatalogueParse, MarksMustNameFilledCells) {
  EXPECT_TRUE(contains(errorWith("doubtful", "l2_mb"), "names no filled cell"));
  EXPECT_TRUE(contains(errorWith("doubtful", "colour"), "names no filled cell"));
  EXPECT_TRUE(contains(errorWith("computed_cells", "fp32_tflops"), "is empty"));
  EXPECT_TRUE(contains(errorWith("halved_cells", "fp33_tflops"), "no peak"));
}

TEST(CatalogueParse, WrongHeadersNameTheColumn) {
  EXPECT_TRUE(contains(errorOf(""), "no header"));
  EXPECT_TRUE(contains(errorOf("# only a comment\n"), "no header"));
  EXPECT_TRUE(contains(errorOf(TableText::header()), "no product"));
  EXPECT_TRUE(contains(errorOf("id,name\na,b\n"), "column is missing"));
  EXPECT_TRUE(contains(errorOf("id,colour\na,b\n"), "column colour: no such column"));
  EXPECT_TRUE(contains(errorOf("id,id\na,b\n"), "occurs twice"));
}

TEST(CatalogueParse, ShortRowsAndDoubledNamesAreRefused) {
  EXPECT_TRUE(contains(errorOf(TableText::header() + "x1,X1\n"), "line 2"));
  EXPECT_TRUE(contains(errorOf(TableText().row(TableText::minimal()).row(TableText::minimal()).text()),
                       "'x1' is used twice"));
  const auto same_driver_name = TableText().row(TableText::minimal()).row(TableText::with("id", "x2")).text();
  EXPECT_TRUE(contains(errorOf(same_driver_name), "line 3, column match_names: 'NVIDIA X1' is used twice"));
}

TEST(Csv, QuotesCommasLinesAndComments) {
  const auto rows = parseCsv("# note, with \"quotes\"\r\na,\"b, \"\"c\"\"\",\r\n\n\"x\ny\",2,3\n", "t");
  ASSERT_TRUE(rows) << rows.error().sentence();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].cells, (std::vector<std::string>{"a", "b, \"c\"", ""}));
  EXPECT_EQ((*rows)[0].line, 2u);
  EXPECT_EQ((*rows)[1].cells, (std::vector<std::string>{"x\ny", "2", "3"}));
  EXPECT_EQ((*rows)[1].line, 4u);
}

TEST(Csv, LastLineNeedsNoNewline) {
  const auto rows = parseCsv("a,b", "t");
  ASSERT_TRUE(rows);
  EXPECT_EQ((*rows)[0].cells, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((*parseCsv("\"q\"", "t"))[0].cells, (std::vector<std::string>{"q"}));
}

TEST(Csv, BrokenQuotesNameTheirPlace) {
  const auto open = parseCsv("a,b\nc,\"d\n", "t");
  ASSERT_FALSE(open);
  EXPECT_TRUE(contains(open.error().sentence(), "never closed"));
  const auto tail = parseCsv("a,b\nc,\"d\"e\n", "t");
  ASSERT_FALSE(tail);
  EXPECT_TRUE(contains(tail.error().where, "line 2, cell 2"));
  EXPECT_FALSE(parseCsv("a,b\"c\n", "t"));
  EXPECT_FALSE(parseCsv(std::string("a,\0b\n", 5), "t"));
}

// Damages the real table at random: the parser must return, with specs or with a sentence, and never accept a
// number that is not positive. Seeded, so a failure repeats.
TEST(CatalogueParse, SurvivesDamagedText) {
  const std::string original(embedded::kHardwareCatalogueCsv);
  std::mt19937 random(20240617);
  const std::string noise = ",\"\n\r;#-0.e9 \x01\xff";
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = original;
    for (int hit = 0; hit < 3; ++hit) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, random() % 40);
      } else {
        text[at] = noise[random() % noise.size()];
      }
    }
    const auto specs = parseCatalogue(text, "damaged");
    if (!specs) {
      ++refused;
      EXPECT_FALSE(specs.error().reason.empty());
      continue;
    }
    for (const HardwareSpec& spec : *specs) {
      for (const Peak& peak : spec.peaks) EXPECT_GT(peak.flops_per_s.value_or(1), 0);
    }
  }
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace perfscope::hardware
