#include "strobe/serve/served_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/serve/open_trace.h"
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

}  // namespace
}  // namespace strobe::serve
