// Labels of kernels: a table of real names, uniqueness, and names that are no names.
#include "analysis/report/kernel_labels.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "analysis/report/kernel_signature.h"
#include "analysis/report/report_builder.h"

namespace perfscope {
namespace {

KernelReport named(const std::string& name, int64_t device = 0) {
  KernelReport kernel;
  kernel.name = name;
  kernel.device = device;
  return kernel;
}

struct Named {
  std::string_view name, label;
};
// Names as the driver gave them in recordings of PyTorch 2.x on H200, A100 and V100 (elementwise, reductions,
// optimizers, softmax, normalisation, attention, cuBLAS and cuDNN products, Triton, NCCL, CUB), all in one
// list.
constexpr auto kNames = std::to_array<Named>({
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, "
     "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
     "elementwise<add<BFloat16>>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     "elementwise<add<float>>"},
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
     "elementwise<Gelu(BFloat16)>"},
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, "
     "std::array<char*, 2ul> >(int, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"
     "::{lambda(float)#1}, std::array<char*, 2ul>)",
     "elementwise<bfloat16_copy(float)>"},
    {"void at::native::vectorized_elementwise_kernel<2, at::native::FillFunctor<long>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<long>, std::array<char*, 1ul>)",
     "elementwise<Fill<long>>"},
    {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorI"
     "teratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() "
     "const::{lambda(float)#1}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned "
     "int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, "
     "at::native::memory::StoreWithCast<1> >(int, "
     "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
     "const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, "
     "TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, "
     "at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>)",
     "unrolled_elementwise<direct_copy(float)>"},
    {"void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul>, 4, TrivialOffsetCalculator<2, unsigned int>, "
     "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<2>, "
     "at::native::memory::StoreWithCast<1> >(int, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul>, TrivialOffsetCalculator<2, unsigned int>, "
     "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<2>, "
     "at::native::memory::StoreWithCast<1>)",
     "unrolled_elementwise<add<float>>"},
    {"void at::native::elementwise_kernel<128, 2, "
     "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
     ">(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> "
     "const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_ad"
     "d<float> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> "
     "const&)::{lambda(int)#1})",
     "elementwise_kernel<add<float>>"},
    {"void (anonymous namespace)::elementwise_kernel_with_index<int, "
     "at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, "
     "at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(long)#1}>(int, at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar "
     "const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() "
     "const::{lambda()#4}::operator()() const::{lambda(long)#1}, "
     "function_traits<at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, "
     "c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() "
     "const::{lambda()#4}::operator()() const::{lambda(long)#1}>::result_type*)",
     "elementwise_kernel_with_index<arange_cuda_out(long)>"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
     "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> "
     ">(at::native::ReduceOp<c10::BFloat16, at::native::ArgMaxOps<float>, unsigned int, long, 4, "
     "4>)",
     "reduce<ArgMaxOps<float>>"},
    {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
     "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
     "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
     "c10::BFloat16, 4, 8> >(at::native::ReduceOp<c10::BFloat16, "
     "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
     "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
     "c10::BFloat16, 4, 8>)",
     "reduce<sum<BFloat16, float>>"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<1>, at::native::(anonymous "
     "namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, "
     "float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous "
     "namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float)",
     "multi_tensor<BinaryOpScalar<float>, multiplies<float>>"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<1>, at::native::(anonymous "
     "namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, "
     "float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous "
     "namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float)",
     "multi_tensor<BinaryOpScalar<float>, plus<float>>"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<2>, at::native::(anonymous "
     "namespace)::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>, "
     "float>(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous "
     "namespace)::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>, float)",
     "multi_tensor<TernaryOpScalar<float>, Lerp<float>>"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
     "c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*,"
     " c10::BFloat16 const*, int)",
     "cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>"},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*, "
     "float const*, int, int, int)",
     "softmax_warp_forward"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, "
     "false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, "
     "float*, float*, c10::BFloat16*)",
     "vectorized_layer_norm_kernel<BFloat16, float>"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, "
     "false>(int, float, float const*, float const*, float const*, float*, float*, float*)",
     "vectorized_layer_norm_kernel<float>"},
    {"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
     "4, at::native::templates::cuda::normal_and_transform<float, float, at::CUDAGeneratorImpl*, "
     "at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase const&, "
     "double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2}, at::native::(anonymous namespace)::distribution_nullary_kernel<float, float, "
     "float4, at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_and_transform<float, "
     "float, at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorI"
     "mpl*>(at::TensorBase const&, double, double, "
     "at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() "
     "const::{lambda(float)#1}>(at::TensorIteratorBase&, at::CUDAGeneratorImpl*, "
     "at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase const&, "
     "double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2}, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase "
     "const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_and_transform<float, float, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2} const&, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::Tensor"
     "Base const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(int, float)#1}>(long, "
     "at::PhiloxCudaState, at::native::templates::cuda::normal_and_transform<float, float, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2}, at::native::(anonymous namespace)::distribution_nullary_kernel<float, float, "
     "float4, at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_and_transform<float, "
     "float, at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorI"
     "mpl*>(at::TensorBase const&, double, double, "
     "at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() "
     "const::{lambda(float)#1}>(at::TensorIteratorBase&, at::CUDAGeneratorImpl*, "
     "at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase const&, "
     "double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2}, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::TensorBase "
     "const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_and_transform<float, float, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
     "at::CUDAGeneratorImpl*, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(a"
     "t::TensorBase const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(curandStatePhilox4_32_1"
     "0*)#2} const&, at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::Tensor"
     "Base const&, double, double, at::CUDAGeneratorImpl*)::{lambda()#1}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1})::{lambda(int, float)#1})",
     "distribution<normal_and_transform<float, normal_kernel(float)>>"},
    {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
     "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, "
     "false, false, false, false, true, false, false>(pytorch_flash::Flash_fwd_params)",
     "flash_fwd_kernel"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_cga1x1x1_"
     "kernel0_0",
     "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_cga1x1x1_"
     "kernel0_0"},
    {"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_bias_TNT",
     "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_bias_TNT"},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, "
     "false, float, __nv_bfloat16, __nv_bfloat16, true, true, false, "
     "false>(cublasLt::cublasSplitKParams<float>, float const*, __nv_bfloat16 const*, float*, "
     "__nv_bfloat16*, float const*, float const*, __nv_bfloat16 const*, float const*, "
     "__nv_bfloat16*, void*, long, float*, int*, float*, float*, float const*, float const*, "
     "float const*, float const*, float const*)",
     "splitKreduce_kernel"},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segme"
     "nt_k_off_kernel__5x_cublas",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segme"
     "nt_k_off_kernel__5x_cublas"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8>(c"
     "utlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8::Params)",
     "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8"},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
    {"triton_poi_fused_add_cos_sin_0", "triton_poi_fused_add_cos_sin_0"},
    {"void at_cuda_detail::cub::detail::scan::DeviceScanKernel<at_cuda_detail::cub::detail::scan::"
     "policy_hub<long, long, long, unsigned int, at::cuda::cub::(anonymous "
     "namespace)::SumOp<long> >::Policy1000, long const*, long*, "
     "at_cuda_detail::cub::ScanTileState<long, true>, at::cuda::cub::(anonymous "
     "namespace)::SumOp<long>, at_cuda_detail::cub::detail::InputValue<long, long*>, unsigned "
     "int, long, false, long>(long const*, long*, at_cuda_detail::cub::ScanTileState<long, true>, "
     "int, at::cuda::cub::(anonymous namespace)::SumOp<long>, "
     "at_cuda_detail::cub::detail::InputValue<long, long*>, unsigned int)",
     "DeviceScanKernel<SumOp<long>>"},
    {"gpu_mix::(anonymous namespace)::busyKernel(unsigned long)", "busyKernel"},
});

TEST(KernelLabels, RealNamesReadAsWhatTheyCompute) {
  std::vector<KernelReport> kernels;
  for (const Named& entry : kNames) kernels.push_back(named(std::string(entry.name)));
  const auto labels = kernelLabels(kernels);
  ASSERT_EQ(labels.size(), kNames.size());
  for (size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], kNames[i].label) << kNames[i].name;
}

