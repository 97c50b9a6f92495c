#include "strobe/bench/reference/mask_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

constexpr const char* kBoth[] = {"bias_dropout_add_train", "bias_dropout_add_transposed_train"};

struct Answer {
  const CaseInfo& info;
  PrepareRequest request;
  std::vector<std::int64_t> rows;
  std::vector<float> values;  // right ones, rounded to the type

  MaskCheck check() const { return check_mask(info, request, rows, values); }
};

Answer right_answer(const char* id, DType dtype = DType::kF32, Shape shape = {{6, 10}}) {
  PrepareRequest request;
  request.cell = {id, shape, dtype, "mine"};
  request.seed = 3;
  Answer answer{*find_case(id), request, {}, {}};
  answer.rows.resize(static_cast<std::size_t>(output_layouts(answer.info, shape)[0].rows));
  std::iota(answer.rows.begin(), answer.rows.end(), 0);
  for (const double value : reference_rows(answer.info, request, 0, answer.rows))
    answer.values.push_back(rounded_to(dtype, static_cast<float>(value)));
  return answer;
}

TEST(MaskCheck, the_references_own_mask_is_right_in_every_type) {
  for (const char* id : kBoth) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16}) {
      EXPECT_EQ(right_answer(id, dtype, {{67, 131}}).check().differences, 0u) << id;
    }
  }
}

// Flips one element after the other: a dropped one is kept, a kept one dropped.
TEST(MaskCheck, every_single_bit_of_the_mask_is_seen) {
  for (const char* id : kBoth) {
    const Answer right = right_answer(id);
    const auto inputs = input_sources(right.info, right.request);
    for (std::size_t i = 0; i < right.values.size(); ++i) {
      Answer flipped = right;
      const float residual = inputs[2](static_cast<std::int64_t>(i));
      flipped.values[i] = right.values[i] == residual ? residual + 2.5f : residual;
      EXPECT_EQ(flipped.check().differences, 1u) << id << " " << i;
      EXPECT_EQ(flipped.check().first, static_cast<std::int64_t>(i));
    }
  }
}

// The mask depends on row and column, not on the layout of tensors.
TEST(MaskCheck, both_layouts_drop_the_same_elements) {
  const Answer straight = right_answer(kBoth[0]), turned = right_answer(kBoth[1]);
  const auto residual = input_sources(straight.info, straight.request)[2];
  const auto turned_residual = input_sources(turned.info, turned.request)[2];
  std::int64_t dropped = 0;
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t column = 0; column < 10; ++column) {
      const std::int64_t here = row * 10 + column, there = column * 6 + row;
      const bool is_zero = straight.values[static_cast<std::size_t>(here)] == residual(here);
      EXPECT_EQ(is_zero, is_dropped(dropout_key(3), here, 0.5));
      EXPECT_EQ(is_zero, turned.values[static_cast<std::size_t>(there)] == turned_residual(there));
      dropped += is_zero ? 1 : 0;
    }
  }
  EXPECT_GT(dropped, 15);
  EXPECT_LT(dropped, 45);
}

TEST(MaskCheck, a_dropped_element_is_the_residual_to_the_bit) {
  Answer answer = right_answer(kBoth[0]);
  const auto residual = input_sources(answer.info, answer.request)[2];
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    const bool was_dropped = answer.values[i] == residual(static_cast<std::int64_t>(i));
    float& value = answer.values[i];
    // Well within any tolerance.
    value = std::nextafter(value, std::numeric_limits<float>::infinity());
    EXPECT_EQ(answer.check().differences, was_dropped ? 1u : 0u) << i;
    value = std::nextafter(value, -std::numeric_limits<float>::infinity());
  }
}

TEST(MaskCheck, another_seed_is_another_mask) {
  Answer answer = right_answer(kBoth[0], DType::kF32, {{64, 64}});
  answer.request.seed = 4;
  // Its inputs also differ, so that nothing looks dropped: about half of 4096 differ.
  EXPECT_NEAR(static_cast<double>(answer.check().differences), 2048, 160);
}

TEST(MaskCheck, poison_is_not_dropped) {
  Answer answer = right_answer(kBoth[0]);
  std::ranges::fill(answer.values, NAN);
  EXPECT_GT(answer.check().differences, 15u);
}

TEST(MaskCheck, some_rows_are_checked_in_their_places) {
  for (const char* id : kBoth) {
    Answer answer = right_answer(id);
    const std::size_t width = answer.values.size() / answer.rows.size();
    answer.rows = {1, 4};
    const auto row = [&](std::size_t number) {
      return answer.values.begin() + static_cast<std::ptrdiff_t>(number * width);
    };
    std::vector<float> some(row(1), row(2));
    some.insert(some.end(), row(4), row(5));
    answer.values = some;
    EXPECT_EQ(answer.check().differences, 0u) << id;
  }
}

TEST(MaskCheck, inference_has_no_mask) {
  EXPECT_EQ(right_answer("bias_dropout_add").check().differences, 0u);
  EXPECT_EQ(right_answer("softmax").check().differences, 0u);
}

}  // namespace
}  // namespace strobe::bench
