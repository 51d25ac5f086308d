// Process facts and the environment of children: what may be stored, ranks, repair at exec.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collector/interpose/exec_environment.h"
#include "collector/interpose/gemm_record.h"
#include "collector/process/process_info.h"
#include "collector/process/runtime_version.h"

namespace perfscope::collector {
namespace {

TEST(ProcessInfo, OnlyNamedVariablesMayBeStored) {
  const auto may = [](const std::string& name) { return mayStoreVariable(name.data(), name.size()); };
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "RANK", "NCCL_ALGO", "PYTORCH_CUDA_ALLOC_CONF"})
    EXPECT_TRUE(may(name)) << name;
  for (const char* name : {"SECRET_TEST", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "PATH", "HOME",
                           "NCCL_SECRET_KEY", "RANKING", "RAN", "", "CUDA_INJECTION64_PATH"})
    EXPECT_FALSE(may(name)) << name;
}

TEST(RuntimeVersion, InTheNameOfTheLibrary) {
  EXPECT_EQ(versionInCudartName("/usr/local/cuda/lib64/libcudart.so.12.8.90"), 12080U);
  EXPECT_EQ(versionInCudartName("libcudart.so.13.0.96"), 13000U);
  EXPECT_EQ(versionInCudartName("libcudart.so.12"), 0U);  // as in NVIDIA's wheels: no minor version
  EXPECT_EQ(versionInCudartName("libcudart.so"), 0U);
  EXPECT_EQ(versionInCudartName("/opt/libcudart.so.x.y/libcublas.so.12.8"), 0U);
  EXPECT_EQ(askRuntimeVersion(), 0U);  // none is in this program
}

TEST(ProcessInfo, SecretsAndUnknownVariablesStayOut) {
  ::setenv("SECRET_TEST", "hunter2", 1);
  ::setenv("NCCL_ALGO", "Ring", 1);
  const ProcessInfo info = readProcessInfo(true);
  ::unsetenv("SECRET_TEST");
  ::unsetenv("NCCL_ALGO");
  EXPECT_EQ(info.environment.find("hunter2"), std::string::npos);
  EXPECT_NE(info.environment.find("NCCL_ALGO=Ring"), std::string::npos);
  EXPECT_EQ(info.pid, static_cast<uint32_t>(::getpid()));
  EXPECT_FALSE(info.executable.empty());
  EXPECT_NE(info.command.find("collector_tests"), std::string::npos);
}

TEST(ProcessInfo, WithoutArgumentsOnlyTheProgramStays) {
  const ProcessInfo info = readProcessInfo(false);
  EXPECT_EQ(info.command.find('\x1f'), std::string::npos);
  EXPECT_EQ(info.command.find('\0'), std::string::npos);
}

TEST(ProcessInfo, RanksOfTheUsualLaunchers) {
  const std::vector<const char*> torchrun = {"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=1", nullptr};
  EXPECT_EQ(readRank(torchrun.data()).rank, 5);
  EXPECT_EQ(readRank(torchrun.data()).world_size, 8);
  EXPECT_EQ(readRank(torchrun.data()).local_rank, 1);
  const std::vector<const char*> mpi = {"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4", nullptr};
  EXPECT_EQ(readRank(mpi.data()).rank, 2);
  EXPECT_EQ(readRank(mpi.data()).local_rank, -1);
  const std::vector<const char*> nonsense = {"RANK=first", "WORLD_SIZE=", "LOCAL_RANK=-1", "RANKS=3",
                                             nullptr};
  EXPECT_EQ(readRank(nonsense.data()).rank, -1);
  EXPECT_EQ(readRank(nonsense.data()).world_size, -1);
  EXPECT_EQ(readRank(nonsense.data()).local_rank, -1);
}

