#include <gmock/gmock.h>

#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

class RunSectionsTest : public SummarySketch {};

TEST_F(RunSectionsTest, several_ranks_get_a_row_each) {
  const Document report =
      summary_document({rank("rank0"), rank("rank1")}, summary_, {}, only(View::kDistributed));
  ASSERT_EQ(report.sections[0].key, "ranks");
  EXPECT_FALSE(report.sections[0].for_tools);
  EXPECT_EQ(report.sections[0].table.rows.size(), 2u);
  EXPECT_EQ(table_texts(report.sections[0].table)[1][0], "rank1");
  EXPECT_EQ(report.facts[0].key, "ranks");
}

TEST_F(RunSectionsTest, communication_is_split_into_hidden_and_exposed) {
  summary_.has_communication = true;
  summary_.communication.communication_ns = 10'000'000;
  summary_.communication.overlap_ns = 4'000'000;
  const auto texts = table_texts(document(only(View::kDistributed)).sections[1].table);
  EXPECT_THAT(texts[1], ElementsAre("communication, hidden", "4.00 ms", "10.0 %", "10.0 %"));
  EXPECT_THAT(texts[2], ElementsAre("communication, exposed", "6.00 ms", "15.0 %", "15.0 %"));
}

TEST_F(RunSectionsTest, memory_shows_the_peaks_it_knows_and_what_each_name_kept) {
  summary_.memory = {
      {"Place(gpu:0)", 0, 4096, {{"add", 3, 1, 3072, 1024}}, {{"grow", 1, 0, 8192, 0}}},
      {"Place(cpu)", 0, 0, {{"load", 1, 0, 4096, 0}}, {}}};
  const Document report = document(only(View::kMemory));
  ASSERT_THAT(keys(report), ElementsAre("memory_peaks", "memory", "import"));
  EXPECT_THAT(table_texts(report.sections[0].table),
              ElementsAre(ElementsAre("gpu:0", "-", "4.00 KiB")));
  EXPECT_THAT(
      table_texts(report.sections[1].table),
      ElementsAre(
          ElementsAre("load", "cpu", "allocated", "1", "4.00 KiB", "0", "0 B", "4.00 KiB"),
          ElementsAre("add", "gpu:0", "allocated", "3", "3.00 KiB", "1", "1.00 KiB", "2.00 KiB"),
          ElementsAre("grow", "gpu:0", "reserved", "1", "8.00 KiB", "0", "0 B", "8.00 KiB")));
}

TEST_F(RunSectionsTest, the_rank_with_most_work_of_its_own_has_the_whole_bar) {
  Summary slow = summary_;
  for (auto& step : slow.steps) step.interval.end_ns *= 2;
  RankInput rank1 = rank("rank1");
  rank1.summary = &slow;
  const Document report =
      summary_document({rank("rank0"), rank1}, summary_, {}, only(View::kDistributed));
  const auto texts = table_texts(report.sections[0].table);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 3, texts[0].begin() + 6)),
              ElementsAre("15.0 ms", "15.0 ms", "50.0 %"));
  EXPECT_THAT((std::vector<std::string>(texts[1].begin() + 3, texts[1].begin() + 6)),
              ElementsAre("30.0 ms", "30.0 ms", "100.0 %"));
}

}  // namespace
}  // namespace strobe::report
