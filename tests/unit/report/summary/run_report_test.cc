#include "strobe/report/summary/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sketch.h"

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::FindingWeight;
using ::testing::ElementsAre;

Trace trace_of_rank(std::optional<std::int32_t> rank) {
  Sketch sketch;
  sketch.metadata().distributed.rank = rank;
  return sketch.slice("op", SliceKind::kOperator, 0, 10).trace();
}

TEST(RunReportTest, ranks_sort_by_number_if_all_say_theirs) {
  const Trace ten = trace_of_rank(10);
  const Trace two = trace_of_rank(2);
  const Trace silent = trace_of_rank({});
  const ImportReport import;
  std::vector<RunTrace> run = {{"r10", &ten, &import}, {"r2", &two, &import}};
  sort_by_rank(run);
  EXPECT_EQ(run[0].path, "r2");
  run = {{"r10", &ten, &import}, {"r2", &two, &import}, {"r0", &silent, &import}};
  sort_by_rank(run);
  EXPECT_EQ(run[0].path, "r10") << "as given";
}

TEST(RunReportTest, names_are_as_short_as_tells_them_apart) {
  const Trace zero = trace_of_rank(0);
  const Trace one = trace_of_rank(1);
  const Trace silent = trace_of_rank({});
  const ImportReport import;
  EXPECT_THAT(names_of({{"a/x.json", &zero, &import}}), ElementsAre("a/x.json"));
  EXPECT_THAT(names_of({{"a/x.json", &zero, &import}, {"a/y.json", &one, &import}}),
              ElementsAre("rank 0", "rank 1"));
  EXPECT_THAT(names_of({{"a/x.json", &zero, &import}, {"a/y.json", &zero, &import}}),
              ElementsAre("x.json", "y.json"));
  EXPECT_THAT(names_of({{"a/b/x.json", &silent, &import}, {"a/c/x.json", &silent, &import}}),
              ElementsAre("b/x.json", "c/x.json"));
}

TEST(RunReportTest, a_run_without_slices_is_too_little) {
  const Trace empty = Sketch().trace();
  const Trace full = trace_of_rank({});
  const ImportReport import;
  const auto refused = expect_slices({{"a.json", &empty, &import}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(refused.error().where, "a.json");
  EXPECT_TRUE(expect_slices({{"a.json", &empty, &import}, {"b.json", &full, &import}}));
}

TEST(RunReportTest, the_document_of_several_ranks_adds_them_up) {
  const Trace zero = trace_of_rank(0);
  const Trace one = trace_of_rank(1);
  const ImportReport import;
  const std::vector<RunTrace> run = {{"x", &zero, &import}, {"y", &one, &import}};
  const Document document =
      run_document(run, {analysis::summarize(zero), analysis::summarize(one)}, {});
  ASSERT_FALSE(document.facts.empty());
  EXPECT_EQ(document.facts[0].key, "ranks");
  EXPECT_EQ(run_document({run[0]}, {analysis::summarize(zero)}, {}).facts[0].key, "file");
}

RankInput rank(std::string name, std::vector<Finding> findings) {
  RankInput input;
  input.name = std::move(name);
  input.findings = std::move(findings);
  return input;
}

Finding finding(std::string code, FindingWeight weight, double share, std::string headline) {
  return {.code = std::move(code),
          .weight = weight,
          .share = share,
          .headline = std::move(headline),
          .advice = ""};
}

TEST(RunFindingsTest, of_each_kind_the_worst_rank_speaks) {
  const auto findings = findings_of_run(
      {rank("rank 0", {finding("idle", FindingWeight::kMatters, 0.2, "idle 20 %")}),
       rank("rank 1", {finding("idle", FindingWeight::kMatters, 0.6, "idle 60 %")}),
       rank("rank 2", {finding("copies", FindingWeight::kWorthALook, 0.9, "copies 90 %")})});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].headline, "rank 1, the worst of 2 ranks with this finding: idle 60 %");
  EXPECT_EQ(findings[1].headline, "rank 2: copies 90 %");
}

