#include "strobe/record/inject/activity/run_settings_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

// Variables for one test.
class RunSettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* rank :
         {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "WORLD_SIZE"}) {
      unsetenv(rank);
    }
  }
  void TearDown() override {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  void set(const char* name, const char* value) {
    setenv(name, value, 1);
    names_.emplace_back(name);
  }

 private:
  std::vector<std::string> names_;
};

TEST_F(RunSettingsTest, WithoutAFolderNothingIsRecorded) {
  EXPECT_EQ(read_run_settings().folder, "");
}

TEST_F(RunSettingsTest, DefaultsRecordLaunchesRangesAndWholeGraphs) {
  set(wire::kRunFolder, "/tmp/run");
  const RunSettings settings = read_run_settings();
  EXPECT_EQ(settings.folder, "/tmp/run");
  EXPECT_EQ(settings.calls, CallSet::kLaunches);
  EXPECT_TRUE(settings.with_ranges);
  EXPECT_FALSE(settings.with_graph_nodes);
  EXPECT_FALSE(settings.has_windows());
  EXPECT_EQ(settings.keep.count(), 0);
  EXPECT_EQ(settings.rank, "");
}

TEST_F(RunSettingsTest, ReadsTimesAndChoices) {
  set(wire::kRunKeep, "60000");
  set(wire::kRunCalls, "none");
  set(wire::kRunGraphs, "nodes");
  set(wire::kRunRanges, "0");
  set(wire::kRunRedact, "1");
  const RunSettings settings = read_run_settings();
  EXPECT_EQ(settings.keep.count(), 60000);
  EXPECT_EQ(settings.calls, CallSet::kNone);
  EXPECT_TRUE(settings.with_graph_nodes);
  EXPECT_FALSE(settings.with_ranges);
  EXPECT_TRUE(settings.is_redacting);
}

TEST_F(RunSettingsTest, WindowsNeedTheCallsAtWhoseEndTheyClose) {
  set(wire::kRunEvery, "60000");
  set(wire::kRunFor, "1000");
  set(wire::kRunCalls, "none");
  const RunSettings settings = read_run_settings();
  EXPECT_TRUE(settings.has_windows());
  EXPECT_EQ(settings.calls, CallSet::kLaunches);
}

TEST_F(RunSettingsTest, TheRankIsThatOfTheLauncher) {
  set("SLURM_PROCID", "5");
  EXPECT_EQ(read_run_settings().rank, "5");
  set("RANK", "3");
  set("WORLD_SIZE", "8");
  EXPECT_EQ(read_run_settings().rank, "3");
  EXPECT_EQ(read_run_settings().world_size, "8");
}

TEST_F(RunSettingsTest, NonsenseIsIgnored) {
  set("RANK", "../x");
  set(wire::kRunKeep, "soon");
  set(wire::kRunEvery, "-5");
  const RunSettings settings = read_run_settings();
  EXPECT_EQ(settings.rank, "");
  EXPECT_EQ(settings.keep.count(), 0);
  EXPECT_FALSE(settings.has_windows());
}

}  // namespace
}  // namespace strobe::record
