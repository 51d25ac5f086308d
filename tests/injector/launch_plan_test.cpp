// The plan of argv and environment, case by case.
#include "injector/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfscope {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

CollectorConfig config() {
  CollectorConfig c;
  c.session_dir = "/s";
  c.collector_path = "/lib/c.so";
  return c;
}

LaunchPlan plan(const Environment& environment, ProgramTraits traits = {}) {
  return planLaunch({"python", "x.py"}, "/usr/bin/python", traits, config(), environment);
}

auto note(const std::string& name) {
  return Contains(Field(&PlanNote::name, name));
}

TEST(LaunchPlan, CleanEnvironmentGetsTheThreeDoors) {
  const auto p = plan({{"HOME", "/h"}});
  EXPECT_EQ(p.program, "/usr/bin/python");
  EXPECT_EQ(p.argv, (std::vector<std::string>{"python", "x.py"}));
  EXPECT_EQ(p.environment.at("LD_PRELOAD"), "/lib/c.so");
  EXPECT_EQ(p.environment.at("CUDA_INJECTION64_PATH"), "/lib/c.so");
  EXPECT_EQ(p.environment.at("NVTX_INJECTION64_PATH"), "/lib/c.so");
  EXPECT_EQ(p.environment.at("HOME"), "/h");
  EXPECT_EQ(parseConfig(p.environment.at(kConfigVariable))->session_dir, "/s");
  EXPECT_EQ(p.environment.count(kChainedCudaVariable), 0u);
  EXPECT_THAT(p.notes, IsEmpty());
}

TEST(LaunchPlan, PreloadIsPrependedAndToldOf) {
  const auto p = plan({{"LD_PRELOAD", "/usr/lib/libjemalloc.so"}});
  EXPECT_EQ(p.environment.at("LD_PRELOAD"), "/lib/c.so:/usr/lib/libjemalloc.so");
  EXPECT_THAT(p.notes, note("preload_chained"));
}

TEST(LaunchPlan, OwnPreloadIsNotDoubled) {
  const auto p = plan({{"LD_PRELOAD", "/lib/c.so:/x.so"}});
  EXPECT_EQ(p.environment.at("LD_PRELOAD"), "/lib/c.so:/x.so");
}

TEST(LaunchPlan, APreloadThatOnlyBeginsLikeOursIsKept) {
  const auto p = plan({{"LD_PRELOAD", "/lib/c.so.bak"}});
  EXPECT_EQ(p.environment.at("LD_PRELOAD"), "/lib/c.so:/lib/c.so.bak");
}

TEST(LaunchPlan, InjectionsOfOthersAreChained) {
  const auto p = plan({{"CUDA_INJECTION64_PATH", "/nsys.so"}, {"NVTX_INJECTION64_PATH", "/tool.so"}});
  EXPECT_EQ(p.environment.at("CUDA_INJECTION64_PATH"), "/lib/c.so");
  EXPECT_EQ(p.environment.at(kChainedCudaVariable), "/nsys.so");
  EXPECT_EQ(p.environment.at(kChainedNvtxVariable), "/tool.so");
  EXPECT_THAT(p.notes, note("cuda_injection_chained"));
  EXPECT_THAT(p.notes, note("nvtx_injection_chained"));
}

TEST(LaunchPlan, NoneMeansNothingToChain) {
  const auto p = plan({{"CUDA_INJECTION64_PATH", "none"}});
  EXPECT_EQ(p.environment.count(kChainedCudaVariable), 0u);
  EXPECT_THAT(p.notes, IsEmpty());
}

TEST(LaunchPlan, AStaleChainOfAnOuterRunIsRemoved) {
  const auto p = plan({{kChainedCudaVariable, "/old.so"}});
  EXPECT_EQ(p.environment.count(kChainedCudaVariable), 0u);
}

TEST(LaunchPlan, NvtxThroughCuptiIsLeftOut) {
  const auto p = plan({{"NVTX_INJECTION64_PATH", "/usr/local/cuda/lib64/libcupti.so.12"}});
  EXPECT_EQ(p.environment.at("NVTX_INJECTION64_PATH"), "/lib/c.so");
  EXPECT_EQ(p.environment.count(kChainedNvtxVariable), 0u);
  EXPECT_THAT(p.notes, note("nvtx_injection_is_cupti"));
  EXPECT_THAT(p.notes, testing::Not(note("nvtx_injection_chained")));
}

TEST(LaunchPlan, StaticAndSetuidProgramsAreToldOf) {
  ProgramTraits traits;
  traits.statically_linked = true;
  EXPECT_THAT(plan({}, traits).notes, Contains(Field(&PlanNote::text, HasSubstr("statically linked"))));
  traits = {};
  traits.set_id = true;
  EXPECT_THAT(plan({}, traits).notes, Contains(Field(&PlanNote::text, HasSubstr("setuid"))));
}

TEST(LaunchPlan, OtherProfilersAreNamed) {
  EXPECT_THAT(plan({{"NSYS_PROFILING_SESSION_ID", "1"}}).notes,
              Contains(Field(&PlanNote::text, HasSubstr("Nsight Systems"))));
}

TEST(LaunchPlan, ProgramsThatDropTheEnvironment) {
  const auto p = planLaunch({"sudo", "train"}, "/usr/bin/sudo", {}, config(), {});
  EXPECT_THAT(p.notes, note("environment_not_inherited"));
  EXPECT_THAT(planLaunch({"su2"}, "/usr/bin/su2", {}, config(), {}).notes, IsEmpty());
}

TEST(EnvironmentBlock, FirstOfDuplicatesWinsAndOddEntriesAreDropped) {
  const char* const block[] = {"A=1", "A=2", "B=x=y", "nonsense", "=C:", "EMPTY=", nullptr};
  const Environment e = environmentOf(block);
  EXPECT_EQ(e, (Environment{{"A", "1"}, {"B", "x=y"}, {"EMPTY", ""}}));
  EXPECT_TRUE(environmentOf(nullptr).empty());
}

}  // namespace
}  // namespace perfscope
