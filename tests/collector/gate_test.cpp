// The gate: when to collect, as a pure decision.
#include "collector/window/gate.h"

#include <gtest/gtest.h>

#include <vector>

#include "collector/window/trigger.h"

namespace perfscope::collector {
namespace {

std::vector<spool::Window> windows(Gate& gate) {
  std::vector<spool::Window> all;
  while (const auto window = gate.nextWindow()) all.push_back(*window);
  return all;
}

TEST(StepMatcher, DefaultKnowsTheUsualNames) {
  const StepMatcher matcher("");
  for (const char* text :
       {"step 1", "Step#12", "ProfilerStep#0", "iteration 3", "iter_99", "step:7", "step5"})
    EXPECT_TRUE(matcher.matches(text)) << text;
  for (const char* text :
       {"step", "step ", "stepping 3", "forward", "", "optimizer step 3", "step 3b", "iter"})
    EXPECT_FALSE(matcher.matches(text)) << text;
}

TEST(StepMatcher, PatternAndBrokenPattern) {
  const StepMatcher matcher("^batch [0-9]+$");
  EXPECT_TRUE(matcher.valid());
  EXPECT_TRUE(matcher.matches("batch 12"));
  EXPECT_FALSE(matcher.matches("batch 12 of 13"));
  const StepMatcher broken("batch [");
  EXPECT_FALSE(broken.valid());
  EXPECT_TRUE(broken.matches("batch ["));
  EXPECT_FALSE(broken.matches("batch 1"));
}

TEST(Gate, WithoutOptionsItIsOpenFromTheStart) {
  Gate gate(CollectorConfig{}, 100);
  EXPECT_TRUE(gate.constant());
  EXPECT_TRUE(gate.open());
  EXPECT_TRUE(gate.kindsWanted());
  const auto all = windows(gate);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].head.flags, 1U);
  EXPECT_EQ(all[0].time_ns, 100U);
  EXPECT_EQ(all[0].reason, spool::WindowReason::Start);
}

TEST(Gate, DelayAndDuration) {
  CollectorConfig config;
  config.delay_ns = 1000;
  config.duration_ns = 500;
  Gate gate(config, 100);
  EXPECT_FALSE(gate.open());
  gate.tick(1099);
  EXPECT_FALSE(gate.kindsWanted());
  gate.tick(1120);
  EXPECT_TRUE(gate.open());
  EXPECT_TRUE(gate.kindsWanted());
  gate.tick(1610);
  EXPECT_FALSE(gate.open());
  EXPECT_FALSE(gate.kindsWanted());
  const auto all = windows(gate);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].time_ns, 1100U);  // the window's own time, not that of the round that noticed
  EXPECT_EQ(all[0].reason, spool::WindowReason::Delay);
  EXPECT_EQ(all[1].time_ns, 1600U);
  EXPECT_EQ(all[1].reason, spool::WindowReason::Duration);
}

// wait 2, warm up 1, record 2, twice: steps 3, 4 and 8, 9 are recorded.
TEST(Gate, StepWindows) {
  CollectorConfig config;
  config.steps_wait = 2;
  config.steps_warmup = 1;
  config.steps_active = 2;
  config.steps_repeat = 2;
  Gate gate(config, 0);
  std::vector<bool> open, kinds_before_begin;
  for (uint64_t step = 0; step < 13; ++step) {
    kinds_before_begin.push_back(gate.kindsWanted());
    gate.rangeBegan("step " + std::to_string(step), 1000 * step);
    gate.rangeBegan("forward", 1000 * step + 1);
    open.push_back(gate.open());
    gate.rangeEnded("forward", 1000 * step + 2);
    gate.rangeEnded("step " + std::to_string(step), 1000 * step + 900);
  }
  EXPECT_EQ(open, (std::vector<bool>{false, false, false, true, true, false, false, false, true, true, false,
                                     false, false}));
  // On before the first kernel of every recorded step (and of the warm-up), off when nothing is near.
  EXPECT_EQ(kinds_before_begin, (std::vector<bool>{false, false, true, true, true, true, false, true, true,
                                                   true, true, false, false}));
  const auto all = windows(gate);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].time_ns, 3000U);
  EXPECT_EQ(all[1].time_ns, 4900U);
  EXPECT_EQ(all[2].time_ns, 8000U);
  EXPECT_EQ(all[3].time_ns, 9900U);
  EXPECT_EQ(all[3].reason, spool::WindowReason::StepWindow);
}

