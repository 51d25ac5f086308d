// Who this process is.
#include "collector/process/process_info.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace perfscope::collector {
namespace {

constexpr char kSeparator = '\x1f';

// Each says how CUDA, NCCL, the launcher or PyTorch was set up; none can hold a credential.
constexpr std::array<std::string_view, 30> kAllowedNames = {"CUDA_VISIBLE_DEVICES",
                                                            "CUDA_DEVICE_ORDER",
                                                            "CUDA_DEVICE_MAX_CONNECTIONS",
                                                            "CUDA_LAUNCH_BLOCKING",
                                                            "CUDA_MODULE_LOADING",
                                                            "CUDA_MODULE_DATA_LOADING",
                                                            "CUDA_CACHE_DISABLE",
                                                            "CUDA_FORCE_PTX_JIT",
                                                            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                                            "RANK",
                                                            "WORLD_SIZE",
                                                            "LOCAL_RANK",
                                                            "LOCAL_WORLD_SIZE",
                                                            "GROUP_RANK",
                                                            "OMPI_COMM_WORLD_RANK",
                                                            "OMPI_COMM_WORLD_SIZE",
                                                            "OMPI_COMM_WORLD_LOCAL_RANK",
                                                            "PMI_RANK",
                                                            "PMI_SIZE",
                                                            "SLURM_PROCID",
                                                            "SLURM_NTASKS",
                                                            "SLURM_LOCALID",
                                                            "SLURM_NODEID",
                                                            "OMP_NUM_THREADS",
                                                            "PYTORCH_CUDA_ALLOC_CONF",
                                                            "PYTORCH_ALLOC_CONF",
                                                            "TORCH_NCCL_ASYNC_ERROR_HANDLING",
                                                            "TORCH_NCCL_AVOID_RECORD_STREAMS",
                                                            "CUBLAS_WORKSPACE_CONFIG",
                                                            "NVIDIA_TF32_OVERRIDE"};
// Tuning variables of NCCL by name: a prefix would also let NCCL_* settings with host lists or keys pass.
constexpr std::array<std::string_view, 26> kAllowedNccl = {"NCCL_ALGO",
                                                           "NCCL_PROTO",
                                                           "NCCL_P2P_DISABLE",
                                                           "NCCL_P2P_LEVEL",
                                                           "NCCL_SHM_DISABLE",
                                                           "NCCL_IB_DISABLE",
                                                           "NCCL_IB_HCA",
                                                           "NCCL_NET_GDR_LEVEL",
                                                           "NCCL_SOCKET_IFNAME",
                                                           "NCCL_MIN_NCHANNELS",
                                                           "NCCL_MAX_NCHANNELS",
                                                           "NCCL_MIN_CTAS",
                                                           "NCCL_MAX_CTAS",
                                                           "NCCL_NTHREADS",
                                                           "NCCL_BUFFSIZE",
                                                           "NCCL_NVLS_ENABLE",
                                                           "NCCL_CUMEM_ENABLE",
                                                           "NCCL_GRAPH_REGISTER",
                                                           "NCCL_LAUNCH_MODE",
                                                           "NCCL_DEBUG",
                                                           "NCCL_CROSS_NIC",
                                                           "NCCL_COLLNET_ENABLE",
                                                           "NCCL_NVLSTREE_MAX_CHUNKSIZE",
                                                           "NCCL_LL128_BUFFSIZE",
                                                           "NCCL_P2P_NVL_CHUNKSIZE",
                                                           "NCCL_NCHANNELS_PER_NET_PEER"};

std::string readFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string readCommand(bool store_arguments) {
  std::string command = readFile("/proc/self/cmdline");
  if (!command.empty() && command.back() == '\0') command.pop_back();
  if (!store_arguments) {
    const auto end = command.find('\0');
    return command.substr(0, end);
  }
  for (char& c : command)
    if (c == '\0') c = kSeparator;
  return command;
}

std::string readExecutable() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<size_t>(length)) : std::string();
}

std::string readHost() {
  std::array<char, 256> host{};
  return ::gethostname(host.data(), host.size() - 1) == 0 ? std::string(host.data()) : std::string();
}

std::string allowedEnvironment(const char* const* environment) {
  std::string text;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const char* equals = std::strchr(*environment, '=');
    if (equals == nullptr || !mayStoreVariable(*environment, static_cast<size_t>(equals - *environment)))
      continue;
    if (!text.empty()) text += kSeparator;
    text += *environment;
  }
  return text;
}

int32_t readNumber(const char* const* environment, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) {
      const std::string_view line(*at);
      if (line.size() <= name.size() || !line.starts_with(name) || line[name.size()] != '=') continue;
      const std::string_view text = line.substr(name.size() + 1);
      int32_t value = -1;
      const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
      if (!text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size() && value >= 0)
        return value;
    }
  }
  return -1;
}

}  // namespace

bool mayStoreVariable(const char* name, size_t length) {
  const std::string_view wanted(name, length);
  for (const auto allowed : kAllowedNames)
    if (wanted == allowed) return true;
  for (const auto allowed : kAllowedNccl)
    if (wanted == allowed) return true;
  return false;
}

RankVariables readRank(const char* const* environment) {
  return RankVariables{
      readNumber(environment, {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}),
      readNumber(environment, {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}),
      readNumber(environment,
                 {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})};
}

ProcessInfo readProcessInfo(bool store_arguments) {
  ProcessInfo info;
  info.pid = static_cast<uint32_t>(::getpid());
  info.parent_pid = static_cast<uint32_t>(::getppid());
  const RankVariables rank = readRank(environ);
  info.rank = rank.rank;
  info.world_size = rank.world_size;
  info.local_rank = rank.local_rank;
  info.command = readCommand(store_arguments);
  info.executable = readExecutable();
  info.host = readHost();
  info.environment = allowedEnvironment(environ);
  return info;
}

}  // namespace perfscope::collector
