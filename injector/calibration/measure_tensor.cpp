// Peaks of the matrix units: the best of a few cuBLASLt algorithms on random data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/cublas_lt.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"

namespace perfscope::calibration {
namespace {

constexpr std::size_t kTableSize = 4096;  // distinct values of an input
constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20U;
constexpr unsigned kSeedA = 1, kSeedB = 2;

struct TensorKind {
  const char* precision;
  const char* title;
  LtProduct product;  // n is chosen later
  int input_bytes, output_bytes;
  int least_capability;
};

constexpr std::array<TensorKind, 6> kKinds = {{
    {"fp64_tensor",
     "FP64 matrix",
     {LtType::Real64F, LtType::Real64F, LtCompute::Double, LtType::Real64F, 0},
     8,
     8,
     80},
    {"tf32_tensor",
     "TF32 matrix",
     {LtType::Real32F, LtType::Real32F, LtCompute::Float32AsTf32, LtType::Real32F, 0},
     4,
     4,
     80},
    {"fp16_tensor",
     "FP16 matrix, FP32 sums",
     {LtType::Real16F, LtType::Real16F, LtCompute::Float32, LtType::Real32F, 0},
     2,
     2,
     70},
    {"bf16_tensor",
     "BF16 matrix, FP32 sums",
     {LtType::Real16Bf, LtType::Real16Bf, LtCompute::Float32, LtType::Real32F, 0},
     2,
     2,
     80},
    {"fp8_tensor",
     "FP8 (E4M3) matrix, fast sums",
     {LtType::Real8E4m3, LtType::Real16Bf, LtCompute::Float32, LtType::Real32F, 0, true},
     1,
     2,
     89},
    {"int8_tensor",
     "INT8 matrix, INT32 sums",
     {LtType::Int8, LtType::Int32, LtCompute::Int32, LtType::Int32, 0},
     1,
     4,
     72},
}};

const TensorKind* kindOf(const std::string& precision) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const TensorKind& kind) { return precision == kind.precision; });
  return found == kKinds.end() ? nullptr : &*found;
}

// Why the GPU has no such unit; "" when it has.
std::string lackingUnit(const TensorKind& kind, const GpuFacts& gpu) {
  const bool doubles = std::string_view(kind.precision) == "fp64_tensor";
  // FP64 matrix units exist on the data-centre chips 8.0, 9.0 and 10.0 only.
  const bool has_doubles = gpu.minor == 0 && gpu.major >= 8 && gpu.major <= 10;
  if (gpu.capability() >= kind.least_capability && (!doubles || has_doubles)) return {};
  return fmt::format("compute capability {}.{} has no {} unit", gpu.major, gpu.minor, kind.title);
}

// The table of input values: as numbers that the type holds exactly, and as bytes.
struct InputTable {
  std::vector<double> values;
  std::vector<unsigned char> bytes;
};

InputTable inputTable(LtType type, int bytes) {
  InputTable table;
  table.values = normalTable(kTableSize);
  table.bytes.resize(kTableSize * static_cast<size_t>(bytes));
  for (size_t i = 0; i < kTableSize; ++i) {
    double& value = table.values[i];
    std::uint64_t bits = 0;
    if (type == LtType::Real64F) {
      bits = std::bit_cast<std::uint64_t>(value);
    } else if (type == LtType::Real32F) {
      value = rounded(value, kTf32);  // so that the unit's own rounding changes nothing
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    } else if (type == LtType::Int8) {
      value = std::nearbyint(value * 30);
      bits = static_cast<std::uint8_t>(static_cast<std::int8_t>(value));
    } else {
      const SmallFloat& format = type == LtType::Real16F ? kHalf : type == LtType::Real16Bf ? kBrain : kE4m3;
      value = rounded(value, format);
      bits = encoded(value, format);
    }
    std::memcpy(&table.bytes[i * static_cast<size_t>(bytes)], &bits,
                static_cast<size_t>(bytes));  // little-endian
  }
  return table;
}

double outputValue(LtType type, const unsigned char* bytes) {
  const auto as = [&](auto zero) {
    std::memcpy(&zero, bytes, sizeof zero);
    return zero;
  };
  if (type == LtType::Real64F) return as(double{});
  if (type == LtType::Real32F) return as(float{});
  if (type == LtType::Int32) return as(std::int32_t{});
  return decoded(as(std::uint16_t{}), type == LtType::Real16F ? kHalf : kBrain);
}

struct TensorWork {
  const Gpu& gpu;
  const TensorKind& kind;
  const CublasLt& lt;
  CublasLt::Handle handle = nullptr;
  CublasLt::Plan plan;
  InputTable table;
  Buffer a, b, d, workspace;