TEST(Gate, StepsWithoutWaitAreReadyFromTheStart) {
  CollectorConfig config;
  config.steps_active = 1;
  Gate gate(config, 0);
  EXPECT_TRUE(gate.kindsWanted());
  EXPECT_FALSE(gate.open());
  gate.rangeBegan("step 0", 5);
  EXPECT_TRUE(gate.open());
}

TEST(Gate, NvtxCaptureCountsNesting) {
  CollectorConfig config;
  config.capture = Capture::Nvtx;
  config.capture_range = "region";
  Gate gate(config, 0);
  EXPECT_FALSE(gate.kindsWanted());
  gate.rangeBegan("other", 1);
  EXPECT_FALSE(gate.open());
  gate.rangeBegan("region", 2);
  gate.rangeBegan("region", 3);
  gate.rangeEnded("region", 4);
  EXPECT_TRUE(gate.open());
  gate.rangeEnded("region", 5);
  EXPECT_FALSE(gate.open());
  gate.rangeEnded("region", 6);  // one too many changes nothing
  const auto all = windows(gate);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].time_ns, 2U);
  EXPECT_EQ(all[1].time_ns, 5U);
}

TEST(Gate, ProfilerApi) {
  CollectorConfig config;
  config.capture = Capture::ProfilerApi;
  Gate gate(config, 0);
  EXPECT_TRUE(gate.kindsWanted());  // on before the first start, which nothing announces
  EXPECT_FALSE(gate.open());
  gate.profilerApi(true, 10);
  EXPECT_TRUE(gate.open());
  gate.profilerApi(false, 20);
  EXPECT_FALSE(gate.kindsWanted());
  gate.profilerApi(true, 30);
  EXPECT_TRUE(gate.kindsWanted());
  const auto all = windows(gate);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].time_ns, 20U);
}

struct Switched {
  int on = 0;
  static void count(void* self) { ++static_cast<Switched*>(self)->on; }
};

TEST(Trigger, StepsOneAhead) {
  CollectorConfig config;
  config.steps_wait = 2;
  config.steps_active = 1;
  config.steps_repeat = 1;
  Switched switched;
  WindowTrigger trigger(config, Switched::count, &switched);
  EXPECT_TRUE(trigger.used());
  std::vector<bool> on;
  for (int step = 0; step < 5; ++step) on.push_back(trigger.before("step " + std::to_string(step)));
  EXPECT_FALSE(trigger.before("forward"));
  // Step 2 is recorded, so step 1 switches on already.
  EXPECT_EQ(on, (std::vector<bool>{false, true, true, false, false}));
  EXPECT_EQ(switched.on, 2);
}

TEST(Trigger, CaptureRangeIsSwitchedOnBeforeItBegins) {
  CollectorConfig config;
  config.capture = Capture::Nvtx;
  config.capture_range = "region";
  Switched switched;
  WindowTrigger trigger(config, Switched::count, &switched);
  const uint64_t recorded = trigger.recorded();
  EXPECT_FALSE(trigger.pending(recorded));
  EXPECT_FALSE(trigger.before("other"));
  EXPECT_TRUE(trigger.before("region"));
  EXPECT_EQ(switched.on, 1);
  EXPECT_TRUE(trigger.pending(trigger.recorded()));  // not yet in the ring: the gate must not switch off
  trigger.after();
  EXPECT_TRUE(trigger.pending(recorded));  // a round that had begun before saw the ring without it
  EXPECT_FALSE(trigger.pending(trigger.recorded()));
}

TEST(Trigger, NotUsedWithoutWindows) {
  EXPECT_FALSE(WindowTrigger(CollectorConfig{}, Switched::count, nullptr).used());
}

}  // namespace
}  // namespace perfscope::collector
