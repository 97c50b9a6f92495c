#include "strobe/record/inject/activity/nvtx_text.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

using Number = TorchName::Number;

std::string utf8_of_wide(std::wstring_view text) { return utf8_of(text.data(), text.size()); }

TEST(NvtxText, wide_characters_of_every_length_become_utf8) {
  EXPECT_EQ(utf8_of_wide(L"a\u00E9\u20AC\U0001F600"), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(NvtxText, what_is_not_a_character_becomes_the_replacement) {
  const wchar_t text[] = {L'a', static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), L'b'};
  EXPECT_EQ(utf8_of(text, 4),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
}

TEST(NvtxText, bytes_stay_as_they_are_if_they_are_utf8) {
  const std::string text = "step a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(clean_utf8(text), text);
}

TEST(NvtxText, other_bytes_are_replaced_one_by_one) {
  EXPECT_EQ(clean_utf8("caf\xE9 au lait"), "caf\xEF\xBF\xBD au lait");
  EXPECT_EQ(clean_utf8("\x80\xFF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(clean_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // a long form of "/"
  EXPECT_EQ(clean_utf8("\xED\xA0\x80!"), "\xEF\xBF\xBD!");        // half a pair
  EXPECT_EQ(clean_utf8("\xF5\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // beyond Unicode
}

TEST(NvtxText, a_character_that_is_cut_off_at_the_end_is_left_out) {
  EXPECT_EQ(clean_utf8("a\xF0\x9F\x98"), "a");
  EXPECT_EQ(clean_utf8("a\xC3"), "a");
}

TEST(NvtxText, names_that_differ_in_numbers_become_one) {
  EXPECT_EQ(without_numbers("step 17 of 100"), "step # of #");
  EXPECT_EQ(without_numbers("7"), "#");
  EXPECT_EQ(without_numbers("forward"), "forward");
}

TEST(NvtxText, the_sequence_number_of_an_operator_is_taken_off_its_name) {
  const TorchName name = split_torch_name("aten::add_, seq = 17, op_id = 310");
  EXPECT_EQ(name.name, "aten::add_");
  EXPECT_EQ(name.number, Number::kSequence);
  EXPECT_EQ(name.value, 17u);
  EXPECT_EQ(text_of(name), "aten::add_, seq = payload");
}

TEST(NvtxText, an_operator_without_a_gradient_has_its_id_only) {
  const TorchName name = split_torch_name("autograd::engine: AddBackward0, op_id = 4");
  EXPECT_EQ(name.name, "autograd::engine: AddBackward0");
  EXPECT_EQ(name.number, Number::kOperation);
  EXPECT_EQ(name.value, 4u);
  EXPECT_EQ(text_of(name), "autograd::engine: AddBackward0, op_id = payload");
  EXPECT_EQ(text_of(split_torch_name("aten::mul, seq = 5")), "aten::mul, seq = payload");
}

TEST(NvtxText, sizes_stay_and_the_ids_of_inputs_go) {
  const TorchName name = split_torch_name(
      "aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [[1,0], [2,0]]");
  EXPECT_EQ(text_of(name), "aten::mm, seq = payload, sizes = [[2, 3], [3, 4]]");
  EXPECT_EQ(name.value, 5u);
  EXPECT_EQ(text_of(split_torch_name("aten::mm, op_id = 7, sizes = [[2]]")),
            "aten::mm, op_id = payload, sizes = [[2]]");
}

TEST(NvtxText, other_names_are_left_alone) {
  for (const char* text : {"", "step 17", "a, seq = ", "a, seq = x7", "a, seq = 7, loss = 3",
                           "a, op_id = 7b2", "list [1, 2]", "a, seq = 7 and 8", "aten::add"}) {
    EXPECT_EQ(split_torch_name(text).number, Number::kNone) << text;
    EXPECT_EQ(text_of(split_torch_name(text)), text);
  }
}

}  // namespace
}  // namespace strobe::record
