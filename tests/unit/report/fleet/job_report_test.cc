#include "strobe/report/fleet/job_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "strobe/report/render/render.h"
#include "tests/support/even_job.h"

namespace strobe::report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A job of four ranks, with the facts that a digest brings.
fleet::Job job_of_four() {
  fleet::Job job = fleet::even_job(4, 6);
  fleet::meet(job);
  for (fleet::RankOfJob& rank : job.ranks) {
    rank.recorded_steps = job.steps.size();
    rank.first_step = job.steps.front();
    rank.last_step = job.steps.back();
  }
  return job;
}

bool has_section(const Document& document, std::string_view key) {
  return std::ranges::count(document.sections, key, &Section::key) == 1;
}

TEST(JobReportTest, shares_of_the_time_of_all_ranks_are_told) {
  const Document document = job_document(job_of_four(), {}, {.path = "runs/a/", .unreadable = {}});
  EXPECT_THAT(document.verdict, Contains(HasSubstr("% of their steps is own work")));
  EXPECT_EQ(document.headline, "No straggler");
  EXPECT_TRUE(has_section(document, "ranks"));
  EXPECT_FALSE(has_section(document, "stragglers"));
}

TEST(JobReportTest, people_see_a_grid_and_tools_every_step) {
  const Document page = job_document(job_of_four(), {}, {.path = "a", .unreadable = {}});
  EXPECT_TRUE(has_section(page, "caused_waiting"));
  EXPECT_FALSE(has_section(page, "rank_steps"));
  const Document tools =
      job_document(job_of_four(), {}, {.path = "a", .unreadable = {}, .for_tools = true});
  EXPECT_FALSE(has_section(tools, "caused_waiting"));
  EXPECT_THAT(render_csv(tools), HasSubstr("# rank_steps\nrank,step,start_ns,step_ns,"));
}

TEST(JobReportTest, a_rank_that_meets_nobody_may_be_of_another_job) {
  fleet::Job job = job_of_four();
  for (fleet::RankOfJob& rank : job.ranks) rank.exchanges = 9;
  const JobPage page = {.path = "a", .unreadable = {}};
  EXPECT_THAT(job_document(job, {}, page).verdict, Not(Contains(HasSubstr("Nothing ties"))));
  job.ranks[3].exchanges = 0;
  EXPECT_THAT(job_document(job, {}, page).verdict,
              Contains("Nothing ties rank 3 to the others: no exchange is shared with them. If its "
                       "trace is of another job, leave it out."));
}

TEST(JobReportTest, ranks_without_a_trace_are_named) {
  fleet::Job job = job_of_four();
  const JobPage page = {.path = "a", .unreadable = {}};
  EXPECT_THAT(job_document(job, {}, page).verdict, Not(Contains(HasSubstr("no trace"))));
  job.ranks[3].rank = 4;
  EXPECT_THAT(
      job_document(job, {}, page).verdict,
      Contains("There is no trace of rank 3: whether the others wait for it is not known."));
  job.ranks[3].rank = 63;
  EXPECT_THAT(
      job_document(job, {}, page).verdict,
      Contains("There is no trace of ranks 3, 4, 5, 6, 7, 8 and 54 more: whether the others "
               "wait for them is not known."));
}

TEST(JobReportTest, a_pipeline_is_replayed_or_why_not_is_said) {
  fleet::Replay replay;
  replay.sizes = {.data_parallel = 2, .stages = 1, .chunks = 1};
  replay.steps = {{.step = 1, .recorded_s = 1, .without_delays_s = 1, .ideal_s = 1}};
  replay.recorded_s = replay.without_delays_s = replay.ideal_s = 1;
  JobPage page = {.path = "a", .unreadable = {}, .replay = replay};
  const Document replayed = job_document(job_of_four(), {}, page);
  EXPECT_TRUE(has_section(replayed, "pipeline"));
  EXPECT_THAT(replayed.verdict, Contains(HasSubstr("Stragglers cost next to nothing")));
  page.replay =
      Error{.code = ErrorCode::kUnsupported, .what = "two circles", .where = "", .hint = ""};
  const Document refused = job_document(job_of_four(), {}, page);
  ASSERT_TRUE(has_section(refused, "pipeline"));
  EXPECT_THAT(render_markdown(refused), HasSubstr("cannot be replayed: two circles"));
}

TEST(JobReportTest, a_rank_with_other_steps_is_named) {
  fleet::Job job = job_of_four();
  job.ranks[2].recorded_steps = 9;
  job.ranks[2].last_step = "8";
  for (fleet::RankOfJob& rank : job.ranks) {
    if (rank.rank != 2) rank.recorded_steps = 8;
  }
  EXPECT_THAT(
      job_document(job, {}, {.path = "a", .unreadable = {}}).verdict,
      Contains("Only 6 steps are in the traces of all ranks: most traces have 8 steps, that "
               "of rank 2 has 9, 0 to 8."));
}

TEST(JobReportTest, files_that_cannot_be_read_are_listed) {
  const JobPage page = {.path = "a",
                        .unreadable = {{.code = ErrorCode::kTooLittleData,
                                        .what = "it is empty",
                                        .where = "x.json",
                                        .hint = ""}}};
  const std::string text = render_text(job_document(job_of_four(), {}, page), {});
  EXPECT_THAT(text, HasSubstr("Files that could not be read"));
  EXPECT_THAT(text, HasSubstr("it is empty"));
}

TEST(JobReportTest, rows_beyond_the_top_are_those_that_cause_least) {
  fleet::Job job = job_of_four();
  job.ranks[3].steps[0].caused_wait_ns += fleet::kMs;
  const Document document = job_document(job, {}, {.path = "a", .top = 1, .unreadable = {}});
  const auto ranks = std::ranges::find(document.sections, "ranks", &Section::key);
  ASSERT_EQ(ranks->table.rows.size(), 1u);
  EXPECT_EQ(std::get<Count>(ranks->table.rows[0].cells[0]).count, 3u);
  EXPECT_EQ(ranks->table.left_out, "3 more");
}

}  // namespace
}  // namespace strobe::report
