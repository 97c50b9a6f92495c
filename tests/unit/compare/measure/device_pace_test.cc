#include "strobe/compare/measure/device_pace.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace literals;

using analysis::CycleClock;
using analysis::CycleList;
using analysis::CycleMethod;

// Cycles of 10 ms on the host, each with a launch that a kernel follows when the device is free.
struct Loop {
  std::int64_t kernel_ns = 0;
  int cycles = 5;
  bool knows_launches = true;
};

CycleList followed(const Loop& loop, CycleMethod method = CycleMethod::kSteps) {
  Sketch sketch;
  CycleList list;
  list.method = method;
  std::int64_t free_ns = 0;
  for (int i = 0; i < loop.cycles; ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const std::int64_t start_ns = 10_ms * i;
    sketch.thread(1).slice("launch", SliceKind::kRuntimeCall, start_ns + 1_ms, 1_ms);
    if (loop.knows_launches) sketch.correlation(id);
    const std::int64_t runs_ns = std::max(free_ns, start_ns + 2_ms);
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, runs_ns, loop.kernel_ns);
    if (loop.knows_launches) sketch.correlation(id);
    free_ns = runs_ns + loop.kernel_ns;
    list.cycles.push_back({{start_ns, start_ns + 10_ms}, "cycle", {}, false});
  }
  const Trace trace = sketch.trace();
  follow_device(analysis::attribute_trace(trace), list);
  return list;
}

TEST(DevicePaceTest, a_cycle_of_a_host_that_runs_ahead_ends_with_the_work_it_launched) {
  const CycleList list = followed({.kernel_ns = 25_ms});
  EXPECT_EQ(list.clock, CycleClock::kDevice);
  for (std::size_t i = 1; i < list.cycles.size(); ++i) {
    EXPECT_EQ(list.cycles[i].interval.length_ns(), 25_ms) << i;
    EXPECT_EQ(list.cycles[i].interval.start_ns, list.cycles[i - 1].interval.end_ns)
        << "together they are the whole span";
  }
  EXPECT_EQ(list.cycles.back().interval.end_ns, 2_ms + 5 * 25_ms);
}

TEST(DevicePaceTest, a_host_that_waits_for_its_work_keeps_its_marks) {
  const CycleList list = followed({.kernel_ns = 6_ms});
  EXPECT_EQ(list.clock, CycleClock::kMarks);
  EXPECT_EQ(list.cycles[2].interval.start_ns, 20_ms);
}

TEST(DevicePaceTest, without_known_launches_the_marks_stay) {
  EXPECT_EQ(followed({.kernel_ns = 25_ms, .knows_launches = false}).clock, CycleClock::kMarks);
}

TEST(DevicePaceTest, cycles_of_the_kernels_are_in_the_devices_time_already) {
  EXPECT_EQ(followed({.kernel_ns = 25_ms}, CycleMethod::kKernelSequence).clock, CycleClock::kMarks);
}

// A launch at one time and its kernel at another, in a list of cycles of 10 ms.
struct Launch {
  std::int64_t at_ns;
  std::int64_t runs_ns;
  std::int64_t kernel_ns;
};

CycleList followed(int cycles, const std::vector<Launch>& launches) {
  Sketch sketch;
  CycleList list;
  list.method = CycleMethod::kSteps;
  std::uint32_t id = 0;
  for (const Launch& launch : launches) {
    ++id;
    sketch.thread(1).slice("launch", SliceKind::kRuntimeCall, launch.at_ns, 1_ms).correlation(id);
    sketch.stream(0, 7)
        .slice("gemm", SliceKind::kKernel, launch.runs_ns, launch.kernel_ns)
        .correlation(id);
  }
  for (int i = 0; i < cycles; ++i) {
    list.cycles.push_back({{10_ms * i, 10_ms * (i + 1)}, "cycle", {}, false});
  }
  const Trace trace = sketch.trace();
  follow_device(analysis::attribute_trace(trace), list);
  return list;
}

TEST(DevicePaceTest, a_cycle_that_launches_nothing_has_no_end_on_the_device) {
  EXPECT_EQ(followed(3, {{1_ms, 2_ms, 20_ms}, {21_ms, 30_ms, 20_ms}}).clock, CycleClock::kMarks);
}

TEST(DevicePaceTest, what_is_launched_after_the_last_cycle_belongs_to_none) {
  const CycleList list =
      followed(2, {{1_ms, 2_ms, 20_ms}, {11_ms, 22_ms, 20_ms}, {21_ms, 42_ms, 500_ms}});
  EXPECT_EQ(list.clock, CycleClock::kDevice);
  EXPECT_EQ(list.cycles.back().interval.end_ns, 42_ms);
}

TEST(DevicePaceTest, the_first_cycle_begins_with_the_end_of_what_was_launched_before_it) {
  Sketch sketch;
  CycleList list;
  list.method = CycleMethod::kSteps;
  for (std::uint32_t i = 0; i < 4; ++i) {
    sketch.thread(1).slice("launch", SliceKind::kRuntimeCall, 10_ms * i + 1_ms, 1_ms);
    sketch.correlation(i + 1);
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, 20_ms * i + 5_ms, 20_ms);
    sketch.correlation(i + 1);
    if (i > 0) list.cycles.push_back({{10_ms * i, 10_ms * (i + 1)}, "cycle", {}, false});
  }
  const Trace trace = sketch.trace();
  follow_device(analysis::attribute_trace(trace), list);
  EXPECT_EQ(list.clock, CycleClock::kDevice);
  EXPECT_EQ(list.cycles.front().interval.start_ns, 25_ms);
  EXPECT_EQ(list.cycles.front().interval.length_ns(), 20_ms);
}

TEST(DevicePaceTest, a_host_that_is_hardly_ahead_keeps_its_marks) {
  // The work of each cycle ends this long after it.
  const auto ahead = [](std::int64_t lead_ns) {
    std::vector<Launch> launches;
    for (int i = 0; i < 5; ++i) {
      launches.push_back({10_ms * i + 1_ms, 10_ms * i + 5_ms + lead_ns, 5_ms});
    }
    return followed(5, launches).clock;
  };
  EXPECT_EQ(ahead(900_us), CycleClock::kMarks);
  EXPECT_EQ(ahead(1100_us), CycleClock::kDevice) << "a tenth of a cycle";
}

TEST(DevicePaceTest, no_cycles_stay_no_cycles) {
  EXPECT_TRUE(followed({.kernel_ns = 25_ms, .cycles = 0}).cycles.empty());
}

}  // namespace
}  // namespace strobe::compare
