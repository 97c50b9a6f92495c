#include "strobe/report/bench/run_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "tests/support/bench_sketch.h"
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::sketched_cell;
using bench::sketched_gap;
using bench::TimeMode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// 2 MB in 1 us are 2000 GB/s.
CellRecord sized(std::string provider, double us) {
  CellRecord record = sketched_cell("pointwise_chain", {{512, 512}}, std::move(provider), us);
  record.bytes.min = 2e6;
  record.bytes.unfused = 11e6;
  record.flops = 1e6;
  return record;
}

BenchRun roofed_run() {
  BenchRun run;
  run.header.roofs.copy_gbps = 4000;
  run.header.floors.event_pair = 0.1;
  run.cells = {sized("unfused", 2.5), sized("fused", 0.5),
               sketched_gap("pointwise_chain", {{65536, 65536}}, "fused", CellStatus::kOomPredicted,
                            "needs 34 GB")};
  return run;
}

TEST(TimesTable, a_column_for_each_way_of_timing_that_was_used) {
  BenchRun run = roofed_run();
  run.cells[1].times[TimeMode::kCall] = bench::sketched_time(7);
  run.cells[1].flags = {CellFlag::kHostBound};
  const Section table = times_table(run, {});
  ASSERT_EQ(table.table.columns.size(), 7u);
  EXPECT_EQ(column_at(table, 3).key, "device_us");
  EXPECT_EQ(column_at(table, 4).key, "call_us");
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("pointwise_chain", "512x512", "f32", "fused", "500 ns +-0.2 %",
                          "7.00 us +-0.2 %", "host-bound"));
  EXPECT_EQ(measure_at(table, 1, 5).word, "host_bound");
  EXPECT_THAT(row_texts(table.table.rows[2]),
              ElementsAre("pointwise_chain", "65536x65536", "f32", "fused", "OOM*", "OOM*", ""));
  EXPECT_EQ(measure_at(table, 2, 3).title, "needs 34 GB");
}

TEST(TimesTable, net_times_are_less_the_floor_and_the_heading_says_so) {
  const Section table = times_table(roofed_run(), {.baseline = "", .missing = "", .is_net = true});
  EXPECT_DOUBLE_EQ(*measure_at(table, 1, 3).value, 0.4);
  EXPECT_EQ(table.title, "Times, device net of an event pair of 100 ns");
  EXPECT_EQ(times_table(roofed_run(), {}).title, "Times");
}

TEST(TimesTable, without_a_floor_nothing_is_taken_off_and_nothing_pretends_so) {
  BenchRun run = roofed_run();
  run.header.floors = {};
  const Section table = times_table(run, {.baseline = "", .missing = "", .is_net = true});
  EXPECT_DOUBLE_EQ(*measure_at(table, 1, 3).value, 0.5);
  EXPECT_EQ(table.title, "Times");
  EXPECT_THAT(table.notes,
              ElementsAre("this run has no floor for event pairs: nothing is subtracted"));
}

TEST(TimesTable, long_calls_have_a_burst_and_what_stays) {
  BenchRun run = roofed_run();
  run.cells[0].burst_us = 2000;
  run.cells[0].sustained_us = 2100;
  const Section table = times_table(run, {});
  ASSERT_EQ(table.table.columns.size(), 8u);
  EXPECT_EQ(column_at(table, 5).key, "sustained_us");
  EXPECT_EQ(measure_at(table, 0, 4).text, "2.00 ms");
  EXPECT_EQ(measure_at(table, 0, 5).text, "2.10 ms");
  EXPECT_EQ(measure_at(table, 1, 5).text, "-");
}

TEST(TimesTable, the_time_of_wrong_values_is_struck_out) {
  BenchRun run = roofed_run();
  run.cells[1].status = CellStatus::kWrong;
  const Section table = times_table(run, {});
  EXPECT_EQ(measure_at(table, 1, 3).mark, Mark::kWrong);
  EXPECT_EQ(measure_at(table, 1, 4).text, "wrong");
}

