#include "strobe/report/bench/bench_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/bench/results/foreign_tables.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/render.h"
#include "tests/support/bench_sketch.h"
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellStatus;
using bench::GridMetric;
using bench::RatioGrid;
using bench::sketched_cell;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> keys(const Document& page) {
  std::vector<std::string> keys;
  for (const Section& table : tables_of(page)) keys.push_back(table.key);
  return keys;
}

Document shown(Result<Document> page) {
  EXPECT_TRUE(page) << (page ? "" : page.error().what);
  return page ? std::move(page).value() : Document{};
}

BenchRun small_run() {
  BenchRun run;
  run.header.run = "r1";
  run.header.device = "H200";
  for (const std::string case_id : {"softmax", "layernorm"}) {
    for (const std::int64_t rows : {8, 16}) {
      run.cells.push_back(sketched_cell(case_id, {{rows, 8}}, "cuda-fused", 2));
      run.cells.push_back(sketched_cell(case_id, {{rows, 8}}, "cuda-unfused", 4));
      run.cells.push_back(sketched_cell(case_id, {{rows, 8}}, "torch-inductor", 5));
    }
  }
  for (bench::CellRecord& record : run.cells) record.bytes.min = 1e6;
  return run;
}

TEST(BenchTables, every_kind_reads_back_from_its_name) {
  for (const std::string_view name : table_names()) {
    ASSERT_TRUE(find_table(name)) << name;
    EXPECT_EQ(table_name(*find_table(name)), name);
  }
  EXPECT_FALSE(find_table("chairs"));
}

TEST(UsualBaseline, eager_comes_before_unfused_and_that_before_the_first) {
  EXPECT_EQ(usual_baseline({"a", "cuda-unfused", "torch-eager"}), "torch-eager");
  EXPECT_EQ(usual_baseline({"a", "cuda-unfused"}), "cuda-unfused");
  EXPECT_EQ(usual_baseline({"a", "b"}), "a");
  EXPECT_EQ(usual_baseline({}), "");
}

TEST(RunPage, without_a_choice_every_case_and_contender_has_its_table) {
  const Document page = shown(run_page(small_run(), {}));
  EXPECT_EQ(page.title, "strobe bench: r1");
  EXPECT_THAT(keys(page), ElementsAre("overview", "relative", "relative", "relative", "relative"));
  EXPECT_THAT(tables_of(page)[1].title, HasSubstr("softmax f32, cuda-fused / cuda-unfused"));
  EXPECT_THAT(tables_of(page)[2].title, HasSubstr("softmax f32, torch-inductor / cuda-unfused"));
  EXPECT_EQ(std::ranges::count_if(page.sections, [](const auto& one) { return !one.svg.empty(); }),
            2);
}

TEST(RunPage, a_single_provider_is_shown_by_its_times) {
  BenchRun run = small_run();
  std::erase_if(run.cells, [](const auto& record) { return record.cell.provider != "cuda-fused"; });
  EXPECT_THAT(keys(shown(run_page(run, {}))), ElementsAre("times", "roofline"));
}

TEST(RunPage, a_pair_of_providers_and_a_case_are_one_table) {
  BenchChoice choice;
  choice.tables = {BenchTableKind::kRelative};
  choice.cases = {"softmax"};
  choice.baseline = "torch-inductor";
  choice.contenders = {"cuda-fused"};
  const Document page = shown(run_page(small_run(), choice));
  ASSERT_EQ(tables_of(page).size(), 1u);
  EXPECT_EQ(measure_at(tables_of(page)[0], 0, 0).text, "250.00%");
}

TEST(RunPage, pairs_that_ran_the_same_kernels_are_flagged_by_showing_them) {
  BenchRun run = small_run();
  for (bench::CellRecord& record : run.cells) record.kernels = {{.name = "softmax_kernel"}};
  const Document page = shown(run_page(run, {}));
  EXPECT_EQ(tables_of(page).back().key, "flags");
  EXPECT_EQ(tables_of(page).back().table.rows.size(), 8u);  // all but the baseline's
  EXPECT_EQ(measure_at(tables_of(page)[1], 0, 0).mark, Mark::kSame);
}

