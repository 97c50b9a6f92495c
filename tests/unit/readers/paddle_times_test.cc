#include "strobe/readers/paddle_times.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace strobe::readers::paddle {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kBase = 1'725'000'000'123'456'000;

// A slice as the writer would print it, with what the reader made of the print.
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
}  // namespace strobe::readers::paddle
