// Matching a recorded device: whole names only, the device is right where it contradicts the table, unknown
// GPUs modelled.
#include "analysis/hardware/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "analysis/hardware/catalogue.h"
#include "schemas/tables.h"

namespace perfscope::hardware {
namespace {

// What the driver of a real H200 says (132 SMs, 1980 MHz, 143771 MiB, 60 MiB of L2).
DeviceFacts h200() {
  DeviceFacts device;
  device.name = "NVIDIA H200";
  device.capability = ComputeCapability{9, 0};
  device.sm_count = 132;
  device.max_sm_clock_mhz = 1980;
  device.memory_bytes = 143771.0 * 1024 * 1024;
  device.l2_bytes = 62914560;
  return device;
}

bool mentions(const std::vector<std::string>& warnings, const std::string& part) {
  for (const std::string& warning : warnings) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(HardwareMatch, WholeNameOfARealDevice) {
  const auto match = matchDevice(h200());
  ASSERT_TRUE(match) << match.error().sentence();
  EXPECT_EQ(match->spec.id, "h200-sxm-141gb");
  EXPECT_EQ(match->kind, MatchKind::Name);
  EXPECT_TRUE(match->warnings.empty()) << match->warnings.front();
}

TEST(HardwareMatch, NamesThatShareAPrefixAreDifferentProducts) {
  const std::pair<const char*, const char*> pairs[] = {{"NVIDIA H200 NVL", "h200-nvl-141gb"},
                                                       {"NVIDIA H20", "h20-96gb"},
                                                       {"NVIDIA L4", "l4"},
                                                       {"NVIDIA L40", "l40"},
                                                       {"NVIDIA L40S", "l40s"},
                                                       {"NVIDIA A10", "a10"},
                                                       {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
                                                       {"A100-SXM4-40GB", "a100-sxm4-40gb"}};
  for (const auto& [name, id] : pairs) {
    DeviceFacts device;
    device.name = name;
    const auto match = matchDevice(device);
    ASSERT_TRUE(match) << name;
    EXPECT_EQ(match->spec.id, id);
  }
}

TEST(HardwareMatch, NoPrefixOrSuffixMatches) {
  for (const char* name :
       {"NVIDIA H200 X", "NVIDIA A10G", "NVIDIA A10M", "NVIDIA H20-3e", "NVIDIA H20 NVL16", "NVIDIA H100",
        "NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 3090 Ti", "nvidia h200 x", "H200", ""}) {
    DeviceFacts device = h200();
    device.name = name;
    const auto match = matchDevice(device);
    ASSERT_TRUE(match) << name;
    EXPECT_EQ(match->kind, MatchKind::Modelled) << name;
  }
}

TEST(HardwareMatch, CapitalsDoNotMatter) {
  for (const char* name : {"nvidia h200", "Nvidia H200", "NVIDIA H200"}) {
    DeviceFacts device = h200();
    device.name = name;
    const auto match = matchDevice(device);
    ASSERT_TRUE(match) << name;
    EXPECT_EQ(match->spec.id, "h200-sxm-141gb") << name;
  }
}

// Otherwise the order of the catalogue would decide which of two products a name means.
TEST(HardwareMatch, NoTwoNamesOfTheCatalogueDifferInCapitalsOnly) {
  std::map<std::string, std::string> owner;
  for (const HardwareSpec& spec : *catalogue()) {
    for (std::string name : spec.match_names) {
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      const auto [known, fresh] = owner.emplace(name, spec.id);
      EXPECT_TRUE(fresh || known->second == spec.id) << name << " is " << known->second << " and " << spec.id;
    }
  }
}

TEST(HardwareMatch, ContradictingCapabilityIsNoMatchByName) {
  DeviceFacts device = h200();
  device.capability = ComputeCapability{8, 0};
  const auto match = matchDevice(device);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->kind, MatchKind::Modelled);
  EXPECT_TRUE(mentions(match->warnings, "compute capability 8.0 instead of 9.0"));
}

TEST(HardwareMatch, FewerSmsScaleComputeAndDropTheBandwidth) {
  DeviceFacts device = h200();
  device.sm_count = 66;
  const auto match = matchDevice(device);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->kind, MatchKind::Scaled);
  EXPECT_DOUBLE_EQ(*match->spec.peak(Precision::Fp16Tensor).flops_per_s, 989.5e12 / 2);
  EXPECT_FALSE(match->spec.dram_bandwidth_bytes_per_s.has_value());
  EXPECT_EQ(datasheetPeak(match->spec, Precision::Fp16Tensor)->provenance, "modelled:sm_x_clock_x_rate");
  EXPECT_TRUE(mentions(match->warnings, "66 SMs"));
}

TEST(HardwareMatch, MigSliceHasNoBandwidth) {
  DeviceFacts device = h200();
  device.name = "NVIDIA H200 MIG 1g.18gb";
  device.sm_count = 16;
  device.memory_bytes = 18e9;
  device.dram_bandwidth_bytes_per_s = 4.8e12;  // the driver reports the board's
  const auto match = matchDevice(device);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->kind, MatchKind::Scaled);
  EXPECT_EQ(*match->spec.sm_count, 16);
  EXPECT_FALSE(match->spec.dram_bandwidth_bytes_per_s.has_value());
  EXPECT_DOUBLE_EQ(*match->spec.memory_bytes, 18e9);
  EXPECT_FALSE(ridge(match->spec, Precision::Fp16Tensor));
}

TEST(HardwareMatch, OtherMemoryOrClockIsAWarning) {
  DeviceFacts device = h200();
  device.memory_bytes = 96e9;
  device.max_sm_clock_mhz = 1200;
  const auto match = matchDevice(device);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->kind, MatchKind::Name);
  EXPECT_TRUE(mentions(match->warnings, "96 GB of memory"));
  EXPECT_TRUE(mentions(match->warnings, "1200 MHz"));
}

