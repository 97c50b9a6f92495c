#include "strobe/cli/bench_show_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_sketch.h"
#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using report::BenchTableKind;
using ::testing::ElementsAre;

Result<BenchShowRequest> read_show(const std::vector<std::string>& files,
                                   const TypedFlags& flags = {}) {
  return typed_request(bench_show_flags, complete_bench_show, files, flags);
}

TEST(BenchShowRequest, one_file_alone_is_a_whole_request) {
  const auto request = read_show({"run.json"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->files.at(0), "run.json");
  EXPECT_TRUE(request->choice.tables.empty());
  EXPECT_EQ(request->format, Format::kText);
}

TEST(BenchShowRequest, every_flag_reaches_the_choice) {
  const auto request = read_show({"-"}, {{"table", "relative,kernels"},
                                         {"case", "softmax"},
                                         {"baseline", "a"},
                                         {"contender", "b,c"},
                                         {"dtype", "f16"},
                                         {"shape", "8x8"},
                                         {"mode", "call"},
                                         {"version", "v3"},
                                         {"device", "A100"},
                                         {"missing", "#VALUE!"},
                                         {"net", "on"},
                                         {"format", "tsv"},
                                         {"output", "x"}});
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_EQ(request->files.at(0), "/dev/stdin");
  EXPECT_THAT(request->choice.tables,
              ElementsAre(BenchTableKind::kRelative, BenchTableKind::kKernels));
  EXPECT_THAT(request->choice.cases, ElementsAre("softmax"));
  EXPECT_EQ(request->choice.baseline, "a");
  EXPECT_THAT(request->choice.contenders, ElementsAre("b", "c"));
  EXPECT_THAT(request->choice.dtypes, ElementsAre("f16"));
  EXPECT_EQ(request->choice.shapes.at(0), (bench::Shape{{8, 8}}));
  EXPECT_EQ(request->choice.mode, bench::TimeMode::kCall);
  EXPECT_THAT(request->choice.versions, ElementsAre("v3"));
  EXPECT_THAT(request->choice.devices, ElementsAre("A100"));
  EXPECT_EQ(request->choice.missing, "#VALUE!");
  EXPECT_TRUE(request->choice.is_net);
  EXPECT_EQ(request->format, Format::kTsv);
  EXPECT_EQ(request->output, "x");
}

TEST(BenchShowRequest, all_is_every_table_of_a_run) {
  const auto request = read_show({"run.json"}, {{"table", "all"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->choice.tables.size(), 12u);
}

TEST(BenchShowRequest, two_runs_have_tables_of_their_own) {
  auto request = read_show({"a.json", "b.json"}, {{"table", "all"}});
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_THAT(request->choice.tables,
              ElementsAre(BenchTableKind::kOverview, BenchTableKind::kDevice));
  EXPECT_FALSE(request->is_forced);
  request =
      read_show({"a.json", "b.json"}, {{"table", "device"}, {"shape", "8x8"}, {"force", "on"}});
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_TRUE(request->is_forced);
}

TEST(BenchShowRequest, what_two_runs_cannot_have_is_refused_with_what_to_do) {
  const auto refused = [](const char* flag, const char* value) {
    const auto request = read_show({"a.json", "b.json"}, {{flag, value}});
    EXPECT_FALSE(request) << flag;
    return request ? Error{} : request.error();
  };
  EXPECT_EQ(refused("table", "roofline").what,
            "two runs have only the tables overview and device, not 'roofline'");
  EXPECT_EQ(refused("table", "roofline").hint,
            "give one run: `strobe bench show a.json --table roofline`");
  EXPECT_EQ(refused("baseline", "x").where, "--baseline");
  EXPECT_EQ(refused("net", "on").where, "--net");
}

TEST(BenchShowRequest, no_file_three_files_and_nonsense_are_refused) {
  EXPECT_EQ(read_show({}).error().what, "no run was given");
  EXPECT_FALSE(read_show({"a", "b", "c"}));
  EXPECT_FALSE(read_show({"a"}, {{"table", "chairs"}}));
  const auto shape = read_show({"a"}, {{"shape", "big"}});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().where, "--shape");
}

bench::RatioGrids grids() {
  bench::RatioGrids grids;
  grids.grids = {{.version = "v3-do_bench",
                  .device = "A100",
                  .case_id = "softmax",
                  .baseline = "eager",
                  .contender = "inductor"},
                 {.version = "v3-do_bench",
                  .device = "A100-RTX3090",
                  .case_id = "softmax_backward",
                  .baseline = "eager@RTX3090",
                  .contender = "eager@A100",
                  .metric = bench::GridMetric::kDeviceSpeedup}};
  return grids;
}

TEST(BenchShowRequest, names_are_made_whole_by_those_of_a_table) {
  report::BenchChoice choice;
  choice.versions = {"v3"};
  choice.devices = {"A100"};
  choice.cases = {"softmax"};
  choice.baseline = "e";
  choice.contenders = {"ind"};
  const auto whole = resolve(choice, grids());
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_THAT(whole->versions, ElementsAre("v3-do_bench"));
  EXPECT_THAT(whole->cases, ElementsAre("softmax"));
  EXPECT_EQ(whole->baseline, "eager");
  EXPECT_THAT(whole->contenders, ElementsAre("inductor"));
  choice.cases = {"attention"};
  EXPECT_EQ(resolve(choice, grids()).error().hint, "there are softmax, softmax_backward");
}

TEST(BenchShowRequest, what_a_tuner_chose_has_no_times_to_choose) {
  bench::TunedShapes tuned;
  tuned.shapes.emplace_back();
  tuned.shapes[0].device = "RTX3090";
  tuned.shapes[0].case_id = "layout";
  report::BenchChoice choice;
  choice.devices = {"RTX"};
  const auto whole = resolve(choice, tuned);
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_THAT(whole->devices, ElementsAre("RTX3090"));
  choice.baseline = "eager";
  EXPECT_EQ(resolve(choice, tuned).error().where, "--baseline");
}

TEST(BenchShowRequest, names_are_made_whole_by_those_of_a_run) {
  bench::BenchRun run;
  run.header.device = "NVIDIA H200";
  run.cells = {bench::sketched_cell("softmax", {{8, 8}}, "cuda-fused", 1),
               bench::sketched_cell("softmax", {{8, 8}}, "cuda-unfused", 1)};
  report::BenchChoice choice;
  choice.cases = {"soft"};
  choice.baseline = "cuda-u";
  const auto whole = resolve(choice, run);
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_EQ(whole->baseline, "cuda-unfused");
  choice.baseline = "cuda";
  EXPECT_EQ(resolve(choice, run).error().what, "'cuda' matches several names");
  choice = {};
  choice.versions = {"v3"};
  EXPECT_EQ(resolve(choice, run).error().what, "a run of strobe has no version");
}

}  // namespace
}  // namespace strobe::cli
