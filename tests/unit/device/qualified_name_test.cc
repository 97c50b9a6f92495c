#include "strobe/device/qualified_name.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

void expect_parts(std::string_view text, std::string_view scope, std::string_view base,
                  std::string_view arguments) {
  const QualifiedName name = qualified_name(text);
  EXPECT_EQ(name.scope, scope) << text;
  EXPECT_EQ(name.base, base) << text;
  EXPECT_EQ(name.arguments, arguments) << text;
}

TEST(QualifiedNameTest, a_name_is_taken_apart) {
  expect_parts("void a::b<int>::f<4, T>(float*)", "a::b<int>::", "f", "4, T");
  expect_parts("k_copy(const float4 *, float4 *)", "", "k_copy", "");
  expect_parts("at::vectorized_layer_norm_kernel", "at::", "vectorized_layer_norm_kernel", "");
  expect_parts("ampere_sgemm_128x64_nn", "", "ampere_sgemm_128x64_nn", "");
}

TEST(QualifiedNameTest, the_returned_type_is_skipped) {
  expect_parts("void f", "", "f", "");
  expect_parts("std::enable_if<true, void>::type g<int>(int)", "", "g", "int");
  expect_parts("unsigned long long a::g<int>(int)", "a::", "g", "int");
  expect_parts("char const* g<int>()", "", "g", "int");
  expect_parts("std::vector<float> g(int)", "", "g", "");
  expect_parts("decltype (a+b) g<int>()", "", "g", "int");
  expect_parts("decltype(a(b)) g<int>()", "", "g", "int");
}

TEST(QualifiedNameTest, scopes_without_a_name_are_passed_over) {
  expect_parts("void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::", "f", "int");
  expect_parts("void a::<unnamed>::f<int>(int)", "a::<unnamed>::", "f", "int");
  expect_parts("(anonymous namespace)::f", "(anonymous namespace)::", "f", "");
}

TEST(QualifiedNameTest, a_lambda_is_spoken_for_by_its_function) {
  expect_parts("a::f<int>(B&)::{lambda()#1}::operator()() const::{lambda(float)#2}", "a::", "f",
               "int");
  expect_parts("void a::f<int>(B &)::[lambda(int) (instance 1)]", "a::", "f", "int");
  expect_parts("a::f(B &)::[lambda() (instance 2)]::operator ()() const::[lambda(T) (instance 3)]",
               "a::", "f", "");
  expect_parts("void a::f()::'lambda'(int)::operator()<float>(float) const", "a::", "f", "");
  expect_parts("sum<float, int>::operator()(at::T&)::{lambda(float, float)#1}", "", "sum",
               "float, int");
}

TEST(QualifiedNameTest, operators_are_no_brackets) {
  expect_parts("bool a::operator< <int>(T, T)", "", "bool a::operator< <int>(T, T)", "");
  expect_parts("a::T::operator<<(int)", "a::", "T", "");
  expect_parts("a::T::operator bool() const", "a::", "T", "");
}

TEST(QualifiedNameTest, a_name_that_was_cut_is_read_as_far_as_it_goes) {
  expect_parts("void a::f<float, (int)4, void at::nat...", "a::", "f",
               "float, (int)4, void at::nat...");
  expect_parts("void cutlass::Kernel<cutlass_80_nn_align8(T1::Params)", "cutlass::", "Kernel",
               "cutlass_80_nn_align8(T1::Params)");
  expect_parts("ampere_fp16_s16816gemm_fp16_64x128_sliced1x2_ld...", "",
               "ampere_fp16_s16816gemm_fp16_64x128_sliced1x2_ld...", "");
  expect_parts("a::b::", "", "a::b::", "");
}

TEST(QualifiedNameTest, what_is_no_function_keeps_its_words) {
  expect_parts("Memcpy HtoD (Pageable -> Device)", "", "Memcpy HtoD", "");
  expect_parts("Memset (Device)", "", "Memset", "");
  expect_parts("[CUDA memcpy DtoD]", "", "[CUDA memcpy DtoD]", "");
  expect_parts("<<<", "", "<<<", "");
  expect_parts("   ", "", "   ", "");
  expect_parts("", "", "", "");
}

TEST(QualifiedNameTest, a_loaders_kind_of_symbol_is_dropped) {
  expect_parts("Cijk_Ailk_Bljk_HHS.kd", "", "Cijk_Ailk_Bljk_HHS", "");
  expect_parts("void f<int>(int) [clone .kd]", "", "f", "int");
}

}  // namespace
}  // namespace strobe::device
