// Configuration -> CUPTI: kinds, single calls, versions; where libcupti is looked for; the list of recorded
// calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collector/cupti/activity_setup.h"
#include "collector/cupti/api_families.h"
#include "collector/cupti/find_cupti.h"
#include "collector/cupti/known_versions.h"
#include "tests/support/fake_cupti.h"

namespace perfscope::collector {
namespace {

template <typename T>
bool has(const std::vector<T>& kinds, std::type_identity_t<T> kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

class Setup : public ::testing::Test {
 protected:
  void SetUp() override { test::FakeCupti::reset(); }
  test::FakeCupti& fake = test::FakeCupti::instance();  // one thread only in this file
  CuptiApi api = test::FakeCupti::table();
  CollectorConfig config;
};

TEST_F(Setup, DefaultTracesLaunchFamiliesOnly) {
  const ActivityPlan plan = planActivities(config, api);
  std::vector<SetupIssue> issues;
  enableActivities(api, plan, Moment::BeforeCuda, issues);
  EXPECT_TRUE(issues.empty());
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_FALSE(has(fake.enabled, CUPTI_ACTIVITY_KIND_KERNEL));  // would serialise the GPU
  EXPECT_FALSE(has(fake.enabled, CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_FALSE(has(fake.enabled, CUPTI_ACTIVITY_KIND_DRIVER));
  EXPECT_FALSE(has(fake.enabled, CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_MEMORY2));
  const auto& runtime = fake.runtime_calls;
  EXPECT_NE(std::find(runtime.begin(), runtime.end(), CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000),
            runtime.end());
  EXPECT_EQ(std::find(runtime.begin(), runtime.end(), CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020),
            runtime.end());
  EXPECT_NE(
      std::find(fake.driver_calls.begin(), fake.driver_calls.end(), CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx),
      fake.driver_calls.end());
}

TEST_F(Setup, ApiAllAndNone) {
  config.api = ApiTracing::All;
  std::vector<SetupIssue> issues;
  ActivityPlan plan = planActivities(config, api);
  enableActivities(api, plan, Moment::BeforeCuda, issues);
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_FALSE(plan.filter_in_decoder);
  test::FakeCupti::reset();
  config.api = ApiTracing::None;
  plan = planActivities(config, api);
  enableActivities(api, plan, Moment::BeforeCuda, issues);
  EXPECT_FALSE(has(fake.enabled, CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_TRUE(fake.runtime_calls.empty());
}

TEST_F(Setup, OldCuptiTracesWholeKindsAndSaysSo) {
  api.activity_enable_runtime_api = nullptr;
  const ActivityPlan plan = planActivities(config, api);
  EXPECT_TRUE(plan.filter_in_decoder);
  std::vector<SetupIssue> issues;
  enableActivities(api, plan, Moment::BeforeCuda, issues);
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_DRIVER));
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_TRUE(issues[0].whole_api_kinds);
}

TEST_F(Setup, GraphLevelAndMemoryOptions) {
  config.graphs = GraphTracing::Graph;
  config.memory = false;
  const ActivityPlan plan = planActivities(config, api);
  EXPECT_TRUE(has(plan.kinds, CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_FALSE(has(plan.kinds, CUPTI_ACTIVITY_KIND_MEMORY2));
  EXPECT_FALSE(plan.graph_callbacks);
}

TEST_F(Setup, RefusedKindIsAnIssueAndTheRestGoesOn) {
  fake.refused_kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  std::vector<SetupIssue> issues;
  enableActivities(api, planActivities(config, api), Moment::BeforeCuda, issues);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].what, "MEMORY2");
  EXPECT_EQ(issues[0].code, CUPTI_ERROR_INVALID_KIND);
  EXPECT_FALSE(fake.runtime_calls.empty());
}

// What a window does that opens while contexts exist: see Moment.
TEST_F(Setup, WhileRunningTheWholeKindsGoOnLessTheCallsThatAreNotWanted) {
  std::vector<SetupIssue> issues;
  enableActivities(api, planActivities(config, api), Moment::Running, issues);
  EXPECT_TRUE(issues.empty());
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_TRUE(has(fake.enabled, CUPTI_ACTIVITY_KIND_DRIVER));
  EXPECT_TRUE(has(fake.runtime_calls_off, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020));
  EXPECT_FALSE(has(fake.runtime_calls_off, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
  EXPECT_TRUE(has(fake.driver_calls_off, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent));
  EXPECT_FALSE(has(fake.driver_calls_off, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  disableActivities(api, planActivities(config, api));
  EXPECT_TRUE(has(fake.disabled, CUPTI_ACTIVITY_KIND_RUNTIME));
}

TEST_F(Setup, DisableTurnsOffWhatCosts) {
  const ActivityPlan plan = planActivities(config, api);
  disableActivities(api, plan);
  EXPECT_TRUE(has(fake.disabled, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_FALSE(has(fake.disabled, CUPTI_ACTIVITY_KIND_DEVICE));
}

// The table's numbers against the header's names (the header of this build; newer ids are not in older
// headers).
TEST(ApiFamilies, NumbersMeanTheirNames) {
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020));
  EXPECT_TRUE(isRecordedRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx));
  EXPECT_TRUE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData));
  for (const uint32_t noise :
       {CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020})
    EXPECT_FALSE(isRecordedRuntimeApi(noise)) << noise;
  EXPECT_FALSE(isRecordedDriverApi(CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent));
  EXPECT_FALSE(isRecordedRuntimeApi(0));
  EXPECT_FALSE(isRecordedRuntimeApi(100'000));
}

TEST(ApiFamilies, NoIdAppearsTwice) {
  for (const auto families : {runtimeFamilies(), driverFamilies()}) {
    std::map<uint16_t, std::string> seen;
    for (const ApiFamily& family : families) {
      for (const uint16_t id : family.ids) {
        if (id == 0) continue;
        EXPECT_TRUE(seen.emplace(id, family.name).second) << family.name << " and " << seen[id];
      }
    }
  }
}

constexpr const char* kPipMaps =
    "7f00-7f01 r-xp 00000000 08:01 1 /venv/lib/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12\n"
    "7f01-7f02 r-xp 00000000 08:01 1 [heap]\n"
    "7f02-7f03 r-xp 00000000 08:01 1 /venv/lib/site-packages/torch/lib/libtorch_cuda.so\n";

TEST(FindCupti, MappedCopyIsFound) {
  const std::string maps =
      std::string(kPipMaps) + "7f04-7f05 r-xp 0 08:01 1 /venv/nvidia/cuda_cupti/lib/libcupti.so.12\n";
  EXPECT_EQ(mappedCupti(maps), "/venv/nvidia/cuda_cupti/lib/libcupti.so.12");
  EXPECT_EQ(mappedCupti(kPipMaps), "");
  EXPECT_EQ(mappedCupti("7f04-7f05 r-xp 0 08:01 1 /x/libcupti.so.2025.3.1"), "/x/libcupti.so.2025.3.1");
}

TEST(FindCupti, PipWheelsBesideLoadedLibrariesComeFirst) {
  const auto list = cuptiCandidates(kPipMaps, "/opt/cuda", 12);
  const auto at = [&](const std::string& path) {
    return std::find(list.begin(), list.end(), path) - list.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(list.size());
  EXPECT_LT(at("/venv/lib/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"), at("libcupti.so.12"));
  EXPECT_LT(at("/opt/cuda/extras/CUPTI/lib64/libcupti.so.12"), at("libcupti.so.12"));
  EXPECT_LT(at("libcupti.so.12"), end);
  EXPECT_EQ(at("libcupti.so.13"), end);  // a driver of CUDA 12 cannot use it
  const auto newer = cuptiCandidates(kPipMaps, "", 13);
  EXPECT_LT(std::find(newer.begin(), newer.end(), "libcupti.so.13"),
            std::find(newer.begin(), newer.end(), "libcupti.so.12"));
  EXPECT_NE(std::find(newer.begin(), newer.end(), "/venv/lib/site-packages/nvidia/cu13/lib/libcupti.so.13"),
            newer.end());
}

TEST(FindCupti, WrongPathInTheVariableIsAnError) {
  ::setenv("PERFSCOPE_CUPTI", "/nonexistent/libcupti.so", 1);
  const auto api = findCupti(13);
  ::unsetenv("PERFSCOPE_CUPTI");
  ASSERT_FALSE(api.has_value());
  EXPECT_NE(api.error().sentence().find("PERFSCOPE_CUPTI=/nonexistent/libcupti.so"), std::string::npos);
}

TEST(KnownVersions, OnlyTheBadOnes) {
  EXPECT_NE(knownDefect(130000), nullptr);
  EXPECT_EQ(knownDefect(130001), nullptr);
  EXPECT_NE(knownDefect(130200), nullptr);
  EXPECT_EQ(knownDefect(130300), nullptr);
  EXPECT_EQ(knownDefect(28), nullptr);
}

}  // namespace
}  // namespace perfscope::collector
