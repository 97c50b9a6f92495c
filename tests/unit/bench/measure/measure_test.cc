#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/measure/measure.h"
#include "strobe/stats/dice.h"
#include "tests/support/scripted_sampler.h"

namespace strobe::bench {
namespace {

ScriptedSampler constant(double us) {
  return ScriptedSampler([us](const Call&) { return us; });
}

TEST(WarmUp, long_calls_need_five_of_them) {
  ScriptedSampler sampler = constant(50'000);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 5);
}

TEST(WarmUp, middling_calls_need_twenty_milliseconds) {
  ScriptedSampler sampler = constant(1000);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 20);
}

TEST(WarmUp, tiny_calls_end_by_their_number) {
  ScriptedSampler sampler = constant(3);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 400);
}

TEST(WarmUp, a_clock_that_still_rises_is_waited_for) {
  // 20 ms would be 20 calls; the clock rises by 50 MHz a call until 1980, reached at call 20, and
  // two readings, five calls apart, agree after 30.
  ScriptedSampler sampler = constant(1000);
  sampler.clocked(
      [](const Call& call) { return std::min(1980.0, 980 + 50.0 * double(call.index)); });
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 30);
  EXPECT_TRUE(done->is_steady);
}

TEST(WarmUp, a_clock_that_never_stands_still_is_not_waited_for_for_ever) {
  ScriptedSampler sampler = constant(10'000);
  sampler.clocked([](const Call& call) { return call.index / 5 % 2 ? 1980.0 : 1700.0; });
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->spent_ms, 500);
  EXPECT_FALSE(done->is_steady);
}

TEST(WarmUp, asks_for_calls_that_hold_nothing) {
  ScriptedSampler sampler = constant(1000);
  ASSERT_TRUE(warm_up(sampler, TimeMode::kDevice, {}));
  ASSERT_FALSE(sampler.requests.empty());
  for (const SampleRequest& request : sampler.requests) EXPECT_FALSE(request.hold);
}

TEST(WarmUp, an_error_is_handed_on) {
  ScriptedSampler sampler = constant(1000);
  sampler.failing_at(7,
                     {.code = ErrorCode::kMachineLacks, .what = "gone", .where = "", .hint = ""});
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "gone");
}

TEST(WarmUp, answers_without_samples_and_times_of_nothing_end_it) {
  ScriptedSampler silent = constant(1000);
  silent.silent_from(0);
  EXPECT_TRUE(warm_up(silent, TimeMode::kDevice, {}));
  ScriptedSampler nothing = constant(std::nan(""));
  const auto done = warm_up(nothing, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 400);
}

TEST(Turns, every_round_has_everybody_once) {
  Turns turns(4, 9);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THAT(turns.next_round(), ::testing::UnorderedElementsAre(0, 1, 2, 3));
  }
}

TEST(Turns, the_seed_tells_the_order) {
  Turns first(5, 3);
  Turns again(5, 3);
  Turns other(5, 4);
  bool differs = false;
  for (int round = 0; round < 10; ++round) {
    const auto order = first.next_round();
    EXPECT_EQ(order, again.next_round());
    differs |= order != other.next_round();
  }
  EXPECT_TRUE(differs);
}

TEST(Turns, all_orders_are_equally_likely) {
  Turns turns(3, 1);
  std::map<std::vector<std::size_t>, int> counts;
  for (int round = 0; round < 6000; ++round) ++counts[turns.next_round()];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(Turns, without_contenders_a_round_is_empty) {
  EXPECT_TRUE(Turns(0, 1).next_round().empty());
  EXPECT_THAT(Turns(1, 1).next_round(), ::testing::ElementsAre(0));
}

Measured measure_one(ScriptedSampler& sampler, const MeasureOptions& options = {}) {
  Sampler* const contenders[] = {&sampler};
  return measure(contenders, TimeMode::kDevice, options).front();
}

TEST(Measure, a_constant_stream_ends_at_the_least_samples) {
  // 1 ms a call: turns of 16 until 20 samples are reached, which is after two.
  ScriptedSampler sampler([](const Call&) { return 1000; });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 32u);
  EXPECT_EQ(measured.summary.p50, 1000);
  EXPECT_EQ(measured.summary.ci95, (std::array<double, 2>{1000, 1000}));
  EXPECT_FALSE(measured.is_noisy);
  EXPECT_FALSE(measured.is_throttled);
}

