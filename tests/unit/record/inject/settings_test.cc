#include "strobe/record/inject/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "strobe/wire/record_settings.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

class SettingsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {wire::kRecordFolder, wire::kRecordMetrics, wire::kRecordLaunches,
                             wire::kRecordBatch, wire::kRecordStrict, wire::kRecordWindow}) {
      unsetenv(name);
    }
  }
};

TEST_F(SettingsTest, no_folder_means_no_recording) { EXPECT_EQ(read_settings().folder, ""); }

TEST_F(SettingsTest, everything_is_read_from_the_environment) {
  setenv(wire::kRecordFolder, "/somewhere", 1);
  setenv(wire::kRecordMetrics, "a.sum,b.sum", 1);
  setenv(wire::kRecordLaunches, "5:9", 1);
  setenv(wire::kRecordBatch, "32", 1);
  setenv(wire::kRecordStrict, "1", 1);
  const Settings settings = read_settings();
  EXPECT_EQ(settings.problem, "");
  EXPECT_EQ(settings.folder, "/somewhere");
  EXPECT_THAT(settings.metrics, ElementsAre("a.sum", "b.sum"));
  EXPECT_THAT(settings.metrics_per_window, ElementsAre(2));
  EXPECT_FALSE(settings.has_windows);
  EXPECT_EQ(settings.first_launch, 5u);
  EXPECT_EQ(settings.last_launch, 9u);
  EXPECT_EQ(settings.batch, 32u);
  EXPECT_TRUE(settings.is_strict);
}

TEST_F(SettingsTest, each_window_may_have_metrics_of_its_own) {
  setenv(wire::kRecordMetrics, "a.sum,b.sum;c.sum;;d.sum,", 1);
  EXPECT_THAT(read_settings().problem, HasSubstr("need windows"));
  setenv(wire::kRecordWindow, "1", 1);
  const Settings settings = read_settings();
  EXPECT_EQ(settings.problem, "");
  EXPECT_TRUE(settings.has_windows);
  EXPECT_THAT(settings.metrics, ElementsAre("a.sum", "b.sum", "c.sum", "d.sum"));
  EXPECT_THAT(settings.metrics_per_window, ElementsAre(2, 1, 1));
}

TEST_F(SettingsTest, what_cannot_be_read_is_told_and_not_guessed) {
  EXPECT_THAT(read_settings().problem, HasSubstr("no metric"));
  setenv(wire::kRecordMetrics, "a.sum", 1);
  setenv(wire::kRecordBatch, "0", 1);
  EXPECT_THAT(read_settings().problem, HasSubstr("'0'"));
}

TEST_F(SettingsTest, windows_of_launches_count_both_ends) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  EXPECT_TRUE(read_launch_window("3:", first, last));
  EXPECT_EQ(first, 3u);
  EXPECT_EQ(last, kEnd);
  EXPECT_TRUE(read_launch_window(":3", first, last));
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(last, 3u);
  EXPECT_TRUE(read_launch_window("7", first, last));
  EXPECT_EQ(first, 7u);
  EXPECT_EQ(last, 7u);
  for (const char* nonsense : {"", ":", "a:b", "9:3", "1:2:3", "-1:4"}) {
    EXPECT_FALSE(read_launch_window(nonsense, first, last)) << nonsense;
  }
}

}  // namespace
}  // namespace strobe::record
