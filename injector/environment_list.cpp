// The allow-list of environment variables.
#include "injector/environment_list.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

constexpr std::array<std::string_view, 32> kNames = {
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_MODULE_DATA_LOADING",
    "CUDA_CACHE_DISABLE",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUBLASLT_WORKSPACE_SIZE",
    "NVIDIA_TF32_OVERRIDE",
    "NVIDIA_VISIBLE_DEVICES",
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "NODE_RANK",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NTASKS",
    "SLURM_NNODES",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "OMP_NUM_THREADS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_CUDNN_V8_API_ENABLED",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
};

// NCCL_* holds tuning values, no credentials; TORCH_NCCL_* likewise.
constexpr std::array<std::string_view, 2> kPrefixes = {"NCCL_", "TORCH_NCCL_"};

}  // namespace

bool isStoredVariable(std::string_view name) {
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

std::string storedEnvironment(std::string_view joined) {
  std::string text;
  while (!joined.empty()) {
    const auto end = joined.find('\x1f');
    const auto entry = joined.substr(0, end);
    joined = end == std::string_view::npos ? std::string_view() : joined.substr(end + 1);
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !isStoredVariable(entry.substr(0, equals))) continue;
    if (!text.empty()) text += '\n';
    text += entry;
  }
  return text;
}

}  // namespace perfscope