TEST(TrafficTable, what_was_counted_stands_beside_what_is_needed) {
  BenchRun run = roofed_run();
  run.cells[1].counters =
      bench::sketched_counters(1, {{&bench::CellCounters::l1_load_bytes, 1 << 20},
                                   {&bench::CellCounters::l1_load_hit_bytes, 1 << 18},
                                   {&bench::CellCounters::l1_store_bytes, 1 << 20},
                                   {&bench::CellCounters::l1_reduction_bytes, 0},
                                   {&bench::CellCounters::dram_read_bytes, 1.5e6},
                                   {&bench::CellCounters::dram_write_bytes, 1e6},
                                   {&bench::CellCounters::instructions, 131072},
                                   {&bench::CellCounters::flops, 0.75e6}});
  const Section table = traffic_table(run, {});
  std::vector<std::string> keys;
  for (const Column& column : table.table.columns) keys.push_back(column.key);
  // Nothing was reduced in memory, and the L2 was not counted.
  EXPECT_THAT(keys, ElementsAre("case", "shape", "dtype", "provider", "min_bytes", "unfused_bytes",
                                "l1_load_bytes", "l1_load_hit_pct", "l1_store_bytes",
                                "dram_read_bytes", "dram_write_bytes", "dram_of_least_pct",
                                "instructions_per_element", "counted_of_formula_pct"));
  EXPECT_THAT(
      row_texts(table.table.rows[1]),
      ElementsAre("pointwise_chain", "512x512", "f32", "fused", "1.91 MiB", "10.5 MiB", "1.00 MiB",
                  "25.0 %", "1.00 MiB", "1.43 MiB", "977 KiB", "125.0 %", "0.5", "75.0 %"));
  EXPECT_EQ(measure_at(table, 0, 5).text, "-");
  EXPECT_EQ(table.notes.at(0), "1 of 3 cells have counters, taken in other calls than the times");
}

TEST(TrafficTable, without_counters_the_formulas_alone_are_there) {
  const Section table = traffic_table(roofed_run(), {});
  EXPECT_EQ(table.table.columns.size(), 6u);
  EXPECT_THAT(table.notes,
              ElementsAre("no counters in this run; `strobe bench run --counters` records them"));
}

TEST(RooflineTable, rates_roofs_and_ceilings_stand_beside_each_other) {
  const Section table =
      roofline_table(roofed_run(), {.baseline = "unfused", .missing = "", .is_net = false});
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("pointwise_chain", "512x512", "f32", "fused", "500 ns", "4000", "2",
                          "100.0 %", "90.9 %", "at the roof"));  // 5 of 5.5
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("pointwise_chain", "512x512", "f32", "unfused", "2.50 us", "800", "0.4",
                          "20.0 %", "-", "below the roof"));
  EXPECT_THAT(row_texts(table.table.rows[2]),
              ElementsAre("pointwise_chain", "65536x65536", "f32", "fused", "OOM*", "-", "-", "-",
                          "-", "needs 34 GB"));
}

TEST(RooflineTable, wrong_values_reach_no_ceiling) {
  BenchRun run = roofed_run();
  run.cells[1].status = CellStatus::kWrong;
  const Section table =
      roofline_table(run, {.baseline = "unfused", .missing = "", .is_net = false});
  EXPECT_EQ(measure_at(table, 1, 7).text, "-");
  EXPECT_EQ(measure_at(table, 1, 8).text, "wrong values");
}

TEST(RooflineTable, products_have_no_fusion_ceiling) {
  BenchRun run;
  for (const auto& [case_id, shape] :
       std::vector<std::pair<std::string, bench::Shape>>{{"matmul_add", {{64, 64, 1024}}},
                                                         {"conv_relu", {{32, 14, 14, 8, 8, 3, 1}}},
                                                         {"attention", {{1, 128, 32, 64}}}}) {
    for (const auto& [provider, us] : {std::pair("eager", 4.0), std::pair("fused", 2.0)}) {
      CellRecord record = sketched_cell(case_id, shape, provider, us);
      record.bytes.min = 2e6;
      record.bytes.unfused = 11e6;
      run.cells.push_back(record);
    }
  }
  const Section table = roofline_table(run, {.baseline = "eager", .missing = "", .is_net = false});
  for (const std::size_t row : {1u, 3u, 5u}) {
    EXPECT_EQ(measure_at(table, row, 7).text, "-") << row_texts(table.table.rows[row]).front();
  }
}

TEST(RoofVerdict, a_cell_is_where_its_share_of_the_roof_puts_it) {
  bench::Roofs roofs;
  roofs.copy_gbps = 4000;
  EXPECT_EQ(roof_verdict(sized("x", 0.51), roofs), "at the roof");
  EXPECT_EQ(roof_verdict(sized("x", 0.6), roofs), "near the roof");
  EXPECT_EQ(roof_verdict(sized("x", 0.7), roofs), "below the roof");
  EXPECT_EQ(roof_verdict(sized("x", 0.4), roofs), "from the cache");
  EXPECT_EQ(roof_verdict(sized("x", 0.4), {}), "no roof measured");
  CellRecord tiny = sized("x", 5);
  tiny.flags = {CellFlag::kNearFloor};
  EXPECT_EQ(roof_verdict(tiny, roofs), "≈ floor");
}

