#include "strobe/serve/comparison_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include "strobe/base/json_value.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/one_run.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/straggler_report.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/run_folder.h"
#include "tests/support/loop_trace.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::LogFolder;
using test::LoopTrace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServedRunTest : public ::testing::Test {
 protected:
  std::vector<FoundTrace> files() const { return RunFolder::open({logs_.path().string()})->scan(); }
  TraceLookup lookup() const {
    return [this](std::string_view name) -> Result<std::shared_ptr<const OpenTrace>> {
      STROBE_TRY(readers::LoadedTrace loaded,
                 readers::read_trace(logs_.path() / std::string(name)));
      return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
    };
  }
  std::vector<std::string> names(const Result<ServedRun>& run) const {
    std::vector<std::string> names;
    for (const FoundTrace& trace : run->traces) names.push_back(trace.name);
    return names;
  }

  const std::string trace_ = LoopTrace{}.json();
  LogFolder logs_;
};

TEST_F(ServedRunTest, a_name_means_a_folder_the_ranks_below_it_or_a_trace) {
  logs_.write_old("a/rank0/t.json", trace_);
  logs_.write_old("a/rank1/t.json", trace_);
  logs_.write_old("a/notes/t.json", trace_);
  logs_.write_old("a/rank1/old/t.json", trace_);
  logs_.write_old("ab/t.json", trace_);
  EXPECT_THAT(names(find_run("normal", "a", files())),
              ElementsAre("a/rank0/t.json", "a/rank1/t.json"));
  EXPECT_THAT(names(find_run("normal", "ab", files())), ElementsAre("ab/t.json"));
  EXPECT_THAT(names(find_run("normal", "a/rank1", files())), ElementsAre("a/rank1/t.json"));
  EXPECT_THAT(names(find_run("normal", "a/notes/t.json", files())), ElementsAre("a/notes/t.json"));
  for (const char* none : {"", "a/", "a/rank", "..", "a/../ab"}) {
    const auto run = find_run("abnormal", none, files());
    ASSERT_FALSE(run) << none;
    EXPECT_EQ(run.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(run.error().where, "abnormal");
  }
}

TEST_F(ServedRunTest, ranks_have_their_numbers_and_share_the_samples_above_them) {
  logs_.write_old("a/rank0/t.json", trace_);
  logs_.write_old("a/rank3/t.json", trace_);
  logs_.write_old("a/metrics.csv", LoopTrace{}.metrics_csv(1400));
  logs_.write_old("a/rank3/metrics.csv", "ts_us,device,metric,value\n5000,GPU 0,own,1\n");
  const auto run = open_run(*find_run("normal", "a", files()), lookup());
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->ranks.size(), 2u);
  EXPECT_EQ(run->ranks[0].rank, 0);
  EXPECT_EQ(run->ranks[0].path, "a/rank0/t.json");
  ASSERT_EQ(run->ranks[0].metrics.size(), 1u);
  EXPECT_EQ(run->ranks[0].metrics[0].metric, "gpu_sm_frequency");
  EXPECT_EQ(run->ranks[1].rank, 3);
  ASSERT_EQ(run->ranks[1].metrics.size(), 1u);
  EXPECT_EQ(run->ranks[1].metrics[0].metric, "own");
}

TEST_F(ServedRunTest, traces_that_are_no_ranks_are_no_run) {
  logs_.write_old("a/one.json", trace_);
  logs_.write_old("a/two.json", trace_);
  const auto run = open_run(*find_run("normal", "a", files()), lookup());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(run.error().where, "a");
}

TEST_F(ServedRunTest, traces_may_tell_their_ranks_themselves) {
  logs_.write_old("a/one.json", LoopTrace{.rank = 1}.json());
  logs_.write_old("a/two.json", LoopTrace{.rank = 0}.json());
  const auto run = open_run(*find_run("normal", "a", files()), lookup());
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->ranks[0].path, "a/two.json");
}

TEST_F(ServedRunTest, errors_speak_of_what_is_served_and_not_of_the_disk) {
  logs_.write_old("a/t.json", trace_);
  logs_.write_old("a/metrics.csv", "time,value\n1,2\n");
  const auto run = open_run(*find_run("normal", "a", files()), lookup());
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().where, HasSubstr("a/metrics.csv"));
  EXPECT_EQ(run.error().where.find(logs_.path().string()), std::string::npos);
}

