#include "strobe/analysis/timeline/slice_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Described {
  Trace trace;
  Timeline timeline{trace};
  AttributedTrace input = attribute_trace(trace);
  SliceLinks links{timeline, input};
  std::vector<Step> steps = list_steps(trace);

  SliceDetails details(SliceId slice) const {
    return describe_slice(timeline, links, StepFinder(steps), slice);
  }
};

TEST(SliceDetailsTest, a_slice_knows_its_row_its_ancestors_and_its_step) {
  Sketch sketch;
  sketch.slice("Step#1", SliceKind::kStep, 0, 100).slice("op", kOp, 10, 50);
  sketch.slice("inner", kOp, 10, 20);
  const Described d{sketch.trace()};
  const SliceDetails inner = d.details(SliceId(2));
  EXPECT_EQ(inner.row, 2u);
  EXPECT_THAT(inner.ancestors, ElementsAre(SliceId(0), SliceId(1)));
  ASSERT_NE(inner.step, nullptr);
  EXPECT_EQ(inner.step->interval, (Interval{0, 100}));
  EXPECT_EQ(inner.self_ns, 20);
  EXPECT_EQ(d.details(SliceId(1)).self_ns, 30);
}

TEST(SliceDetailsTest, what_a_slice_only_crosses_is_no_ancestor) {
  const Described d{Sketch().slice("a", kOp, 0, 100).slice("b", kOp, 50, 100).trace()};
  EXPECT_THAT(d.details(SliceId(1)).ancestors, IsEmpty());
}

TEST(SliceDetailsTest, work_belongs_to_the_step_that_launched_it) {
  Sketch sketch;
  sketch.slice("Step#1", SliceKind::kStep, 0, 100).slice("Step#2", SliceKind::kStep, 100, 100);
  sketch.slice("call", SliceKind::kRuntimeCall, 90, 5).correlation(1);
  sketch.stream(0, 7).slice("late", SliceKind::kKernel, 120, 40).correlation(1);
  sketch.slice("orphan", SliceKind::kKernel, 170, 5);
  const Described d{sketch.trace()};
  EXPECT_EQ(d.details(SliceId(3)).step, &d.steps[0]);
  EXPECT_EQ(d.details(SliceId(4)).step, &d.steps[1]);
}

TEST(SliceDetailsTest, device_work_waits_from_the_end_of_its_call_to_its_start) {
  Sketch sketch;
  sketch.slice("call", SliceKind::kRuntimeCall, 90, 5).correlation(1);
  sketch.slice("slow call", SliceKind::kRuntimeCall, 100, 50).correlation(2);
  sketch.stream(0, 7).slice("late", SliceKind::kKernel, 120, 4).correlation(1);
  sketch.slice("at once", SliceKind::kKernel, 130, 4).correlation(2);
  sketch.slice("orphan", SliceKind::kKernel, 170, 5);
  const Described d{sketch.trace()};
  EXPECT_EQ(d.details(SliceId(2)).launch_delay_ns, 25);
  EXPECT_EQ(d.details(SliceId(3)).launch_delay_ns, 0);
  EXPECT_EQ(d.details(SliceId(4)).launch_delay_ns, std::nullopt);
  EXPECT_EQ(d.details(SliceId(0)).launch_delay_ns, std::nullopt);
}

TEST(SliceDetailsTest, host_slices_add_up_the_device_work_started_inside) {
  Sketch sketch;
  sketch.slice("op", kOp, 0, 100).slice("call", SliceKind::kRuntimeCall, 10, 5).correlation(1);
  sketch.slice("copies", SliceKind::kRuntimeCall, 20, 5).correlation(2);
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 50, 40).correlation(1);
  sketch.slice("m", SliceKind::kMemcpy, 90, 5).correlation(2);
  const Described d{sketch.trace()};
  ASSERT_TRUE(d.details(SliceId(0)).started);
  EXPECT_EQ(d.details(SliceId(0)).started->device_ns, 45);
  EXPECT_EQ(d.details(SliceId(0)).started->kernels, 1u);
  EXPECT_EQ(d.details(SliceId(1)).started->device_ns, 40);
  EXPECT_FALSE(d.details(SliceId(3)).started) << "device work starts none";
}

TEST(SliceDetailsTest, of_too_many_links_the_first_are_kept_and_the_rest_counted) {
  Sketch sketch;
  sketch.slice("op", kOp, 0, 1'000);
  for (std::uint32_t i = 0; i < 250; ++i) {
    sketch.thread(1).slice("call", SliceKind::kRuntimeCall, i, 1).correlation(i);
    sketch.stream(0, 7).slice("k", SliceKind::kKernel, 2'000 + 10 * i, 5).correlation(i);
  }
  const Described d{sketch.trace()};
  EXPECT_EQ(d.details(SliceId(0)).links.size(), kMostLinks);
  EXPECT_EQ(d.details(SliceId(0)).links_left_out, 50u);
}

}  // namespace
}  // namespace strobe::analysis
