// The table of name patterns. Order matters: the more telling name comes first ("flash_bwd_dot_do_o_kernel"
// holds "dot", "reduce_1Block" of cuBLAS is a reduction, "multi_tensor_apply" of AdamW is an optimizer).
#include "analysis/facts/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace perfscope {
namespace {

struct Pattern {
  std::string_view fragment;
  KernelClass kernel_class;
};

// Sources: kernel names in recordings of PyTorch 2.x (ATen, Inductor/Triton), cuBLAS 12 and 13, cuDNN 9,
// FlashAttention 2 and 3, Apex, vLLM, NCCL, CUTLASS.
constexpr auto kPatterns = std::to_array<Pattern>({
    {"nccldevkernel", KernelClass::Communication},
    {"ncclkernel", KernelClass::Communication},
    {"rccl", KernelClass::Communication},
    {"nvshmem", KernelClass::Communication},
    {"allreduce", KernelClass::Communication},
    {"cross_device_reduce", KernelClass::Communication},
    {"flash", KernelClass::Attention},
    {"fmha", KernelClass::Attention},
    {"attention", KernelClass::Attention},
    {"sdpa", KernelClass::Attention},
    {"adam", KernelClass::Optimizer},
    {"multi_tensor_apply", KernelClass::Optimizer},
    {"multitensorapply", KernelClass::Optimizer},
    {"sgd_", KernelClass::Optimizer},
    {"lamb_", KernelClass::Optimizer},
    {"splitkreduce", KernelClass::Reduction},
    {"reduce_1block", KernelClass::Reduction},
    {"implicit_convolve", KernelClass::Convolution},
    {"wgrad", KernelClass::Convolution},
    {"dgrad", KernelClass::Convolution},
    {"fprop", KernelClass::Convolution},
    {"winograd", KernelClass::Convolution},
    {"conv2d", KernelClass::Convolution},
    {"conv1d", KernelClass::Convolution},
    {"convolution", KernelClass::Convolution},
    {"conv_depthwise", KernelClass::Convolution},
    {"cudnn::cnn", KernelClass::Convolution},
    {"gemm", KernelClass::Gemm},
    {"gemv", KernelClass::Gemm},
    {"nvjet", KernelClass::Gemm},
    {"xmma", KernelClass::Gemm},
    {"cutlass", KernelClass::Gemm},
    {"matmul", KernelClass::Gemm},
    {"_mm_kernel", KernelClass::Gemm},
    {"dot_kernel", KernelClass::Gemm},
    {"wgmma", KernelClass::Gemm},
    {"cublaslt", KernelClass::Gemm},
    {"softmax", KernelClass::Softmax},
    {"nll_loss", KernelClass::Softmax},
    {"cross_entropy", KernelClass::Softmax},
    {"layer_norm", KernelClass::Normalisation},
    {"layernorm", KernelClass::Normalisation},
    {"rms_norm", KernelClass::Normalisation},
    {"rmsnorm", KernelClass::Normalisation},
    {"batch_norm", KernelClass::Normalisation},
    {"batchnorm", KernelClass::Normalisation},
    {"bn_fw", KernelClass::Normalisation},
    {"bn_bw", KernelClass::Normalisation},
    {"group_norm", KernelClass::Normalisation},
    {"groupnorm", KernelClass::Normalisation},
    {"gammabeta", KernelClass::Normalisation},
    {"embedding", KernelClass::Embedding},
    {"indexselect", KernelClass::Embedding},
    {"index_select", KernelClass::Embedding},
    {"vectorized_gather", KernelClass::Embedding},
    {"catarray", KernelClass::Copy},
    {"direct_copy", KernelClass::Copy},
    {"copy_kernel", KernelClass::Copy},
    {"copy_device_to_device", KernelClass::Copy},
    {"transpose", KernelClass::Copy},
    {"memcpy", KernelClass::Copy},
    {"reduce", KernelClass::Reduction},
    {"argmax", KernelClass::Reduction},
    {"scan", KernelClass::Reduction},
    {"elementwise", KernelClass::Elementwise},
    {"pointwise", KernelClass::Elementwise},
    {"triton_poi", KernelClass::Elementwise},
    {"triton_red", KernelClass::Reduction},
    {"triton_per", KernelClass::Reduction},
    {"fill", KernelClass::Elementwise},
    {"dropout", KernelClass::Elementwise},
    {"activation", KernelClass::Elementwise},
    {"gelu", KernelClass::Elementwise},
    {"silu", KernelClass::Elementwise},
    {"relu", KernelClass::Elementwise},
    {"axpy", KernelClass::Elementwise},
    {"saxpy", KernelClass::Elementwise},
    {"vector_add", KernelClass::Elementwise},
});

}  // namespace

std::string_view name(KernelClass kernel_class) {
  constexpr std::array<std::string_view, 12> kNames = {
      "gemm",      "conv",      "attention",   "softmax", "normalisation", "reduction",
      "embedding", "optimizer", "elementwise", "copy",    "communication", "other"};
  return kNames[static_cast<size_t>(kernel_class)];
}

KernelClass classOf(std::string_view demangled_name) {
  std::string folded(demangled_name);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Pattern& pattern : kPatterns) {
    if (folded.find(pattern.fragment) != std::string::npos) return pattern.kernel_class;
  }
  return KernelClass::Other;
}

bool isMemoryNatured(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::Softmax:
    case KernelClass::Normalisation:
    case KernelClass::Reduction:
    case KernelClass::Embedding:
    case KernelClass::Optimizer:
    case KernelClass::Elementwise:
    case KernelClass::Copy:
      return true;
    case KernelClass::Gemm:
    case KernelClass::Convolution:
    case KernelClass::Attention:
    case KernelClass::Communication:
    case KernelClass::Other:
      break;
  }
  return false;
}

bool isMemoryNatured(std::string_view class_name) {
  for (int i = 0; i <= static_cast<int>(KernelClass::Other); ++i) {
    const auto candidate = static_cast<KernelClass>(i);
    if (class_name == name(candidate)) return isMemoryNatured(candidate);
  }
  return false;
}

}  // namespace perfscope