TEST(RoofVerdict, who_reads_faster_than_a_copy_is_still_in_memory) {
  bench::Roofs roofs;
  roofs.copy_gbps = 4000;
  roofs.read_gbps = 4400;
  roofs.write_gbps = 3900;
  EXPECT_EQ(roof_verdict(sized("x", 0.467), roofs), "at the roof");    // 4283 GB/s, 107 % of copy
  EXPECT_EQ(roof_verdict(sized("x", 0.42), roofs), "from the cache");  // 4762, above 105 % of 4400
  EXPECT_DOUBLE_EQ(*cache_gbps(roofs), 4620);
  EXPECT_FALSE(cache_gbps({}));
}

TEST(RoofVerdict, products_are_held_against_the_matrix_roof) {
  CellRecord product = sketched_cell("matmul_add", {{1024, 1024, 1024}}, "x", 10);
  product.bytes.min = 1;
  product.flops = 2147483648.0 + 1048576;
  bench::Roofs roofs;
  roofs.copy_gbps = 4000;
  EXPECT_FALSE(roof_share(product, roofs));
  roofs.gemm_tflops = 800;
  const auto share = roof_share(product, roofs);
  ASSERT_TRUE(share);
  EXPECT_TRUE(share->is_compute);
  EXPECT_NEAR(share->share, 214.85 / 800, 1e-4);
}

TEST(RoofFigures, sizes_are_megabytes) {
  const std::vector<Section> figures = roof_figures(roofed_run());  // all cells move 2 MB
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].svg, HasSubstr("least traffic of the cell, MB"));
  EXPECT_THAT(figures[0].svg, HasSubstr(">2</text>"));
  EXPECT_THAT(figures[0].svg, Not(HasSubstr("e+06")));
}

TEST(MemoryTable, what_is_unknown_is_a_dash_and_what_ran_out_is_counted) {
  BenchRun run = roofed_run();
  run.cells[0].bytes.resident = 3 << 20;
  run.cells[0].bytes.peak = 4 << 20;
  const Section table = memory_table(run, {});
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("pointwise_chain", "512x512", "f32", "unfused", "3.00 MiB", "4.00 MiB",
                          "1.91 MiB", ""));
  EXPECT_THAT(row_texts(table.table.rows[2]),
              ElementsAre("pointwise_chain", "65536x65536", "f32", "fused", "-", "-", "-", "OOM*"));
  EXPECT_THAT(table.notes,
              ElementsAre("1 of 3 cells out of memory; OOM* was predicted and not run"));
}

TEST(KernelsTable, launches_of_one_name_are_summed_by_provider) {
  BenchRun run = roofed_run();
  run.cells[0].kernels = {{.name = "cos_kernel", .duration_us = 1.0},
                          {.name = "mul_kernel", .duration_us = 0.5},
                          {.name = "mul_kernel", .duration_us = 0.5}};
  run.cells[1].kernels = {{.name = "strobe_chain"}};
  const Section table = kernels_table(run, {});
  ASSERT_EQ(table.table.rows.size(), 3u);
  EXPECT_THAT(
      row_texts(table.table.rows[0]),
      ElementsAre("pointwise_chain", "unfused", "cos_kernel", "1 of 1", "1", "1.00 us", "50.0 %"));
  EXPECT_THAT(
      row_texts(table.table.rows[1]),
      ElementsAre("pointwise_chain", "unfused", "mul_kernel", "1 of 1", "2", "1.00 us", "50.0 %"));
  EXPECT_THAT(row_texts(table.table.rows[2]),
              ElementsAre("pointwise_chain", "fused", "strobe_chain", "1 of 1", "1", "-", "-"));
}

TEST(FlagsTable, cells_with_a_flag_or_a_failure_are_listed_with_what_is_known) {
  BenchRun run = roofed_run();
  run.cells[0].flags = {CellFlag::kNoisy, CellFlag::kNearFloor};
  run.cells[0].notes = {"the cap came first"};
  run.cells.push_back(
      sketched_gap("pointwise_chain", {{8, 8}}, "fused", CellStatus::kTimeout, "silent for 60 s"));
  const Section table = flags_table(run, {});
  ASSERT_EQ(table.table.rows.size(), 2u);
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("pointwise_chain", "512x512", "f32", "unfused", "noisy, ≈ floor",
                          "the cap came first"));
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("pointwise_chain", "8x8", "f32", "fused", "timeout", "silent for 60 s"));
  EXPECT_THAT(table.notes,
              ElementsAre("2 of 4 cells flagged", HasSubstr("?: noisy, 1 of 4 cells"),
                          HasSubstr("≈ floor: at most 1.5 times the time of an empty kernel")));
}

