#include "strobe/report/render/display_text.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

TEST(Capitalized, only_a_small_letter_becomes_large) {
  EXPECT_EQ(capitalized("the clock rose"), "The clock rose");
  EXPECT_EQ(capitalized("GPU 0 runs"), "GPU 0 runs");
  EXPECT_EQ(capitalized("4 ranks"), "4 ranks");
  EXPECT_EQ(capitalized(""), "");
}

TEST(DisplayTextTest, nothing_a_terminal_would_obey_survives) {
  EXPECT_EQ(printable("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(printable("\x1b[31mred"), "\uFFFD[31mred");
  EXPECT_EQ(printable(std::string("a\0b\x7f", 4)), "a\uFFFDb\uFFFD");
  EXPECT_EQ(printable("x\u202Ey"), "x\uFFFDy");  // right-to-left override
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\uFFFD31m");                            // the one-character escape
  EXPECT_EQ(printable("\xFF\xC3"), "\uFFFD\uFFFD");  // not UTF-8
  EXPECT_EQ(printable("\xE2\x82"), "\uFFFD\uFFFD");  // truncated
  EXPECT_EQ(printable("größe 爱"), "größe 爱");
  EXPECT_EQ(printable("größe 爱\x1b", false), "gr??e ??");
}

TEST(DisplayTextTest, wide_characters_take_two_columns_and_marks_none) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("爱a"), 3u);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
}

TEST(DisplayTextTest, cutting_keeps_both_ends) {
  EXPECT_EQ(cut_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(cut_middle("abcdefghij", 7), "abcd…ij");
  EXPECT_EQ(cut_middle("abcdefghij", 7, false), "abc...j");
  EXPECT_EQ(cut_middle("abcdefghij", 1), "a");
  EXPECT_EQ(cut_middle("爱爱爱爱爱", 6), "爱爱…");
}

TEST(DisplayTextTest, a_cut_text_is_never_wider_than_asked) {
  std::mt19937 random(5);
  const std::vector<std::string> letters = {"a", ":", "爱", "e\u0301", "é", "<", "(", ")", " "};
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  for (std::size_t length = 0; length < 60; ++length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += letters[letter(random)];
    for (std::size_t columns = 1; columns < 40; ++columns) {
      EXPECT_LE(columns_of(cut_middle(text, columns)), columns) << text;
      EXPECT_LE(columns_of(cut_middle(text, columns, false)), columns) << text;
      EXPECT_LE(columns_of(fit_name(text, columns)), columns) << text;
      if (columns < 2) continue;
      for (const std::string& line : wrap(text, columns)) EXPECT_LE(columns_of(line), columns);
    }
  }
}

TEST(DisplayTextTest, a_name_gives_up_its_signature_first_then_its_namespaces) {
  const std::string name =
      "void at::native::vectorized_kernel<4, at::native::Add<float>, std::array<char*, 3ul> >(int, "
      "at::native::Add<float>)";
  EXPECT_EQ(fit_name(name, 200), name);
  EXPECT_EQ(fit_name(name, 90),
            "at::native::vectorized_kernel<4, at::native::Add<float>, std::array<char*, 3ul> >");
  EXPECT_EQ(fit_name(name, 60), "vectorized_kernel<4, Add<float>, array<char*, 3ul> >");
  EXPECT_EQ(fit_name(name, 30), "vectorized_kernel<4, Add<floa…");
}

TEST(DisplayTextTest, only_a_real_parameter_list_is_dropped) {
  EXPECT_EQ(fit_name("torch/nn/module.py(1532): _call_impl", 34),
            "torch/nn/module.py(153… _call_impl");
  EXPECT_EQ(fit_name("a::(anonymous namespace)::run<int>(float)", 24), "run<int>");
  EXPECT_EQ(fit_name("engine::evaluate_function: AddBackward0", 34),
            "evaluate_function: AddBackward0");
  EXPECT_EQ(fit_name("gemm(int, float) [clone .kd]", 10), "gemm");
}

TEST(DisplayTextTest, lines_break_at_spaces_and_long_words_anyway) {
  EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefghij k", 4), ElementsAre("abcd", "efgh", "ij k"));
  EXPECT_THAT(wrap("", 4), ElementsAre());
}

TEST(DisplayTextTest, names_that_would_look_alike_are_cut_around_what_differs) {
  const std::string add =
      "void n::loop_kernel<8, BinaryFunctor<Half, Half, AddFunctor<Half>>>(int)";
  const std::string mul =
      "void n::loop_kernel<8, BinaryFunctor<Half, Half, MulFunctor<Half>>>(int)";
  EXPECT_EQ(fit_name(add, 30), fit_name(mul, 30));
  EXPECT_EQ(fit_names({{add, 30}, {"gemm", 30}, {mul, 30}}),
            (std::vector<std::string>{"loop_kernel<8,…AddFunctor<Hal…", "gemm",
                                      "loop_kernel<8,…MulFunctor<Hal…"}));
}

TEST(DisplayTextTest, instances_of_a_template_show_their_arguments) {
  EXPECT_EQ(
      fit_names({{"vectorized_kernel<4, FillFunctor<int>, array<char*, 1>>", 30},
                 {"vectorized_kernel<8, AddFunctor<Half>, array<char*, 3>>", 30},
                 {"other_kernel<8, AddFunctor<Half>, array<char*, 3>>", 30}}),
      (std::vector<std::string>{"vectorized_ker…4, FillFunctor…", "vectorized_ker…8, AddFunctor<…",
                                "other_kernel<8, AddFunctor<Ha…"}));
}

TEST(DisplayTextTest, names_that_no_cut_tells_apart_are_numbered) {
  const std::string head(20, 'x');
  EXPECT_EQ(fit_names({{head + "a" + head, 10}, {head + "b" + head, 10}, {head + "a" + head, 10}}),
            (std::vector<std::string>{"xxxxxxxxx…", "xxxxxx… #2", "xxxxxxxxx…"}));
}

TEST(DisplayTextTest, equal_names_stay_equal) {
  EXPECT_EQ(fit_names({{"abcdefghij", 6}, {"abcdefghij", 6}}),
            (std::vector<std::string>{"abcd…j", "abcd…j"}));
}

TEST(DisplayTextTest, one_word_before_a_colon_gives_way) {
  EXPECT_EQ(fit_name("autograd::engine::evaluate_function: MulBackward0", 20), "…: MulBackward0");
  EXPECT_EQ(fit_name("Compiled Region: 0/0", 12), "Compiled…0/0");
}

TEST(DisplayTextTest, a_number_is_not_parted_from_its_unit) {
  EXPECT_EQ(wrap("one call of 60.0 us, and more", 16),
            (std::vector<std::string>{"one call of", "60.0 us, and", "more"}));
  EXPECT_EQ(wrap("in 2 usable parts", 6), (std::vector<std::string>{"in 2", "usable", "parts"}));
}

TEST(DisplayTextTest, brackets_that_tell_a_name_apart_stay) {
  EXPECT_EQ(fit_name("vectorized_elementwise_kernel[mul<f16>, vec8]", 30),
            "vectorized_el…[mul<f16>, vec8]");
  EXPECT_EQ(fit_name("softmax_warp_forward[f16, acc f32, 2^10]", 14).size(),
            fit_name("softmax_warp_forward(f16, acc f32, 2^10)", 14).size());
  EXPECT_LE(columns_of(fit_name("a::b::operator()() const::[lambda() (instance 1)]", 20)), 20u);
}

TEST(DisplayTextTest, two_pairs_that_look_alike_are_told_apart_from_each_other) {
  const auto fitted = fit_names({{"ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2...", 31},
                                 {"ampere_fp16_s16816gemm_fp16_256x64_ldg8_relu_f2...", 31},
                                 {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_relu_f...", 31},
                                 {"ampere_fp16_s16816gemm_fp16_256x128_ldg8_relu_f...", 31}});
  EXPECT_EQ(std::set<std::string>(fitted.begin(), fitted.end()).size(), 4u);
  EXPECT_THAT(fitted[1], ::testing::HasSubstr("256x64"));
  EXPECT_THAT(fitted[3], ::testing::HasSubstr("256x128"));
}

}  // namespace
}  // namespace strobe::report