TEST(Measure, a_bimodal_stream_runs_to_the_cap_and_is_noisy) {
  stats::Dice dice(1);
  ScriptedSampler sampler([&](const Call&) { return dice.share() < 0.5 ? 100 : 120; });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 2000u);
  EXPECT_TRUE(measured.is_noisy);
  EXPECT_EQ(measured.summary.p20, 100);
  EXPECT_EQ(measured.summary.p80, 120);
}

TEST(Measure, a_cell_that_is_known_well_enough_at_the_cap_is_not_noisy) {
  // Uniform over +-8 %: after 2000 samples the median is known to 0.35 %, over +-14 % to 0.61 %;
  // less if neighbours correlate by chance.
  const auto measured_over = [](double half) {
    stats::Dice dice(5);
    ScriptedSampler sampler([&](const Call&) { return 100 * (1 + half * (2 * dice.share() - 1)); });
    return measure_one(sampler);
  };
  EXPECT_FALSE(measured_over(0.08).is_noisy);
  EXPECT_EQ(measured_over(0.08).summary.n, 2000u);  // it continued towards the target
  EXPECT_TRUE(measured_over(0.14).is_noisy);
  EXPECT_LT(measured_over(0.04).summary.n, 1500u);
}

TEST(Measure, a_drifting_stream_runs_to_the_cap_and_is_noisy) {
  ScriptedSampler sampler([](const Call& call) { return 200 * (1 + call.now_ms / 2000); });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 2000u);
  EXPECT_TRUE(measured.is_noisy);
}

