#include "strobe/readers/microsecond_nesting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strobe::readers {
namespace {

class MicrosecondNestingTest : public ::testing::Test {
 protected:
  MicrosecondNestingTest() {
    Track track;
    track.kind = TrackKind::kHostThread;
    track.process = builder_.intern("1");
    track.thread = builder_.intern("1");
    track_ = builder_.add_track(track);
  }

  SliceId add(std::string_view name, std::int64_t start_us, std::int64_t duration_us,
              std::uint32_t external = kNoLaunchId) {
    TraceBuilder::SliceRow row;
    row.start_ns = start_us * 1'000;
    row.duration_ns = duration_us * 1'000;
    row.name = builder_.intern(name);
    row.track = track_;
    row.category = builder_.category("cpu_op");
    row.kind = SliceKind::kOperator;
    row.external = external;
    return builder_.add_slice(row);
  }

  bool has_hints() { return !builder_.nesting_hints().ends_ns.empty(); }

  std::int64_t nest_end_ns(SliceId slice) {
    const SliceVectors& slices = builder_.slices();
    return has_hints() ? builder_.nesting_hints().ends_ns[slice.index()]
                       : slices.starts_ns[slice.index()] + slices.durations_ns[slice.index()];
  }

  // The slice around another one, nested as trees of operators are: by start, then the one that
  // ends later first; invalid for the thread itself.
  SliceId parent_of(SliceId wanted) {
    const auto& starts_ns = builder_.slices().starts_ns;
    std::vector<SliceId> order;
    for (std::size_t row = 0; row < starts_ns.size(); ++row) order.emplace_back(row);
    std::ranges::stable_sort(order, [&](SliceId a, SliceId b) {
      const std::int64_t a_ns = starts_ns[a.index()];
      const std::int64_t b_ns = starts_ns[b.index()];
      return a_ns != b_ns ? a_ns < b_ns : nest_end_ns(a) > nest_end_ns(b);
    });
    std::vector<SliceId> open;
    for (const SliceId slice : order) {
      while (!open.empty() && (starts_ns[slice.index()] >= nest_end_ns(open.back()) ||
                               nest_end_ns(slice) > nest_end_ns(open.back()))) {
        open.pop_back();
      }
      if (slice == wanted) return open.empty() ? SliceId() : open.back();
      open.push_back(slice);
    }
    return {};
  }

  TraceBuilder builder_;

 private:
  TrackId track_;
};

TEST_F(MicrosecondNestingTest, a_writer_that_lists_by_end_and_numbers_by_start_says_it_exactly) {
  add("a", 0, 4, 2);
  const SliceId empty = add("empty", 9, 0, 5);
  const SliceId zeros = add("zeros", 7, 2, 4);
  const SliceId outer = add("outer", 0, 20, 1);
  hint_nesting_of_microseconds(builder_);
  EXPECT_EQ(parent_of(empty), zeros);
  EXPECT_EQ(parent_of(zeros), outer);
}

TEST_F(MicrosecondNestingTest, a_call_after_the_end_stays_outside) {
  const SliceId zeros = add("zeros", 7, 2, 2);
  const SliceId after = add("empty", 9, 0, 3);
  const SliceId outer = add("outer", 0, 20, 1);
  hint_nesting_of_microseconds(builder_);
  EXPECT_FALSE(has_hints());
  EXPECT_EQ(parent_of(zeros), outer);
  EXPECT_EQ(parent_of(after), outer);
}

TEST_F(MicrosecondNestingTest, other_calls_of_the_same_names_decide) {
  add("reshape", 0, 5);
  add("view", 1, 2);
  add("add", 10, 5);
  add("view", 20, 2);
  const SliceId reshape = add("reshape", 30, 5);
  const SliceId inside = add("view", 35, 0);
  const SliceId sum = add("add", 40, 5);
  const SliceId outside = add("view", 45, 0);
  hint_nesting_of_microseconds(builder_);
  EXPECT_EQ(parent_of(inside), reshape);
  EXPECT_FALSE(parent_of(outside).valid());
  EXPECT_FALSE(parent_of(sum).valid());
}

TEST_F(MicrosecondNestingTest, a_chain_without_length_keeps_its_order) {
  const SliceId outer = add("outer", 0, 10);
  const SliceId t = add("t", 10, 0);
  const SliceId transpose = add("transpose", 10, 0);
  const SliceId strided = add("as_strided", 10, 0);
  add("outer", 20, 10);
  add("t", 21, 6);
  add("transpose", 22, 4);
  add("as_strided", 23, 2);
  hint_nesting_of_microseconds(builder_);
  EXPECT_EQ(parent_of(t), outer);
  EXPECT_EQ(parent_of(transpose), t);
  EXPECT_EQ(parent_of(strided), transpose);
}

TEST_F(MicrosecondNestingTest, a_range_that_is_known_to_call_nothing_takes_nothing_in) {
  const SliceId first = add("empty", 10, 0);
  const SliceId second = add("detach", 10, 0);
  add("empty", 20, 3);
  hint_nesting_of_microseconds(builder_);
  EXPECT_FALSE(parent_of(first).valid());
  EXPECT_FALSE(parent_of(second).valid());
}

TEST_F(MicrosecondNestingTest, finer_times_need_no_hints) {
  add("t", 10, 0);
  add("transpose", 10, 0);
  builder_.slices().durations_ns[0] = 300;
  hint_nesting_of_microseconds(builder_);
  EXPECT_FALSE(has_hints());
}

TEST_F(MicrosecondNestingTest, times_stay_as_they_are) {
  add("t", 10, 0);
  add("transpose", 10, 0);
  hint_nesting_of_microseconds(builder_);
  EXPECT_TRUE(has_hints());
  EXPECT_EQ(builder_.slices().starts_ns, (std::vector<std::int64_t>{10'000, 10'000}));
  EXPECT_EQ(builder_.slices().durations_ns, (std::vector<std::int64_t>{0, 0}));
}

}  // namespace
}  // namespace strobe::readers
