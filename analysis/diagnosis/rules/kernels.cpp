// Rules about single kernels: matrix products off the tensor cores, misalignment, low occupancy, points above
// the roof.
#include <fmt/format.h>

#include "analysis/diagnosis/rules.h"
#include "analysis/facts/gemm_work.h"
#include "analysis/metrics/thresholds.h"

namespace perfscope::rule {
namespace {

Finding kernelFinding(const KernelReport& kernel, std::string id, std::string_view axis,
                      std::string_view term) {
  Finding finding;
  finding.id = std::move(id);
  finding.severity = "warning";
  finding.level = "kernel", finding.axis = std::string(axis), finding.term = std::string(term);
  finding.evidence.push_back(
      {fmt::format("{} launches, {:.3f} ms, {:.1f} % of the kernel time of its GPU in the analysed time",
                   kernel.window_count, static_cast<double>(kernel.window_ns) / 1e6,
                   kernel.window_share * 100),
       {},
       kernel.device,
       kernel.short_name});
  finding.sources = {"kernels"};
  return finding;
}

void addEvidence(Finding& finding, const KernelReport& kernel, std::string text) {
  finding.evidence.push_back({std::move(text), {}, kernel.device, kernel.short_name});
}

bool isHot(const KernelReport& kernel) {
  return kernel.window_share >= threshold::kHotKernel.value;
}

// Time above what the roof allows, of the launches in the analysed window.
Measured<int64_t> gainToRoof(const KernelReport& kernel) {
  const auto& fraction = kernel.roofline.fraction_of_roof;
  if (!fraction.has() || *fraction >= 1)
    return Measured<int64_t>::absent("its distance to the roof is not known");
  return Measured<int64_t>::of(static_cast<int64_t>(static_cast<double>(kernel.window_ns) * (1 - *fraction)),
                               "modelled:roofline");
}

// The roof that no kernel can pass: what was measured on the device at this clock; without that the larger of
// the data sheet's two (and of a calibration that knows no clock). 0: no roof is known.
double highestRoof(const RooflineReport& roofline) {
  const auto& calibrated = roofline.ceiling_flops_calibrated;
  if (calibrated.has() && calibrated.provenance.rfind("calibrated:at_clock", 0) == 0) return *calibrated;
  double roof = calibrated.has() ? *calibrated : 0;
  if (roofline.ceiling_flops.has()) roof = std::max(roof, *roofline.ceiling_flops);
  if (roofline.ceiling_flops_at_clock.has()) roof = std::max(roof, *roofline.ceiling_flops_at_clock);
  return roof;
}

// Measured DRAM bytes faster than any copy ran on this GPU: the counters, their attribution or the time are
// wrong. Bytes from shapes may rest in the cache and prove nothing.
void bytesAboveRoof(const KernelReport& kernel, std::vector<Finding>& findings) {
  constexpr double kNsPerSecond = 1e9;
  const auto& roof = kernel.roofline.ceiling_bytes_per_s_calibrated;
  if (!roof.has() || !kernel.bytes.dram_read.has() || !kernel.bytes.dram_write.has() ||
      kernel.total_ns <= 0) {
    return;
  }
  const double rate = (*kernel.bytes.dram_read + *kernel.bytes.dram_write) /
                      static_cast<double>(kernel.total_ns) * kNsPerSecond;
  if (rate / *roof <= threshold::kAboveRoof.value) return;
  Finding finding = kernelFinding(kernel, "bytes_above_roof", "data", "data");
  finding.severity = "critical";
  finding.title =
      "A kernel moves bytes faster than this GPU's memory was measured to: bytes or time are wrong";
  finding.advice =
      "Do not trust this kernel's DRAM bytes; record it alone, or calibrate again with nothing else on the "
      "GPU.";
  addEvidence(finding, kernel,
              fmt::format("{:.3g} TB/s of DRAM traffic, {:.0f} % of the calibrated {:.3g} TB/s", rate / 1e12,
                          rate / *roof * 100, *roof / 1e12));
  finding.predicted_gain_ns = Measured<int64_t>::absent("it concerns the data, not the program");
  findings.push_back(std::move(finding));
}

}  // namespace

void pointAboveRoof(const RuleInput& input, std::vector<Finding>& findings) {
  for (const KernelReport& kernel : input.report.kernels) {
    bytesAboveRoof(kernel, findings);
    const auto& roofline = kernel.roofline;
    const double roof = highestRoof(roofline);
    if (!kernel.achieved_flops.has() || roof <= 0) continue;
    const double ratio = *kernel.achieved_flops / roof;
    if (ratio <= threshold::kAboveRoof.value) continue;
    Finding finding = kernelFinding(kernel, "point_above_roof", "data", "compute");
    finding.severity = "critical";
    finding.title = "A kernel computes faster than the GPU can: FLOPs, time or peak are wrong";
    finding.advice =
        "Do not trust this kernel's FLOPs; check its precision, sparsity and the GPU's entry in the "
        "catalogue (perfscope hardware show).";
    addEvidence(finding, kernel,
                fmt::format("{:.1f} TFLOP/s, {:.0f} % of the {} peak{}", *kernel.achieved_flops / 1e12,
                            ratio * 100, roofline.precision,
                            roof == roofline.ceiling_flops_calibrated.value ? " measured on this GPU" : ""));
    finding.predicted_gain_ns = Measured<int64_t>::absent("it concerns the data, not the program");
    findings.push_back(std::move(finding));
  }
}

void gemmWithoutTensorCores(const RuleInput& input, std::vector<Finding>& findings) {
  for (const KernelReport& kernel : input.report.kernels) {
    // A product at the memory roof gains nothing from faster arithmetic; gemv has no second dimension to feed
    // them.
    const bool vector_product = kernel.name.find("gemv") != std::string::npos;
    if (kernel.kernel_class != "gemm" || !isHot(kernel) || vector_product ||
        kernel.roofline.verdict == "memory" || !nameSaysVectorPipe(kernel.name)) {
      continue;
    }
    Finding finding = kernelFinding(kernel, "gemm_without_tensor_cores", "algorithm", "compute");
    finding.title = "A matrix product does not use the tensor cores";
    finding.advice =
        "Use bf16/fp16 (autocast), or allow TF32 for fp32 products "
        "(torch.set_float32_matmul_precision(\"high\")) where the accuracy allows it.";
    addEvidence(finding, kernel,
                "the kernel's name says that it runs on the vector pipe" +
                    (kernel.roofline.precision.empty() ? "" : " (" + kernel.roofline.precision + ")"));
    if (!kernel.roofline.why.empty()) addEvidence(finding, kernel, kernel.roofline.why);
    finding.predicted_gain_ns = Measured<int64_t>::absent("it depends on the precision chosen");
    findings.push_back(std::move(finding));
  }
}

void misalignedGemm(const RuleInput& input, std::vector<Finding>& findings) {
  for (const KernelReport& kernel : input.report.kernels) {
    // Alignment alone proves nothing: the speed has to confirm it.
    if (kernel.alignment.empty() || !isHot(kernel) || kernel.roofline.verdict != "below_both") continue;
    Finding finding = kernelFinding(kernel, "misaligned_gemm", "data", "compute");
    finding.title = "A matrix product with misaligned dimensions is slow";
    finding.advice =
        "Pad the dimension to a multiple of 16 bytes (8 elements of 16 bits), e.g. the vocabulary or the "
        "hidden size, and compare.";
    addEvidence(finding, kernel, kernel.alignment);
    addEvidence(finding, kernel, kernel.roofline.why);
    finding.predicted_gain_ns = gainToRoof(kernel);
    findings.push_back(std::move(finding));
  }
}

void lowOccupancyOrTail(const RuleInput& input, std::vector<Finding>& findings) {
  for (const KernelReport& kernel : input.report.kernels) {
    const std::string& verdict = kernel.roofline.verdict;
    if (!isHot(kernel) || kernel.kernel_class == "communication" || verdict == "memory" ||
        verdict == "compute" || !kernel.occupancy.has()) {
      continue;
    }
    // Matrix products and attention keep few warps busy on purpose (large tiles, asynchronous copies).
    const bool tiled =
        kernel.kernel_class == "gemm" || kernel.kernel_class == "attention" || kernel.kernel_class == "conv";
    const bool low = !tiled && *kernel.occupancy < threshold::kLowOccupancy.value;
    const bool tail = kernel.waves.has() && kernel.tail.has() && *kernel.waves < threshold::kFewWaves.value &&
                      *kernel.tail >= threshold::kLargeTail.value;
    if (!low && !tail) continue;
    Finding finding = kernelFinding(kernel, low ? "low_occupancy" : "wave_tail", "machine", "compute");
    finding.severity = "info";
    finding.title = low ? "A kernel holds too few warps on each SM to hide latency"
                        : "A kernel leaves much of the GPU empty in its last wave";
    finding.advice =
        low ? "Its limiter is " + kernel.occupancy_limiter +
                  ": smaller blocks, fewer registers or less shared memory per block; compare before "
                  "keeping the change."
            : "Give it more blocks (larger batch, split the inner dimension) or blocks that divide evenly "
              "by the number of SMs.";
    addEvidence(
        finding, kernel,
        fmt::format("occupancy {:.0f} %, limited by {}", *kernel.occupancy * 100, kernel.occupancy_limiter));
    if (kernel.waves.has()) {
      addEvidence(
          finding, kernel,
          fmt::format("{:.2f} waves, {:.0f} % of the last one empty", *kernel.waves, *kernel.tail * 100));
    }
    finding.predicted_gain_ns = gainToRoof(kernel);
    findings.push_back(std::move(finding));
  }
}

}  // namespace perfscope::rule
