#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "strobe/compare/comparison.h"
#include "strobe/readers/run_reader.h"
#include "tests/property/shared_files.h"

// A pair of synthetic runs whose numbers are known to many digits, and properties that must hold if
// the runs are swapped, shuffled or stretched.
namespace strobe::compare {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-9;

SideFacts side_of(const std::string& name) {
  const auto run = readers::read_run(kPair / name, {}, {});
  EXPECT_TRUE(run) << run.error().what;
  SideFacts side;
  side.label = name;
  auto measured = measure(run->ranks.front());
  EXPECT_TRUE(measured) << measured.error().what;
  side.ranks.push_back(std::move(measured).value());
  return side;
}

class DefaultPair : public ::testing::Test {
 protected:
  void SetUp() override { STROBE_NEEDS_SHARED(); }

  static Comparison compared(SideFacts normal, SideFacts abnormal,
                             const CompareOptions& options = {}) {
    auto comparison = compare_measures(std::move(normal), std::move(abnormal), {}, options);
    EXPECT_TRUE(comparison) << comparison.error().what;
    return std::move(comparison).value();
  }
  static Comparison pair() { return compared(side_of("normal"), side_of("abnormal")); }

  static const FunctionRow* find(const Comparison& comparison, std::string_view name,
                                 std::string_view device) {
    for (const FunctionRow& row : comparison.functions) {
      if (row.key.name == name && row.key.device == device) return &row;
    }
    return nullptr;
  }
};

void expect_close(double actual, double expected, const std::string& what) {
  const double scale = std::max(1.0, std::abs(expected));
  EXPECT_NEAR(actual, expected, kTolerance * scale) << what;
}

// The expected numbers were computed with microseconds in doubles, which at 1e7 us are 2e-9 us
// apart; ours are whole nanoseconds. So a call of a microsecond is known there to nine digits, and
// a deviation, which is small compared with its mean, to fewer: z must be as precise as they allow.
void expect_close_z(double actual, double expected, const FunctionRow& row,
                    const std::string& what) {
  const double spacing_ms = 2e-12;
  const double deviation_ms = row.ms.normal.mean / row.beta.normal.mean * row.beta.normal.deviation;
  const double blur = deviation_ms > 0 ? row.mean_calls_normal * spacing_ms / deviation_ms : 0;
  EXPECT_NEAR(actual, expected, std::max(1.0, std::abs(expected)) * (kTolerance + blur)) << what;
}

// The relative error of a p counts, however small it is.
void expect_same_p(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, kTolerance * std::abs(expected)) << what;
}

TEST_F(DefaultPair, every_function_row_has_the_expected_numbers) {
  const Comparison comparison = pair();
  simdjson::dom::parser parser;
  const simdjson::dom::element expected = parser.load((kPair / "expected_default.json").string());
  const simdjson::dom::array functions = expected["functions"].get_array();
  EXPECT_EQ(comparison.functions.size(), functions.size());
  for (const simdjson::dom::element function : functions) {
    const std::string name{std::string_view(function["function"])};
    const FunctionRow* row = find(comparison, name, std::string_view(function["device"]));
    ASSERT_NE(row, nullptr) << name;
    const auto number = [&](const char* key) { return double(function[key]); };
    EXPECT_EQ(row->beta.normal.n, std::uint64_t(function["n_normal"])) << name;
    EXPECT_EQ(row->beta.abnormal.n, std::uint64_t(function["n_abnormal"])) << name;
    expect_close(row->beta.normal.mean, number("beta_normal"), name + " beta normal");
    expect_close(row->beta.abnormal.mean, number("beta_abnormal"), name + " beta abnormal");
    expect_close(row->beta.difference(), number("dbeta"), name + " dbeta");
    expect_close(row->ms.normal.mean, number("ms_normal"), name + " ms normal");
    expect_close(row->ms.abnormal.mean, number("ms_abnormal"), name + " ms abnormal");
    expect_close(row->beta.shift.shift, number("hodges_lehmann"), name + " shift");
    expect_close(row->beta.cliffs_delta, number("cliffs_delta"), name + " delta");
    expect_same_p(row->beta.welch.p, number("welch_p"), name + " welch p");
    expect_same_p(row->beta.rank.p, number("mwu_exact_p"), name + " rank p");
    expect_close_z(row->beta.z, number("z"), *row, name + " z");
    expect_close_z(row->beta.z_floored, number("z_floor"), *row, name + " floored z");
    expect_close(row->mean_calls_normal, number("calls_normal"), name + " calls normal");
    expect_close(row->mean_calls_abnormal, number("calls_abnormal"), name + " calls abnormal");
    expect_same_p(row->beta.q, number("q_bh"), name + " q");
  }
}

TEST_F(DefaultPair, the_cycle_that_the_trace_began_in_is_partial_on_its_device_only) {
  simdjson::dom::parser parser;
  const simdjson::dom::element expected = parser.load((kPair / "expected_default.json").string());
  for (const std::string name : {"normal", "abnormal"}) {
    const SideFacts side = side_of(name);
    for (const DeviceCycles& device : side.ranks[0].devices) {
      std::vector<std::uint64_t> partial;
      for (std::size_t i = 0; i < device.is_partial.size(); ++i) {
        if (device.is_partial[i]) partial.push_back(i + 1);
      }
      std::vector<std::uint64_t> wanted;
      for (const std::uint64_t cycle :
           simdjson::dom::array(expected["partial_cycles"][name][device.device])) {
        wanted.push_back(cycle);
      }
      EXPECT_EQ(partial, wanted) << name << ", " << device.device;
    }
  }
}