TEST(RunPage, every_table_can_be_asked_for) {
  BenchChoice choice;
  choice.cases = {"softmax"};
  choice.contenders = {"cuda-fused"};
  for (const auto& [kind, tables] :
       std::vector<std::pair<BenchTableKind, std::size_t>>{{BenchTableKind::kOverview, 1},
                                                           {BenchTableKind::kRelative, 1},
                                                           {BenchTableKind::kOverhead, 1},
                                                           {BenchTableKind::kBandwidth, 1},
                                                           {BenchTableKind::kTimes, 1},
                                                           {BenchTableKind::kAccuracy, 1},
                                                           {BenchTableKind::kRoofline, 1},
                                                           {BenchTableKind::kMemory, 1},
                                                           {BenchTableKind::kKernels, 1},
                                                           {BenchTableKind::kFlags, 1}}) {
    choice.tables = {kind};
    const Document page = shown(run_page(small_run(), choice));
    ASSERT_EQ(tables_of(page).size(), tables) << table_name(kind);
    EXPECT_EQ(tables_of(page)[0].key, table_name(kind));
  }
}

TEST(RunPage, a_table_that_this_run_cannot_have_says_what_would) {
  BenchChoice choice;
  choice.tables = {BenchTableKind::kDevice};
  const auto page = run_page(small_run(), choice);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(page.error().hint, HasSubstr("give two runs"));
}

TEST(RunPage, nothing_left_of_a_run_is_an_error) {
  BenchChoice choice;
  choice.shapes = {{{3, 3}}};
  EXPECT_EQ(run_page(small_run(), choice).error().what, "no cell of this run matches all filters");
  EXPECT_EQ(run_page({}, {}).error().what, "this run has no cells");
}

TEST(RunPage, attention_has_a_block_for_every_pair) {
  BenchRun run;
  for (const std::int64_t width : {64, 128}) {
    const bench::Shape shape = {{1, 128, 2048 / width, width}};
    run.cells.push_back(sketched_cell("attention", shape, "torch-eager", 8));
    run.cells.push_back(sketched_cell("attention", shape, "triton", 4));
    run.cells.push_back(sketched_cell("attention", shape, "flash2", 1));
  }
  run.cells.push_back(sketched_cell("softmax", {{8, 8}}, "torch-eager", 8));
  BenchChoice choice;
  choice.tables = {BenchTableKind::kAttention};
  const Document page = shown(run_page(run, choice));
  std::vector<std::string> blocks;
  for (const Section& table : tables_of(page)) {
    simdjson::dom::parser parser;
    const simdjson::dom::element grid = parser.parse(table.data.at(0).items.at(0));
    blocks.push_back(fmt::format("{} {} / {} {}", std::string_view(grid["variant"]),
                                 std::string_view(grid["contender"]),
                                 std::string_view(grid["baseline"]), measure_at(table, 0, 0).text));
  }
  EXPECT_THAT(
      blocks,
      ElementsAre("hd64_nh32 triton / torch-eager 200.00%", "hd64_nh32 flash2 / triton 400.00%",
                  "hd64_nh32 flash2 / torch-eager 800.00%",
                  "hd128_nh16 triton / torch-eager 200.00%", "hd128_nh16 flash2 / triton 400.00%",
                  "hd128_nh16 flash2 / torch-eager 800.00%"));
  choice.contenders = {"flash2"};
  EXPECT_EQ(tables_of(shown(run_page(run, choice))).size(), 2u);
}

