#include "strobe/compare/measure/launched_work.h"

#include <gmock/gmock.h>

#include "strobe/compare/measure/function_index.h"
#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Interval kFirst = {0, 100_us};
constexpr Interval kSecond = {100_us, 200_us};

// The host launches two kernels in each cycle and does not wait: most of them run later.
//
//   cycles   |---- 1 ----|---- 2 ----|
//   host      l l         l l
//   device           |=== a ===|=== b ===|=== a ===|=== b ===|
Sketch far_ahead() {
  Sketch sketch;
  std::uint32_t id = 0;
  std::int64_t start_ns = 50_us;
  for (const std::int64_t cycle_ns : {0_us, 100_us}) {
    for (const char* name : {"a", "b"}) {
      ++id;
      sketch.thread(1).slice("cudaLaunchKernel", kCall, cycle_ns + 5_us * id, 2_us).correlation(id);
      sketch.stream(0, 7).slice(name, kKernel, start_ns, 100_us).correlation(id);
      start_ns += 100_us;
    }
  }
  return sketch;
}

LaunchedWorks works_of(const Trace& trace, const FunctionIndex& index) {
  return add_up_launched_work(analysis::attribute_trace(trace), index,
                              TimeParts(std::vector<Interval>{kFirst, kSecond}));
}

FunctionIndex index_of(const Trace& trace) {
  return index_functions(trace, {}, {kFirst.start_ns, kSecond.end_ns}, LateWork::kIncluded);
}

std::size_t place(const FunctionIndex& index, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(index.keys, name, &FunctionKey::name) -
                                  index.keys.begin());
}

TEST(LaunchedWorkTest, work_counts_in_the_cycle_that_launched_it_whenever_it_runs) {
  const Trace trace = far_ahead().trace();
  const FunctionIndex index = index_of(trace);
  const LaunchedWorks works = works_of(trace, index);
  for (const char* name : {"a", "b"}) {
    const LaunchedFunction& function = works.functions.at(place(index, name));
    EXPECT_THAT(function.calls, ElementsAre(1, 1)) << name;
    EXPECT_THAT(function.time_ns, ElementsAre(100_us, 100_us)) << name;
  }
  EXPECT_THAT(works.devices.at(1).busy_ns, ElementsAre(200_us, 200_us));
}

TEST(LaunchedWorkTest, the_overhang_reaches_from_the_last_cycle_to_the_last_work) {
  const Trace trace = far_ahead().trace();
  EXPECT_EQ(works_of(trace, index_of(trace)).devices.at(1).overhang_ns, 250_us);
}

TEST(LaunchedWorkTest, streams_that_overlap_count_once) {
  Sketch sketch = far_ahead();
  sketch.thread(1).slice("cudaLaunchKernel", kCall, 50_us, 2_us).correlation(9);
  sketch.stream(0, 8).slice("c", kKernel, 60_us, 50_us).correlation(9);
  const Trace trace = sketch.trace();
  EXPECT_THAT(works_of(trace, index_of(trace)).devices.at(1).busy_ns, ElementsAre(200_us, 200_us));
}

TEST(LaunchedWorkTest, without_launches_nothing_is_known) {
  Sketch sketch;
  sketch.stream(0, 7).slice("a", kKernel, 10_us, 20_us);
  const Trace trace = sketch.trace();
  const FunctionIndex index = index_of(trace);
  const LaunchedWorks works = works_of(trace, index);
  EXPECT_THAT(works.functions.at(place(index, "a")).calls, IsEmpty());
  EXPECT_THAT(works.devices.at(1).busy_ns, IsEmpty());
  EXPECT_EQ(works.devices.at(1).overhang_ns, 0);
}

TEST(LaunchedWorkTest, late_work_is_a_function_only_on_request) {
  const Trace trace = far_ahead().trace();
  const FunctionIndex early = index_functions(trace, {}, {0, 120_us});
  EXPECT_EQ(place(early, "b"), early.keys.size());
  const FunctionIndex all = index_functions(trace, {}, {0, 120_us}, LateWork::kIncluded);
  EXPECT_LT(place(all, "b"), all.keys.size());
}

}  // namespace
}  // namespace strobe::compare
