// Temporary folders for tests.
#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <stdexcept>

namespace perfscope::test {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "perfscope-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  m_path = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

}  // namespace perfscope::test
