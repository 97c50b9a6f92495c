#include "strobe/serve/open_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "strobe/fleet/digest/digest_file.h"
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

TEST(OpenTraceTest, what_a_job_needs_of_it_is_made_once_and_counts_from_its_origin) {
  auto loaded = readers::read_trace_bytes(
      R"({"baseTimeNanoseconds":1700000000000000000,"traceEvents":[)"
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2},)"
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":11,"dur":5}]})",
      "a.json");
  ASSERT_TRUE(loaded);
  const OpenTrace open("run/a.json", std::move(*loaded));
  EXPECT_FALSE(open.has_digest());
  ASSERT_TRUE(open.digest()) << open.digest().error().what;
  EXPECT_TRUE(open.has_digest());
  EXPECT_EQ(open.digest()->first_step_ns, 10'000);
  const auto digest = fleet::unpack_rank_digest(open.digest()->packed);
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->steps.front().interval.start_ns, 1'700'000'000'000'011'000);
  EXPECT_EQ(&open.digest(), &open.digest());
}

TEST(OpenTraceTest, what_is_no_rank_of_a_job_says_why) {
  auto snapshot = readers::read_trace_bytes(sketch::small_snapshot(), "a.pickle");
  ASSERT_TRUE(snapshot);
  const OpenTrace of_memory("run/a.pickle", std::move(*snapshot));
  ASSERT_FALSE(of_memory.digest());
  EXPECT_EQ(of_memory.digest().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(of_memory.digest().error().where, "run/a.pickle");
  auto empty = readers::read_trace_bytes(R"({"traceEvents":[]})", "b.json");
  ASSERT_TRUE(empty);
  const OpenTrace of_nothing("run/b.json", std::move(*empty));
  ASSERT_FALSE(of_nothing.digest());
  EXPECT_EQ(of_nothing.digest().error().where, "run/b.json");
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
