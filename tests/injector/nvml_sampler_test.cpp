// The sampling thread against a made-up NVML.
#include "injector/recorder/nvml_sampler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>

namespace perfscope {
namespace {

// C functions cannot carry state: what they saw is kept here, between the cases set back by fake().
std::atomic<int> g_pcie_calls{0};
std::atomic<int> g_shutdowns{0};

NvmlApi fake() {
  g_pcie_calls = 0;
  g_shutdowns = 0;
  NvmlApi api;
  api.init = [] { return 0; };
  api.shutdown = [] { return ++g_shutdowns, 0; };
  api.driverVersion = [](char* text, unsigned size) {
    std::snprintf(text, size, "580.1");
    return 0;
  };
  api.cudaVersion = [](int* version) { return *version = 13000, 0; };
  api.byUuid = [](const char* uuid, NvmlDevice* device) {
    *device = const_cast<char*>("device");
    return std::strncmp(uuid, "GPU-known", 9) == 0 ? 0 : 6;
  };
  api.clock = [](NvmlDevice, unsigned kind, unsigned* mhz) {
    return *mhz = kind == kNvmlClockSm ? 1980 : 2619, 0;
  };
  api.maxClock = [](NvmlDevice, unsigned, unsigned* mhz) { return *mhz = 1985, 0; };
  api.power = [](NvmlDevice, unsigned* mw) { return *mw = 412500, 0; };
  api.powerLimit = [](NvmlDevice, unsigned* mw) { return *mw = 700000, 0; };
  api.temperature = [](NvmlDevice, unsigned, unsigned*) { return 3; };  // not supported
  api.memory = [](NvmlDevice, NvmlMemory* memory) { return *memory = {100, 40, 60}, 0; };
  api.pcie = [](NvmlDevice, unsigned direction, unsigned* kb) {
    ++g_pcie_calls;
    return *kb = direction == kNvmlPcieTx ? 11 : 22, 0;
  };
  return api;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(NvmlSampler, SamplesOnlyWatchedGpus) {
  const auto sampler = NvmlSampler::start(200, fake());
  std::optional<NvmlHostFacts> host;
  ASSERT_TRUE(eventually([&] { return (host = sampler->takeHostFacts()).has_value(); }));
  EXPECT_EQ(host->driver_version, "580.1");
  EXPECT_EQ(host->cuda_driver_api, 13000);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(sampler->takeSamples().empty());
  sampler->watch("GPU-other");
  sampler->watch("GPU-known-1");
  sampler->watch("GPU-known-1");
  std::vector<NvmlSample> samples;
  ASSERT_TRUE(eventually([&] {
    for (auto& sample : sampler->takeSamples()) samples.push_back(sample);
    return samples.size() >= 3;
  }));
  for (const auto& sample : samples) {
    EXPECT_EQ(sample.uuid, "GPU-known-1");
    EXPECT_EQ(sample.sm_clock_mhz, 1980);
    EXPECT_EQ(sample.memory_clock_mhz, 2619);
    EXPECT_EQ(sample.power_mw, 412500);
    EXPECT_EQ(sample.memory_used_bytes, 60);
    EXPECT_FALSE(sample.temperature_c);  // refused
    EXPECT_FALSE(sample.energy_mj);      // the library has no such function
    EXPECT_GT(sample.time_ns, 1'700'000'000'000'000'000U);
  }
  EXPECT_LT(samples[0].time_ns, samples[1].time_ns);
  const auto facts = sampler->takeFacts();
  ASSERT_EQ(facts.size(), 1u);  // asked once for each GPU
  EXPECT_EQ(facts[0].power_limit_w, 700.0);
  EXPECT_EQ(facts[0].max_sm_clock_mhz, 1985);
}

// Until it is known which GPU is used, all are sampled; the first sample comes at once, not after a period.
TEST(NvmlSampler, FirstSampleComesAtOnce) {
  NvmlApi api = fake();
  api.count = [](unsigned* count) { return *count = 2, 0; };
  api.byIndex = [](unsigned index, NvmlDevice* device) {
    *device = const_cast<char*>(index == 0 ? "0" : "1");
    return 0;
  };
  api.uuid = [](NvmlDevice device, char* text, unsigned size) {
    std::snprintf(text, size, "GPU-known-%s", static_cast<const char*>(device));
    return 0;
  };
  const auto sampler = NvmlSampler::start(0.1, api);  // a period of 10 s
  std::vector<NvmlSample> samples;
  ASSERT_TRUE(eventually([&] {
    for (auto& sample : sampler->takeSamples()) samples.push_back(sample);
    return samples.size() == 2;
  }));
  EXPECT_EQ(samples[0].uuid, "GPU-known-0");
  EXPECT_EQ(samples[1].uuid, "GPU-known-1");
  EXPECT_FALSE(sampler->settled());
  sampler->watch("GPU-known-1");
  ASSERT_TRUE(eventually([&] { return sampler->settled(); }));
  samples = sampler->takeSamples();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].uuid, "GPU-known-1");
}

TEST(NvmlSampler, SlowQueriesComeOnceASecond) {
  const auto sampler = NvmlSampler::start(100, fake());
  sampler->watch("GPU-known");
  size_t count = 0;
  ASSERT_TRUE(eventually([&] { return (count += sampler->takeSamples().size()) >= 40; }));
  EXPECT_LE(g_pcie_calls, 4);  // two directions
}

TEST(NvmlSampler, FailureToStartIsTold) {
  NvmlApi api = fake();
  api.init = [] { return 9; };
  const auto sampler = NvmlSampler::start(100, api);
  std::optional<std::string> why;
  ASSERT_TRUE(eventually([&] { return (why = sampler->takeFailure()).has_value(); }));
  EXPECT_EQ(*why, "nvmlInit failed with code 9");
  sampler->watch("GPU-known");
  EXPECT_TRUE(sampler->takeSamples().empty());
}

TEST(NvmlSampler, EndsAtOnce) {
  auto sampler = NvmlSampler::start(0.1, fake());  // a sample every 10 s
  ASSERT_TRUE(eventually([&] { return sampler->takeHostFacts().has_value(); }));
  const auto start = std::chrono::steady_clock::now();
  sampler.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(g_shutdowns, 1);
}

}  // namespace
}  // namespace perfscope
