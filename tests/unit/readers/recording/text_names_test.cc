#include "strobe/readers/recording/text_names.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using test::SinkSketch;

TEST(TextNamesTest, a_value_is_made_once_for_a_text) {
  const RecordedSketch sketch([](RunFileSketch& run) { run.range(0, "forward", 1, 1); });
  SinkSketch to;
  ByText<std::string> values(sketch.file());
  int made = 0;
  const auto make = [&](std::string_view text) { return ++made, std::string(text); };
  EXPECT_EQ(values.in(0).find(1, to.sink, make), "forward");
  EXPECT_EQ(values.in(0).find(1, to.sink, make), "forward");
  EXPECT_EQ(made, 1);
}

TEST(TextNamesTest, a_lost_text_has_a_name_and_is_reported) {
  const RecordedSketch sketch([](RunFileSketch& run) { run.range(0, "forward", 1, 1); });
  SinkSketch to;
  ByText<std::string> values(sketch.file());
  const auto make = [](std::string_view text) { return std::string(text); };
  EXPECT_EQ(values.in(0).find(99, to.sink, make), kLostName);
  EXPECT_EQ(values.in(0).find(~0ull, to.sink, make), kLostName);
  EXPECT_EQ(to.report[ImportIssue::kLostName].count, 1u) << "one for all of them";
}

}  // namespace
}  // namespace strobe::readers
