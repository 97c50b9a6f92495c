#include "strobe/cli/record_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result<KernelsRecordRequest> read_record(const TypedFlags& flags,
                                         const std::vector<std::string>& command = {"./app",
                                                                                    "-x"}) {
  return typed_request(record_flags, complete_record, command, flags);
}

TEST(RecordRequest, the_default_set_goes_to_the_usual_files) {
  const auto request = read_record({});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->run.command, ElementsAre("./app", "-x"));
  EXPECT_THAT(request->run.settings.metrics.at(0), SizeIs(10));
  EXPECT_FALSE(request->run.settings.is_strict);
  EXPECT_EQ(request->output, "kernels.strobe");
  EXPECT_EQ(request->csv, "kernels.csv");
}

TEST(RecordRequest, named_metrics_stand_alone_or_beside_a_set) {
  EXPECT_THAT(read_record({{"metrics", "a__b.sum"}})->run.settings.metrics.at(0),
              ElementsAre("a__b.sum"));
  EXPECT_TRUE(read_record({{"metrics", "a__b.sum"}})->run.settings.is_strict);
  EXPECT_THAT(read_record({{"set", "classic"}, {"metrics", "a__b.sum,gpu__time_duration.sum"}})
                  ->run.settings.metrics.at(0),
              SizeIs(4));
}

TEST(RecordRequest, the_old_name_of_a_set_is_still_understood) {
  EXPECT_EQ(read_record({{"set", "seed"}})->run.settings.metrics,
            read_record({{"set", "classic"}})->run.settings.metrics);
}

TEST(RecordRequest, the_csv_stands_beside_the_recording) {
  EXPECT_EQ(read_record({{"output", "runs/warm.strobe"}})->csv, "runs/warm.csv");
  EXPECT_EQ(read_record({{"output", "warm"}})->csv, "warm.csv");
}

void expect_refused(const TypedFlags& flags, std::string_view where, std::string_view what) {
  const auto request = read_record(flags);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(request.error().where, where);
  EXPECT_THAT(request.error().what + request.error().hint, HasSubstr(std::string(what)));
}

TEST(RecordRequest, what_makes_no_sense_is_refused_before_the_program_runs) {
  expect_refused({{"set", "all"}}, "--set", "default, classic, l2, f32, bench, full");
  expect_refused({{"metrics", "time"}}, "--metrics", "'time'");
  expect_refused({{"kernel", "gemm("}}, "--kernel", "regular expression");
  expect_refused({{"isolate", "gemm("}}, "--isolate", "regular expression");
  expect_refused({{"launches", "9:3"}}, "--launches", "'9:3'");
  expect_refused({{"launches", ":"}}, "--launches", "':'");
  expect_refused({{"output", "x.csv"}}, "--output", "x.strobe");
  expect_refused({{"output", "-"}}, "--output", "x.strobe");
}

TEST(RecordRequest, without_a_command_there_is_nothing_to_run) {
  const auto request = read_record({}, {});
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().hint, HasSubstr("record -- python3"));
}

}  // namespace
}  // namespace strobe::cli
