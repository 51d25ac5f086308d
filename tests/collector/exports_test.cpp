// The built collector: exports exactly what exports.map lists, carries no SQLite and needs no CUDA library.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace {

std::string output(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> chunk{};
  size_t bytes = 0;
  while ((bytes = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0) text.append(chunk.data(), bytes);
  ::pclose(pipe);
  return text;
}

const std::string kLibrary = std::string(PERFSCOPE_BINARY_DIR) + "/lib/libperfscope_collector.so";

std::set<std::string> listed() {
  std::ifstream file(std::string(PERFSCOPE_SOURCE_DIR) + "/collector/exports.map");
  std::set<std::string> names;
  std::string line;
  while (std::getline(file, line)) {
    const auto end = line.find(';');
    const auto begin = line.find_first_not_of(" \t");
    if (end != std::string::npos && line.find('*') == std::string::npos && line[begin] != '}')
      names.insert(line.substr(begin, end - begin));
  }
  return names;
}

class Exports : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kLibrary)) GTEST_SKIP() << kLibrary << " is not built";
  }
};

TEST_F(Exports, AreExactlyThoseOfTheMap) {
  std::istringstream symbols(output("nm -D --defined-only '" + kLibrary + "'"));
  std::set<std::string> exported;
  std::string address, type, name;
  while (symbols >> address >> type >> name) exported.insert(name);
  EXPECT_EQ(exported, listed());
  EXPECT_TRUE(exported.contains("InitializeInjection"));
}

TEST_F(Exports, NoDatabaseAndNoCudaLibraryIsLinked) {
  EXPECT_EQ(output("nm '" + kLibrary + "'").find("sqlite3_"), std::string::npos);
  const std::string needed = output("readelf -d '" + kLibrary + "' | grep NEEDED");
  for (const char* library : {"cupti", "libcuda", "cudart", "nccl", "cublas", "sqlite", "stdc++", "libfmt"})
    EXPECT_EQ(needed.find(library), std::string::npos) << library << " in\n" << needed;
}

TEST_F(Exports, StaysLoadedForEver) {
  EXPECT_NE(output("readelf -d '" + kLibrary + "'").find("NODELETE"), std::string::npos);
}

}  // namespace
