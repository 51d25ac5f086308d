// Stored calibrations: round trip, refusals, lookup, plausibility.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "analysis/hardware/calibration_file.h"
#include "analysis/hardware/catalogue.h"
#include "tests/support/temp_dir.h"

namespace perfscope::hardware {
namespace {

using testing::HasSubstr;

CalibrationValue value(const std::string& id, const std::string& unit, double best) {
  CalibrationValue v;
  v.id = id, v.title = id, v.unit = unit;
  v.best = best, v.median = best * 0.99;
  v.repetitions = 7, v.repetition_s = 0.02;
  v.clocks = {1980, 3201, 512.5, std::nullopt};
  v.how = "a test";
  return v;
}

Calibration sample() {
  Calibration c;
  c.device_name = "NVIDIA H200";
  c.uuid = "GPU-ab000000-0000-0000-0000-000000000000";
  c.compute_capability = "9.0";
  c.driver_version = "580.65.06";
  c.cuda_driver_api = "13.0";
  c.date = "2026-11-30T12:00:00Z";
  c.sm_count = 132;
  c.l2_bytes = 62914560;
  c.max_sm_clock_mhz = 1980;
  c.values = {value("dram_copy", "bytes/s", 4.3e12), value("bf16_tensor", "FLOP/s", 790e12)};
  CalibrationValue none;
  none.id = "fp8_tensor", none.title = "FP8", none.unit = "FLOP/s", none.why = "libcublasLt: not found";
  c.values.push_back(none);
  return c;
}

TEST(CalibrationFile, RoundTrip) {
  const Calibration c = sample();
  const auto back = parseCalibration(calibrationJson(c), "here");
  ASSERT_TRUE(back) << back.error().sentence();
  EXPECT_EQ(back->uuid, c.uuid);
  EXPECT_EQ(back->device_name, c.device_name);
  EXPECT_EQ(back->sm_count, 132);
  EXPECT_EQ(back->l2_bytes, 62914560);
  EXPECT_EQ(back->date, c.date);
  ASSERT_EQ(back->values.size(), 3U);
  EXPECT_EQ(back->find("dram_copy")->best, 4.3e12);
  EXPECT_EQ(back->find("dram_copy")->clocks.power_w, 512.5);
  EXPECT_FALSE(back->find("dram_copy")->clocks.temperature_c);
  EXPECT_FALSE(back->find("fp8_tensor")->best);
  EXPECT_EQ(back->find("fp8_tensor")->why, "libcublasLt: not found");
  EXPECT_EQ(calibrationJson(*back), calibrationJson(c));
}

TEST(CalibrationFile, RefusesWhatIsNoCalibration) {
  const auto reason = [](const std::string& text) {
    const auto parsed = parseCalibration(text, "x.json");
    EXPECT_FALSE(parsed) << text;
    if (parsed) return std::string();
    EXPECT_EQ(parsed.error().kind, ErrorKind::InputRefused);
    EXPECT_THAT(parsed.error().where, HasSubstr("x.json"));
    EXPECT_FALSE(parsed.error().remedy.empty());
    return parsed.error().reason;
  };
  const std::string head = R"({"calibration_version":1,"device":{"name":"a","uuid":"b"},)";
  EXPECT_THAT(reason("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(reason("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(reason("{}"), HasSubstr("not a calibration"));
  EXPECT_THAT(reason(R"({"calibration_version":2})"), HasSubstr("has version 2, this perfscope knows 1"));
  EXPECT_THAT(reason(R"({"calibration_version":1,"values":[]})"), HasSubstr("of which GPU"));
  EXPECT_THAT(reason(head + R"("values":7})"), HasSubstr("no list of values"));
  EXPECT_THAT(reason(head + R"("values":[{"id":"a","unit":"s","value":-1,"median":1}]})"),
              HasSubstr("not positive"));
  EXPECT_THAT(reason(head + R"("values":[{"id":"a","unit":"s","value":0,"median":1}]})"),
              HasSubstr("not positive"));
  EXPECT_THAT(reason(head + R"("values":[{"id":"a","unit":"s"}]})"), HasSubstr("number or a reason"));
  EXPECT_THAT(reason(head + R"("values":[{"unit":"s","value":1,"median":1}]})"), HasSubstr("no id"));
}

TEST(CalibrationFile, WritesWholeFilesAndMakesFolders) {
  const test::TempDir folder;
  const std::string path = folder.file("new/calibration/x.json");
  ASSERT_TRUE(writeCalibration(path, sample()));
  EXPECT_TRUE(readCalibration(path));
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "new/calibration")) {
    EXPECT_EQ(entry.path().filename(), "x.json");
    ++files;
  }
  EXPECT_EQ(files, 1U);
  std::ofstream(folder.file("plain")) << "x";
  const auto refused = writeCalibration(folder.file("plain") + "/below/x.json", sample());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Output);
  const auto missing = readCalibration(folder.file("nowhere.json"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::InputMissing);
}

TEST(CalibrationFile, SameBoardBeforeSameProduct) {
  const test::TempDir folder;
  Calibration own = sample(), newer = sample(), other = sample();
  newer.uuid = "GPU-2", newer.date = "2026-12-30T12:00:00Z";
  other.uuid = "GPU-3", other.device_name = "NVIDIA L4";
  ASSERT_TRUE(writeCalibration(folder.file("own.json"), own));
  ASSERT_TRUE(writeCalibration(folder.file("newer.json"), newer));
  ASSERT_TRUE(writeCalibration(folder.file("other.json"), other));
  std::ofstream(folder.file("broken.json")) << "{";
  std::vector<std::string> warnings;
  const auto stored = storedCalibrations(folder.path().string(), warnings);
  ASSERT_EQ(stored.size(), 3U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings.front(), HasSubstr("broken.json"));
  EXPECT_EQ(matching(stored, own.uuid, "NVIDIA H200")->calibration.uuid, own.uuid);
  EXPECT_EQ(matching(stored, "GPU-none", "NVIDIA H200")->calibration.uuid, "GPU-2")
      << "the newest of the product";
  EXPECT_EQ(matching(stored, "GPU-none", "NVIDIA H200 NVL"), nullptr);
  EXPECT_EQ(matching({}, own.uuid, "NVIDIA H200"), nullptr);
}

TEST(CalibrationFile, FolderFollowsTheVariables) {
  const auto keep = [](const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::string(text) : std::string();
  };
  const std::string home = keep("HOME"), xdg = keep("XDG_DATA_HOME"), own = keep("PERFSCOPE_DATA");
  ::unsetenv("PERFSCOPE_DATA"), ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(calibrationFolder(), "/h/.local/share/perfscope/calibration");
  ::setenv("XDG_DATA_HOME", "/x", 1);
  EXPECT_EQ(calibrationFolder(), "/x/perfscope/calibration");
  ::setenv("PERFSCOPE_DATA", "/p", 1);
  EXPECT_EQ(calibrationFolder(), "/p/calibration");
  const auto restore = [](const char* name, const std::string& text) {
    text.empty() ? ::unsetenv(name) : ::setenv(name, text.c_str(), 1);
  };
  restore("HOME", home), restore("XDG_DATA_HOME", xdg), restore("PERFSCOPE_DATA", own);
}

// The data sheet of the H200: 4.8 TB/s and 989.5 TFLOP/s bf16; shared memory 132 x 128 B x 1980 MHz = 33.5
// TB/s.
TEST(CalibrationFile, ImplausibleValuesLoseTheirNumber) {
  const auto spec = findSpec("h200-sxm-141gb");
  ASSERT_TRUE(spec);
  Calibration c = sample();
  EXPECT_EQ(refuseImplausible(**spec, c), 0);
  EXPECT_NEAR(*datasheetValue(**spec, value("shared_read", "bytes/s", 1)), 33.454e12, 0.01e12);
  EXPECT_EQ(datasheetValue(**spec, value("bf16_tensor", "FLOP/s", 1)), 989.5e12);
  EXPECT_FALSE(datasheetValue(**spec, value("l2_read", "bytes/s", 1)));
  c.values[0].best = 6.3e12;   // 1.31 times
  c.values[1].best = 1280e12;  // 1.29 times
  EXPECT_EQ(refuseImplausible(**spec, c), 1);
  EXPECT_FALSE(c.values[0].best);
  EXPECT_THAT(c.values[0].why, HasSubstr("1.31 times the data sheet"));
  EXPECT_TRUE(c.values[1].best);
}

}  // namespace
}  // namespace perfscope::hardware
