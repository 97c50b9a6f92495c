#include <gmock/gmock.h>

#include <limits>
#include <memory>
#include <optional>

#include "strobe/report/render/render.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

analysis::SampleRow sampled(std::string owner, std::string label, std::string metric,
                            std::string_view device, std::optional<double> mean) {
  analysis::SampleRow row;
  row.thing = device == "GPU 0" ? analysis::SampledThing::kDevice : analysis::SampledThing::kHost;
  row.owner = std::move(owner);
  row.label = std::move(label);
  row.metric = std::move(metric);
  row.info = device::metric_info(row.metric, device);
  row.mean = mean;
  if (mean) row.min = *mean / 2;
  if (mean) row.max = *mean * 2;
  row.samples = 1234;
  return row;
}

class SampleSectionsTest : public SummarySketch {
 protected:
  Document document_with_second(const Summary& other) {
    RankInput rank1 = rank("rank1");
    rank1.summary = &other;
    return summary_document({rank("rank0"), rank1}, summary_, {}, only(View::kSamples));
  }
  SampleSectionsTest() {
    summary_.samples.rows = {sampled("GPU 0", "SM clock", "gpu_sm_frequency", "GPU 0", 1500),
                             sampled("host", "pressure: CPU", "pressure_cpu_some_us", "Host", 668),
                             sampled("host", "load", "host_load", "Host", 2.5),
                             sampled("host", "memory", "process_rss_bytes", "Host", std::nullopt)};
  }
  Section section(const TableOptions& options) { return document(options).sections[0]; }
};

TEST_F(SampleSectionsTest, values_have_their_unit_and_no_value_is_a_dash) {
  const Section samples = section(only(View::kSamples));
  EXPECT_EQ(samples.key, "samples");
  EXPECT_THAT(
      table_texts(samples.table),
      ElementsAre(ElementsAre("run.json", "device", "GPU 0", "SM clock", "gpu_sm_frequency", "-",
                              "1,500 MHz", "-", "750 MHz", "3,000 MHz", "MHz", "1,234"),
                  ElementsAre("run.json", "host", "host", "pressure: CPU", "pressure_cpu_some_us",
                              "-", "66.8 %", "-", "33.4 %", "134 %", "%", "1,234"),
                  ElementsAre("run.json", "host", "host", "load", "host_load", "-", "2.50", "-",
                              "1.25", "5", "-", "1,234"),
                  ElementsAre("run.json", "host", "host", "memory", "process_rss_bytes", "-", "-",
                              "-", "-", "-", "B", "1,234")));
}

TEST_F(SampleSectionsTest, tools_get_numbers_in_the_unit_beside_them) {
  const std::string json = render_json(document(only(View::kSamples)));
  EXPECT_THAT(json, HasSubstr(R"("metric":"pressure_cpu_some_us","key":null,"mean":66.8)"));
  EXPECT_THAT(json, HasSubstr(R"("unit":"%","samples":1234)"));
  const std::string csv = render_csv(document(only(View::kSamples)));
  EXPECT_THAT(
      csv, HasSubstr("rank,thing,owner,label,metric,key,mean,steady_mean,min,max,unit,samples\n"));
  EXPECT_THAT(csv, HasSubstr("GPU 0,SM clock,gpu_sm_frequency,,1500,,750,3000,MHz,1234\n"));
}

TEST_F(SampleSectionsTest, the_mean_after_the_start_up_stands_beside_that_of_the_whole) {
  EXPECT_THAT(render_text(document(only(View::kSamples)), {.width = 120}),
              Not(HasSubstr("steady")));
  summary_.samples.rows[0].steady_mean = 1'800;
  summary_.steady = std::make_shared<Summary>();
  const std::string text = render_text(document(only(View::kSamples)), {.width = 120});
  EXPECT_THAT(text, HasSubstr("1,500 MHz  1,800 MHz"));
  EXPECT_THAT(text, HasSubstr("Steady is the time after the start-up."));
}

TEST_F(SampleSectionsTest, what_is_no_number_is_a_dash_in_every_format) {
  summary_.samples.rows.resize(1);
  summary_.samples.rows[0].mean = std::numeric_limits<double>::quiet_NaN();
  summary_.samples.rows[0].max = std::numeric_limits<double>::infinity();
  EXPECT_THAT(render_json(document(only(View::kSamples))),
              HasSubstr(R"("mean":null,"steady_mean":null,"min":750,"max":null)"));
  EXPECT_THAT(render_csv(document(only(View::kSamples))), HasSubstr(",,,750,,MHz"));
  EXPECT_THAT(render_markdown(document(only(View::kSamples))), Not(HasSubstr("nan")));
}

