// The tables of words.
#include "analysis/report/report_words.h"

#include <algorithm>
#include <span>

#include "analysis/facts/kernel_class.h"

namespace perfscope::words {
namespace {

constexpr std::array<Word, 8> kBindings = {{
    {"input", "Input-bound", "the GPU waits for data"},
    {"host", "Host-bound", "the GPU waits for the program on the CPU"},
    {"communication", "Communication-bound", "the GPU waits for other GPUs"},
    {"memory", "Memory-bound", "the kernels that matter move bytes as fast as the memory allows"},
    {"compute", "Compute-bound", "the kernels that matter calculate as fast as the chip allows"},
    {"launch", "Launch-bound", "the kernels are shorter than the cost of launching them"},
    {"implementation", "Implementation-bound",
     "the kernels that matter reach neither the memory's nor the chip's limit"},
    {"none", "No single constraint", "nothing stands out in what was measured"},
}};

constexpr Word kPresumedMemory = {
    "memory", "Presumably memory-bound",
    "kernels of a kind that does little arithmetic per byte weigh most; their bytes were not measured"};

constexpr std::array<Word, 11> kGapCauses = {{
    {"host_submission", "host submission",
     "the launch call came after the GPU had run dry: the program is too slow"},
    {"synchronisation", "synchronisation", "the program waited for the GPU, then launched late"},
    {"launch_latency", "launch latency", "launched in time; the device needs this long to begin"},
    {"dependency", "dependency", "the next work was queued and waited for an event or another stream"},
    {"communication_wait", "waiting for peers", "another GPU arrived late at a collective"},
    {"copy", "copy", "the next kernel needed data that was still being copied"},
    {"input", "input data", "the program was loading data"},
    {"allocation", "allocation", "memory was being allocated or freed"},
    {"module_load_or_jit", "module loading, JIT", "GPU code was being loaded or compiled"},
    {"profiler", "the profiler", "PerfScope or CUPTI itself was at work"},
    {"unknown", "unknown", "the recording does not tell"},
}};

constexpr std::array<Word, 6> kRoofline = {{
    {"memory", "memory", "near the memory bandwidth, left of the ridge"},
    {"compute", "compute", "near the peak of its arithmetic, right of the ridge"},
    {"below_both", "neither", "far below both limits: launch size, occupancy, access pattern or latency"},
    {"launch", "launch", "shorter than the cost of launching it"},
    {"no_flops", "no FLOPs", "no floating-point operations known; only its bytes can be judged"},
    {"unknown", "unknown", "not enough is known about its operations or bytes"},
}};

constexpr Word kNoWord = {"", "", ""};

const Word& find(std::span<const Word> table, std::string_view id) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Word& word) { return word.id == id; });
  return found == table.end() ? kNoWord : *found;
}

// The same two kinds of kernel that the verdict adds up for "memory".
bool memoryIsPresumed(const Report& report) {
  int64_t counted_ns = 0;
  int64_t presumed_ns = 0;
  for (const auto& kernel : report.kernels) {
    const std::string& verdict = kernel.roofline.verdict;
    if (verdict == "memory") counted_ns += kernel.total_ns;
    const bool judged = verdict == "compute" || verdict == "below_both" || verdict == "launch";
    if (verdict != "memory" && !judged && isMemoryNatured(std::string_view(kernel.kernel_class)))
      presumed_ns += kernel.total_ns;
  }
  return presumed_ns > counted_ns;
}

}  // namespace

const Word& binding(const Report& report, std::string_view id) {
  return id == "memory" && memoryIsPresumed(report) ? kPresumedMemory : find(kBindings, id);
}
const Word& gapCause(std::string_view id) {
  return find(kGapCauses, id);
}
const Word& roofline(std::string_view id) {
  return find(kRoofline, id);
}

std::string title(const Word& word, std::string_view id) {
  if (!word.title.empty()) return std::string(word.title);
  std::string text(id);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string notMeasured(std::string_view why) {
  return "not measured, because " +
         (why.empty() ? std::string("the recording does not hold it") : std::string(why));
}

}  // namespace perfscope::words
