// gpu_mix: a CUDA program that knows its own counts and prints them as one JSON line. Every mode is one
// phenomenon a profiler must survive or count exactly. Build: nvcc -std=c++17 -O2 -o gpu_mix gpu_mix*.cu
// -lpthread -ldl (static CUDA runtime, so it runs wherever there is a driver). Usage: gpu_mix MODE
// [ARGUMENT...]
#include "gpu_mix.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <unistd.h>

namespace gpu_mix {
namespace {

uint64_t sum(const std::vector<Lane>& lanes, uint64_t Lane::*member) {
  uint64_t total = 0;
  for (const Lane& lane : lanes) total += lane.*member;
  return total;
}

std::string field(const char* name, uint64_t value) {
  return '"' + std::string(name) + "\":" + std::to_string(value);
}

std::string copiesJson(const std::vector<Lane>& lanes) {
  const char* const names[] = {"HtoD", "DtoH", "DtoD", "PtoP"};
  std::string text = "{";
  for (int kind = 0; kind < 4; ++kind) {
    uint64_t count = 0, bytes = 0;
    for (const Lane& lane : lanes) count += lane.copies[kind], bytes += lane.copy_bytes[kind];
    if (kind == kDeviceToDevice) {
      count += sum(lanes, &Lane::graph_copies);
      bytes += sum(lanes, &Lane::graph_copy_bytes);
    }
    if (kind > 0) text += ',';
    text +=
        '"' + std::string(names[kind]) + "\":{" + field("count", count) + ',' + field("bytes", bytes) + '}';
  }
  return text + '}';
}

// Direct work only: where the nodes of a graph run is the driver's choice.
std::string streamsJson(const std::vector<Lane>& lanes) {
  std::string text = "[";
  for (const Lane& lane : lanes) {
    uint64_t copies = 0;
    for (uint64_t count : lane.copies) copies += count;
    if (text.size() > 1) text += ',';
    text += '{' + field("kernels", lane.kernels) + ',' + field("memcpys", copies) + ',' +
            field("memsets", lane.memsets) + '}';
  }
  return text + ']';
}

std::string knownJson(const std::vector<KnownKernel>& known) {
  std::string text = "[";
  for (const KnownKernel& kernel : known) {
    char line[256];
    std::snprintf(line, sizeof(line), "%s{\"name\":\"%s\",\"launches\":%llu,\"flops\":%.0f,\"bytes\":%.0f}",
                  text.size() > 1 ? "," : "", kernel.name.c_str(),
                  static_cast<unsigned long long>(kernel.launches), kernel.flops, kernel.bytes);
    text += line;
  }
  return text + ']';
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "gpu_mix: %s failed: %s\n", what, cudaGetErrorString(status));
  _exit(70);
}

Lane makeLane() {
  Lane lane;
  check(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return lane;
}

uint64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000u + uint64_t(now.tv_nsec);
}

void printLine(const std::string& line) {
  const std::string text = line + '\n';
  if (write(STDOUT_FILENO, text.data(), text.size()) != ssize_t(text.size())) _exit(74);
}

void report(const std::string& mode, const Outcome& outcome) {
  const std::vector<Lane>& lanes = outcome.lanes;
  const uint64_t in_graphs = sum(lanes, &Lane::graph_kernels);
  const uint64_t graph_nodes = in_graphs + sum(lanes, &Lane::graph_copies) + sum(lanes, &Lane::graph_memsets);
  std::string line = "{\"gpu_mix\":\"" + mode + "\"," + field("pid", getpid());
  if (!outcome.skipped.empty()) line += ",\"skipped\":\"" + outcome.skipped + '"';
  line += ',' + field("kernels", sum(lanes, &Lane::kernels) + in_graphs) + ',' +
          field("graph_kernels", in_graphs);
  line += ",\"memcpy\":" + copiesJson(lanes);
  line += ",\"memset\":{" + field("count", sum(lanes, &Lane::memsets) + sum(lanes, &Lane::graph_memsets)) +
          ',' + field("bytes", sum(lanes, &Lane::memset_bytes) + sum(lanes, &Lane::graph_memset_bytes)) + '}';
  line += ',' + field("graph_launches", sum(lanes, &Lane::graph_launches)) + ',' +
          field("graph_nodes", graph_nodes);
  line += ",\"streams\":" + streamsJson(lanes) + ",\"known\":" + knownJson(outcome.known);
  printLine(line + ',' + field("time_ns", nowNs()) + '}');
}

namespace {

int usage() {
  std::fprintf(
      stderr,
      "usage: gpu_mix MODE [ARGUMENT]\n"
      "  storm | graph | mix | roofline | sleepgap | p2p           counted work, then exit 0\n"
      "  exit3 | abort | exception | segv SECONDS | spin SECONDS   how a process ends\n"
      "  exec PROGRAM ARGS... | execclean PROGRAM ARGS...          work, then become another program\n"
      "  fork | forkafter | nogpu                                  processes\n");
  return 2;
}

int runCounted(const std::string& mode) {
  Outcome outcome;
  if (mode == "storm") outcome = runStorm(10'000, 4);
  if (mode == "graph") outcome = runGraph(1'000);
  if (mode == "mix") outcome = runMix(10);
  if (mode == "roofline") outcome = runRoofline(20);
  if (mode == "sleepgap") outcome = runSleepGap();
  if (mode == "p2p") outcome = runPeer();
  if (outcome.skipped.empty()) check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  report(mode, outcome);
  return 0;
}

int run(int argc, char** argv) {
  if (argc < 2) return usage();
  const std::string mode = argv[1];
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2.0;
  for (const char* counted : {"storm", "graph", "mix", "roofline", "sleepgap", "p2p"}) {
    if (mode == counted) return runCounted(mode);
  }
  if (mode == "exit3") return runExit3();
  if (mode == "abort") return runAbort();
  if (mode == "exception") return runException();
  if (mode == "segv") return runSegv(seconds);
  if (mode == "spin") return runSpin(seconds);
  if (argc > 2 && (mode == "exec" || mode == "execclean")) return runExec(argv + 2, mode == "execclean");
  if (mode == "fork") return runFork();
  if (mode == "forkafter") return runForkAfter();
  if (mode == "nogpu") return 0;  // no CUDA call at all
  return usage();
}

}  // namespace
}  // namespace gpu_mix

int main(int argc, char** argv) {
  return gpu_mix::run(argc, argv);
}