// A GeForce of Ada that has no row: RTX 4080 (76 SMs, 2505 MHz). Peaks by hand from the rate table.
TEST(HardwareMatch, UnknownGpuIsModelled) {
  DeviceFacts device;
  device.name = "NVIDIA GeForce RTX 4080";
  device.capability = ComputeCapability{8, 9};
  device.sm_count = 76;
  device.max_sm_clock_mhz = 2505;
  device.dram_bandwidth_bytes_per_s = 716.8e9;
  const auto match = matchDevice(device);
  ASSERT_TRUE(match) << match.error().sentence();
  EXPECT_EQ(match->kind, MatchKind::Modelled);
  EXPECT_EQ(match->spec.origin, SpecOrigin::Modelled);
  EXPECT_DOUBLE_EQ(*match->spec.peak(Precision::Fp32).flops_per_s, 76 * 2505e6 * 256);
  EXPECT_DOUBLE_EQ(*match->spec.peak(Precision::Fp16Tensor).flops_per_s,
                   76 * 2505e6 * 512);  // GeForce: half rate
  EXPECT_FALSE(match->spec.peak(Precision::Fp4Tensor).flops_per_s.has_value());
  EXPECT_TRUE(match->spec.peak(Precision::Fp32).doubtful);
  const auto peak = datasheetPeak(match->spec, Precision::Fp32);
  EXPECT_EQ(peak->provenance, "modelled:sm_x_clock_x_rate");
  EXPECT_NE(peak->note.find("76 SMs x 2505 MHz"), std::string::npos);
  EXPECT_NEAR(ridge(match->spec, Precision::Fp32)->value, 76 * 2505e6 * 256 / 716.8e9, 1e-6);
}

TEST(HardwareMatch, WithoutBandwidthThereIsNoRidge) {
  DeviceFacts device = h200();
  device.name = "NVIDIA Something";
  const auto match = matchDevice(device);
  ASSERT_TRUE(match);
  EXPECT_FALSE(ridge(match->spec, Precision::Fp32));
  EXPECT_TRUE(mentions(match->warnings, "bandwidth was not recorded"));
}

std::string whyNot(const DeviceFacts& device) {
  const auto match = matchDevice(device);
  if (match) return "";
  EXPECT_EQ(match.error().kind, ErrorKind::Unavailable);
  EXPECT_FALSE(match.error().remedy.empty());
  return match.error().reason;
}

TEST(HardwareMatch, MissingFactsAreNamed) {
  DeviceFacts device = h200();
  device.name = "NVIDIA Something";
  device.capability = ComputeCapability{13, 0};
  EXPECT_NE(whyNot(device).find("13.0 is not in the rate table"), std::string::npos);
  device.capability = std::nullopt;
  EXPECT_NE(whyNot(device).find("compute capability was not recorded"), std::string::npos);
  device = h200();
  device.name = "NVIDIA Something";
  device.sm_count = std::nullopt;
  EXPECT_NE(whyNot(device).find("SM count"), std::string::npos);
  device = h200();
  device.name = "NVIDIA Something";
  device.max_sm_clock_mhz = 0;
  EXPECT_NE(whyNot(device).find("clock"), std::string::npos);
}

TEST(HardwareMatch, FactsComeFromTheDeviceRow) {
  DeviceRow row;
  row.name = "NVIDIA H200";
  row.cc_major = 9;
  row.cc_minor = 0;
  row.sm_count = 132;
  row.core_clock_khz = 1980000;
  row.memory_bytes = 150754820096;
  const DeviceFacts facts = deviceFacts(row);
  EXPECT_DOUBLE_EQ(*facts.max_sm_clock_mhz, 1980);
  EXPECT_EQ(facts.capability, (ComputeCapability{9, 0}));
  EXPECT_FALSE(facts.l2_bytes.has_value());
  EXPECT_FALSE(facts.is_mig_slice);
  EXPECT_EQ(matchDevice(facts)->spec.id, "h200-sxm-141gb");
  row.max_sm_clock_mhz = 1755;  // NVML's figure wins
  EXPECT_DOUBLE_EQ(*deviceFacts(row).max_sm_clock_mhz, 1755);
}

}  // namespace
}  // namespace perfscope::hardware
