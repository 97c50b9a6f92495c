#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/render/render.h"
#include "tests/property/recorded_pairs.h"

// Nothing before and something now is a normal case: no report divides by it.
namespace strobe::compare {
namespace {

enum class Missing { kNormal, kAbnormal };

void make_zero(std::vector<double>& values) {
  for (double& value : values) {
    if (!std::isnan(value)) value = 0;
  }
}

void make_zero(SeriesCycles& series) {
  make_zero(series.mean);
  make_zero(series.busy_mean);
  series.recording_mean = series.recording_median = 0;
}

void make_zero(FunctionCycles& function) {
  for (auto* times :
       {&function.time_ns, &function.covered_ns, &function.launched_ns, &function.copied_bytes}) {
    std::ranges::fill(*times, 0);
  }
  std::ranges::fill(function.calls, 0u);
  std::ranges::fill(function.launched_calls, 0u);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

void expect_only_numbers(const Comparison& comparison) {
  const std::pair<std::string_view, std::string> reports[] = {
      {"text", report::render_text(report::compare_document(comparison, 0), {})},
      {"JSON", report::compare_json(comparison)},
      {"Markdown", report::compare_markdown(comparison, 0)},
      {"CSV", report::compare_csv(comparison)},
      {"HTML", report::compare_html(comparison, 0)}};
  for (const auto& [format, page] : reports) {
    for (const std::string_view word : {"nan", "NaN", "inf", "Infinity"}) {
      EXPECT_FALSE(has_word(page, word)) << word << " in " << format;
    }
  }
}

std::vector<RecordedPair> some_pairs() {
  std::vector<RecordedPair> pairs;
  const std::vector<RecordedPair> all = recorded_pairs();
  for (std::size_t i = 0; i < all.size(); i += 12) pairs.push_back(all[i]);
  return pairs;
}

TEST(ZeroBaseline, a_queue_that_was_empty_is_named) {
  std::size_t named = 0;
  for (const RecordedPair& pair : recorded_pairs()) {
    if (!pair.abnormal.stem().string().starts_with("host_cores")) continue;
    SCOPED_TRACE(pair.name());
    const SideFacts& abnormal = recorded_run(pair.abnormal);
    SideFacts normal = recorded_run(pair.normal);
    for (SeriesCycles& series : normal.ranks.front().series) {
      if (series.info.role == device::MetricRole::kRunQueue) make_zero(series);
    }
    const Comparison comparison = judged_sides(normal, abnormal);
    EXPECT_THAT(said_of(comparison).causes, ::testing::Contains(CauseKind::kHostContention));
    expect_only_numbers(comparison);
    ++named;
  }
  EXPECT_GE(named, 7u);
}

TEST(ZeroBaseline, metrics_that_are_zero_in_one_run_have_no_ratio) {
  for (const RecordedPair& pair : some_pairs()) {
    for (const Missing missing : {Missing::kNormal, Missing::kAbnormal}) {
      SCOPED_TRACE(pair.name());
      SideFacts normal = recorded_run(pair.normal);
      SideFacts abnormal = recorded_run(pair.abnormal);
      SideFacts& zero = missing == Missing::kNormal ? normal : abnormal;
      for (SeriesCycles& series : zero.ranks.front().series) make_zero(series);
      expect_only_numbers(judged_sides(normal, abnormal));
    }
  }
}

TEST(ZeroBaseline, a_function_of_one_run_is_new_or_vanished_and_named_in_a_cause) {
  for (const RecordedPair& pair : some_pairs()) {
    for (const Missing missing : {Missing::kNormal, Missing::kAbnormal}) {
      SCOPED_TRACE(pair.name());
      // Equal runs but for this kernel.
      SideFacts normal = recorded_run(pair.normal);
      SideFacts abnormal = normal;
      SideFacts& zero = missing == Missing::kNormal ? normal : abnormal;
      FunctionCycles& kernel = zero.ranks.front().functions[longest_kernel(zero.ranks.front())];
      const FunctionKey key = kernel.key;
      make_zero(kernel);
      const Comparison comparison = judged_sides(normal, abnormal);
      const auto row = std::ranges::find(comparison.functions, key, &FunctionRow::key);
      ASSERT_NE(row, comparison.functions.end());
      EXPECT_EQ(row->verdict, missing == Missing::kNormal ? Verdict::kNew : Verdict::kVanished);
      EXPECT_THAT(said_of(comparison).causes, ::testing::Contains(CauseKind::kKernelMix));
      expect_only_numbers(comparison);
      // A run that never heard of the function says the same.
      std::erase_if(zero.ranks.front().functions,
                    [&](const FunctionCycles& function) { return function.key == key; });
      EXPECT_EQ(said_of(judged_sides(normal, abnormal)), said_of(comparison));
    }
  }
}

}  // namespace
}  // namespace strobe::compare
