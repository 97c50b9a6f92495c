#include "strobe/compare/measure/function_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TimeParts kThreeCycles(std::vector<Interval>{{0, 100}, {100, 200}, {250, 350}});

FunctionTimes times_of(Sketch& sketch) {
  const Trace trace = sketch.trace();
  const FunctionIndex index = index_functions(trace, {}, {0, 350});
  return add_up_functions(trace, index, {.cycles = kThreeCycles, .host_marks = kThreeCycles});
}

TEST(FunctionTimesTest, a_slice_over_a_border_is_split_and_called_once) {
  Sketch sketch;
  sketch.stream(0, 1).slice("k", SliceKind::kKernel, 90, 30);
  const FunctionTimes times = times_of(sketch);
  ASSERT_EQ(times.functions.size(), 1u);
  EXPECT_THAT(times.functions[0].time_ns, ElementsAre(10, 20, 0));
  EXPECT_THAT(times.functions[0].covered_ns, ElementsAre(10, 20, 0));
  EXPECT_THAT(times.functions[0].calls, ElementsAre(1, 0, 0));
  EXPECT_THAT(times.devices[1].slices, ElementsAre(1, 0, 0));
}

TEST(FunctionTimesTest, what_happens_between_cycles_belongs_to_none) {
  Sketch sketch;
  sketch.stream(0, 1).slice("k", SliceKind::kKernel, 210, 60);
  const FunctionTimes times = times_of(sketch);
  EXPECT_THAT(times.functions[0].time_ns, ElementsAre(0, 0, 20));
  EXPECT_THAT(times.functions[0].calls, ElementsAre(0, 0, 0));
}

// The host is one cycle ahead: its call of the second cycle is made while the device is in the
// first.
TEST(FunctionTimesTest, calls_of_a_host_that_is_ahead_belong_to_its_own_cycles) {
  Sketch sketch;
  sketch.thread(1).slice("f", SliceKind::kOperator, 10, 5);
  sketch.slice("f", SliceKind::kOperator, 60, 5);
  const Trace trace = sketch.trace();
  const FunctionIndex index = index_functions(trace, {}, {0, 350});
  const TimeParts marks(std::vector<Interval>{{0, 50}, {50, 100}, {100, 150}});
  const FunctionTimes times =
      add_up_functions(trace, index, {.cycles = kThreeCycles, .host_marks = marks});
  EXPECT_THAT(times.functions[0].calls, ElementsAre(1, 1, 0));
  EXPECT_THAT(times.functions[0].time_ns, ElementsAre(10, 0, 0));
}

// 10..40 and 30..60 on two threads: 60 ns of time, 50 of the clock. The second thread comes later
// in the file, so that the function is out of order.
TEST(FunctionTimesTest, threads_add_up_and_their_union_does_not) {
  Sketch sketch;
  sketch.thread(1).slice("f", SliceKind::kOperator, 30, 30);
  sketch.slice("f", SliceKind::kOperator, 130, 30);
  sketch.thread(2).slice("f", SliceKind::kOperator, 10, 30);
  sketch.slice("f", SliceKind::kOperator, 140, 5);
  const FunctionTimes times = times_of(sketch);
  EXPECT_THAT(times.functions[0].time_ns, ElementsAre(60, 35, 0));
  EXPECT_THAT(times.functions[0].covered_ns, ElementsAre(50, 30, 0));
}

TEST(FunctionTimesTest, the_union_of_slices_in_order_is_the_union_of_slices_in_any_order) {
  std::minstd_rand random(11);
  std::vector<Interval> slices;
  for (int i = 0; i < 200; ++i) {
    const auto start_ns = static_cast<std::int64_t>(random() % 340);
    slices.push_back({start_ns, start_ns + static_cast<std::int64_t>(random() % 20)});
  }
  Sketch shuffled;
  for (const Interval& slice : slices) {
    shuffled.stream(0, static_cast<std::int64_t>(random() % 3))
        .slice("k", SliceKind::kKernel, slice.start_ns, slice.length_ns());
  }
  std::sort(slices.begin(), slices.end(),
            [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
  Sketch sorted;
  for (const Interval& slice : slices) {
    sorted.stream(0, 1).slice("k", SliceKind::kKernel, slice.start_ns, slice.length_ns());
  }
  const FunctionTimes a = times_of(shuffled);
  const FunctionTimes b = times_of(sorted);
  EXPECT_EQ(a.functions[0].time_ns, b.functions[0].time_ns);
  EXPECT_EQ(a.functions[0].covered_ns, b.functions[0].covered_ns);
  EXPECT_EQ(a.functions[0].covered_ns, kThreeCycles.covered_ns(union_of(slices)));
  EXPECT_EQ(a.devices[1].busy, b.devices[1].busy);
}

TEST(FunctionTimesTest, a_device_is_busy_with_work_and_the_host_with_operators_and_calls) {
  Sketch sketch;
  sketch.thread(1).slice("epoch", SliceKind::kAnnotation, 0, 95);
  sketch.slice("op", SliceKind::kOperator, 50, 20);
  sketch.slice("launch", SliceKind::kRuntimeCall, 10, 20);
  sketch.stream(0, 1).slice("k", SliceKind::kKernel, 20, 30);
  sketch.stream(0, 2).slice("Memset", SliceKind::kMemset, 40, 30);
  const FunctionTimes times = times_of(sketch);
  EXPECT_THAT(times.devices[0].busy, ElementsAre(Interval{10, 30}, Interval{50, 70}));
  EXPECT_THAT(times.devices[1].busy, ElementsAre(Interval{20, 70}));
  EXPECT_THAT(times.devices[0].slices, ElementsAre(3, 0, 0));
}

TEST(FunctionTimesTest, copies_tell_their_bytes_where_the_trace_does) {
  Sketch sketch;
  sketch.stream(0, 1).slice("Memcpy HtoD", SliceKind::kMemcpy, 10, 5).args(R"({"bytes":4096})");
  sketch.slice("Memcpy HtoD", SliceKind::kMemcpy, 20, 5).args(R"({"bytes":"1024"})");
  sketch.slice("Memcpy HtoD", SliceKind::kMemcpy, 120, 5).args(R"({"stream":1})");
  sketch.slice("Memcpy DtoH", SliceKind::kMemcpy, 30, 5);
  const FunctionTimes times = times_of(sketch);
  ASSERT_EQ(times.functions.size(), 2u);
  EXPECT_THAT(times.functions[0].copied_bytes, IsEmpty());
  EXPECT_THAT(times.functions[1].copied_bytes, ElementsAre(5120, 0, 0));
}

}  // namespace
}  // namespace strobe::compare
