#include "strobe/serve/bench_sniff.h"

#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"

namespace strobe::serve {
namespace {

constexpr std::string_view kRun = R"({"schema":"strobe.bench/1","header":{},"cells":[]})";
constexpr std::string_view kGrids =
    "version,device,case,baseline,contender,metric,dim0,dim1,value,status\n";

TEST(BenchSniffTest, runs_and_tables_are_known_plain_and_packed) {
  EXPECT_EQ(bench_content(kRun), BenchContent::kRun);
  EXPECT_EQ(bench_content(pack_gzip(kRun)), BenchContent::kRun);
  EXPECT_EQ(bench_content("\xEF\xBB\xBF \n" + std::string(kRun)), BenchContent::kRun);
  EXPECT_EQ(bench_content(kGrids), BenchContent::kGrids);
  EXPECT_EQ(bench_content(pack_gzip(kGrids)), BenchContent::kGrids);
}

TEST(BenchSniffTest, a_run_is_known_by_its_first_bytes) {
  const std::string cut = std::string(kRun.substr(0, 45)) + std::string(100'000, ' ');
  EXPECT_EQ(bench_content(cut), BenchContent::kRun);
}

TEST(BenchSniffTest, other_files_are_not) {
  for (const std::string_view other :
       {"", " ", "{", R"({"schema":"strobe.kernels"})", R"({"schema":7})",
        R"({"traceEvents":[{"schema":"strobe.bench/1"}]})", "[1, 2]", "timestamp,value\n1,2\n",
        "\x1f\x8b", "PK\x03\x04"}) {
    EXPECT_FALSE(bench_content(other)) << other;
  }
}

}  // namespace
}  // namespace strobe::serve
