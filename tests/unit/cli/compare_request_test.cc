#include "strobe/cli/compare_request.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using analysis::CycleMethod;
using compare::RankKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CompareRequest comparison_of(const TypedFlags& flags,
                             const std::vector<std::string>& runs = {"a", "b"}) {
  const Result<CompareRequest> result = typed_request(compare_flags, complete_compare, runs, flags);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().what);
  return result ? *result : CompareRequest{};
}

Error refused_comparison(const TypedFlags& flags,
                         const std::vector<std::string>& runs = {"a", "b"}) {
  const Result<CompareRequest> result = typed_request(compare_flags, complete_compare, runs, flags);
  EXPECT_FALSE(result.has_value());
  return result ? Error{} : result.error();
}

TEST(CompareRequestTest, two_runs_and_no_flags_are_enough) {
  const CompareRequest plain = comparison_of({});
  EXPECT_EQ(plain.normal, "a");
  EXPECT_EQ(plain.abnormal, "b");
  EXPECT_EQ(plain.format, Format::kText);
  EXPECT_EQ(plain.top, 10u);
  EXPECT_FALSE(plain.options.measure.cycles.method.has_value());
  EXPECT_EQ(plain.options.order, RankKey::kSuspicion);
}

TEST(CompareRequestTest, two_runs_are_compared_and_one_with_itself) {
  EXPECT_EQ(refused_comparison({}, {}).what, "no run was given");
  EXPECT_EQ(comparison_of({}, {"a"}).mode, CompareMode::kStragglers);
  EXPECT_EQ(comparison_of({{"halves", "on"}}, {"a"}).mode, CompareMode::kHalves);
  EXPECT_EQ(refused_comparison({{"halves", "on"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused_comparison({}, {"a", "b", "c"}).hint, HasSubstr("--baseline"));
}

TEST(CompareRequestTest, the_ranks_of_one_run_take_gates_but_no_single_rank) {
  EXPECT_EQ(comparison_of({{"fail-on", "any,cycle>3%"}}, {"a"}).gates.size(), 2u);
  EXPECT_EQ(comparison_of({{"rank", "impact"}}, {"a"}).options.order, RankKey::kImpact);
  const Error refused = refused_comparison({{"rank", "3"}}, {"a"});
  EXPECT_EQ(refused.where, "--rank");
  EXPECT_THAT(refused.what, HasSubstr("one rank has no others to compare it with"));
  EXPECT_EQ(comparison_of({{"rank", "3"}, {"halves", "on"}}, {"a"}).options.only_rank, 3);
}

TEST(CompareRequestTest, tools_get_every_row) {
  EXPECT_EQ(comparison_of({{"format", "markdown"}}).top, 0u);
  EXPECT_EQ(comparison_of({{"format", "html"}, {"top", "7"}}).top, 7u);
  EXPECT_EQ(comparison_of({{"top", "all"}}).top, 0u);
}

TEST(CompareRequestTest, rank_takes_a_number_or_an_order) {
  EXPECT_EQ(comparison_of({{"rank", "3"}}).options.only_rank, 3);
  EXPECT_EQ(comparison_of({{"rank", "impact"}}).options.order, RankKey::kImpact);
  EXPECT_FALSE(comparison_of({{"rank", "q"}}).options.only_rank.has_value());
  EXPECT_EQ(comparison_of({{"sort", "robust"}, {"rank", "0"}}).options.order, RankKey::kRobust);
  EXPECT_EQ(comparison_of({{"sort", "robust"}, {"rank", "0"}}).options.only_rank, 0);
  EXPECT_THAT(refused_comparison({{"rank", "impcat"}}).hint, HasSubstr("impact"));
  EXPECT_EQ(refused_comparison({{"rank", "-1"}}).code, ErrorCode::kInvalidArgument);
}

TEST(CompareRequestTest, cycles_are_found_as_asked) {
  EXPECT_FALSE(comparison_of({{"cycle", "auto"}}).options.measure.cycles.method.has_value());
  EXPECT_EQ(comparison_of({{"cycle", "frame"}}).options.measure.cycles.method,
            CycleMethod::kHostFrame);
  EXPECT_EQ(comparison_of({{"cycle", "marker=^decode"}}).options.measure.cycles.marker, "^decode");
}

TEST(CompareRequestTest, a_bad_way_to_find_cycles_is_refused_before_any_work) {
  EXPECT_THAT(refused_comparison({{"cycle", "step"}}).hint, HasSubstr("steps"));
  EXPECT_EQ(refused_comparison({{"cycle", "marker="}}).what, "needs a regular expression");
  EXPECT_EQ(refused_comparison({{"cycle", "marker=("}}).where, "--cycle");
}

TEST(CompareRequestTest, gates_and_baselines_add_up) {
  const CompareRequest given =
      comparison_of({{"fail-on", "cycle>3%,beta>1"}, {"fail-on", "any"}, {"baseline", "c,d"}});
  EXPECT_EQ(given.gates.size(), 3u);
  EXPECT_THAT(given.baselines, ElementsAre("c", "d"));
  EXPECT_EQ(refused_comparison({{"fail-on", "speed>3"}}).where, "--fail-on");
}

TEST(CompareRequestTest, the_older_report_takes_no_orders) {
  EXPECT_TRUE(comparison_of({{"compat", "on"}}).compat);
  EXPECT_EQ(refused_comparison({{"compat", "on"}, {"fail-on", "any"}}).what,
            "cannot be combined with --fail-on: its report is fixed");
  EXPECT_EQ(refused_comparison({{"compat", "on"}, {"baseline", "c"}}).where, "--compat");
  EXPECT_EQ(refused_comparison({{"compat", "on"}, {"format", "html"}}).where, "--compat");
}

}  // namespace
}  // namespace strobe::cli
