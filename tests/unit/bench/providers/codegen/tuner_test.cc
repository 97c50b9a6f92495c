#include "strobe/bench/providers/codegen/tuner.h"

#include <cmath>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

std::vector<KernelProgram> programs(int count) {
  std::vector<KernelProgram> made;
  for (int i = 0; i < count; ++i) {
    KernelProgram program;
    program.label = "p" + std::to_string(i);
    made.push_back(std::move(program));
  }
  return made;
}

// Scripted times: a true time each, noise on top, failures.
class ScriptedTimer final : public ProgramTimer {
 public:
  std::map<std::string, double> true_us;
  std::map<std::string, Error> errors;
  std::map<std::string, int> asked;  // samples
  double noise = 0;
  double step_us = 0;   // of the clock
  int lose_after = -1;  // calls

  Result<std::vector<double>> time(const KernelProgram& program, int samples) override {
    if (lose_after >= 0 && calls_++ >= lose_after) {
      is_lost_ = true;
      return Error{ErrorCode::kMalformed, "the device is gone", "", ""};
    }
    if (const auto error = errors.find(program.label); error != errors.end()) return error->second;
    asked[program.label] += samples;
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
      const double us = true_us.at(program.label) * (1 + noise * std::abs(normal_(dice_)));
      times.push_back(step_us > 0 ? std::round(us / step_us) * step_us : us);
    }
    return times;
  }
  bool is_lost() const override { return is_lost_; }

 private:
  std::mt19937 dice_{7};
  std::normal_distribution<double> normal_;
  int calls_ = 0;
  bool is_lost_ = false;
};

ScriptedTimer timer_of(int count) {
  ScriptedTimer timer;
  for (int i = 0; i < count; ++i) timer.true_us["p" + std::to_string(i)] = 100 + i;
  return timer;
}

TEST(Tuner, the_fastest_wins) {
  ScriptedTimer timer = timer_of(24);
  timer.true_us["p17"] = 90;
  const Result<Tuned> tuned = tune(timer, programs(24));
  ASSERT_TRUE(tuned.has_value());
  EXPECT_EQ(tuned->index, 17u);
  EXPECT_EQ(tuned->typical_us, 90);
}

TEST(Tuner, only_the_better_ones_are_looked_at_again) {
  ScriptedTimer timer = timer_of(24);
  ASSERT_TRUE(tune(timer, programs(24)).has_value());
  EXPECT_EQ(timer.asked["p0"], 5 + 20 + 60);
  EXPECT_EQ(timer.asked["p2"], 5 + 20 + 60);
  EXPECT_EQ(timer.asked["p3"], 5 + 20);
  EXPECT_EQ(timer.asked["p7"], 5 + 20);
  EXPECT_EQ(timer.asked["p8"], 5);
}

TEST(Tuner, noise_does_not_hide_the_winner) {
  ScriptedTimer timer = timer_of(24);
  timer.noise = 0.03;
  timer.true_us["p20"] = 95;
  const Result<Tuned> tuned = tune(timer, programs(24));
  ASSERT_TRUE(tuned.has_value());
  EXPECT_EQ(tuned->index, 20u);
}

TEST(Tuner, what_the_steps_of_the_clock_hide_shows_in_short_calls_that_are_timed_often) {
  constexpr double kStep = 0.032;
  ScriptedTimer timer = timer_of(24);
  for (auto& [label, us] : timer.true_us) us = 5.000;  // half a step below the next
  timer.true_us["p20"] = 4.990;
  timer.step_us = kStep;
  timer.noise = 0.01;
  const Result<Tuned> tuned = tune(timer, programs(24));
  ASSERT_TRUE(tuned.has_value());
  EXPECT_EQ(tuned->index, 20u);
  EXPECT_EQ(timer.asked["p20"], 4 * (5 + 20 + 60));
}