class Repair : public ::testing::Test {
 protected:
  std::vector<std::string> repair(const std::vector<const char*>& environment) {
    const RepairRoom room = repairRoom(wanted, environment.data());
    std::vector<const char*> entries(room.entries, "unset");
    std::vector<char> text(room.bytes, '#');
    repairEnvironment(wanted, environment.data(), entries.data(), text.data());
    std::vector<std::string> result;
    for (const char* entry : entries) {
      if (entry == nullptr) return result;
      result.emplace_back(entry);
    }
    ADD_FAILURE() << "no terminator in the room promised";
    return result;
  }
  const WantedEnvironment wanted{"/lib/c.so",
                                 "LD_PRELOAD=/lib/c.so",
                                 "PERFSCOPE_CONFIG=session=/s",
                                 "CUDA_INJECTION64_PATH=/lib/c.so",
                                 "NVTX_INJECTION64_PATH=/lib/c.so",
                                 nullptr,
                                 nullptr};
};

TEST_F(Repair, EmptyEnvironmentGetsEverything) {
  EXPECT_EQ(repair({nullptr}),
            (std::vector<std::string>{"LD_PRELOAD=/lib/c.so", "PERFSCOPE_CONFIG=session=/s",
                                      "CUDA_INJECTION64_PATH=/lib/c.so", "NVTX_INJECTION64_PATH=/lib/c.so"}));
}

TEST_F(Repair, CompleteEnvironmentIsUntouched) {
  const std::vector<const char*> complete = {"A=1",
                                             "LD_PRELOAD=/x.so:/lib/c.so",
                                             "PERFSCOPE_CONFIG=other",
                                             "CUDA_INJECTION64_PATH=none",
                                             "NVTX_INJECTION64_PATH=/lib/c.so",
                                             nullptr};
  EXPECT_EQ(repair(complete), std::vector<std::string>(complete.begin(), complete.end() - 1));
}

TEST_F(Repair, PreloadOfOthersIsKeptBehindOurs) {
  EXPECT_EQ(repair({"LD_PRELOAD=/a.so /b.so", nullptr})[0], "LD_PRELOAD=/lib/c.so:/a.so /b.so");
  EXPECT_EQ(repair({"LD_PRELOAD=", nullptr})[0], "LD_PRELOAD=/lib/c.so");
  EXPECT_EQ(repair({"LD_PRELOAD=/other/lib/c.so", nullptr})[0], "LD_PRELOAD=/lib/c.so:/other/lib/c.so");
  EXPECT_EQ(repair({"LD_PRELOAD=/lib/c.so.1", nullptr})[0], "LD_PRELOAD=/lib/c.so:/lib/c.so.1");
  EXPECT_EQ(repair({"LD_PRELOAD=/lib/c.so", nullptr})[0], "LD_PRELOAD=/lib/c.so");
}

TEST_F(Repair, OddEntriesPassThrough) {
  const auto result = repair({"NOEQUALS", "", "LD_PRELOADX=1", "=x", nullptr});
  EXPECT_EQ(result[0], "NOEQUALS");
  EXPECT_EQ(result[1], "");
  EXPECT_EQ(result[2], "LD_PRELOADX=1");
  EXPECT_EQ(result.size(), 8U);
}

TEST(GemmRecord, BetaFlag) {
  const float zero = 0.0F, negative_zero = -0.0F, one = 1.0F;
  const double small = 1e-300;
  EXPECT_EQ(betaFlag(&zero, 4), 0);
  EXPECT_EQ(betaFlag(&negative_zero, 4), 0);
  EXPECT_EQ(betaFlag(&one, 4), kGemmBeta);
  EXPECT_EQ(betaFlag(&small, 8), kGemmBeta);
  EXPECT_EQ(betaFlag(nullptr, 4), kGemmBetaUnknown);
}

TEST(GemmRecord, ScalarBytesFollowTheComputeType) {
  EXPECT_EQ(scalarBytes(64), 2U);  // CUBLAS_COMPUTE_16F
  EXPECT_EQ(scalarBytes(65), 2U);  // CUBLAS_COMPUTE_16F_PEDANTIC
  EXPECT_EQ(scalarBytes(68), 4U);  // CUBLAS_COMPUTE_32F
  EXPECT_EQ(scalarBytes(77), 4U);  // CUBLAS_COMPUTE_32F_FAST_TF32
  EXPECT_EQ(scalarBytes(70), 8U);  // CUBLAS_COMPUTE_64F
  EXPECT_EQ(scalarBytes(72), 4U);  // CUBLAS_COMPUTE_32I
}

}  // namespace
}  // namespace perfscope::collector
