#include "strobe/bench/workers/floor_counting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::testing::bytes_of;
using strobe::testing::scripted_worker;
using ::testing::Contains;
using ::testing::HasSubstr;

CountedLaunch lasting(double ns) {
  return {.name = "strobe_empty", .counters = {{std::string(kDurationCounter), ns}}};
}

class ScriptedCounter : public CallCounter {
 public:
  Result<Variables> environment(const std::vector<std::string>&) override {
    if (obstacle.empty()) return Variables{{"STROBE_COUNTS", "watched"}};
    return Error{ErrorCode::kMachineLacks, obstacle, "", ""};
  }
  std::size_t calls() const override { return 1; }
  Result<std::vector<std::vector<CountedLaunch>>> take() override { return seen; }

  std::vector<std::vector<CountedLaunch>> seen = {{lasting(1300), lasting(9000), lasting(1400)}};
  std::string obstacle;
};

class FloorCounting : public ::testing::Test {
 protected:
  RunRequest request(const std::vector<std::string>& words) {
    RunRequest request = strobe::testing::brief_run(5);
    request.providers = {"scripted"};
    request.workers["scripted"] = scripted_worker(words);
    request.floor_counter = &counter_;
    return request;
  }
  BenchOutcome run(const std::vector<std::string>& words) {
    Result<BenchOutcome> outcome = run_bench(request(words), [](const RunProgress&) {});
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome ? std::move(*outcome) : BenchOutcome{};
  }
  ScriptedCounter counter_;
};

TEST_F(FloorCounting, an_empty_kernel_takes_the_median_of_what_was_counted) {
  const strobe::testing::TemporaryFolder folder;
  const std::string counts = (folder / "counts").string();
  const BenchOutcome outcome = run({"empty=yes", "counts=" + counts});
  EXPECT_EQ(outcome.run.header.floors.empty_kernel, 1.4);
  EXPECT_EQ(outcome.run.header.floors.empty_kernel_events, 2.0);  // the rest stays
  EXPECT_EQ(bytes_of(counts), "watched\n");
}

TEST_F(FloorCounting, a_run_without_it_is_as_good_and_the_log_says_why) {
  const auto is_missed_for = [&](const std::vector<std::string>& words, const std::string& why) {
    const BenchOutcome outcome = run(words);
    EXPECT_FALSE(outcome.run.header.floors.empty_kernel);
    EXPECT_EQ(outcome.run.cells.at(0).status, CellStatus::kOk);
    EXPECT_THAT(outcome.log,
                Contains(HasSubstr("scripted: an empty kernel was not counted: " + why)));
  };
  is_missed_for({"empty=yes", "at=count_empty", "do=crash"}, "the worker was ended by SIGSEGV");
  counter_.seen = {};
  is_missed_for({"empty=yes"}, "no launch was counted");
  counter_.seen = {{{.name = "strobe_empty"}}};
  is_missed_for({"empty=yes"}, "no launch was counted");
  counter_.obstacle = "there is no recorder";
  is_missed_for({"empty=yes"}, "there is no recorder");
}

TEST_F(FloorCounting, who_does_not_know_how_is_not_asked) {
  const BenchOutcome outcome = run({});
  EXPECT_FALSE(outcome.run.header.floors.empty_kernel);
  EXPECT_THAT(outcome.log, ::testing::Not(Contains(HasSubstr("empty kernel"))));
  const auto counted = count_empty_kernel_us(request({}), "scripted", counter_);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().what, "its worker does not know 'count_empty'");
}

TEST_F(FloorCounting, nothing_is_counted_under_a_profiler) {
  RunRequest asked = request({"empty=yes"});
  asked.is_profiled = true;
  const auto outcome = run_bench(asked, [](const RunProgress&) {});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->run.header.floors.empty_kernel);
}

}  // namespace
}  // namespace strobe::bench
