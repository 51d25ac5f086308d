// The lock file, and the driver call that names a GPU.
#include "collector/counters/gpu_election.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cctype>

namespace perfscope::collector {

bool GpuElection::win(const std::string& session_dir, const std::string& gpu) {
  if (m_won) return true;
  if (m_file < 0) {
    std::string name;
    for (const char c : gpu) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    m_file =
        ::open((session_dir + "/counters-" + name + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  }
  if (m_file < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  m_won = ::fcntl(m_file, F_SETLK, &lock) == 0;
  return m_won;
}

std::string pciBusId(int ordinal) {
  char text[32] = {};
  if (void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    using GetDevice = int (*)(int*, int);
    using GetBusId = int (*)(char*, int, int);
    const auto device = reinterpret_cast<GetDevice>(::dlsym(library, "cuDeviceGet"));
    const auto bus_id = reinterpret_cast<GetBusId>(::dlsym(library, "cuDeviceGetPCIBusId"));
    int handle = 0;
    if (device == nullptr || bus_id == nullptr || device(&handle, ordinal) != 0 ||
        bus_id(text, sizeof text, handle) != 0)
      text[0] = '\0';
    ::dlclose(library);
  }
  return text[0] != '\0' ? text : "ordinal-" + std::to_string(ordinal);
}

}  // namespace perfscope::collector
