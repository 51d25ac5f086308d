// uname, /proc/cpuinfo, sysconf.
#include "injector/host_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace perfscope {
namespace {

std::optional<std::string> cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;  // ARM kernels give numbers only
}

}  // namespace

HostFacts readHostFacts() {
  HostFacts facts;
  struct utsname names {};
  if (::uname(&names) == 0) {
    facts.name = names.nodename;
    facts.kernel = std::string(names.sysname) + " " + names.release;
  }
  if (facts.name.empty()) facts.name = "localhost";
  facts.cpu_model = cpuModel();
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (count > 0) facts.cpu_count = count;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) facts.memory_bytes = static_cast<int64_t>(pages) * page;
  return facts;
}

}  // namespace perfscope