TEST(RoofFigure, only_what_no_memory_roof_explains_is_from_the_cache) {
  bench::BenchRun run;
  run.header.roofs = {.copy_gbps = 4000, .read_gbps = 4400, .write_gbps = 3900, .gemm_tflops = 800};
  run.cells = {bench::sketched_cell("softmax", {{8, 8}}, "x", 2),
               bench::sketched_cell("matmul_add", {{8, 8, 8}}, "x", 2)};
  for (bench::CellRecord& record : run.cells) {
    record.bytes.min = 1e6;
    record.flops = 1e6;
  }
  const std::vector<Section> figures = roof_figures(run);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_THAT(figures[0].lead, HasSubstr("Marks above 4620 GB/s"));
  EXPECT_THAT(figures[1].lead, Not(HasSubstr("cache")));
  run.header.roofs = {};
  EXPECT_THAT(roof_figures(run).at(0).lead, Not(HasSubstr("cache")));
}

TEST(DevicesPage, shapes_and_tables_are_as_asked_for) {
  BenchRun other = small_run();
  other.header.device = "A100";
  BenchChoice choice;
  choice.shapes = {{{16, 8}}};
  choice.tables = {BenchTableKind::kOverview};
  Document page = shown(devices_page(small_run(), other, choice));
  EXPECT_THAT(keys(page), ElementsAre("overview"));
  choice.tables = {BenchTableKind::kDevice};
  page = shown(devices_page(small_run(), other, choice));
  ASSERT_EQ(tables_of(page).size(), 6u);  // two cases by three providers
  ASSERT_EQ(tables_of(page)[0].table.rows.size(), 1u);
  EXPECT_EQ(row_texts(tables_of(page)[0].table.rows[0]).front(), "16");
  choice.shapes = {{{3, 3}}};
  EXPECT_EQ(devices_page(small_run(), other, choice).error().what,
            "no cell of this run matches all filters");
}

TEST(DevicesPage, two_runs_are_set_against_each_other_by_provider) {
  BenchRun other = small_run();
  other.header.device = "A100";
  other.header.method.flush = "hot";
  for (auto& record : other.cells) record.times[bench::TimeMode::kDevice] = bench::sketched_time(8);
  BenchChoice choice;
  choice.cases = {"softmax"};
  choice.contenders = {"cuda-fused"};
  const Document page = shown(devices_page(small_run(), other, choice));
  ASSERT_THAT(keys(page), ElementsAre("device"));
  EXPECT_EQ(corner_text(tables_of(page)[0]), "Relative H200-A100");
  EXPECT_EQ(measure_at(tables_of(page)[0], 0, 0).text, "400.00%");
  EXPECT_THAT(page.sections.back().notes, ElementsAre(HasSubstr("timed by different methods")));
  choice.contenders = {"nobody"};
  EXPECT_FALSE(devices_page(small_run(), other, choice));
}

bench::RatioGrids imported() {
  bench::RatioGrids grids;
  for (const auto metric : {GridMetric::kRelativeOverhead, GridMetric::kRelativePerformance}) {
    RatioGrid grid = {.version = metric == GridMetric::kRelativeOverhead ? "v1" : "v3",
                      .device = "A100",
                      .case_id = "softmax",
                      .baseline = "eager",
                      .contender = "inductor",
                      .metric = metric,
                      .cells = {{.dim0 = 8, .dim1 = 8, .value = 1.25}}};
    grids.grids.push_back(grid);
  }
  return grids;
}

TEST(GridsPage, without_a_choice_everything_is_shown_behind_an_overview) {
  EXPECT_THAT(keys(shown(grids_page(imported(), {}))),
              ElementsAre("overview", "overhead", "relative"));
}

TEST(GridsPage, a_single_table_needs_no_overview) {
  BenchChoice choice;
  choice.versions = {"v3"};
  EXPECT_THAT(keys(shown(grids_page(imported(), choice))), ElementsAre("relative"));
}