  TensorWork(const Gpu& on, const TensorKind& what, const CublasLt& library)
      : gpu(on), kind(what), lt(library) {}
  TensorWork(const TensorWork&) = delete;
  TensorWork& operator=(const TensorWork&) = delete;
  ~TensorWork() {
    lt.destroy(plan);
    lt.destroyHandle(handle);
  }
  [[nodiscard]] std::uint64_t n() const { return plan.product.n; }
  [[nodiscard]] double operations() const { return 2.0 * std::pow(static_cast<double>(n()), 3); }
  [[nodiscard]] Status multiply(const CublasLt::Heuristic& algorithm) const {
    return lt.multiply(handle, plan, algorithm.algorithm, a.address(), b.address(), d.address(),
                       workspace.address(), workspace.bytes(), gpu.stream());
  }
};

Status fill(TensorWork& work, const Buffer& to, const Buffer& table, unsigned seed) {
  const auto kernel = work.gpu.kernel("fillFromTable");
  if (!kernel) return tl::unexpected(kernel.error());
  CuPointer address = to.address(), from = table.address();
  std::uint64_t count = work.n() * work.n();
  int bytes = work.kind.input_bytes;
  unsigned mask = kTableSize - 1;
  return work.gpu.launch(*kernel, static_cast<unsigned>(work.gpu.facts().sm_count) * 4,
                         {&address, &count, &bytes, &from, &mask, &seed});
}

// Buffers and inputs for n x n; the plan with the library's proposals.
Status prepare(TensorWork& work, std::uint64_t n, bool quick) {
  LtProduct product = work.kind.product;
  product.n = n;
  auto plan = work.lt.plan(work.handle, product, kWorkspaceBytes, quick ? 2 : 6);
  if (!plan) return tl::unexpected(plan.error());
  work.lt.destroy(work.plan);
  work.plan = std::move(*plan);
  const std::size_t elements = n * n;
  const auto take = [&](Buffer& buffer, std::size_t bytes) -> Status {
    auto made = work.gpu.allocate(bytes);
    if (!made) return tl::unexpected(made.error());
    buffer = std::move(*made);
    return {};
  };
  Buffer table;
  auto done = take(work.a, elements * static_cast<std::size_t>(work.kind.input_bytes));
  if (done) done = take(work.b, elements * static_cast<std::size_t>(work.kind.input_bytes));
  if (done) done = take(work.d, elements * static_cast<std::size_t>(work.kind.output_bytes));
  if (done && work.workspace.bytes() == 0) done = take(work.workspace, kWorkspaceBytes);
  if (done) done = take(table, work.table.bytes.size());
  if (done) done = work.gpu.toDevice(table, work.table.bytes.data(), work.table.bytes.size());
  if (done) done = fill(work, work.a, table, kSeedA);
  if (done) done = fill(work, work.b, table, kSeedB);
  if (done) done = work.gpu.synchronise();  // the table goes
  return done;
}

// A few elements of D against sums on the CPU. The sums of FP8 units keep few bits; a wrong product would be
// off by about sqrt(n) = its own size.
Status verify(const TensorWork& work) {
  const std::uint64_t n = work.n();
  constexpr auto kMask = static_cast<std::uint32_t>(kTableSize - 1);
  for (const auto& [row, column] :
       {std::pair{std::uint64_t{0}, std::uint64_t{0}}, {n / 3, n / 2 + 1}, {n - 1, n - 1}}) {
    double expected = 0, size = 0;
    for (std::uint64_t k = 0; k < n; ++k) {
      const double product = work.table.values[tableIndex(row * n + k, kMask, kSeedA)] *
                             work.table.values[tableIndex(column * n + k, kMask, kSeedB)];
      expected += product;
      size += product * product;
    }
    std::array<unsigned char, 8> bytes{};
    const auto width = static_cast<std::uint64_t>(work.kind.output_bytes);
    const CuPointer address = work.d.address() + (column * n + row) * width;
    if (auto idle = work.gpu.synchronise(); !idle) return idle;
    auto read = work.gpu.check(work.gpu.driver().copyToHost(bytes.data(), address, width), "cuMemcpyDtoH");
    if (!read) return read;
    const double got = outputValue(work.plan.product.output, bytes.data());
    const bool exact = work.plan.product.output == LtType::Int32;
    const double allowed = exact ? 0 : 0.03 * std::sqrt(size) + std::fabs(expected) / 100;
    if (std::fabs(got - expected) <= allowed) continue;
    return failure(ErrorKind::Internal, "cublasLtMatmul",
                   fmt::format("element ({}, {}) is {} instead of {}: the time means nothing", row, column,
                               got, expected));
  }
  return {};
}