TEST_F(SampleSectionsTest, a_page_says_how_many_rows_it_leaves_out) {
  TableOptions options = only(View::kSamples);
  options.top = 3;
  const Section samples = section(options);
  EXPECT_EQ(samples.table.rows.size(), 3u);
  EXPECT_EQ(samples.table.left_out, "1 more (--top all shows it)");
}

TEST_F(SampleSectionsTest, a_filter_looks_at_both_names) {
  TableOptions options = only(View::kSamples);
  options.filter = "^SM|rss";
  options.keeps_name = analysis::name_filter("--filter", options.filter).value();
  const Section samples = section(options);
  EXPECT_EQ(samples.table.rows.size(), 2u);
  EXPECT_EQ(samples.table.left_out, "2 names not matched by '^SM|rss'");
  options.keeps_name = [](std::string_view) { return false; };
  EXPECT_THAT(section(options).notes,
              ElementsAre("No metric matches '^SM|rss': 4 names left out."));
}

TEST_F(SampleSectionsTest, threads_and_other_processes_are_told_as_a_number) {
  EXPECT_THAT(section(only(View::kSamples)).notes, IsEmpty());
  summary_.samples.threads = 2000;
  summary_.samples.other_processes = 1;
  EXPECT_THAT(section(only(View::kSamples)).notes,
              ElementsAre("2,000 threads and 1 other process were sampled too and have no row "
                          "here; the timeline of `strobe serve` shows them."));
}

TEST_F(SampleSectionsTest, ranks_stand_one_below_the_other) {
  Summary other = summary_;
  other.samples.rows = {summary_.samples.rows[0], summary_.samples.rows[2]};
  for (analysis::SampleRow& row : other.samples.rows) ++row.samples;
  const Document report = document_with_second(other);
  std::vector<std::string> places;
  for (const auto& row : table_texts(report.sections[0].table)) {
    places.push_back(row[0] + " " + row[3]);
  }
  EXPECT_THAT(places, ElementsAre("rank0 SM clock", "rank1 SM clock", "rank0 pressure: CPU",
                                  "rank0 load", "rank1 load", "rank0 memory"));
  EXPECT_FALSE(report.sections[0].table.columns[0].for_tools);
}

// The second rank has a row before those that both have, and two devices.
TEST_F(SampleSectionsTest, ranks_whose_rows_differ_stand_one_below_the_other_too) {
  const analysis::SampleRow clock = summary_.samples.rows[0];
  const analysis::SampleRow pressure = summary_.samples.rows[1];
  const analysis::SampleRow load = summary_.samples.rows[2];
  summary_.samples.rows = {clock, load};
  Summary other = summary_;
  other.samples.rows = {pressure, clock, load, clock};
  other.samples.rows[3].owner = "GPU 1";
  for (analysis::SampleRow& row : other.samples.rows) ++row.samples;
  const Document report = document_with_second(other);
  std::vector<std::string> places;
  for (const auto& row : table_texts(report.sections[0].table)) {
    places.push_back(row[0] + " " + row[2] + " " + row[3]);
  }
  EXPECT_THAT(places,
              ElementsAre("rank0 GPU 0 SM clock", "rank1 GPU 0 SM clock", "rank0 host load",
                          "rank1 host load", "rank1 host pressure: CPU", "rank1 GPU 1 SM clock"));
}

TEST_F(SampleSectionsTest, what_ranks_of_one_machine_share_is_shown_once) {
  summary_.samples.rows.resize(2);
  summary_.samples.rows[1].thing = analysis::SampledThing::kProcess;
  const Document report =
      summary_document({rank("rank0"), rank("rank1")}, summary_, {}, only(View::kSamples));
  std::vector<std::string> places;
  for (const auto& row : table_texts(report.sections[0].table)) {
    places.push_back(row[0] + " " + row[3]);
  }
  EXPECT_THAT(places, ElementsAre("rank0 SM clock", "rank0 pressure: CPU", "rank1 pressure: CPU"));
  EXPECT_THAT(report.sections[0].notes,
              ElementsAre("Rows of a device or of the host that are equal in several ranks are "
                          "shown once, for the first of them."));
}

TEST_F(SampleSectionsTest, without_samples_only_a_requested_table_says_so) {
  summary_.samples = {};
  EXPECT_THAT(section(only(View::kSamples)).notes,
              ElementsAre("No samples of a device, a process or the host were recorded here."));
  const std::string text = render_text(document(), {});
  EXPECT_THAT(text, Not(HasSubstr("Samples")));
}

}  // namespace
}  // namespace strobe::report
