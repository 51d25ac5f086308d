// The three reports.
#include "tests/support/sample_report.h"

#include <cmath>
#include <limits>

namespace perfscope::test {
namespace {

constexpr int64_t kMs = 1'000'000;

Distribution spread(int64_t count, int64_t p50) {
  return {count, p50 / 2, p50, p50 * 12 / 10, p50 * 13 / 10, p50 * 15 / 10, p50 * 3};
}

DeviceReport device(int64_t id) {
  DeviceReport d;
  d.id = id;
  d.name = "NVIDIA H200";
  d.spec = "h200-sxm-141gb";
  d.spec_why = "matched by the driver's name";
  d.kernel_count = 12345;
  d.kernel_sum_ns = 800 * kMs;
  d.span_ns = 1000 * kMs;
  d.busy_ns = 740 * kMs;
  d.idle_ns = 260 * kMs;
  d.kernel_busy_ns = 730 * kMs;
  d.compute_ns = 700 * kMs;
  d.comm_ns = 60 * kMs;
  d.overlap_ns = 30 * kMs;
  d.exposed_comm_ns = 30 * kMs;
  d.memcpy_ns = 12 * kMs;
  d.memcpy_count = 40;
  d.memcpy_bytes = 640'000'000;
  d.copy_hidden_ns = 9 * kMs;
  d.memset_count = 3;
  d.memset_ns = 20'000;
  d.comm_count = 100;
  d.graph_node_count = 2000;
  d.streams = 3;
  d.last_ns = 1000 * kMs;
  d.sm_clock_mhz = Measured<ValueRange>::of({1200, 1755, 1980}, "measured:nvml");
  d.power_w = Measured<ValueRange>::of({120, 412, 698}, "measured:nvml");
  d.temperature_c = Measured<ValueRange>::absent("NVML gave no temperature");
  d.throttle = Measured<std::vector<std::string>>::of({"sw_power_cap"}, "measured:nvml");
  d.energy_j = Measured<double>::of(412.5, "measured:nvml");
  d.dram_read_bytes = Measured<double>::absent("needs hardware counters");
  d.dram_write_bytes = Measured<double>::absent("needs hardware counters");
  d.tensor_active = Measured<double>::absent("needs hardware counters");
  d.opaque_graph_ns = Measured<double>::of(0, "measured:activity");
  return d;
}

KernelReport kernelBase(const std::string& short_name, const std::string& kernel_class, int64_t total_ns,
                        int64_t count) {
  KernelReport k;
  k.short_name = short_name;
  k.name = "void " + short_name + "<float, 4>(float*, int)";
  k.kernel_class = kernel_class;
  k.total_ns = total_ns;
  k.count = count;
  k.share = static_cast<double>(total_ns) / static_cast<double>(800 * kMs);
  k.duration = spread(count, total_ns / count);
  k.grid[0] = 132;
  k.grid[1] = k.grid[2] = 1;
  k.block[0] = 256;
  k.block[1] = k.block[2] = 1;
  k.shape_count = 1;
  k.registers = 64;
  k.occupancy = Measured<double>::of(0.5, "modelled:launch_shape");
  k.occupancy_limiter = "registers";
  k.waves = Measured<double>::of(1, "modelled:launch_shape");
  k.tail = Measured<double>::of(0, "modelled:launch_shape");
  const std::string why = "no cuBLAS call was seen for this kernel";
  for (auto* value : {&k.flops.algorithmic, &k.bytes.algorithmic, &k.intensity_algorithmic, &k.achieved_flops,
                      &k.achieved_bytes_per_s, &k.roofline.fraction_of_roof, &k.roofline.ceiling_flops,
                      &k.roofline.ceiling_bytes_per_s, &k.roofline.ceiling_flops_at_clock}) {
    *value = Measured<double>::absent(why);
  }
  for (auto* value :
       {&k.flops.executed, &k.bytes.dram_read, &k.bytes.dram_write, &k.bytes.l2, &k.intensity_dram}) {
    *value = Measured<double>::absent("needs hardware counters");
  }
  k.roofline.verdict = "no_flops";
  return k;
}

KernelReport gemm() {
  KernelReport k =
      kernelBase("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "gemm", 480 * kMs, 1200);
  k.flops.algorithmic = Measured<double>::of(2.4e14, "counted:api");
  k.bytes.algorithmic = Measured<double>::of(6e11, "counted:api");
  k.intensity_algorithmic = Measured<double>::of(400, "counted:api");
  k.achieved_flops = Measured<double>::of(5e14, "counted:api");
  k.achieved_bytes_per_s = Measured<double>::of(1.25e12, "counted:api");
  k.roofline = {"compute",
                "50.6 % of the bf16 peak",
                "bf16_tensor",
                "algorithmic",
                Measured<double>::of(9.89e14, "datasheet"),
                Measured<double>::of(4.8e12, "datasheet"),
                Measured<double>::of(9.2e14, "modelled:sm_x_clock_x_rate"),
                Measured<double>::of(0.5056, "counted:api")};
  return k;
}

void fillGaps(GapsReport& gaps) {
  gaps.total_ns = 260 * kMs;
  gaps.count = 900;
  gaps.by_cause = {{"host_submission", {200 * kMs, 700}},
                   {"synchronisation", {50 * kMs, 100}},
                   {"unknown", {10 * kMs, 100}}};
  gaps.largest = {{0, 5 * kMs, 8 * kMs, "synchronisation", "cudaStreamSynchronize", "gemm", "reduce_kernel"}};
  gaps.launch_latency = Measured<Distribution>::of(spread(12345, 6000), "measured:activity");
  gaps.launch_cost = Measured<Distribution>::of(spread(12345, 2500), "measured:activity");
  gaps.queue_depth = Measured<Distribution>::absent("no launch call was recorded");
  gaps.launches = 10345;
  gaps.graph_launches = 100;
}

void fillSteps(StepsReport& steps) {
  steps.source = "nvtx: step n";
  steps.confidence = 1;
  steps.count = 10;
  steps.warmup = 2;
  steps.median_ns = Measured<int64_t>::of(90 * kMs, "measured:activity");
  steps.mad_ns = Measured<int64_t>::of(1 * kMs, "measured:activity");
  steps.p95_ns = Measured<int64_t>::of(95 * kMs, "measured:activity");
  steps.p99_ns = Measured<int64_t>::of(99 * kMs, "measured:activity");
  steps.max_ns = Measured<int64_t>::of(100 * kMs, "measured:activity");
  steps.drift = Measured<double>::of(0.012, "measured:activity");
  for (int64_t i = 0; i < 10; ++i) {
    steps.list.push_back(
        {i, "step " + std::to_string(i), i * 100 * kMs, (i < 2 ? 200 : 90) * kMs, 70 * kMs, 1234, i < 2});
  }
}

void fillRest(Report& r) {
  r.memory.peak_bytes = Measured<int64_t>::of(80'000'000'000, "measured:activity");
  r.memory.allocations_in_steps = Measured<int64_t>::of(0, "measured:activity");
  r.memory.copies = {{"host to device", true, 40, 640'000'000, 12 * kMs, 9 * kMs,
                      Measured<double>::of(5.3e10, "measured:activity")}};
  r.utilisation.busy = Measured<double>::of(0.74, "measured:activity");
  r.utilisation.hfu = Measured<double>::absent("needs executed FLOPs of every kernel");
  r.utilisation.mfu = Measured<double>::absent("no model description was given");
  r.utilisation.mbu_model = Measured<double>::absent("no model description was given");
  r.utilisation.mbu_measured = Measured<double>::absent("needs hardware counters");
  r.communication.collectives = {{"ncclDevKernel_AllReduce", 0, 100, 60 * kMs}};
  r.communication.source = "modelled:kernel_name";
  Finding finding;
  finding.id = "pageable_copies";
  finding.severity = "warning";
  finding.level = "system";
  finding.axis = "machine";
  finding.term = "data";
  finding.title = "Copies from pageable host memory";
  finding.advice = "Pin the host buffers (pin_memory=True) so that copies run behind kernels.";
  finding.evidence = {
      {"40 copies of 640 MB in 12.0 ms", std::pair<int64_t, int64_t>{0, 12 * kMs}, 0, std::nullopt}};
  finding.predicted_gain_ns = Measured<int64_t>::of(3 * kMs, "modelled:hidden_copies");
  finding.sources = {"CUDA C++ Best Practices Guide, 10.1"};
  r.findings = {finding};
  r.conventions = {"One fused multiply-add counts as 2 FLOP; structured sparsity is not used."};
}

}  // namespace

Report sampleReport() {
  Report r;
  r.perfscope_version = "0.1.0";
  r.schema_version = 1;
  r.path = "train.perfscope";
  r.format = "perfscope";
  r.closed = true;
  r.trust.complete = false;
  r.trust.losses = {
      {"ring_overflow", "data_loss", "NVTX records dropped because a thread wrote too fast", 1234}};
  r.trust.assumptions = {{"comm_by_name", "communication is recognised by kernel names"}};
  r.trust.gated = {{"mfu", "records were lost"}};
  r.contract.workload = {{"batch", "64"}};
  r.contract.gpus = {{"NVIDIA H200", "GPU-1", "h200-sxm-141gb", 132, 150'000'000'000, 700.0}};
  r.contract.driver = "580.65";
  r.overhead.measured = OverheadMeasured{1000 * kMs, 1012 * kMs, 1.012, 5};
  r.overhead.estimated_ns = Measured<int64_t>::of(9 * kMs, "modelled:records_x_cost");
  r.verdict = {"host",
               0.82,
               "20.0 % of the steps the GPU waits for the next launch.",
               0.2,
               {{"700 gaps of 200 ms in sum before late launches", std::nullopt, 0, std::nullopt}},
               {{"Capture the step in a CUDA graph", "graph", "algorithm", "overhead", "compute", 0.18}}};
  r.processes = {{4242, 0, 2, 0, "node1", "closed", "python train.py", 0},
                 {4243, 1, 2, 1, "node1", "killed", std::nullopt, 137}};
  r.devices = {device(0), device(1)};
  fillSteps(r.steps);
  r.kernels = {gemm(), kernelBase("elementwise_kernel", "elementwise", 200 * kMs, 8000),
               kernelBase("reduce_kernel", "reduction", 120 * kMs, 3145)};
  fillGaps(r.gaps);
  fillRest(r);
  return r;
}

Report emptyReport() {
  Report r;
  r.perfscope_version = "0.1.0";
  r.schema_version = 1;
  r.path = "empty.perfscope";
  r.format = "perfscope";
  r.closed = true;
  r.trust.complete = true;
  r.verdict = {"none", 0, "No GPU work was recorded.", 0, {}, {}};
  r.steps.source = "none";
  r.steps.why = "no GPU work was recorded";
  for (auto* value : {&r.utilisation.busy, &r.utilisation.hfu, &r.utilisation.mfu, &r.utilisation.mbu_model,
                      &r.utilisation.mbu_measured}) {
    *value = Measured<double>::absent("no GPU work was recorded");
  }
  return r;
}

Report hostileReport() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  Report r = sampleReport();
  const std::string endless(5000, 'k');
  const std::string nasty = "\033[31mred\a \xff\xfe \xe2\x82 | `code` <b> \"quoted\", \r\n@user 漢字";
  r.path = endless;
  r.kernels[0].name = r.kernels[0].short_name = endless;
  r.kernels[1].name = r.kernels[1].short_name = nasty;
  r.kernels[0].achieved_flops = Measured<double>::of(kInfinity, "counted:api");
  r.kernels[0].roofline.fraction_of_roof = Measured<double>::of(kNaN, "counted:api");
  r.kernels[0].intensity_algorithmic = Measured<double>::of(-kInfinity, "counted:api");
  r.kernels[0].share = kNaN;
  r.kernels[2].total_ns = r.kernels[2].count = r.kernels[2].duration.p50_ns = kHuge;
  r.devices[0].span_ns = r.devices[0].busy_ns = r.devices[0].kernel_count = r.devices[0].memcpy_bytes = kHuge;
  r.devices[0].power_w = Measured<ValueRange>::of({kNaN, kInfinity, 1e300}, "measured:nvml");
  r.devices[1].name = endless;
  r.verdict.text = endless + " " + nasty;
  r.verdict.confidence = kNaN;
  r.verdict.interventions[0].text = nasty;
  r.verdict.interventions[0].predicted_gain = kNaN;
  r.gaps.largest[0].before = endless;
  r.gaps.by_cause["a_cause_that_nobody_knows_and_that_has_a_long_name"] = {kHuge, kHuge};
  r.gaps.total_ns = kHuge;
  r.memory.copies[0].kind = nasty;
  r.processes[0].command = endless;
  r.processes[0].host = endless;
  r.findings[0].title = nasty;
  r.findings[0].advice = endless;
  r.trust.losses[0].id = endless;
  r.steps.drift = Measured<double>::of(kInfinity, "measured:activity");
  r.conventions.push_back(nasty);
  return r;
}

}  // namespace perfscope::test