TEST(Tuner, a_candidate_far_behind_is_not_kept_to_fill_the_round) {
  ScriptedTimer timer = timer_of(2);
  timer.true_us["p1"] = 126;
  ASSERT_TRUE(tune(timer, programs(2)).has_value());
  EXPECT_EQ(timer.asked["p1"], 5);
  EXPECT_EQ(timer.asked["p0"], 5);  // alone: nothing to decide
}

TEST(Tuner, a_failing_candidate_drops_out_and_is_named) {
  ScriptedTimer timer = timer_of(3);
  timer.errors["p0"] = {ErrorCode::kMalformed, "too many registers", "", ""};
  const Result<Tuned> tuned = tune(timer, programs(3));
  ASSERT_TRUE(tuned.has_value());
  EXPECT_EQ(tuned->index, 1u);
  EXPECT_EQ(tuned->failures, std::vector<std::string>{"p0: too many registers"});
}

TEST(Tuner, where_all_fail_the_first_reason_is_given) {
  ScriptedTimer timer = timer_of(2);
  timer.errors["p0"] = {ErrorCode::kMalformed, "first", "", ""};
  timer.errors["p1"] = {ErrorCode::kMalformed, "second", "", ""};
  const Result<Tuned> tuned = tune(timer, programs(2));
  ASSERT_FALSE(tuned.has_value());
  EXPECT_EQ(tuned.error().what, "first");
}

TEST(Tuner, too_little_memory_ends_it_at_once) {
  ScriptedTimer timer = timer_of(3);
  timer.errors["p1"] = {ErrorCode::kOutOfMemory, "no memory", "", ""};
  const Result<Tuned> tuned = tune(timer, programs(3));
  ASSERT_FALSE(tuned.has_value());
  EXPECT_EQ(tuned.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(timer.asked.count("p2"), 0u);
}

TEST(Tuner, a_lost_device_ends_it) {
  ScriptedTimer timer = timer_of(3);
  timer.lose_after = 4;
  const Result<Tuned> tuned = tune(timer, programs(3));
  ASSERT_FALSE(tuned.has_value());
  EXPECT_EQ(tuned.error().what, "the device is gone");
}

TEST(Tuner, candidates_beyond_the_budget_are_not_looked_at) {
  ScriptedTimer timer = timer_of(10);
  timer.true_us["p7"] = 1;
  TuneOptions options;
  options.budget_ms = 100;
  options.elapsed_ms = [&] { return 30.0 * static_cast<double>(timer.asked.size()); };
  const Result<Tuned> tuned = tune(timer, programs(10), options);
  ASSERT_TRUE(tuned.has_value());
  EXPECT_EQ(tuned->index, 0u);
  EXPECT_EQ(tuned->timed, 4);  // after 30, 60, 90 and 120 ms
  EXPECT_EQ(tuned->skipped, 6);
  EXPECT_EQ(timer.asked.count("p7"), 0u);
}

TEST(Tuner, later_rounds_take_as_many_samples_as_the_budget_allows) {
  ScriptedTimer timer = timer_of(2);
  for (auto& [label, us] : timer.true_us) us = 10'000;
  TuneOptions options;
  options.budget_ms = 300;
  options.elapsed_ms = [&] { return 10.0 * (timer.asked["p0"] + timer.asked["p1"]); };
  ASSERT_TRUE(tune(timer, programs(2), options).has_value());
  // 100 ms for five of both, 200 ms left for ten of both, then the fewest.
  EXPECT_EQ(timer.asked["p0"], 5 + 10 + TuneOptions::kFewest);
}

TEST(Tuner, equals_are_decided_by_the_generators_order) {
  ScriptedTimer timer = timer_of(2);
  timer.true_us["p0"] = timer.true_us["p1"];
  EXPECT_EQ(tune(timer, programs(2))->index, 0u);
}

TEST(Tuner, nothing_to_choose_from_is_an_error) {
  ScriptedTimer timer;
  EXPECT_FALSE(tune(timer, {}).has_value());
}

}  // namespace
}  // namespace strobe::bench