TEST(FlagsTable, people_read_sentences_and_tools_the_notes_of_the_worker) {
  BenchRun run = roofed_run();
  run.cells[0].flags = {CellFlag::kNearFloor};
  run.cells[0].notes = {"enqueue_us:60.6", "recompiles:0"};
  const Section table = flags_table(run, {});
  EXPECT_EQ(measure_at(table, 0, 4).text, "queueing a call takes 60.6 us");
  EXPECT_EQ(measure_at(table, 0, 4).word, "enqueue_us:60.6; recompiles:0");
}

TEST(FlagsTable, two_precisions_come_with_the_kernels_of_both_sides) {
  BenchRun run;
  run.cells = {sketched_cell("matmul_add", {{64, 64, 1024}}, "torch-eager", 2),
               sketched_cell("matmul_add", {{64, 64, 1024}}, "torch-inductor", 3)};
  run.cells[0].kernels = {{.name = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn"},
                          {.name = "add_kernel"}};
  run.cells[1].kernels = {{.name = "ampere_sgemm_32x128_tf32_nn"},
                          {.name = "triton_poi_fused_add"},
                          {.name = "triton_poi_fused_add"}};
  bench::judge_pair(run.cells[0], run.cells[1]);
  const Section table =
      flags_table(run, {.baseline = "torch-eager", .missing = "", .is_net = false});
  ASSERT_EQ(table.table.rows.size(), 1u);
  EXPECT_EQ(measure_at(table, 0, 3).text, "math-mode differs");
  EXPECT_EQ(measure_at(table, 0, 3).word, "math_differs");
  EXPECT_EQ(measure_at(table, 0, 4).text,
            "math-mode differs from torch-eager: tf32 against f16; torch-inductor ran "
            "ampere_sgemm_32x128_tf32_nn, triton_poi_fused_add x2; torch-eager ran "
            "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn, add_kernel");
}

BenchRun checked_run() {
  BenchRun run;
  run.cells = {sketched_cell("softmax", {{128, 128}}, "right", 2),
               sketched_cell("softmax", {{128, 128}}, "off", 2),
               bench::sketched_gap("softmax", {{8, 8}}, "right", CellStatus::kOom, "no 8 GB")};
  run.cells[0].accuracy = {.max_abs = 1.5e-7,
                           .max_rel = 2.5e-6,
                           .norm_rel = 1e-7,
                           .norm = 1,
                           .checked = 16384,
                           .mismatches = 0,
                           .worst_index = 5,
                           .atol = 1e-6,
                           .rtol = 1e-5};
  run.cells[1].accuracy = run.cells[0].accuracy;
  run.cells[1].accuracy->checked = 10'000'000;
  run.cells[1].accuracy->mismatches = 1;
  run.cells[1].status = CellStatus::kWrong;
  return run;
}

TEST(AccuracyTable, a_cell_has_its_errors_and_what_is_allowed) {
  const Section table = accuracy_table(checked_run(), {});
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("softmax", "128x128", "f32", "right", "100.00%", "0", "16384", "1.5e-07",
                          "2.5e-06", "1e-07", "5", "1e-06", "1e-05", ""));
  ASSERT_EQ(table.table.columns.size(), row_texts(table.table.rows[0]).size());
  EXPECT_EQ(column_at(table, 3).key, "equality_pct");
  EXPECT_EQ(table.notes.at(0), "2 of 3 cells checked");
}

TEST(AccuracyTable, a_single_mismatch_among_millions_stays_visible) {
  const Section table = accuracy_table(checked_run(), {});
  EXPECT_EQ(measure_at(table, 1, 3).text, "99.99%");
  EXPECT_EQ(measure_at(table, 1, 3).mark, Mark::kWrong);
  EXPECT_EQ(measure_at(table, 1, 12).text, "wrong");
}

TEST(AccuracyTable, what_was_not_checked_has_dashes_and_its_status) {
  EXPECT_THAT(row_texts(accuracy_table(checked_run(), {}).table.rows[2]),
              ElementsAre("softmax", "8x8", "f32", "right", "-", "-", "-", "-", "-", "-", "-", "-",
                          "-", "oom"));
}

CellRecord timed(const char* provider, double us) {
  CellRecord record;
  record.cell = {"softmax", bench::Shape{{128, 128}}, bench::DType::kF32, provider};
  record.status = CellStatus::kOk;
  record.bytes.min = 131072;
  record.times[TimeMode::kDevice].p50 = us;
  record.times[TimeMode::kDevice].ci95 = {us * 0.99, us * 1.01};
  return record;
}

