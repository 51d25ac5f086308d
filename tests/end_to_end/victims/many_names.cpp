// Launches N kernels with N names (some reach 5,000 characters) and as many launch shapes. Argument: names
#include <string>
#include <vector>

#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int names = victim::argument(argc, argv, 1, 3000);
  auto& texts = *new std::vector<std::string>;  // never freed: CUPTI's names outlive main
  texts.reserve(static_cast<size_t>(names));
  const uint32_t stream = standinStreamCreate();
  for (int i = 0; i < names; ++i) {
    texts.push_back("kernel_" + std::to_string(i) + (i % 1000 == 999 ? std::string(5000, 'x') : ""));
    StandinKernel kernel = victim::kVectorAdd;
    kernel.name = texts.back().c_str();
    kernel.grid[0] = static_cast<uint32_t>(i + 1);
    standinLaunch(stream, &kernel);
  }
  return standinStreamSynchronize(stream);
}
