// What calibration measures, one function a group. Each value is either a number whose kernel's result was
// checked, or the reason why there is none; a group never fails as a whole.
#pragma once

#include <vector>

#include "injector/calibration/gpu.h"

namespace perfscope::calibration {

struct MeasureOptions {
  bool quick = false;
  [[nodiscard]] TimingPlan plan() const {
    TimingPlan plan;
    if (quick) plan = {5, 0.005, 0.01, 20000};
    return plan;
  }
};

// A value from its timings: `amount` (bytes, operations) a call; 0 for a time, whose best is the lowest.
CalibrationValue valueOf(std::string id, std::string title, std::string unit, double amount,
                         const Timing& timing, std::string how);
CalibrationValue notMeasured(std::string id, std::string title, std::string unit, std::string why);

using Values = std::vector<CalibrationValue>;
CalibrationValue dramBandwidth(const Gpu& gpu, const MeasureOptions& options, const std::string& kind);
CalibrationValue l2Bandwidth(const Gpu& gpu, const MeasureOptions& options);
CalibrationValue sharedBandwidth(const Gpu& gpu, const MeasureOptions& options);
CalibrationValue vectorPeak(const Gpu& gpu, const MeasureOptions& options, const std::string& precision);
CalibrationValue tensorPeak(const Gpu& gpu, const MeasureOptions& options, const std::string& precision,
                            int driver_api);
CalibrationValue launchCost(const Gpu& gpu, const MeasureOptions& options, const std::string& kind);
CalibrationValue hostCopy(const Gpu& gpu, const MeasureOptions& options, bool to_device, bool pinned);
// From gpu to peer; contexts of both exist and have their kernels.
CalibrationValue peerCopy(const Gpu& gpu, const Gpu& peer, const MeasureOptions& options);

// The memory kernels run over sizes that are whole strides of this many bytes.
size_t strideBytes(const Gpu& gpu);
// Fills with the pattern of kernel_source.h / adds its words up on the GPU. `bytes`: whole strides.
Status writePattern(const Gpu& gpu, CuPointer to, size_t bytes, unsigned seed);
Result<unsigned> sumOnGpu(const Gpu& gpu, CuPointer from, size_t bytes);
// Blocks that cover the GPU: a power of two a SM, at most 8, all resident where the kernel allows.
Result<unsigned> coveringBlocks(const Gpu& gpu, CuHandle kernel);

}  // namespace perfscope::calibration
