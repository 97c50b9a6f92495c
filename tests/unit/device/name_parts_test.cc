#include "strobe/device/name_parts.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DemangleTest, abi_names_become_text) {
  EXPECT_EQ(demangled("_Z7k_emptyv"), "k_empty()");
  EXPECT_EQ(demangled("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(demangled("_Z5scaleILi4EEvPfif"), "void scale<4>(float*, int, float)");
}

TEST(DemangleTest, everything_else_comes_back_as_it_is) {
  for (const std::string name :
       {"", "_Z", "_Znonsense!", "k_empty", "void f<int>(int)", "ampere_sgemm_128x64_nn", "i",
        "Memcpy HtoD (Pageable -> Device)", "_Z7k_emptyv.kd?"}) {
    EXPECT_EQ(demangled(name), name);
  }
  const std::string with_zero("_Z7k_emptyv\0_tail", 17);
  EXPECT_EQ(demangled(with_zero), with_zero);
}

TEST(DemangleTest, a_name_without_an_end_does_not_hurt) {
  const std::string endless = "_Z1f" + std::string(100'000, 'P');
  EXPECT_EQ(demangled(endless), endless);
}

TEST(ReadableNameTest, mangled_names_and_kinds_of_symbols_are_resolved) {
  EXPECT_EQ(readable_name("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(readable_name("_ZN3foo3barEi.kd"), "foo::bar(int)");
  EXPECT_EQ(readable_name("Cijk_Ailk_Bljk_HHS.kd"), "Cijk_Ailk_Bljk_HHS");
  EXPECT_EQ(readable_name("void f<int>(int) [clone .kd]"), "void f<int>(int)");
  EXPECT_EQ(readable_name("void f<int>(int) (.kd)"), "void f<int>(int)");
  EXPECT_EQ(readable_name(".kd"), ".kd");
}

TEST(ReadableNameTest, a_readable_name_says_so_and_stays) {
  for (const char* const name : {"k_empty", "void f<int>(int)", "Cijk_Ailk_Bljk_HHS", ""}) {
    EXPECT_TRUE(is_readable_name(name)) << name;
    EXPECT_EQ(readable_name(name), name);
  }
  EXPECT_FALSE(is_readable_name("_ZN3foo3barEi"));
  EXPECT_FALSE(is_readable_name("Cijk_Ailk_Bljk_HHS.kd"));
}

TEST(BracketsTest, arguments_are_split_at_outer_commas) {
  EXPECT_THAT(split_arguments("4, at::Functor<float, int>, f(a, b)::{lambda(int, int)#1}"),
              ElementsAre("4", "at::Functor<float, int>", "f(a, b)::{lambda(int, int)#1}"));
  EXPECT_THAT(split_arguments("std::array<char*, 2ul> "), ElementsAre("std::array<char*, 2ul>"));
  EXPECT_THAT(split_arguments("a,,b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_arguments("  "), IsEmpty());
}

TEST(BracketsTest, signs_are_no_brackets) {
  EXPECT_THAT(split_arguments("&a::operator<, b"), ElementsAre("&a::operator<", "b"));
  EXPECT_THAT(split_arguments("&a::operator>>, b"), ElementsAre("&a::operator>>", "b"));
  EXPECT_THAT(split_arguments("decltype(a->b)<int, long>, c"),
              ElementsAre("decltype(a->b)<int, long>", "c"));
  EXPECT_THAT(split_arguments("T<(4 < 5), 1>, c"), ElementsAre("T<(4 < 5), 1>", "c"));
}

TEST(BracketsTest, brackets_that_do_not_match_are_forgiven) {
  EXPECT_THAT(split_arguments("a), b>, c]"), ElementsAre("a)", "b>", "c]"));
  EXPECT_THAT(split_arguments("a<b, c"), ElementsAre("a<b, c"));
  EXPECT_THAT(split_arguments("[(a], b"), ElementsAre("[(a]", "b"));
}

TEST(BracketsTest, the_closing_one_is_found) {
  EXPECT_EQ(after_bracket("f<a<b>(c)>(d)", 1), 10U);
  EXPECT_EQ(after_bracket("f<a<b>(c)>(d)", 10), 13U);
  EXPECT_EQ(after_bracket("f<a", 1), std::string_view::npos);
}

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

TEST(TemplateNumberTest, numbers_come_in_many_spellings) {
  EXPECT_EQ(template_number("4"), "4");
  EXPECT_EQ(template_number("(int)4"), "4");
  EXPECT_EQ(template_number("256u"), "256");
  EXPECT_EQ(template_number("2ul"), "2");
  EXPECT_EQ(template_number("-2"), "-2");
  EXPECT_EQ(template_number("(cub::SortOrder)0"), "0");
  EXPECT_EQ(template_number("(bool)1"), "1");
  EXPECT_EQ(template_number("true"), "1");
  EXPECT_EQ(template_number("false"), "0");
}

TEST(TemplateNumberTest, other_arguments_have_none) {
  for (const char* const argument :
       {"", "-", "float", "4x", "(anonymous namespace)::T", "(int", "u", "f<4>"}) {
    EXPECT_EQ(template_number(argument), "") << argument;
  }
}

TEST(TypeWordTest, libraries_agree_on_few_names) {
  for (const char* const type : {"c10::Half", "__half", "half", "cutlass::half_t",
                                 "phi::dtype::float16", "half const", "const c10::Half"}) {
    EXPECT_EQ(type_word(type), "f16") << type;
  }
  for (const char* const type : {"c10::BFloat16", "__nv_bfloat16", "cutlass::bfloat16_t"}) {
    EXPECT_EQ(type_word(type), "bf16") << type;
  }
  EXPECT_EQ(type_word("float"), "f32");
  EXPECT_EQ(type_word("unsigned long long"), "u64");
  EXPECT_EQ(type_word("long"), "i64");
  EXPECT_EQ(type_word("c10::complex<float>"), "c64");
  EXPECT_EQ(type_word("c10::Float8_e4m3fn"), "e4m3");
}

TEST(TypeWordTest, a_type_of_so_many_bytes_says_how_many) {
  EXPECT_EQ(type_word("at::native::OpaqueType<2>"), "2B");
  EXPECT_EQ(type_word("at::native::(anonymous namespace)::OpaqueType<16u>"), "16B");
}

TEST(TypeWordTest, other_types_have_no_word) {
  for (const char* const type :
       {"", "char*", "float const*", "std::plus<float>", "4", "true", "Array<float>", "complex<"}) {
    EXPECT_EQ(type_word(type), "") << type;
  }
}

TEST(NameWordsTest, words_are_found_however_they_were_joined) {
  EXPECT_EQ(name_words("RMSNormKernel"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("rms_norm_kernel"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("rms::norm kernel<"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("nchwToNhwcKernel"), "^_nchw_to_nhwc_kernel_$");
  EXPECT_EQ(name_words("conv2dBackward"), "^_conv2d_backward_$");
  EXPECT_EQ(name_words("__amd_rocclr_copyBuffer"), "^_amd_rocclr_copy_buffer_$");
}

TEST(NameWordsTest, nothing_has_no_words) {
  EXPECT_EQ(name_words(""), "^_$");
  EXPECT_EQ(name_words("::<>"), "^_$");
}

}  // namespace
}  // namespace strobe::device
