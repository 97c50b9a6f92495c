#include "strobe/analysis/tables/steady_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

// Steps one after the other; each launches a kernel as long as itself, but for `loads_ns` at the
// start of the first one.
struct SteadyLoop {
  std::int64_t before_ns = 0;
  std::int64_t kernel_before_ns = 0;
  std::int64_t loads_ns = 0;
  int steps = 6;

  Trace trace() const {
    Sketch sketch;
    sketch.thread(1).slice("init", kOp, 0, 1_us);
    if (kernel_before_ns > 0) sketch.stream(0, 7).slice("other", kKernel, 2_us, kernel_before_ns);
    std::int64_t now_ns = before_ns;
    for (int step = 0; step < steps; ++step) {
      const std::int64_t starts_ns = now_ns;
      if (step == 0) now_ns += loads_ns;
      const auto id = static_cast<std::uint32_t>(step + 1);
      sketch.thread(1).slice("cuLaunchKernel", kCall, now_ns, 5_us).correlation(id);
      sketch.stream(0, 7).slice("gemm", kKernel, now_ns + 5_us, 995_us).correlation(id);
      now_ns += 1000_us;
      sketch.thread(1).slice("ProfilerStep#" + std::to_string(step), SliceKind::kStep, starts_ns,
                             now_ns - starts_ns);
    }
    return sketch.trace();
  }
};

std::optional<IntervalSet> steady_time_of(const SteadyLoop& loop) {
  const Trace trace = loop.trace();
  return find_steady_time(attribute_trace(trace), summarize(trace));
}

TEST(SteadyTimeTest, begins_after_the_warm_up_steps) {
  const auto time = steady_time_of({.before_ns = 10_us, .loads_ns = 20'000_us});
  ASSERT_TRUE(time.has_value());
  EXPECT_THAT(*time, ElementsAre(Interval{21'010_us, 26'010_us}));
}

TEST(SteadyTimeTest, begins_with_the_first_step_if_only_the_time_before_is_long) {
  const auto time = steady_time_of({.before_ns = 5'000_us});
  ASSERT_TRUE(time.has_value());
  EXPECT_THAT(*time, ElementsAre(Interval{5'000_us, 11'000_us}));
}

TEST(SteadyTimeTest, a_short_start_does_not_matter) {
  EXPECT_FALSE(steady_time_of({.before_ns = 100_us}).has_value());
}

TEST(SteadyTimeTest, a_program_that_computes_before_its_steps_is_no_start) {
  EXPECT_FALSE(steady_time_of({.before_ns = 5'000_us, .kernel_before_ns = 4'900_us}).has_value());
}

TEST(SteadyTimeTest, too_few_steps_cannot_be_judged_alone) {
  EXPECT_FALSE(steady_time_of({.before_ns = 5'000_us, .steps = 3}).has_value());
  EXPECT_TRUE(steady_time_of({.before_ns = 5'000_us, .steps = 4}).has_value());
}

TEST(SteadyTimeTest, of_chosen_steps_only_their_time_counts) {
  const Trace trace = SteadyLoop{.before_ns = 10_us, .loads_ns = 20'000_us}.trace();
  SummaryOptions options;
  options.steps = StepSelection{0, 4};
  const auto time = find_steady_time(attribute_trace(trace), summarize(trace, options));
  ASSERT_TRUE(time.has_value());
  EXPECT_THAT(*time, ElementsAre(Interval{21'010_us, 25'010_us}));
}

// The steady part of a summary is what a summary of the later steps would say.
TEST(SteadyTimeTest, the_steady_part_is_the_summary_of_the_later_steps) {
  const Trace trace = SteadyLoop{.before_ns = 10_us, .loads_ns = 20'000_us}.trace();
  const Summary whole = summarize(trace);
  ASSERT_NE(whole.steady, nullptr);
  SummaryOptions options;
  options.steps = StepSelection{1, 5};
  const Summary later = summarize(trace, options);
  const Summary& steady = *whole.steady;
  EXPECT_EQ(steady.extent, later.extent);
  EXPECT_EQ(steady.span_ns, later.span_ns);
  EXPECT_EQ(steady.total_ns, later.total_ns);
  EXPECT_EQ(steady.selected_steps, later.selected_steps);
  ASSERT_EQ(steady.steps.size(), later.steps.size());
  for (std::size_t i = 0; i < steady.steps.size(); ++i) {
    EXPECT_EQ(steady.steps[i].name, later.steps[i].name);
    EXPECT_THAT(steady.steps[i].label_ns, ::testing::ElementsAreArray(later.steps[i].label_ns));
    EXPECT_EQ(steady.steps[i].kernel_ns, later.steps[i].kernel_ns);
    EXPECT_EQ(steady.steps[i].device_ns, later.steps[i].device_ns);
  }
  ASSERT_EQ(steady.kernels.size(), 1u);
  EXPECT_EQ(steady.kernels[0].device, later.kernels[0].device);
  EXPECT_EQ(steady.devices[0].busy_ns, later.devices[0].busy_ns);
  EXPECT_EQ(steady.waits.idle_ns, later.waits.idle_ns);
  ASSERT_EQ(steady.waits.calls.size(), 1u);
  EXPECT_EQ(steady.waits.calls[0].host, later.waits.calls[0].host);
  EXPECT_EQ(later.steady, nullptr);
}

TEST(SteadyTimeTest, the_classic_tables_know_none) {
  const Trace trace = SteadyLoop{.before_ns = 10_us, .loads_ns = 20'000_us}.trace();
  SummaryOptions classic;
  classic.rules = TreeRules::kCompatible;
  EXPECT_EQ(summarize(trace, classic).steady, nullptr);
}

}  // namespace
}  // namespace strobe::analysis