TEST(ShortTable, a_cell_has_its_time_rate_and_ratio) {
  BenchRun run;
  run.header.roofs.copy_gbps = 100;
  run.cells = {timed("slow", 10), timed("fast", 4)};
  const Section table = short_table(run);
  ASSERT_EQ(table.table.rows.size(), 2u);
  // 131072 B / 10 us = 13.1 GB/s; / 4 us = 32.8.
  EXPECT_THAT(
      row_texts(table.table.rows[0]),
      ElementsAre("softmax", "128x128", "f32", "slow", "10.0 us +-1.0 %", "13.1", "13 %", "", ""));
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("softmax", "128x128", "f32", "fast", "4.00 us +-1.0 %", "32.8", "33 %",
                          "2.50x", ""));
}

TEST(ShortTable, a_missing_or_wrong_operand_gives_no_ratio) {
  BenchRun run;
  CellRecord oom = timed("slow", 10);
  oom.times.clear();
  oom.status = CellStatus::kOomPredicted;
  oom.reason = "needs too much";
  CellRecord wrong = timed("wrong", 4);
  wrong.status = CellStatus::kWrong;
  run.cells = {oom, timed("fast", 4), wrong};
  const Section table = short_table(run);
  EXPECT_EQ(measure_at(table, 0, 3).text, "OOM*");
  EXPECT_EQ(measure_at(table, 1, 6).text, "");
  EXPECT_EQ(measure_at(table, 2, 6).text, "");
  EXPECT_EQ(measure_at(table, 2, 3).mark, Mark::kWrong);
  EXPECT_THAT(table.warnings, ElementsAre("softmax 128x128 f32 slow: needs too much"));
  EXPECT_EQ(outcome_line(run), "1 measured; 1 wrong; 1 oom_predicted");
}

TEST(ShortTable, a_noisy_number_is_marked_and_so_is_every_ratio_with_it) {
  BenchRun run;
  run.cells = {timed("slow", 10), timed("fast", 4), timed("steady", 5)};
  run.cells[1].flags = {CellFlag::kNoisy};
  const Section table = short_table(run);
  EXPECT_EQ(measure_at(table, 0, 3).text, "10.0 us +-1.0 %");
  EXPECT_EQ(measure_at(table, 1, 3).text, "4.00 us +-1.0 %?");
  EXPECT_EQ(measure_at(table, 1, 3).value, 4);
  EXPECT_EQ(measure_at(table, 1, 6).text, "2.50x?");
  EXPECT_EQ(measure_at(table, 2, 6).text, "2.00x");
  EXPECT_THAT(table.notes, ElementsAre("?: noisy, 1 of 3 cells: the time limit came before the "
                                       "interval of the median was narrow"));
  EXPECT_EQ(times_table(run, {}).notes, table.notes);
}

TEST(OutcomeLine, noisy_cells_are_counted_with_the_widest_interval) {
  BenchRun run;
  run.cells = {timed("slow", 10), timed("fast", 4), timed("wrong", 4)};
  run.cells[2].status = CellStatus::kWrong;
  run.cells[2].flags = {CellFlag::kNoisy};
  EXPECT_EQ(outcome_line(run), "2 measured; 1 wrong");
  run.cells[0].flags = {CellFlag::kNoisy};
  run.cells[1].flags = {CellFlag::kNoisy};
  run.cells[1].times.begin()->second.ci95 = {1, 7};  // 4 us +- 3 us
  EXPECT_EQ(outcome_line(run), "2 measured, 2 of them noisy: up to +-75 %; 1 wrong");
}

TEST(ShortTable, flags_are_said_as_people_say_them) {
  BenchRun run;
  run.cells = {timed("tiny", 3)};
  run.cells[0].flags = {CellFlag::kNearFloor, CellFlag::kHostBound};
  EXPECT_EQ(measure_at(short_table(run), 0, 7).text, "≈ floor, host-bound");
}

TEST(ShortTable, the_same_kernels_are_marked_and_have_no_ratio) {
  BenchRun run;
  CellRecord same = timed("compiled", 4);
  same.flags = {CellFlag::kSameKernels};
  run.cells = {timed("eager", 10), same};
  const Section table = short_table(run);
  EXPECT_EQ(cell_text(table.table.rows[1].cells[7]), "=");
  EXPECT_FALSE(measure_at(table, 1, 6).value);
  EXPECT_THAT(table.notes, ElementsAre("same kernels: both providers ran the same kernels (=), so "
                                       "a difference in time is noise"));
}

}  // namespace

}  // namespace strobe::report
