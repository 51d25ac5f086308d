// Names of kernels: a golden list. The mangled ones were made with nvcc's and g++'s Itanium mangling; the
// demangled ones are what c++filt prints for PyTorch 2.x, CUTLASS and Triton kernels.
#include "injector/recorder/kernel_name.h"

#include <gtest/gtest.h>

namespace perfscope {
namespace {

struct Case {
  const char* full;
  const char* short_name;
};

class ShortName : public testing::TestWithParam<Case> {};

TEST_P(ShortName, IsAsExpected) {
  EXPECT_EQ(shortName(GetParam().full), GetParam().short_name);
}

INSTANTIATE_TEST_SUITE_P(
    Golden, ShortName,
    testing::Values(
        Case{"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
        Case{"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT", "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT"},
        Case{"triton_poi_fused_add_0", "triton_poi_fused_add_0"}, Case{"add(float*, int)", "add"},
        Case{"void add<float>(float*, int)", "add"},
        Case{"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
             "std::array<char*, "
             "1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
             "at::native::vectorized_elementwise_kernel"},
        Case{"void at::native::(anonymous namespace)::CatArrayBatchedCopy<unsigned int, 2, 64, 64>(unsigned "
             "int*, "
             "at::native::(anonymous namespace)::CatArrInputTensorMetadata<unsigned int>)",
             "at::native::(anonymous namespace)::CatArrayBatchedCopy"},
        Case{"(anonymous namespace)::k(int)", "(anonymous namespace)::k"},
        Case{"void at::native::elementwise_kernel<128, 2, "
             "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
             ">(at::TensorIteratorBase&, "
             "at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int, "
             "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
             ">(at::TensorIteratorBase&, "
             "at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})",
             "at::native::elementwise_kernel"},
        Case{"foo(int)::{lambda(float)#2}::operator()(float) const", "foo::{lambda#2}::operator()"},
        Case{"foo(int) const::{lambda()#1}::operator()() const", "foo::{lambda#1}::operator()"},
        Case{"void S::operator()<int>(int) const", "S::operator()"},
        Case{"S::operator<(S const&)", "S::operator<"}, Case{"bool operator<< <int>(S, int)", "operator<<"},
        Case{"S::operator bool() const", "S::operator bool"}, Case{"S::operator->()", "S::operator->"},
        Case{"operator new[](unsigned long)", "operator new[]"}, Case{"my_operator(int)", "my_operator"},
        Case{"void f<(E)1, (a<b>::c)(2 > 1)>(int)", "f"}, Case{"void f<&g<int> >(int)", "f"},
        Case{"void f<A::operator-> >(int)", "f"}, Case{"unsigned long long* ns::f<int>(int)", "ns::f"},
        Case{"float const& g(int)", "g"}, Case{"decltype (f(1)) ns::h<int>(int)", "ns::h"},
        Case{"f[abi:cxx11](int)", "f"}, Case{"f(int) [clone .constprop.0]", "f"},
        Case{"k(int) [clone .kd]", "k"},
        Case{"cudapy::__main__::axpy[abi:v1](Array<float, 1>)", "cudapy::__main__::axpy"},
        Case{"void "
             "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>(Params)",
             "cutlass::Kernel2"},
        // Broken texts come back in a usable form, never empty, never for ever.
        Case{"", ""}, Case{"(", "("}, Case{"<", "<"}, Case{"<<<<", "<<<<"}, Case{"f<int", "f"},
        Case{"operator", "operator"}, Case{"operator<", "operator<"}, Case{"{", "{"}, Case{" ", " "},
        Case{"name with blanks", "blanks"}, Case{"f(a", "f"}, Case{")))", ")))"}, Case{"f>g", "f>g"}));

TEST(ShortNameLimits, LongNames) {
  const std::string plain(5000, 'x');
  EXPECT_EQ(shortName(plain), plain);
  std::string nested = "void f<";
  for (int i = 0; i < 3000; ++i) nested += "A<";
  nested += "int";
  for (int i = 0; i < 3000; ++i) nested += ">";
  EXPECT_EQ(shortName(nested + ">(int)"), "f");
}

TEST(Demangle, ItaniumNamesOnly) {
  EXPECT_EQ(demangle("_Z3addPfi"), "add(float*, int)");
  EXPECT_EQ(demangle("_ZN2ns3fooILi4EfEEvPT0_"), "void ns::foo<4, float>(float*)");
  EXPECT_EQ(demangle("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangle(""), "");
  const std::string huge = "_Z" + std::string(100000, 'x');
  EXPECT_EQ(demangle(huge), huge);
}

TEST(CleanText, KeepsValidUtf8AndReplacesTheRest) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(cleanText("plain"), "plain");
  EXPECT_EQ(cleanText("tab\tand\nline"), "tab\tand\nline");
  EXPECT_EQ(cleanText("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(cleanText(std::string("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(cleanText("\x1b[31m"), bad + "[31m");         // a terminal must not obey a kernel's name
  EXPECT_EQ(cleanText("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(cleanText("\xED\xA0\x80"), bad + bad + bad);  // surrogate
  EXPECT_EQ(cleanText("\xE2\x82"), bad + bad);            // cut short
  EXPECT_EQ(cleanText("\xF5\x80\x80\x80"), bad + bad + bad + bad);
}

}  // namespace
}  // namespace perfscope
