// One process of a run samples a GPU: the first that locks the GPU's file in the session folder, until it
// ends.
#pragma once

#include <string>

namespace perfscope::collector {

class GpuElection {
 public:
  // `gpu`: any text that names the physical GPU (its PCI bus id). Tries again at each call until it is won;
  // the lock is the process's (fcntl), so a forked child does not hold it and the kernel frees it when the
  // process ends.
  bool win(const std::string& session_dir, const std::string& gpu);

 private:
  int m_file = -1;
  bool m_won = false;
};

// PCI bus id of a CUDA ordinal through libcuda as it is mapped; the ordinal as text when it cannot be asked.
std::string pciBusId(int ordinal);

}  // namespace perfscope::collector