constexpr LoopTrace kNormal{.kernel_us = 200, .step_us = 1000};
constexpr LoopTrace kSlow{.kernel_us = 600, .step_us = 1400};

class ComparisonShelfTest : public ::testing::Test {
 protected:
  ComparisonShelfTest() {
    logs_.write_old("normal/trace.json", kNormal.json());
    logs_.write_old("normal/metrics.csv", kNormal.metrics_csv(1400));
    logs_.write_old("slow/trace.json", kSlow.json());
    logs_.write_old("slow/metrics.csv", kSlow.metrics_csv(500));
  }

  Result<ComparisonShelf::Body> ask(const Query::Parameters& parameters) {
    auto folder = RunFolder::open({logs_.path().string()});
    const TraceLookup lookup = [this](std::string_view name) { return open(name); };
    return shelf_.answer(Query(parameters), folder->scan(), lookup);
  }

  Result<std::shared_ptr<const OpenTrace>> open(std::string_view name) {
    ++lookups_;
    if (is_loading_) return Error{ErrorCode::kTooLittleData, "it is being loaded", "trace", ""};
    STROBE_TRY(readers::LoadedTrace loaded, readers::read_trace(logs_.path() / std::string(name)));
    return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
  }

  strobe::Run from_disk(const std::string& name) {
    strobe::Run run = std::move(*readers::read_run(logs_.path() / name, {}, {}));
    for (RankCapture& rank : run.ranks) {
      rank.path = std::filesystem::path(rank.path).lexically_relative(logs_.path()).string();
    }
    return run;
  }

  LogFolder logs_;
  ComparisonShelf shelf_;
  std::atomic<int> lookups_ = 0;
  bool is_loading_ = false;
};

TEST_F(ComparisonShelfTest, the_answer_is_that_of_the_command) {
  const auto answer = ask({{"normal", "normal"}, {"abnormal", "slow"}});
  ASSERT_TRUE(answer) << answer.error().what;
  const auto expected = compare::compare_runs(from_disk("normal"), from_disk("slow"));
  ASSERT_TRUE(expected);
  EXPECT_EQ(**answer, report::compare_json(*expected));
  EXPECT_THAT(**answer, HasSubstr("gpu_sm_frequency"));
}

TEST_F(ComparisonShelfTest, cycles_come_with_their_place_since_the_origin_of_their_trace) {
  const auto answer = ask({{"normal", "normal"}, {"abnormal", "slow"}});
  ASSERT_TRUE(answer);
  EXPECT_THAT(**answer, HasSubstr(R"({"cycle":3,"name":"ProfilerStep#3","type":"step",)"
                                  R"("start_ns":2000000,"duration_ns":980000,"left_out_on":[]})"));
  EXPECT_THAT(**answer, HasSubstr(R"("start_ns":2800000,"duration_ns":1380000)"));
}

TEST_F(ComparisonShelfTest, one_run_is_compared_rank_by_rank_as_by_the_command) {
  for (int rank = 0; rank < 2; ++rank) {
    LoopTrace trace = kNormal;
    trace.rank = rank;
    logs_.write_old("ranks/rank" + std::to_string(rank) + "/t.json", trace.json());
  }
  const auto answer = ask({{"run", "ranks"}});
  ASSERT_TRUE(answer) << answer.error().what;
  const auto expected = compare::find_stragglers(from_disk("ranks"));
  ASSERT_TRUE(expected);
  EXPECT_EQ(**answer, report::straggler_json(*expected));
  EXPECT_EQ(*ask({{"run", "ranks"}}), *answer);  // kept
  EXPECT_EQ(ask({{"run", "nothing"}}).error().code, ErrorCode::kNotFound);
}

TEST_F(ComparisonShelfTest, a_single_trace_is_a_run_too) {
  const auto by_trace = ask({{"normal", "normal/trace.json"}, {"abnormal", "slow/trace.json"}});
  ASSERT_TRUE(by_trace) << by_trace.error().what;
  EXPECT_THAT(**by_trace, HasSubstr("gpu_sm_frequency"));
}