TEST(GridsPage, a_ratio_that_is_there_the_other_way_round_is_turned_over) {
  BenchChoice choice;
  choice.versions = {"v1"};
  choice.tables = {BenchTableKind::kRelative};
  const Document page = shown(grids_page(imported(), choice));
  EXPECT_EQ(measure_at(tables_of(page).at(0), 0, 0).text, "80.00%");
  EXPECT_THAT(tables_of(page)[0].notes.back(), HasSubstr("inverted"));
}

TEST(GridsPage, a_table_read_back_from_its_csv_marks_the_same_cells) {
  BenchRun run = small_run();
  run.cells[0].flags.push_back(bench::CellFlag::kNoisy);
  BenchChoice choice;
  choice.cases = {"softmax"};
  choice.contenders = {"cuda-fused"};
  choice.tables = {BenchTableKind::kRelative};
  const Document written = shown(run_page(run, choice));
  const auto grids = bench::parse_ratio_grids(render_csv(written), "ratios.csv");
  ASSERT_TRUE(grids) << grids.error().what;
  EXPECT_THAT(grids->remarks, ElementsAre());
  const Document read = shown(grids_page(*grids, choice));
  for (const Document* const page : {&written, &read}) {
    EXPECT_EQ(measure_at(tables_of(*page).at(0), 0, 0).text, "200.00%?");
    EXPECT_EQ(measure_at(tables_of(*page).at(0), 1, 0).text, "200.00%");
  }
}

TEST(GridsPage, what_needs_times_says_so) {
  BenchChoice choice;
  choice.tables = {BenchTableKind::kRoofline};
  const auto page = grids_page(imported(), choice);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().what, "this file has no data for --table roofline");
  EXPECT_THAT(page.error().hint, HasSubstr("needs times"));
}

TEST(GridsPage, a_choice_that_no_table_meets_is_an_error) {
  BenchChoice choice;
  choice.versions = {"v1"};
  choice.baseline = "flash2";
  EXPECT_EQ(grids_page(imported(), choice).error().code, ErrorCode::kTooLittleData);
}

bench::TunedShapes tuned() {
  bench::TunedShapes tuned;
  for (const auto& [rows, y, warps] :
       {std::array{32, 16, 2}, std::array{64, 64, 2}, std::array{128, 64, 4}}) {
    tuned.shapes.push_back({.device = "A100",
                            .case_id = "layout",
                            .shape = {{rows, 128}},
                            .block_x = 32,
                            .block_y = y,
                            .warps = warps,
                            .stages = 1,
                            .shared_bytes = 2112});
  }
  tuned.remarks = {"line 9: odd"};
  return tuned;
}

TEST(TuningPage, rows_are_shapes_and_the_most_frequent_choice_comes_first) {
  const auto page = tuning_page(tuned(), {});
  ASSERT_TRUE(page);
  const Section& table = page->sections.at(0);
  ASSERT_EQ(table.table.rows.size(), 3u);
  EXPECT_EQ(measure_at(table, 0, 1).text, "32x128");
  EXPECT_EQ(measure_at(table, 0, 2).text, "32x16");
  EXPECT_EQ(measure_at(table, 0, 5).text, "2.06 KiB");
  EXPECT_THAT(table.notes,
              ElementsAre("blocks: 32x64 (2 of 3 shapes), 32x16 (1)",
                          "warps: 2 (2 of 3 shapes), 4 (1)", "stages: 1 (3 of 3 shapes)"));
  EXPECT_THAT(page->sections.back().notes, ElementsAre("line 9: odd"));
}

TEST(TuningPage, rows_are_chosen_by_device_case_and_shape) {
  BenchChoice choice;
  choice.shapes = {{{64, 128}}};
  ASSERT_TRUE(tuning_page(tuned(), choice));
  EXPECT_EQ(tuning_page(tuned(), choice)->sections[0].table.rows.size(), 1u);
  choice.devices = {"H200"};
  EXPECT_EQ(tuning_page(tuned(), choice).error().code, ErrorCode::kTooLittleData);
}

}  // namespace

}  // namespace strobe::report
