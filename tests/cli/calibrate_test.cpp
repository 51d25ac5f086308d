// `calibrate`, `report --calibration` and `roofline` as a user meets them, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/command_line.h"
#include "cli/command_table.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace perfscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome call(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err};
  const int code = runCommandLine(words, console);
  return {code, out.str(), err.str()};
}

// Two kernels on one stream with a gap, launched in time.
class CalibratedProfile : public testing::Test {
 protected:
  void SetUp() override {
    m_builder.kernel({.name = "alpha", .start_ns = 10'000, .duration_ns = 30'000, .launch_ns = 1'000});
    m_builder.kernel({.name = "beta", .start_ns = 100'000, .duration_ns = 10'000, .launch_ns = 90'000});
    m_path = m_builder.write();
  }
  test::TraceBuilder m_builder;
  std::string m_path;
};

// An environment variable for the length of a scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : m_name(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) m_before = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { m_before ? ::setenv(m_name, m_before->c_str(), 1) : ::unsetenv(m_name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

constexpr const char* kCalibration =
    R"({"calibration_version":1,"device":{"name":"NVIDIA H200","uuid":"GPU-1","compute_capability":"9.0",)"
    R"("sm_count":132},"date":"2026-11-30T12:00:00Z","values":[)"
    R"({"id":"dram_copy","title":"DRAM copy","unit":"bytes/s","value":4.32e12,"median":4.3e12,"repetitions":7},)"
    R"({"id":"fp8_tensor","title":"FP8","unit":"FLOP/s","value":null,"value_why":"no library"}]})";

TEST(CalibrateVerb, ShowsWhatIsStoredBesideTheDataSheet) {
  const test::TempDir folder;
  const Variable data("PERFSCOPE_DATA", folder.path().string());
  const auto none = call({"calibrate", "--show"});
  EXPECT_EQ(none.code, 66);
  EXPECT_THAT(none.err, HasSubstr("holds no calibration"));
  std::filesystem::create_directories(folder.path() / "calibration");
  std::ofstream(folder.file("calibration/GPU-1.json")) << kCalibration;
  const auto shown = call({"calibrate", "--show"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("4.32 TB/s"));
  EXPECT_THAT(shown.out, HasSubstr("90.0 %"));  // of the 4.8 TB/s of the data sheet
  EXPECT_THAT(shown.out, HasSubstr("FP8: not measured, because no library"));
}

TEST(CalibrateVerb, WithoutAGpuSaysSoAndLeavesNoFile) {
  if (::access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "this machine has a GPU";
  const test::TempDir folder;
  const auto result = call({"calibrate", "-o", folder.file("x.json")});
  EXPECT_EQ(result.code, 69);
  EXPECT_THAT(result.err, HasSubstr("remedy"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.json")));
}

TEST_F(CalibratedProfile, ReportTakesTheCalibrationOfItsGpuOnly) {
  const test::TempDir folder;
  const Variable data("PERFSCOPE_DATA", folder.path().string());
  const std::string own = folder.file("own.json"), other = folder.file("other.json");
  std::ofstream(own) << kCalibration;
  std::string text = kCalibration;
  text.replace(text.find("NVIDIA H200"), 11, "NVIDIA L4");
  text.replace(text.find("GPU-1"), 5, "GPU-9");
  std::ofstream(other) << text;
  const auto used = call({"report", m_path, "--section", "devices", "--calibration", own});
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_THAT(used.out, HasSubstr("measured ceilings   measured on this very GPU"));
  EXPECT_THAT(call({"report", m_path, "--section", "devices"}).out, Not(HasSubstr("measured ceilings")));
  std::filesystem::create_directories(folder.path() / "calibration");
  std::filesystem::copy(own, folder.path() / "calibration");
  EXPECT_THAT(call({"report", m_path, "--section", "devices"}).out, HasSubstr("measured ceilings"));
  EXPECT_THAT(call({"report", m_path, "--section", "devices", "--calibration", "off"}).out,
              Not(HasSubstr("measured ceilings")));
  const auto refused = call({"report", m_path, "--calibration", other});
  EXPECT_EQ(refused.code, 65);
  EXPECT_THAT(refused.err, HasSubstr("NVIDIA L4"));
  EXPECT_EQ(call({"report", m_path, "--calibration", folder.file("none.json")}).code, 66);
}

TEST_F(CalibratedProfile, RooflineWritesPicturesAndSaysWhatHasNoPoint) {
  const test::TempDir folder;
  const auto text = call({"roofline", m_path, "--calibration", "off"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("No point for 2 kernels"));
  for (const char* const ending : {"svg", "html", "csv"}) {
    const std::string path = folder.file(std::string("roof.") + ending);
    EXPECT_EQ(call({"roofline", m_path, "-o", path}).code, 0) << ending;
    EXPECT_GT(std::filesystem::file_size(path), 100U) << ending;
    EXPECT_EQ(call({"roofline", m_path, "-o", path}).code, 73) << "exists";
    EXPECT_EQ(call({"roofline", m_path, "-o", path, "--force"}).code, 0);
  }
  const auto wrong = call({"roofline", m_path, "-o", folder.file("roof.png")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr(".svg, .html or .csv"));
  EXPECT_EQ(call({"roofline", m_path, "-o", folder.file("no/such/x.svg")}).code, 73);
  EXPECT_EQ(call({"roofline", folder.file("none.perfscope")}).code, 66);
}

}  // namespace
}  // namespace perfscope::cli
