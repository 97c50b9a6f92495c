#include "strobe/report/summary/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::report {
namespace {

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

}  // namespace
}  // namespace strobe::report
