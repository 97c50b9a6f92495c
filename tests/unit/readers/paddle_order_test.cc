#include "strobe/readers/paddle_order.h"

#include <gmock/gmock.h>

namespace strobe::readers::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kUs = 1'000;

class FileSketch {
 public:
  FileSketch() {
    first_thread = builder.add_track({});
    second_thread = builder.add_track({});
    stream = builder.add_track({});
  }

  SliceId range(TrackId track, std::int64_t from_us, std::int64_t to_us,
                SliceKind kind = SliceKind::kOperator) {
    return slice(track, from_us, to_us, kind);
  }
  SliceId call(TrackId track, std::int64_t from_us, std::int64_t to_us,
               std::uint32_t correlation = kNoLaunchId) {
    return slice(track, from_us, to_us, SliceKind::kRuntimeCall, correlation);
  }
  SliceId kernel(std::int64_t from_us, std::int64_t to_us,
                 std::uint32_t correlation = kNoLaunchId) {
    return slice(stream, from_us, to_us, SliceKind::kKernel, correlation);
  }
  void memory(TrackId track, std::int64_t at_us) {
    MemoryVectors& columns = builder.memory();
    columns.times_ns.push_back(at_us * kUs);
    columns.tracks.push_back(track);
    columns.owners.emplace_back();
    order.slices_before_memory.push_back(static_cast<std::uint32_t>(builder.slices().size()));
  }

  const std::vector<SliceId>& owners() { return builder.nesting_hints().owners; }

  TraceBuilder builder;
  FileOrder order;
  TrackId first_thread;
  TrackId second_thread;
  TrackId stream;

 private:
  SliceId slice(TrackId track, std::int64_t from_us, std::int64_t to_us, SliceKind kind,
                std::uint32_t correlation = kNoLaunchId) {
    TraceBuilder::SliceRow row;
    row.start_ns = from_us * kUs;
    row.duration_ns = (to_us - from_us) * kUs;
    row.name = builder.intern("x");
    row.track = track;
    row.category = builder.category("");
    row.kind = kind;
    row.correlation = correlation;
    return builder.add_slice(row);
  }
};

TEST(PaddleOrderTest, a_call_belongs_to_the_range_before_it) {
  FileSketch file;
  const SliceId lonely = file.call(file.first_thread, 900, 950);
  const SliceId step = file.range(file.first_thread, 0, 100, SliceKind::kStep);
  const SliceId op = file.range(file.first_thread, 10, 60);
  const SliceId launch = file.call(file.first_thread, 50, 55);
  file.kernel(70, 500);
  const SliceId query = file.call(file.first_thread, 56, 57);
  const SliceId phase = file.range(file.first_thread, 20, 40, SliceKind::kOperatorPhase);
  const SliceId inner = file.call(file.first_thread, 25, 26);
  take_owners_from_order(file.builder, file.order);
  ASSERT_EQ(file.owners().size(), file.builder.slices().size());
  EXPECT_FALSE(file.owners()[lonely.index()].valid());
  EXPECT_FALSE(file.owners()[step.index()].valid());
  EXPECT_EQ(file.owners()[launch.index()], op);
  EXPECT_EQ(file.owners()[query.index()], op);
  EXPECT_EQ(file.owners()[inner.index()], phase);
}

TEST(PaddleOrderTest, calls_at_the_front_of_a_thread_belong_to_no_range) {
  FileSketch file;
  file.range(file.first_thread, 0, 100);
  const SliceId lonely = file.call(file.second_thread, 10, 20);
  const SliceId op = file.range(file.second_thread, 30, 60);
  const SliceId owned = file.call(file.second_thread, 40, 41);
  take_owners_from_order(file.builder, file.order);
  ASSERT_FALSE(file.owners().empty());
  EXPECT_FALSE(file.owners()[lonely.index()].valid());
  EXPECT_EQ(file.owners()[owned.index()], op);
}

TEST(PaddleOrderTest, device_work_belongs_to_the_call_before_it_if_their_ids_agree) {
  FileSketch file;
  file.range(file.first_thread, 0, 100);
  const SliceId first = file.call(file.first_thread, 10, 11, 7);
  const SliceId launched = file.kernel(20, 30, 7);
  const SliceId stray = file.kernel(30, 40, 9);
  file.call(file.first_thread, 50, 51);
  const SliceId nameless = file.kernel(60, 70);
  take_owners_from_order(file.builder, file.order);
  ASSERT_FALSE(file.owners().empty());
  EXPECT_EQ(file.owners()[launched.index()], first);
  EXPECT_FALSE(file.owners()[stray.index()].valid());
  EXPECT_FALSE(file.owners()[nameless.index()].valid());
}

TEST(PaddleOrderTest, memory_events_belong_to_the_range_before_them) {
  FileSketch file;
  file.memory(file.first_thread, 5);
  const SliceId op = file.range(file.first_thread, 10, 60);
  file.call(file.first_thread, 50, 55);
  file.memory(file.first_thread, 9);  // cut to the microsecond before its range
  const SliceId phase = file.range(file.first_thread, 20, 40);
  file.memory(file.first_thread, 30);
  take_owners_from_order(file.builder, file.order);
  EXPECT_TRUE(file.builder.memory().owners_are_known);
  EXPECT_THAT(file.builder.memory().owners, ElementsAre(SliceId(), op, phase));
}

TEST(PaddleOrderTest, a_file_sorted_by_time_is_not_trusted) {
  FileSketch file;
  file.range(file.first_thread, 0, 100);
  file.range(file.first_thread, 10, 20);
  file.call(file.first_thread, 50, 55);  // behind a range that is over
  file.memory(file.first_thread, 60);
  take_owners_from_order(file.builder, file.order);
  EXPECT_THAT(file.owners(), IsEmpty());
  EXPECT_FALSE(file.builder.memory().owners_are_known);
  EXPECT_THAT(file.builder.memory().owners, ElementsAre(SliceId()));
}

TEST(PaddleOrderTest, a_file_that_returns_to_a_thread_is_not_trusted) {
  FileSketch file;
  file.range(file.first_thread, 0, 100);
  file.range(file.second_thread, 0, 100);
  file.call(file.first_thread, 50, 55);
  take_owners_from_order(file.builder, file.order);
  EXPECT_THAT(file.owners(), IsEmpty());
}

TEST(PaddleOrderTest, rounding_is_forgiven_and_more_is_not) {
  for (const auto& [end_us, is_trusted] : {std::pair{61, true}, std::pair{63, false}}) {
    FileSketch file;
    file.range(file.first_thread, 10, 60);
    file.call(file.first_thread, 50, end_us);
    take_owners_from_order(file.builder, file.order);
    EXPECT_EQ(!file.owners().empty(), is_trusted) << end_us;
  }
}

TEST(PaddleOrderTest, late_times_are_forgiven_the_steps_of_their_floats) {
  FileSketch file;
  const std::int64_t late_us = 100'000'000;
  file.range(file.first_thread, late_us, late_us + 50);
  file.call(file.first_thread, late_us + 40, late_us + 60);
  file.order.relative_ends_ns.assign(2, late_us * kUs);
  take_owners_from_order(file.builder, file.order);
  EXPECT_FALSE(file.owners().empty());
}

TEST(PaddleOrderTest, a_range_of_an_unknown_kind_owns_nothing) {
  FileSketch file;
  file.range(file.first_thread, 0, 100, SliceKind::kOther);
  file.call(file.first_thread, 10, 20);
  take_owners_from_order(file.builder, file.order);
  EXPECT_THAT(file.owners(), IsEmpty());
}

}  // namespace
}  // namespace strobe::readers::paddle
