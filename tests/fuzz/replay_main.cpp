// Without libFuzzer: runs the fuzz entry once over every file of the committed corpus, and over every
// truncation and single-byte change of small ones.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  constexpr size_t kSmall = 600;
  size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++inputs;
      if (bytes.size() > kSmall) continue;
      for (size_t at = 1; at < bytes.size(); at += 7) {
        LLVMFuzzerTestOneInput(bytes.data(), at);
        const uint8_t before = bytes[at];
        bytes[at] = static_cast<uint8_t>(before ^ 0xff);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        bytes[at] = before;
      }
    }
  }
  std::printf("%zu corpus files\n", inputs);
  return inputs > 0 ? 0 : 1;
}