TEST_F(ComparisonShelfTest, an_answer_is_kept_until_a_file_changes) {
  const Query::Parameters asked = {{"normal", "normal"}, {"abnormal", "slow"}};
  const auto first = ask(asked);
  const auto again = ask(asked);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(lookups_, 2);
  const auto cut_otherwise = ask({{"normal", "normal"}, {"abnormal", "slow"}, {"cycle", "steps"}});
  ASSERT_TRUE(cut_otherwise);
  EXPECT_NE(*cut_otherwise, *first);

  logs_.write("slow/metrics.csv", kSlow.metrics_csv(700));
  const auto sampled_again = ask(asked);
  ASSERT_TRUE(sampled_again);
  EXPECT_NE(**sampled_again, **first);
  logs_.write("slow/trace.json", kNormal.json());
  const auto replaced = ask(asked);
  ASSERT_TRUE(replaced);
  EXPECT_NE(**replaced, **sampled_again);
}

TEST_F(ComparisonShelfTest, old_answers_make_room_for_new_ones) {
  const Query::Parameters asked = {{"normal", "normal"}, {"abnormal", "slow"}};
  const auto first = ask(asked);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(ask({{"normal", "normal"},
                     {"abnormal", "slow"},
                     {"cycle", "marker=Step#\\d{1," + std::to_string(i + 1) + "}"}}));
  }
  const auto again = ask(asked);
  ASSERT_TRUE(first && again);
  EXPECT_NE(*first, *again);
  EXPECT_EQ(**first, **again);
}

TEST_F(ComparisonShelfTest, many_who_ask_at_once_get_one_comparison) {
  std::vector<ComparisonShelf::Body> bodies(6);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      if (const auto answer = ask({{"normal", "normal"}, {"abnormal", "slow"}})) body = *answer;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(bodies[0], nullptr);
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
}

TEST_F(ComparisonShelfTest, while_a_trace_loads_all_are_asked_for_and_nothing_is_kept) {
  is_loading_ = true;
  const auto loading = ask({{"normal", "normal"}, {"abnormal", "slow"}, {"baseline", "normal"}});
  ASSERT_FALSE(loading);
  EXPECT_EQ(loading.error().what, "it is being loaded");
  EXPECT_EQ(lookups_, 3);
  is_loading_ = false;
  EXPECT_TRUE(ask({{"normal", "normal"}, {"abnormal", "slow"}, {"baseline", "normal"}}));
}

TEST_F(ComparisonShelfTest, wrong_parameters_are_named) {
  const std::vector<std::pair<Query::Parameters, std::pair<ErrorCode, std::string>>> wrong = {
      {{{"abnormal", "slow"}}, {ErrorCode::kInvalidArgument, "normal"}},
      {{{"normal", "normal"}}, {ErrorCode::kInvalidArgument, "abnormal"}},
      {{{"normal", "absent"}, {"abnormal", "slow"}}, {ErrorCode::kNotFound, "normal"}},
      {{{"normal", "normal"}, {"abnormal", "../slow"}}, {ErrorCode::kNotFound, "abnormal"}},
      {{{"normal", "normal"}, {"abnormal", "slow"}, {"baseline", "x"}},
       {ErrorCode::kNotFound, "baseline"}},
      {{{"normal", "normal"}, {"abnormal", "slow"}, {"cycle", "sometimes"}},
       {ErrorCode::kInvalidArgument, "cycle"}},
      {{{"normal", "normal"}, {"abnormal", "slow"}, {"align", "2"}},
       {ErrorCode::kInvalidArgument, "align"}}};
  for (const auto& [parameters, expected] : wrong) {
    const auto answer = ask(parameters);
    ASSERT_FALSE(answer) << expected.second;
    EXPECT_EQ(answer.error().code, expected.first) << answer.error().what;
    EXPECT_EQ(answer.error().where, expected.second);
  }
}

TEST_F(ComparisonShelfTest, hints_name_parameters_and_not_flags_of_the_command) {
  for (const char* name : {"low/rank0", "low/rank1", "high/rank2", "high/rank3"}) {
    logs_.write_old(std::string(name) + "/t.json", kNormal.json());
  }
  const auto answer = ask({{"normal", "low"}, {"abnormal", "high"}});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().hint, HasSubstr("align=1"));
  EXPECT_THAT(answer.error().hint, ::testing::Not(HasSubstr("--")));
  EXPECT_TRUE(ask({{"normal", "low"}, {"abnormal", "high"}, {"align", "1"}}));
}

TEST_F(ComparisonShelfTest, without_cycles_the_reason_is_given) {
  const auto answer =
      ask({{"normal", "normal"}, {"abnormal", "slow"}, {"cycle", "marker=^decode$"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(answer.error().where, "cycle");
  EXPECT_THAT(answer.error().what, HasSubstr("^decode$"));
}

}  // namespace
}  // namespace strobe::serve
