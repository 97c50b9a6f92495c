#include "strobe/report/fleet/stragglers_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/render/render.h"
#include "tests/support/even_job.h"

namespace strobe::report {
namespace {

using fleet::even_job;
using fleet::Job;
using fleet::kMs;
using fleet::RankStep;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> sentences_of(Job& job) {
  meet(job);
  return straggler_sentences(job, find_stragglers(job));
}

TEST(StragglersSectionTest, a_rank_that_sleeps_is_told_with_its_numbers) {
  Job job = even_job(8, 12);
  in_all_steps(job, 5, [](RankStep& step) {
    step.host_ns += 30 * kMs;
    step.longest_host_gap_ns += 30 * kMs;
  });
  EXPECT_THAT(sentences_of(job),
              ElementsAre(AllOf(HasSubstr(
                  "Rank 5 holds the others up: 30.0 ms later than the 100 ms of a typical "
                  "peer in 12 of 12 steps and last in 120 of 120 collectives (p < 1e-6, "
                  "corrected over 8). Reason: host, between operators: one long stretch "
                  "(30.0 ms more, 30.0 ms of it at once). The others lose 18.7 % of the "
                  "job's time"))));
}

TEST(StragglersSectionTest, it_says_since_when) {
  Job job = even_job(8, 20);
  for (std::size_t step = 8; step < 20; ++step) job.ranks[2].steps[step].compute_ns += 20 * kMs;
  EXPECT_THAT(sentences_of(job),
              ElementsAre(AllOf(HasSubstr("Rank 2 holds the others up since step 8:"),
                                HasSubstr("longer kernels (20.0 ms more compute time"))));
}

TEST(StragglersSectionTest, a_bad_step_and_the_network_are_told) {
  Job job = even_job(8, 12);
  for (fleet::RankOfJob& rank : job.ranks) rank.steps[5].host_ns += 400 * kMs;
  EXPECT_THAT(sentences_of(job),
              ElementsAre(HasSubstr("All ranks stand still in step 5 for 400 ms")));
  Job slow = even_job(8, 12);
  for (fleet::RankOfJob& rank : slow.ranks) {
    for (std::size_t step = 4; step < 8; ++step) rank.steps[step].transfer_ns += 40 * kMs;
    for (std::size_t step = 0; step < 12; ++step) {
      rank.steps[step].transfer_ns += static_cast<std::int64_t>(step % 3) * kMs / 10;
    }
  }
  EXPECT_THAT(sentences_of(slow),
              ElementsAre(HasSubstr("The network is slow from step 4 to 7 while no rank is late")));
}

TEST(StragglersSectionTest, none_is_told_as_well_as_too_few_steps) {
  Job job = even_job(8, 12);
  EXPECT_THAT(sentences_of(job),
              ElementsAre(HasSubstr("No straggler: in 12 steps, none of the 8 ranks costs")));
  Job short_job = even_job(8, 1);
  EXPECT_THAT(sentences_of(short_job),
              ElementsAre("1 step does not show whether a rank is always late, or was late once: "
                          "record at least 3."));
}

TEST(StragglersSectionTest, the_table_has_a_row_for_each) {
  Job job = even_job(8, 12);
  in_all_steps(job, 5, [](RankStep& step) { step.copy_ns += 30 * kMs; });
  meet(job);
  Document document;
  document.sections.push_back(stragglers_section(job, find_stragglers(job)));
  EXPECT_THAT(render_csv(document),
              AllOf(HasSubstr("kind,who,reason,ranks,first_step,last_step,later_ns"),
                    HasSubstr("one rank,rank 5,slower copies,5,0,11,")));
  meet(job = even_job(8, 12));
  EXPECT_TRUE(stragglers_section(job, find_stragglers(job)).table.rows.empty());
}

}  // namespace
}  // namespace strobe::report