// Every recording of the tests: as many labels as there are names.
TEST(KernelLabels, AreUniquePerSignatureInEveryRecording) {
  for (const auto* recording : {"decode", "decode_graph", "mix", "multi_process", "sleepgap", "train"}) {
    const auto report =
        buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/" + recording + ".perfscope", {});
    ASSERT_TRUE(report) << recording;
    std::set<std::string> names;
    for (const auto& kernel : report->kernels) names.insert(kernel.name);
    const auto labels = kernelLabels(report->kernels);
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), names.size()) << recording;
  }
}

TEST(KernelLabels, OnlyThoseThatCollideGetMoreDetail) {
  const auto labels =
      kernelLabels({named("void v<4, Add<float>, std::array<char*, 3ul> >(int)"),
                    named("void v<8, Add<float>, std::array<char*, 3ul> >(int)"),
                    named("void v<8, at::native::Mul<c10::Half> >(int)"),
                    named("void norm<float, false>(int)"), named("void norm<double, false>(int)")});
  EXPECT_EQ(labels[0], "v<4, Add<float>, array<char*, 3ul>>");
  EXPECT_EQ(labels[1], "v<8, Add<float>, array<char*, 3ul>>");
  EXPECT_EQ(labels[2], "v<Mul<Half>>");
  EXPECT_EQ(labels[3], "norm<float>");
  EXPECT_EQ(labels[4], "norm<double>");
}

TEST(KernelLabels, TheSameKernelOnTwoDevicesHasOneLabel) {
  const auto labels = kernelLabels({named("void a::k<1>()", 0), named("void a::k<1>()", 1)});
  EXPECT_EQ(labels[0], "k");
  EXPECT_EQ(labels[1], "k");
}

TEST(KernelLabels, WhatOnlyScopesOrParametersTellApartIsShownInFull) {
  const auto labels = kernelLabels({named("a::k(int)"), named("b::k(int)"), named("b::k(float)")});
  EXPECT_EQ(labels[0], "a::k(int)");
  EXPECT_EQ(labels[1], "b::k(int)");
  EXPECT_EQ(labels[2], "b::k(float)");
}

TEST(KernelLabels, OddNamesStillGetALabel) {
  const auto labels = kernelLabels({named(""), named("n::<int>"), named("broken<int, (float>"), named(">"),
                                    named("_Z3fooPf"), named("a::"), named("{lambda(int)#1}")});
  EXPECT_EQ(labels[0], "(no name)");
  EXPECT_EQ(labels[1], "n::<int>");
  EXPECT_EQ(labels[2], "broken<int, (float>");
  EXPECT_EQ(labels[3], ">");
  EXPECT_EQ(labels[4], "_Z3fooPf");
  EXPECT_EQ(labels[5], "a::");
  EXPECT_FALSE(labels[6].empty());
}

TEST(KernelSignature, DeepNestingEnds) {
  std::string name = "k";
  for (int i = 0; i < 100'000; ++i) name += "<a";
  EXPECT_EQ(kernelSignature(name, SignatureDetail::Functor), name);  // never closed
  for (int i = 0; i < 100'000; ++i) name += ">";
  EXPECT_EQ(kernelSignature(name, SignatureDetail::Functor).substr(0, 6), "k<a<a<");
}

}  // namespace
}  // namespace perfscope