TEST(RunFindingsTest, weight_comes_before_share) {
  const auto findings =
      findings_of_run({rank("rank 0", {finding("a", FindingWeight::kNote, 0.9, "a"),
                                       finding("b", FindingWeight::kMatters, 0.1, "b")})});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "b");
}

TEST(RunFindingsTest, ranks_without_findings_have_none_together) {
  EXPECT_TRUE(findings_of_run({rank("rank 0", {}), rank("rank 1", {})}).empty());
}

// Rank 1 has no exposed communication, so rank 0 shows its waiting as such: the cause comes first.
TEST(RunFindingsTest, the_rank_others_wait_for_comes_before_their_waiting) {
  analysis::Summary waiting;
  waiting.has_communication = true;
  waiting.steps.resize(1);
  waiting.steps[0].interval = {0, 100};
  analysis::Summary slow = waiting;
  waiting.steps[0].label_ns[static_cast<int>(analysis::StepLabel::kCommunication)] = 40;
  auto rank0 = rank("rank 0", {finding("exposed", FindingWeight::kMatters, 0.9, "exposed 90 %")});
  auto rank1 = rank("rank 1", {});
  rank0.summary = &waiting;
  rank1.summary = &slow;
  const auto findings = findings_of_run({rank0, rank1});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "straggling_rank");
}

// Rank 1 comes last, by 40 us, to every one of 20 collectives.
std::vector<Trace> traces_with_a_late_rank() {
  std::vector<Trace> traces;
  for (const std::int32_t number : {0, 1, 2}) {
    Sketch sketch;
    sketch.metadata().distributed.rank = number;
    sketch.thread(1).slice("step", SliceKind::kStep, 0, 2'000'000);
    sketch.stream(number, 9);
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::int64_t late_ns = number == 1 ? 40'000 : 0;
      sketch
          .slice("ncclDevKernel_AllReduce", SliceKind::kKernel, 100'000 * i + late_ns,
                 50'000 - late_ns)
          .flags(kCommunicates);
    }
    traces.push_back(sketch.trace());
  }
  return traces;
}

TEST(RunReportTest, the_table_of_ranks_counts_who_came_last) {
  const std::vector<Trace> traces = traces_with_a_late_rank();
  const ImportReport import;
  std::vector<RunTrace> run;
  std::vector<analysis::Summary> summaries;
  for (const Trace& trace : traces) {
    run.push_back({"r", &trace, &import});
    summaries.push_back(analysis::summarize(trace));
  }
  const Document document = run_document(run, summaries, {});
  const auto ranks = std::ranges::find_if(document.sections,
                                          [](const Section& one) { return one.key == "ranks"; });
  ASSERT_NE(ranks, document.sections.end());
  EXPECT_EQ(table_texts(ranks->table)[1][8], "20 of 20");
  EXPECT_EQ(table_texts(ranks->table)[0][8], "0 of 20");
  ASSERT_FALSE(document.findings.empty());
  EXPECT_EQ(document.findings[0].code, "late_ranks");
  const auto exposed = std::ranges::find_if(
      document.findings, [](const Finding& one) { return one.code == "exposed_communication"; });
  ASSERT_NE(exposed, document.findings.end());
  EXPECT_THAT(exposed->against,
              ::testing::Contains("part of it is waiting for rank 1, which comes late"));
  EXPECT_THAT(exposed->headline,
              ::testing::StartsWith("rank 0, the most of 3 ranks with this finding: "));
  EXPECT_THAT(exposed->advice, ::testing::StartsWith("first see why rank 1 comes late; "));
}

TEST(RunReportTest, a_file_that_was_cut_off_is_not_asked_for_more_activities) {
  const Trace trace = trace_of_rank({});
  ImportReport cut;
  cut.add(ImportIssue::kTruncatedFile, 100);
  const ImportReport whole;
  const auto document_of = [&](const ImportReport& import) {
    return run_document({{"x", &trace, &import}}, {analysis::summarize(trace)}, {});
  };
  EXPECT_FALSE(document_of(whole).findings.empty());
  const Document document = document_of(cut);
  EXPECT_TRUE(document.findings.empty());
  EXPECT_FALSE(health_on_page(document).empty()) << "it says that the file was cut off";
}

}  // namespace

}  // namespace strobe::report
