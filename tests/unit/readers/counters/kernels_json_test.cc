#include "strobe/readers/counters/kernels_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/unit/readers/counters/table_of.h"

namespace strobe::readers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(KernelsJson, devices_with_one_number_and_negative_shares_are_left_out) {
  const KernelTable table = table_of(R"({
    "schema": "strobe.kernels", "version": 1,
    "devices": [{"index": 3, "name": "third"}, {"index": 1, "name": "one"},
                {"index": 3, "name": "again"}],
    "kernels": [{"name": "k", "duration_ns": 32, "metrics": {"dram_percent": -1}}]})");
  ASSERT_EQ(table.devices.size(), 2u);
  EXPECT_EQ(table.devices[0].name, "one");
  EXPECT_EQ(table.devices[1].name, "third");
  EXPECT_FALSE(table.has(KernelMetric::kDramPercent));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("devices with the number of an earlier one")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("is not a number from 0 on")));
}

TEST(KernelsJson, what_is_published_is_read) {
  const KernelTable table = table_of(R"({
    "schema": "strobe.kernels", "version": 1, "source": "recording", "clock_policy": "locked",
    "of_a_later_strobe": {"a": [1]},
    "devices": [{"index": 0, "name": "Some Chip", "capability": "9.0", "sm_count": 132,
                 "most_clock_hz": 1.98e9, "dram_bytes_per_s": 4.8e12}],
    "kernels": [
      {"id": 5, "name": "copy \u00e9", "mangled": "_Z4copyv", "duration_ns": 535296,
       "grid": [1056, 2, 1], "block": [512, 1, 1], "stream": 7, "context": 1, "device": 0,
       "metrics": {"tensor_percent": 0, "dram_percent": 82.55, "later_percent": 3}},
      {"name": "bare", "duration_ns": 32, "metrics": {"dram_percent": null}}],
    "summary": {"total_ns": 535328}})");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.source, KernelSource::kRecording);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kLocked);
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "Some Chip");
  EXPECT_EQ(table.devices[0].sm_count, 132);
  EXPECT_EQ(table.devices[0].dram_bytes_per_s, 4.8e12);
  EXPECT_EQ(table.name(0), "copy \xC3\xA9");
  EXPECT_EQ(table.strings[table.mangled_names[0]], "_Z4copyv");
  EXPECT_EQ(table.strings[table.mangled_names[1]], "");
  EXPECT_THAT(table.durations_ns, ElementsAre(535296, 32));
  EXPECT_THAT(table.ids, ElementsAre(5, 1));
  EXPECT_EQ(table.grids[0], (LaunchShape{1056, 2, 1}));
  EXPECT_THAT(table.streams, ElementsAre(7, 0));
  EXPECT_EQ(table.value(KernelMetric::kTensorPercent, 0), 0.0);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 82.55);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), std::nullopt);
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(KernelsJson, launches_that_cannot_be_used_are_left_out_with_a_remark) {
  const KernelTable table = table_of(
      R"({"schema": "strobe.kernels", "version": 1, "kernels": [{"name": "no time"}, 7,
         {"name": "f", "duration_ns": 32, "metrics": {"sm_percent": "high"}}]})");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.source, KernelSource::kJson);
  EXPECT_THAT(table.remarks, ElementsAre(HasSubstr("row 1, 'duration_ns'"), HasSubstr("row 2"),
                                         HasSubstr("row 3, 'sm_percent': 'high'")));
}

TEST(KernelsJson, a_text_that_breaks_off_keeps_what_stands_before) {
  const KernelTable table = table_of(
      R"({"schema": "strobe.kernels", "kernels": [{"name": "f", "duration_ns": 32}, {"name": "g)");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_THAT(table.remarks, Contains(HasSubstr("not JSON from byte")));
}

TEST(KernelsJson, the_remark_names_the_first_byte_that_is_not_json) {
  const std::string before =
      R"({"schema": "strobe.kernels", "kernels": [{"name": "f", "duration_ns": 32}, )";
  const KernelTable table = table_of(before + R"(oops, {"name": "g", "duration_ns": 1}]})");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_THAT(table.remarks,
              Contains("the file is not JSON from byte " + std::to_string(before.size()) +
                       " on; 1 kernel before is kept"));
}

TEST(KernelsJson, a_later_version_and_an_empty_list_are_errors) {
  const auto later =
      read_kernels_bytes(R"({"schema": "strobe.kernels", "version": 2, "kernels": []})", "k.json");
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::kMalformed);
  const auto none =
      read_kernels_bytes(R"({"schema": "strobe.kernels", "version": 1, "kernels": []})", "k.json");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(none.error().where, "k.json");
}

TEST(KernelsJson, other_json_is_told_apart) {
  EXPECT_TRUE(looks_like_kernels_json(R"({"schema": "strobe.kernels", "kernels": [{"na)"));
  EXPECT_TRUE(looks_like_kernels_json(R"({"schema": "strobe.kernels/1"})"));
  EXPECT_FALSE(looks_like_kernels_json(R"({"schema": "strobe.summary"})"));
  EXPECT_FALSE(looks_like_kernels_json(R"({"traceEvents": []})"));
  EXPECT_FALSE(looks_like_kernels_json("[]"));
}

}  // namespace
}  // namespace strobe::readers
