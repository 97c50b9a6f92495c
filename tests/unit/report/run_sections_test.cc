#include <gmock/gmock.h>

#include "tests/unit/report/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

class RunSectionsTest : public SummarySketch {};

TEST_F(RunSectionsTest, several_ranks_get_a_row_each) {
  const Document report =
      summary_document({rank("rank0"), rank("rank1")}, summary_, {}, only(View::kDistributed));
  ASSERT_THAT(keys(report), ElementsAre("ranks"));
  EXPECT_EQ(report.sections[0].table.rows.size(), 2u);
  EXPECT_EQ(table_texts(report.sections[0].table)[1][0], "rank1");
  EXPECT_EQ(report.facts[0].key, "ranks");
}

TEST_F(RunSectionsTest, communication_is_split_into_hidden_and_exposed) {
  summary_.has_communication = true;
  summary_.communication.communication_ns = 10'000'000;
  summary_.communication.overlap_ns = 4'000'000;
  const auto texts = table_texts(document(only(View::kDistributed)).sections.front().table);
  EXPECT_THAT(texts[1], ElementsAre("communication, hidden", "4.00 ms", "10.0 %", "10.0 %"));
  EXPECT_THAT(texts[2], ElementsAre("communication, exposed", "6.00 ms", "15.0 %", "15.0 %"));
}

TEST_F(RunSectionsTest, memory_shows_the_peaks_it_knows_and_what_each_name_kept) {
  summary_.memory = {{"Place(gpu:0)", 0, 4096, {{"add", 3, 1, 3072, 1024}}, {}},
                     {"Place(cpu)", 0, 0, {{"load", 1, 0, 512, 0}}, {}}};
  const Document report = document(only(View::kMemory));
  ASSERT_THAT(keys(report), ElementsAre("memory_peaks", "memory"));
  EXPECT_THAT(table_texts(report.sections[0].table),
              ElementsAre(ElementsAre("Place(gpu:0)", "-", "4.00 KiB")));
  EXPECT_THAT(table_texts(report.sections[1].table),
              ElementsAre(ElementsAre("add", "Place(gpu:0)", "allocated", "3", "1", "3.00 KiB",
                                      "1.00 KiB", "2.00 KiB"),
                          ElementsAre("load", "Place(cpu)", "allocated", "1", "0", "512 B", "0 B",
                                      "512 B")));
}

}  // namespace
}  // namespace strobe::report
