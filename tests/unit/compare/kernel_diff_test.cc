#include "strobe/compare/kernel_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/kernel_sketch.h"

namespace strobe::compare {
namespace {

using analysis::study_kernels;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KernelDiff diff_of(KernelSketch before, KernelSketch after) {
  const KernelTable a = before.table();
  const KernelTable b = after.table();
  return diff_kernels(study_kernels(a), study_kernels(b));
}

const KernelDiffRow& row_named(const KernelDiff& diff, std::string_view name) {
  static const KernelDiffRow kNone;
  const auto found = std::ranges::find(diff.rows, name, &KernelDiffRow::name);
  if (found != diff.rows.end()) return *found;
  ADD_FAILURE() << "no row " << name;
  return kNone;
}

// Twenty launches around `ns`, half a percent up and down.
KernelSketch twenty(std::string_view name, double ns) {
  KernelSketch sketch;
  for (int i = 0; i < 20; ++i) {
    sketch.launch(name, static_cast<std::int64_t>(ns * (1 + 0.001 * (i % 11 - 5))));
  }
  return sketch;
}

TEST(KernelDiffTest, a_list_against_itself_is_the_same_throughout) {
  const auto sketch = [] {
    KernelSketch some = twenty("a", 50'000);
    some.launch("once", 70'000).launch("b", 100).launch("b", 90'000).launch("c", 0);
    return some;
  };
  const KernelDiff diff = diff_of(sketch(), sketch());
  EXPECT_EQ(diff.count(KernelChange::kSame), diff.rows.size());
  EXPECT_THAT(diff.warnings, IsEmpty());
  EXPECT_THAT(diff.verdict, HasSubstr("no kernel changed"));
}

TEST(KernelDiffTest, three_percent_over_twenty_launches_are_a_change) {
  const KernelDiff diff = diff_of(twenty("a", 50'000), twenty("a", 51'500));
  const KernelDiffRow& row = row_named(diff, "a");
  EXPECT_EQ(row.change, KernelChange::kSlower);
  EXPECT_NEAR(*row.ratio, 1.03, 1e-3);
  EXPECT_GT(*row.ratio_low, 1.02);
  EXPECT_LT(*row.ratio_low, 1.03);
  EXPECT_GT(*row.ratio_high, 1.03);
  EXPECT_LT(*row.ratio_high, 1.04);
  EXPECT_LT(*row.q, 1e-6);
  EXPECT_EQ(diff.verdict,
            "1.00 ms -> 1.03 ms (+3.0 %): 1 slower of 1 kernel name; most by a, +30.0 us (slower)");
  EXPECT_EQ(diff_of(twenty("a", 50'000), twenty("a", 48'000)).rows[0].change,
            KernelChange::kFaster);
}

TEST(KernelDiffTest, less_than_a_percent_is_the_same_however_sure) {
  const KernelDiff diff = diff_of(twenty("a", 500'000), twenty("a", 504'000));
  EXPECT_LT(*diff.rows[0].q, 0.05);
  EXPECT_EQ(diff.rows[0].change, KernelChange::kSame);
}

TEST(KernelDiffTest, a_difference_within_the_noise_is_unclear) {
  KernelSketch before;
  KernelSketch after;
  for (int i = 0; i < 6; ++i) {
    before.launch("a", 50'000 + 4'000 * i);
    after.launch("a", 52'000 + 4'000 * i);
  }
  const KernelDiff diff = diff_of(std::move(before), std::move(after));
  EXPECT_EQ(diff.rows[0].change, KernelChange::kUnsure);
  EXPECT_THAT(diff.rows[0].note, HasSubstr("more launches are needed"));
}

TEST(KernelDiffTest, few_launches_tell_only_what_is_far_apart) {
  const auto one = [](std::int64_t ns) {
    KernelSketch sketch;
    sketch.launch("a", ns);
    return sketch;
  };
  const KernelDiff near = diff_of(one(100'000), one(110'000));
  EXPECT_EQ(near.rows[0].change, KernelChange::kUnsure);
  EXPECT_THAT(near.rows[0].note, HasSubstr("too few comparable launches"));
  EXPECT_FALSE(near.rows[0].p);
  const KernelDiff far = diff_of(one(100'000), one(150'000));
  EXPECT_EQ(far.rows[0].change, KernelChange::kSlower);
  EXPECT_THAT(far.rows[0].note, HasSubstr("all of them +50.0 % or more"));
  EXPECT_EQ(diff_of(one(100'000), one(50'000)).rows[0].change, KernelChange::kFaster);
}

// One name, two shapes of very different length: 5 % of each is lost in the mixture.
TEST(KernelDiffTest, launches_are_compared_with_their_like) {
  const auto mixture = [](double factor) {
    KernelSketch sketch;
    for (int i = 0; i < 12; ++i) {
      const double wobble = factor * (1 + 0.001 * (i % 5));
      sketch.launch("a", static_cast<std::int64_t>(10'000 * wobble)).shape(8, 128);
      sketch.launch("a", static_cast<std::int64_t>(900'000 * wobble)).shape(512, 128);
    }
    return sketch;
  };
  const KernelDiff diff = diff_of(mixture(1), mixture(1.05));
  EXPECT_EQ(diff.rows[0].change, KernelChange::kSlower);
  EXPECT_NEAR(*diff.rows[0].typical_ratio, 1.05, 0.002);
}

TEST(KernelDiffTest, what_is_only_on_one_side_was_added_or_removed) {
  KernelSketch before = twenty("kept", 1'000);
  before.launch("gone", 5'000);
  KernelSketch after = twenty("kept", 1'000);
  after.launch("new", 7'000).launch("new", 7'000);
  const KernelDiff diff = diff_of(std::move(before), std::move(after));
  EXPECT_EQ(row_named(diff, "gone").change, KernelChange::kRemoved);
  EXPECT_EQ(row_named(diff, "gone").moved_ns, -5'000);
  EXPECT_EQ(row_named(diff, "new").change, KernelChange::kAdded);
  EXPECT_FALSE(row_named(diff, "new").ratio);
  EXPECT_EQ(diff.rows[0].name, "new");  // moved most
  EXPECT_THAT(diff.verdict, HasSubstr("1 added, 1 removed of 3 kernel names"));
}

TEST(KernelDiffTest, another_number_of_launches_is_noted) {
  KernelSketch after = twenty("a", 50'000);
  after.launch("a", 50'000);
  const KernelDiff diff = diff_of(twenty("a", 50'000), std::move(after));
  EXPECT_EQ(diff.rows[0].change, KernelChange::kSame);
  EXPECT_THAT(diff.rows[0].note, HasSubstr("20 launches before, 21 after"));
}

TEST(KernelDiffTest, many_names_do_not_make_chance_a_finding) {
  KernelSketch before;
  KernelSketch after;
  // p of 5 against 5 is 2 / 252 at the least: sixty such names find one by chance.
  for (int name = 0; name < 60; ++name) {
    for (int i = 0; i < 5; ++i) {
      before.launch("k" + std::to_string(name), 10'000 + 10 * i);
      after.launch("k" + std::to_string(name), (name == 0 ? 10'500 : 10'000) + 10 * i);
    }
  }
  const KernelDiff diff = diff_of(std::move(before), std::move(after));
  EXPECT_LT(*row_named(diff, "k0").p, 0.01);
  EXPECT_GT(*row_named(diff, "k0").q, 0.05);
  EXPECT_EQ(row_named(diff, "k0").change, KernelChange::kUnsure);
}

TEST(KernelDiffTest, sides_measured_differently_are_told) {
  KernelSketch before;
  before.device("NVIDIA H200").launch("a", 1'000, 10, 20).metric(KernelMetric::kClockHz, 1.9e9);
  before.now().clock_policy = ClockPolicy::kFree;
  KernelSketch after;
  after.device("NVIDIA A100").launch("a", 1'000, 10).metric(KernelMetric::kClockHz, 1.4e9);
  after.now().clock_policy = ClockPolicy::kLocked;
  const KernelDiff diff = diff_of(std::move(before), std::move(after));
  EXPECT_THAT(diff.warnings, Contains("different chips: NVIDIA H200 before, NVIDIA A100 after"));
  EXPECT_THAT(diff.warnings, Contains(HasSubstr("different clocks: 1.90 GHz before, 1.40 GHz")));
  EXPECT_THAT(diff.warnings, Contains("the profiler locked the clock after only"));
  EXPECT_THAT(diff.warnings, Contains("the DRAM share was counted before only"));
}

TEST(KernelDiffTest, changes_have_the_words_of_other_comparisons) {
  EXPECT_EQ(word_of(KernelChange::kSame), "same");
  EXPECT_EQ(word_of(KernelChange::kUnsure), "unclear");
}

}  // namespace

}  // namespace strobe::compare
