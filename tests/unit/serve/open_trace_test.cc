#include "strobe/serve/open_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "strobe/serve/on_demand.h"
#include "tests/support/pickle_sketch.h"

namespace strobe::serve {
namespace {

TEST(OpenTraceTest, its_parts_are_made_once_and_stay_where_they_are) {
  auto loaded = readers::read_trace_bytes(
      R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}])", "a.json");
  ASSERT_TRUE(loaded);
  const OpenTrace open("run/a.json", std::move(*loaded), {.generation = 3, .is_recording = true});
  EXPECT_EQ(open.name(), "run/a.json");
  EXPECT_EQ(open.edition().generation, 3u);
  EXPECT_TRUE(open.edition().is_recording);
  EXPECT_EQ(open.shown_time(), open.timeline().reach());
  EXPECT_EQ(open.trace().slice_count(), 1u);
  EXPECT_EQ(&open.timeline(), &open.timeline());
  EXPECT_EQ(&open.timeline().trace(), &open.trace());
  EXPECT_EQ(&open.links(), &open.links());
  EXPECT_EQ(&open.summary(), &open.summary());
  EXPECT_EQ(open.snapshot(), nullptr);
}

TEST(OpenTraceTest, a_snapshot_is_studied_once_with_its_curves) {
  auto loaded = readers::read_trace_bytes(sketch::small_snapshot(), "a.pickle");
  ASSERT_TRUE(loaded);
  const OpenTrace open("a.pickle", std::move(*loaded));
  ASSERT_NE(open.snapshot(), nullptr);
  ASSERT_EQ(open.allocator_study().devices.size(), 1u);
  EXPECT_EQ(open.allocator_study().devices[0].curve.size(), open.snapshot()->events.size());
  EXPECT_EQ(&open.allocator_study(), &open.allocator_study());
}

TEST(OnDemandTest, of_many_threads_one_makes_the_value_and_all_see_it) {
  OnDemand<int> value;
  std::atomic<int> made = 0;
  std::atomic<int> sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { sum += value.get([&] { return ++made, 5; }); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(sum, 40);
}

}  // namespace
}  // namespace strobe::serve
