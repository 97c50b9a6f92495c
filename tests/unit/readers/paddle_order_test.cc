#include "strobe/readers/paddle_order.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace strobe::readers::paddle {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kBase = 1'725'000'000'123'456'000;

// A slice as the writer would print it, with the values that the reader gets from it.
class RoundedTrace {
 public:
  RoundedTrace() : track_(builder.add_track({})), category_(builder.category("")) {}

  SliceId add(std::int64_t true_start_ns, std::int64_t true_duration_ns,
              SliceKind kind = SliceKind::kOperator) {
    order.relative_starts_ns.push_back(rounded(true_start_ns));
    order.relative_ends_ns.push_back(rounded(true_start_ns + true_duration_ns));
    TraceBuilder::SliceRow row;
    row.start_ns = (kBase + true_start_ns) / kUs * kUs;
    row.duration_ns = rounded(true_duration_ns);
    row.name = builder.intern("x");
    row.track = track_;
    row.category = category_;
    row.kind = kind;
    return builder.add_slice(row);
  }

  // Nanoseconds through a 32-bit float of microseconds with three decimals.
  static std::int64_t rounded(std::int64_t ns) {
    const float us = static_cast<float>(ns) / 1000.0f;
    return std::llround(static_cast<double>(us) * 1000.0);
  }

  std::int64_t start(SliceId slice) { return builder.slices().starts_ns[slice.index()]; }
  std::int64_t end(SliceId slice) { return builder.nesting_hints().ends_ns[slice.index()]; }

  TraceBuilder builder;
  FileOrder order;

 private:
  TrackId track_;
  CategoryId category_;
};

TEST(PaddleTimesTest, early_starts_are_exact_again) {
  RoundedTrace trace;
  const SliceId first = trace.add(0, 95'123);
  const SliceId second = trace.add(7'089, 66'011);
  restore_times(trace.builder, trace.order);
  EXPECT_EQ(trace.start(first), kBase);
  EXPECT_EQ(trace.start(second), kBase + 7'089);
  EXPECT_EQ(trace.end(second), kBase + 7'089 + 66'011);
  EXPECT_EQ(trace.builder.slices().durations_ns[second.index()], 66'011);
}

TEST(PaddleTimesTest, without_the_first_event_the_base_is_found_by_another) {
  RoundedTrace trace;
  const SliceId first = trace.add(500'400, 100);
  const SliceId second = trace.add(700'900, 100);
  restore_times(trace.builder, trace.order);
  EXPECT_EQ(trace.start(second) - trace.start(first), 200'500);
  EXPECT_NEAR(static_cast<double>(trace.start(first) - kBase), 500'400, 1'000);
}

TEST(PaddleTimesTest, late_starts_stay_within_the_microsecond_of_the_clock) {
  RoundedTrace trace;
  trace.add(0, 10);
  const std::int64_t true_start_ns = 100 * kSecond + 123'460'789;
  const SliceId late = trace.add(true_start_ns, 3 * kUs);
  ASSERT_GT(std::abs(RoundedTrace::rounded(true_start_ns) - true_start_ns), kUs);
  restore_times(trace.builder, trace.order);
  const std::int64_t clock_ns = (kBase + true_start_ns) / kUs * kUs;
  EXPECT_GE(trace.start(late), clock_ns);
  EXPECT_LT(trace.start(late), clock_ns + kUs);
  EXPECT_EQ(trace.end(late), trace.start(late) + 3 * kUs);
}

TEST(PaddleTimesTest, a_call_before_the_first_host_event_keeps_its_clock) {
  RoundedTrace trace;
  trace.add(0, 10 * kUs);
  const SliceId call = trace.add(-5 * kUs, 2 * kUs, SliceKind::kRuntimeCall);
  trace.order.relative_starts_ns[call.index()] = kNoTime;  // 1.8e16 us is beyond int64 nanoseconds
  trace.order.relative_ends_ns[call.index()] = 9'100'000'000'000'000'000;
  restore_times(trace.builder, trace.order);
  EXPECT_EQ(trace.start(call), kBase - 5 * kUs);
  EXPECT_EQ(trace.end(call), kBase - 3 * kUs);
}

TEST(PaddleTimesTest, a_trace_without_relative_times_is_left_alone) {
  RoundedTrace trace;
  const SliceId slice = trace.add(1'234, 10);
  trace.order = {};
  restore_times(trace.builder, trace.order);
  EXPECT_EQ(trace.start(slice), kBase + 1'000);
  EXPECT_TRUE(trace.builder.nesting_hints().ends_ns.empty());
}

TEST(PaddleTimesTest, slices_added_behind_the_file_have_an_end_too) {
  RoundedTrace trace;
  const SliceId first = trace.add(0, 10);
  const SliceId added = trace.add(50 * kUs, 7 * kUs);
  trace.order.relative_starts_ns.resize(1);
  trace.order.relative_ends_ns.resize(1);
  restore_times(trace.builder, trace.order);
  EXPECT_EQ(trace.end(first), kBase + 10);
  EXPECT_EQ(trace.end(added), kBase + 57 * kUs);
}

TEST(PaddleTimesTest, a_child_never_outlives_its_parent_however_late) {
  std::mt19937 random(11);
  for (const std::int64_t at :
       {0 * kSecond, 1 * kSecond, 7 * kSecond, 9 * kSecond, 40 * kSecond, 300 * kSecond}) {
    RoundedTrace trace;
    trace.add(0, 10);
    std::int64_t now = at + 100'000;
    std::vector<std::pair<SliceId, SliceId>> families;
    for (int family = 0; family < 500; ++family) {
      const std::int64_t duration_ns = 20'000 + static_cast<std::int64_t>(random() % 100'000);
      const std::int64_t before_ns = static_cast<std::int64_t>(random() % 3'000);
      const std::int64_t after_ns = static_cast<std::int64_t>(random() % 3);
      const SliceId parent = trace.add(now, duration_ns);
      const SliceId child = trace.add(now + before_ns, duration_ns - before_ns - after_ns);
      families.emplace_back(parent, child);
      now += duration_ns + 2'500;
    }
    restore_times(trace.builder, trace.order);
    for (const auto& [parent, child] : families) {
      EXPECT_GE(trace.start(child), trace.start(parent)) << at;
      EXPECT_LE(trace.end(child), trace.end(parent)) << at;
      EXPECT_LT(trace.start(child), trace.end(parent)) << at;
    }
  }
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  file.memory(file.first_thread, 9);  // truncated to the microsecond before its range
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
  file.call(file.first_thread, 50, 55);  // after a range that has ended
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
