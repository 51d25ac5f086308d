// The measurements on a GPU made of host memory: known speeds must come out, wrong results must be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"

namespace perfscope::calibration {
namespace {

using testing::HasSubstr;

// A GPU of 2 SMs whose clock only its own work moves: 10 GB/s of memory, 8 blocks a SM.
struct FakeGpu {
  double now_s = 0;
  double bytes_per_s = 1e10, chain_steps_per_s = 1e12;
  size_t free_bytes = size_t{20} << 20U;
  bool loses_writes = false, skips_work = false;
  std::map<std::string, std::string> functions;  // name -> itself: a stable address
};
FakeGpu* g_fake = nullptr;

template <class T>
T parameter(void** parameters, int index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

void readSum(void** p, size_t threads) {
  const auto* const words = reinterpret_cast<const unsigned*>(parameter<CuPointer>(p, 0));
  const auto quads = parameter<std::uint64_t>(p, 1);
  auto* const sums = reinterpret_cast<unsigned*>(parameter<CuPointer>(p, 2));
  std::memset(sums, 0, threads * sizeof(unsigned));
  for (std::uint64_t i = 0; i < quads * 4; ++i) sums[i / 4 % threads] += words[i];
  g_fake->now_s += static_cast<double>(quads) * 16 / g_fake->bytes_per_s;
}

void writePatternKernel(void** p) {
  auto* const words = reinterpret_cast<unsigned*>(parameter<CuPointer>(p, 0));
  const auto quads = parameter<std::uint64_t>(p, 1);
  const auto seed = parameter<unsigned>(p, 2);
  for (unsigned i = 0; i < quads * 4 && !g_fake->loses_writes; ++i) words[i] = i * kWeyl + seed;
  g_fake->now_s += static_cast<double>(quads) * 16 / g_fake->bytes_per_s;
}

CuCode copyOnDevice(CuPointer to, CuPointer from, size_t bytes, CuHandle) {
  if (!g_fake->loses_writes) std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  g_fake->now_s += 2 * static_cast<double>(bytes) / g_fake->bytes_per_s;
  return 0;
}

void copyQuads(void** p) {
  copyOnDevice(parameter<CuPointer>(p, 1), parameter<CuPointer>(p, 0), parameter<std::uint64_t>(p, 2) * 16,
               nullptr);
}

void chain(void** p, size_t threads) {
  const auto rounds = parameter<int>(p, 0);
  auto* const results = reinterpret_cast<std::uint64_t*>(parameter<CuPointer>(p, 2));
  for (const size_t thread : {size_t{0}, threads / 2 + 77, threads - 1}) {
    results[thread] = g_fake->skips_work ? 0 : chainFp32(static_cast<unsigned>(thread), rounds);
  }
  g_fake->now_s +=
      static_cast<double>(threads) * rounds * kStepsPerRound * kChains / g_fake->chain_steps_per_s;
}

CuCode launch(CuHandle function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned,
              unsigned, CuHandle, void** parameters, void**) {
  const std::string& name = *static_cast<std::string*>(function);
  const size_t threads = size_t{grid} * block;
  g_fake->now_s += 2e-6;
  if (name == "readSum") readSum(parameters, threads);
  if (name == "writePattern") writePatternKernel(parameters);
  if (name == "copyQuads") copyQuads(parameters);
  if (name == "chainFp32") chain(parameters, threads);
  return 0;
}

CuCode attribute(int* value, int number, CuDevice) {
  *value = number == kAttributeMultiprocessors   ? 2
           : number == kAttributeL2Bytes         ? 1 << 20
           : number == kAttributeCapabilityMajor ? 7
                                                 : 5;
  return 0;
}

CudaDriver fakeDriver() {
  CudaDriver d;
  d.errorString = [](CuCode, const char** text) { return *text = "out of memory", 0; };
  d.deviceGet = [](CuDevice* device, int) { return *device = 0, 0; };
  d.deviceName = [](char* name, int, CuDevice) { return std::strcpy(name, "Fake"), 0; };
  d.deviceUuid = [](CuUuid* uuid, CuDevice) { return *uuid = CuUuid{{0xAB}}, 0; };
  d.deviceAttribute = attribute;
  d.contextRetain = [](CuHandle* context, CuDevice) { return *context = g_fake, 0; };
  d.contextRelease = [](CuDevice) { return 0; };
  d.contextSetCurrent = [](CuHandle) { return 0; };
  d.memoryInfo = [](size_t* free_bytes, size_t* total) {
    return *free_bytes = *total = g_fake->free_bytes, 0;
  };
  d.allocate = [](CuPointer* pointer, size_t bytes) -> CuCode {
    if (bytes > g_fake->free_bytes) return kCuErrorOutOfMemory;
    *pointer = reinterpret_cast<CuPointer>(std::calloc(bytes, 1));
    return 0;
  };
  d.release = [](CuPointer pointer) { return std::free(reinterpret_cast<void*>(pointer)), 0; };
  d.fillBytes = [](CuPointer p, unsigned char v, size_t n) {
    return std::memset(reinterpret_cast<void*>(p), v, n), 0;
  };
  d.copyToHost = [](void* to, CuPointer from, size_t n) {
    return std::memcpy(to, reinterpret_cast<void*>(from), n), 0;
  };
  d.copyOnDeviceAsync = copyOnDevice;
  d.loadModule = [](CuHandle* module, const void*) { return *module = g_fake, 0; };
  d.unloadModule = [](CuHandle) { return 0; };
  d.moduleFunction = [](CuHandle* function, CuHandle, const char* name) {
    return *function = &(g_fake->functions[name] = name), 0;
  };
  d.launch = launch;
  d.occupancy = [](int* blocks, CuHandle, int, size_t) { return *blocks = 8, 0; };
  d.streamCreate = [](CuHandle* stream, unsigned) { return *stream = g_fake, 0; };
  d.streamDestroy = [](CuHandle) { return 0; };
  d.streamSynchronize = [](CuHandle) { return 0; };
  d.eventCreate = [](CuHandle* event, unsigned) { return *event = new double(0), 0; };
  d.eventDestroy = [](CuHandle event) { return delete static_cast<double*>(event), 0; };
  d.eventRecord = [](CuHandle event, CuHandle) { return *static_cast<double*>(event) = g_fake->now_s, 0; };
  d.eventSynchronize = [](CuHandle) { return 0; };
  d.eventElapsed = [](float* ms, CuHandle begin, CuHandle end) {
    return *ms = static_cast<float>((*static_cast<double*>(end) - *static_cast<double*>(begin)) * 1e3), 0;
  };
  return d;
}

class CalibrationMeasure : public testing::Test {
 protected:
  CalibrationMeasure() {
    g_fake = &fake;
    auto opened = Gpu::open(driver, 0, nullptr);
    gpu = std::move(*opened);
    (void)gpu->loadKernels({'x'});
  }
  FakeGpu fake;
  CudaDriver driver = fakeDriver();
  std::unique_ptr<Gpu> gpu;
  MeasureOptions quick{true};
};

TEST_F(CalibrationMeasure, BandwidthIsBytesOverTime) {
  const auto read = dramBandwidth(*gpu, quick, "read");
  ASSERT_TRUE(read.best) << read.why;
  // Two microseconds of launch beside a millisecond of work: the rate is 10 GB/s less a few per mille, never
  // more.
  EXPECT_LE(*read.best, 1e10 * 1.0001);
  EXPECT_GE(*read.best, 0.99e10);
  EXPECT_GE(read.repetitions, 5);
  EXPECT_GE(read.repetition_s, 1e-3);
  EXPECT_LE(*read.median, *read.best);
  const auto copy = dramBandwidth(*gpu, quick, "copy");
  ASSERT_TRUE(copy.best) << copy.why;
  EXPECT_NEAR(*copy.best, *read.best, 0.01e10) << "a copy counts bytes read and written";
  EXPECT_THAT(copy.how, HasSubstr("contents checked"));
}

TEST_F(CalibrationMeasure, LostWritesAreRefused) {
  fake.loses_writes = true;
  for (const char* const kind : {"read", "write", "copy"}) {
    const auto value = dramBandwidth(*gpu, quick, kind);
    EXPECT_FALSE(value.best) << kind;
    EXPECT_THAT(value.why, HasSubstr("wrong result")) << kind;
  }
}

TEST_F(CalibrationMeasure, TooLittleMemoryToOutgrowTheCacheIsSaid) {
  fake.free_bytes = 4 << 20;
  const auto value = dramBandwidth(*gpu, quick, "read");
  EXPECT_FALSE(value.best);
  EXPECT_THAT(value.why, HasSubstr("outgrow the cache"));
  EXPECT_THAT(value.why, HasSubstr("remedy"));
}

TEST_F(CalibrationMeasure, VectorPeakCountsTwoForEachStep) {
  const auto value = vectorPeak(*gpu, quick, "fp32");
  ASSERT_TRUE(value.best) << value.why;
  EXPECT_NEAR(*value.best, 2e12, 0.04e12);  // 2 us of launch beside 130 us
  EXPECT_EQ(value.unit, "FLOP/s");
}

TEST_F(CalibrationMeasure, KernelThatDidNothingIsRefused) {
  fake.skips_work = true;
  const auto value = vectorPeak(*gpu, quick, "fp32");
  EXPECT_FALSE(value.best);
  EXPECT_THAT(value.why, HasSubstr("the time means nothing"));
}

TEST_F(CalibrationMeasure, WorkTooShortForTheEventsIsRefused) {
  TimingPlan plan{5, 0.005, 0.0, 10};  // ten calls of 2 us at most
  const auto timing = gpu->time(plan, [&] { return gpu->launch(*gpu->kernel("nothing"), 1, {}); });
  ASSERT_FALSE(timing);
  EXPECT_THAT(timing.error().reason, HasSubstr("too short"));
}

TEST_F(CalibrationMeasure, MissingMatrixUnitIsTheReason) {
  const auto value = tensorPeak(*gpu, quick, "fp8_tensor", 13000);
  EXPECT_FALSE(value.best);
  EXPECT_THAT(value.why, HasSubstr("compute capability 7.5 has no"));
}

TEST_F(CalibrationMeasure, UuidHasTheFormOfProfiles) {
  EXPECT_EQ(gpu->facts().uuid, "GPU-ab000000-0000-0000-0000-000000000000");
}

}  // namespace
}  // namespace perfscope::calibration
