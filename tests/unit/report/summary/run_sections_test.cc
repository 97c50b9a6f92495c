#include <gmock/gmock.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST_F(RunSectionsTest, communication_is_split_into_exposed_and_hidden_with_the_host_apart) {
  summary_.has_communication = true;
  summary_.communication = {.communication_ns = 10'000'000,
                            .computation_ns = 20'000'000,
                            .overlap_ns = 4'000'000,
                            .host_ns = 2'000'000,
                            .host_calls = 3,
                            .device_ns = 10'000'000,
                            .device_calls = 7};
  const Section section = document(only(View::kDistributed)).sections[1];
  EXPECT_THAT(
      table_texts(section.table),
      ElementsAre(
          ElementsAre("communication on the GPU", "communication", "7", "10.0 ms", "25.0 %",
                      "25.0 %"),
          ElementsAre("of which exposed", "exposed", "-", "6.00 ms", "15.0 %", "15.0 %"),
          ElementsAre("of which hidden behind kernels", "hidden", "-", "4.00 ms", "10.0 %",
                      "10.0 %"),
          ElementsAre("computation on the GPU", "computation", "-", "20.0 ms", "50.0 %", "50.0 %"),
          ElementsAre("collectives on the host", "host", "3", "2.00 ms", "5.0 %", "5.0 %")));
  EXPECT_EQ(section.table.columns[4].share_of, "span of the trace");
}

TEST_F(RunSectionsTest, without_a_device_only_the_host_communicates) {
  summary_.has_communication = true;
  summary_.devices.clear();
  summary_.communication.host_ns = 2'000'000;
  summary_.communication.host_calls = 3;
  const auto texts = table_texts(document(only(View::kDistributed)).sections[1].table);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0][1], "host");
}

// 15 ms is the average step, 2 ms of it exposed.
TEST_F(RunSectionsTest, a_step_is_exposed_communication_and_own_work) {
  summary_.has_communication = true;
  for (auto& step : summary_.steps) {
    auto& kernels_ns = step.label_ns[static_cast<int>(StepLabel::kKernel)];
    kernels_ns -= 2'000'000;
    step.label_ns[static_cast<int>(StepLabel::kCommunication)] = 2'000'000;
  }
  const Section section = document(only(View::kDistributed)).sections[0];
  EXPECT_EQ(section.key, "ranks");
  const auto texts = table_texts(section.table);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 3, texts[0].begin() + 6)),
              ElementsAre("15.0 ms", "2.00 ms", "13.0 ms"));
}

TEST_F(RunSectionsTest, ranks_say_how_often_they_came_last) {
  RankInput late = rank("rank1");
  late.lateness = {.collectives = 84, .last = 32, .others_waited_ns = 5'000'000};
  const Document report =
      summary_document({rank("rank0"), late}, summary_, {}, only(View::kDistributed));
  const Section& section = report.sections[0];
  const auto texts = table_texts(section.table);
  EXPECT_THAT((std::vector<std::string>(texts[1].begin() + 8, texts[1].begin() + 11)),
              ElementsAre("32 of 84", "84", "5.00 ms"));
  EXPECT_EQ(texts[0][8], "-");
  EXPECT_FALSE(section.table.columns[8].for_tools);
  EXPECT_THAT(render_json(report), HasSubstr("\"last_in\":32,\"collectives\":84"));
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
  for (auto& step : slow.steps) step.interval.end_ns += step.interval.length_ns();
  RankInput rank1 = rank("rank1");
  rank1.summary = &slow;
  const Document report =
      summary_document({rank("rank0"), rank1}, summary_, {}, only(View::kDistributed));
  const auto texts = table_texts(report.sections[0].table);
  EXPECT_THAT((std::vector<std::string>(texts[0].begin() + 5, texts[0].begin() + 7)),
              ElementsAre("15.0 ms", "50.0 %"));
  EXPECT_THAT((std::vector<std::string>(texts[1].begin() + 5, texts[1].begin() + 7)),
              ElementsAre("30.0 ms", "100.0 %"));
}

}  // namespace
}  // namespace strobe::report