TEST(Measure, a_long_noisy_call_is_capped_by_time) {
  stats::Dice dice(2);
  ScriptedSampler sampler([&](const Call&) { return 20'000 * (1 + 0.2 * dice.share()); });
  const Measured measured = measure_one(sampler);
  EXPECT_NEAR(static_cast<double>(measured.summary.n), 46, 2);  // 1 s of 22 ms
  EXPECT_TRUE(measured.is_noisy);
}

// A replay of twenty calls gives one sample of one call.
TEST(Measure, the_cap_is_of_the_time_spent_and_not_of_the_time_measured) {
  stats::Dice dice(2);
  ScriptedSampler sampler([&](const Call&) { return 2'000 * (1 + 0.2 * dice.share()); });
  const Measured measured = measure_one(sampler.costing(20));
  EXPECT_NEAR(static_cast<double>(measured.summary.n), 25, 16);  // 1 s of 44 ms, in whole turns
  EXPECT_TRUE(measured.is_noisy);
}

TEST(Measure, one_sample_is_all_that_a_second_holds_and_is_noisy) {
  ScriptedSampler sampler([](const Call&) { return 3e6; });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 1u);
  EXPECT_EQ(measured.summary.p50, 3e6);
  EXPECT_TRUE(measured.is_noisy);
}

TEST(Measure, calls_of_no_length_end_and_are_noisy) {
  ScriptedSampler sampler([](const Call&) { return 0; });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 2000u);
  EXPECT_EQ(measured.summary.p50, 0);
  EXPECT_TRUE(measured.is_noisy);
}

TEST(Measure, a_sampler_that_fails_in_the_middle_keeps_what_it_had) {
  stats::Dice dice(3);
  ScriptedSampler sampler([&](const Call&) { return 1000 * (1 + 0.3 * dice.share()); });
  sampler.failing_at(
      100,
      {.code = ErrorCode::kMachineLacks, .what = "the worker ended", .where = "", .hint = "look"});
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.failure, "the worker ended; look");
  EXPECT_GE(measured.summary.n, 64u);
  EXPECT_GT(measured.summary.p50, 1000);
}

TEST(Measure, a_sampler_that_fails_at_once_has_no_time_and_stops_no_other) {
  ScriptedSampler good([](const Call&) { return 1000; });
  ScriptedSampler bad([](const Call&) { return 1000; });
  bad.failing_at(
      0, {.code = ErrorCode::kMalformed, .what = "no such kernel", .where = "", .hint = ""});
  Sampler* const contenders[] = {&bad, &good};
  const auto measured = measure(contenders, TimeMode::kDevice, {});
  EXPECT_EQ(measured[0].summary.n, 0u);
  EXPECT_EQ(measured[0].failure, "no such kernel");
  EXPECT_FALSE(measured[0].is_noisy);
  EXPECT_EQ(measured[1].summary.n, 32u);
  EXPECT_TRUE(measured[1].failure.empty());
}

TEST(Measure, times_that_are_no_numbers_are_left_out) {
  ScriptedSampler sampler([](const Call& call) { return call.index % 2 ? 1000 : std::nan(""); });
  const Measured measured = measure_one(sampler);
  EXPECT_EQ(measured.summary.n, 24u);  // three turns of eight
  EXPECT_EQ(measured.summary.p50, 1000);
}

TEST(Measure, a_sampler_with_nothing_to_say_fails_instead_of_being_asked_for_ever) {
  ScriptedSampler nothing([](const Call&) { return std::nan(""); });
  EXPECT_EQ(measure_one(nothing).failure, "a turn gave no time that can be used");
  ScriptedSampler silent([](const Call&) { return 1000; });
  silent.silent_from(30);
  const Measured measured = measure_one(silent);
  EXPECT_FALSE(measured.failure.empty());
  EXPECT_EQ(measured.summary.n, 10u);  // left by the warm-up's 20 calls
}

TEST(Measure, a_short_dip_of_the_clock_is_set_aside) {
  ScriptedSampler sampler([](const Call& call) { return call.index % 20 == 0 ? 1400 : 1000; });
  sampler.clocked([](const Call& call) { return call.index % 20 == 0 ? 1400 : 1980; });
  const Measured measured = measure_one(sampler);
  EXPECT_FALSE(measured.is_throttled);
  EXPECT_GE(measured.summary.set_aside, 1u);
  EXPECT_THAT(measured.summary.samples_us, ::testing::Each(1000.0F));
}

TEST(Measure, a_clock_that_is_often_low_throttles_the_cell_and_loses_no_sample) {
  ScriptedSampler sampler([](const Call& call) { return call.index % 3 == 0 ? 1400 : 1000; });
  sampler.clocked([](const Call& call) { return call.index % 3 == 0 ? 1400 : 1980; });
  const Measured measured = measure_one(sampler);
  EXPECT_TRUE(measured.is_throttled);
  EXPECT_EQ(measured.summary.set_aside, 0u);
  EXPECT_GE(measured.summary.n, 20u);
  EXPECT_EQ(measured.median_mhz, 1980);
}

TEST(Measure, a_cell_slower_than_the_runs_clock_is_throttled_though_itself_steady) {
  ScriptedSampler sampler([](const Call&) { return 1400; });
  sampler.clocked([](const Call&) { return 1400; });
  MeasureOptions options;
  options.usual_mhz = 1980;
  EXPECT_TRUE(measure_one(sampler, options).is_throttled);
  EXPECT_FALSE(measure_one(sampler).is_throttled);
}

TEST(Measure, a_count_that_was_asked_for_is_taken_exactly) {
  stats::Dice dice(4);
  ScriptedSampler sampler([&](const Call&) { return 500 + 500 * dice.share(); });
  MeasureOptions options;
  options.stop = *parse_stop_rule("samples:150");
  const Measured measured = measure_one(sampler, options);
  EXPECT_EQ(measured.summary.n, 150u);
  EXPECT_FALSE(measured.is_noisy);
}

TEST(Measure, slow_contenders_take_fewer_samples_a_turn) {
  ScriptedSampler sampler([](const Call&) { return 10'000; });
  measure_one(sampler);
  EXPECT_EQ(sampler.requests.back().budget_ms, 20);
}

TEST(Measure, what_counts_is_asked_for_with_the_queue_held) {
  ScriptedSampler sampler([](const Call&) { return 1000.0; });
  const std::array<Sampler*, 1> samplers = {&sampler};
  measure(samplers, TimeMode::kDevice, {});
  ASSERT_FALSE(sampler.requests.empty());
  EXPECT_FALSE(sampler.requests.front().hold);  // the warm-up
  EXPECT_TRUE(sampler.requests.back().hold);
}

TEST(Measure, without_samplers_nothing_is_measured) {
  EXPECT_TRUE(measure({}, TimeMode::kDevice, {}).empty());
}

// Two equally fast contenders on a machine that slows down by a fifth while it works. The one
// measured first would win by far.
class Drift : public ::testing::Test {
 protected:
  double slowed(double us, double now_ms) const {
    return us * (1 + 0.2 * std::min(1.0, now_ms / 600));
  }

  SharedTime time_;
  stats::Dice dice_{11};
  ScriptedSampler first_{
      [this](const Call& call) { return slowed(1000 + dice_.share(), call.now_ms); }, &time_};
  ScriptedSampler second_{
      [this](const Call& call) { return slowed(1000 + dice_.share(), call.now_ms); }, &time_};
};

TEST_F(Drift, one_after_the_other_gives_a_wrong_verdict) {
  MeasureOptions options;
  options.stop = *parse_stop_rule("samples:300");
  const double first = measure_one(first_, options).summary.p50;
  const double second = measure_one(second_, options).summary.p50;
  EXPECT_GT(second / first, 1.05);
}

TEST_F(Drift, in_turns_it_meets_both_alike) {
  MeasureOptions options;
  options.stop = *parse_stop_rule("samples:300");
  Sampler* const contenders[] = {&first_, &second_};
  const auto measured = measure(contenders, TimeMode::kDevice, options);
  EXPECT_NEAR(measured[1].summary.p50 / measured[0].summary.p50, 1, 0.01);
}

TEST_F(Drift, who_is_done_early_goes_on_as_long_as_the_other) {
  // Only the second is noisy; the first would be done after 32 samples, all from the fast period.
  ScriptedSampler noisy(
      [this](const Call& call) { return slowed(900 + 200 * dice_.share(), call.now_ms); }, &time_);
  Sampler* const contenders[] = {&first_, &noisy};
  const auto measured = measure(contenders, TimeMode::kDevice, {});
  EXPECT_GT(measured[0].summary.n, 200u);
  // Stopped after its 32 samples, the first would look faster by more than a tenth.
  EXPECT_NEAR(measured[1].summary.p50 / measured[0].summary.p50, 1, 0.03);
}

TEST(Measure, the_seed_tells_the_order_of_turns) {
  const auto order_of = [](std::uint64_t seed) {
    std::vector<char> order;
    const auto script = [&order](char name) {
      return [&order, name](const Call&) {
        order.push_back(name);
        return 1000.0;
      };
    };
    ScriptedSampler a(script('a'));
    ScriptedSampler b(script('b'));
    ScriptedSampler c(script('c'));
    Sampler* const contenders[] = {&a, &b, &c};
    MeasureOptions options;
    options.seed = seed;
    measure(contenders, TimeMode::kDevice, options);
    return order;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_NE(order_of(1), order_of(2));
}

// Two milliseconds for the first 50 ms, then 5 % more: the power limit.
double power_limited(const Call& call) { return call.now_ms < 50 ? 2000 : 2100; }

TEST(Sustained, a_power_limit_shows_between_the_first_and_the_last_calls) {
  ScriptedSampler sampler(power_limited);
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times);
  ASSERT_TRUE(times->has_value());
  EXPECT_EQ((*times)->burst_us, 2000);
  EXPECT_EQ((*times)->sustained_us, 2100);
}

TEST(Sustained, a_steady_call_is_as_fast_at_the_end) {
  ScriptedSampler sampler([](const Call&) { return 1500; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times && times->has_value());
  EXPECT_EQ((*times)->burst_us, (*times)->sustained_us);
  EXPECT_LE(sampler.calls, 224u);  // 300 ms, then no more is requested
}

TEST(Sustained, what_still_moves_is_watched_until_the_time_is_up) {
  ScriptedSampler sampler([](const Call& call) { return 2000 + 4 * call.now_ms; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times && times->has_value());
  EXPECT_GT((*times)->sustained_us, 1.5 * (*times)->burst_us);
}

// A cell may take more time than it measures: its caches are flushed, its queue is held.
TEST(Sustained, the_time_that_is_up_is_the_time_spent) {
  ScriptedSampler sampler([](const Call& call) { return 2000 + 4 * call.now_ms; });
  sampler.costing(5);
  ASSERT_TRUE(measure_sustained(sampler, TimeMode::kDevice));
  EXPECT_LE(sampler.calls, 112u);  // 10 ms each, in whole blocks
}

TEST(Sustained, short_calls_have_neither) {
  ScriptedSampler sampler([](const Call&) { return 900; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->has_value());
  EXPECT_EQ(sampler.calls, 16u);  // one check is enough
}

TEST(Sustained, few_calls_cannot_speak_for_both) {
  EXPECT_FALSE(burst_and_sustained(std::vector<double>(7, 50'000)));
  EXPECT_FALSE(burst_and_sustained(std::vector<double>(20, 2000)));  // 40 ms
  EXPECT_TRUE(burst_and_sustained(std::vector<double>(8, 50'000)));
}

TEST(Sustained, an_error_is_handed_on) {
  ScriptedSampler sampler(power_limited);
  sampler.failing_at(20,
                     {.code = ErrorCode::kMalformed, .what = "fell over", .where = "", .hint = ""});
  EXPECT_FALSE(measure_sustained(sampler, TimeMode::kDevice));
}

}  // namespace

}  // namespace strobe::bench
