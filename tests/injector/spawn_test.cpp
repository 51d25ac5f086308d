// Child processes: status, signals, environment.
#include "injector/spawn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

LaunchPlan shell(const std::string& script) {
  LaunchPlan plan;
  plan.program = "/bin/sh";
  plan.argv = {"sh", "-c", script};
  plan.environment = {{"PATH", "/usr/bin:/bin"}, {"ODD", "a=b c"}};
  return plan;
}

ExitStatus waitFor(Target& target) {
  for (int i = 0; i < 2000; ++i) {
    if (const auto status = target.poll()) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ADD_FAILURE() << "the child did not end";
  ::kill(target.pid(), SIGKILL);
  return {};
}

void waitForFile(const std::string& path) {
  for (int i = 0; i < 2000 && ::access(path.c_str(), F_OK) != 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Spawn, PassesTheExitCode) {
  auto target = spawnTarget(shell("exit 37"));
  ASSERT_TRUE(target);
  const ExitStatus status = waitFor(*target);
  EXPECT_EQ(status.code, 37);
  EXPECT_FALSE(status.signalled);
  EXPECT_EQ(target->poll()->code, 37);  // stays
}

TEST(Spawn, SignalIs128PlusItsNumber) {
  auto target = spawnTarget(shell("kill -9 $$"));
  ASSERT_TRUE(target);
  const ExitStatus status = waitFor(*target);
  EXPECT_EQ(status.code, 137);
  EXPECT_TRUE(status.signalled);
  EXPECT_EQ(status.signal, SIGKILL);
}

TEST(Spawn, WaitEndsWithTheChildOrTheTime) {
  auto target = spawnTarget(shell("sleep 0.2"));
  ASSERT_TRUE(target);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(target->wait(std::chrono::milliseconds(20)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(190));
  EXPECT_TRUE(target->wait(std::chrono::seconds(10)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Spawn, EnvironmentArrivesAsPlanned) {
  auto target = spawnTarget(shell("test \"$ODD\" = 'a=b c'"));
  ASSERT_TRUE(target);
  EXPECT_EQ(waitFor(*target).code, 0);
}

TEST(Spawn, SameProcessGroup) {
  auto target = spawnTarget(shell("sleep 5"));
  ASSERT_TRUE(target);
  EXPECT_EQ(::getpgid(target->pid()), ::getpgrp());
  ::kill(target->pid(), SIGKILL);
  waitFor(*target);
}

TEST(Spawn, MissingProgramIsAnError) {
  LaunchPlan plan;
  plan.program = "/no/such/program";
  plan.argv = {"program"};
  const auto target = spawnTarget(plan);
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().kind, ErrorKind::InputMissing);
}

TEST(Spawn, ScriptWithoutInterpreterLineRunsWithSh) {
  const test::TempDir dir;
  std::ofstream(dir.file("script")) << "exit $1\n";
  std::filesystem::permissions(dir.file("script"), std::filesystem::perms::owner_all);
  LaunchPlan plan;
  plan.program = dir.file("script");
  plan.argv = {"script", "5"};
  auto target = spawnTarget(plan);
  ASSERT_TRUE(target);
  EXPECT_EQ(waitFor(*target).code, 5);
}

class SpawnSignal : public testing::TestWithParam<int> {};

TEST_P(SpawnSignal, SentToUsReachesTheChildAndWeSurvive) {
  const test::TempDir dir;
  const std::string number = std::to_string(GetParam());
  // Whoever runs the tests may ignore it (nohup); here it must arrive.
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  struct sigaction before {};
  ::sigaction(GetParam(), &normal, &before);
  auto target = spawnTarget(
      shell("trap 'exit 9' " + number + "; : > " + dir.file("ready") + "; while :; do sleep 0.02; done"));
  ASSERT_TRUE(target);
  waitForFile(dir.file("ready"));
  ::kill(::getpid(), GetParam());
  EXPECT_EQ(waitFor(*target).code, 9);
  { const Target gone = std::move(*target); }
  ::sigaction(GetParam(), &before, nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, SpawnSignal,
                         testing::Values(SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT));

TEST(Spawn, DispositionsAreGivenBack) {
  struct sigaction before {};
  ::sigaction(SIGTERM, nullptr, &before);
  {
    auto target = spawnTarget(shell("exit 0"));
    ASSERT_TRUE(target);
    struct sigaction during {};
    ::sigaction(SIGTERM, nullptr, &during);
    EXPECT_NE(reinterpret_cast<void*>(during.sa_sigaction), reinterpret_cast<void*>(before.sa_sigaction));
    waitFor(*target);
  }
  struct sigaction after {};
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(Spawn, IgnoredStaysIgnored) {
  // nohup: SIGHUP ignored by us must be ignored by the child too.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  ::sigaction(SIGHUP, &ignore, &before);
  auto target = spawnTarget(shell("kill -HUP $$; exit 4"));
  ASSERT_TRUE(target);
  EXPECT_EQ(waitFor(*target).code, 4);
  ::sigaction(SIGHUP, &before, nullptr);
}

TEST(Spawn, ChildOutlivesAKilledParent) {
  const test::TempDir dir;
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto target = spawnTarget(shell("sleep 0.3; : > " + dir.file("alive")));
    ::kill(::getpid(), SIGKILL);
    ::_exit(target ? 0 : 1);
  }
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  waitForFile(dir.file("alive"));
  EXPECT_EQ(::access(dir.file("alive").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace perfscope
