// What the calibration kernels must leave, number formats, library search, NVRTC targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/library_search.h"
#include "injector/calibration/nvrtc.h"
#include "tests/support/temp_dir.h"

namespace perfscope::calibration {
namespace {

TEST(CalibrationArithmetic, PatternSumIsTheSumOfThePattern) {
  for (const std::uint64_t words :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000000}}) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < words; ++i) sum += i * kWeyl + 9;
    EXPECT_EQ(patternSum(words, 9), sum) << words;
  }
}

// IEEE 754 half, bfloat16 and OCP FP8 E4M3: values from the tables of the formats.
TEST(CalibrationArithmetic, EncodesSmallFloats) {
  EXPECT_EQ(encoded(1.0, kHalf), 0x3C00U);
  EXPECT_EQ(encoded(-2.0, kHalf), 0xC000U);
  EXPECT_EQ(encoded(65504.0, kHalf), 0x7BFFU);               // largest half
  EXPECT_EQ(encoded(std::ldexp(1.0, -24), kHalf), 0x0001U);  // smallest subnormal
  EXPECT_EQ(encoded(0.0, kHalf), 0U);
  EXPECT_EQ(encoded(1.0, kBrain), 0x3F80U);
  EXPECT_EQ(encoded(1.0, kE4m3), 0x38U);
  EXPECT_EQ(encoded(448.0, kE4m3), 0x7EU);  // largest E4M3
  EXPECT_EQ(encoded(std::ldexp(1.0, -9), kE4m3), 0x01U);
  EXPECT_EQ(encoded(1.0 + std::ldexp(1.0, -11), kHalf), 0x3C00U) << "a tie goes to even";
  EXPECT_EQ(encoded(1.0 + 3 * std::ldexp(1.0, -11), kHalf), 0x3C02U) << "a tie goes to even";
}

TEST(CalibrationArithmetic, DecodesWhatItEncodes) {
  for (std::uint32_t bits = 0; bits < 0x7C00U; ++bits) {
    const double value = decoded(bits, kHalf);
    ASSERT_EQ(encoded(value, kHalf), bits);
    ASSERT_EQ(rounded(value, kHalf), value);
  }
  for (std::uint32_t bits = 0; bits < 0x7FU; ++bits) ASSERT_EQ(encoded(decoded(bits, kE4m3), kE4m3), bits);
}

// One round is 16 steps: worked out here for chain 0 of thread 0 (first value -0.5), the others likewise.
TEST(CalibrationArithmetic, ChainCountsEveryStep) {
  std::uint64_t expected = 0;
  for (int chain = 0; chain < kChains; ++chain) {
    float x = static_cast<float>(chain - 512) / 1024.0F;
    for (int i = 0; i < 3 * kStepsPerRound; ++i) x = std::fma(x, x, static_cast<float>(kChainConstant));
    expected = expected * 31 + std::bit_cast<std::uint32_t>(x);
  }
  EXPECT_EQ(chainFp32(0, 3), expected);
  EXPECT_NE(chainFp32(0, 3), chainFp32(0, 2));
  EXPECT_NE(chainFp64(0, 3), chainFp64(0, 2));
  EXPECT_NE(chainFp16(0, 30), chainFp16(0, 29));
  EXPECT_NE(chainInt32(0, 3), chainInt32(0, 2));
  EXPECT_NE(chainInt32(1, 3), chainInt32(0, 3));
}

TEST(CalibrationArithmetic, ChaoticMapStaysInRange) {
  double x = -0.5;
  double least = 0, most = 0;
  for (int i = 0; i < 100000; ++i) {
    x = x * x + kChainConstant;
    least = std::min(least, x), most = std::max(most, x);
  }
  EXPECT_GE(least, -2);
  EXPECT_LE(most, 2);
  EXPECT_GT(most - least, 2) << "it must not settle on one value";
}

TEST(CalibrationArithmetic, NormalTableIsAboutNormal) {
  const auto table = normalTable(4096);
  double sum = 0, squares = 0;
  for (const double value : table) sum += value, squares += value * value;
  EXPECT_NEAR(sum / 4096, 0, 0.05);
  EXPECT_NEAR(squares / 4096, 1, 0.1);
}

TEST(Nvrtc, TargetIsOwnCodeOrThePtxOfAnOlderOne) {
  const std::vector<int> known = {75, 80, 90, 120};
  EXPECT_EQ(Nvrtc::target(known, 90), "sm_90");
  EXPECT_EQ(Nvrtc::target(known, 89), "compute_80");
  EXPECT_EQ(Nvrtc::target(known, 130), "compute_120") << "a GPU newer than the compiler";
  EXPECT_EQ(Nvrtc::target(known, 70), "") << "older than everything it compiles for";
  EXPECT_EQ(Nvrtc::target({}, 90), "");
}

// Needs the compiler, not a GPU: the developer check of all kernels for all generations.
TEST(Nvrtc, CompilesTheKernelsForEveryGeneration) {
  const auto nvrtc = Nvrtc::open(0);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().sentence();
  for (const int capability : {75, 80, 86, 89, 90, 100, 120, 199}) {
    const auto code = nvrtc->compile(kernelSource(), capability);
    ASSERT_TRUE(code) << capability << ": " << code.error().sentence();
    EXPECT_GT(code->image.size(), 1000U) << capability;
  }
  const auto wrong = nvrtc->compile("this is not CUDA", 90);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().reason, testing::HasSubstr("error"));
}

TEST(LibrarySearch, FindsToolkitAndWheels) {
  const test::TempDir folder;
  namespace fs = std::filesystem;
  const fs::path root = folder.path();
  const auto touch = [](const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  };
  touch(root / "cuda/lib64/libnvrtc.so.12");
  touch(root / "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  touch(root / "venv/bin/python3");
  const std::string path = std::string(std::getenv("PATH"));
  ::unsetenv("PERFSCOPE_NVRTC");
  ::setenv("CUDA_HOME", (root / "cuda").c_str(), 1);
  ::setenv("PATH", (root / "venv/bin").c_str(), 1);
  const auto found = candidates(nvrtcWanted(13000));
  const auto for_old_driver = candidates(nvrtcWanted(12040));
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("CUDA_HOME");
  EXPECT_THAT(found, testing::Contains((root / "cuda/lib64/libnvrtc.so.12").string()));
  EXPECT_THAT(found,
              testing::Contains(
                  (root / "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13").string()));
  EXPECT_THAT(for_old_driver, testing::Not(testing::Contains(testing::HasSubstr("so.13"))));
}

TEST(LibrarySearch, MissingLibraryNamesTheRemedy) {
  const auto none = loadLibrary({"libperfscope_nowhere", "PERFSCOPE_NOWHERE", {"13"}, {}, "nvidia-nowhere"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(none.error().remedy, testing::HasSubstr("pip install nvidia-nowhere"));
  EXPECT_THAT(none.error().remedy, testing::HasSubstr("PERFSCOPE_NOWHERE"));
}

}  // namespace
}  // namespace perfscope::calibration
