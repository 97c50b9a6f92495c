#include "strobe/serve/bench_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/json_value.h"
#include "strobe/serve/bench_cell_answer.h"
#include "strobe/serve/bench_table_answer.h"
#include "strobe/serve/bench_values.h"
#include "tests/support/bench_sketch.h"
#include "tests/unit/serve/bench_runs.h"

namespace strobe::serve {
namespace {

using bench::CellStatus;
using bench::DType;
using bench::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const Shape kSmall = {{128, 128}};
const Shape kLarge = {{128, 4096}};

bench::BenchRun small_run() {
  bench::BenchRun run;
  run.header.device = "Test GPU";
  run.header.roofs.copy_gbps = 4;
  run.header.floors.event_pair = 1.25;
  run.cells = {test::bench_cell("eager", kSmall, 30), test::bench_cell("fused", kSmall, 10),
               test::bench_cell("eager", kLarge, 20),
               test::failed_cell("fused", kLarge, CellStatus::kOom, "2 GB were refused")};
  return run;
}

constexpr bench::PairQuestion kQuestion = {"pointwise_chain", DType::kF32, "eager", "fused", {}};

std::string checked(std::string text) {
  EXPECT_TRUE(for_each_member(text, [](auto, auto) {})) << text;
  return text;
}

TEST(BenchAnswerTest, files_are_listed_with_their_kind) {
  const std::vector<FoundBench> files = {
      {"a.json", "/x", {.bytes = 5, .modified_ns = 7'000'000}, BenchContent::kRun},
      {"b.csv", "/y", {.bytes = 6}, BenchContent::kGrids}};
  EXPECT_EQ(checked(bench_list_answer(files)),
            R"({"bench_files":[{"file":"a.json","file_bytes":5,"modified_ms":7,"kind":"run"},)"
            R"({"file":"b.csv","file_bytes":6,"modified_ms":0,"kind":"grids"}]})");
}

TEST(BenchAnswerTest, a_run_tells_its_header_and_which_tables_it_can_give) {
  bench::BenchRun run = small_run();
  run.remarks = {"cells[7]: no shape"};
  const std::string text = checked(bench_run_answer("a.json", run));
  EXPECT_THAT(text, HasSubstr(R"({"file":"a.json","kind":"run","header":{"run":"",)"));
  EXPECT_THAT(text, HasSubstr(R"("floors_us":{"event_pair":1.25,"empty_kernel_events":null,)"));
  EXPECT_THAT(text, HasSubstr(R"("roofs":{"copy_bytes_per_s":4e+09,"read_bytes_per_s":null,)"));
  EXPECT_THAT(text, HasSubstr(R"("sections":[{"case":"pointwise_chain","dtype":"f32",)"));
  EXPECT_THAT(text, HasSubstr(R"("cells":4,"shapes":2,"providers":[{"name":"eager","ok":2},)"
                              R"({"name":"fused","ok":1}],"times":["device"]}])"));
  EXPECT_THAT(text, HasSubstr(R"("remarks":["cells[7]: no shape"])"));
}

TEST(BenchAnswerTest, an_unknown_case_is_shown_without_its_definition) {
  bench::BenchRun run = small_run();
  for (bench::CellRecord& record : run.cells) record.cell.case_id = "mine";
  EXPECT_THAT(bench_run_answer("a", run), HasSubstr(R"("dtype":"f32","definition":null)"));
}

TEST(BenchAnswerTest, a_table_has_panels_cells_and_a_mean) {
  const std::string text = checked(bench_table_answer("a.json", small_run(), kQuestion));
  EXPECT_THAT(text, HasSubstr(R"("metric":"relative_performance_pct","mean":{"value":)"));
  const JsonValue mean = find(text, "mean");
  EXPECT_NEAR(*find(mean.text, "value").as_double(), 300, 1e-9);
  EXPECT_EQ(find(mean.text, "cells").as_int64(), 1);
  EXPECT_THAT(text, HasSubstr(R"("rows":["128"],"columns":["128","4096"],"cells":[[0,1]]}])"));
  EXPECT_THAT(text, HasSubstr(R"({"shape":"128x128","dims":[128,128],"state":"ratio","value":300,)"
                              R"("gain":3,"low":294.)"));
  EXPECT_THAT(text, HasSubstr(R"("ceiling":550,"baseline_us":30,"contender_us":10,"flags":[],)"));
  EXPECT_THAT(text, HasSubstr(R"({"shape":"128x4096","dims":[128,4096],"state":"oom","value":null,)"
                              R"("gain":null,"low":null,"high":null,"ceiling":null,)"
                              R"("baseline_us":20,"contender_us":null,"flags":[],)"
                              R"("remarks":["fused: oom, 2 GB were refused"]})"));
}

TEST(BenchAnswerTest, one_cell_has_everything_of_both_sides) {
  bench::BenchRun run = small_run();
  bench::CellRecord& fused = run.cells[1];
  fused.times[bench::TimeMode::kDevice].samples_us = {9.5f, 10.0f};
  fused.kernels = {
      {.name = "strobe_chain", .grid = {4, 1, 1}, .block = {256, 1, 1}, .duration_us = 9}};
  fused.compile.nvrtc_ms = 180;
  fused.api = {{"cuLaunchKernel", 2, 5.5}};
  fused.config["schedule"] = "pointwise";
  fused.accuracy = bench::Accuracy{.max_abs = 1, .checked = 100, .mismatches = 25};
  fused.clocks.reasons = {"power cap"};
  fused.lacks[bench::Lack::kCounters] = "no recorder";
  fused.notes = {"first"};
  const auto answer = bench_cell_answer("a.json", run, kQuestion, kSmall);
  ASSERT_TRUE(answer);
  const std::string text = checked(*answer);
  EXPECT_THAT(text, HasSubstr(R"("state":"ratio","value":300,)"));
  EXPECT_THAT(text, HasSubstr(R"("ceiling":550,"ceiling_share":0.545)"));
  EXPECT_THAT(text, HasSubstr(R"("p50_us":10,"p20_us":9,"p80_us":11,"min_us":8,"mad_us":0.1,)"
                              R"("n":50,"set_aside":0,"low_us":9.9,"high_us":10.1,)"
                              R"("bytes_per_s":8e+08,)"));
  EXPECT_THAT(text, HasSubstr(R"("copy_roof_share":0.2,"samples_us":[9.5,10],)"));
  EXPECT_THAT(text, HasSubstr(R"("kernels":[{"name":"strobe_chain","grid":[4,1,1],)"
                              R"("block":[256,1,1],"us":9,"registers":null,)"));
  EXPECT_THAT(text, HasSubstr(R"("nvrtc_ms":180,)"));
  EXPECT_THAT(text, HasSubstr(R"("api":[{"name":"cuLaunchKernel","count":2,"us":5.5}])"));
  EXPECT_THAT(text, HasSubstr(R"("config":{"schedule":"pointwise"},"accuracy":{"equality":0.75,)"));
  EXPECT_THAT(text, HasSubstr(R"("reasons":["power cap"])"));
  EXPECT_THAT(text, HasSubstr(R"("lacks":{"counters":"no recorder"},)"
                              R"("notes":["first","not counted: no recorder"])"));
  EXPECT_FALSE(bench_cell_answer("a.json", run, kQuestion, {{1, 1}}));
}

TEST(BenchAnswerTest, what_was_counted_is_told_and_what_was_not_is_null) {
  bench::BenchRun run = small_run();
  EXPECT_THAT(*bench_cell_answer("a", run, kQuestion, kSmall), HasSubstr(R"("counters":null)"));
  run.cells[1].counters =
      bench::sketched_counters(1, {{&bench::CellCounters::dram_read_bytes, 4096}});
  EXPECT_THAT(
      checked(*bench_cell_answer("a", run, kQuestion, kSmall)),
      HasSubstr(
          R"("counters":{"launches":1,"l1_load_bytes":null,"l1_load_hit_bytes":null,)"
          R"("l1_store_bytes":null,"l1_store_hit_bytes":null,)"
          R"("l1_reduction_bytes":null,"l1_reduction_hit_bytes":null,)"
          R"("l2_read_bytes":null,"l2_write_bytes":null,"dram_read_bytes":4096,"dram_write_bytes":null,)"
          R"("instructions":null,"flops":null,"matrix_flops":null})"));
}

TEST(BenchAnswerTest, a_median_alone_has_no_quantiles_and_no_interval) {
  bench::BenchRun run = small_run();
  run.cells[1].times[bench::TimeMode::kDevice] = {.p50 = 10};
  const std::string text = *bench_cell_answer("a", run, kQuestion, kSmall);
  EXPECT_THAT(text,
              HasSubstr(R"("p50_us":10,"p20_us":null,"p80_us":null,"min_us":null,)"
                        R"("mad_us":null,"n":0,"set_aside":0,"low_us":null,"high_us":null,)"));
}

TEST(BenchAnswerTest, samples_and_kernels_without_end_are_cut) {
  bench::BenchRun run = small_run();
  run.cells[1].times[bench::TimeMode::kDevice].samples_us.assign(4010, 1.0f);
  run.cells[1].kernels.assign(203, {.name = "k"});
  const std::string text = *bench_cell_answer("a", run, kQuestion, kSmall);
  EXPECT_THAT(text, HasSubstr(R"("samples_left_out":10)"));
  EXPECT_THAT(text, HasSubstr(R"("kernels_left_out":3)"));
}

TEST(BenchAnswerTest, points_are_all_cells_with_a_time_under_the_roofs) {
  const std::string text = checked(bench_points_answer("a.json", small_run(), kQuestion));
  EXPECT_THAT(text, HasSubstr(R"({"provider":"eager","shape":"128x128","time_us":30,)"));
  EXPECT_THAT(text, HasSubstr(R"("flop_per_byte":0.375,)"));
  EXPECT_THAT(text, HasSubstr(R"("points_left_out":0})"));
  EXPECT_THAT(text, Not(HasSubstr(R"("provider":"fused","shape":"128x4096")")));
}

TEST(BenchAnswerTest, rates_need_bytes_operations_and_a_time) {
  bench::CellRecord record = test::bench_cell("x", kSmall, 1);
  EXPECT_DOUBLE_EQ(*rates_of(record, {.p50 = 1}, {}).bytes_per_s, 8e9);
  EXPECT_FALSE(rates_of(record, {.p50 = 1}, {}).copy_roof_share);
  EXPECT_FALSE(rates_of(record, {.p50 = 0}, {}).bytes_per_s);
  record.flops = 0;
  EXPECT_FALSE(rates_of(record, {.p50 = 1}, {}).flop_per_s);
}

bench::RatioGrid flat_grid() {
  bench::RatioGrid grid = {.version = "v3",
                           .device = "A",
                           .case_id = "softmax",
                           .baseline = "eager",
                           .contender = "fast"};
  for (std::int64_t i = 0; i < 40; ++i) {
    grid.cells.push_back({.dim0 = i, .dim1 = 1, .value = i < 12 ? 250.0 : 100.2});
  }
  grid.cells[3] = {.dim0 = 3, .dim1 = 1, .status = CellStatus::kOom};
  return grid;
}

TEST(BenchAnswerTest, tables_of_ratios_tell_their_laws_and_which_is_flat) {
  bench::RatioGrids grids;
  grids.grids = {flat_grid()};
  grids.rows = 40;
  const std::vector<bench::IdentityCheck> checks = {{"a = b c", 10, 0.02, "softmax 3x1", {"3x1"}}};
  const std::string text = checked(bench_grids_answer("g.csv", grids, checks));
  EXPECT_THAT(text, HasSubstr(R"("tables":[{"version":"v3","device":"A","case":"softmax",)"));
  EXPECT_THAT(text, HasSubstr(R"("cells":40,"with_value":39,"mean":{"value":)"));
  EXPECT_THAT(text, HasSubstr(R"("is_flat":true}],"tables_left_out":0,)"));
  EXPECT_THAT(text, HasSubstr(R"("violated":1,"violations":["3x1"]}])"));
  EXPECT_THAT(text, HasSubstr("a = b c does not hold in 1 of 10 cells: off by up to 2.00 %, worst "
                              "at softmax 3x1"));
}

TEST(BenchAnswerTest, a_table_of_ratios_is_drawn_like_one_of_a_run) {
  const std::string text = checked(bench_table_answer("g.csv", flat_grid()));
  EXPECT_THAT(text, HasSubstr(R"({"shape":"0x1","dims":[0,1],"state":"ratio","value":250,)"
                              R"("gain":2.5,"low":null,)"));
  EXPECT_THAT(text, HasSubstr(R"("state":"oom","value":null,"gain":null,)"));
  EXPECT_THAT(text, HasSubstr("From cell 13 on (12x1) 100 % of the ratios"));
}

TEST(BenchAlertsTest, flags_and_states_become_sentences) {
  bench::BenchRun run = small_run();
  run.cells[1].flags = {bench::CellFlag::kNoisy};
  run.cells[3] = test::bench_cell("fused", kLarge, 10);
  run.cells[3].status = CellStatus::kWrong;
  const auto alerts = alerts_of(pair_table(run, kQuestion));
  ASSERT_THAT(alerts, SizeIs(2));
  EXPECT_EQ(alerts[0].code, "wrong");
  EXPECT_TRUE(alerts[0].matters);
  EXPECT_THAT(alerts[0].headline, HasSubstr("1 of 2 cells hold wrong values"));
  EXPECT_EQ(alerts[1].code, "noisy");
  EXPECT_FALSE(alerts[1].matters);
  EXPECT_THAT(alerts_of(pair_table(small_run(), kQuestion)), IsEmpty());
}

}  // namespace
}  // namespace strobe::serve