TEST_F(DefaultPair, the_cycle_itself_did_not_change) {
  const Comparison comparison = pair();
  ASSERT_EQ(comparison.cycles.size(), 1u);
  const CycleRow& row = comparison.cycles[0];
  EXPECT_EQ(row.ms.normal.n, 12u);
  EXPECT_EQ(row.ms.abnormal.n, 10u);
  EXPECT_NEAR(row.ms.normal.mean, 750.05429, 1e-5);
  EXPECT_NEAR(row.ms.welch.p, 0.225, 5e-4);
  EXPECT_NEAR(row.ms.rank.p, 0.575, 1e-2) << "0.575 is the approximation's";
  EXPECT_NEAR(row.ms.cliffs_delta, 0.15, 5e-3);
}

TEST_F(DefaultPair, a_run_against_itself_has_nothing_to_say) {
  const Comparison comparison = compared(side_of("normal"), side_of("normal"));
  for (const FunctionRow& row : comparison.functions) {
    EXPECT_EQ(row.verdict, Verdict::kSame) << row.key.name;
    EXPECT_EQ(row.suspicion, 0) << row.key.name;
  }
}

TEST_F(DefaultPair, swapped_runs_have_the_same_rows_with_signs_flipped) {
  const Comparison forth = pair();
  const Comparison back = compared(side_of("abnormal"), side_of("normal"));
  ASSERT_EQ(forth.functions.size(), back.functions.size());
  for (const FunctionRow& row : forth.functions) {
    const FunctionRow* other = find(back, row.key.name, row.key.device);
    ASSERT_NE(other, nullptr);
    expect_close(other->beta.difference(), -row.beta.difference(), row.key.name);
    expect_close(other->beta.shift.shift, -row.beta.shift.shift, row.key.name);
    EXPECT_EQ(other->beta.cliffs_delta, -row.beta.cliffs_delta) << row.key.name;
    expect_same_p(other->beta.rank.p, row.beta.rank.p, row.key.name);
    expect_same_p(other->beta.welch.p, row.beta.welch.p, row.key.name);
  }
}

// The order of a run's cycles is arbitrary: everything but the drift is the same in any order.
TEST_F(DefaultPair, shuffled_cycles_change_no_number) {
  SideFacts shuffled = side_of("normal");
  RankMeasure& measure = shuffled.ranks[0];
  std::vector<std::size_t> order(measure.cycles.cycles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::minstd_rand(7));
  const auto shuffle = [&](auto& values) {
    auto before = values;
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = before[order[i]];
  };
  shuffle(measure.cycles.cycles);
  for (FunctionCycles& function : measure.functions) {
    shuffle(function.time_ns);
    shuffle(function.covered_ns);
    shuffle(function.calls);
  }
  for (DeviceCycles& device : measure.devices) {
    shuffle(device.busy_ns);
    shuffle(device.slices);
    shuffle(device.is_partial);
  }
  for (SeriesCycles& series : measure.series) {
    shuffle(series.mean);
    shuffle(series.busy_mean);
  }
  for (MetricCycles& metric : measure.metrics) {
    shuffle(metric.mean);
    shuffle(metric.deviation);
    shuffle(metric.coverage);
  }
  const Comparison plain = pair();
  const Comparison other = compared(shuffled, side_of("abnormal"));
  ASSERT_EQ(plain.functions.size(), other.functions.size());
  for (const FunctionRow& row : plain.functions) {
    const FunctionRow* same = find(other, row.key.name, row.key.device);
    ASSERT_NE(same, nullptr);
    expect_close(same->beta.normal.mean, row.beta.normal.mean, row.key.name);
    expect_same_p(same->beta.q, row.beta.q, row.key.name);
    EXPECT_EQ(same->verdict, row.verdict) << row.key.name;
  }
}

TEST_F(DefaultPair, shares_do_not_depend_on_the_length_of_a_second) {
  const auto stretched = [](SideFacts side) {
    for (analysis::Cycle& cycle : side.ranks[0].cycles.cycles) {
      cycle.interval = {cycle.interval.start_ns * 3, cycle.interval.end_ns * 3};
    }
    for (FunctionCycles& function : side.ranks[0].functions) {
      for (auto& time_ns : function.time_ns) time_ns *= 3;
    }
    return side;
  };
  const Comparison plain = pair();
  const Comparison longer = compared(stretched(side_of("normal")), stretched(side_of("abnormal")));
  for (const FunctionRow& row : plain.functions) {
    const FunctionRow* same = find(longer, row.key.name, row.key.device);
    ASSERT_NE(same, nullptr);
    EXPECT_DOUBLE_EQ(same->beta.normal.mean, row.beta.normal.mean) << row.key.name;
    EXPECT_DOUBLE_EQ(same->beta.abnormal.mean, row.beta.abnormal.mean) << row.key.name;
    EXPECT_DOUBLE_EQ(same->ms.normal.mean, row.ms.normal.mean * 3) << row.key.name;
  }
}

TEST_F(DefaultPair, the_clock_fell_while_kernels_ran) {
  const Comparison comparison = pair();
  const auto clock =
      std::find_if(comparison.triplets.begin(), comparison.triplets.end(),
                   [](const TripletRow& row) { return row.metric == "gpu_sm_frequency"; });
  ASSERT_NE(clock, comparison.triplets.end());
  EXPECT_LT(clock->mu.core_ratio(), 0.5);
  EXPECT_LT(clock->mu.rank.p, 0.05);
  EXPECT_EQ(comparison.functions[clock->function].verdict, Verdict::kChanged);
}

}  // namespace
}  // namespace strobe::compare
