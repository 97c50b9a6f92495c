#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/base/byte_stream.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"

// A killed job leaves half a trace: it is loaded and summarised, and the report says what is
// missing.
namespace strobe::readers {
namespace {

class CutTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CutTest, every_event_before_the_cut_is_kept_and_the_cut_is_reported) {
  const std::string text =
      file_text(std::filesystem::path(STROBE_SOURCE_DIR) / "examples" / GetParam());
  const auto whole = read_trace_bytes(text, "whole", {.threads = 2});
  ASSERT_TRUE(whole);
  const std::size_t first_event = text.find('[', text.find("\"traceEvents\"")) + 1;
  const std::size_t array_end = text.rfind("]");
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t cut = random() % text.size();
    const auto half =
        read_trace_bytes(std::string_view(text).substr(0, cut), "half", {.threads = 2});
    if (cut < first_event) {
      ASSERT_FALSE(half);
      EXPECT_EQ(half.error().code, ErrorCode::kMalformed);
      continue;
    }
    ASSERT_TRUE(half) << "cut at " << cut;
    if (cut < array_end) {
      EXPECT_EQ(half->report[ImportIssue::kTruncatedFile].count, 1u) << "cut at " << cut;
    }
    EXPECT_EQ(half->report[ImportIssue::kMalformedEvent].count, 0u) << "cut at " << cut;

    const std::size_t kept = half->trace.slice_count();
    ASSERT_LE(kept, whole->trace.slice_count());
    const auto& halves = half->trace.slices().durations_ns;
    EXPECT_TRUE(
        std::equal(halves.begin(), halves.end(), whole->trace.slices().durations_ns.begin()));
    for (std::size_t row = 0; row < kept; row += 97) {
      EXPECT_EQ(half->trace.name(SliceId(row)), whole->trace.name(SliceId(row)));
    }
    const analysis::Summary summary = analysis::summarize(half->trace);
    for (const analysis::StepRow& step : summary.steps) {
      std::int64_t labelled_ns = 0;
      for (const std::int64_t part_ns : step.label_ns) labelled_ns += part_ns;
      EXPECT_EQ(labelled_ns, step.interval.length_ns());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, CutTest,
                         ::testing::Values("gpt_inference_compiled.json.gz",
                                           "paddle_attention.json.gz"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).substr(0, 4);
                         });

}  // namespace
}  // namespace strobe::readers
