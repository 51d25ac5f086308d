// The built-in catalogue: walked as a whole (units, sources, plausibility), ridges pinned, found by name.
#include "analysis/hardware/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "analysis/hardware/catalogue_columns.h"
#include "analysis/hardware/issue_rates.h"

namespace perfscope::hardware {
namespace {

const std::vector<HardwareSpec>& all() {
  return *catalogue();
}

const HardwareSpec& get(std::string_view query) {
  const auto spec = findSpec(query);
  if (!spec) throw std::runtime_error(spec.error().sentence());
  return **spec;
}

TEST(HardwareCatalogue, EmbeddedTextParsesAndKeepsEveryProduct) {
  ASSERT_TRUE(catalogue()) << catalogue().error().sentence();
  EXPECT_EQ(all().size(), 43u);  // rows of the fact table the catalogue was made from
}

TEST(HardwareCatalogue, EveryRowNamesSourceConfidenceAndDriverName) {
  for (const HardwareSpec& spec : all()) {
    SCOPED_TRACE(spec.id);
    EXPECT_FALSE(spec.source.empty());
    EXPECT_THAT(spec.confidence, testing::AnyOf("high", "medium", "low"));
    EXPECT_FALSE(spec.match_names.empty());
    EXPECT_EQ(spec.vendor == "NVIDIA", spec.cudaCapability().has_value());
    EXPECT_EQ(spec.origin, SpecOrigin::Catalogue);
    // A device name that the driver prints carries the vendor or the old Tesla brand.
    EXPECT_TRUE(spec.match_names[0].find(spec.vendor) == 0 || spec.match_names[0].find("Tesla") == 0);
  }
}

TEST(HardwareCatalogue, EveryRowHasPlausibleUnits) {
  for (const HardwareSpec& spec : all()) {
    SCOPED_TRACE(spec.id);
    ASSERT_TRUE(spec.memory_bytes && spec.dram_bandwidth_bytes_per_s &&
                spec.peak(Precision::Fp32).flops_per_s);
    EXPECT_GT(*spec.memory_bytes, 10e9);
    EXPECT_LT(*spec.memory_bytes, 300e9);
    EXPECT_GT(*spec.dram_bandwidth_bytes_per_s, 0.25e12);
    EXPECT_LT(*spec.dram_bandwidth_bytes_per_s, 10e12);
    EXPECT_GT(*spec.peak(Precision::Fp32).flops_per_s, 5e12);
    EXPECT_LT(*spec.peak(Precision::Fp32).flops_per_s, 200e12);
    EXPECT_GE(*spec.release_year, 2016);
    EXPECT_LE(*spec.release_year, 2026);
    EXPECT_GE(*spec.tdp_w, 70);
    if (spec.l2_bytes) {
      EXPECT_GE(*spec.l2_bytes, 3 * 1024 * 1024);
    }
    if (spec.max_warps_per_sm && spec.vendor == "NVIDIA") {
      EXPECT_EQ(*spec.max_threads_per_sm, 32 * *spec.max_warps_per_sm);
    }
    EXPECT_LE(*spec.shared_bytes_per_block_optin, *spec.shared_bytes_per_sm);
    if (spec.tensor_clock_mhz) {
      EXPECT_LE(*spec.tensor_clock_mhz, *spec.boost_clock_mhz);
    }
  }
}

double peakOf(const HardwareSpec& spec, Precision precision) {
  return spec.peak(precision).flops_per_s.value_or(0);
}

TEST(HardwareCatalogue, TensorPeaksAreNoLowerThanVectorPeaks) {
  for (const HardwareSpec& spec : all()) {
    SCOPED_TRACE(spec.id);
    const auto atLeast = [&](Precision upper, Precision lower) {
      if (peakOf(spec, upper) > 0) {
        EXPECT_GE(peakOf(spec, upper), peakOf(spec, lower)) << name(upper);
      }
    };
    atLeast(Precision::Fp16Tensor, Precision::Fp16);
    atLeast(Precision::Bf16Tensor, Precision::Bf16);
    atLeast(Precision::Fp16TensorAcc16, Precision::Fp16Tensor);
    atLeast(Precision::Tf32Tensor, Precision::Fp32);
    atLeast(Precision::Fp64Tensor, Precision::Fp64);
    atLeast(Precision::Fp8Tensor, Precision::Fp16Tensor);
    atLeast(Precision::Fp4Tensor, Precision::Fp8Tensor);
    atLeast(Precision::Fp32, Precision::Fp64);
  }
}

// All peaks are dense: the tensor peak of 16 bits of Ampere and later is never the 2:4 sparse figure.
TEST(HardwareCatalogue, PeaksAreDense) {
  EXPECT_DOUBLE_EQ(peakOf(get("A100-80"), Precision::Fp16Tensor), 312e12);
  EXPECT_DOUBLE_EQ(peakOf(get("H100"), Precision::Fp8Tensor), 1978.9e12);
  EXPECT_DOUBLE_EQ(peakOf(get("H200"), Precision::Fp16Tensor), 989.5e12);
  EXPECT_DOUBLE_EQ(peakOf(get("B200"), Precision::Fp16Tensor), 2250e12);
}

struct PeakCheck {
  int checked = 0;
  std::set<std::string> off;  // "id column"
};

double clockOf(const HardwareSpec& spec, Precision precision) {
  const bool on_tensor_clock = isTensor(precision) && precision != Precision::Fp64Tensor;
  const double boost = spec.boost_clock_mhz.value_or(0);
  return on_tensor_clock ? spec.tensor_clock_mhz.value_or(boost) : boost;
}

// SMs x clock x rate against every peak, computed ones included, within 0.6 %.
PeakCheck comparePeaks() {
  PeakCheck check;
  for (const HardwareSpec& spec : all()) {
    for (const PeakColumns& column : peakColumns()) {
      const Peak& peak = spec.peak(column.precision);
      const double clock = clockOf(spec, column.precision);
      if (!peak.flops_per_s || !peak.flops_per_sm_clock || !spec.sm_count || clock <= 0) continue;
      ++check.checked;
      const double modelled = peakAtClock(spec, column.precision, clock)->value;
      if (std::abs(modelled / *peak.flops_per_s - 1) > 0.006) check.off.insert(spec.id + " " + column.peak);
    }
  }
  return check;
}

// The exceptions and their readings stand in the fact table: printed figures that are rounded (P100 PCIe,
// A30, L4, B200, GB300, RTX PRO), printed low (V100 PCIe), a data-sheet slip (L40S), or follow no consistent
// model (H20, B300).
TEST(HardwareCatalogue, SmsTimesClockTimesRateGivesThePrintedPeak) {
  const PeakCheck check = comparePeaks();
  EXPECT_GT(check.checked, 300);
  const std::set<std::string> expected = {"tesla-p100-pcie-16gb fp64_tflops",
                                          "tesla-p100-pcie-12gb fp64_tflops",
                                          "tesla-v100-pcie-16gb fp64_tflops",
                                          "tesla-v100-pcie-16gb fp32_tflops",
                                          "tesla-v100-pcie-16gb fp16_tensor_fp16acc_tflops",
                                          "tesla-v100-pcie-16gb fp16_tensor_fp32acc_tflops",
                                          "tesla-v100-pcie-32gb fp64_tflops",
                                          "tesla-v100-pcie-32gb fp32_tflops",
                                          "tesla-v100-pcie-32gb fp16_tensor_fp16acc_tflops",
                                          "tesla-v100-pcie-32gb fp16_tensor_fp32acc_tflops",
                                          "a30 fp64_tflops",
                                          "a30 tf32_tensor_tflops",
                                          "l4 tf32_tensor_tflops",
                                          "l40s fp16_tensor_fp32acc_tflops",
                                          "l40s bf16_tensor_tflops",
                                          "h20-96gb fp32_tflops",
                                          "h20-96gb tf32_tensor_tflops",
                                          "h20-96gb fp16_tensor_fp16acc_tflops",
                                          "h20-96gb fp16_tensor_fp32acc_tflops",
                                          "h20-96gb bf16_tensor_tflops",
                                          "h20-96gb fp8_tensor_fp16acc_tflops",
                                          "h20-96gb fp8_tensor_fp32acc_tflops",
                                          "h20-96gb int8_tensor_tops",
                                          "b200-sxm-180gb fp64_tflops",
                                          "b200-sxm-180gb fp64_tensor_tflops",
                                          "b200-sxm-180gb fp32_tflops",
                                          "b300-sxm-270gb fp64_tflops",
                                          "b300-sxm-270gb fp64_tensor_tflops",
                                          "b300-sxm-270gb fp32_tflops",
                                          "b300-sxm-270gb int8_tensor_tops",
                                          "gb300 fp64_tflops",
                                          "gb300 fp64_tensor_tflops",
                                          "gb300 int8_tensor_tops",
                                          "rtx-pro-6000-blackwell-workstation fp32_tflops"};
  EXPECT_THAT(check.off, testing::ContainerEq(expected));
}

// The rate table for GPUs outside the catalogue says the same as the catalogue, but for the parts named here.
TEST(HardwareCatalogue, RateTableAgreesWithTheCatalogue) {
  for (const HardwareSpec& spec : all()) {
    const auto capability = spec.cudaCapability();
    if (!capability || spec.id == "l40" || spec.id == "h20-96gb") continue;  // capped or fitted rates
    const auto rates = issueRates(*capability, boardOf(spec.match_names[0]));
    ASSERT_TRUE(rates) << spec.id;
    for (const Precision precision : allPrecisions()) {
      const auto listed = spec.peak(precision).flops_per_sm_clock;
      EXPECT_EQ(listed, (*rates)[static_cast<std::size_t>(precision)]) << spec.id << ' ' << name(precision);
    }
  }
}

struct PinnedRidge {
  std::string_view product;
  Precision precision;
  double flops_per_byte;
};

// Worked examples, section 4.1 (dense, HBM boundary), to the digits printed there; 0.1 %.
TEST(HardwareCatalogue, RidgesOfSection41) {
  const PinnedRidge pins[] = {{"Tesla V100 SXM2 16GB", Precision::Fp16Tensor, 138.9},
                              {"Tesla V100 SXM2 16GB", Precision::Fp32, 17.44},
                              {"A100 SXM4 40GB", Precision::Fp16Tensor, 200.6},
                              {"A100 SXM4 40GB", Precision::Bf16Tensor, 200.6},
                              {"A100 SXM4 40GB", Precision::Tf32Tensor, 100.3},
                              {"A100 SXM4 40GB", Precision::Fp32, 12.54},
                              {"A100 SXM4 80GB", Precision::Fp16Tensor, 153.0},
                              {"A100 SXM4 80GB", Precision::Tf32Tensor, 76.5},
                              {"A100 SXM4 80GB", Precision::Fp32, 9.56},
                              {"H100 SXM5 80GB", Precision::Fp16Tensor, 295.3},
                              {"H100 SXM5 80GB", Precision::Fp8Tensor, 590.7},
                              {"H100 SXM5 80GB", Precision::Tf32Tensor, 147.7},
                              {"H100 SXM5 80GB", Precision::Fp32, 19.97},
                              {"H200 SXM 141GB", Precision::Fp16Tensor, 206.1},
                              {"H200 SXM 141GB", Precision::Fp8Tensor, 412.3},
                              {"H200 SXM 141GB", Precision::Tf32Tensor, 103.0},
                              {"H200 SXM 141GB", Precision::Fp32, 13.94},
                              {"B200 SXM 180GB", Precision::Bf16Tensor, 292.2},
                              {"B200 SXM 180GB", Precision::Fp8Tensor, 584.4},
                              {"B200 SXM 180GB", Precision::Tf32Tensor, 146.1},
                              {"B200 SXM 180GB", Precision::Fp32, 9.74}};
  for (const PinnedRidge& pin : pins) {
    const auto value = ridge(get(pin.product), pin.precision);
    ASSERT_TRUE(value) << pin.product;
    EXPECT_NEAR(value->value, pin.flops_per_byte, pin.flops_per_byte * 1e-3) << pin.product;
  }
}

TEST(HardwareCatalogue, UnknownCellsAreErrorsNotZero) {
  const auto peak = datasheetPeak(get("V100"), Precision::Fp8Tensor);
  ASSERT_FALSE(peak);
  EXPECT_EQ(peak.error().kind, ErrorKind::Unavailable);
  EXPECT_NE(peak.error().sentence().find("fp8_tensor"), std::string::npos);
  EXPECT_FALSE(ridge(get("V100"), Precision::Fp8Tensor));
  EXPECT_FALSE(peakAtClock(get("B100"), Precision::Fp16Tensor, 1800));  // SM count unknown
  EXPECT_FALSE(peakAtClock(get("H200"), Precision::Fp16Tensor, 0));
  EXPECT_FALSE(peakAtClock(get("H200"), Precision::Fp16Tensor, std::nan("")));
}

TEST(HardwareCatalogue, PeakAtClockMayExceedTheDatasheet) {
  const auto peak = peakAtClock(get("H200"), Precision::Fp16Tensor, 1980);
  ASSERT_TRUE(peak);
  EXPECT_DOUBLE_EQ(peak->value, 4096.0 * 132 * 1980e6);  // 1070 TFLOP/s against 989.5 printed
  EXPECT_EQ(peak->provenance, "modelled:sm_x_clock_x_rate");
  EXPECT_EQ(datasheetPeak(get("H200"), Precision::Fp16Tensor)->provenance, "datasheet:halved_sparse");
  EXPECT_EQ(datasheetPeak(get("H100"), Precision::Fp16Tensor)->provenance, "datasheet");
  EXPECT_EQ(datasheetPeak(get("H200"), Precision::Fp16)->provenance, "modelled:sm_x_clock_x_rate");
}

TEST(HardwareCatalogue, DoubtfulCellsAreMarked) {
  EXPECT_TRUE(get("H20").peak(Precision::Fp32).doubtful);
  EXPECT_TRUE(get("L40").peak(Precision::Fp16Tensor).doubtful);
  EXPECT_FALSE(get("H200").peak(Precision::Fp16Tensor).doubtful);
  EXPECT_TRUE(get("T4").isDoubtful("mem_bw_gbs"));
  EXPECT_NE(datasheetPeak(get("H20"), Precision::Fp32)->note.find("doubtful"), std::string::npos);
  EXPECT_NE(ridge(get("T4"), Precision::Fp32)->note.find("bandwidth doubtful"), std::string::npos);
}

TEST(HardwareFind, AliasesIdsNamesAndDriverNames) {
  EXPECT_EQ(get("H200").id, "h200-sxm-141gb");
  EXPECT_EQ(get("h200-sxm-141gb").id, "h200-sxm-141gb");
  EXPECT_EQ(get("H200 SXM 141GB").id, "h200-sxm-141gb");
  EXPECT_EQ(get("NVIDIA H200").id, "h200-sxm-141gb");
  EXPECT_EQ(get("nvidia h200 nvl").id, "h200-nvl-141gb");
  EXPECT_EQ(get("V100").id, "tesla-v100-sxm2-16gb");
  EXPECT_EQ(get("A100-80").id, "a100-sxm4-80gb");
  EXPECT_EQ(get("a100 pcie 80").id, "a100-pcie-80gb");
  EXPECT_EQ(get("rtx_4090").id, "geforce-rtx-4090");
  EXPECT_EQ(get("MI300X").id, "instinct-mi300x");
  EXPECT_EQ(get("L4").id, "l4");
  EXPECT_EQ(get("L40").id, "l40");
  EXPECT_EQ(get("A10").id, "a10");
}

TEST(HardwareFind, AmbiguousListsTheCandidates) {
  const auto spec = findSpec("A100");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().kind, ErrorKind::Usage);
  for (const char* id : {"a100-pcie-40gb", "a100-sxm4-40gb", "a100-pcie-80gb", "a100-sxm4-80gb"}) {
    EXPECT_NE(spec.error().reason.find(id), std::string::npos) << id;
  }
}

TEST(HardwareFind, UnknownNamesTheNearest) {
  const auto spec = findSpec("H300");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().kind, ErrorKind::Usage);
  EXPECT_FALSE(findSpec(""));
  EXPECT_FALSE(findSpec(" - "));
  EXPECT_FALSE(findSpec("NVIDIA H20 NVL16"));
  const auto near = findSpec("RTX 9090");
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().remedy.find("geforce-rtx-4090"), std::string::npos);
}

TEST(HardwareFind, EveryAliasNamesExactlyOneProduct) {
  for (const HardwareSpec& spec : all()) {
    for (const std::string& alias : spec.aliases) EXPECT_EQ(get(alias).id, spec.id) << alias;
    for (const std::string& name : spec.match_names) EXPECT_EQ(get(name).id, spec.id) << name;
    EXPECT_EQ(get(spec.id).id, spec.id);
    EXPECT_EQ(get(spec.name).id, spec.id);
  }
}

}  // namespace
}  // namespace perfscope::hardware