// Whether matrices of n x n fit and their product does not take too long; true = prepared.
Result<bool> prepareSize(TensorWork& work, std::uint64_t n, bool quick) {
  constexpr double kLongestS = 0.12;
  constexpr std::uint64_t kProbe = 2048;
  const auto free_bytes = work.gpu.freeBytes();
  if (!free_bytes) return tl::unexpected(free_bytes.error());
  const auto matrices = static_cast<double>(2 * work.kind.input_bytes + work.kind.output_bytes);
  const double room = 0.9 * static_cast<double>(*free_bytes) - static_cast<double>(2 * kWorkspaceBytes);
  const auto fits = [&](std::uint64_t size) {
    return static_cast<double>(size) * static_cast<double>(size) * matrices <= room;
  };
  if (!fits(kProbe)) return failure(ErrorKind::Unavailable, "GPU memory", "too little of it is free");
  if (!fits(n)) return false;
  if (auto small = prepare(work, kProbe, quick); !small) return tl::unexpected(small.error());
  const auto timing =
      work.gpu.time({1, 0.004, 0.002, 2000}, [&] { return work.multiply(work.plan.algorithms[0]); });
  if (!timing) return tl::unexpected(timing.error());
  const double scale = static_cast<double>(n) / static_cast<double>(kProbe);
  if (timing->seconds_per_call.front() * std::pow(scale, 3) > kLongestS) return false;
  if (n == kProbe) return true;
  if (auto done = prepare(work, n, quick); !done) return tl::unexpected(done.error());
  return true;
}

Result<CublasLt::Heuristic> fastest(const TensorWork& work) {
  const CublasLt::Heuristic* best = nullptr;
  double best_s = 0;
  Error last;
  for (const auto& algorithm : work.plan.algorithms) {
    const auto timing = work.gpu.time({2, 0.004, 0.0, 64}, [&] { return work.multiply(algorithm); });
    if (!timing) {
      last = timing.error();
      continue;
    }
    const double seconds =
        *std::min_element(timing->seconds_per_call.begin(), timing->seconds_per_call.end());
    if (best == nullptr || seconds < best_s) best = &algorithm, best_s = seconds;
  }
  if (best == nullptr) return tl::unexpected(last);
  return *best;
}

Result<CalibrationValue> peakOfSize(const TensorWork& work, const MeasureOptions& options,
                                    const std::string& unit) {
  const auto algorithm = fastest(work);
  if (!algorithm) return tl::unexpected(algorithm.error());
  const Gpu& gpu = work.gpu;
  auto cleared = gpu.check(gpu.driver().fillBytes(work.d.address(), 0xFF, work.d.bytes()), "cuMemsetD8");
  if (!cleared) return tl::unexpected(cleared.error());
  const auto timing = gpu.time(options.plan(), [&] { return work.multiply(*algorithm); });
  if (!timing) return tl::unexpected(timing.error());
  if (auto right = verify(work); !right) return tl::unexpected(right.error());
  return valueOf(work.kind.precision, work.kind.title, unit, work.operations(), *timing,
                 fmt::format("cuBLASLt, {0} x {0} x {0}, normally distributed data, best of {1} algorithms; "
                             "elements checked",
                             work.n(), work.plan.algorithms.size()));
}

}  // namespace

CalibrationValue tensorPeak(const Gpu& gpu, const MeasureOptions& options, const std::string& precision,
                            int driver_api) {
  const TensorKind* const kind = kindOf(precision);
  if (kind == nullptr) return notMeasured(precision, precision, "FLOP/s", "there is no product for it");
  const std::string unit = kind->product.input == LtType::Int8 ? "op/s" : "FLOP/s";
  const auto absent = [&](const Error& error) {
    return notMeasured(precision, kind->title, unit, error.sentence());
  };
  const std::string lacking = lackingUnit(*kind, gpu.facts());
  if (!lacking.empty()) return notMeasured(precision, kind->title, unit, lacking);
  const auto lt = CublasLt::open(driver_api);
  if (!lt) return absent(lt.error());
  TensorWork work(gpu, *kind, *lt);
  work.table = inputTable(kind->product.input, kind->input_bytes);
  const auto handle = lt->createHandle();
  if (!handle) return absent(handle.error());
  work.handle = *handle;
  // Large products draw so much power that the clock falls: the peak is that of the size which is fastest.
  std::optional<CalibrationValue> best;
  for (const std::uint64_t n : {std::uint64_t{4096}, std::uint64_t{8192}, std::uint64_t{2048}}) {
    if ((n == 2048 && best) || (n == 8192 && options.quick)) continue;
    const auto ready = prepareSize(work, n, options.quick);
    if (!ready) return absent(ready.error());
    if (!*ready) continue;
    auto value = peakOfSize(work, options, unit);
    if (!value) return absent(value.error());
    if (!best || !best->best || (value->best && *value->best > *best->best)) best = std::move(*value);
  }
  return best ? *best : notMeasured(precision, kind->title, unit, "a product of 2048 x 2048 takes too long");
}

}  // namespace perfscope::calibration
