#include "strobe/trace/slice_kind.h"

#include <gtest/gtest.h>

#include <set>

namespace strobe {
namespace {

TEST(SliceKindTest, every_kind_has_a_word_of_its_own) {
  std::set<std::string_view> words;
  for (int kind = 0; kind < kSliceKinds; ++kind)
    words.insert(word_of(static_cast<SliceKind>(kind)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kSliceKinds));
  EXPECT_EQ(word_of(SliceKind::kOperatorPhase), "operator phase");
}

TEST(SliceKindTest, a_kind_is_in_the_tree_or_on_the_device_but_never_both) {
  for (int kind = 0; kind < kSliceKinds; ++kind) {
    EXPECT_FALSE(is_tree_kind(static_cast<SliceKind>(kind)) &&
                 is_on_device(static_cast<SliceKind>(kind)));
  }
  EXPECT_FALSE(is_tree_kind(SliceKind::kRuntimeCall));
  EXPECT_FALSE(is_device_work(SliceKind::kDeviceAnnotation));
}

TEST(SliceKindTest, a_condition_is_neither_time_of_the_program_nor_work) {
  EXPECT_EQ(word_of(SliceKind::kCondition), "condition");
  EXPECT_FALSE(is_tree_kind(SliceKind::kCondition));
  EXPECT_FALSE(is_on_device(SliceKind::kCondition));
  EXPECT_FALSE(is_busy(SliceKind::kCondition));
  EXPECT_FALSE(stretches_extent(SliceKind::kCondition));
}

TEST(SliceFlagTest, the_classic_tables_may_decide_otherwise) {
  EXPECT_TRUE(communicates_in_classic_tables(kCommunicates | kUnfinished));
  EXPECT_FALSE(communicates_in_classic_tables(kCommunicates | kClassicDiffers));
  EXPECT_TRUE(communicates_in_classic_tables(kClassicDiffers));
  EXPECT_FALSE(communicates_in_classic_tables(kBackwardWork));
}

}  // namespace
}  // namespace strobe
