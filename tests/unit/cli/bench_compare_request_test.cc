#include "strobe/cli/bench_compare_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

Result<BenchCompareRequest> read_bench_compare(const TypedFlags& flags,
                                               const std::vector<std::string>& files = {
                                                   "old.json", "new.json"}) {
  return typed_request(bench_compare_flags, complete_bench_compare, files, flags);
}

TEST(BenchCompareRequest, two_files_are_enough) {
  const auto request = read_bench_compare({});
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
  const auto request = read_bench_compare({{"fail-on", "slower:3%,broken"},
                                           {"band", "2%"},
                                           {"mode", "graph"},
                                           {"format", "csv"},
                                           {"force", ""},
                                           {"output", "x.csv"}});
  ASSERT_TRUE(request);
  ASSERT_EQ(request->gates.size(), 2u);
  EXPECT_DOUBLE_EQ(request->gates[0].by, 0.03);
  EXPECT_EQ(request->gates[1].verdict, bench::CellVerdict::kNotComparable);
  EXPECT_DOUBLE_EQ(request->options.band, 0.02);
  EXPECT_EQ(request->options.mode, bench::TimeMode::kGraph);
  EXPECT_EQ(request->format, Format::kCsv);
  EXPECT_EQ(request->top, 0u);
  EXPECT_EQ(request->output, "x.csv");
}

TEST(BenchCompareRequest, nonsense_is_a_wrong_command_line) {
  const auto refused = [](const std::string& flag, const std::string& value) {
    const auto request = read_bench_compare({{flag, value}});
    return !request && request.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused("fail-on", "slow"));
  EXPECT_TRUE(refused("band", "0"));
  EXPECT_TRUE(refused("band", "80%"));
  EXPECT_TRUE(refused("top", "-1"));
  EXPECT_TRUE(refused("mode", "sundial"));
}

TEST(BenchCompareRequest, one_file_is_not_enough) {
  const auto request = read_bench_compare({}, {"old.json"});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().what, "`strobe bench compare` takes two runs, not 1");
}

}  // namespace
}  // namespace strobe::cli
