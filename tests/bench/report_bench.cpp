// Measures `report` on a generated profile: reading and analysis of N kernels, peak memory, bytes on disk.
// Usage: report_bench [KERNELS]; default 1000000. Target: 1 M in 1 s, 10 M in 5 s, 1 GiB.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "analysis/report/report_builder.h"
#include "schemas/trace_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace {

using perfscope::KernelRow;
using perfscope::TraceWriter;

constexpr int64_t kNames = 60, kKernelsPerStep = 600;

void must(const perfscope::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().sentence().c_str());
  std::exit(1);
}

void writeNames(TraceWriter& writer) {
  must(writer.write(perfscope::test::TraceBuilder::h200(1)));
  perfscope::HostRow host;
  host.id = 1, host.name = "bench";
  must(writer.write(host));
  perfscope::ProcessRow process;
  process.id = 1, process.host_id = 1, process.pid = 1, process.state = "closed";
  must(writer.write(process));
  for (int64_t id = 1; id <= kNames; ++id) {
    const std::string name = (id % 4 == 0 ? "gemm_" : "elementwise_") + std::to_string(id);
    must(writer.write(perfscope::KernelNameRow{id, name, name, name}));
    perfscope::LaunchShapeRow shape;
    shape.id = id;
    shape.grid_x = 64 * id, shape.grid_y = shape.grid_z = 1;
    shape.block_x = 256, shape.block_y = shape.block_z = 1;
    shape.registers_per_thread = 40;
    must(writer.write(shape));
  }
}

// A training-like mix: 600 kernels a step on two streams, rows out of order by one buffer now and then, as
// CUPTI does.
void writeKernels(TraceWriter& writer, int64_t count) {
  constexpr int64_t kBatch = 100'000;
  must(writer.begin());
  int64_t time = 1'000'000;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t in_step = i % kKernelsPerStep;
    KernelRow row;
    row.id = i + 1;
    row.process_id = row.device_id = row.context = 1;
    row.stream = in_step % 50 == 0 ? 14 : 7;
    row.name_id = row.shape_id = in_step % kNames + 1;
    time += in_step == 0 ? 20'000 : 1'500;
    row.start_ns = i % 4096 < 16 ? time - 400'000 : time;
    row.duration_ns = 2'000 + (i * 7919) % 9'000;
    time += row.duration_ns;
    row.correlation_id = i + 1;
    row.launch_start_ns = row.start_ns - 30'000 - (i % 5) * 1'000;
    row.launch_duration_ns = 4'000 + i % 700;
    row.launch_thread_id = 1;
    must(writer.write(row));
    if (i % kBatch == kBatch - 1) {
      must(writer.commit());
      must(writer.begin());
    }
  }
  must(writer.commit());
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t count = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const perfscope::test::TempDir dir;
  const std::string path = dir.file("bench.perfscope");
  {
    auto writer = TraceWriter::create(path, 0);
    if (!writer) return 1;
    writeNames(*writer);
    writeKernels(*writer, count);
    must(writer->close());
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto report = perfscope::buildReport(path, {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().sentence().c_str());
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%lld kernels: report %.3f s, peak memory %.0f MiB, file %.1f bytes per kernel, steps %s (%lld)\n",
      static_cast<long long>(count), seconds, static_cast<double>(usage.ru_maxrss) / 1024,
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(count),
      report->steps.source.c_str(), static_cast<long long>(report->steps.count));
  return 0;
}
