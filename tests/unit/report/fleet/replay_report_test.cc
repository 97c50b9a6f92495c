#include "strobe/report/fleet/replay_report.h"

#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>

namespace strobe::report {
namespace {

using fleet::Replay;
using fleet::Worker;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Three data-parallel ranks of two stages; stragglers cost 1 s of 3 s.
Replay replayed_job() {
  Replay replay;
  replay.name = "job";
  replay.sizes = {.data_parallel = 3, .stages = 2, .chunks = 1};
  replay.operations = 60;
  replay.steps = {{7, 3.5, 3.25, 2}, {9, 2.5, 2.75, 2}};
  replay.recorded_s = 3;
  replay.without_delays_s = 3;
  replay.ideal_s = 2;
  replay.kinds = {{"forward-compute", 1.25, {1.3, 1.2}}, {"gc", 1, {1, 1}}};
  replay.stages = {{"1", 1.3, {1.4, 1.2}}, {"0", 0.9, {0.9, 0.9}}};
  replay.data_ranks = {{"2", 1.5, {1.5, 1.5}}, {"0", 1.1, {1, 1.2}}, {"1", 1, {1, 1}}};
  for (const double score : {1.3, 1.1, 1.0}) {
    const auto data_rank = score == 1.3 ? 2 : score == 1.1 ? 0 : 1;
    for (const int stage : {1, 0}) {
      replay.workers.push_back({data_rank, stage, 3 * stage + data_rank, stage == 1 ? score : 0.9});
    }
  }
  replay.worst_workers = {{replay.workers.front()}, 2.9, 2.2, 0.1, 0.2};
  replay.last_stage = {
      {replay.workers[0], replay.workers[2], replay.workers[4]}, 2.8, 2.3, 0.2, 0.3};
  return replay;
}

Table grid_of(const Document& document) {
  for (const Section& section : document.sections) {
    if (section.table.is_grid) return section.table;
  }
  return {};
}

std::string verdict_text(const Replay& replay) {
  std::string text;
  for (const std::string& sentence : replay_document(replay, {}).verdict) text += sentence + "\n";
  return text;
}

TEST(ReplayReportTest, the_verdict_says_what_would_be_saved) {
  EXPECT_THAT(verdict_text(replayed_job()),
              HasSubstr("Slowdown 1.50: 33.3 % of the mean step would be saved without stragglers, "
                        "1.00 s of 3.00 s"));
}

TEST(ReplayReportTest, a_last_stage_that_explains_it_has_too_much_work) {
  Replay replay = replayed_job();
  replay.last_stage.saved_share = 1.22;
  EXPECT_THAT(verdict_text(replay),
              HasSubstr("122.0 % of that is the last stage, 1: it has too much "
                        "work (over 100 %: the other stages are faster than the "
                        "mean). Move a layer to another stage."));
  replay.last_stage.saved_share = 0.6;
  EXPECT_THAT(verdict_text(replay),
              HasSubstr("60.0 % of that is the last stage, 1: it has too much "
                        "work. Move a layer"));
}

TEST(ReplayReportTest, few_workers_that_explain_it_have_bad_machines) {
  Replay replay = replayed_job();
  replay.worst_workers.saved_share = 0.9;
  replay.last_stage.saved_share = 0.95;  // the worker is in it
  EXPECT_THAT(verdict_text(replay),
              HasSubstr("90.0 % of that is rank 5. Look at its machine first."));
  EXPECT_THAT(verdict_text(replay), Not(HasSubstr("last stage")));
  replay.last_stage.saved_share = 1.3;
  EXPECT_THAT(verdict_text(replay), HasSubstr("last stage"));
}

TEST(ReplayReportTest, a_job_of_one_stage_has_no_last_one) {
  Replay replay = replayed_job();
  replay.sizes.stages = 1;
  replay.last_stage.saved_share = 1;
  EXPECT_THAT(verdict_text(replay), Not(HasSubstr("last stage")));
}

TEST(ReplayReportTest, otherwise_the_worst_kind_is_named) {
  EXPECT_THAT(verdict_text(replayed_job()),
              HasSubstr("forward-compute alone costs 50.0 % of it: passes of "
                        "one kind take different times."));
  Replay replay = replayed_job();
  replay.kinds.front().name = "forward-pp-comm";
  EXPECT_THAT(verdict_text(replay),
              HasSubstr("forward-pp-comm alone costs 50.0 % of it: look at what "
                        "all ranks share, such as the network."));
}

TEST(ReplayReportTest, no_stragglers_and_no_delays_are_said) {
  Replay replay = replayed_job();
  replay.without_delays_s = 2.02;
  EXPECT_THAT(verdict_text(replay), HasSubstr("Stragglers cost next to nothing"));
  EXPECT_THAT(verdict_text(replay),
              HasSubstr("Delays between operations take 980 ms of the 3.00 s of "
                        "a step as recorded (32.7 %)."));
  EXPECT_THAT(verdict_text(replayed_job()), Not(HasSubstr("Delays between")));
}

TEST(ReplayReportTest, the_grid_has_a_row_per_data_parallel_rank) {
  const Table grid = grid_of(replay_document(replayed_job(), {}));
  ASSERT_TRUE(grid.is_grid);
  ASSERT_THAT(grid.rows, SizeIs(3));
  ASSERT_THAT(grid.columns, SizeIs(3));
  EXPECT_EQ(cell_text(grid.rows[2].cells[0]), "2");
  EXPECT_EQ(cell_text(grid.rows[2].cells[1]), "0.90");
  EXPECT_EQ(cell_text(grid.rows[2].cells[2]), "1.30");
}

TEST(ReplayReportTest, a_short_grid_has_the_worst_ranks) {
  const Table grid = grid_of(replay_document(replayed_job(), {.path = "", .top = 2}));
  ASSERT_THAT(grid.rows, SizeIs(2));
  EXPECT_EQ(cell_text(grid.rows[0].cells[0]), "2");
  EXPECT_EQ(cell_text(grid.rows[1].cells[0]), "0");
  EXPECT_EQ(grid.rows_left_out, 1u);
}

TEST(ReplayReportTest, a_wide_grid_is_on_a_web_page_only) {
  Replay replay = replayed_job();
  replay.sizes.stages = 13;
  replay.workers.clear();
  for (int stage = 0; stage < 13; ++stage) replay.workers.push_back({0, stage, stage, 1});
  EXPECT_FALSE(grid_of(replay_document(replay, {})).is_grid);
  EXPECT_THAT(replay_html(replay, {}), HasSubstr("Scores of the workers"));
  EXPECT_THAT(replay_html(replayed_job(), {}), HasSubstr("warm"));  // slow workers have a colour
}

TEST(ReplayReportTest, json_has_every_step) {
  simdjson::dom::parser parser;
  const std::string text = replay_json(replayed_job(), {.path = "ops.csv"});
  const simdjson::dom::element json = parser.parse(text);
  EXPECT_EQ(std::string_view(json["schema"]), "strobe.replay");
  EXPECT_EQ(double(json["straggler_slowdown"]), 1.5);
  EXPECT_EQ(std::int64_t(json["steps"].at(1)["step"]), 9);
  EXPECT_EQ(double(json["steps"].at(0)["recorded_s"]), 3.5);
  EXPECT_EQ(std::int64_t(json["stages"].at(0)["stage"]), 1);
  EXPECT_EQ(double(json["stages"].at(0)["by_step"].at(1)), 1.2);
  EXPECT_EQ(std::int64_t(json["worst_workers"]["workers"].at(0)["rank"]), 5);
  EXPECT_TRUE(json["sizes"]["devices"].is_null());
}

TEST(ReplayReportTest, csv_has_all_rows_and_the_steps) {
  const std::string csv = replay_csv(replayed_job(), {.path = "", .top = 1});
  EXPECT_THAT(csv, HasSubstr("\n2,1.5,"));
  EXPECT_THAT(csv, HasSubstr("\n1,1,0,"));
  EXPECT_THAT(csv, HasSubstr("step,recorded_ns,without_delays_ns,ideal_ns\n7,3500000000,"));
}

}  // namespace
}  // namespace strobe::report
