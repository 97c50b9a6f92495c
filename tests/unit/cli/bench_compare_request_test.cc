#include "strobe/cli/bench_compare_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

Arguments two_files() {
  Arguments arguments;
  arguments.positionals = {"old.json", "new.json"};
  return arguments;
}

TEST(BenchCompareRequest, two_files_are_enough) {
  const auto request = read_bench_compare_request(two_files());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->before, "old.json");
  EXPECT_EQ(request->after, "new.json");
  EXPECT_EQ(request->top, 20u);
  EXPECT_EQ(request->options.band, 0.01);
  EXPECT_FALSE(request->options.mode);
  EXPECT_FALSE(request->options.is_forced);
  EXPECT_TRUE(request->gates.empty());
}

TEST(BenchCompareRequest, everything_typed_is_read) {
  Arguments arguments = two_files();
  arguments.add("fail-on", "slower:3%,broken");
  arguments.add("band", "2%");
  arguments.add("mode", "graph");
  arguments.add("format", "csv");
  arguments.add("force", "");
  arguments.add("output", "x.csv");
  const auto request = read_bench_compare_request(arguments);
  ASSERT_TRUE(request);
  ASSERT_EQ(request->gates.size(), 2u);
  EXPECT_DOUBLE_EQ(request->gates[0].by, 0.03);
  EXPECT_EQ(request->gates[1].verdict, bench::CellVerdict::kNotComparable);
  EXPECT_DOUBLE_EQ(request->options.band, 0.02);
  EXPECT_EQ(request->options.mode, bench::TimeMode::kGraph);
  EXPECT_EQ(request->format, KernelFormat::kCsv);
  EXPECT_EQ(request->top, 0u);
  EXPECT_EQ(request->output, "x.csv");
}

TEST(BenchCompareRequest, nonsense_is_a_wrong_command_line) {
  const auto refused = [](std::string_view flag, std::string value) {
    Arguments arguments = two_files();
    arguments.add(flag, std::move(value));
    const auto request = read_bench_compare_request(arguments);
    return !request && request.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused("fail-on", "slow"));
  EXPECT_TRUE(refused("band", "0"));
  EXPECT_TRUE(refused("band", "80%"));
  EXPECT_TRUE(refused("top", "-1"));
  EXPECT_TRUE(refused("mode", "sundial"));
}

TEST(BenchCompareRequest, one_file_has_nobody_to_be_compared_with) {
  Arguments arguments;
  arguments.positionals = {"old.json"};
  const auto request = read_bench_compare_request(arguments);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().what, "two runs are compared, and one is named");
}

}  // namespace
}  // namespace strobe::cli
